"""Deriving the cases: a calm run of each setup tells its requests; each gets every trouble that applies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from pulumi_clouddb.sandbox.faults import AFTER, FaultKind

from .case import COMMANDS, DIALECTS, Case, Setup
from .front_ends import FRONT_ENDS
from .play import End
from .subjects import SUBJECTS
from .troubles import ALL, WHOLE

OFFERED = {kind.value for kind in FaultKind}
OF_ANSWERS = {kind.value for kind in AFTER}
"""Faults of the answer to what was done; a refusal is none."""
LEAST_REFUSAL = 400


def setups(dialect: str) -> list[Setup]:
    """Return all setups of a dialect; the self-hosted surface knows only one."""
    return [
        Setup(subject, dialect, operation, front_end)
        for subject in SUBJECTS.values()
        if dialect == DIALECTS[0] or not subject.hosted
        for operation in COMMANDS
        for front_end in FRONT_ENDS
    ]


def cases(setup: Setup, end: End) -> Iterator[Case]:
    """Return the cases of a setup, whose calm run sent `end.requests`."""
    for trouble in WHOLE:
        if not (trouble.name == "state-lost" and setup.operation == "refresh"):
            yield Case(setup, trouble)
    before: Counter[str] = Counter()
    for place, (request, status) in enumerate(end.requests, 1):
        for trouble in ALL:
            alone = not trouble.stranger or setup.operation == "create"
            happens = trouble.kind not in OF_ANSWERS or status < LEAST_REFUSAL
            if alone and happens and trouble.kind in OFFERED and trouble.fits(request):
                yield Case(setup, trouble, place, request, before[request])
        before[request] += 1
