"""An ingestion pipe: created once, waited for, changed in place where the API allows it, started where it failed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import TypeAlias, cast

from pulumi_clouddb.client.errors import (
    ClientError,
    CloudDBError,
    ResourceError,
    first_line,
)
from pulumi_clouddb.create.create_request import CreateRequest
from pulumi_clouddb.create.creation import create_once
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.resource.base import DiffResult, Resource
from pulumi_clouddb.resource.functions import Function, listing
from pulumi_clouddb.resource.ids import of_pipe
from pulumi_clouddb.resource.settled import settled
from pulumi_clouddb.resource.state import State, among
from pulumi_clouddb.resource.waits import Awaited, WaitResult, wait, wait_until_gone
from pulumi_clouddb.schema.base import Model, Record, wire_names
from pulumi_clouddb.schema.convert import to_wire
from pulumi_clouddb.schema.names import NAME, property_names
from pulumi_clouddb.schema.values import WireValues
from pulumi_clouddb.schema.view import known_or, view_of
from pulumi_clouddb.services.lifecycle import once_awake

from .api import Command, Pipes
from .changes import CREDENTIALS, DESTINATION, OF_UPDATE, SETTINGS, SOURCE, fixed_changes, update_body
from .credentials import with_credentials
from .discovery import DISCOVER_PIPE_SCHEMA
from .parts import PipeSize, measured
from .pipe import AT_ONCE, DATABASES, GET_PIPE, LAST_ERROR, LIST_PIPES, PIPE, Pipe, kind_of, sayable, without_empty
from .states import FAILED, PENDING, RUNNING, STILL, STOPPED

PipeState = State[Pipe, Pipe]
Names: TypeAlias = tuple[str, ...]

STATE, SCALING, IS_STOPPED, UPDATED_AT = property_names(
    Pipe, lambda pipe: (pipe.state, pipe.scaling, pipe.stopped, pipe.updated_at)
)


class PipeResource(Resource[Pipe, Pipe]):
    """An ingestion pipe."""

    type = PIPE
    collection = Pipes
    functions = (
        Function(
            GET_PIPE,
            lambda api, args: to_wire(api.of(Pipes, args.service_id).get(args.pipe_id), wire_names(GET_PIPE.result)),
        ),
        Function(DISCOVER_PIPE_SCHEMA, lambda api, args: _discovered(api.of(Pipes, args.service_id), args)),
        Function(LIST_PIPES, lambda api, args: listing(LIST_PIPES, api.of(Pipes, args.service_id), args.name)),
    )

    def diff(self, old: WireValues, new: WireValues) -> DiffResult:
        """Compare; refuse a change that would need another pipe, unless that is allowed or its service changes.

        Raises:
            ResourceError: What no update takes changes, and `allowReplacement` is not set.
        """
        result = super().diff(old, new)
        allowed = known_or(True, lambda: view_of(Pipe, new).allow_replacement)
        fixed = fixed_changes(old, new, unknown=bool(allowed))
        if fixed and not allowed and not result.replaces:
            raise _refuse(old.get(NAME), fixed)
        replaces = (*result.replaces, *dict.fromkeys(path.partition(".")[0] for path in fixed))
        return replace(result, replaces=replaces, delete_before_replace=bool(replaces))

    def needs_repair(self, old: PipeState) -> tuple[str, ...]:
        """Return the property that shows unfinished work: a pending or failed pipe."""
        if old.actual.last_error:
            return (LAST_ERROR,)
        unready = old.actual.state in PENDING | FAILED and old.wanted.wait_timeout_minutes != 0
        return (STATE,) if unready and not old.wanted.stopped else ()

    def outputs_changed_by(self, old: PipeState, changed: tuple[str, ...]) -> Iterable[str]:  # noqa: ARG002
        """Return what follows from an update; scaling and settings follow only from their own."""
        return (STATE, UPDATED_AT, *among(changed, (SCALING, SETTINGS, IS_STOPPED)))

    # -- operations ----------------------------------------------------------------------------------------------

    def create(self, session: Session, wanted: Pipe) -> tuple[str, PipeState]:
        """Create the pipe, and wait until it runs, or stands still."""
        pipes = _pipes(session, wanted)
        body = {**self.body(wanted, AT_ONCE)}
        body[SOURCE] = with_credentials(body[SOURCE], body.pop(CREDENTIALS, {}))
        request = CreateRequest(
            what=f"pipe {wanted.name!r}", name=str(wanted.name), resource=self.type, collection=pipes, body=body
        )
        created = once_awake(session, wanted, lambda: create_once(session, request))
        waited = self._ready(session, created.id, wanted, created.record, new=True)
        waited.refuse_deleted(session, f"pipe {wanted.name!r}", created.id, new=True)
        state = _state(session, wanted, waited)
        if created.result is None and waited.problem is None:  # an earlier run may have sent it for another program
            served = replace(state, wanted=self.reconciled(state.wanted, _shown(state.actual)))
            state = self._changed(session, created.id, served, wanted)
        return created.id, state

    def read(self, session: Session, object_id: str, state: PipeState) -> PipeState | None:
        """Find the pipe in the shared list."""
        record = _pipes(session, state.wanted).find(object_id)
        if record is None:
            return None
        shown = _shown(record)
        shown.last_error = state.actual.last_error if record.state in PENDING | FAILED else None
        return State(self.reconciled(state.wanted, shown), shown)

    def update(self, session: Session, object_id: str, old: PipeState, wanted: Pipe) -> PipeState:
        """Send the changes, and start again what has failed."""
        return self._changed(session, object_id, old, wanted)

    def delete(self, session: Session, object_id: str, state: PipeState) -> None:
        """Delete the pipe, and wait until no list shows it."""
        pipes, wanted = _pipes(session, state.wanted), state.wanted
        once_awake(session, wanted, lambda: pipes.remove(object_id))
        awaited = Awaited(pipes, object_id, "pipe")
        wait_until_gone(session, awaited, wanted.wait_timeout_minutes, f"pipe {wanted.name!r}")

    def import_(self, session: Session, object_id: str, hints: Pipe) -> tuple[str, PipeState]:  # noqa: ARG002
        """Take over a pipe as it is; its credentials stay unknown here."""
        service_id, pipe_id = of_pipe(object_id, self.type.name)
        given = Pipe.model_construct(service_id=service_id)
        record = _pipes(session, given).find(pipe_id)
        if record is None:
            raise self.missing(object_id)
        shown = _shown(record)
        reported = to_wire(shown)
        reported[SOURCE] = sayable(reported.get(SOURCE) or {})
        reported[DESTINATION] = without_empty(reported.get(DESTINATION) or {})
        if kind_of(reported[SOURCE]) in DATABASES:
            reported.pop(SCALING, None)
        wanted, left_out = self.importable(session, given, reported)
        return pipe_id, State(wanted, shown, left_out)

    def reconciled(self, wanted: Pipe, served: Record) -> Pipe:
        """Return the inputs that describe the pipe on the server; no server answers the roles of a destination."""
        found = super().reconciled(wanted, served)
        if wanted.destination is not None and wanted.destination.roles and found.destination is not None:
            found.destination.roles = wanted.destination.roles
        return found

    # -- changing ------------------------------------------------------------------------------------------------

    def _changed(self, session: Session, object_id: str, old: PipeState, wanted: Pipe) -> PipeState:
        pipes, changed = _pipes(session, wanted), self.changes(old, wanted)
        before, now = to_wire(old.wanted), to_wire(wanted)
        if fixed := fixed_changes(before, now, unknown=False):
            raise _refuse(old.wanted.name, fixed)
        record = pipes.current(object_id, {}) or old.actual
        if {*changed} & {*OF_UPDATE}:
            body = update_body(before, now, to_wire(record), changed)
            record = self._edited(session, object_id, wanted, body, changed) if body else record
        if wanted.scaling is not None and SCALING in changed:
            size = wanted.scaling
            scale = partial(pipes.scale, object_id, size)
            record = self._sent(session, object_id, wanted, scale, self._shows(wanted, (SCALING,)))
        waited = self._ready(session, object_id, wanted, record)
        waited.refuse_deleted(session, f"pipe {wanted.name!r}", object_id)
        if waited.problem and old.actual.last_error:
            raise ResourceError(
                f"pipe {wanted.name!r} ({object_id}): {waited.problem}",
                "Look at it in the console: correct its source, its credentials or its destination, then run again.",
            )
        return _state(session, wanted, waited)

    def _edited(self, session: Session, object_id: str, wanted: Pipe, body: WireValues, changed: Names) -> Pipe:
        """Send an update; a pipe that must be paused for it is stopped before, and started again later."""
        update = partial(_pipes(session, wanted).update, object_id, body)
        took = self._shows(wanted, changed)
        try:
            return self._sent(session, object_id, wanted, update, took)
        except ClientError as error:
            if "must be paused" not in error.message:
                raise
        session.runtime.progress("stopping the pipe: it must be paused to be changed")
        record = self._moved(session, object_id, wanted, Command.STOP)
        waited = _wait(session, object_id, wanted, record, STILL, "stopped")
        if waited.problem:
            raise ResourceError(f"pipe {wanted.name!r} ({object_id}) is not changed: {waited.problem}", "Run again.")
        record = self._sent(session, object_id, wanted, update, took)
        return record if wanted.stopped else self._moved(session, object_id, wanted, Command.START)

    def _shows(self, wanted: Pipe, changed: Names) -> Callable[[Pipe], bool]:
        """Return what tells whether a pipe is as an update wants it; no pipe shows its credentials."""

        def shows(record: Pipe) -> bool:
            served = to_wire(self.reconciled(wanted, _shown(record)))
            left = self.changed(served, to_wire(wanted))
            return CREDENTIALS not in changed and not {*left} & {*changed}

        return shows

    def _ready(
        self, session: Session, object_id: str, wanted: Pipe, record: Pipe, *, new: bool = False
    ) -> WaitResult[Pipe]:
        """Start or stop the pipe where the program says otherwise, or where it has failed, and wait for that."""
        if new:
            waited = _wait(session, object_id, wanted, record, None, "running", new=True)
            if waited.problem or waited.gone or not wanted.stopped or waited.record is None:
                return waited
            record = waited.record
        state, stop = record.state, bool(wanted.stopped)
        starts = not stop and (state in FAILED or (state in STOPPED and wanted.stopped is not None))
        command = Command.START if starts else Command.STOP if stop and state not in STILL | STOPPED else None
        if command:
            try:
                record = self._moved(session, object_id, wanted, command)
            except CloudDBError as error:  # what exists is in state, and the next run goes on
                return WaitResult(record, f"the request to {command.value} it failed: {first_line(error)}")
        return _wait(session, object_id, wanted, record, *((STILL, "stopped") if stop else (None, "running")))

    def _moved(self, session: Session, object_id: str, wanted: Pipe, command: Command) -> Pipe:
        move = partial(_pipes(session, wanted).command, object_id, command)
        there = STILL | STOPPED if command is Command.STOP else RUNNING | PENDING
        return self._sent(session, object_id, wanted, move, lambda record: record.state in there)

    def _sent(
        self,
        session: Session,
        object_id: str,
        wanted: Pipe,
        send: Callable[[], Pipe],
        took: Callable[[Pipe], bool],
    ) -> Pipe:
        """Send a change once the service is awake; if the response is lost, the pipe says whether it took."""
        pipes = _pipes(session, wanted)

        def look() -> Pipe:
            pipes.invalidate()
            return pipes.get(object_id)

        return settled(session, lambda: once_awake(session, wanted, send), look, took)


def _pipes(session: Session, wanted: Pipe) -> Pipes:
    return session.api.of(Pipes, wanted.service_id)


def _discovered(pipes: Pipes, stream: Model) -> WireValues:
    said = to_wire(stream)
    return to_wire(pipes.discover(with_credentials(said[SOURCE], said.get(CREDENTIALS) or {})))


def _shown(record: Pipe) -> Pipe:
    """Return a record that says whether the pipe is stopped, and leaves out a size that is not measured yet."""
    shown = record.model_copy()
    shown.keep_answer(record.answer)
    if record.state is not None and record.state not in PENDING | FAILED:
        shown.stopped = record.state in STOPPED
    if record.scaling is not None:
        shown.scaling = cast(PipeSize, measured(record.scaling))
    return shown


def _wait(
    session: Session,
    object_id: str,
    wanted: Pipe,
    record: Pipe,
    states: frozenset[str] | None,
    goal: str,
    *,
    new: bool = False,
) -> WaitResult[Pipe]:
    """Wait until a pipe is in one of `states`, or no longer on its way to run; never raises."""
    pending = PENDING | STOPPED if wanted.stopped is False else PENDING  # a server may show a start late

    def done(seen: Pipe | None) -> bool:
        return seen is not None and (seen.state not in pending if states is None else seen.state in states)

    waited = WaitResult(record)
    if wanted.wait_timeout_minutes != 0:
        awaited = Awaited(_pipes(session, wanted), object_id, "pipe")
        waited = wait(session, awaited, record, wanted.wait_timeout_minutes, done, goal, new=new)
    if waited.problem is None and states is None and waited.state in FAILED:
        waited.problem = f"the server says that the pipe has failed (state {waited.state})"
    return waited


def _state(session: Session, wanted: Pipe, waited: WaitResult[Pipe]) -> PipeState:
    actual = _shown(waited.record or Pipe.model_construct())
    actual.last_error = waited.problem
    if waited.problem:
        session.warn(
            f"Pipe {wanted.name!r} exists and is in state, but is not yet ready: {waited.problem}\n"
            + (
                "The next `pulumi up` asks the server to start it."
                if waited.state in FAILED
                else "The next `pulumi up` goes on from here."
            )
        )
    return State(wanted, actual)


def _refuse(pipe: object, paths: list[str]) -> ResourceError:
    return ResourceError(
        f"pipe {pipe!r} cannot change {', '.join(paths)} in place: that needs another pipe, which reads from its start",
        "Put it back, or set allowReplacement to true to delete the pipe and create another.",
    )
