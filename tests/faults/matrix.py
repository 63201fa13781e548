"""Deriving the cases: a calm run of each setup tells its requests; each gets every trouble that applies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from clouddb_tools.sandbox.faults import AFTER
from pulumi_clouddb.registry import OPERATIONS

from .case import COMMANDS, CREATES, DIALECTS, Case, Setup
from .front_ends import FRONT_ENDS
from .play import End
from .refusals import found_after_a_death, is_proven
from .subjects import SUBJECTS
from .troubles import ALL, WHOLE, Trouble

OF_ANSWERS = {kind.value for kind in AFTER}
"""Faults of the answer to what was done; a refusal is none."""
LEAST_REFUSAL = 400
OF_ALL = ("update", "refresh", "delete")
"""What there is of objects that are only adopted, beside the create that is none."""


def setups(dialect: str) -> list[Setup]:
    """Return all setups of a dialect; what lives on a self-hosted server is played in one of them."""
    return [
        Setup(subject, dialect, operation, front_end)
        for subject in SUBJECTS.values()
        if subject.is_known(dialect)
        if dialect == DIALECTS[0] or not subject.hosted or not subject.is_known(DIALECTS[0])
        for operation in COMMANDS
        if not subject.operations or operation in subject.operations
        if operation in ("create", *OF_ALL) or not subject.stays
        if operation != "create-resumed" or found_after_a_death(subject, dialect)
        if operation not in CREATES[1:] or is_proven(subject, dialect)
        for front_end in FRONT_ENDS
    ]


def cases(setup: Setup, end: End) -> Iterator[Case]:
    """Return the cases of a setup, whose calm run sent `end.requests`."""
    if setup.operation in CREATES[1:]:
        yield from _of_requests(setup, end, after=setup.subject.create_operation)
        return
    for trouble in WHOLE:
        if not (trouble.name == "state-lost" and setup.operation == "refresh"):
            yield Case(setup, trouble)
    yield from _of_requests(setup, end)


def _of_requests(setup: Setup, end: End, *, after: str = "") -> Iterator[Case]:
    """Return the cases of each request; where the way to it is long, of those after the first one of an operation."""
    before: Counter[str] = Counter()
    for place, (request, status) in enumerate(end.requests, 1):
        if not after or before[after] or setup.operation == "create-resumed":
            for trouble in ALL:
                if _makes_sense(setup, trouble, request, status):
                    yield Case(setup, trouble, place, request, before[request])
        before[request] += 1


def _makes_sense(setup: Setup, trouble: Trouble, request: str, status: int) -> bool:
    if trouble.stranger and setup.operation != "create":
        return False
    if trouble.lasting and setup.operation in CREATES[1:]:
        return False
    if trouble.kind in OF_ANSWERS and status >= LEAST_REFUSAL:
        return False
    # A 404 in the API's own form about the object itself is the server's word that it is gone (rule 5 of the design).
    operation = OPERATIONS[request]
    if trouble.kind == "not_found" and not operation.lists:
        return setup.operation not in ("refresh", "delete") and operation.method != "DELETE"
    return trouble.fits(request)
