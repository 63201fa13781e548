"""The state of a sandbox, which every handler receives; there is no global state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from clouddb_tools.release import NEWEST, Release
from pulumi_clouddb.client.dialect import DIALECTS, Dialect
from pulumi_clouddb.client.operation import Operation, ServerKind
from pulumi_clouddb.schema.check.rules import RuleContext

from .faults import Faults
from .ids import Ids
from .log import Log
from .rate_limit import Window, windows
from .settings import Clock, Latency, Settings
from .store import Document, Snapshot, Store

SELF_HOSTED = "self-hosted"
"""The parent of the self-hosted server's objects; managed objects have the service's id as parent."""

USER, EMAIL = "Admin", "admin@example.com"
EPOCH = "2024-01-01T00:00:00.000Z"
"""When the organization and its user were created."""


@dataclass(frozen=True)
class Identity:
    """The organization and the initial credentials; the file keeps them."""

    organizationId: str  # noqa: N815  # as in the configuration
    keyId: str  # noqa: N815
    keySecret: str  # noqa: N815
    stackToken: str  # noqa: N815
    teamId: str  # noqa: N815


@dataclass(frozen=True)
class LateCommit:
    """A request that takes effect after its response was sent or its connection closed.

    Attributes:
        at: When it takes effect, in seconds since 1970.
        carry_out: Calls the handler; raises `HTTPError` if the request is refused.
    """

    at: float
    carry_out: Callable[[], object]


@dataclass
class SandboxState:
    """The state of one sandbox."""

    settings: Settings
    identity: Identity
    store: Store
    clock: Clock
    latency: Latency
    ids: Ids
    add_initial_objects: Callable[[SandboxState], None]
    faults: Faults = field(default_factory=Faults)
    log: Log = field(default_factory=Log)
    late: list[LateCommit] = field(default_factory=list)
    windows: Mapping[ServerKind, Window] = field(default_factory=windows)
    snapshots: dict[str, Snapshot] = field(default_factory=dict)
    release: Release = field(init=False)

    def __post_init__(self) -> None:
        """Start with the release of the settings."""
        self.release = self.settings.release

    def reset(self) -> None:
        """Restore the initial state; only credentials, clock, settings and snapshots are kept."""
        with self.store.transaction():
            self.store.clear()
            self.add_initial_objects(self)
        self.faults.clear()
        self.log.forget()
        self.late.clear()
        self.latency, self.release, self.windows = self.settings.latency, self.settings.release, windows()

    @property
    def is_newest(self) -> bool:
        """Whether responses have the forms of the newest release."""
        return self.release is NEWEST

    @property
    def dialect(self) -> Dialect:
        """The dialect on the wire."""
        return DIALECTS[self.settings.vocabulary]

    @property
    def context(self) -> RuleContext:
        """The context of rules over several fields."""
        settings = self.settings
        return RuleContext(settings.paid, settings.organization_tier.value, settings.vocabulary)


@dataclass(frozen=True)
class Call:
    """One parsed and authenticated request.

    Attributes:
        operation: The operation.
        params: Path parameters.
        query: Query parameters.
        body: Parsed JSON, or None.
        key: Record of the caller's key; None on the self-hosted server.
        hidden_for: Seconds for which a list omits new objects.
        origin: Base URL of the request.
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
        """Id of the service whose stack is addressed, or `SELF_HOSTED`."""
        return self.params.get("serviceId", SELF_HOSTED)


def new_identity(ids: Ids) -> Identity:
    """Return new credentials in the vendor's formats."""
    return Identity(
        organizationId=ids.uuid(),
        keyId=ids.text(20),
        keySecret=ids.text(42),
        stackToken=ids.uuid(),
        teamId=ids.object_id(),
    )
