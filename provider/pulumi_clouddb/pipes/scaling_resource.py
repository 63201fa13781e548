"""The scaling of an existing pipe: an override that remembers what it found and puts it back."""

from __future__ import annotations

from collections.abc import Iterable

from pulumi_clouddb.client.errors import NotFoundError, ResourceError
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.resource.base import Resource
from pulumi_clouddb.resource.ids import of_pipe
from pulumi_clouddb.resource.overrides import changed_or_forgotten, remember
from pulumi_clouddb.resource.settled import settled
from pulumi_clouddb.resource.state import State, differing, filled, merged, only
from pulumi_clouddb.schema.base import wire_names
from pulumi_clouddb.schema.convert import to_wire
from pulumi_clouddb.schema.names import property_names

from .api import Pipes
from .parts import Scaling, ScalingFields, measured
from .pipe import Pipe
from .scaling import PIPE_SCALING, OnScalingDelete, PipeScaling

PipeScalingState = State[PipeScaling, PipeScaling]

FIELDS = wire_names(Scaling)
REPORTED = property_names(PipeScaling, lambda own: (own.pipe_state, own.effective_scaling))


class PipeScalingResource(Resource[PipeScaling, PipeScaling]):
    """A scaling; its id is `serviceId/pipeId`."""

    type = PIPE_SCALING
    collection = Pipes

    def outputs_changed_by(self, old: PipeScalingState, changed: tuple[str, ...]) -> Iterable[str]:  # noqa: ARG002
        """Return what the server reports of the pipe; what was found at first stays."""
        return (*REPORTED, *FIELDS)

    def create(self, session: Session, wanted: PipeScaling) -> tuple[str, PipeScalingState]:
        """Read the pipe, remember its scaling, then send the new one."""
        object_id = f"{wanted.service_id}/{wanted.pipe_id}"
        try:
            pipe = self._get(session, object_id)
        except NotFoundError as error:
            raise ResourceError(
                f"pipe {wanted.pipe_id} of service {wanted.service_id} does not exist: {error.message}",
                "Check pipeId and serviceId; listPipes and the console show them.",
            ) from None
        if pipe.answer.get("scaling") and not pipe.scaling:
            raise ResourceError(
                f"the scaling of pipe {wanted.pipe_id} cannot be read, so that it could not be put back one day",
                "Nothing was changed. Run again; if it stays so, look at the pipe's `scaling` in the server's answer.",
            )
        asked = only(wanted, FIELDS)
        original = remember(session, object_id, measured(pipe.scaling), asked, lambda _, value: value)
        pipe = changed_or_forgotten(session, lambda: self._send(session, object_id, asked))
        return object_id, State(wanted, _actual(pipe, original))

    def read(self, session: Session, object_id: str, state: PipeScalingState) -> PipeScalingState | None:
        """Read the pipe: a documented operation, so it works everywhere."""
        try:
            pipe = self._get(session, object_id)
        except NotFoundError:
            try:  # no list says so, too, and what was found at first would be forgotten with the override
                pipe = self._get(session, object_id)
            except NotFoundError:
                return None
        return State(self.reconciled(state.wanted, measured(pipe.scaling)), _actual(pipe, _original(state)))

    def update(self, session: Session, object_id: str, old: PipeScalingState, wanted: PipeScaling) -> PipeScalingState:
        """Send what changed; a field that was taken out gets back what was found."""
        original = _original(old)
        changed = only(merged(original, wanted), self.changes(old, wanted))
        return State(wanted, _actual(self._send(session, object_id, filled(changed)), original))

    def delete(self, session: Session, object_id: str, state: PipeScalingState) -> None:
        """Put back what was found, for the fields this override set; a pipe that is gone needs nothing."""
        if state.wanted.on_delete == OnScalingDelete.RETAIN:
            return
        found = self.found(state)
        changed = differing(found, state.wanted)
        if not changed.model_fields_set:
            return
        try:
            self._send(session, object_id, changed)
        except NotFoundError as error:
            try:
                self._get(session, object_id)
            except NotFoundError:
                return
            raise error from None  # one 404 is not enough to leave the pipe as it is

    def found(self, state: PipeScalingState) -> Scaling:
        """Return the scaling before this override, of the fields that it set."""
        return only(_original(state), to_wire(state.wanted))

    def import_(
        self,
        session: Session,
        object_id: str,
        hints: PipeScaling,  # noqa: ARG002
    ) -> tuple[str, PipeScalingState]:
        """Take over a pipe's scaling as it is; that is also what destroying puts back."""
        service_id, pipe_id = of_pipe(object_id)
        try:
            pipe = self._get(session, object_id)
        except NotFoundError:
            raise self.missing(object_id) from None
        scaling = measured(pipe.scaling)
        given = PipeScaling.model_construct(service_id=service_id, pipe_id=pipe_id)
        wanted, left_out = self.importable(session, given, to_wire(scaling))
        return object_id, State(wanted, _actual(pipe, scaling), left_out)

    def _get(self, session: Session, object_id: str) -> Pipe:
        service_id, pipe_id = of_pipe(object_id)
        return session.api.of(Pipes, service_id).get(pipe_id)

    def _send(self, session: Session, object_id: str, scaling: ScalingFields) -> Pipe:
        """Send a scaling, if there is something to send; if the response is lost, the pipe says whether it took."""
        if not scaling.model_fields_set:
            return self._get(session, object_id)
        service_id, pipe_id = of_pipe(object_id)
        return settled(
            session,
            lambda: session.api.of(Pipes, service_id).scale(pipe_id, scaling),
            lambda: self._get(session, object_id),
            lambda pipe: self.took(measured(pipe.scaling), scaling),
        )


def _actual(pipe: Pipe, original: Scaling) -> PipeScaling:
    return PipeScaling.model_construct(
        pipe_name=pipe.name, pipe_state=pipe.state, effective_scaling=measured(pipe.scaling), original_scaling=original
    )


def _original(state: PipeScalingState) -> Scaling:
    return state.actual.original_scaling or Scaling.model_construct()
