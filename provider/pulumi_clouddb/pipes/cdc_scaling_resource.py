"""The scaling of the pipes of databases of a service: an override that remembers what it found and puts it back."""

from __future__ import annotations

from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.resource.overrides import OverrideResource
from pulumi_clouddb.resource.state import State, only
from pulumi_clouddb.resource.waits import Awaited, wait
from pulumi_clouddb.schema.base import wire_names
from pulumi_clouddb.schema.thing import with_ours
from pulumi_clouddb.services.lifecycle import once_awake

from .api import PipeCdcScalings
from .cdc_scaling import PIPE_CDC_SCALING, CdcScalingFields, PipeCdcScaling

ScalingState = State[PipeCdcScaling, PipeCdcScaling]


class PipeCdcScalingResource(OverrideResource[PipeCdcScaling]):
    """A scaling; its id is that of the service."""

    type = PIPE_CDC_SCALING
    collection = PipeCdcScalings
    fields = CdcScalingFields

    def object_of(self, session: Session, wanted: PipeCdcScaling) -> str:  # noqa: ARG002
        """Return the id of the service."""
        return str(wanted.service_id)

    def named(self, object_id: str) -> PipeCdcScaling:
        """Return the arguments that name a service."""
        return PipeCdcScaling.model_construct(service_id=object_id)

    def objects(self, session: Session, object_id: str) -> PipeCdcScalings:
        """Return what a service has."""
        return session.api.of(PipeCdcScalings, object_id)

    def missing(self, object_id: str) -> ResourceError:
        """Return the error for a service without pipes of databases."""
        return ResourceError(
            f"{self.type.name} {object_id} does not exist: the service has no pipe of a database, or is not there",
            "Check the id. The server has a scaling once such a pipe was provisioned: let it depend on a Pipe.",
        )

    def create(self, session: Session, wanted: PipeCdcScaling) -> tuple[str, ScalingState]:
        """Remember the scaling, send the new one, and wait until the server reports it."""
        create = super().create
        object_id, state = once_awake(session, wanted, lambda: create(session, wanted))
        return object_id, self._reported(session, object_id, state)

    def update(self, session: Session, object_id: str, old: ScalingState, wanted: PipeCdcScaling) -> ScalingState:
        """Send what changed, and wait until the server reports it."""
        update = super().update
        state = once_awake(session, wanted, lambda: update(session, object_id, old, wanted))
        return self._reported(session, object_id, state)

    def delete(self, session: Session, object_id: str, state: ScalingState) -> None:
        """Put back what was found."""
        delete = super().delete
        once_awake(session, state.wanted, lambda: delete(session, object_id, state))

    def _reported(self, session: Session, object_id: str, state: ScalingState) -> ScalingState:
        """Return the state with the scaling that the server reports, which may take minutes to show the new one."""
        wanted, asked = state.wanted, only(state.wanted, wire_names(self.fields))
        if wanted.wait_timeout_minutes == 0:
            return state
        awaited = Awaited(self.objects(session, object_id), object_id, "scaling")

        def is_done(seen: PipeCdcScaling | None) -> bool:
            return seen is not None and self.took(seen, asked)

        record = awaited.find(max_age=0.0)
        waited = wait(session, awaited, record, wanted.wait_timeout_minutes, is_done, "propagated")
        if waited.problem:
            session.warn(f"The server has accepted the scaling of service {object_id}: {waited.problem}")
        return State(wanted, with_ours(waited.record or state.actual, state.actual))
