"""Managed Postgres services: created once, waited for, changed in place where the API allows it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial

from pulumi_clouddb.client.errors import (
    ApiError,
    ClientError,
    CloudDBError,
    ConflictError,
    ResourceError,
    UnsupportedOperationError,
    first_line,
)
from pulumi_clouddb.create.create_request import CreateResult
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.resource.databases import DatabaseResource
from pulumi_clouddb.resource.functions import Function, get_one, list_all
from pulumi_clouddb.resource.settled import held, repeated, settled
from pulumi_clouddb.resource.state import State, among, merged, without
from pulumi_clouddb.resource.waits import WaitResult, wait_until_gone
from pulumi_clouddb.schema.base import names_in
from pulumi_clouddb.schema.convert import construct, to_body, to_wire
from pulumi_clouddb.schema.names import ID, NAME, property_name
from pulumi_clouddb.schema.tags import CREATE_TAG, MAX_TAGS, as_tags
from pulumi_clouddb.schema.values import WireDict, WireValues
from pulumi_clouddb.schema.view import known_or

from .api import BOUNCER_CONFIG, PASSWORD, PG_CONFIG, READ_REPLICA_OF, RESTORE_FROM, Command, PostgresServices
from .configuration import after
from .enums import FAILED, PENDING, Status
from .history import LIST_POSTGRES_BACKUPS, LIST_POSTGRES_LOGS
from .login import has_own_password, own_password, with_password
from .origin import inherited, unlike_its_origin
from .postgres_service import AT_ONCE, DETAILS, GET_POSTGRES_CERTIFICATES, POSTGRES_SERVICE, PostgresService

PostgresState = State[PostgresService]

STATE = property_name(PostgresService, lambda service: service.state)
TAGS = property_name(PostgresService, lambda service: service.tags)
SIZE = property_name(PostgresService, lambda service: service.size)
HA_TYPE = property_name(PostgresService, lambda service: service.ha_type)
IS_PRIMARY = property_name(PostgresService, lambda service: service.is_primary)
STORAGE = property_name(PostgresService, lambda service: service.storage_size)
HOST = property_name(PostgresService, lambda service: service.hostname)
CONNECTION = property_name(PostgresService, lambda service: service.connection_string)
CONFIGURATION = (PG_CONFIG, BOUNCER_CONFIG)
OF_UPDATE = names_in(PostgresService, DETAILS)
"""The properties that the update of the details takes."""

OF_BACKUP = (SIZE, HA_TYPE)
"""The properties that a restored service has from its backup at first."""


NO_BACKUP = "not ready for read replicas"
"""Part of that refusal."""


class PostgresServiceResource(DatabaseResource[PostgresService]):
    """A Postgres service."""

    type = POSTGRES_SERVICE
    collection = PostgresServices
    functions = (
        get_one(POSTGRES_SERVICE, PostgresServices),
        list_all(POSTGRES_SERVICE, PostgresServices, by_name=True),
        Function(
            GET_POSTGRES_CERTIFICATES,
            lambda api, args: {"pem": api.of(PostgresServices).certificates(args.postgres_service_id)},
        ),
        Function(
            LIST_POSTGRES_BACKUPS,
            lambda api, args: {"backups": [*map(to_wire, api.of(PostgresServices).backups(args.postgres_service_id))]},
        ),
        Function(
            LIST_POSTGRES_LOGS,
            lambda api, args: {"entries": [*map(to_wire, api.of(PostgresServices).logs(args))]},
        ),
    )
    noun = "Postgres service"
    working = PENDING | {Status.UNAVAILABLE}
    unusable = frozenset({Status.STOPPED})

    # -- checking and comparing ----------------------------------------------------------------------------------

    def server_refusal(self, session: Session, inputs: WireValues, old: WireValues | None) -> ResourceError | None:
        """Refuse a new service that its origin would give other properties."""
        if old:
            return None
        services, wanted = session.api.of(PostgresServices), self._view(inputs)
        return session.try_reading(lambda: known_or(None, lambda: unlike_its_origin(services, wanted)))

    def immutable(self, old: PostgresState, changed: Iterable[str]) -> tuple[str, ...]:
        """Return which of the changed properties cannot change in place.

        A replica without a primary in state was imported, as no server returns the primary: the program may name it.
        """
        imported = old.actual.is_primary is False and old.wanted.read_replica_of is None
        return tuple(name for name in super().immutable(old, changed) if not (imported and name == READ_REPLICA_OF))

    def outputs_changed_by(self, old: PostgresState, changed: tuple[str, ...]) -> Iterable[str]:
        """Return the outputs that change with a name, a size, a password, a promotion, and finishing the last run."""
        follows = {NAME: (HOST, CONNECTION), SIZE: (STORAGE,), PASSWORD: (CONNECTION,), READ_REPLICA_OF: (IS_PRIMARY,)}
        names = [STATE, *(each for name in among(changed, follows) for each in follows[name])]
        if old.actual.last_error:
            names += [PASSWORD, CONNECTION, HOST, STORAGE]
        return dict.fromkeys(names)

    def unusable_result(self, actual: PostgresService) -> WaitResult[PostgresService]:
        """Return the service with the problem that it is stopped."""
        return WaitResult(actual, "the server reports that it is stopped")

    # -- operations ----------------------------------------------------------------------------------------------

    def create(self, session: Session, wanted: PostgresService) -> tuple[str, PostgresState]:
        """Create the service, or adopt the one whose response was lost, and wait until it runs.

        Raises:
            ResourceError: Its origin has other properties than the program.
        """
        if unlike := unlike_its_origin(session.api.of(PostgresServices), wanted):
            raise unlike
        created = self.create_once(session, wanted)
        waited = self.wait(session, created.id, wanted, created.record, new=True)
        waited.refuse_deleted(session, self.what(wanted), created.id, new=True)
        record = merged(created.record, waited.record or created.record)
        if created.result is None:
            before = self._adopt(session, created, wanted, record, waited)
        else:
            before = State(without(wanted, _left_by_create(wanted)), record)
        return created.id, self._complete(session, created.id, before, wanted, waited)

    def read(self, session: Session, object_id: str, state: PostgresState) -> PostgresState | None:
        """Find the service in the shared list; read what lists leave out if something has changed."""
        services = session.api.of(PostgresServices)
        try:
            record = services.find(object_id)
        except UnsupportedOperationError:
            return self.keep_unread(session, state, "a Postgres service")
        if record is None or not services.exists(record):
            return None
        if self._has_changed(state, record):
            record = merged(record, services.whole(object_id) or record)
        wanted, actual = state.wanted, with_password(state.actual, record, None)
        if wanted.pg_config is not None or wanted.pg_bouncer_config is not None:
            actual = merged(construct(PostgresService, services.configuration(object_id)), actual)
        wanted = self.reconciled(state, actual)
        if wanted.read_replica_of is not None and record.is_primary:
            wanted = without(wanted, (READ_REPLICA_OF,))  # somebody has promoted it
        lacks_password = actual.password is None and has_own_password(wanted, record)
        if record.state not in PENDING | FAILED and not lacks_password and not actual.settings_unread:
            actual.last_error = None
        return State(wanted, actual)

    def _has_changed(self, state: PostgresState, record: PostgresService) -> bool:
        """Return whether a list shows another object than state, which has no host before the first whole read."""
        known = {**to_wire(state.actual), **to_wire(state.wanted)}
        listed = {name: value for name, value in to_wire(record).items() if name != ID}
        return HOST not in known or any(not self.same(name, known.get(name), value) for name, value in listed.items())

    def update(self, session: Session, object_id: str, old: PostgresState, wanted: PostgresService) -> PostgresState:
        """Finish what the last run left undone, and send the changes.

        Raises:
            ResourceError: The service does not run.
        """
        if old.actual.settings_unread:
            old = self._with_existing_settings(session, object_id, old)
        record = self._repair(session, object_id, old, wanted) if self.needs_repair(old) else old.actual
        if wanted.read_replica_of is None and old.wanted.read_replica_of is not None:
            record = self._promote(session, object_id, record, wanted)
        password = self._set_password(session, object_id, old, wanted, lost=bool(old.actual.last_error))
        waited = self._send(session, object_id, replace(old, actual=record), wanted)
        waited.refuse_deleted(session, self.what(wanted), object_id)
        waited.record = record = merged(record, waited.record or record)
        whole = None
        if record.hostname is None or not {NAME, SIZE, READ_REPLICA_OF}.isdisjoint(self.changes(old, wanted)):
            whole = session.api.of(PostgresServices).whole(object_id)
        return self._state_after(session, wanted, waited, old.actual, whole, wanted.password or password)

    def delete(self, session: Session, object_id: str, state: PostgresState) -> None:
        """Delete the service, and wait until no list shows it; a server may refuse with 409 while it is at work."""
        services, wanted = session.api.of(PostgresServices), state.wanted
        deadline = session.runtime.monotonic() + (wanted.wait_timeout_minutes or session.wait_minutes) * 60
        while True:
            record = services.find(object_id, max_age=float(session.config.poll_interval_seconds))
            if record is None or not services.exists(record):
                break
            try:
                services.remove(object_id)
                break
            except ConflictError as error:
                if session.runtime.monotonic() >= deadline:
                    raise
                session.runtime.progress(f"waiting until the server deletes it: {error.message}")
            session.sleep(session.config.poll_interval_seconds)
        awaited = self.awaited(session, object_id, wanted)
        wait_until_gone(session, awaited, wanted.wait_timeout_minutes, self.what(wanted))

    def import_(self, session: Session, object_id: str, hints: PostgresService) -> tuple[str, PostgresState]:
        """Take over a service; its password stays unknown, and so does the primary of a replica."""
        services = session.api.of(PostgresServices)
        record = services.find(object_id)
        if record is None:
            raise self.missing(object_id)
        record = merged(record, services.whole(object_id) or record)
        settings = _existing_settings(services, object_id)
        wanted, left_out = self.importable(session, self._args({}), {**self.reported(record), **settings})
        return object_id, State(wanted, record, left_out)

    # -- creating ------------------------------------------------------------------------------------------------

    def create_once(self, session: Session, wanted: PostgresService) -> CreateResult[PostgresService]:
        """Create the service once; a replica starts from a backup, which a new primary does not have at first."""
        minutes = session.wait_minutes if wanted.wait_timeout_minutes is None else wanted.wait_timeout_minutes
        deadline = session.runtime.monotonic() + minutes * 60
        while True:
            try:
                return super().create_once(session, wanted)
            except ClientError as error:
                if NO_BACKUP not in error.message.lower() or session.runtime.monotonic() >= deadline:
                    raise
            session.runtime.progress("waiting until its primary has a backup: a replica starts from one")
            session.sleep(session.config.poll_interval_seconds)

    def body_of_create(self, session: Session, wanted: PostgresService) -> WireDict:
        """Return the body of a POST, with the service that it starts from."""
        origin = to_body(wanted, (READ_REPLICA_OF, RESTORE_FROM))
        later = (*inherited(wanted), *(OF_BACKUP if RESTORE_FROM in origin else ()))
        return {**self.body(wanted, [name for name in AT_ONCE if name not in later]), **origin}

    def _adopt(
        self,
        session: Session,
        created: CreateResult[PostgresService],
        wanted: PostgresService,
        record: PostgresService,
        waited: WaitResult[PostgresService],
    ) -> PostgresState:
        """Return the state of a service whose response was lost, as the server has it."""
        self.refuse_another(created, wanted, record)
        found = self.reconciled(State(without(wanted, (PASSWORD, *CONFIGURATION)), record), record)
        before = State(self.as_created(found, created, record), record)
        try:
            return self._with_existing_settings(session, created.id, before)
        except ApiError as error:
            waited.problem = f"adopted after an interrupted run, but not brought up to date: {first_line(error)}"
            return replace(before, actual=before.actual.model_copy(update={"settings_unread": True}))

    def _with_existing_settings(self, session: Session, object_id: str, state: PostgresState) -> PostgresState:
        """Return state with all settings that the service has: an interrupted run set them, so that they are ours."""
        settings = _existing_settings(session.api.of(PostgresServices), object_id)
        return replace(state, wanted=self._args({**to_wire(without(state.wanted, CONFIGURATION)), **settings}))

    def _complete(
        self,
        session: Session,
        object_id: str,
        before: PostgresState,
        wanted: PostgresService,
        waited: WaitResult[PostgresService],
    ) -> PostgresState:
        """Send what the create has not sent. What fails stays out of state, so that the next `up` sends it.

        `before` has the part of the program that the server has already.
        """
        arrived, password, record, unread = before.wanted, None, before.actual, before.actual.settings_unread
        if waited.problem is None:
            try:
                password = self._set_password(session, object_id, before, wanted, lost=True)
                waited = self._send(session, object_id, before, wanted)
                record = merged(record, waited.record or record)
                arrived, password = wanted, wanted.password or password
            except CloudDBError as error:
                waited.problem = f"not brought up to date: {first_line(error)}"
                unread = True
        waited.refuse_deleted(session, self.what(wanted), object_id, new=True)
        waited.record, whole = record, None
        try:
            whole = session.api.of(PostgresServices).whole(object_id)
            if not {*CONFIGURATION}.isdisjoint(to_wire(wanted)):
                record = waited.record = merged(record, self._configuration(session, object_id))
        except ApiError as error:
            unread = unread or waited.problem is None
            waited.problem = waited.problem or f"not brought up to date: {first_line(error)}"
        state = self._state_after(session, arrived, waited, before.actual, whole, password)
        state.actual.settings_unread = unread
        return state

    # -- updating ------------------------------------------------------------------------------------------------

    def _repair(self, session: Session, object_id: str, old: PostgresState, wanted: PostgresService) -> PostgresService:
        """Wait for the service, and restart it if it does not run by itself."""
        services = session.api.of(PostgresServices)
        record = services.current(object_id, {}) or old.actual
        if record.state in FAILED:
            restart = partial(services.command, object_id, Command.RESTART)
            record = settled(session, restart, partial(services.find, object_id), lambda seen: seen.state not in FAILED)
        waited = self.wait(session, object_id, wanted, record)
        waited.refuse_deleted(session, self.what(wanted), object_id)
        if waited.problem:
            raise self.not_running(object_id, wanted, waited)
        return waited.record or record

    def _promote(
        self, session: Session, object_id: str, record: PostgresService, wanted: PostgresService
    ) -> PostgresService:
        """Promote a replica, unless the last run has done so, and wait for it: a replica accepts no other change."""
        services = session.api.of(PostgresServices)
        record = merged(record, services.current(object_id, {}) or record)
        if not record.is_primary:
            promote = partial(services.command, object_id, Command.PROMOTE)
            promoted = settled(session, promote, partial(services.find, object_id), lambda seen: bool(seen.is_primary))
            record = merged(record, promoted)
        waited = self._wait_until_shown(session, object_id, wanted, record, {IS_PRIMARY: True})
        waited.refuse_deleted(session, self.what(wanted), object_id)
        if waited.problem:
            raise self.not_running(object_id, wanted, waited)
        return merged(record, waited.record or record)

    def _set_password(
        self, session: Session, object_id: str, before: PostgresState, wanted: PostgresService, *, lost: bool
    ) -> str | None:
        """Set the password of the program, or one of our own if that of the server is `lost`, and return it.

        Return None without a request if the program's password did not change, or the service needs none of its own.
        """
        if wanted.password is None:
            unknown = (lost and not before.actual.password) or PASSWORD in before.doubtful
            needed = unknown and has_own_password(wanted, before.actual)
        else:
            needed = PASSWORD in self.changes(before, wanted)
        if not needed:
            return None
        services = session.api.of(PostgresServices)
        password = wanted.password or own_password(object_id, services.credential)
        repeated(lambda: services.set_password(object_id, password))
        return password

    def _send(
        self, session: Session, object_id: str, before: PostgresState, wanted: PostgresService
    ) -> WaitResult[PostgresService]:
        """Configure and update the service as far as it changes, and wait until it runs with the changes."""
        services, changed, record = session.api.of(PostgresServices), self.changes(before, wanted), before.actual
        if not {*CONFIGURATION}.isdisjoint(changed):
            configure = partial(self._configure, object_id=object_id, before=before, wanted=wanted)
            record = merged(record, held(session, services, object_id, configure))
        details = to_body(wanted, among(changed, OF_UPDATE))
        if SIZE in details and wanted.read_replica_of is not None:
            self._refuse_own_size(services, object_id, wanted, details.pop(SIZE))
        if details or TAGS in changed:
            before = replace(before, actual=record)
            update = partial(self._update, object_id=object_id, before=before, wanted=wanted, details=details)
            record = held(session, services, object_id, update)
            if not services.exists(record):
                return WaitResult(record, "somebody is deleting it", gone=True)
        sizes = {name: details[name] for name in among(details, OF_BACKUP)}
        return self._wait_until_shown(session, object_id, wanted, record, sizes)

    def _update(
        self,
        session: Session,
        object_id: str,
        before: PostgresState,
        wanted: PostgresService,
        details: WireDict,
    ) -> PostgresService:
        """Update the details with all tags, which one request replaces, unless somebody is deleting the service."""
        services = session.api.of(PostgresServices)
        current = services.current(object_id, {}) or before.actual
        if not services.exists(current):
            return current
        update = partial(services.change, object_id, {**details, TAGS: _tags(current, before.wanted, wanted)})
        sent = construct(self.type.inputs, details)
        return settled(session, update, partial(services.find, object_id), lambda seen: self.took(seen, sent))

    def _refuse_own_size(
        self, services: PostgresServices, object_id: str, wanted: PostgresService, size: object
    ) -> None:
        """Refuse a size of a replica that it does not have by now; a server takes only that of its primary."""
        has = to_wire(services.current(object_id, {}) or wanted).get(SIZE)
        if has != size:
            raise ResourceError(
                f"{self.what(wanted)} is a read replica, whose size is that of its primary: {has}, not {size}",
                "Change the size of the primary first, or remove that of the replica.",
            )

    def _configure(
        self, session: Session, object_id: str, before: PostgresState, wanted: PostgresService
    ) -> PostgresService:
        """Send the settings that change, and return those of the server; if one is dropped, replace all of them."""
        services = session.api.of(PostgresServices)
        current, old, new = services.configuration(object_id), to_wire(before.wanted), to_wire(wanted)
        result = {
            name: after(current[name], old.get(name) or {}, new.get(name) or {}, before.added.get(name))
            for name in CONFIGURATION
        }
        if result == current:
            return construct(PostgresService, current)
        whole = any(current[name].keys() - result[name].keys() for name in CONFIGURATION)
        body = result if whole else {name: new.get(name) or current[name] for name in CONFIGURATION}
        message = settled(
            session,
            lambda: services.configure(object_id, body, whole=whole),
            lambda: "" if services.configuration(object_id) == result else None,
            lambda _: True,
        )
        if message:
            session.warn(f"{self.what(wanted)} ({object_id}): {message}")
        return self._configuration(session, object_id)

    def _configuration(self, session: Session, object_id: str) -> PostgresService:
        """Return the settings of the server, which no response to a write has; nothing if they cannot be read."""
        services = session.api.of(PostgresServices)
        with suppress(ApiError):
            return construct(PostgresService, services.configuration(object_id))
        return construct(PostgresService, {})

    def _wait_until_shown(
        self,
        session: Session,
        object_id: str,
        wanted: PostgresService,
        record: PostgresService,
        values: WireValues,
    ) -> WaitResult[PostgresService]:
        """Wait until the service runs and shows some values; never raises."""

        def done(seen: PostgresService | None) -> bool:
            if seen is None or seen.state in self.working:
                return False
            shown = to_wire(seen)
            return seen.state == Status.DELETING or all(shown.get(name) == value for name, value in values.items())

        return self.wait(session, object_id, wanted, record, done=done)

    def _state_after(
        self,
        session: Session,
        arrived: PostgresService,
        waited: WaitResult[PostgresService],
        before: PostgresService,
        whole: PostgresService | None,
        password: str | None,
    ) -> PostgresState:
        """Return the state after a create or an update, if the server has what `arrived` of the program.

        `whole` has the properties that lists leave out, if it was read, and `password` is the one that was set, if any.
        """
        record = waited.record or before
        record = merged(record, whole) if whole else record.model_copy()
        record.connection_string = whole.connection_string if whole else None
        actual = with_password(before, record, password)
        actual.last_error = waited.problem
        actual.settings_unread = None
        self.warn_if_unready(session, arrived, waited)
        return State(arrived, actual)


def _left_by_create(wanted: PostgresService) -> list[str]:
    """Return the wire names of the properties that no create has sent."""
    names = [PASSWORD, *(OF_BACKUP if wanted.restore_from else ())]
    if len(wanted.tags or ()) >= MAX_TAGS:  # the tag that marks the creation took the place of the last one
        names.append(TAGS)
    return names


def _existing_settings(services: PostgresServices, object_id: str) -> WireDict:
    return {name: value for name, value in services.configuration(object_id).items() if value}


def _tags(current: PostgresService, before: PostgresService, wanted: PostgresService) -> list[WireDict]:
    """Return the tags after an update: those of the program, or those that others have set, and that of the create."""
    tags = [dict(tag) for tag in current.answer.get(TAGS) or () if isinstance(tag, Mapping)]
    marks = [tag for tag in tags if tag.get("key") == CREATE_TAG]
    result = to_wire(wanted).get(TAGS)
    if result is None:
        managed = as_tags(to_wire(before).get(TAGS) or [])
        result = [tag for tag in tags if tag not in marks and not as_tags([tag]) <= managed]
    return [*result, *marks] if len(result) < MAX_TAGS else list(result)
