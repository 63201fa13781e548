"""The managed database service: created once, waited for, changed in place, stopped before it is deleted."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from dataclasses import replace

from pulumi_clouddb.client.errors import CloudDBError, ResourceError, UnsupportedOperationError, first_line
from pulumi_clouddb.create.create_request import CreateRequest
from pulumi_clouddb.create.creation import create_once
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.resource.base import DiffResult, Resource
from pulumi_clouddb.resource.functions import Function, listing
from pulumi_clouddb.resource.guarded import guarded, refuse_protected, replacement_refused
from pulumi_clouddb.resource.state import State, among, merged, state_to_wire, unmanaged, without
from pulumi_clouddb.resource.waits import CREATED_ANEW, WaitResult, deleted_meanwhile
from pulumi_clouddb.schema.convert import construct, to_wire
from pulumi_clouddb.schema.names import NAME, property_names
from pulumi_clouddb.schema.tags import MAX_TAGS
from pulumi_clouddb.schema.values import WireValues
from pulumi_clouddb.schema.view import known_or, view_of

from .api import Services
from .backups import GET_BACKUP, LIST_BACKUPS
from .lifecycle import (
    end_service,
    find_service,
    known_service,
    seen_service,
    start_service,
    wait_until_ready,
)
from .parts import switches
from .service import (
    AT_ONCE,
    GET_PRIVATE_ENDPOINT_CONFIG,
    GET_SERVICE,
    LAST_ERROR,
    LATER,
    LIST_SERVICES,
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
    ROTATION,
    SCHEDULE,
    SECRET_SETTINGS,
    VALUES,
    WINDOW,
    found_settings,
    lacks_secret,
    reset_password,
    schedule_as_said,
    with_settings,
)
from .states import FAILED, PENDING
from .updates import (
    ENDPOINTS,
    FOLLOWS_SCALING,
    MODE,
    PRIVATE_ENDPOINT_IDS,
    TAGS,
    ServiceState,
    merged_endpoints,
    send_changes,
    set_endpoints,
)

STATE, AVAILABLE, WAREHOUSE, ALLOW_DUPLICATE, PASSWORD = property_names(
    Service,
    lambda service: (
        service.state,
        service.available_private_endpoint_ids,
        service.data_warehouse_id,
        service.allow_duplicate_name,
        service.password,
    ),
)
ANSWERED_LATER = tuple(name for name in LATER if name not in SECRET_SETTINGS)
"""What is sent once the service runs, and answered."""

CLEARED = (TAGS, MODE, BACKUPS, QUERIES, SCHEDULE, WINDOW, VALUES, BUCKET)
"""What is cleared on the server when a program no longer says it."""


UNFINISHED = "not brought up to date"
"""Words of the last error of a service that was adopted after an interrupted run: all its settings are ours."""


class ServiceResource(Resource[Service, Service]):
    """A service; its password is answered once, at creation, and lives in state only."""

    type = SERVICE
    collection = Services
    naming = (NAME,)
    functions = (
        Function(GET_SERVICE, lambda api, args: to_wire(api.of(Services).get(args.service_id))),
        Function(LIST_SERVICES, lambda api, args: listing(LIST_SERVICES, api.of(Services), args.name)),
        Function(
            GET_PRIVATE_ENDPOINT_CONFIG,
            lambda api, args: to_wire(api.of(Services).private_endpoint_config(args.service_id)),
        ),
        Function(GET_BACKUP, lambda api, args: to_wire(api.of(Services).backup(args.service_id, args.backup_id))),
        Function(
            LIST_BACKUPS,
            lambda api, args: {"backups": [to_wire(each) for each in api.of(Services).backups(args.service_id)]},
        ),
    )

    def refusal(self, session: Session, inputs: WireValues, old: WireValues | None) -> ResourceError | None:  # noqa: ARG002
        """Return that a bucket changes without its secret.

        Without old inputs it may be an import, which does not know the secret; of a new service, the server asks for
        it.
        """
        if not old or not lacks_secret(inputs, old):
            return None
        return ResourceError("backupBucket is changed without backupBucketSecret", "Give its secret, too.")

    def diff(self, old: WireValues, new: WireValues) -> DiffResult:
        """Compare; refuse a change that would need another database, unless that is allowed.

        Raises:
            ResourceError: A field that cannot change in place changes, and `allowReplacement` is not set.
        """
        return guarded(self.type, super().diff(old, new), old, new, self._seen(old).wanted, view_of(Service, new))

    def same(self, name: str, old: object, new: object) -> bool:
        """Compare by meaning; of the endpoints in state only those that the inputs name count."""
        if name == ENDPOINTS and isinstance(old, list) and isinstance(new, list):
            served, wanted = switches(old), switches(new)
            return all(served.get(protocol, False) == enabled for protocol, enabled in wanted.items())
        return super().same(name, old, new)

    def needs_repair(self, old: ServiceState) -> tuple[str, ...]:
        """Return the property that shows unfinished work: a pending or failed service, or one without its password."""
        if old.actual.last_error:
            return (LAST_ERROR,)
        unready = old.actual.state in PENDING | FAILED and old.wanted.wait_timeout_minutes != 0
        return (STATE,) if unready else ()

    def outputs_changed_by(self, old: ServiceState, changed: tuple[str, ...]) -> Iterable[str]:
        """Return the outputs that follow from scaling, private endpoints, and finishing the last run."""
        yield STATE
        if set(changed) & {*REPLICA_SCALING, *TOTAL_MEMORY, SCHEDULE}:
            yield from (*REPLICA_SCALING, *TOTAL_MEMORY, *FOLLOWS_SCALING)
        if PRIVATE_ENDPOINT_IDS in changed:
            yield AVAILABLE
        if (not old.actual.password and old.actual.last_error) or {HASH, ROTATION} & {*changed}:
            yield PASSWORD

    def create(self, session: Session, wanted: Service) -> tuple[str, ServiceState]:
        """Create the service, or adopt the one whose response was lost, and wait until it runs."""
        created = create_once(session, self._request(session, wanted, self.body(wanted, AT_ONCE)))
        began = session.runtime.monotonic()
        new = created.result is not None
        waited = wait_until_ready(session, created.id, created.record, wanted.wait_timeout_minutes, new=new)
        if waited.gone:  # state would hold what is no more, and every later `up` would look for it
            session.entry.forget()
            raise deleted_meanwhile(f"service {wanted.name!r}", created.id, waited, CREATED_ANEW)
        password = construct(ServiceCreated, created.result or {}).password
        if created.result is not None and isinstance(password, str) and password:
            state = self._completed(session, created.id, waited, wanted, password)
        else:
            state = self._adopted(session, created.id, waited, wanted)
        if not wanted.allow_duplicate_name:
            _warn_of_duplicates(session, created.id, wanted.name, session.runtime.monotonic() - began)
        return created.id, state

    def read(self, session: Session, object_id: str, state: ServiceState) -> ServiceState | None:
        """Find the service in the shared list."""
        try:
            record = find_service(session, object_id)
        except UnsupportedOperationError:
            return self.keep_unread(session, state, "a service")
        if record is None:
            return None
        live = self._as_served(state, with_settings(session, object_id, state.wanted, record))
        unready = record.state in PENDING | FAILED or not state.actual.password
        live.actual.last_error = state.actual.last_error if unready else None
        return live

    def update(self, session: Session, object_id: str, old: ServiceState, wanted: Service) -> ServiceState:
        """Send the changes, and finish what the last run left undone.

        Raises:
            ResourceError: A field that cannot change in place changes.
        """
        if UNFINISHED in (old.actual.last_error or ""):  # what an update has set that failed, no state says
            found = self._with_found(session, object_id, old.wanted, known_service(session, object_id) or old.actual)
            old = State(found, old.actual)
        changed = self._changed_in_place(old, wanted)
        record = self._finish(session, object_id, old, wanted)
        password = old.actual.password
        if wanted.password_hash is None and not password and old.actual.last_error:
            password = reset_password(session, object_id, wanted)
        if old.actual.last_error:  # which settings have arrived may not be known
            changed += [name for name in among(to_wire(wanted), LATER) if name not in changed]
            values = dict.fromkeys(old.wanted.settings or (), "")
            old = State(old.wanted.model_copy(update={"settings": values}), old.actual)
        record = send_changes(self, session, object_id, old, wanted, changed) or record
        if wanted.password_rotation is not None and ROTATION in changed and wanted.password_hash is None:
            password = reset_password(session, object_id, wanted, wanted.password_rotation, old.actual.password or "")
        if record is None:
            record = known_service(session, object_id) or unmanaged(old)
        waited = wait_until_ready(session, object_id, record, wanted.wait_timeout_minutes)
        if waited.gone:
            raise deleted_meanwhile(f"service {wanted.name!r}", object_id, waited)
        return _state(session, wanted, waited, password, before=old)

    def delete(self, session: Session, object_id: str, state: ServiceState) -> None:
        """Stop the service, delete it, and wait until it is gone.

        Raises:
            ResourceError: The service is protected, or did not stop or go in time.
        """
        what = f"service {state.wanted.name!r} ({object_id})"
        refuse_protected(state.wanted, what)
        end_service(session, object_id, what, state.wanted.wait_timeout_minutes)

    def import_(self, session: Session, object_id: str, hints: Service) -> tuple[str, ServiceState]:  # noqa: ARG002
        """Take over a running service; its password stays unknown here, and what is open stays the server's."""
        record = find_service(session, object_id)
        if record is None:
            raise self.missing(object_id)
        fixed = {name: record.answer[name] for name in self.type.immutable if name in record.answer}
        reported = {name: value for name, value in {**fixed, **to_wire(record)}.items() if name != ENDPOINTS}
        if SCHEDULE in reported:
            reported[SCHEDULE] = schedule_as_said(reported[SCHEDULE] or {}, {})
        reported |= found_settings(session, object_id, record)
        if record.is_primary:
            reported.pop(WAREHOUSE, None)  # it came with this service; another service of it has to name it
        wanted, left_out = self.importable(session, Service.model_construct(), reported)
        return object_id, State(wanted, record, left_out)

    # -- creating ------------------------------------------------------------------------------------------------

    def unique_request(self, session: Session, wanted: Service) -> CreateRequest[Service] | None:
        """Return the request that creates a service, unless its name may be given twice."""
        return None if wanted.allow_duplicate_name else self._request(session, wanted, {})

    def _request(self, session: Session, wanted: Service, body: WireValues) -> CreateRequest[Service]:
        request = CreateRequest(
            what=f"service {wanted.name!r}",
            name=str(wanted.name),
            resource=self.type,
            collection=session.api.of(Services),
            body=body,
            unique=not wanted.allow_duplicate_name,
            allowed_by=ALLOW_DUPLICATE,
            locks_out=True,
        )
        if not known_or(True, lambda: wanted.deletion_protection):
            return request
        return replace(request, to_replace="set deletionProtection to false and run `pulumi up` first")

    def _completed(
        self, session: Session, service_id: str, waited: WaitResult[Service], wanted: Service, password: str | None
    ) -> ServiceState:
        """Send what *Create service* does not accept. What fails stays out of state, so that the next `up` sends it."""
        names = among(to_wire(wanted), LATER)
        if len(wanted.tags or ()) >= MAX_TAGS:  # the tag that marks the creation took the place of the last one
            names += (TAGS,)
        if not names:
            return _state(session, wanted, waited, password)
        if waited.problem is None:
            before = State(without(wanted, names), waited.record or construct(Service, {}))
            try:
                waited.record = send_changes(self, session, service_id, before, wanted, names) or waited.record
                return _state(session, wanted, waited, password)
            except CloudDBError as error:
                waited.problem = f"{', '.join(names)} did not arrive: {first_line(error)}"
                arrived = self._arrived(session, service_id, before.wanted, before.actual, wanted)
                return _state(session, arrived, waited, password)
        return _state(session, without(wanted, names), waited, password)

    def _with_found(self, session: Session, service_id: str, rest: Service, record: Service) -> Service:
        """Return arguments with the settings that a service of ours has: what no run is known to have set is cleared.

        Raises:
            ApiError: They could not be read.
        """
        schedule = schedule_as_said(to_wire(record).get(SCHEDULE) or {}, {})
        found = {**found_settings(session, service_id, record), **({SCHEDULE: schedule} if schedule else {})}
        return self._args({**to_wire(rest), **found})

    def _arrived(self, session: Session, service_id: str, rest: Service, record: Service, wanted: Service) -> Service:
        """Return arguments with the settings that have arrived although one has failed.

        Where they cannot be read, any may have arrived: state has them, so that they are cleared when the program no
        longer says them, and the next update sends them again, as there is a `lastError`.
        """
        try:
            return self._with_found(session, service_id, rest, seen_service(session, service_id) or record)
        except CloudDBError:
            return self._args({**to_wire(rest), **to_wire(wanted, ANSWERED_LATER)})

    def _adopted(self, session: Session, service_id: str, waited: WaitResult[Service], wanted: Service) -> ServiceState:
        """Make a service whose response was lost what it should be; its first password is lost, so it gets another.

        What does not arrive stays, in state, as the server has it, so that the next `up` sends it again.
        """
        record = waited.record or construct(Service, {})
        self._refuse_another(service_id, wanted, record)
        password = None
        try:
            password = None if wanted.password_hash is not None else reset_password(session, service_id, wanted)
        except CloudDBError as error:
            waited.problem = f"its first password was lost with the response, and not reset: {first_line(error)}"
        rest = without(wanted, LATER)
        try:
            before = self._as_served(State(self._with_found(session, service_id, rest, record), record), record)
            changed = self.changes(before, wanted)
            waited.record = send_changes(self, session, service_id, before, wanted, changed) or record
            return _state(session, wanted, waited, password)
        except CloudDBError as error:
            state, record = _state(session, wanted, waited, password), seen_service(session, service_id) or record
            state = self._as_served(
                State(self._arrived(session, service_id, rest, record, wanted), state.actual), record
            )
            problem = f"adopted after an interrupted run, but {UNFINISHED}: {first_line(error)}"
            state.actual.last_error = problem
            session.warn(f"Service {wanted.name!r} ({service_id}) was {problem}")
        return state

    def _refuse_another(self, service_id: str, wanted: Service, record: Service) -> None:
        """Refuse to adopt a service whose immutable properties differ.

        Not every dialect documents these properties in what a server answers, so its whole answer counts.

        Raises:
            ResourceError: It was.
        """
        before = self._as_served(State(wanted, record), record)
        said, secret, answer = to_wire(wanted), self.type.secrets, record.answer
        answered = {name: answer[name] for name in self.type.immutable if answer.get(name) is not None}
        theirs = {**to_wire(before.wanted, self.type.immutable), **answered}
        fixed = [name for name in theirs if name in said and not self.same(name, theirs[name], said[name])]
        if fixed:
            there = ", ".join(name if name in secret else f"{name} {theirs[name]!r}" for name in fixed)
            raise ResourceError(
                f"service {wanted.name!r} ({service_id}) was created by an interrupted run with another "
                f"{', '.join(fixed)}",
                f"Put {there} back into the program, or delete the service in the console, then run again.",
            )

    # -- updating ------------------------------------------------------------------------------------------------

    def _changed_in_place(self, old: ServiceState, wanted: Service) -> list[str]:
        """Return the wire names of what an update sends.

        Raises:
            ResourceError: A field that cannot change in place is among them.
        """
        said = to_wire(wanted)
        changed = [name for name in self.changes(old, wanted) if name in said or name in CLEARED]
        fixed = tuple(name for name in changed if name in self.type.immutable)
        if fixed:
            raise replacement_refused(self.type, old.wanted.name, state_to_wire(SERVICE, old), said, fixed)
        return changed

    def _finish(self, session: Session, service_id: str, old: ServiceState, wanted: Service) -> Service | None:
        """Finish the last run: wait for a pending service, start a failed one."""
        if not self.needs_repair(old):
            return None
        record = known_service(session, service_id) or unmanaged(old)
        waited = wait_until_ready(session, service_id, record, wanted.wait_timeout_minutes)
        if waited.state in FAILED:
            waited = start_service(session, service_id, waited, wanted.wait_timeout_minutes)
        if waited.gone:
            raise deleted_meanwhile(f"service {old.wanted.name!r}", service_id, waited)
        if waited.problem:
            raise ResourceError(
                f"service {old.wanted.name!r} ({service_id}): {waited.problem}",
                "Ask who runs the server to repair it, then run `pulumi up` again. If it holds no data, delete it with "
                f"`pulumi destroy --target {shlex.quote(session.urn or 'URN')}` and run `pulumi up`, which creates "
                "another one."
                if waited.state in FAILED
                else "Look at it in the console, or raise waitTimeoutMinutes, then run `pulumi up` again.",
            )
        return waited.record

    def _as_served(self, state: ServiceState, record: Service) -> ServiceState:
        """Return state in which every argument that the server shows otherwise is as the server shows it."""
        endpoints = merged_endpoints(record.endpoints, set_endpoints(state.actual.endpoints))
        wanted = self.reconciled(state.wanted, record)
        if wanted.endpoints is not None:
            wanted.endpoints = set_endpoints(endpoints)
        ours = {"endpoints": endpoints, "password": state.actual.password, "last_error": state.actual.last_error}
        return State(wanted, record.model_copy(update=ours))


