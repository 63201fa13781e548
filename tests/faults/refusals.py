"""The cases in which the provider may fail with advice instead of succeeding, their reasons, and the advice."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from clouddb_tools.sandbox.faults import FaultKind
from codegen.evidence import proofs
from pulumi_clouddb.engine.wire.secret import strip
from pulumi_clouddb.schema.vocabulary import VocabularyName

from .case import Case
from .subjects import Subject

_FILE = re.compile(r"/\S+\.json")


@dataclass(frozen=True)
class Reason:
    """A reason for which the provider may fail with advice.

    Attributes:
        why: The reason in words.
        holds: Returns whether it applies to a case.
        message: A part of the error message.
    """

    why: str
    holds: Callable[[Case], bool]
    message: str


def _unmarked(case: Case) -> bool:
    """Return whether the created object has no mark."""
    return case.setup.subject.resource not in MARKABLE or case.setup.dialect == VocabularyName.NEUTRAL.value


def found_after_a_death(subject: Subject, dialect: str) -> bool:
    """Return whether the next run adopts an object of a run that died; services and keys need a mark for that.

    Their secrets are lost with the response, and a reset of a password or the deletion of a key needs certainty.
    """
    return subject.resource not in MARKABLE or dialect != VocabularyName.NEUTRAL.value


RESPONSE_LOST = frozenset([*FaultKind][[*FaultKind].index(FaultKind.COMMIT_LATE) :])
"""The kinds of faults in which a request is carried out, and its response is not usable."""

OF_VERSIONS = frozenset({"version", "publishedVersion", "older"})
"""The properties of a function that differ if one more version was published."""


def may_publish_again(case: Case) -> bool:
    """Return whether an update may publish two versions of a function.

    No version shows its code, so that none proves that it is the lost one, and a version too many does no harm
    (docs/reliability.md).
    """
    lost = case.request == "publish_user_defined_function" and case.fault.kind in RESPONSE_LOST
    updates = case.setup.subject.resource == "UserDefinedFunction" and case.setup.operation == "update"
    return updates and (lost or case.fault.kill or not case.fault.kind)


MARKABLE = ("Service", "PostgresService", "ApiKey")

_PROOFS = {(proof.resource, proof.dialect.value): proof for proof in proofs()}


def is_proven(subject: Subject, dialect: str) -> bool:
    """Return whether responses prove the origin of an object: they contain its age and everything that was sent."""
    proof = _PROOFS.get((subject.resource, dialect))
    return proof is None or bool(proof.mark) or (proof.is_dated and not proof.carried(strip(subject.before)))


CREATING = ("create", "replace")
"""The operations that create an object while the fault happens."""

REASONS = (
    Reason(
        "Its response is lost, and its record lacks the time of creation, or a property that was sent.",
        lambda case: not is_proven(case.setup.subject, case.setup.dialect) and case.setup.operation in CREATING,
        "nothing proves",
    ),
    Reason(
        "Another user created a service of that name, and a second one needs allowDuplicateName.",
        lambda case: case.setup.subject.resource in ("Service", "PostgresService") and bool(case.fault.other_user),
        "exists already",
    ),
    Reason(
        "Another user created an equal object at the same time, and the provider's object has no mark.",
        lambda case: bool(case.fault.other_user) and _unmarked(case),
        "nothing proves",
    ),
    Reason(
        "It was carried out after the end of the run that requested it, and has no mark.",
        lambda case: case.fault.name in ("late", "kill-late") and _unmarked(case),
        "nothing proves",
    ),
    Reason(
        "The server carried it out, but returned an error, and it has no mark.",
        lambda case: (
            case.fault.name.startswith("commit-429") and not found_after_a_death(case.setup.subject, case.setup.dialect)
        ),
        "nothing proves",
    ),
    Reason(
        "Only a list shows whether a webhook is gone, and names are unique.",
        lambda case: (
            case.setup.subject.resource == "Webhook" and case.setup.operation == "refresh" and case.fault.kind == "lag"
        ),
        "exists already",
    ),
    Reason(
        "The run that created it died, and it has no mark.",
        lambda case: case.fault.kill and not found_after_a_death(case.setup.subject, case.setup.dialect),
        "nothing proves",
    ),
    Reason(
        "The run that created it died before it wrote state, and it has no mark.",
        lambda case: (
            case.fault.name == "state-lost" and not found_after_a_death(case.setup.subject, case.setup.dialect)
        ),
        "nothing proves",
    ),
)
"""All reasons."""


def reason(case: Case, error: str) -> str:
    """Return the reason for which a case may fail with this error; empty if it may not."""
    return next((each.why for each in REASONS if each.holds(case) and each.message in error), "")


@dataclass(frozen=True)
class Advice:
    """The advice of an error.

    Attributes:
        ids: Ids of the objects that it names.
        files: Files that it advises to delete.
        allow_duplicate: Whether it advises to allow a second object of the name.
    """

    ids: frozenset[str]
    files: tuple[Path, ...]
    allow_duplicate: bool

    @classmethod
    def of(cls, error: str, known: frozenset[str]) -> Advice:
        """Parse the advice of an error, with the ids of all existing objects."""
        files = tuple(Path(name) for name in _FILE.findall(error))
        allow = any(f"set {name}" in error for name in ("allowDuplicateName", "allow_duplicate_name"))
        return cls(frozenset(each for each in known if each in error), files, allow)
