"""The faults of one request: the sandbox's faults, the operations they apply to, and events at the same time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from clouddb_tools.sandbox.faults import FaultKind
from pulumi_clouddb.client.operation import Operation
from pulumi_clouddb.registry import OPERATIONS

Applies = Callable[[Operation], bool]
LATE_SECONDS = 0.8
"""Delay of a request that is carried out after its sender has gone."""


@dataclass(frozen=True)
class Fault:
    """A fault of one request.

    Attributes:
        name: Its name in the ids of cases.
        kind: The sandbox's kind of fault; empty for none.
        details: The arguments of the sandbox's fault.
        applies: Returns whether it can happen to an operation.
        lasting: Whether it lasts until the run ends; otherwise it happens once.
        kill: Whether the provider process is killed at the fault.
        other_user: When another user creates an object of the same name: `during` the request, or `after` the run;
            empty for never.
    """

    name: str
    kind: str
    details: Mapping[str, Any] = field(default_factory=dict)
    applies: Applies = lambda operation: True
    lasting: bool = False
    kill: bool = False
    other_user: str = ""

    def fits(self, operation: str) -> bool:
        """Return whether it can happen to an operation."""
        declared = OPERATIONS[operation]
        return self.applies(declared) and (not self.kind or FaultKind(self.kind).applies_to(declared))

    def __str__(self) -> str:
        """Return its name."""
        return self.name


def writes(operation: Operation) -> bool:
    """Return whether an operation changes something."""
    return operation.writes


def posts(operation: Operation) -> bool:
    """Return whether an operation is a POST."""
    return operation.method == "POST"


def _statuses() -> Iterator[Fault]:
    for form, statuses in (
        ("json", (400, 401, 403, 409, 500, 503)),
        ("text", (400, 500, 504)),
        ("html", (404, 502)),
    ):
        for status in statuses:
            yield Fault(f"{status}-{form}", "status", {"status": status, "form": form})
    for form, status in (("json", 500), ("text", 503), ("html", 502), ("json", 429)):
        details = {"status": status, "form": form}
        yield Fault(f"commit-{status}-{form}", "commit_then_status", details, writes)


ONCE = (
    Fault("reset", "refuse"),
    Fault("hang", "hang"),
    Fault("lose", "lose"),
    Fault("commit-hang", "commit_then_hang", applies=writes),
    Fault("late", "commit_late", {"wait": LATE_SECONDS}, writes),
    Fault("429", "rate_limit", {"reset": 1}),
    Fault("429-bare", "rate_limit", {"reset": None}),
    Fault("404-json", "not_found"),
    *_statuses(),
    *(
        Fault(f"redirect-{status}", "redirect", {"status": status, "location": "http://127.0.0.1:9/elsewhere"})
        for status in (301, 302, 307, 308)
    ),
    Fault("empty", "empty"),
    Fault("truncated", "truncated"),
    Fault("half", "broken_json"),
    Fault("huge", "huge"),
    Fault("drip", "drip", {"wait": 0.3}),
    Fault("drip-headers", "drip", {"wait": 0.3, "headers": True}),
    Fault("malformed", "malformed"),
    Fault("wrong-types", "wrong_types"),
    Fault("no-id", "no_id"),
    Fault("null-id", "null_id"),
    Fault("null-result", "null_result"),
)
"""Faults that happen once; a retry can succeed."""

HEALED_BY_WAITING = frozenset({"429", "429-bare", "late"})
"""Faults that are retried as long as they last."""

LASTING = tuple(
    replace(each, name=f"{each.name}-on", lasting=True) for each in ONCE if each.name not in HEALED_BY_WAITING
)
"""Faults of every such request from the first one on."""

LAGGING = Fault("lag", "lag", {"wait": 0.2, "seconds": 30})
"""A list that omits new objects."""

KILLS = (
    Fault("kill-before", "hang", kill=True),
    Fault("kill-after", "commit_then_hang", applies=writes, kill=True),
    Fault("kill-late", "delay", {"wait": LATE_SECONDS}, writes, kill=True),
)
"""The provider process is killed during the request."""

OTHER_USER = tuple(
    replace(each, name=f"{each.name}-stranger", other_user="after", applies=posts)
    for each in (
        Fault("reset", "refuse", lasting=True),
        Fault("500-json", "status", {"status": 500}),
        Fault("lose", "lose"),
        Fault("kill-before", "hang", kill=True),
        Fault("kill-after", "commit_then_hang", kill=True),
    )
)
"""Another user creates objects of the same name afterwards: a different one at once, an equal one later."""

DURING = Fault("lose-stranger-during", "lose", applies=posts, other_user="during")
"""Another user creates an equal object during the request, so their origin is unknown."""

STATE_LOST = Fault("state-lost", "")
"""The operation succeeds, but the engine dies before it writes state."""

NO_SERVER = Fault("refused", "")
"""No server listens."""

ALL = (*ONCE, *LASTING, LAGGING, *KILLS, *OTHER_USER, DURING)
"""All faults of one request."""

WHOLE = (STATE_LOST, NO_SERVER)
"""All faults of a whole command."""
