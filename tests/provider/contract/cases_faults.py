"""Faults that are alike for every resource: refusals, lost responses, pages, rate limits, failed reads."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from lives.table import WIRE_LIVES
from lives.wire import WireLife

from .case import Case
from .cases_lives import SAME, case
from .steps import create, delete, diff, fault, later_command, refresh, update

DIFFERENT_CODE = ("service", "scaling of a stream pipe", "created key", "adopted key", "self-hosted dashboard", "alert")
"""Each other life uses the same code as one of these."""

READS_AFTER_IT = ("service", "scaling of a stream pipe", "created key", "adopted key")
"""Lives whose object is read after a lost response to an update; others leave the repetition to the next run."""

ALSO_IN_PROCESS = ("created key", "adopted key", "self-hosted dashboard")
"""Lives whose requests tests/provider/create and the simulation also lose, refuse and break."""

REFUSED = {"status": 400, "text": "BAD_REQUEST: no"}


@dataclass(frozen=True)
class Fault:
    """A fault, its details, and the expected error; None if the operation succeeds."""

    name: str
    kind: str
    details: dict[str, Any]
    fails: str | None = None


CREATE = (
    Fault("is refused", "status", REFUSED, "BAD_REQUEST: no"),
    Fault("gets a page", "html", {"status": 404}, "."),
    Fault("loses its response", "lose", {}),
    Fault("is carried out and gets an error", "commit_then_status", {"status": 500}),
    Fault("gets a truncated response", "broken_json", {}),
)
UNREADABLE = "200 returned a body of type"


def of(life: WireLife) -> list[Case]:
    """Return the cases of one life with a fault."""
    creating, updating, deleting, reading = life.operations
    reads = life.name in READS_AFTER_IT
    return [
        *(
            case(
                life,
                f"a create that {each.name}",
                fault(creating, each.kind, **each.details),
                create(life.before, fails=each.fails),
                *([] if each.fails else [diff(life.before, **SAME)]),
            )
            for each in CREATE
        ),
        case(
            life,
            "an update that is refused, then gets a truncated response, and a delete that is refused",
            create(life.before),
            fault(updating, "status", **REFUSED),
            update(life.after, fails="BAD_REQUEST: no"),
            fault(updating, "broken_json"),
            update(life.after, fails=None if reads else UNREADABLE),
            fault(deleting, "status", **REFUSED),
            delete(fails="BAD_REQUEST: no"),
        ),
        case(
            life,
            "a failed or malformed read does not mean that the object is gone",
            create(life.before),
            later_command(),
            fault(reading, "status", status=500, text="no"),
            refresh(fails="500"),
            fault(reading, "malformed"),
            refresh(fails="."),
        ),
    ]


CASES = [
    replace(each, slow=life.name in ALSO_IN_PROCESS)
    for life in WIRE_LIVES
    if life.name in DIFFERENT_CODE
    for each in of(life)
]
