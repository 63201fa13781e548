"""The managed database service: created once, waited for, changed in place, stopped before it is deleted."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from pulumi_clouddb.client.errors import ClientError, CloudDBError, ResourceError, UnsupportedOperationError, first_line
from pulumi_clouddb.create.create_request import CreateResult
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.resource.databases import DatabaseResource
from pulumi_clouddb.resource.functions import Function, get_one, list_all
from pulumi_clouddb.resource.state import State, merged, unmanaged, without
from pulumi_clouddb.resource.waits import WaitResult
from pulumi_clouddb.schema.base import Model, Record, Uuid
from pulumi_clouddb.schema.convert import ModelT, construct, to_wire
from pulumi_clouddb.schema.equality import usual_id
from pulumi_clouddb.schema.names import property_name
from pulumi_clouddb.schema.tags import MAX_TAGS
from pulumi_clouddb.schema.thing import with_ours
from pulumi_clouddb.schema.values import WireDict, WireValues

from .api import PRIVATE_ENDPOINT_IDS, Command, Services
from .enums import AT_REST, FAILED, GONE, PENDING, STARTED, STOPPED, STOPS, Status
from .lifecycle import command_service, delete_service, find_if_offered, find_if_readable, find_service
from .parts import managed_endpoints, merged_endpoints, switches
from .password import reset_password
from .service import (
    AT_ONCE,
    GET_BACKUP,
    GET_PRIVATE_ENDPOINT_CONFIG,
    GET_SNAPSHOT,
    LATER,
    LIST_BACKUPS,
    LIST_SNAPSHOTS,
    REPLICA_SCALING,
    SERVICE,
    TOTAL_MEMORY,
    Service,
    ServiceCreated,
)
from .settings import (
    BACKUPS,
    BUCKET,
    HASH,
    QUERIES,
    SCHEDULE,
    SECRET_SETTINGS,
    VALUES,
    WINDOW,
    existing_settings,
    lacks_secret,
    with_managed_settings,
)
from .stopping import IS_STOPPED, refusal_of_change, stopped_in
from .updates import ENDPOINTS, FOLLOWS_SCALING, MODE, TAGS, ServiceUpdate

STATE = property_name(Service, lambda it: it.state)
AVAILABLE = property_name(Service, lambda it: it.available_private_endpoint_ids)
WAREHOUSE = property_name(Service, lambda it: it.data_warehouse_id)
PASSWORD = property_name(Service, lambda it: it.password)
ROTATION = property_name(Service, lambda it: it.password_rotation)
IDLE_MINUTES = property_name(Service, lambda service: service.idle_timeout_minutes)
USUAL_IDLE_MINUTES = 15
"""What services have that were created without a time. No description states it; if it is another one, an import only
names one property more."""
CLEARED = (TAGS, MODE, BACKUPS, QUERIES, SCHEDULE, WINDOW, VALUES, BUCKET)
"""The properties that an update clears on the server when they are taken out of the program."""


class ServiceResource(DatabaseResource[Service]):
    """A service; after its create, only state contains its password."""

    type = SERVICE
    collection = Services
    functions = (
        get_one(SERVICE, Services, form=Uuid),
        list_all(SERVICE, Services, by_name=True),
        Function(
            GET_PRIVATE_ENDPOINT_CONFIG,
            lambda api, args: to_wire(api.of(Services).private_endpoint_config(args.service_id)),
        ),
        Function(GET_BACKUP, lambda api, args: to_wire(api.of(Services).backup(args.service_id, args.backup_id))),
        Function(
            LIST_BACKUPS,
            lambda api, args: {"backups": [to_wire(each) for each in api.of(Services).backups(args.service_id)]},
        ),
        Function(GET_SNAPSHOT, lambda api, args: to_wire(api.of(Services).snapshot(args.service_id, args.snapshot_id))),
        Function(
            LIST_SNAPSHOTS,
            lambda api, args: {"snapshots": [to_wire(each) for each in api.of(Services).snapshots(args.service_id)]},
        ),
    )
    shared = (PRIVATE_ENDPOINT_IDS,)  # a PrivateEndpoint with a serviceId attaches itself
    noun = "service"
    working = PENDING
    changing = frozenset({Status.STOPPING})
    unusable = FAILED

    # -- checking and comparing ----------------------------------------------------------------------------------

    def server_refusal(self, session: Session, inputs: WireValues, old: WireValues | None) -> ResourceError | None:
        """Refuse to change a bucket without its secret, and what a stopped service, or a stop, does not allow.

        Without old inputs it may be an import, which does not know the secret; of a new service, the server asks for
        it.
        """
        if not old:
            return None
        if lacks_secret(inputs, old):
            return ResourceError("backupBucket is changed without backupBucketSecret", "Set its secret, too.")
        return refusal_of_change(session, inputs, old)

    def same(self, name: str, old: object, new: object) -> bool:
        """Compare by meaning; of the endpoints in state only those that the inputs name count."""
        if name == ENDPOINTS and isinstance(old, list) and isinstance(new, list):
            before, after = switches(old), switches(new)
            return all(before.get(protocol, False) == enabled for protocol, enabled in after.items())
        return super().same(name, old, new)

    def outputs_changed_by(self, old: State[Service], changed: tuple[str, ...]) -> Iterable[str]:
        """Return the outputs that change with scaling, private endpoints, and finishing the last run."""
        yield STATE
        if set(changed) & {*REPLICA_SCALING, *TOTAL_MEMORY, SCHEDULE}:
            yield from (*REPLICA_SCALING, *TOTAL_MEMORY, *FOLLOWS_SCALING)
        if PRIVATE_ENDPOINT_IDS in changed:
            yield AVAILABLE
        if (not old.actual.password and old.actual.last_error) or {HASH, ROTATION} & {*changed}:
            yield PASSWORD

    def took(self, record: Model, sent: Model) -> bool:
        """Return whether a service has all values that were sent; further private endpoints do not matter."""
        return super().took(_without_further_endpoints(record, sent), sent)

    def reconciled(self, state: State[Service], served: Record) -> Service:
        """Return the inputs that describe the service; private endpoints that others have attached are not drift."""
        return super().reconciled(state, _without_further_endpoints(served, state.wanted))

    def warnings_of_change(self, session: Session, old: WireValues, new: WireValues) -> Iterable[str]:
        """Yield a warning for each removed input that stays; a change of the mode changes the rest of the scaling."""
        scaling = (*REPLICA_SCALING, *TOTAL_MEMORY) if MODE in self.changed(old, new) else ()
        return super().warnings_of_change(session, old, {**{name: old[name] for name in scaling if name in old}, **new})

    def unusable_result(self, actual: Service) -> WaitResult[Service]:
        """Return the service with the problem that it has failed."""
        return WaitResult(actual, "the server reports that the service has failed")

    # -- operations ----------------------------------------------------------------------------------------------

    def create(self, session: Session, wanted: Service) -> tuple[str, State[Service]]:
        """Create the service, or adopt the one whose response was lost, and wait until it runs."""
        created = self.create_once(session, wanted)
        created_at = session.runtime.monotonic()
        waited = self.wait(session, created.id, wanted, created.record, new=created.result is not None)
        waited.refuse_deleted(session, self.what(wanted), created.id, new=True)
        password = _password_in(created)
        if password:
            state = self._complete(session, created.id, wanted, waited, password)
        else:
            state = self._adopt(session, created, wanted, waited)
        if not wanted.allow_duplicate_name:
            _warn_of_duplicates(session, created.id, wanted.name, session.runtime.monotonic() - created_at)
        return created.id, state

    def read(self, session: Session, object_id: str, state: State[Service]) -> State[Service] | None:
        """Find the service in the shared list, and read the settings that the program manages."""
        try:
            record = find_service(session, object_id)
        except UnsupportedOperationError:
            return self.keep_unread(session, state, "a service")
        if record is None:
            return None
        current = self.refreshed(state, with_managed_settings(session, object_id, state.wanted, record), object_id)
        if further := _further_endpoints(record, state.wanted):
            session.warn(
                f"{self.what(state.wanted)} has private endpoints that its privateEndpointIds lacks: "
                f"{', '.join(further)}. They stay attached.\n"
                "Name them there, or remove privateEndpointIds if PrivateEndpoint resources attach them by serviceId."
            )
        if record.state not in PENDING | FAILED and state.actual.password and not state.actual.settings_unread:
            current.actual.last_error = None
        return current

    def update(self, session: Session, object_id: str, old: State[Service], wanted: Service) -> State[Service]:
        """Finish what the last run left undone, and send the changes.

        Raises:
            ResourceError: The service does not run.
        """
        if old.actual.settings_unread:
            current = find_if_offered(session, object_id) or old.actual
            old = replace(old, wanted=self._with_existing_settings(session, object_id, old.wanted, current))
        changed = self._sent_changes(old, wanted)
        record = self._repair(session, object_id, old, wanted) if self.needs_repair(old) else None
        password = old.actual.password
        if old.actual.last_error:
            password = password or reset_password(session, object_id, wanted)
            old, changed = _all_sent_again(old, wanted, changed)
        record = self._started(session, object_id, wanted, changed) or record
        record = self._send(session, object_id, old, wanted, changed) or record
        password = self._rotated(session, object_id, old, wanted, changed) or password
        if record is None:
            record = find_if_offered(session, object_id) or unmanaged(old)
        waited = self.wait(session, object_id, wanted, record)
        waited.refuse_deleted(session, self.what(wanted), object_id)
        waited = self._stopped(session, object_id, wanted, waited)
        return self._state_after(session, wanted, waited, password, before=old)

    def _rotated(
        self, session: Session, object_id: str, old: State[Service], wanted: Service, changed: Collection[str]
    ) -> str | None:
        """Set a new password for a changed rotation, and if nobody knows the current one; return it."""
        rotation = wanted.password_rotation if ROTATION in changed else None
        if rotation is None and {ROTATION, HASH}.isdisjoint(old.doubtful):
            return None
        # It follows from the former one, so that a repeat sets the same.
        return reset_password(session, object_id, wanted, rotation or "", old.actual.password or "")

    def delete(self, session: Session, object_id: str, state: State[Service]) -> None:
        """Stop the service, delete it, and wait until it is gone.

        Raises:
            ResourceError: The service did not stop, or was not deleted, in time.
        """
        what = f"{self.what(state.wanted)} ({object_id})"
        delete_service(session, object_id, what, state.wanted.wait_timeout_minutes)

    def import_(self, session: Session, object_id: str, hints: Service) -> tuple[str, State[Service]]:
        """Take over a service; its password stays unknown, and its endpoints stay unmanaged."""
        record = find_service(session, object_id)
        if record is None:
            raise self.missing(object_id)
        fixed = {name: record.answer[name] for name in self.type.immutable if name in record.answer}
        reported = {**fixed, **to_wire(record)}
        for name in (ENDPOINTS, SCHEDULE):
            reported.pop(name, None)
        reported |= existing_settings(session, object_id, record)
        if stopped_in(record.state):
            reported[IS_STOPPED] = True
        if not record.idle_scaling or record.idle_timeout_minutes == USUAL_IDLE_MINUTES:
            reported.pop(IDLE_MINUTES, None)  # nobody has chosen it, or it means nothing
        if record.is_primary:
            reported.pop(WAREHOUSE, None)  # the warehouse came with this service; another service has to name it
        wanted, left_out = self.importable(session, Service.model_construct(), reported, hints)
        return object_id, State(wanted, record, left_out)

    # -- creating ------------------------------------------------------------------------------------------------

    def body_of_create(self, session: Session, wanted: Service) -> WireDict:
        """Return the body of a POST."""
        body = self.body(wanted, AT_ONCE)
        return {**body, WAREHOUSE: usual_id(body[WAREHOUSE])} if WAREHOUSE in body else body

    def _complete(
        self, session: Session, service_id: str, wanted: Service, waited: WaitResult[Service], password: str
    ) -> State[Service]:
        """Send what a create does not accept. What fails stays out of state, so that the next `up` sends it."""
        names = (*to_wire(wanted, LATER),)
        if len(wanted.tags or ()) >= MAX_TAGS:  # the tag that marks the creation took the place of the last one
            names += (TAGS,)
        before = State(without(wanted, names), waited.record or construct(Service, {}))
        if not names or waited.problem:
            return self._state_after(session, before.wanted, waited, password)
        try:
            waited.record = self._send(session, service_id, before, wanted, names) or waited.record
            waited = self._stopped(session, service_id, wanted, waited)
            arrived = wanted
        except CloudDBError as error:
            waited.problem = f"{', '.join(names)} could not be set: {first_line(error)}"
            arrived = self._with_arrived_settings(session, service_id, before, wanted)
        return self._state_after(session, arrived, waited, password)

    def _adopt(
        self, session: Session, created: CreateResult[Service], wanted: Service, waited: WaitResult[Service]
    ) -> State[Service]:
        """Bring a service whose response was lost up to date; its password is lost with that, and is reset.

        What does not arrive is in state as the server has it, so that the next `up` sends it again.
        """
        record, service_id, password = waited.record or construct(Service, {}), created.id, None
        self.refuse_another(created, wanted, record)
        try:
            password = reset_password(session, service_id, wanted)
        except CloudDBError as error:
            waited.problem = f"its first password was lost with the response, and not reset: {first_line(error)}"
        before = State(self.as_created(without(wanted, LATER), created, record), record)
        try:
            settings = self._with_existing_settings(session, service_id, before.wanted, record)
            current = self.refreshed(State(settings, record), record, service_id)
            changed = self._sent_changes(current, wanted)
            waited.record = self._send(session, service_id, current, wanted, changed) or record
            waited = self._stopped(session, service_id, wanted, waited)
            return self._state_after(session, wanted, waited, password)
        except CloudDBError as error:
            problem = f"adopted after an interrupted run, but not brought up to date: {first_line(error)}"
        actual = self._state_after(session, wanted, waited, password).actual
        record = find_if_readable(session, service_id) or record
        arrived = self._with_arrived_settings(session, service_id, State(before.wanted, record), wanted)
        state = self.refreshed(State(arrived, actual), record, service_id)
        state.actual.last_error = problem
        state.actual.settings_unread = True
        session.warn(f"Service {wanted.name!r} ({service_id}) was {problem}")
        return state

    def _with_existing_settings(self, session: Session, service_id: str, wanted: Service, record: Service) -> Service:
        """Return inputs with all settings that the service has: an interrupted run set them, so that they are ours."""
        return self._args({**to_wire(wanted), **existing_settings(session, service_id, record)})

    def _with_arrived_settings(
        self, session: Session, service_id: str, before: State[Service], wanted: Service
    ) -> Service:
        """Return inputs with the settings that arrived before one failed.

        If they cannot be read, each may have arrived. Then state has all of them, so that an update clears those that
        are taken out of the program; it sends the others again because there is a `lastError`.
        """
        try:
            record = find_if_readable(session, service_id) or before.actual
            return self._with_existing_settings(session, service_id, before.wanted, record)
        except CloudDBError:
            answered = [name for name in LATER if name not in SECRET_SETTINGS]
            return self._args({**to_wire(before.wanted), **to_wire(wanted, answered)})

    # -- updating ------------------------------------------------------------------------------------------------

    def _sent_changes(self, old: State[Service], wanted: Service) -> list[str]:
        """Return the changes that an update sends: what is taken out keeps its value, unless the update clears it."""
        return [name for name in self.changes(old, wanted) if name in CLEARED or name in to_wire(wanted)]

    def _repair(self, session: Session, service_id: str, old: State[Service], wanted: Service) -> Service | None:
        """Wait for the service, and start it if it has failed."""
        record = find_if_offered(session, service_id) or unmanaged(old)
        waited = self.wait(session, service_id, wanted, record)
        if waited.state in FAILED:
            waited = self._start(session, service_id, wanted, waited)
        waited.refuse_deleted(session, self.what(old.wanted), service_id)
        if waited.problem and waited.state in FAILED:
            raise ResourceError(
                f"{self.what(old.wanted)} ({service_id}): {waited.problem}",
                "Ask the operator of the server to repair it, then run `pulumi up` again. If it contains no data, "
                f"delete it with `pulumi destroy --target {shlex.quote(session.urn or 'URN')}` and run `pulumi up`, "
                "which creates another one.",
            )
        if waited.problem:
            raise self.not_running(service_id, old.wanted, waited)
        return waited.record

    def _start(
        self, session: Session, service_id: str, wanted: Service, failed: WaitResult[Service]
    ) -> WaitResult[Service]:
        """Start a service that has failed, and wait until it runs."""
        try:
            record = command_service(session, service_id, Command.START, STARTED)
        except (ClientError, UnsupportedOperationError) as error:
            return WaitResult(failed.record, f"{failed.problem}, and it cannot be started: {error.message}")
        return self.wait(session, service_id, wanted, record)

    def _started(self, session: Session, service_id: str, wanted: Service, changed: Collection[str]) -> Service | None:
        """Start a stopped service if the program wants that, or a change needs it; return its record then.

        A change needs it only after a failure, which sends everything again: check refuses the other ones.
        """
        if wanted.stopped is None or (wanted.stopped and VALUES not in changed):
            return None
        record = find_if_offered(session, service_id)
        if record is None or record.state not in AT_REST:
            return None
        if record.state == Status.STOPPING:
            self._ended(session, service_id, wanted, self._wait_for_stop(session, service_id, wanted, record))
        session.runtime.progress("starting the service")
        record = command_service(session, service_id, Command.START, STARTED)
        return self._ended(session, service_id, wanted, self.wait(session, service_id, wanted, record))

    def _ended(self, session: Session, service_id: str, wanted: Service, waited: WaitResult[Service]) -> Service | None:
        """Return the record after a wait, unless the wait failed or the service is gone."""
        waited.refuse_deleted(session, self.what(wanted), service_id)
        if waited.problem:
            raise self.not_running(service_id, wanted, waited)
        return waited.record

    def _stopped(
        self, session: Session, service_id: str, wanted: Service, waited: WaitResult[Service]
    ) -> WaitResult[Service]:
        """Stop the service if the program wants that, and wait until it has stopped."""
        record = waited.record
        if not wanted.stopped or waited.problem or record is None or record.state in STOPPED:
            return waited
        if record.state != Status.STOPPING:
            session.runtime.progress("stopping the service")
            record = command_service(session, service_id, Command.STOP, STOPS)
        return self._wait_for_stop(session, service_id, wanted, record)

    def _wait_for_stop(
        self, session: Session, service_id: str, wanted: Service, record: Service
    ) -> WaitResult[Service]:
        def done(seen: Service | None) -> bool:
            return seen is not None and seen.state in STOPPED | GONE

        return self.wait(session, service_id, wanted, record, done=done, goal=Status.STOPPED)

    def _send(
        self, session: Session, service_id: str, old: State[Service], wanted: Service, changed: Sequence[str]
    ) -> Service | None:
        return ServiceUpdate(session, service_id, old, wanted, changed, self.took).send()

    # -- state ---------------------------------------------------------------------------------------------------

    def _state_after(
        self,
        session: Session,
        wanted: Service,
        waited: WaitResult[Service],
        password: str | None,
        *,
        before: State[Service] | None = None,
    ) -> State[Service]:
        """Return the state after a create or an update: a response need not repeat all that was known before."""
        record = waited.record or construct(Service, {})
        actual = merged(_still_known(before, record), record) if before else record.model_copy()
        endpoints = before.actual.endpoints if before and record.endpoints is None else record.endpoints
        actual.endpoints = merged_endpoints(endpoints, wanted.endpoints)
        actual.password = None if wanted.password_hash is not None else password
        actual.last_error = waited.problem
        actual.settings_unread = None
        self.warn_if_unready(session, wanted, waited)
        return State(wanted, actual)

    def shown(self, actual: Service, served: WireValues) -> WireValues:
        """Return the inputs in a response; endpoints that it lacks are those in state."""
        return {name: value for name, value in served.items() if name != ENDPOINTS or name in actual.answer}

    def refreshed(self, state: State[Service], record: Service, object_id: str) -> State[Service]:
        """Return the state of a service as its server has it now."""
        if state.wanted.stopped is not None:
            record = record.model_copy(update={"stopped": stopped_in(record.state)})
        endpoints = merged_endpoints(record.endpoints, managed_endpoints(state.actual.endpoints))
        wanted = self.reconciled(state, record)
        if wanted.endpoints is not None:
            wanted.endpoints = managed_endpoints(endpoints)
        actual = with_ours(record, state.actual)
        actual.endpoints = endpoints
        return State(wanted, actual)


def _still_known(before: State[Service], record: Service) -> Service:
    """Return what state has of a service, without what a newer record shows as a whole."""
    known = unmanaged(before)
    if record.autoscaling_mode is None:
        return known
    return without(known, {*REPLICA_SCALING, *TOTAL_MEMORY, *FOLLOWS_SCALING, SCHEDULE})


def _further_endpoints(record: object, wanted: object) -> list[str]:
    """Return the private endpoints of a record that the inputs lack, if the inputs have a list of them."""
    ours, attached = _endpoint_ids(wanted), _endpoint_ids(record)
    return [] if ours is None else [each for each in attached or () if each not in ours]


def _endpoint_ids(of: object) -> list[str] | None:
    ids: list[str] | None = vars(of).get("private_endpoint_ids")
    return ids


def _without_further_endpoints(record: ModelT, wanted: object) -> ModelT:
    further = _further_endpoints(record, wanted)
    if not further:
        return record
    ids = [each for each in _endpoint_ids(record) or () if each not in further]
    return record.model_copy(update={"private_endpoint_ids": ids})


def _all_sent_again(old: State[Service], wanted: Service, changed: Sequence[str]) -> tuple[State[Service], list[str]]:
    """Return the state before and the changes of an update after a failure: it is not known which settings arrived."""
    values = dict.fromkeys(old.wanted.settings or (), "")
    before = replace(old, wanted=old.wanted.model_copy(update={"settings": values}))
    return before, [*changed, *(name for name in to_wire(wanted, LATER) if name not in changed)]


def _password_in(created: CreateResult[Service]) -> str | None:
    """Return the password in the response to a create; None if the response was lost."""
    password = construct(ServiceCreated, created.result or {}).password
    return password if isinstance(password, str) else None


def _warn_of_duplicates(session: Session, service_id: str, name: str | None, seconds: float) -> None:
    """Warn if another machine has created a service of that name at the same moment, `seconds` ago."""
    services = session.api.of(Services)
    try:
        listed = services.records(max_age=seconds, allow_stale=True)  # older lists prove nothing
    except CloudDBError:  # not worth an error: the service exists
        return
    others = [
        each
        for each, record in (listed or {}).items()
        if each != service_id and record.name == name and services.exists(record)
    ]
    if others:
        session.warn(
            f"Another service is named {name!r}, too: {', '.join(others)}. It was created at the same moment "
            f"as {service_id}, somewhere else. Delete the one that nobody needs."
        )
