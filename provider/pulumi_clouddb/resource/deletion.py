"""Whether the deletion of a resource deletes its object: a table of named cases; the first that applies decides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum


class Deletion(Enum):
    """What happens to the object of a resource that the engine deletes."""

    DELETED = "deleted"
    KEPT = "kept"
    REFUSED = "refused"


DELETED, KEPT, REFUSED = Deletion


@dataclass(frozen=True)
class DeletionFacts:
    """What a run knows about the object of a resource that the engine deletes; by default, nobody else needs it.

    Attributes:
        is_adopted: Whether this run has adopted the object.
        other: The URN of another resource of the program that has the object; None if there is none.
        is_replaced_by_itself: Whether this run has created the resource again, with the same object.
        is_leftover: Whether a replacement has left it: the resource has another object by now.
        replacement_is_refused: Whether the program still has the resource, which must not be replaced.
        was_allowed: Of a leftover, whether the inputs in state of the object that has replaced it allow that.
        may_be_replaced: Whether another resource may have replaced it, and the program has not allowed that.
    """

    is_adopted: bool = False
    other: str | None = None
    is_replaced_by_itself: bool = False
    is_leftover: bool = False
    replacement_is_refused: bool = False
    was_allowed: bool = True
    may_be_replaced: bool = False


@dataclass(frozen=True)
class DeletionCase:
    """One row of the table.

    Attributes:
        name: The case in words.
        decision: What happens to the object.
        applies: Returns whether the case applies.
        warning: Why the object is kept, to follow its name. `{other}` is the URN of the other resource, and `{lost}`
            names the original values that an override no longer remembers.
    """

    name: str
    decision: Deletion
    applies: Callable[[DeletionFacts], bool]
    warning: str = ""


DELETION_CASES: Sequence[DeletionCase] = (
    # A run was interrupted between creating the object and writing state, and then the resource was replaced by hand:
    # `--replace` asks for no diff.
    DeletionCase(
        "this run has adopted it as the replacement",
        KEPT,
        lambda it: it.is_adopted,
        "is not deleted, because this run has adopted it.",
    ),
    # A resource was renamed without an alias, and its object adopted or imported under the new name: the engine deletes
    # the old name at the end.
    DeletionCase(
        "it also belongs to another resource of the program",
        KEPT,
        lambda it: it.other is not None,
        "is kept: it is also {other}, which stays in the program.{lost}\n"
        "To rename a resource, give it an alias of its old name.",
    ),
    # The new override has found the object as the old one had left it.
    DeletionCase(
        "it was replaced by itself",
        KEPT,
        lambda it: it.is_replaced_by_itself,
        "is kept: its replacement is the same object.{lost}\n"
        "To delete the resource first, set Pulumi's option deleteBeforeReplace on it.",
    ),
    # What the program says today is about the object that replaced it.
    DeletionCase("a replacement that was allowed has left it", DELETED, lambda it: it.is_leftover and it.was_allowed),
    DeletionCase(
        "the program has the resource, and it must not be replaced", REFUSED, lambda it: it.replacement_is_refused
    ),
    # After a taint of a resource with a new URN the engine's calls are those of one removed and another added.
    DeletionCase("another one may have replaced it without leave", REFUSED, lambda it: it.may_be_replaced),
    DeletionCase("nobody else needs it", DELETED, lambda _: True),
)


def decide(facts: DeletionFacts) -> DeletionCase:
    """Return the first case that applies."""
    return next(case for case in DELETION_CASES if case.applies(facts))
