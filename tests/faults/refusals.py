"""Where the provider may refuse instead of reaching the good end, why, and the ways on that a refusal must offer."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from codegen.evidence import proofs
from pulumi_clouddb.engine.wire.secret import strip
from pulumi_clouddb.schema.vocabulary import VocabularyName

from .case import Case
from .subjects import Subject

_FILE = re.compile(r"/\S+\.json")


@dataclass(frozen=True)
class Reason:
    """One reason to refuse.

    Attributes:
        why: It, in words.
        holds: Tells the cases in which it holds.
        says: What the refusal says.
    """

    why: str
    holds: Callable[[Case], bool]
    says: str


def _unmarked(case: Case) -> bool:
    """Return whether what is created can carry no mark of its create."""
    return case.setup.subject.resource not in MARKABLE or case.setup.dialect == VocabularyName.NEUTRAL.value


def found_after_a_death(subject: Subject, dialect: str) -> bool:
    """Return whether the next run finds what a run made that died: services and keys need a mark for that.

    Their passwords and secrets are lost with the response, and who resets one or deletes a key must be certain.
    """
    return subject.resource not in MARKABLE or dialect != VocabularyName.NEUTRAL.value


MARKABLE = ("Service", "PostgresService", "ApiKey")

_PROOFS = {(proof.resource, proof.dialect.value): proof for proof in proofs()}


def is_proven(subject: Subject, dialect: str) -> bool:
    """Return whether responses prove that an object is ours: they show its age, and all that was sent."""
    proof = _PROOFS.get((subject.resource, dialect))
    return proof is None or bool(proof.mark) or (proof.is_dated and not proof.carried(strip(subject.before)))


REASONS = (
    Reason(
        "Its response is lost, and its record does not show when it was created, or all that was sent.",
        lambda case: not is_proven(case.setup.subject, case.setup.dialect) and case.setup.operation == "create",
        "nothing proves",
    ),
    Reason(
        "Somebody has made a service of that name, and a second one is not made unless asked for.",
        lambda case: case.setup.subject.resource in ("Service", "PostgresService") and bool(case.trouble.stranger),
        "exists already",
    ),
    Reason(
        "Somebody has made an object of the same name and form at the same time, and it can carry no mark of ours.",
        lambda case: bool(case.trouble.stranger) and _unmarked(case),
        "nothing proves",
    ),
    Reason(
        "It was carried out when the run that asked for it had ended, and it can carry no mark of ours.",
        lambda case: case.trouble.name in ("late", "kill-late") and _unmarked(case),
        "nothing proves",
    ),
    Reason(
        "The server carried it out and said that it had not, and it carries no mark.",
        lambda case: (
            case.trouble.name.startswith("commit-429")
            and not found_after_a_death(case.setup.subject, case.setup.dialect)
        ),
        "nothing proves",
    ),
    Reason(
        "A list without it is all that tells that a webhook is gone, and servers have one of a name.",
        lambda case: (
            case.setup.subject.resource == "Webhook"
            and case.setup.operation == "refresh"
            and case.trouble.kind == "lag"
        ),
        "exists already",
    ),
    Reason(
        "The run that made it has died, and it carries no mark.",
        lambda case: case.trouble.kill and not found_after_a_death(case.setup.subject, case.setup.dialect),
        "nothing proves",
    ),
    Reason(
        "The run that made it has died before it wrote state, and it carries no mark.",
        lambda case: (
            case.trouble.name == "state-lost" and not found_after_a_death(case.setup.subject, case.setup.dialect)
        ),
        "nothing proves",
    ),
)
"""All of them."""


def reason(case: Case, error: str) -> str:
    """Return why a case may refuse with this error; empty where it may not."""
    return next((each.why for each in REASONS if each.holds(case) and each.says in error), "")


@dataclass(frozen=True)
class Advice:
    """What a refusal says to do.

    Attributes:
        ids: Ids of the objects that it names.
        files: Files that it says to delete.
        allow_duplicate: Whether it says to allow a second one of the name.
    """

    ids: frozenset[str]
    files: tuple[Path, ...]
    allow_duplicate: bool

    @classmethod
    def of(cls, error: str, known: frozenset[str]) -> Advice:
        """Read the advice of an error, given the ids of all objects there are."""
        files = tuple(Path(name) for name in _FILE.findall(error))
        allow = any(f"set {name}" in error for name in ("allowDuplicateName", "allow_duplicate_name"))
        return cls(frozenset(each for each in known if each in error), files, allow)
