"""What goes wrong on the way, alike for every resource: refusals, lost answers, pages, rate limits, failed reads."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from lives.table import WIRE_LIVES
from lives.wire import WireLife

from .case import Case
from .cases_lives import SAME, case
from .steps import create, delete, diff, fault, later_command, refresh, update

DIFFERENT_CODE = ("service", "scaling of a stream pipe", "created key", "adopted key", "self-hosted dashboard", "alert")
"""The other lives go through the same code as one of these."""

LOOKS_AFTER_IT = ("service", "scaling of a stream pipe", "created key", "adopted key")
"""An update whose answer is lost is read again here; a full replacement is simply sent again by the next run."""

ALSO_IN_PROCESS = ("created key", "adopted key", "self-hosted dashboard")
"""tests/provider/create and the simulation lose, refuse and break the requests of these, too."""

REFUSED = {"status": 400, "text": "BAD_REQUEST: no"}


@dataclass(frozen=True)
class Fault:
    """One fault, its details, and what the user is told; nothing where it heals."""

    name: str
    kind: str
    details: dict[str, Any]
    fails: str | None = None


CREATE = (
    Fault("is refused", "status", REFUSED, "BAD_REQUEST: no"),
    Fault("meets a page", "html", {"status": 404}, "."),
    Fault("loses the answer", "lose", {}),
    Fault("is carried out and answered with an error", "commit_then_status", {"status": 500}),
    Fault("is answered with half an answer", "broken_json", {}),
)
HALF = "200 returned a body of type"


def of(life: WireLife) -> list[Case]:
    """Return the cases of one life in which something goes wrong."""
    creating, updating, deleting, reading = life.operations
    looks = life.name in LOOKS_AFTER_IT
    return [
        *(
            case(
                life,
                f"a creation that {each.name}",
                fault(creating, each.kind, **each.details),
                create(life.before, fails=each.fails),
                *([] if each.fails else [diff(life.before, **SAME)]),
            )
            for each in CREATE
        ),
        case(
            life,
            "an update that is refused, then answered with half an answer, and a delete that is refused",
            create(life.before),
            fault(updating, "status", **REFUSED),
            update(life.after, fails="BAD_REQUEST: no"),
            fault(updating, "broken_json"),
            update(life.after, fails=None if looks else HALF),
            fault(deleting, "status", **REFUSED),
            delete(fails="BAD_REQUEST: no"),
        ),
        case(
            life,
            "a read that fails, and one that is answered with something else, is no object that is gone",
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
