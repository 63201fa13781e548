"""Private endpoints, which the organization registers by their id at the cloud provider."""

from __future__ import annotations

from typing import ClassVar

from pulumi_clouddb.schema.base import Answer, Compare, Prose, Region, Text, Uuid, prop
from pulumi_clouddb.schema.check.rules import OURS, Rule, rule
from pulumi_clouddb.schema.choice import OpenChoice
from pulumi_clouddb.schema.common import ids_of_endpoints, region_of
from pulumi_clouddb.schema.equality import in_lower_case
from pulumi_clouddb.schema.names import property_name
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.thing import Thing, answered, option
from pulumi_clouddb.schema.usual import EndpointId
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE


class EndpointCloud(OpenChoice):
    """Cloud providers of private endpoints."""

    AWS = "aws"
    GCP = "gcp"
    AZURE = "azure"


def _nowhere(endpoint: PrivateEndpoint) -> bool:
    return endpoint.service_id is None and (endpoint.cloud_provider is None or endpoint.region is None)


class PrivateEndpoint(Thing):
    """A private endpoint (OpenAPI: `ServicPrivateEndpointePostRequest`, `OrganizationPrivateEndpoint`)."""

    RULES: ClassVar[tuple[Rule[PrivateEndpoint], ...]] = (
        rule(
            lambda endpoint: endpoint.service_id, "or both cloudProvider and region are needed", _nowhere, source=OURS
        ),
        region_of(lambda endpoint: endpoint.region, lambda endpoint: endpoint.cloud_provider),
        ids_of_endpoints(lambda endpoint: endpoint.cloud_provider, lambda endpoint: endpoint.endpoint_id),
    )

    endpoint_id: EndpointId | None = prop(
        "Id of the endpoint at the cloud provider, such as `vpce-…`. An organization can register an id only once.",
        required=True,
        replaces=True,
        api="id",
    )
    description: Prose | None = prop("What it is for.", replaces=True)
    cloud_provider: EndpointCloud | None = prop(
        "Cloud provider; with `serviceId` that of the service.", replaces=True, answer=Answer(type=EndpointCloud)
    )
    region: Region | None = prop(
        "Region; with `serviceId` that of the service.", replaces=True, compare=Compare(in_lower_case)
    )
    service_id: Uuid | None = option(
        "Service that it is registered with, and attached to. Only a create uses it; later, the endpoint is "
        "attached by `privateEndpointIds` of services. The cloud and region must be those of the service: for "
        "another region, leave `serviceId` out, and set `privateEndpointIds` of the service."
    )
    id: Text | None = answered("Id of the endpoint at the cloud provider.")

    def received(self) -> None:
        """Set the id under its name in programs."""
        self.endpoint_id = self.id


SERVICE_ID = property_name(PrivateEndpoint, lambda endpoint: endpoint.service_id)

PRIVATE_ENDPOINT = ResourceType(
    PrivateEndpoint,
    "A private endpoint that the organization has registered, so that services can be reached through it. Destroying "
    "it removes it from the organization, and from the services that it is attached to.",
    required_outputs=("endpointId",),
    import_id="ENDPOINT_ID",
    id_has_slashes=True,
    only=CLICKHOUSE,
    carried=(SERVICE_ID,),
)
