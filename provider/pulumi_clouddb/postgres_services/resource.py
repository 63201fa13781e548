"""Managed Postgres services: created once, waited for, changed in place where the API allows it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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
from pulumi_clouddb.create.create_request import CreateRequest, CreateResult
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.resource.base import DiffResult
from pulumi_clouddb.resource.functions import Function, get_one, list_all
from pulumi_clouddb.resource.guarded import guarded, refuse_protected, replacement_refused
from pulumi_clouddb.resource.plain import PlainResource
from pulumi_clouddb.resource.settled import repeated, settled
from pulumi_clouddb.resource.state import State, among, merged, state_to_wire, without
from pulumi_clouddb.resource.waits import (
    CREATED_ANEW,
    Awaited,
    WaitResult,
    deleted_meanwhile,
    wait,
    wait_until_gone,
)
from pulumi_clouddb.schema.base import names_in
from pulumi_clouddb.schema.convert import construct, to_wire
from pulumi_clouddb.schema.names import ID, NAME, property_names
from pulumi_clouddb.schema.tags import CREATE_TAG, MAX_TAGS, as_tags
from pulumi_clouddb.schema.values import WireDict, WireValues
from pulumi_clouddb.schema.view import known_or, view_of

from .api import BOUNCER_CONFIG, PASSWORD, PG_CONFIG, READ_REPLICA_OF, RESTORE_FROM, Command, PostgresServices
from .configuration import after
from .marks import own_password, with_login
from .postgres_service import (
    AT_ONCE,
    DETAILS,
    GET_POSTGRES_CERTIFICATES,
    LAST_ERROR,
    POSTGRES_SERVICE,
    PostgresService,
)
from .states import FAILED, PENDING, Status

PostgresState = State[PostgresService, PostgresService]

STATE, TAGS, SIZE, HA_TYPE, STORAGE, HOST, CONNECTION, IS_PRIMARY, ALLOW_DUPLICATE = property_names(
    PostgresService,
    lambda service: (
        service.state,
        service.tags,
        service.size,
        service.ha_type,
        service.storage_size,
        service.hostname,
        service.connection_string,
        service.is_primary,
        service.allow_duplicate_name,
    ),
)
CONFIGURATION = (PG_CONFIG, BOUNCER_CONFIG)
OF_UPDATE = names_in(PostgresService, DETAILS)
"""What the update of the details takes."""

CHOSEN_LATER = (SIZE, HA_TYPE)
"""What a restored service has as its backup has it: an update changes it."""

UNFINISHED = "not brought up to date"
"""Words of the last error of a service that lacks what the program says: all settings that it has are ours."""

NO_BACKUP = "not ready for read replicas"
"""Words of a refusal: a new primary has no backup yet (ClickHouse/terraform-provider-clickhouse, postgres.go)."""


class PostgresServiceResource(PlainResource[PostgresService]):
    """A Postgres service."""

    type = POSTGRES_SERVICE
    collection = PostgresServices
    naming = (NAME,)
    functions = (
        get_one(POSTGRES_SERVICE, PostgresServices),
        list_all(POSTGRES_SERVICE, PostgresServices, by_name=True),
        Function(
            GET_POSTGRES_CERTIFICATES,
            lambda api, args: {"pem": api.of(PostgresServices).certificates(args.postgres_service_id)},
        ),
    )

    def diff(self, old: WireValues, new: WireValues) -> DiffResult:
        """Compare; refuse a change that would need another database, unless that is allowed.

        Raises:
            ResourceError: A field that cannot change in place changes, and `allowReplacement` is not set.
        """
        result, before = super().diff(old, new), self._seen(old)
        if READ_REPLICA_OF not in old and before.actual.is_primary is False:  # imported: no server answers its primary
            result = replace(result, replaces=tuple(each for each in result.replaces if each != READ_REPLICA_OF))
        return guarded(self.type, result, old, new, before.wanted, view_of(PostgresService, new))

    def needs_repair(self, old: PostgresState) -> tuple[str, ...]:
        """Return the property that shows unfinished work: a service that does not run."""
        if old.actual.last_error:
            return (LAST_ERROR,)
        unready = old.actual.state in PENDING | FAILED and old.wanted.wait_timeout_minutes != 0
        return (STATE,) if unready else ()

    def outputs_changed_by(self, old: PostgresState, changed: tuple[str, ...]) -> Iterable[str]:
        """Return what follows from a name, a size, a password, a promotion, and finishing the last run."""
        follows = {NAME: (HOST, CONNECTION), SIZE: (STORAGE,), PASSWORD: (CONNECTION,), READ_REPLICA_OF: (IS_PRIMARY,)}
        names = [STATE, *(each for name in among(changed, follows) for each in follows[name])]
        if old.actual.last_error:
            names += [PASSWORD, CONNECTION, HOST, STORAGE]
        return dict.fromkeys(names)

    # -- operations ----------------------------------------------------------------------------------------------

    def create(self, session: Session, wanted: PostgresService) -> tuple[str, PostgresState]:
        """Create the service, or adopt the one whose response was lost, and wait until it runs."""
        created = self.create_once(session, wanted)
        waited = self._waited(session, created.id, wanted, created.record, new=True)
        if waited.gone:
            session.entry.forget()
            raise deleted_meanwhile(self.what(wanted), created.id, waited, CREATED_ANEW)
        record = merged(created.record, waited.record or created.record)
        if created.result is not None:
            names = [PASSWORD, *(CHOSEN_LATER if wanted.restore_from else ())]
            names += [TAGS] if len(wanted.tags or ()) >= MAX_TAGS else []  # the tag of the create took a place
            before = State(without(wanted, names), record)
        else:
            self._refuse_another(created.id, wanted, record)
            before = State(self.reconciled(without(wanted, (PASSWORD, *CONFIGURATION)), record), record)
            try:
                before = self._with_configuration(session, created.id, before)
            except ApiError as error:
                waited.problem = f"adopted after an interrupted run, but {UNFINISHED}: {first_line(error)}"
        return created.id, self._brought(session, created.id, before, wanted, waited)

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

    def read(self, session: Session, object_id: str, state: PostgresState) -> PostgresState | None:
        """Find the service in the shared list; what that leaves out is read where something has changed."""
        services = session.api.of(PostgresServices)
        try:
            record = services.find(object_id)
        except UnsupportedOperationError:
            return self.keep_unread(session, state, "a Postgres service")
        if record is None or not services.exists(record):
            return None
        known = {**to_wire(state.actual), **to_wire(state.wanted)}
        shown = {name: value for name, value in to_wire(record).items() if name != ID}
        if HOST not in known or any(not self.same(name, known.get(name), value) for name, value in shown.items()):
            record = merged(record, services.whole(object_id) or record)
        live = self._as_served(session, object_id, state, record)
        lacks = live.actual.password is None and _has_own_password(live.wanted, record)
        unfinished = UNFINISHED in (state.actual.last_error or "")
        if record.state not in PENDING | FAILED and not lacks and not unfinished:
            live.actual.last_error = None
        return live

    def update(self, session: Session, object_id: str, old: PostgresState, wanted: PostgresService) -> PostgresState:
        """Finish what the last run left undone, and send the changes.

        Raises:
            ResourceError: A field that cannot change in place changes, or it does not run again.
        """
        said = to_wire(wanted)
        fixed = tuple(name for name in self.changes(old, wanted) if name in self.type.immutable and name in said)
        fixed = tuple(name for name in fixed if name != READ_REPLICA_OF or old.actual.is_primary is not False)
        if fixed:
            raise replacement_refused(self.type, old.wanted.name, state_to_wire(self.type, old), said, fixed)
        waited = WaitResult(old.actual)
        if UNFINISHED in (old.actual.last_error or ""):  # what has been set, no state says
            old = self._with_configuration(session, object_id, old)
        if self.needs_repair(old):
            waited = self._running(session, object_id, wanted, old.actual)
            if waited.problem:
                raise ResourceError(
                    f"{self.what(wanted)} ({object_id}): {waited.problem}",
                    "Look at it in the console, or raise waitTimeoutMinutes, then run `pulumi up` again.",
                )
        return self._brought(session, object_id, old, wanted, waited, raises=True)

    def delete(self, session: Session, object_id: str, state: PostgresState) -> None:
        """Delete the service, and wait until no list shows it; a server may refuse it with 409 while it is at work."""
        services, wanted = session.api.of(PostgresServices), state.wanted
        refuse_protected(wanted, f"{self.what(wanted)} ({object_id})")
        minutes = wanted.wait_timeout_minutes or session.wait_minutes
        deadline = session.runtime.monotonic() + minutes * 60
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
        awaited = Awaited(services, object_id, "Postgres service")
        wait_until_gone(session, awaited, wanted.wait_timeout_minutes, self.what(wanted))

    def import_(self, session: Session, object_id: str, hints: PostgresService) -> tuple[str, PostgresState]:  # noqa: ARG002
        """Take over a service; its password stays unknown here, and so does the primary of a replica."""
        services = session.api.of(PostgresServices)
        record = services.find(object_id)
        if record is None:
            raise self.missing(object_id)
        record = merged(record, services.whole(object_id) or record)
        settings = {name: value for name, value in services.configuration(object_id).items() if value}
        wanted, left_out = self.importable(session, self._args({}), {**self.reported(record), **settings})
        return object_id, State(wanted, record, left_out)

    # -- creating ------------------------------------------------------------------------------------------------

    def unique_request(self, session: Session, wanted: PostgresService) -> CreateRequest[PostgresService] | None:
        """Return the request that creates a service, unless its name may be given twice."""
        return None if wanted.allow_duplicate_name else self._request(session, wanted, {})

    def _request(self, session: Session, wanted: PostgresService, body: WireValues) -> CreateRequest[PostgresService]:
        request = replace(
            super()._request(session, wanted, body),
            unique=not wanted.allow_duplicate_name,
            allowed_by=ALLOW_DUPLICATE,
            locks_out=True,
        )
        if not known_or(True, lambda: wanted.deletion_protection):
            return request
        return replace(request, to_replace="set deletionProtection to false and run `pulumi up` first")

    def body_of_create(self, session: Session, wanted: PostgresService) -> WireDict:  # noqa: ARG002
        """Return the body of a POST, with the service that it starts from."""
        origin = to_wire(wanted, (READ_REPLICA_OF, RESTORE_FROM))
        left = CHOSEN_LATER if RESTORE_FROM in origin else ()
        return {**self.body(wanted, [name for name in AT_ONCE if name not in left]), **origin}

    def _with_configuration(self, session: Session, object_id: str, state: PostgresState) -> PostgresState:
        """Return state as if the program had said all settings that a service of ours has: others are cleared.

        Raises:
            ApiError: They could not be read.
        """
        settings = session.api.of(PostgresServices).configuration(object_id)
        held = {name: value for name, value in settings.items() if value}
        return replace(state, wanted=self._args({**to_wire(without(state.wanted, CONFIGURATION)), **held}))

    def _refuse_another(self, object_id: str, wanted: PostgresService, record: PostgresService) -> None:
        """Refuse to adopt a service whose immutable properties differ.

        Raises:
            ResourceError: One differs.
        """
        said, there = to_wire(wanted, self.type.immutable), to_wire(record)
        fixed = [name for name, value in said.items() if there.get(name) not in (None, value)]
        if fixed:
            raise ResourceError(
                f"{self.what(wanted)} ({object_id}) was created by an interrupted run with another {', '.join(fixed)}",
                "Put that back into the program, or delete the service in the console, then run again.",
            )

    # -- changing ------------------------------------------------------------------------------------------------

    def _brought(
        self,
        session: Session,
        object_id: str,
        before: PostgresState,
        wanted: PostgresService,
        waited: WaitResult[PostgresService],
        *,
        raises: bool = False,
    ) -> PostgresState:
        """Send what changes, wait, and return the state; what does not arrive stays, in state, as it was.

        Args:
            session: What to work with.
            object_id: The service.
            before: It as the server has it, and what of the program it shows.
            wanted: What the program says.
            waited: What a wait for it came to.
            raises: Whether what fails is raised: state holds the service then.
        """
        services, record = session.api.of(PostgresServices), waited.record or before.actual
        problem, arrived, password = waited.problem, before.wanted, before.actual.password
        changed = self.changes(before, wanted)
        if problem is None:
            try:
                lost = not raises or bool(before.actual.last_error)
                password = self._password(session, object_id, before, wanted, lost=lost)
                waited = self._sent(session, object_id, replace(before, actual=record), wanted)
                arrived, problem, record = wanted, waited.problem, merged(record, waited.record or record)
            except CloudDBError as error:
                if raises:
                    raise
                problem = f"{UNFINISHED}: {first_line(error)}"
            if waited.gone:
                raise deleted_meanwhile(self.what(wanted), object_id, waited)
        whole = None
        if not raises or record.hostname is None or not {NAME, SIZE, READ_REPLICA_OF}.isdisjoint(changed):
            try:
                whole = services.whole(object_id)
            except ApiError as error:
                if raises:
                    raise
                problem = problem or f"{UNFINISHED}: {first_line(error)}"
        record = merged(record, whole) if whole else record.model_copy()
        record.connection_string = whole.connection_string if whole else None
        actual = _with_login(before.actual, record, wanted.password if arrived is wanted else None, password)
        actual.last_error = problem
        if problem:
            session.warn(
                f"{self.what(wanted)} exists and is in state, but is not yet ready: {problem}\n"
                "The next `pulumi up` goes on from here."
            )
        return State(arrived, actual)

    def _password(
        self, session: Session, object_id: str, before: PostgresState, wanted: PostgresService, *, lost: bool
    ) -> str | None:
        """Set the password that the program says, or one of our own where the server's is lost; return it."""
        known = before.actual.password
        if wanted.password is None:
            if not lost or known or not _has_own_password(wanted, before.actual):
                return known
        elif PASSWORD not in self.changes(before, wanted):
            return known
        services = session.api.of(PostgresServices)
        password = wanted.password or own_password(object_id, services.credential)
        repeated(lambda: services.set_password(object_id, password))
        return password

    def _sent(
        self, session: Session, object_id: str, before: PostgresState, wanted: PostgresService
    ) -> WaitResult[PostgresService]:
        """Promote, configure and update the service as far as it changes, and wait until it runs as wanted."""
        services, changed = session.api.of(PostgresServices), self.changes(before, wanted)
        record = before.actual
        if READ_REPLICA_OF in changed and wanted.read_replica_of is None and record.is_primary is False:
            promote = partial(services.command, object_id, Command.PROMOTE)
            record = settled(session, promote, partial(services.find, object_id), lambda seen: bool(seen.is_primary))
            waited = self._waited(session, object_id, wanted, record, shows={IS_PRIMARY: True})
            if waited.problem:
                return waited
            record = waited.record or record
        if not {*CONFIGURATION}.isdisjoint(changed):
            self._configure(session, object_id, before.wanted, wanted)
        details = to_wire(wanted, among(changed, OF_UPDATE))
        if details or TAGS in changed:
            held = services.current(object_id, {}) or record
            if not services.exists(held):
                return WaitResult(held, "somebody is deleting it", gone=True)
            body = {**details, TAGS: _tags(held, before.wanted, wanted)}
            # An update without tags removes them all (ClickHouse/terraform-provider-clickhouse, postgres_service.md).
            sent = construct(self.type.inputs, details)
            update = partial(services.change, object_id, body)
            record = settled(session, update, partial(services.find, object_id), lambda seen: self.took(seen, sent))
        moved = {name: details[name] for name in among(details, CHOSEN_LATER)}
        return self._waited(session, object_id, wanted, record, shows=moved)

    def _configure(self, session: Session, object_id: str, before: PostgresService, wanted: PostgresService) -> None:
        """Send the settings that change; where one is taken out, the whole configuration takes the place of the old."""
        services = session.api.of(PostgresServices)
        held, former, now = services.configuration(object_id), to_wire(before), to_wire(wanted)
        body = {name: after(held[name], former.get(name) or {}, now.get(name) or {}) for name in CONFIGURATION}
        whole = any(held[name].keys() - body[name].keys() for name in CONFIGURATION)
        if body == held:
            return
        sent = body if whole else {name: now.get(name) or held[name] for name in CONFIGURATION}
        message = settled(
            session,
            lambda: services.configure(object_id, sent, whole=whole),
            lambda: "" if services.configuration(object_id) == body else None,
            lambda _: True,
        )
        if message:
            session.warn(f"{self.what(wanted)} ({object_id}): {message}")

    # -- waiting -------------------------------------------------------------------------------------------------

    def _running(
        self, session: Session, object_id: str, wanted: PostgresService, record: PostgresService
    ) -> WaitResult[PostgresService]:
        """Wait for a service that the last run has left unfinished; restart one that does not run by itself."""
        services = session.api.of(PostgresServices)
        seen = services.current(object_id, {}) or record
        if seen.state in FAILED:
            restart = partial(services.command, object_id, Command.RESTART)
            seen = settled(session, restart, partial(services.find, object_id), lambda each: each.state not in FAILED)
        return self._waited(session, object_id, wanted, seen)

    def _waited(
        self,
        session: Session,
        object_id: str,
        wanted: PostgresService,
        record: PostgresService,
        *,
        new: bool = False,
        shows: WireValues | None = None,
    ) -> WaitResult[PostgresService]:
        """Wait until the service runs and shows what was sent; never raises."""
        asked = dict(shows or {})

        def done(seen: PostgresService | None) -> bool:
            if seen is None or seen.state in PENDING | {Status.UNAVAILABLE}:
                return False
            there = to_wire(seen)
            return seen.state == Status.DELETING or all(there.get(name) == value for name, value in asked.items())

        services, waited = session.api.of(PostgresServices), WaitResult(record)
        if wanted.wait_timeout_minutes != 0:
            awaited = Awaited(services, object_id, "Postgres service")
            waited = wait(session, awaited, record, wanted.wait_timeout_minutes, done, "running", shown=not new)
        if waited.problem is None and waited.state == Status.STOPPED:
            waited.problem = "the server says that it is stopped"
        if waited.problem is None and waited.record and not services.exists(waited.record):
            waited.problem, waited.gone = "somebody is deleting it", True
        return waited

    # -- reading -------------------------------------------------------------------------------------------------

    def _as_served(
        self, session: Session, object_id: str, state: PostgresState, record: PostgresService
    ) -> PostgresState:
        """Return state in which every argument that the server shows otherwise is as the server shows it.

        Raises:
            ApiError: The configuration could not be read.
        """
        wanted, shown = state.wanted, _with_login(state.actual, record, None, state.actual.password)
        if wanted.pg_config is not None or wanted.pg_bouncer_config is not None:
            settings = session.api.of(PostgresServices).configuration(object_id)
            shown = merged(shown, construct(PostgresService, settings))
        wanted = self.reconciled(wanted, shown)
        if wanted.read_replica_of is not None and record.is_primary:
            wanted = without(wanted, (READ_REPLICA_OF,))  # somebody has promoted it
        return State(wanted, shown)


