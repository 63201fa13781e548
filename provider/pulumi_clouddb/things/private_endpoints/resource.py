"""Private endpoints, which the organization registers by their id at the cloud provider."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.resource.base import DiffResult
from pulumi_clouddb.resource.plain import PlainResource
from pulumi_clouddb.resource.state import State, merged, unmanaged, without
from pulumi_clouddb.schema.base import Record
from pulumi_clouddb.schema.check.claims import Claim, needs
from pulumi_clouddb.schema.check.rules import RuleContext
from pulumi_clouddb.schema.convert import construct, to_wire
from pulumi_clouddb.schema.names import ID, property_name
from pulumi_clouddb.schema.values import WireDict, WireValues
from pulumi_clouddb.schema.view import known_or, view_of
from pulumi_clouddb.things.services.api import PRIVATE_ENDPOINT_IDS, Services

from .api import CLOUD, REGION, PrivateEndpoints
from .private_endpoint import PRIVATE_ENDPOINT, SERVICE_ID, PrivateEndpoint

ENDPOINT_ID = property_name(PrivateEndpoint, lambda endpoint: endpoint.endpoint_id)


def _elsewhere(session: Session, wanted: PrivateEndpoint) -> ResourceError | None:
    service_id, cloud, region = wanted.service_id, wanted.cloud_provider, wanted.region
    if service_id is None or cloud is None is region:
        return None
    service = session.try_reading(lambda: session.api.of(Services).find(service_id))
    if service is None:
        return None
    places = {CLOUD: (cloud, service.provider), REGION: (region, service.region)}
    for name, (asked, actual) in places.items():
        if None not in (asked, actual) and str(asked).lower() != str(actual).lower():
            return ResourceError(
                f"private endpoint {wanted.endpoint_id!r} has {name} {str(asked)!r}, and service {service_id} is in "
                f"{actual!r}: a service registers endpoints of its own place only",
                f"Leave {name} out, or leave serviceId out and name the endpoint in privateEndpointIds of the service.",
            )
    return None


def _unsent(inputs: WireValues) -> Collection[str]:
    """Return cloud and region if a service registers the endpoint: its request has neither."""
    return (CLOUD, REGION) if inputs.get(SERVICE_ID) is not None else ()


class PrivateEndpointResource(PlainResource[PrivateEndpoint]):
    """A private endpoint."""

    type = PRIVATE_ENDPOINT
    collection = PrivateEndpoints
    unique_by = (ENDPOINT_ID,)
    name_is_id = True

    def name_of(self, wanted: PrivateEndpoint) -> str:
        """Return the id of the endpoint."""
        return str(wanted.endpoint_id)

    def objects(self, session: Session, wanted: PrivateEndpoint) -> PrivateEndpoints:
        """Return the endpoints of the organization, which contain those that are registered with a service."""
        return session.api.of(PrivateEndpoints)

    def diff(self, old: WireValues, new: WireValues) -> DiffResult:
        """Compare; what no request contains replaces nothing."""
        result, unsent = super().diff(old, new), {*_unsent(old), *_unsent(new)}
        return replace(result, replaces=tuple(name for name in result.replaces if name not in unsent))

    def reconciled(self, state: State[PrivateEndpoint], served: Record) -> PrivateEndpoint:
        """Return the inputs that describe the endpoint; what no request contains is no drift."""
        return super().reconciled(state, without(served, _unsent(to_wire(state.wanted))))

    def send(
        self, session: Session, object_id: str, old: State[PrivateEndpoint], wanted: PrivateEndpoint
    ) -> State[PrivateEndpoint]:
        """Send nothing: what changes without a replacement is an option, or in no request, and stays on the server."""
        removed = {*_unsent(to_wire(old.wanted))}.difference(to_wire(wanted))
        kept = construct(PrivateEndpoint, to_wire(old.wanted, removed))
        return State(wanted, merged(unmanaged(old), kept))

    def body(self, wanted: PrivateEndpoint, names: Collection[str] | None = None) -> WireDict:
        """Return the inputs that a request contains."""
        unsent = _unsent(to_wire(wanted))
        return {name: value for name, value in super().body(wanted, names).items() if name not in unsent}

    def body_of_create(self, session: Session, wanted: PrivateEndpoint) -> WireDict:
        """Return the body of a POST, with the service that registers the endpoint."""
        body = super().body_of_create(session, wanted)
        return {ID: body.pop(ENDPOINT_ID), **body}

    def claims(self, rules: RuleContext, inputs: WireValues, object_id: str, before: WireValues) -> Iterator[Claim]:
        """Yield what the endpoint sets, and that the service to which a create attaches it names it."""
        yield from super().claims(rules, inputs, object_id, before)
        if not before:
            yield from needs(
                Services.model.__name__,
                "",
                inputs.get(SERVICE_ID),
                PRIVATE_ENDPOINT_IDS,
                inputs.get(ENDPOINT_ID),
                relation="is attached to",
                consequence="it stays attached, although the service does not name it",
                advice=f"Name it there, or leave {SERVICE_ID} out",
            )

    def server_refusal(self, session: Session, inputs: WireValues, old: WireValues | None) -> ResourceError | None:
        """Refuse a new endpoint in another cloud or region than its service, which would register it in its own."""
        wanted = view_of(PrivateEndpoint, inputs)
        return None if old else known_or(None, lambda: _elsewhere(session, wanted))
