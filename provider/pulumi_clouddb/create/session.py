"""What a resource works with: the API, the pending creates, and ways to wait and to warn."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from pulumi_clouddb.client.api import Api
from pulumi_clouddb.client.client import Client, Transport
from pulumi_clouddb.client.errors import CloudDBError
from pulumi_clouddb.client.needed import missing_settings, settings_problem
from pulumi_clouddb.client.operation import ServerKind
from pulumi_clouddb.client.runtime import Runtime
from pulumi_clouddb.schema.config import WAIT_MINUTES, ProviderConfig
from pulumi_clouddb.schema.rules import RuleContext

from .pending import Entry, PendingCreates
from .unique_names import Planned

AnswerT = TypeVar("AnswerT")

LOOK_SECONDS = 5.0
"""How long a preview waits for a server, of which it can do without."""

BUSY_SECONDS = 15.0
"""How long, beside one request, to wait for another process that is busy with the same create and may be ending."""


def account_of(config: ProviderConfig) -> str:
    """Return whose objects a configuration means: two of the same account mean the same objects."""
    return "\0".join(map(str, (config.base_url, config.organization_id, config.stack_url)))


class Session:
    """One configuration at work. Thread-safe; keep one per configuration and process.

    Args:
        config: Addresses, credentials and time limits.
        scope: Where the stacks of the URNs lie, such as the address of Pulumi's backend.
        warn: Shows a warning to the person at the terminal.
        folder: Where pending creates are written down; by default as `PendingCreates` has it.
        runtime: Its clocks and waits; a wait may raise `CancelledError`.
        transport: What carries requests; by default connections of its own.
        time_limit: Gives the minutes that the operation under way may take, or None for no such limit.
        served: Tells whether what an operation returns still reaches the engine.
        misspelt: Names in the configuration that are no settings, and the setting that each probably means.
        stack: Identity of the stack's state, the same on every machine and of no other state; None if not known.

    Attributes:
        own: Ids of the objects that this process has created.
        held: Ids of the objects that state is known to hold.
        adopted: Ids of the objects that an interrupted run had created and this one has found.
        claims: URNs of the resources that this run keeps or has created, by their type and the id of their object.
        planned: The resources that this run is going to create, as far as that is known.
        waits: How long waits of this process took that ended well, in seconds, by what was waited for.
        making: Names that nobody else in this process may create now.
        urn: The resource that the operation is about; see `for_resource`.
    """

    urn = ""
    _entry: Entry | None = None

    def __init__(
        self,
        config: ProviderConfig,
        *,
        scope: str,
        warn: Callable[[str], None],
        folder: Path | None = None,
        runtime: Runtime | None = None,
        transport: Transport | None = None,
        time_limit: Callable[[], float | None] = lambda: None,
        served: Callable[[], bool] = lambda: True,
        misspelt: Mapping[str, str] | None = None,
        stack: str | None = None,
    ) -> None:
        self.config = config
        self.stack = stack
        self.misspelt = misspelt or {}
        self.scope = scope
        self.runtime = runtime or Runtime()
        self.client = Client(config, runtime=self.runtime, transport=transport)
        self.api = Api(self.client)
        self.pending = PendingCreates(folder, self.runtime, self.warn)
        self.own: set[str] = set()
        self.held: set[str] = set()
        self.adopted: set[str] = set()
        self.claims: dict[tuple[str, str], set[str]] = {}
        self.planned = Planned()
        self.waits: dict[str, list[float]] = {}
        self.making: set[str] = set()
        self.making_lock = threading.Lock()
        self.served = served
        self.sleep = self.runtime.sleep
        self._time_limit = time_limit
        self._warn = warn
        self._warned: set[str] = set()
        self._lock = threading.Lock()

    @property
    def rules(self) -> RuleContext:
        """What the configuration says that rules depend on."""
        tier = self.config.organization_tier
        return RuleContext(bool(self.config.paid), tier.value if tier else None, self.config.vocabulary)

    def settings_problem(self, server_kind: ServerKind) -> str | None:
        """Return what is wrong with the settings that requests to a server need, and what to do; None for nothing."""
        return settings_problem(missing_settings(self.config, server_kind), self.misspelt)

    @property
    def wait_minutes(self) -> float:
        """How long to wait where the resource does not say; a shorter limit of the operation ends the wait itself."""
        return max(self._time_limit() or 0.0, WAIT_MINUTES)

    @property
    def account(self) -> str:
        """Whose objects these are: two configurations of the same account mean the same objects."""
        return account_of(self.config)

    def for_resource(self, urn: str, stack: str | None = None) -> Session:
        """Return this session for an operation on one resource, of that stack if only the operation tells which."""
        view = copy.copy(self)
        view.urn = urn
        view.stack = stack or self.stack
        return view

    @property
    def entry(self) -> Entry:
        """The pending create of the operation under way; there is one while a resource is being created."""
        assert self._entry is not None, "only a create has one"  # noqa: S101
        return self._entry

    @contextmanager
    def creating(self) -> Iterator[Session]:
        """Hold the pending create of this session's resource during the block.

        Raises:
            ResourceError: Another process is creating the same resource, or its record cannot be read.
        """
        busy_seconds = BUSY_SECONDS + self.config.request_timeout_seconds
        with self.pending.open(self.scope, self.urn, self.account, busy_seconds) as entry:
            view = copy.copy(self)
            view._entry = entry
            try:
                yield view
            finally:
                with self.making_lock:
                    self.making.discard(entry.making or "")

    def response_was_lost(self) -> None:
        """Take note that a request of the create under way, if there is one, may have been carried out."""
        if self._entry is not None:
            self._entry.record.response_lost = True
            self._entry.write()

    def hand_over(self, object_id: str) -> None:
        """Take note that the object of this create goes to the engine; its create stays pending until state has it."""
        if self.served():
            self.entry.returned(object_id)

    def claim(self, kind: str, object_id: str, stored_urn: str = "") -> None:
        """Take note that this run keeps this session's resource, which may have had another URN before."""
        with self._lock:
            self.claims.setdefault((kind, object_id), set()).update(filter(None, (self.urn, stored_urn)))

    def drop_claims(self) -> None:
        """Take note that this session's resource is no object that it was before."""
        with self._lock:
            for urns in self.claims.values():
                urns.discard(self.urn)

    def other_claim(self, kind: str, object_id: str) -> str | None:
        """Return the URN of another resource that this run keeps and that is the same object, or None."""
        with self._lock:
            urns = self.claims.get((kind, object_id), set())
            return min(urns) if self.urn and urns and self.urn not in urns else None

    def asked(self, question: Callable[[], AnswerT]) -> AnswerT | None:
        """Return what a preview asks a server, None where it does not answer in time: the preview goes on without."""
        with suppress(CloudDBError):
            return self.runtime.within(LOOK_SECONDS, question)
        return None

    def warn(self, message: str) -> None:
        """Show a warning, the same one only once."""
        with self._lock:
            if message in self._warned:
                return
            self._warned.add(message)
        self._warn(message)
