"""An ingestion pipe: created once, waited for, changed in place where the API allows it, and restarted if it failed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from pulumi_clouddb.client.collection import Api
from pulumi_clouddb.client.errors import FAILED_DEPENDENCY, ClientError, CloudDBError, ResourceError, first_line
from pulumi_clouddb.create.creation import create_once
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.resource.base import DiffResult, missing_in
from pulumi_clouddb.resource.busy import BusyRetry, is_in
from pulumi_clouddb.resource.functions import Function, get_one, list_all
from pulumi_clouddb.resource.plain import PlainResource
from pulumi_clouddb.resource.settled import settled
from pulumi_clouddb.resource.state import State, among, without
from pulumi_clouddb.resource.waits import Awaited, WaitResult, wait, wait_until_gone
from pulumi_clouddb.schema.base import Record, Uuid
from pulumi_clouddb.schema.convert import to_wire
from pulumi_clouddb.schema.names import LAST_ERROR, NAME, property_name
from pulumi_clouddb.schema.thing import with_ours
from pulumi_clouddb.schema.values import WireDict, WireValues
from pulumi_clouddb.schema.view import known_or, view_of
from pulumi_clouddb.things.services.lifecycle import once_awake

from .api import Command, Pipes, of_pipe
from .changes import CREDENTIALS, DESTINATION, OF_UPDATE, SETTINGS, SOURCE, fixed_changes, update_body
from .credentials import REGISTRY, with_credentials
from .discovery import (
    DISCOVER_PIPE_SCHEMA,
    GET_PIPE_SERVICE_CONTEXT,
    DiscoverPipeSchema,
    GetPipeServiceContextArgs,
    PipeServiceContext,
)
from .parts import measured
from .pipe import AT_ONCE, FAILED, PENDING, PIPE, RUNNING, STILL, STOPPED, STOPS, Pipe
from .rules import OF_ONE_TABLE, foreign_sizes, has_foreign_slot, lacking_credentials, lacks_registry_credentials
from .sources import DATABASES, kind_of, without_credentials, without_empty

_INTERRUPTED = "it was stopped to be changed, and that run was interrupted"
"""The last error of a pipe that such a run has left stopped."""

STATE = property_name(Pipe, lambda pipe: pipe.state)
SCALING = property_name(Pipe, lambda pipe: pipe.scaling)
IS_STOPPED = property_name(Pipe, lambda pipe: pipe.stopped)
UPDATED_AT = property_name(Pipe, lambda pipe: pipe.updated_at)


class PipeResource(PlainResource[Pipe]):
    """An ingestion pipe."""

    type = PIPE
    collection = Pipes
    functions = (
        get_one(PIPE, Pipes, form=Uuid),
        Function(DISCOVER_PIPE_SCHEMA, lambda api, args: _discovered(api.of(Pipes, args.service_id), args)),
        Function(GET_PIPE_SERVICE_CONTEXT, lambda api, args: to_wire(_context(api, args))),
        list_all(PIPE, Pipes, by_name=True),
    )

    def server_refusal(self, session: Session, inputs: WireValues, old: WireValues | None) -> ResourceError | None:
        """Refuse a new pipe without the credentials that it needs, or with a slot that the server creates itself."""
        wanted = view_of(Pipe, inputs)
        if old:
            return None
        of, missing = "source", known_or("", lambda: lacking_credentials(wanted))
        if not missing and known_or(False, lambda: lacks_registry_credentials(wanted.source, wanted.credentials)):
            of, missing = "schema registry of type `confluent`", REGISTRY[0]
        if missing:
            problem = f"{self.what(wanted)} lacks the credentials of its {of}"
            return ResourceError(problem, f"Set {missing} in its credentials.")
        if known_or(False, lambda: has_foreign_slot(wanted)):
            return ResourceError(
                f"source.postgres.settings.replicationSlotName of {self.what(wanted)} is for replicationMode cdc_only",
                "Remove it, or set replicationMode to cdc_only.",
            )
        return None

    def diff(self, old: WireValues, new: WireValues) -> DiffResult:
        """Compare; refuse a change that needs a new pipe, unless that is allowed or the service changes.

        A replacement deletes first: two pipes would both write what they read.

        Raises:
            ResourceError: A property changes that no update accepts, and `allowReplacement` is not set.
        """
        result = super().diff(old, new)
        allowed = known_or(True, lambda: view_of(Pipe, new).allow_replacement)
        fixed = fixed_changes(old, new, unknown=bool(allowed))
        if fixed and not allowed and not result.replaces:
            raise _refused(old.get(NAME), fixed)
        replaces = (*result.replaces, *dict.fromkeys(path.partition(".")[0] for path in fixed))
        return replace(result, replaces=replaces, delete_before_replace=True)

    @property
    def deleted_first_unless(self) -> tuple[str, ...]:
        """No names: a replacement always deletes first, as `diff` does."""
        return ()

    def needs_repair(self, old: State[Pipe]) -> tuple[str, ...]:
        """Return the property that shows unfinished work: a pending or failed pipe."""
        if old.actual.last_error:
            return (LAST_ERROR,)
        unready = old.actual.state in PENDING | FAILED and old.wanted.wait_timeout_minutes != 0
        return (STATE,) if unready and not old.wanted.stopped else ()

    def outputs_changed_by(self, old: State[Pipe], changed: tuple[str, ...]) -> Iterable[str]:
        """Return the outputs that an update changes; scaling and settings change only with their inputs."""
        return (STATE, UPDATED_AT, *among(changed, (SCALING, SETTINGS, IS_STOPPED)))

    # -- operations ----------------------------------------------------------------------------------------------

    def busy_retry(self, session: Session, object_id: str, wanted: Pipe, *, deleting: bool = False) -> BusyRetry:
        """Repeat writes for the time of a wait, as long as the pipe shows that the server works on it."""
        busy_retry = busy_retry_of(session, wanted.service_id, object_id, wanted.wait_timeout_minutes)
        return replace(busy_retry, final=(FAILED_DEPENDENCY,))  # after that, the service is woken

    def create(self, session: Session, wanted: Pipe) -> tuple[str, State[Pipe]]:
        """Create the pipe, and wait until it runs, or has stopped."""
        body = self.body(wanted, AT_ONCE)
        created = once_awake(session, wanted, lambda: create_once(session, self._request(session, wanted, body)))
        waited = _Steps(self, session, created.id, wanted).until_created(created.record)
        waited.refuse_deleted(session, self.what(wanted), created.id, new=True)
        if created.result is not None:  # that of an earlier run may lack what the program has added since
            waited.problem = waited.problem or ignored_by_server(wanted, waited.record)
        state = _state(session, wanted, waited)
        if created.result is None:
            found = self.reconciled(State(wanted, state.actual), state.actual)
            sent = self.as_created(found, created, state.actual)  # the program may have changed meanwhile
            state = replace(state, wanted=without(sent, (CREDENTIALS,) if created.adopted else ()))
            if waited.problem is None:
                state = self.update(session, created.id, state, wanted)
        return created.id, state

    def read(self, session: Session, object_id: str, state: State[Pipe]) -> State[Pipe] | None:
        """Find the pipe in the shared list."""
        record = _pipes(session, state.wanted).find(object_id)
        if record is None:
            return None
        shown = _shown(record)
        if record.state in PENDING | FAILED:
            shown = with_ours(shown, state.actual)
        elif _must_start(session, object_id, record, state):
            shown = with_ours(shown, state.actual)
            shown.last_error = shown.last_error or _INTERRUPTED
        else:
            session.pending.remove(_unfinished(session, object_id))  # somebody else has started it
        return State(self.reconciled(state, shown), shown)

    def update(self, session: Session, object_id: str, old: State[Pipe], wanted: Pipe) -> State[Pipe]:
        """Send the changes, and start the pipe again if it has failed.

        Raises:
            ResourceError: A property changes that no update accepts, or the pipe is gone, or still not ready.
        """
        pipes, steps = _pipes(session, wanted), _Steps(self, session, object_id, wanted)
        changed, before, now = self.changes(old, wanted), to_wire(old.wanted), to_wire(wanted)
        if fixed := fixed_changes(before, now, unknown=False):
            raise _refused(old.wanted.name, fixed)
        record = pipes.current(object_id, {}) or old.actual
        body_for = partial(update_body, before, now, changed=changed)
        if (scaling := wanted.scaling) is not None and SCALING in changed:
            record = steps.send(lambda: pipes.scale(object_id, scaling), steps.has((SCALING,), {}))
        restart = _must_start(session, object_id, record, old)
        if {*changed} & {*OF_UPDATE} and body_for(to_wire(record)):
            record, stopped = steps.edit(body_for, record, changed)
            restart = restart or stopped
        waited = steps.until_ready(record, restart=restart)
        waited.refuse_deleted(session, self.what(wanted), object_id)
        waited.problem = waited.problem or ignored_by_server(wanted, waited.record)
        if waited.problem and old.actual.last_error:
            raise ResourceError(
                f"pipe {wanted.name!r} ({object_id}): {waited.problem}",
                "Look at it in the console: correct its source, its credentials or its destination, then run again.",
            )
        return _state(session, wanted, waited)

    def delete(self, session: Session, object_id: str, state: State[Pipe]) -> None:
        """Delete the pipe, and wait until no list contains it."""
        pipes, wanted = _pipes(session, state.wanted), state.wanted
        once_awake(session, wanted, lambda: pipes.remove(object_id))
        session.pending.remove(_unfinished(session, object_id))
        awaited = Awaited(pipes, object_id, "pipe")
        wait_until_gone(session, awaited, wanted.wait_timeout_minutes, self.what(wanted))

    def import_(self, session: Session, object_id: str, hints: Pipe) -> tuple[str, State[Pipe]]:
        """Import a pipe as it is, without its credentials, which no server returns."""
        service_id, pipe_id = of_pipe(object_id, self.type.name)
        given = Pipe.model_construct(service_id=service_id)
        record = _pipes(session, given).find(pipe_id)
        if record is None:
            raise missing_in(session, self, object_id, given)
        shown = _shown(record)
        reported = to_wire(shown)
        reported[SOURCE] = without_credentials(reported.get(SOURCE) or {})
        reported[DESTINATION] = without_empty(reported.get(DESTINATION) or {})
        kind = kind_of(reported[SOURCE])
        if kind in DATABASES:
            reported[DESTINATION] = _without(reported[DESTINATION], OF_ONE_TABLE)
            reported.pop(SCALING, None)
        elif SCALING in reported:
            reported[SCALING] = _without(reported[SCALING] or {}, foreign_sizes(kind))
        wanted, left_out = self.importable(session, given, reported)
        return pipe_id, State(wanted, shown, left_out)

    def shown(self, actual: Pipe, served: WireValues) -> WireValues:
        """Return the inputs in a response without source and destination, which each pipe has."""
        return {name: value for name, value in served.items() if name not in (SOURCE, DESTINATION)}

    def reconciled(self, state: State[Pipe], served: Record) -> Pipe:
        """Return the inputs that describe the pipe on the server; no server returns the roles of a destination."""
        found, wanted = super().reconciled(state, served), state.wanted
        if wanted.destination is not None and wanted.destination.roles and found.destination is not None:
            found.destination.roles = wanted.destination.roles
        return found


@dataclass(frozen=True)
class _Steps:
    """The steps that bring one pipe to its arguments."""

    resource: PipeResource
    session: Session
    object_id: str
    wanted: Pipe

    @property
    def pipes(self) -> Pipes:
        return _pipes(self.session, self.wanted)

    def send(self, request: Callable[[], Pipe], is_applied: Callable[[Pipe], bool]) -> Pipe:
        """Send a change once the service is awake; if the response is lost, read whether the change was applied."""

        def read() -> Pipe:
            self.pipes.invalidate()
            return self.pipes.get(self.object_id)

        return settled(self.session, lambda: once_awake(self.session, self.wanted, request), read, is_applied)

    def has(self, changed: tuple[str, ...], body: WireValues) -> Callable[[Pipe], bool]:
        """Return a test for the changes of an update; it fails for credentials, which no pipe shows."""

        def has(record: Pipe) -> bool:
            seen = _shown(record)
            shown = to_wire(self.resource.reconciled(State(self.wanted, seen), seen))
            different = self.resource.changed(shown, to_wire(self.wanted))
            as_wanted = CREDENTIALS not in changed and not {*different} & {*changed}
            return as_wanted and not _still_has(to_wire(record), body)

        return has

    def edit(
        self, body_for: Callable[[WireValues], WireValues], record: Pipe, changed: tuple[str, ...]
    ) -> tuple[Pipe, bool]:
        """Send an update; return the pipe, and whether it had to be stopped for it.

        An update that is sent again fits the pipe as it is by then: tables are added once. If the update fails then,
        start the pipe again. Neither state nor the program shows that it was stopped, so a file records it for the next
        run.
        """
        seen, is_applied = [record], self.has(changed, body_for(to_wire(record)))

        def update() -> Pipe:
            return self.pipes.update(self.object_id, body_for(to_wire(seen[-1])))

        def has(now: Pipe) -> bool:
            seen.append(now)
            return is_applied(now)

        try:
            return self.send(update, has), False
        except ClientError as error:
            if "must be paused" not in error.message:
                raise
        self.session.runtime.progress("stopping the pipe: it must be paused to be changed")
        if not self.wanted.stopped:
            self.session.pending.write(_unfinished(self.session, self.object_id), "")
        try:
            waited = self.wait(self.command(Command.STOP), STILL, "stopped")
            if waited.problem:
                raise ResourceError(
                    f"pipe {self.wanted.name!r} ({self.object_id}) is not changed: {waited.problem}", "Run again."
                )
            return self.send(update, has), True
        except CloudDBError:
            if not self.wanted.stopped:
                self._start_again()
            raise

    def _start_again(self) -> None:
        try:
            self.command(Command.START)
            self.session.pending.remove(_unfinished(self.session, self.object_id))
        except CloudDBError as error:
            self.session.warn(
                f"Pipe {self.wanted.name!r} ({self.object_id}) was stopped to be changed, and could not be started "
                f"again: {first_line(error)}\nThe next `pulumi up` starts it."
            )

    def command(self, command: Command) -> Pipe:
        """Start or stop the pipe."""
        states = STILL | STOPPED if command is Command.STOP else RUNNING | PENDING
        try:
            return self.send(lambda: self.pipes.command(self.object_id, command), lambda record: record.state in states)
        except ClientError:  # the list that shows it otherwise may be older
            record = self.pipes.get(self.object_id)
            if record.state not in states:
                raise
            return record

    def until_created(self, record: Pipe) -> WaitResult[Pipe]:
        """Wait until a new pipe runs, or has stopped; then stop it, if it runs and the program wants it stopped."""
        paused = bool(self.wanted.start_paused)
        waited = self.wait(record, None, "stopped" if paused else "running", new=True)
        if waited.problem or waited.gone or waited.record is None or not (self.wanted.stopped or paused):
            return waited
        if paused and waited.state not in STILL:
            self.session.warn(
                f"Pipe {self.wanted.name!r} ({self.object_id}) was not created stopped, and may have read already: "
                "the server does not know startPaused.\nCheck its tables before you start it."
            )
        stopped = self.wanted.model_copy(update={"stopped": True})
        return replace(self, wanted=stopped).until_ready(waited.record)

    def until_ready(self, record: Pipe, *, restart: bool = False) -> WaitResult[Pipe]:
        """Start the pipe if it has failed or was stopped for an update, or as the program wants, and wait for that."""
        command = command_for(record.state, stopped=self.wanted.stopped, restart=restart)
        if command:
            try:
                record = self.command(command)
            except CloudDBError as error:  # the pipe is in state, and the next run continues
                failed = record.model_copy(update={"start_failed": True if command is Command.START else None})
                return WaitResult(failed, f"the request to {command.value} it failed: {first_line(error)}")
        self.session.pending.remove(_unfinished(self.session, self.object_id))
        return self.wait(record, *((STILL, "stopped") if self.wanted.stopped else (None, "running")))

    def wait(self, record: Pipe, states: frozenset[str] | None, goal: str, *, new: bool = False) -> WaitResult[Pipe]:
        """Wait until the pipe is in one of `states`, or, without states, is no longer pending; never raise."""
        pending = PENDING | STOPPED if self.wanted.stopped is False else PENDING  # a server may show a start late

        def done(seen: Pipe | None) -> bool:
            return seen is not None and (seen.state not in pending if states is None else seen.state in states)

        waited, minutes = WaitResult(record), self.wanted.wait_timeout_minutes
        if minutes != 0:
            awaited = Awaited(self.pipes, self.object_id, "pipe")
            waited = wait(self.session, awaited, record, minutes, done, goal, new=new)
        if waited.problem is None and states is None and waited.state in FAILED:
            waited.problem = f"the server reports that the pipe has failed (state {waited.state})"
        return waited


def command_for(state: str | None, *, stopped: bool | None, restart: bool) -> Command | None:
    """Return the command that brings a pipe to what the program wants, if it needs one.

    Args:
        state: The state of the pipe.
        stopped: Whether the program wants it stopped; None leaves a stopped pipe as it is.
        restart: Whether this provider has stopped it, and has to start it again.
    """
    if stopped:
        return None if state in STILL | STOPPED else Command.STOP
    if restart or state in FAILED:
        return Command.START
    return Command.START if stopped is False and state in STOPPED else None


NEW_IN_AUTUMN = (
    "destination.tableDefinition.ttl",
    "settings.kafka_read_committed",
    "source.kafka.tombstoneMode",
    "source.kafka.schemaRegistry.glueRegistryName",
    "source.kinesis.schemaRegistry.glueRegistryName",
    "source.mongodb.settings.initialLoadParallelism",
)
"""Paths of properties that servers ignored before autumn 2026."""


def _at(values: object, path: str) -> object:
    for name in path.split("."):
        values = values.get(name) if isinstance(values, Mapping) else None
    return values


def ignored_by_server(wanted: Pipe, record: Pipe | None) -> str | None:
    """Return why a pipe is not as the program wants it although its create succeeded; None if it is."""
    sent, shown = to_wire(wanted), to_wire(record) if record else {}
    ignored = [path for path in NEW_IN_AUTUMN if _at(sent, path) and _at(shown, path) is None]
    return (
        f"the server does not know {', '.join(ignored)}, and has ignored it: remove it" if ignored and shown else None
    )


def busy_retry_of(session: Session, service_id: str | None, pipe_id: str, minutes: float | None) -> BusyRetry:
    """Return how long a write is repeated while the server works on a pipe."""
    minutes = session.wait_minutes if minutes is None else minutes

    def is_working() -> bool:
        return is_in(session, Awaited(session.api.of(Pipes, service_id), pipe_id, "pipe"), PENDING | STOPS)

    return BusyRetry(session, minutes, (), is_working)


def _still_has(record: object, body: object) -> bool:
    """Return whether a record has a property that the body of an update clears."""
    if isinstance(body, Mapping):
        return isinstance(record, Mapping) and any(_still_has(record.get(name), body[name]) for name in body)
    return bool(record) and body in (None, [], False)


def _must_start(session: Session, object_id: str, record: Pipe, state: State[Pipe]) -> bool:
    """Return whether the pipe is stopped only because the last run could not start it, or was interrupted before."""
    interrupted = session.pending.exists(_unfinished(session, object_id))
    return record.state in STOPPED and (bool(state.actual.start_failed) or interrupted)


def _unfinished(session: Session, object_id: str) -> Path:
    """Return the file that exists while the pipe is stopped only to be changed."""
    return session.pending.unfinished(object_id)


def _pipes(session: Session, wanted: Pipe) -> Pipes:
    return session.api.of(Pipes, wanted.service_id)


IDENTITY_SECONDS = 30.0
"""How long an identity is waited for, as the vendor's Terraform provider does."""


