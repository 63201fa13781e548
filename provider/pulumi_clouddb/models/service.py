"""The managed database service: what a create takes, what the server answers, and the rules between the fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .base import FilledText, Flag, Model, Number, Record, ServiceName, Text, Uuid, Whole, prop
from .check import Rule, RuleContext
from .common import IpAccessEntry
from .resource_type import FunctionType, ResourceType
from .service_enums import CloudProvider, ComplianceType, Profile, Region, ReleaseChannel, Tier
from .values import whole_numbers

BASIC = "BASIC"
"""The organization tier whose services may have a single replica."""


class EndpointSetting(Model):
    """Turns one protocol of the service on or off."""

    protocol: FilledText = prop("Protocol of the endpoint; `mysql` occurs.", required=True)
    enabled: Flag | None = prop("Whether the endpoint is open.")


class ServiceCreate(Model):
    """The body of *Create service*, field by field."""

    name: ServiceName | None = prop(
        "Name of the service: letters, digits and spaces, 1 to 50 characters. "
        "Required here: after a lost answer a service is found again by its name.",
        required=True,
        min_length=1,
        max_length=50,
    )
    provider: CloudProvider | None = prop("Cloud that runs the service.", replaces=True)
    region: Region | None = prop("Region of that cloud.", replaces=True)
    tier: Tier | None = prop(
        "Service tier. Production services scale, development services have a fixed size; azure has no "
        "development tier.",
        replaces=True,
        deprecated="tier gave way to the tiers of the organization (BASIC, SCALE, ENTERPRISE); leave it out",
    )
    ip_access_list: list[IpAccessEntry] | None = prop("Addresses that may reach the service. The order means nothing.")
    min_total_memory_gb: Whole | None = prop(
        "Least memory of three workers while scaling, in GB: a multiple of 12 from 24 to 1068. Production services "
        "only.",
        deprecated="minTotalMemoryGb is wrong for other replica counts than three; use minReplicaMemoryGb",
        ge=24,
        le=1068,
        multiple_of=12,
        copies=("minReplicaMemoryGb", "numReplicas"),
    )
    max_total_memory_gb: Whole | None = prop(
        "Most memory of three workers while scaling, in GB: a multiple of 12 from 24 to 1068, at most 360 for "
        "organizations that do not pay. Production services only.",
        deprecated="maxTotalMemoryGb is wrong for other replica counts than three; use maxReplicaMemoryGb",
        ge=24,
        le=1068,
        multiple_of=12,
        copies=("maxReplicaMemoryGb", "numReplicas"),
    )
    min_replica_memory_gb: Whole | None = prop(
        "Least memory of one replica while scaling, in GB: a multiple of 4 from 8 to 356.",
        ge=8,
        le=356,
        multiple_of=4,
        copies=("minTotalMemoryGb", "numReplicas"),
    )
    max_replica_memory_gb: Whole | None = prop(
        "Most memory of one replica while scaling, in GB: a multiple of 4 from 8 to 356, at most 120 for organizations "
        "that do not pay. The hardware of the region may set a lower ceiling.",
        ge=8,
        le=356,
        multiple_of=4,
        copies=("maxTotalMemoryGb", "numReplicas"),
    )
    num_replicas: Whole | None = prop(
        "Number of replicas, 1 to 20; at least 2 for the first service of a warehouse, unless the organization's tier "
        "is BASIC. Server default: 1 for BASIC, 3 for SCALE and ENTERPRISE.",
        ge=1,
        le=20,
    )
    idle_scaling: Flag | None = prop("Whether the service scales to zero when idle. Server default: true.")
    idle_timeout_minutes: Number | None = prop("Minutes without work before it counts as idle, at least 5.", ge=5)
    is_readonly: Flag | None = prop(
        "Whether the service only reads; may be true only together with dataWarehouseId.", replaces=True
    )
    data_warehouse_id: FilledText | None = prop("Existing warehouse to create the service in.", replaces=True)
    backup_id: Uuid | None = prop(
        "Backup (UUID) to start from; region and tier must be those of the service it was taken of.", replaces=True
    )
    encryption_key: FilledText | None = prop("Your own key for disk encryption.", secret=True, replaces=True)
    encryption_assumed_role_identifier: FilledText | None = prop(
        "Role that the service assumes for disk encryption.", replaces=True
    )
    private_endpoint_ids: list[FilledText] | None = prop(
        "Private endpoints of the service.",
        deprecated="privateEndpointIds is not meant for creation: create the service first, then set it",
    )
    private_preview_terms_checked: Flag | None = prop(
        "Accepts the terms of a private preview; needed for the first service of an organization in such a preview. "
        "It is read at creation only."
    )
    release_channel: ReleaseChannel | None = prop(
        "How early new releases arrive: fast, default or slow. Production services only."
    )
    byoc_id: FilledText | None = prop(
        "Region prepared for bring-your-own-cloud. It needs minReplicaMemoryGb and maxReplicaMemoryGb, each one of "
        "48, 116, 172, 232.",
        replaces=True,
    )
    has_transparent_data_encryption: Flag | None = prop(
        "Whether data is encrypted transparently. ENTERPRISE organizations only; settable at creation only.",
        replaces=True,
    )
    endpoints: list[EndpointSetting] | None = prop(
        "Protocols to turn on or off; the output of the same name says where they are served."
    )
    profile: Profile | None = prop("Instance profile. ENTERPRISE organizations only.", replaces=True)
    compliance_type: ComplianceType | None = prop(
        "Regulation that the service is run under. ENTERPRISE organizations only.", replaces=True
    )


class ServiceArgs(ServiceCreate):
    """What a program may say about a service: the body of a create, and how this provider treats the service."""

    allow_duplicate_name: Flag | None = prop(
        "Create the service even though another one has the same name. Default: false.", option=True
    )
    allow_replacement: Flag | None = prop(
        "Let a change that cannot be made in place delete this database and create another. Default: false: such a "
        "change is refused at preview.",
        option=True,
    )
    deletion_protection: Flag | None = prop("Refuse to delete the service. Default: false.", option=True)
    wait_timeout_minutes: Number | None = prop(
        "Minutes to wait until the service runs, or is gone; 0 does not wait. Default: 60.", option=True, ge=0
    )


class ServiceEndpoint(Record):
    """Where a client connects."""

    protocol: Text | None = prop("Protocol, such as `https`, `nativesecure` or `mysql`.")
    enabled: Flag | None = prop("Whether the endpoint is open; one that is served is.")
    host: Text | None = prop("Host name.")
    port: Whole | None = prop("Port number.")
    username: Text | None = prop("User name of the initial account.")


class ServiceResponse(Record):
    """The service as the server answers it."""

    id: Text | None = prop("Id (UUID) of the service.")
    name: Text | None = prop("Name of the service.")
    engine_version: Text | None = prop("Version of the database engine.")
    endpoints: list[ServiceEndpoint] | None = prop("Where clients connect.")
    min_total_memory_gb: Whole | None = prop("Least memory of three workers, in GB.")
    max_total_memory_gb: Whole | None = prop("Most memory of three workers, in GB.")
    min_replica_memory_gb: Whole | None = prop("Least memory of one replica, in GB.")
    max_replica_memory_gb: Whole | None = prop("Most memory of one replica, in GB.")
    num_replicas: Whole | None = prop("Number of replicas.")
    idle_scaling: Flag | None = prop("Whether the service scales to zero when idle.")
    idle_timeout_minutes: Number | None = prop("Minutes without work before it counts as idle.")
    ip_access_list: list[IpAccessEntry] | None = prop("Addresses that may reach the service.")
    created_at: Text | None = prop("When the service was created (ISO-8601).")
    encryption_key: Text | None = prop("Your own key for disk encryption.", secret=True)
    encryption_assumed_role_identifier: Text | None = prop("Role assumed for disk encryption.")
    iam_role: Text | None = prop("Role that the service uses to read object storage.", copies=("provider",))
    private_endpoint_ids: list[Text] | None = prop("Private endpoints of the service.")
    available_private_endpoint_ids: list[Text] | None = prop(
        "Private endpoints that could be attached.", copies=("privateEndpointIds",)
    )
    data_warehouse_id: Text | None = prop("Warehouse that holds the service.")
    is_primary: Flag | None = prop("Whether it is the primary service of its warehouse.")
    is_readonly: Flag | None = prop("Whether the service only reads.")
    byoc_id: Text | None = prop("Region prepared for bring-your-own-cloud.")
    has_transparent_data_encryption: Flag | None = prop("Whether data is encrypted transparently.")
    transparent_data_encryption_key_id: Text | None = prop(
        "Id of the key of transparent data encryption.", copies=("encryptionKey",)
    )
    encryption_role_id: Text | None = prop(
        "Id of the role used for encryption.", copies=("encryptionAssumedRoleIdentifier",)
    )
    state: Text | None = prop(
        "State the server reported last, such as `running`, `idle`, `provisioning` or `failed`; absent where the "
        "server reports none."
    )


class ServiceState(ServiceArgs, ServiceResponse):
    """What Pulumi keeps of a service: the inputs as given, what the server made of them, and the password."""

    endpoints: list[ServiceEndpoint] | None = prop(  # type: ignore[assignment]
        "Where clients connect, and which protocols are off.", copies=("provider", "region")
    )
    password: Text | None = prop(
        "Password of the initial account, answered once when it was created.", secret=True, api="password"
    )
    last_error: Text | None = prop("Why the service is not ready; absent once it is.")


class ServiceCreated(Record):
    """The `result` of *Create service*."""

    service: ServiceResponse = prop("The new service.", required=True)
    password: Text | None = prop("Password of the initial account.", secret=True)


def _needs_warehouse(inputs: Mapping[str, Any], _: RuleContext) -> str | None:
    if inputs.get("isReadonly") and not inputs.get("dataWarehouseId"):
        return "may be true only together with dataWarehouseId, which is not given"
    return None


def _byoc_memory(name: str) -> Rule:
    sizes = (48, 116, 172, 232)

    def test(inputs: Mapping[str, Any], _: RuleContext) -> str | None:
        if not inputs.get("byocId") or inputs.get(name) in sizes:
            return None
        given = f"not {inputs[name]:g}" if inputs.get(name) is not None else "and is not given"
        return f"must be one of {', '.join(map(str, sizes))} when byocId is given, {given}"

    return Rule(name, ("byocId", name), test)


def _ordered(low: str, high: str) -> Rule:
    def test(inputs: Mapping[str, Any], _: RuleContext) -> str | None:
        least, most = inputs.get(low), inputs.get(high)
        if least is None or most is None or least <= most:
            return None
        return f"must be at most {high} ({most:g}), not {least:g}"

    return Rule(low, (low, high), test)


def _unpaid_ceiling(name: str, ceiling: int) -> Rule:
    def test(inputs: Mapping[str, Any], context: RuleContext) -> str | None:
        value = inputs.get(name)
        if context.paid or value is None or value <= ceiling:
            return None
        return f"must be at most {ceiling} while clouddb:paid is false, not {value:g}"

    return Rule(name, (name,), test)


def _azure_tier(inputs: Mapping[str, Any], _: RuleContext) -> str | None:
    if inputs.get("provider") == CloudProvider.AZURE and inputs.get("tier") == Tier.DEVELOPMENT:
        return "must not be development on azure, which does not have that tier"
    return None


def _first_of_warehouse(inputs: Mapping[str, Any], context: RuleContext) -> str | None:
    basic = context.organization_tier == BASIC or inputs.get("tier") == Tier.DEVELOPMENT
    if inputs.get("numReplicas") != 1 or inputs.get("dataWarehouseId") or basic:
        return None
    return (
        "must be at least 2 for the first service of a warehouse, not 1; "
        "give dataWarehouseId, or set clouddb:organizationTier to BASIC"
    )


def _production_only(name: str) -> Rule:
    def test(inputs: Mapping[str, Any], _: RuleContext) -> str | None:
        if inputs.get(name) is None or inputs.get("tier") != Tier.DEVELOPMENT:
            return None
        return f"is for production services only, not for tier development: {whole_numbers(inputs[name])}"

    return Rule(name, (name, "tier"), test)


SERVICE = ResourceType(
    name="Service",
    description=(
        "A managed database service. It is created, waited for, changed in place where the API allows it, "
        "and stopped before it is deleted."
    ),
    inputs=ServiceArgs,
    state=ServiceState,
    always=("name",),
    rules=(
        Rule("isReadonly", ("isReadonly", "dataWarehouseId"), _needs_warehouse),
        _byoc_memory("minReplicaMemoryGb"),
        _byoc_memory("maxReplicaMemoryGb"),
        _ordered("minReplicaMemoryGb", "maxReplicaMemoryGb"),
        _ordered("minTotalMemoryGb", "maxTotalMemoryGb"),
        _unpaid_ceiling("maxReplicaMemoryGb", 120),
        _unpaid_ceiling("maxTotalMemoryGb", 360),
        Rule("tier", ("provider", "tier"), _azure_tier),
        Rule("numReplicas", ("numReplicas", "dataWarehouseId", "tier"), _first_of_warehouse),
        _production_only("minTotalMemoryGb"),
        _production_only("maxTotalMemoryGb"),
        _production_only("releaseChannel"),
    ),
)


class GetServiceArgs(Model):
    """Arguments of getService."""

    service_id: Uuid = prop("Id (UUID) of the service.", required=True)


class ListServicesArgs(Model):
    """Arguments of listServices."""

    name: Text | None = prop("Only services of exactly this name, or the one of this id.")


class ServiceList(Record):
    """Answer of listServices."""

    services: list[ServiceResponse] = prop("The services, in the server's order.", required=True)


GET_SERVICE = FunctionType("getService", "Reads one service by its id.", GetServiceArgs, ServiceResponse)
LIST_SERVICES = FunctionType("listServices", "Lists the services of the organization.", ListServicesArgs, ServiceList)
