"""Derives the cases: a run without faults determines the requests of each setup; each gets every possible fault."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from clouddb_tools.sandbox.faults import AFTER
from pulumi_clouddb.registry import OPERATIONS

from .case import COMMANDS, CREATES, DIALECTS, Case, Setup
from .fault import ALL, WHOLE, Fault
from .front_ends import FRONT_ENDS
from .play import Baseline
from .refusals import found_after_a_death, is_proven
from .subjects import SUBJECTS

OF_RESPONSES = {kind.value for kind in AFTER}
"""Faults of a response to a request that was carried out."""
MIN_ERROR_STATUS = 400
OF_ALL = ("update", "refresh", "delete")
"""Operations on objects that a resource only adopts, in addition to the create."""


def setups(dialect: str) -> list[Setup]:
    """Return all setups of a dialect; objects of self-hosted servers are tested in one dialect only."""
    return [
        Setup(subject, dialect, operation, front_end)
        for subject in SUBJECTS.values()
        if subject.is_known(dialect)
        if dialect == DIALECTS[0] or not subject.hosted or not subject.is_known(DIALECTS[0])
        for operation in COMMANDS
        if not subject.operations or operation in subject.operations
        if operation in ("create", *OF_ALL) or not subject.stays
        if operation != "replace" or subject.replacement
        if operation != "create-resumed" or found_after_a_death(subject, dialect)
        if operation not in CREATES[1:] or is_proven(subject, dialect)
        for front_end in FRONT_ENDS
    ]


def cases(setup: Setup, baseline: Baseline) -> Iterator[Case]:
    """Return the cases of a setup, from the requests of its run without faults."""
    if setup.operation in CREATES[1:]:
        yield from _of_requests(setup, baseline, after=setup.subject.create_operation)
        return
    for fault in WHOLE:
        if not (fault.name == "state-lost" and setup.operation == "refresh"):
            yield Case(setup, fault)
    yield from _of_requests(setup, baseline)


def _of_requests(setup: Setup, baseline: Baseline, *, after: str = "") -> Iterator[Case]:
    """Return the cases of each request; with `after`, of the requests after the first one of that operation."""
    before: Counter[str] = Counter()
    for place, (request, status) in enumerate(baseline.requests, 1):
        if not after or before[after] or setup.operation == "create-resumed":
            for fault in ALL:
                if _makes_sense(setup, fault, request, status):
                    yield Case(setup, fault, place, request, before[request])
        before[request] += 1


def _makes_sense(setup: Setup, fault: Fault, request: str, status: int) -> bool:
    if fault.other_user and setup.operation != "create":
        return False
    if fault.lasting and setup.operation in CREATES[1:]:
        return False
    if fault.kind in OF_RESPONSES and status >= MIN_ERROR_STATUS:
        return False
    # A 404 for the object itself, in the API's own form, means that it is gone.
    operation = OPERATIONS[request]
    if fault.kind == "not_found" and not operation.lists:
        return setup.operation not in ("refresh", "delete") and operation.method != "DELETE"
    return fault.fits(request)
