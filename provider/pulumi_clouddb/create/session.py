"""The session of a resource: the API, the pending creates, and ways to wait and to warn."""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from pulumi_clouddb.client.client import Client, Repeats
from pulumi_clouddb.client.collection import Api
from pulumi_clouddb.client.errors import CloudDBError, ResourceError
from pulumi_clouddb.client.needed import finds_organization, missing_settings, settings_problem
from pulumi_clouddb.client.operation import ServerKind
from pulumi_clouddb.client.runtime import Runtime
from pulumi_clouddb.schema.check.claims import kind_and_name
from pulumi_clouddb.schema.check.rules import RuleContext
from pulumi_clouddb.schema.config import ProviderConfig
from pulumi_clouddb.schema.provisioned import WAIT_MINUTES
from pulumi_clouddb.schema.vocabulary import VENDOR_URL

from .owners import Owners
from .pending import Entry, PendingCreates
from .run import Run
from .updates import PendingUpdates
from .warnings import Show, Warnings

if TYPE_CHECKING:
    from pulumi_clouddb.client.client import Transport

ResultT = TypeVar("ResultT")

LOOK_SECONDS = 5.0
"""Seconds that a preview waits for a read that it can do without."""

BUSY_SECONDS = 15.0
"""Seconds, besides one request, to wait for another process that works on the same create and may be ending."""


class Wait(NamedTuple):
    """A wait that succeeded.

    Attributes:
        seconds: How long it took.
        quiet: Seconds after its start during which no poll could have succeeded, as far as this wait shows.
    """

    seconds: float
    quiet: float


def account_of(config: ProviderConfig, server_kind: ServerKind, organization_id: str | None = None) -> str:
    """Return the account of a configuration: two configurations of one account refer to the same objects.

    The settings of the other kind of server are no part of it: a program may get that server between two runs.

    Args:
        config: The configuration.
        server_kind: The kind of the server that has the objects.
        organization_id: The organization of the key, for a configuration that does not name it.
    """
    if server_kind is ServerKind.SELF_HOSTED:
        return server_of(config, server_kind)
    return f"{server_of(config, server_kind)}\0{config.organization_id or organization_id}"


def server_of(config: ProviderConfig, server_kind: ServerKind) -> str:
    """Return the address of a server."""
    return str(config.stack_url) if server_kind is ServerKind.SELF_HOSTED else config.base_url or VENDOR_URL


