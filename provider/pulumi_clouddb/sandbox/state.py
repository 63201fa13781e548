"""Everything a sandbox is made of, passed to every handler; there is no other state."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pulumi_clouddb.client.dialect import DIALECTS, Dialect
from pulumi_clouddb.client.operation import Operation, ServerKind
from pulumi_clouddb.schema.config import MANAGEMENT_LIMIT, SELF_HOSTED_LIMIT
from pulumi_clouddb.schema.rules import RuleContext

from .faults import Faults
from .ids import Ids
from .log import Log
from .settings import Clock, Latency, Settings
from .store import Document, Kept, Store

SELF_HOSTED = "self-hosted"
"""The parent of the self-hosted server's objects; that of managed ones is the service's id."""


@dataclass(frozen=True)
class Identity:
    """Who the sandbox belongs to, and the credentials it starts with; they survive in the file."""

    organizationId: str  # noqa: N815  # as in the configuration
    keyId: str  # noqa: N815
    keySecret: str  # noqa: N815
    stackToken: str  # noqa: N815
    teamId: str  # noqa: N815


# -- the request limits of the vendor's servers, counted in fixed windows ----------------------------------------------


@dataclass(frozen=True)
class Usage:
    """What one caller has left.

    Attributes:
        allowed: Whether this request is still within the limit.
        limit: Requests per window.
        remaining: Requests left in this window.
        reset: Seconds until the window ends.
    """

    allowed: bool
    limit: int
    remaining: int
    reset: int

    @property
    def headers(self) -> dict[str, str]:
        """The headers that the self-hosted server puts on every response."""
        named = {"Limit": self.limit, "Remaining": self.remaining, "Reset": self.reset}
        return {f"RateLimit-{name}": str(value) for name, value in named.items()}


class Window:
    """Counts requests of each caller in windows that begin with the caller's first request."""

    def __init__(self, limit: int, seconds: float) -> None:
        self.limit = limit
        self.seconds = seconds
        self._callers: dict[str, tuple[float, int]] = {}

    def consume(self, caller: str, now: float) -> Usage:
        """Count one request of `caller`."""
        begun, count = self._callers.get(caller, (now, 0))
        if now >= begun + self.seconds:
            begun, count = now, 0
        self._callers[caller] = (begun, count + 1)
        reset = math.ceil(begun + self.seconds - now)
        return Usage(count < self.limit, self.limit, max(0, self.limit - count - 1), reset)


def _windows() -> Mapping[ServerKind, Window]:
    return {
        ServerKind.MANAGEMENT: Window(*MANAGEMENT_LIMIT),
        ServerKind.SELF_HOSTED: Window(*SELF_HOSTED_LIMIT),
    }


@dataclass(frozen=True)
class LateCommit:
    """A request that will be carried out although nobody waits for its response any more.

    Attributes:
        at: When, in seconds since 1970.
        carry_out: Does what was asked for, or raises `HTTPError`.
    """

    at: float
    carry_out: Callable[[], object]


@dataclass
class SandboxState:
    """The state and the switches of one sandbox."""

    settings: Settings
    identity: Identity
    store: Store
    clock: Clock
    latency: Latency
    ids: Ids
    furnish: Callable[[SandboxState], None]
    faults: Faults = field(default_factory=Faults)
    log: Log = field(default_factory=Log)
    late: list[LateCommit] = field(default_factory=list)
    windows: Mapping[ServerKind, Window] = field(default_factory=_windows)
    snapshots: dict[str, Kept] = field(default_factory=dict)

    def reset(self) -> None:
        """Make it new again: only the credentials, the clock, the settings and the snapshots stay."""
        with self.store.transaction():
            self.store.clear()
            self.furnish(self)
        self.faults.clear()
        self.log.forget()
        self.late.clear()
        self.latency, self.windows = self.settings.latency, _windows()

    @property
    def dialect(self) -> Dialect:
        """The words on the wire."""
        return DIALECTS[self.settings.vocabulary]

    @property
    def context(self) -> RuleContext:
        """What rules between fields depend on."""
        settings = self.settings
        return RuleContext(settings.paid, settings.organization_tier.value, settings.vocabulary)


@dataclass(frozen=True)
class Call:
    """One request, read and authenticated.

    Attributes:
        operation: What is asked for.
        params: Path parameters.
        query: Query parameters.
        body: Parsed JSON, or None.
        key: Record of the key that asks; None on the self-hosted server.
        hidden_for: Seconds during which a list does not show what was created.
        origin: The address that the request was sent to.
    """

    operation: Operation
    params: Mapping[str, str]
    query: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    key: Document | None = None
    hidden_for: float = 0.0
    origin: str = ""

    @property
    def stack(self) -> str:
        """Which stack is meant: a service's, or the self-hosted one."""
        return self.params.get("serviceId", SELF_HOSTED)


def new_identity(ids: Ids) -> Identity:
    """Return fresh credentials, in the shape of the vendor's."""
    return Identity(
        organizationId=ids.uuid(),
        keyId=ids.text(20),
        keySecret=ids.text(42),
        stackToken=ids.uuid(),
        teamId=ids.object_id(),
    )
