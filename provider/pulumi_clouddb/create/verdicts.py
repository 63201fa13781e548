"""Whether an object was created by a create of ours: tables of named cases.

In each table the first case that applies decides. `evidence` gathers the facts; docs/reliability.md explains them. Only
an object that is ours is adopted, reset or deleted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Generic, TypeVar

FactsT = TypeVar("FactsT")


class Verdict(Enum):
    """Whether an object is ours."""

    OURS = "ours"
    NOT_OURS = "not ours"
    CANNOT_TELL = "cannot tell"


OURS, NOT_OURS, CANNOT_TELL = Verdict


@dataclass(frozen=True)
class Case(Generic[FactsT]):
    """One row of a table.

    Attributes:
        name: The case in words.
        verdict: The decision.
        applies: Returns whether the case applies.
    """

    name: str
    verdict: Verdict
    applies: Callable[[FactsT], bool | None]


@dataclass(frozen=True)
class ObjectFacts:
    """What is known about one listed object; by default one that may be ours.

    Attributes:
        exists: Whether it exists; an object that is being deleted does not.
        has_our_id: Whether the server returned its id for this create; None if it returned no id.
        has_owner: Whether it was listed before the request, is in state, or was created for another resource.
        has_our_mark: Whether it carries the mark of this create; None where the request carried none.
        is_used: Whether somebody has used it.
        is_as_sent: Whether it shows every property as it was sent.
        created_in_time: Whether it was created while the server may have carried out the request; None if unknown.
    """

    exists: bool = True
    has_our_id: bool | None = None
    has_owner: bool = False
    has_our_mark: bool | None = None
    is_used: bool = False
    is_as_sent: bool = True
    created_in_time: bool | None = True


OBJECT_CASES: Sequence[Case[ObjectFacts]] = (
    Case("it is being deleted", NOT_OURS, lambda it: not it.exists),
    Case("the server returned its id for the create", OURS, lambda it: it.has_our_id),
    Case("the server returned another id for the create", NOT_OURS, lambda it: it.has_our_id is False),
    Case("it existed before, or belongs to another resource", NOT_OURS, lambda it: it.has_owner),
    Case("it carries the mark of this create", OURS, lambda it: it.has_our_mark),
    Case("it does not carry the mark of this create", NOT_OURS, lambda it: it.has_our_mark is False),
    Case("somebody has used it", NOT_OURS, lambda it: it.is_used),
    Case("a property is not as it was sent", NOT_OURS, lambda it: not it.is_as_sent),
    Case("it was created at another time", NOT_OURS, lambda it: it.created_in_time is False),
    Case("nothing shows that it is not ours", CANNOT_TELL, lambda _: True),
)
"""Whether one listed object is ours. Those of the last case are the candidates."""


@dataclass(frozen=True)
class CreateFacts:
    """What is known about a create, and about its candidates; by default there is one, and it is ours.

    Attributes:
        candidates: How many objects may be ours.
        time_is_known: Whether the server reports when the candidate was created.
        shows_all: Whether the candidate shows all that the request carried, as it was sent.
        second_is_harmless: Whether a second one would do no harm.
        name_was_refused: Whether the server refused the request, and accepts only one object of the name.
        mistake_locks_out: Whether a mistake would lock the owner out: the password is reset, or the key is deleted.
        was_refused: Whether the server, or a gateway, refused the request.
        may_not_be_sent: Whether the process died, and nobody knows whether it has sent the request.
        another_create_fits: Whether another pending create on this machine may have created the candidate.
        later_create_fits: Whether such a create was sent after this one.
        created_after_search: Whether the candidate was created after a search that found nothing.
    """

    candidates: int = 1
    time_is_known: bool = True
    shows_all: bool = True
    second_is_harmless: bool = False
    name_was_refused: bool = False
    mistake_locks_out: bool = False
    was_refused: bool = False
    may_not_be_sent: bool = False
    another_create_fits: bool = False
    later_create_fits: bool = False
    created_after_search: bool = False


CREATE_CASES: Sequence[Case[CreateFacts]] = (
    Case("there is no candidate", NOT_OURS, lambda it: it.candidates == 0),
    Case("there are several candidates", CANNOT_TELL, lambda it: it.candidates > 1),
    Case("nobody knows when it was created", CANNOT_TELL, lambda it: not it.time_is_known),
    Case("the name was refused: another object may have it", CANNOT_TELL, lambda it: it.name_was_refused),
    # Somebody else's object of the same name may differ in just that: its credentials, its code.
    Case(
        "it does not show all that was sent, and a second one is harmless",
        NOT_OURS,
        lambda it: not it.shows_all and it.second_is_harmless,
    ),
    Case("it does not show all that was sent", CANNOT_TELL, lambda it: not it.shows_all),
    # A server that refuses a request reports that it has done nothing. After a death nobody knows whether the request
    # was sent. Both are too little evidence if a mistake would lock the owner out.
    Case(
        "the request was refused, and a mistake would lock the owner out",
        CANNOT_TELL,
        lambda it: it.mistake_locks_out and it.was_refused,
    ),
    Case(
        "the request may not have been sent, and a mistake would lock the owner out",
        CANNOT_TELL,
        lambda it: it.mistake_locks_out and it.may_not_be_sent,
    ),
    Case(
        "another pending create may have created it, and a mistake would lock the owner out",
        CANNOT_TELL,
        lambda it: it.mistake_locks_out and it.another_create_fits,
    ),
    # The server may have carried out the request that late, but somebody may as well have created the object by hand.
    Case(
        "it was created after a search that found nothing, and a mistake would lock the owner out",
        CANNOT_TELL,
        lambda it: it.mistake_locks_out and it.created_after_search,
    ),
    # If both requests were carried out, there are two candidates.
    Case("a later pending create may have created it", NOT_OURS, lambda it: it.later_create_fits),
    Case("all evidence is present", OURS, lambda _: True),
)
"""Whether the candidate is ours."""


def decide(cases: Sequence[Case[FactsT]], facts: FactsT) -> Case[FactsT]:
    """Return the first case that applies."""
    return next(case for case in cases if case.applies(facts))