class Session:
    """A session of one configuration. Thread-safe; keep one per configuration and process.

    Args:
        config: Addresses, credentials and time limits.
        scope: The backend of the stacks, such as its address.
        warn: Shows a warning to the person at the terminal; its second argument is the URN of a resource, or empty.
        folder: The folder of pending creates; by default as in `PendingCreates`.
        runtime: Its clocks and waits; a wait may raise `CancelledError`.
        transport: Sends requests; by default over connections of its own.
        time_limit: Returns the minutes that the operation may take, or None without a limit.
        engine_is_connected: Returns whether the result of an operation still reaches the engine.
        misspelt: Names in the configuration that are not settings, each with the setting that it probably means.
        stack: Identity of the stack's state: the same on every machine, and unique to this state; None if unknown.
        provider: Name of the explicit provider that has the configuration; empty if it is that of the stack.

    Attributes:
        run: What this run knows of resources and their objects.
        updates: The updates in doubt.
        owners: What earlier runs on this machine know of the databases in state.
        waits: The successful waits of this process, by what they waited for.
        unique_names: The creates under way by their names, where only one object may have the name.
        urn: The resource of the operation; see `for_resource`.
        entry: The pending create of the operation; only while a resource is being created, see `creating`.
        account: The account of the server that gets the object; only then, too.
    """

    urn = ""
    entry: Entry
    account: str

    def __init__(
        self,
        config: ProviderConfig,
        *,
        scope: str,
        warn: Show,
        folder: Path | None = None,
        runtime: Runtime | None = None,
        transport: Transport | None = None,
        time_limit: Callable[[], float | None] = lambda: None,
        engine_is_connected: Callable[[], bool] = lambda: True,
        misspelt: Mapping[str, str] | None = None,
        stack: str | None = None,
        provider: str = "",
    ) -> None:
        self.config = config
        self.provider = provider
        self.stack = stack
        self.misspelt = misspelt or {}
        self.scope = scope
        self.runtime = runtime or Runtime()
        self.pending = PendingCreates(folder, self.runtime, self.warn)
        self.client = Client(
            config, runtime=self.runtime, transport=transport, folder=self.pending.local, provider=provider
        )
        self.api = Api(self.client)
        self.run = Run()
        self.updates = PendingUpdates(self.pending)
        self.owners = Owners(self.pending.local, scope)
        self.waits: dict[str, list[Wait]] = {}
        self.unique_names: dict[str, Entry] = {}
        self.engine_is_connected = engine_is_connected
        self.sleep = self.runtime.sleep
        self._time_limit = time_limit
        self._warnings = Warnings(warn, config.ignore_warnings or ())

    @property
    def rules(self) -> RuleContext:
        """The part of the configuration that rules depend on."""
        tier, public = self.config.organization_tier, self.config.base_url in (None, VENDOR_URL)
        return RuleContext(bool(self.config.paid), tier.value if tier else None, self.config.vocabulary, public)

    def settings_problem(self, server_kind: ServerKind) -> str | None:
        """Return the problem with the settings that requests to a server need, and what to do; None without one."""
        return settings_problem(missing_settings(self.config, server_kind), self.misspelt, self.provider)

    @property
    def wait_minutes(self) -> float:
        """Minutes to wait by default; a shorter limit of the operation ends the wait itself."""
        return max(self._time_limit() or 0.0, WAIT_MINUTES)

    def for_resource(self, urn: str, stack: str | None = None) -> Session:
        """Return this session for an operation on one resource; `stack` is a default."""
        view = copy.copy(self)
        view.urn = urn
        view.stack = stack or self.stack
        return view

    def repeating(self, repeats: Repeats) -> Session:
        """Return this session for an operation that decides by `repeats` which refused writes are repeated."""
        view = copy.copy(self)
        view.api = self.api.repeating(repeats)
        return view

    def calling(self, before_write: Callable[[], None]) -> Session:
        """Return this session for an operation with a function that is called immediately before each write."""
        view = copy.copy(self)
        view.api = self.api.calling(before_write)
        return view

    def silent(self) -> Session:
        """Return this session without warnings, to check inputs that no program has."""
        view = copy.copy(self)
        view._warnings = Warnings(lambda *_: None, ())
        return view

    def reading_alone(self) -> Session:
        """Return this session without warnings, in which no list replaces the read of an object."""
        view = self.silent()
        view.api = self.api.alone()
        return view

    def account_on(self, server_kind: ServerKind) -> str:
        """Return the account of the objects on a server; it does not depend on who knows the organization.

        Raises:
            CloudDBError: The configuration does not name the organization, and it cannot be found.
        """
        if self.config.organization_id or server_kind is ServerKind.SELF_HOSTED or not finds_organization(self.config):
            return account_of(self.config, server_kind)
        return account_of(self.config, server_kind, self.client.organization_id)

    def is_pending(self, server_kind: ServerKind) -> bool:
        """Return whether a create of this session's resource is pending, or nobody knows the organization."""
        account = self.try_reading(partial(self.account_on, server_kind))
        if account is None or self.pending.has(self.scope, self.urn, account):
            return True
        return self.pending.was_left(self.scope, self.urn, self._account_beside(server_kind))

    def _account_beside(self, server_kind: ServerKind) -> str:
        """Return the account on the other kind of server, from which the program may have moved a resource."""
        return account_of(self.config, next(each for each in ServerKind if each is not server_kind))

    @contextmanager
    def creating(self, server_kind: ServerKind = ServerKind.MANAGEMENT) -> Iterator[Session]:
        """Lock the pending create of this session's resource, on such a server, during the block.

        Raises:
            ApiError: The organization of the key cannot be found.
            ResourceError: Another process is creating the same resource, or its record cannot be read.
        """
        busy_seconds = BUSY_SECONDS + self.config.request_timeout_seconds
        account, beside = self.account_on(server_kind), self._account_beside(server_kind)
        left = beside if self.pending.was_left(self.scope, self.urn, beside) else account
        with self.pending.open(self.scope, self.urn, left, busy_seconds) as entry:
            view = copy.copy(self)
            view.entry, view.account = entry, account
            try:
                yield view
            finally:
                self.unique_names.pop(entry.unique_name, None)

    @contextmanager
    def holding(self, key: tuple[str, ...]) -> Iterator[None]:
        """Hold an object during the block, which must not wait for what takes minutes.

        The lock has no part of the configuration: one server may have several addresses, and an id is hardly ever that
        of two objects, which then wait for each other.

        Raises:
            ResourceError: Others hold it for too long.
        """
        name, locks = "\0".join(key), self.pending.locks
        if not locks.acquire(name, self.wait_minutes * 60):
            raise ResourceError(
                f"{self.urn or key[-1]}: another resource or process on this machine still changes the same object",
                "Wait until the other `pulumi up` has ended, or end it, then run again.",
            )
        try:
            yield
        finally:
            locks.release(name)

    def response_was_lost(self) -> None:
        """Record that the request of this create, if this is a create, may have been carried out."""
        if hasattr(self, "entry"):
            self.entry.record.response_lost = True
            self.entry.write()

    def hand_over(self, object_id: str) -> None:
        """Record that the new object is returned to the engine; its create is pending until it is in state."""
        if self.engine_is_connected():
            self.pending.returned(self.entry.path, object_id)

    def stored(self, object_id: str, stored_urn: str = "") -> None:
        """Record that state has an object, under this URN or that of an alias: its create is no longer pending."""
        self.run.stored(self.urn, object_id)
        self.pending.finish(object_id, self.urn, stored_urn)

    def warn_of_second(self, object_id: str) -> None:
        """Warn of the objects that interrupted replacements of an object have made, and that no call has shown since.

        State may have them: of a run that failed, the record stays until a call brings the id of its object.
        """
        for path, record in self.pending.replacing(self.scope, self.urn):
            if record.id in {object_id, *self.run.owned_ids()}:
                continue
            made = f"has created {record.what} (id {record.id})" if record.id else f"may have created {record.what}"
            self.warn(
                f"An interrupted run {made} to replace {object_id}.\n"
                "Unless state has that one, or this run creates it again, nothing manages it: delete it by hand if "
                f"nobody needs it. Then delete {path}, which ends this warning."
            )

    def try_reading(self, read: Callable[[], ResultT]) -> ResultT | None:
        """Return the result of a read that a preview can do without; None if it fails or takes too long."""
        with suppress(CloudDBError):
            return self.runtime.within(LOOK_SECONDS, read)
        return None

    def warn(self, message: str, once: str = "", at: Collection[str] = ()) -> None:
        """Show a warning on this session's resource, which it names; of equal ones of a resource, show the first.

        `once` identifies warnings of one fact in several wordings. The places `at` are those of the values that it is
        about: if `clouddb:ignoreWarnings` has all of them, it is not shown.
        """
        self._warnings.warn(self.urn, message, once, at)

    def warn_of_value(self, place: str, reason: str) -> None:
        """Warn of the value at a place such as `Service.ipAccessList[0].source`; the reason follows the place."""
        _, name = kind_and_name(self.urn)
        whose = f" of {name!r}" if name else ""
        self.warn(f"{place}{whose} {reason}", at=[place])
