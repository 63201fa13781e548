"""Private endpoints that the organization registers by an id which the program gives."""

from __future__ import annotations

from dataclasses import replace

from pulumi_clouddb.create.create_request import CreateRequest
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.resource.plain import PlainResource
from pulumi_clouddb.schema.names import ID, property_name
from pulumi_clouddb.schema.values import WireDict, WireValues

from .api import SERVICE_ID, PrivateEndpoints
from .private_endpoint import PRIVATE_ENDPOINT, PrivateEndpoint

ENDPOINT_ID = property_name(PrivateEndpoint, lambda endpoint: endpoint.endpoint_id)


class PrivateEndpointResource(PlainResource[PrivateEndpoint]):
    """A private endpoint."""

    type = PRIVATE_ENDPOINT
    collection = PrivateEndpoints
    naming = (ENDPOINT_ID,)

    def name_of(self, wanted: PrivateEndpoint) -> str:
        """Return the id of the endpoint."""
        return str(wanted.endpoint_id)

    def objects(self, session: Session, wanted: PrivateEndpoint) -> PrivateEndpoints:  # noqa: ARG002
        """Return those of the organization, whichever service one is registered with."""
        return session.api.of(PrivateEndpoints)

    def body_of_create(self, session: Session, wanted: PrivateEndpoint) -> WireDict:
        """Return the request: with a service, its cloud and region go without saying."""
        body = super().body_of_create(session, wanted)
        body = {ID: body.pop(ENDPOINT_ID), **body}
        if wanted.service_id is None:
            return body
        return {SERVICE_ID: wanted.service_id, **{name: body[name] for name in body if name in (ID, "description")}}

    def _request(self, session: Session, wanted: PrivateEndpoint, body: WireValues) -> CreateRequest[PrivateEndpoint]:
        return replace(super()._request(session, wanted, body), own_id=str(wanted.endpoint_id))
