"""What can go wrong with one request: the sandbox's faults, each with where it applies, and what happens beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from clouddb_tools.sandbox.faults import FaultKind
from pulumi_clouddb.client.operation import Operation
from pulumi_clouddb.registry import OPERATIONS

Applies = Callable[[Operation], bool]
LATE_SECONDS = 0.8
"""When a request whose sender has gone is carried out after all."""


@dataclass(frozen=True)
class Trouble:
    """One thing that goes wrong with one request.

    Attributes:
        name: Its name in the ids of cases.
        kind: The sandbox's kind of fault; empty for none.
        details: The fault's details.
        applies: Tells the operations that it can happen to.
        lasting: Whether it goes on until the run ends; otherwise it happens once.
        kill: Whether the provider process is killed as soon as the fault is there.
        stranger: When a colleague makes an object of that name: never, `after` the run, or `during` the request.
    """

    name: str
    kind: str
    details: Mapping[str, Any] = field(default_factory=dict)
    applies: Applies = lambda operation: True
    lasting: bool = False
    kill: bool = False
    stranger: str = ""

    def fits(self, operation: str) -> bool:
        """Return whether it can happen to an operation."""
        found = OPERATIONS[operation]
        return self.applies(found) and (not self.kind or FaultKind(self.kind).applies_to(found))

    def __str__(self) -> str:
        """Name it."""
        return self.name


def writes(operation: Operation) -> bool:
    """Tell operations that change something."""
    return operation.writes


def posts(operation: Operation) -> bool:
    """Tell operations that create something."""
    return operation.method == "POST"


def _statuses() -> Iterator[Trouble]:
    for form, statuses in (
        ("json", (400, 401, 403, 409, 500, 503)),
        ("text", (400, 500, 504)),
        ("html", (404, 502)),
    ):
        for status in statuses:
            yield Trouble(f"{status}-{form}", "status", {"status": status, "form": form})
    for form, status in (("json", 500), ("text", 503), ("html", 502), ("json", 429)):
        details = {"status": status, "form": form}
        yield Trouble(f"commit-{status}-{form}", "commit_then_status", details, writes)


ONCE = (
    Trouble("reset", "refuse"),
    Trouble("hang", "hang"),
    Trouble("lose", "lose"),
    Trouble("commit-hang", "commit_then_hang", applies=writes),
    Trouble("late", "commit_late", {"wait": LATE_SECONDS}, writes),
    Trouble("429", "rate_limit", {"reset": 1}),
    Trouble("429-bare", "rate_limit", {"reset": None}),
    Trouble("404-json", "not_found"),
    *_statuses(),
    *(
        Trouble(f"redirect-{status}", "redirect", {"status": status, "location": "http://127.0.0.1:9/elsewhere"})
        for status in (301, 302, 307, 308)
    ),
    Trouble("empty", "empty"),
    Trouble("truncated", "truncated"),
    Trouble("half", "broken_json"),
    Trouble("huge", "huge"),
    Trouble("drip", "drip", {"wait": 0.3}),
    Trouble("drip-headers", "drip", {"wait": 0.3, "headers": True}),
    Trouble("malformed", "malformed"),
    Trouble("wrong-types", "wrong_types"),
    Trouble("no-id", "no_id"),
    Trouble("null-id", "null_id"),
    Trouble("null-result", "null_result"),
)
"""Each happens once; what is repeated may heal."""

HEALED_BY_WAITING = frozenset({"429", "429-bare", "late"})
"""These would be waited for as long as they last."""

LASTING = tuple(
    replace(each, name=f"{each.name}-on", lasting=True) for each in ONCE if each.name not in HEALED_BY_WAITING
)
"""Each happens to every such request from there on."""

LAGGING = Trouble("lag", "lag", {"wait": 0.2, "seconds": 30})
"""A list that does not show what is new."""

KILLS = (
    Trouble("kill-before", "hang", kill=True),
    Trouble("kill-after", "commit_then_hang", applies=writes, kill=True),
    Trouble("kill-late", "delay", {"wait": LATE_SECONDS}, writes, kill=True),
)
"""The provider process dies while the request is under way."""

STRANGERS = tuple(
    replace(each, name=f"{each.name}-stranger", stranger="after", applies=posts)
    for each in (
        Trouble("reset", "refuse", lasting=True),
        Trouble("500-json", "status", {"status": 500}),
        Trouble("lose", "lose"),
        Trouble("kill-before", "hang", kill=True),
        Trouble("kill-after", "commit_then_hang", kill=True),
    )
)
"""A colleague makes objects of the same name after it: one of another form at once, one of the same form later."""

DURING = Trouble("lose-stranger-during", "lose", applies=posts, stranger="during")
"""A colleague makes one of the same form while the request is under way: nothing tells which is whose."""

STATE_LOST = Trouble("state-lost", "")
"""The operation succeeds, but the engine dies before it writes that down."""

NO_SERVER = Trouble("refused", "")
"""Nobody listens."""

ALL = (*ONCE, *LASTING, LAGGING, *KILLS, *STRANGERS, DURING)
"""All that happen to one request."""

WHOLE = (STATE_LOST, NO_SERVER)
"""All that happen to a whole command."""
