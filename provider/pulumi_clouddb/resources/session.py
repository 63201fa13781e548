"""What a resource works with: the client, the shared reads, the journal, and ways to wait and to be heard."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from pulumi_clouddb.api.client import Client
from pulumi_clouddb.api.errors import NotOffered, ResourceError
from pulumi_clouddb.api.operations import Operation
from pulumi_clouddb.api.reads import Collection, Records, SharedReads
from pulumi_clouddb.api.runtime import Runtime
from pulumi_clouddb.models.check import RuleContext
from pulumi_clouddb.models.config import ProviderConfig

from .creation import Creations
from .journal import Journal

if TYPE_CHECKING:
    import httpx

SHARED_READ_SECONDS = 60.0
"""How old a shared list may be for a read; a write drops it at once."""

DEFAULT_WAIT_MINUTES = 60.0
"""How long to wait for a service where neither it nor the operation says."""


class Interrupted(ResourceError):
    """A wait was ended from outside.

    Args:
        reason: Why, in words that go on from "stopped waiting:".
    """

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(f"stopped waiting: {reason}", "Run again to go on from here.")


class Session:
    """One configuration at work. Thread-safe; keep one per configuration and process.

    Args:
        config: Addresses, credentials and time limits.
        scope: The program this belongs to; interrupted creations are taken up by the same scope only.
        warn: Shows a warning to the person at the terminal.
        journal: Where creations in flight are written down.
        runtime: Its clocks and waits; a wait may raise `Interrupted`.
        transport: What carries requests; by default connections of its own.
        time_limit: Gives the minutes that the operation under way may take, or None for no such limit.
    """

    def __init__(
        self,
        config: ProviderConfig,
        *,
        scope: str,
        warn: Callable[[str], None],
        journal: Journal | None = None,
        runtime: Runtime | None = None,
        transport: httpx.BaseTransport | None = None,
        time_limit: Callable[[], float | None] = lambda: None,
    ) -> None:
        self.config = config
        self.scope = scope
        self.runtime = runtime or Runtime()
        self.client = Client(config, runtime=self.runtime, transport=transport)
        self.reads = SharedReads(self.client, self.runtime)
        self.journal = journal or Journal()
        self.creations = Creations(self)
        self.sleep = self.runtime.sleep
        self._time_limit = time_limit
        self._warn = warn
        self._warned: set[str] = set()
        self._not_offered: set[str] = set()
        self._lock = threading.Lock()

    @property
    def rules(self) -> RuleContext:
        """What the configuration says that rules depend on."""
        tier = self.config.organization_tier
        return RuleContext(paid=bool(self.config.paid), organization_tier=tier.value if tier else None)

    @property
    def wait_minutes(self) -> float:
        """How long to wait where the resource does not say; a shorter limit of the operation ends the wait itself."""
        return max(self._time_limit() or 0.0, DEFAULT_WAIT_MINUTES)

    def warn(self, message: str) -> None:
        """Show a warning, the same one only once."""
        with self._lock:
            if message in self._warned:
                return
            self._warned.add(message)
        self._warn(message)

    def records(
        self, collection: Collection, *, max_age: float = SHARED_READ_SECONDS, before_own: bool = False
    ) -> Records | None:
        """Return all records of a collection, or None where the server offers no such list.

        Raises:
            ApiError: The list could not be read for any other reason.
        """
        return self.if_offered(
            collection.operation, lambda: self.reads.list(collection, max_age=max_age, before_own=before_own)
        )

    def if_offered(self, operation: Operation, request: Callable[[], Records]) -> Records | None:
        """Return what `request` returns, or None where the server does not offer `operation`; it is asked only once."""
        if operation.name in self._not_offered:
            return None
        try:
            return request()
        except NotOffered:
            self._not_offered.add(operation.name)
            return None