def _has_own_password(wanted: PostgresService, record: PostgresService) -> bool:
    """Return whether a service has a password that no other one has: neither a replica nor a restored one."""
    return not (wanted.read_replica_of or wanted.restore_from or record.is_primary is False)


def _tags(held: PostgresService, before: PostgresService, wanted: PostgresService) -> list[WireDict]:
    """Return the tags that an update leaves: the program's or those that others have set, and that of the create."""
    served = [dict(tag) for tag in held.answer.get(TAGS) or () if isinstance(tag, Mapping)]
    marks = [tag for tag in served if tag.get("key") == CREATE_TAG]
    others, said = [tag for tag in served if tag not in marks], to_wire(wanted).get(TAGS)
    known = as_tags(to_wire(before).get(TAGS) or [])
    tags = [tag for tag in others if not as_tags([tag]) <= known] if said is None else said
    return [*tags, *marks] if len(tags) < MAX_TAGS else list(tags)


def _with_login(
    before: PostgresService, record: PostgresService, wanted: str | None, password: str | None
) -> PostgresService:
    """Return a service with what was answered of it earlier, and with its password, which servers answer once."""
    actual = merged(before, record)
    actual.password = wanted or record.password or password
    if record.connection_string is None:
        actual.connection_string = with_login(before.connection_string, before.hostname, actual)
    return actual