def _context(api: Api, args: GetPipeServiceContextArgs) -> PipeServiceContext:
    """Return the context of the pipes, with their identity once it exists, if it is supported."""
    pipes, runtime = api.of(Pipes, args.service_id), api.client.runtime
    end = runtime.monotonic() + IDENTITY_SECONDS
    while True:
        context = pipes.context()
        identity = context.gcp_workload_identity
        missing = identity is not None and identity.supported and not (identity.ready and identity.principal)
        if not missing or args.wait_for_identity is False:
            return context
        if runtime.monotonic() >= end:
            raise ResourceError(
                f"service {args.service_id} has no identity for its pipes after {IDENTITY_SECONDS:g} s",
                "Run again, or set waitForIdentity to false to continue without it.",
            )
        runtime.sleep(api.client.config.poll_interval_seconds)


def _discovered(pipes: Pipes, stream: DiscoverPipeSchema) -> WireValues:
    given = to_wire(stream)
    return to_wire(pipes.discover(with_credentials(given[SOURCE], given.get(CREDENTIALS) or {})))


def _without(values: WireValues, names: Collection[str]) -> WireDict:
    return {name: value for name, value in values.items() if name not in names}


def _shown(record: Pipe) -> Pipe:
    """Return a record with `stopped`, and without sizes that the server has not measured yet."""
    shown = record.model_copy()
    shown.keep_answer(record.answer)
    if record.state is not None and record.state not in PENDING | FAILED:
        shown.stopped = record.state in STOPPED
    if record.scaling is not None:
        shown.scaling = measured(record.scaling)
    return shown


def _state(session: Session, wanted: Pipe, waited: WaitResult[Pipe]) -> State[Pipe]:
    actual = _shown(waited.record or Pipe.model_construct())
    actual.last_error = waited.problem
    actual.start_failed = actual.start_failed if waited.problem else None
    if waited.problem:
        next_run = "asks the server to start it" if waited.state in FAILED else "continues from here"
        session.warn(
            f"Pipe {wanted.name!r} exists and is in state, but is not yet ready: {waited.problem}\n"
            f"The next `pulumi up` {next_run}."
        )
    return State(wanted, actual)


def _refused(pipe: object, paths: list[str]) -> ResourceError:
    return ResourceError(
        f"pipe {pipe!r} cannot change {', '.join(paths)} in place: that needs another pipe, which reads from its start",
        "Put it back, or set allowReplacement to true to delete the pipe and create another.",
    )
