"""The settings of the organization: an override, as no request creates or deletes an organization."""

from __future__ import annotations

from pulumi_clouddb.schema.base import FilledText, Flag, Record, Text, prop, wire_names
from pulumi_clouddb.schema.resource_type import FunctionType, NoArguments, ResourceType
from pulumi_clouddb.schema.thing import Thing, answered, ours, record_of
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE


class OrganizationFields(Thing):
    """The fields that an update of the organization accepts (OpenAPI: `OrganizationPatchRequest`)."""

    ANSWER = "OriginalOrganizationSettings"

    name: FilledText | None = prop("Name of the organization.")
    enable_core_dumps: Flag | None = prop(
        "Whether core dumps of services are collected. If not, no service can collect them.",
        unset=True,
    )


class OrganizationPrivateEndpoint(Record):
    """A private endpoint of the organization (OpenAPI: `OrganizationPrivateEndpoint`)."""

    id: Text | None = prop("Id of the endpoint.")
    description: Text | None = prop("What it is for.")
    cloud_provider: Text | None = prop("Cloud provider.")
    region: Text | None = prop("Region of the cloud provider.")


class ByocConfig(Record):
    """A region prepared for bring-your-own-cloud (OpenAPI: `ByocConfig`)."""

    id: Text | None = prop("Id of the infrastructure, for `byocId` of a service.")
    state: Text | None = prop("State, such as `infra-ready`.")
    account_id: Text | None = prop("Id of the account in the cloud.")
    account_name: Text | None = prop("Name of the account; newer servers return `accountId` instead.")
    region_id: Text | None = prop("Region in which services can be created.")
    cloud_provider: Text | None = prop("Cloud provider of the region.")
    display_name: Text | None = prop("Display name of the infrastructure.")


class OrganizationCapabilities(Record):
    """What the organization is enrolled for (OpenAPI: `OrganizationCapabilities`)."""

    snapshots: Flag | None = prop("Whether its services can have snapshots.")


class OrganizationSettings(OrganizationFields):
    """The organization (OpenAPI: `Organization`)."""

    ANSWER = "OrganizationResponse"

    id: Text | None = answered("Id (UUID) of the organization.")
    created_at: Text | None = answered("When the organization was created (ISO-8601).")
    private_endpoints: list[OrganizationPrivateEndpoint] | None = answered("Private endpoints of the organization.")
    byoc_config: list[ByocConfig] | None = answered("Regions prepared for bring-your-own-cloud.")
    capabilities: OrganizationCapabilities | None = answered("What the organization is enrolled for.")
    original: OrganizationFields | None = ours(
        "The original settings of the organization.", copies=wire_names(OrganizationFields)
    )


ORGANIZATION_SETTINGS = ResourceType(
    OrganizationSettings,
    "The settings of the organization that `clouddb:organizationId` names. Destroying this restores the original "
    "settings.",
    required_outputs=("original",),
    import_id="ORGANIZATION_ID",
    only=CLICKHOUSE,
)


GET_ORGANIZATION = FunctionType(
    "getOrganization",
    "Reads the organization that `clouddb:organizationId` names.",
    NoArguments,
    record_of(OrganizationSettings),
)
