"""Reverse private endpoints: created once, waited for until they are provisioned, and gone when a delete ends."""

from __future__ import annotations

from dataclasses import replace

from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.resource.base import DiffResult
from pulumi_clouddb.resource.functions import get_one, list_all
from pulumi_clouddb.resource.plain import PlainResource
from pulumi_clouddb.resource.state import Flat, State
from pulumi_clouddb.resource.waits import Awaited, WaitResult, wait, wait_until_gone
from pulumi_clouddb.schema.names import property_name
from pulumi_clouddb.schema.values import UNKNOWN, WireValues

from .api import ReversePrivateEndpoints
from .awake import once_awake
from .endpoint import LAST_ERROR, REVERSE_PRIVATE_ENDPOINT, EndpointStatus, ReversePrivateEndpoint

EndpointState = State[ReversePrivateEndpoint, ReversePrivateEndpoint]

STATUS = property_name(ReversePrivateEndpoint, lambda endpoint: endpoint.status)
DNS_NAMES = property_name(ReversePrivateEndpoint, lambda endpoint: endpoint.custom_private_dns_mappings)


class ReversePrivateEndpointResource(PlainResource[ReversePrivateEndpoint]):
    """A reverse private endpoint."""

    type = REVERSE_PRIVATE_ENDPOINT
    collection = ReversePrivateEndpoints
    functions = (
        get_one(REVERSE_PRIVATE_ENDPOINT, ReversePrivateEndpoints),
        list_all(REVERSE_PRIVATE_ENDPOINT, ReversePrivateEndpoints),
    )

    def name_of(self, wanted: ReversePrivateEndpoint) -> str:
        """Return the description."""
        return str(wanted.description)

    def diff(self, old: WireValues, new: WireValues) -> DiffResult:
        """Compare; a successor that keeps a DNS name needs the old endpoint gone, as one endpoint may have a name."""
        result = super().diff(old, new)
        before, after = old.get(DNS_NAMES) or (), new.get(DNS_NAMES) or ()
        shared = after is UNKNOWN or any(each is UNKNOWN or each in before for each in after)
        return replace(result, delete_before_replace=bool(result.replaces and before and shared))

    def preview_outputs(self, old: WireValues | None, new: WireValues) -> Flat:
        """Return the outputs a preview can know; an update that succeeds leaves no last error."""
        return {name: value for name, value in super().preview_outputs(old, new).items() if name != LAST_ERROR}

    def needs_repair(self, old: EndpointState) -> tuple[str, ...]:
        """Return the property that shows unfinished work: an endpoint that was not waited for, or an unusable one."""
        if old.actual.last_error:
            return (LAST_ERROR,)
        unready = old.actual.status in {EndpointStatus.PROVISIONING} | EndpointStatus.UNUSABLE
        return (STATUS,) if unready and old.wanted.wait_timeout_minutes != 0 else ()

    def create(self, session: Session, wanted: ReversePrivateEndpoint) -> tuple[str, EndpointState]:
        """Create the endpoint, and wait until it is provisioned."""
        create = super().create
        object_id, state = once_awake(session, wanted, lambda: create(session, wanted))
        return object_id, self._provisioned(session, object_id, state, new=True)

    def read(self, session: Session, object_id: str, state: EndpointState) -> EndpointState | None:
        """Find the endpoint in the shared list."""
        found = super().read(session, object_id, state)
        if found and found.actual.status in EndpointStatus.UNUSABLE:
            found.actual.last_error = state.actual.last_error
        return found

    def update(
        self, session: Session, object_id: str, old: EndpointState, wanted: ReversePrivateEndpoint
    ) -> EndpointState:
        """Send the DNS names, and look whether the endpoint can be used by now."""
        update = super().update
        state = once_awake(session, wanted, lambda: update(session, object_id, old, wanted))
        state = self._provisioned(session, object_id, state)
        if state.actual.last_error and old.actual.last_error:
            raise ResourceError(
                f"{self.what(wanted)} ({object_id}): {state.actual.last_error}",
                "Look at its source in the console of the cloud provider. Nothing mends the endpoint itself: "
                "`pulumi up --replace URN` makes another.",
            )
        return state

    def delete(self, session: Session, object_id: str, state: EndpointState) -> None:
        """Delete the endpoint, and wait until no list shows it."""
        delete, wanted = super().delete, state.wanted
        once_awake(session, wanted, lambda: delete(session, object_id, state))
        endpoints = self.objects(session, wanted)
        wait_until_gone(
            session, Awaited(endpoints, object_id, "endpoint"), wanted.wait_timeout_minutes, self.what(wanted)
        )

    def _provisioned(
        self, session: Session, object_id: str, state: EndpointState, *, new: bool = False
    ) -> EndpointState:
        """Return the state of an endpoint that is provisioned, or why it is not.

        Raises:
            ResourceError: Somebody has deleted it.
        """
        wanted, what = state.wanted, self.what(state.wanted)
        awaited = Awaited(self.objects(session, wanted), object_id, "endpoint")
        record = state.actual if new else awaited.find(max_age=0.0) or state.actual
        waited = WaitResult(record)
        if wanted.wait_timeout_minutes != 0:
            waited = wait(session, awaited, record, wanted.wait_timeout_minutes, _is_done, "provisioned", shown=not new)
        if waited.gone:
            if new:
                session.entry.forget()
            raise ResourceError(f"{what} ({object_id}): {waited.problem}", "Run `pulumi refresh`, then run again.")
        actual = (waited.record or record).model_copy()
        actual.last_error = waited.problem
        if actual.last_error is None and actual.status in EndpointStatus.UNUSABLE:
            actual.last_error = f"the server reports that it cannot be used (status {actual.status})"
        if actual.last_error:
            session.warn(f"{what} exists and is in state, but cannot be used yet: {actual.last_error}")
        return State(wanted, actual, state.left_out)


def _is_done(endpoint: ReversePrivateEndpoint | None) -> bool:
    return endpoint is not None and endpoint.status != EndpointStatus.PROVISIONING
