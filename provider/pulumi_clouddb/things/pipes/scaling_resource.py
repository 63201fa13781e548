"""The scaling of one pipe, and that of all database pipes of a service."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pulumi_clouddb.client.errors import FAILED_DEPENDENCY, ResourceError
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.resource.busy import BusyRetry
from pulumi_clouddb.resource.overrides import OverrideResource
from pulumi_clouddb.resource.state import State, only
from pulumi_clouddb.resource.waits import Awaited, wait
from pulumi_clouddb.schema.base import Model, wire_names
from pulumi_clouddb.schema.convert import parse
from pulumi_clouddb.schema.names import property_name, property_names
from pulumi_clouddb.schema.thing import with_ours
from pulumi_clouddb.schema.values import WireValues
from pulumi_clouddb.things.services.lifecycle import once_awake

from .api import PipeCdcScalings, Pipes, PipeScalings, of_pipe
from .parts import Scaling
from .pipe import Pipe
from .resource import SCALING, busy_retry_of
from .scaling import PIPE_CDC_SCALING, PIPE_SCALING, CdcScalingFields, OnScalingDelete, PipeCdcScaling, PipeScaling

PipeScalingState = State[PipeScaling]
CdcScalingState = State[PipeCdcScaling]

EFFECTIVE = property_name(PipeScaling, lambda scaling: scaling.effective_scaling)
REPORTED = property_names(PipeScaling, lambda scaling: (scaling.pipe_state, scaling.effective_scaling))


class PipeScalingResource(OverrideResource[PipeScaling]):
    """The scaling of a pipe; its id is `serviceId/pipeId`."""

    type = PIPE_SCALING
    collection = Pipes
    fields = Scaling
    part = SCALING
    original = "original_scaling"
    sends_equal_values = True

    def busy_retry(self, session: Session, object_id: str, wanted: PipeScaling, *, deleting: bool = False) -> BusyRetry:
        """Return how long a new scaling is sent again while the server works on the pipe."""
        return busy_retry_of(session, wanted.service_id, str(wanted.pipe_id), None)

    def object_of(self, session: Session, wanted: PipeScaling) -> str:
        """Return the ids of the service and the pipe."""
        return f"{wanted.service_id}/{wanted.pipe_id}"

    def named(self, object_id: str) -> PipeScaling:
        """Return the arguments that name a pipe."""
        service_id, pipe_id = of_pipe(object_id)
        return PipeScaling.model_construct(service_id=service_id, pipe_id=pipe_id)

    def objects(self, session: Session, object_id: str) -> PipeScalings:
        """Return the scalings of the pipes of the service."""
        return session.api.of(PipeScalings, of_pipe(object_id)[0])

    def values_in(self, record: PipeScaling) -> Scaling:
        """Return the scaling that the pipe reports."""
        return record.effective_scaling or Scaling.model_construct()

    def shown(self, actual: PipeScaling, served: WireValues) -> WireValues:
        """Return the fields of the scaling in a response, without values those that are unknown or of another type."""
        scaling = actual.answer.get(SCALING, {})
        names = scaling if isinstance(scaling, Mapping) else wire_names(self.fields)
        return {**dict.fromkeys(names), **served.get(EFFECTIVE, {})}

    def misfits_in(self, record: PipeScaling) -> list[str]:
        """Return the scaling, if it has an unexpected type."""
        answer = record.answer
        return ["scaling"] if answer.get("scaling") and parse(Pipe, answer).scaling is None else []

    def outputs_changed_by(self, old: PipeScalingState, changed: tuple[str, ...]) -> Iterable[str]:
        """Return the outputs that the server reports of the pipe; the original scaling stays."""
        return (*REPORTED, *wire_names(self.fields))

    def missing(self, object_id: str) -> ResourceError:
        """Return the error for a pipe that does not exist."""
        return ResourceError(
            f"{self.type.name} {object_id} does not exist: the service does not exist, or has no such pipe",
            "Check the ids of both; listPipes and the console show them.",
        )

    def delete(self, session: Session, object_id: str, state: PipeScalingState) -> None:
        """Restore the original scaling, unless the program keeps the current one."""
        if state.wanted.on_delete != OnScalingDelete.RETAIN:
            super().delete(session, object_id, state)


class PipeCdcScalingResource(OverrideResource[PipeCdcScaling]):
    """The scaling of the database pipes of a service; its id is that of the service."""

    type = PIPE_CDC_SCALING
    collection = PipeCdcScalings
    fields = CdcScalingFields

    def busy_retry(
        self, session: Session, object_id: str, wanted: PipeCdcScaling, *, deleting: bool = False
    ) -> BusyRetry:
        """Return how long a new scaling is sent again while the server works on the pipes."""
        minutes = wanted.wait_timeout_minutes
        return BusyRetry(session, session.wait_minutes if minutes is None else minutes, (FAILED_DEPENDENCY,))

    def object_of(self, session: Session, wanted: PipeCdcScaling) -> str:
        """Return the id of the service."""
        return str(wanted.service_id)

    def named(self, object_id: str) -> PipeCdcScaling:
        """Return the arguments that name a service."""
        return PipeCdcScaling.model_construct(service_id=object_id)

    def objects(self, session: Session, object_id: str) -> PipeCdcScalings:
        """Return the collection with the one scaling of the service."""
        return session.api.of(PipeCdcScalings, object_id)

    def missing(self, object_id: str) -> ResourceError:
        """Return the error for a service without database pipes."""
        return ResourceError(
            f"{self.type.name} {object_id} does not exist: the service does not exist, or has no database pipe",
            "Check the id. The scaling exists only after a database pipe is provisioned: make it depend on a Pipe.",
        )

    def create(self, session: Session, wanted: PipeCdcScaling) -> tuple[str, CdcScalingState]:
        """Record the original scaling, send the new one, and wait until the server reports it."""
        create = super().create
        object_id, state = once_awake(session, wanted, lambda: create(session, wanted))
        return object_id, self._reported(session, object_id, state)

    def update(self, session: Session, object_id: str, old: CdcScalingState, wanted: PipeCdcScaling) -> CdcScalingState:
        """Send the changes, and wait until the server reports them."""
        update = super().update
        state = once_awake(session, wanted, lambda: update(session, object_id, old, wanted))
        return self._reported(session, object_id, state)

    def delete(self, session: Session, object_id: str, state: CdcScalingState) -> None:
        """Restore the original scaling, and wait until the server reports it.

        Until then, the next override of the service would mistake the current scaling for the original one.
        """
        delete = super().delete
        once_awake(session, state.wanted, lambda: delete(session, object_id, state))
        restored = self.to_restore(state)
        if restored.model_fields_set:
            self._wait(session, object_id, state.wanted, restored)

    def _reported(self, session: Session, object_id: str, state: CdcScalingState) -> CdcScalingState:
        """Return the state once the server reports the new scaling."""
        wanted = state.wanted
        record = self._wait(session, object_id, wanted, only(wanted, wire_names(self.fields)))
        return State(wanted, with_ours(record or state.actual, state.actual))

    def _wait(self, session: Session, object_id: str, wanted: PipeCdcScaling, asked: Model) -> PipeCdcScaling | None:
        """Wait until the server reports a scaling, which may take minutes; return it, or None without one."""
        if wanted.wait_timeout_minutes == 0:
            return None
        awaited = Awaited(self.objects(session, object_id), object_id, "scaling")

        def is_done(seen: PipeCdcScaling | None) -> bool:
            return seen is not None and self.took(seen, asked)

        record = awaited.find(max_age=0.0)
        if record is None:  # it is deleted with the last database pipe
            return None
        waited = wait(session, awaited, record, wanted.wait_timeout_minutes, is_done, "propagated")
        if waited.problem:
            session.warn(f"The server has accepted the scaling of service {object_id}: {waited.problem}")
        return waited.record