def _warn_of_duplicates(session: Session, service_id: str, name: str | None, seconds: float) -> None:
    """Look whether another machine has created a service of that name at the same moment, so many seconds ago."""
    services = session.api.of(Services)
    try:
        listed = services.records(max_age=seconds, allow_stale=True)  # older lists say nothing
    except CloudDBError:  # not worth an error: the service is there
        return
    others = [each for each, record in (listed or {}).items() if record.name == name and services.exists(record)]
    others = [each for each in others if each != service_id]
    if others:
        session.warn(
            f"Another service is named {name!r}, too: {', '.join(others)}. It was created at the same moment "
            f"as {service_id}, somewhere else. Delete the one that nobody needs."
        )


def _state(
    session: Session,
    wanted: Service,
    waited: WaitResult[Service],
    password: str | None,
    *,
    before: ServiceState | None = None,
) -> ServiceState:
    record = waited.record or construct(Service, {})
    served = record.endpoints
    actual = record.model_copy() if before is None else merged(_still_true(unmanaged(before), record), record)
    if before is not None:
        served = before.actual.endpoints if served is None else served
    if waited.problem:
        session.warn(
            f"Service {wanted.name!r} exists and is in state, but is not yet ready: {waited.problem}\n"
            + (
                "The next `pulumi up` asks the server to start it."
                if waited.state in FAILED
                else "The next `pulumi up` goes on from here."
            )
        )
    actual.endpoints = merged_endpoints(served, wanted.endpoints)
    actual.password = None if wanted.password_hash is not None else password
    actual.last_error = waited.problem
    return State(wanted, actual)


def _still_true(before: Service, now: Service) -> Service:
    """Return the last record without what another mode of scaling has: a record that tells the mode tells all of it."""
    if now.autoscaling_mode is None:
        return before
    return without(before, {*REPLICA_SCALING, *TOTAL_MEMORY, *FOLLOWS_SCALING, SCHEDULE})
