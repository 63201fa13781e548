"""Private endpoints, which the organization registers by their id at the cloud provider."""

from __future__ import annotations

from pulumi_clouddb.create.session import Session
from pulumi_clouddb.resource.plain import PlainResource
from pulumi_clouddb.schema.names import ID, property_name
from pulumi_clouddb.schema.values import WireDict

from .api import PrivateEndpoints
from .private_endpoint import PRIVATE_ENDPOINT, SERVICE_ID, PrivateEndpoint

ENDPOINT_ID = property_name(PrivateEndpoint, lambda endpoint: endpoint.endpoint_id)


class PrivateEndpointResource(PlainResource[PrivateEndpoint]):
    """A private endpoint."""

    type = PRIVATE_ENDPOINT
    collection = PrivateEndpoints
    naming = (ENDPOINT_ID,)
    name_is_id = True

    def name_of(self, wanted: PrivateEndpoint) -> str:
        """Return the id of the endpoint."""
        return str(wanted.endpoint_id)

    def objects(self, session: Session, wanted: PrivateEndpoint) -> PrivateEndpoints:  # noqa: ARG002
        """Return the endpoints of the organization, which contain those that are registered with a service."""
        return session.api.of(PrivateEndpoints)

    def body_of_create(self, session: Session, wanted: PrivateEndpoint) -> WireDict:
        """Return the body of a POST; with a service, it needs no cloud and region."""
        body = super().body_of_create(session, wanted)
        body = {ID: body.pop(ENDPOINT_ID), **body}
        if wanted.service_id is None:
            return body
        return {name: body[name] for name in body if name in (ID, SERVICE_ID, "description")}
