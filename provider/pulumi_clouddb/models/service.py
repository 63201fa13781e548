"""The managed database service: what a create takes, what the server answers, and the rules between the fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from .base import FilledText, Flag, Model, Number, Record, ServiceName, Text, Uuid, Whole, names_in, prop
from .common import IpAccessEntry
from .equality import as_access_list, as_set
from .resource_type import FunctionType, ResourceType
from .rules import Rule, RuleContext, name_of
from .service_enums import CloudProvider, ComplianceType, Profile, Region, ReleaseChannel, Tier
from .values import WireDict, whole_numbers

BASIC = "BASIC"
"""The organization tier whose services may have a single replica."""

FIRST_REPLICAS = 2
"""The least replicas of the first service of a warehouse, in the other tiers."""

REPLICAS = 3
"""Replicas of a new service in the other tiers, where the user leaves them out."""

WORKERS = 3
"""The deprecated totals of memory are counted over this many workers, whatever the number of replicas."""

UNPAID_REPLICA_GB = 120
UNPAID_TOTAL_GB = UNPAID_REPLICA_GB * WORKERS
"""Ceilings of memory for organizations that do not pay."""

WAIT_MINUTES = 60.0
"""How long a service is waited for where neither it nor the operation says."""

_REPLICA_GB: WireDict = {"ge": 8, "le": 356, "multiple_of": 4}
_TOTAL_GB: WireDict = {name: limit * WORKERS for name, limit in _REPLICA_GB.items()}
_BYOC_GB = (48, 116, 172, 232)
_BYOC_SIZES = ", ".join(map(str, _BYOC_GB))

_DETAILS, _REPLICA, _TOTAL = "update_service", "scale_service", "scale_service_total"


class EndpointSetting(Model):
    """Turns one protocol of the service on or off."""

    protocol: FilledText = prop("Protocol of the endpoint; `mysql` occurs.", required=True)
    enabled: Flag | None = prop("Whether the endpoint is open.")


def _needs_warehouse(args: ServiceCreate, _: RuleContext) -> str | None:
    return ", which is not given" if args.is_readonly and not args.data_warehouse_id else None


def _byoc_memory(memory: Callable[[ServiceCreate], int | None]) -> Rule[ServiceCreate]:
    def test(args: ServiceCreate, _: RuleContext) -> str | None:
        given = memory(args)
        if not args.byoc_id or given in _BYOC_GB:
            return None
        return ", and is not given" if given is None else f", not {given:g}"

    return Rule(memory, test, f"must be one of {_BYOC_SIZES} when byocId is given")


def _ordered(
    low: Callable[[ServiceCreate], int | None], high: Callable[[ServiceCreate], int | None]
) -> Rule[ServiceCreate]:
    def test(args: ServiceCreate, _: RuleContext) -> str | None:
        least, most = low(args), high(args)
        return None if least is None or most is None or least <= most else f" ({most:g}), not {least:g}"

    return Rule(low, test, f"must be at most {name_of(high)}")


def _unpaid_ceiling(memory: Callable[[ServiceCreate], int | None], ceiling: int) -> Rule[ServiceCreate]:
    def test(args: ServiceCreate, context: RuleContext) -> str | None:
        given = memory(args)
        return None if context.paid or given is None or given <= ceiling else f", not {given:g}"

    return Rule(memory, test, f"must be at most {ceiling} while clouddb:paid is false")


def _azure_tier(args: ServiceCreate, _: RuleContext) -> str | None:
    return "" if args.provider == CloudProvider.AZURE and args.tier == Tier.DEVELOPMENT else None


def _first_of_warehouse(args: ServiceCreate, context: RuleContext) -> str | None:
    basic = context.organization_tier == BASIC or args.tier == Tier.DEVELOPMENT
    replicas = args.num_replicas
    if replicas is None or replicas >= FIRST_REPLICAS or args.data_warehouse_id or basic:
        return None
    return f", not {replicas:g}; give dataWarehouseId, or set clouddb:organizationTier to {BASIC}"


def _production_only(field: Callable[[ServiceCreate], object]) -> Rule[ServiceCreate]:
    def test(args: ServiceCreate, _: RuleContext) -> str | None:
        if field(args) is None or args.tier != Tier.DEVELOPMENT:
            return None
        return f", not for tier development: {whole_numbers(field(args))}"

    return Rule(field, test, "is for production services only")


def switches(endpoints: Any) -> Any:
    """Endpoints mean, per protocol, whether it is open."""
    if not isinstance(endpoints, list):
        return endpoints
    named = [entry for entry in endpoints if isinstance(entry, Mapping) and isinstance(entry.get("protocol"), str)]
    return {entry["protocol"]: entry.get("enabled") is not False for entry in named}


class ServiceCreate(Model):
    """The body of *Create service*, field by field."""

    RULES: ClassVar[tuple[Rule[ServiceCreate], ...]] = (
        Rule(lambda args: args.is_readonly, _needs_warehouse, "may be true only together with dataWarehouseId"),
        _byoc_memory(lambda args: args.min_replica_memory_gb),
        _byoc_memory(lambda args: args.max_replica_memory_gb),
        _ordered(lambda args: args.min_replica_memory_gb, lambda args: args.max_replica_memory_gb),
        _ordered(lambda args: args.min_total_memory_gb, lambda args: args.max_total_memory_gb),
        _unpaid_ceiling(lambda args: args.max_replica_memory_gb, UNPAID_REPLICA_GB),
        _unpaid_ceiling(lambda args: args.max_total_memory_gb, UNPAID_TOTAL_GB),
        Rule(lambda args: args.tier, _azure_tier, "must not be development on azure, which does not have that tier"),
        Rule(
            lambda args: args.num_replicas,
            _first_of_warehouse,
            f"must be at least {FIRST_REPLICAS} for the first service of a warehouse",
        ),
        _production_only(lambda args: args.min_total_memory_gb),
        _production_only(lambda args: args.max_total_memory_gb),
        _production_only(lambda args: args.release_channel),
    )

    name: ServiceName | None = prop(
        "Name of the service. Required here: after a lost answer a service is found again by its name.",
        required=True,
        min_length=1,
        max_length=50,
        groups=(_DETAILS,),
    )
    provider: CloudProvider | None = prop("Cloud that runs the service.", replaces=True)
    region: Region | None = prop("Region of that cloud.", replaces=True)
    tier: Tier | None = prop(
        "Service tier. Production services scale, development services have a fixed size.",
        replaces=True,
        deprecated="tier gave way to the tiers of the organization (BASIC, SCALE, ENTERPRISE); leave it out",
    )
    ip_access_list: list[IpAccessEntry] | None = prop(
        "Addresses that may reach the service. The order means nothing.", groups=(_DETAILS,), compare=as_access_list
    )
    min_total_memory_gb: Whole | None = prop(
        "Least memory of three workers while scaling, in GB.",
        deprecated="minTotalMemoryGb is wrong for other replica counts than three; use minReplicaMemoryGb",
        copies=("minReplicaMemoryGb", "numReplicas"),
        groups=(_TOTAL,),
        **_TOTAL_GB,
    )
    max_total_memory_gb: Whole | None = prop(
        "Most memory of three workers while scaling, in GB.",
        deprecated="maxTotalMemoryGb is wrong for other replica counts than three; use maxReplicaMemoryGb",
        copies=("maxReplicaMemoryGb", "numReplicas"),
        groups=(_TOTAL,),
        **_TOTAL_GB,
    )
    min_replica_memory_gb: Whole | None = prop(
        "Least memory of one replica while scaling, in GB.",
        copies=("minTotalMemoryGb", "numReplicas"),
        groups=(_REPLICA,),
        **_REPLICA_GB,
    )
    max_replica_memory_gb: Whole | None = prop(
        "Most memory of one replica while scaling, in GB. The hardware of the region may set a lower ceiling.",
        copies=("maxTotalMemoryGb", "numReplicas"),
        groups=(_REPLICA,),
        **_REPLICA_GB,
    )
    num_replicas: Whole | None = prop(
        "Number of replicas. The first service of a warehouse may have a single one in an organization of tier BASIC.",
        ge=1,
        le=20,
        unset=f"1 for {BASIC}, {REPLICAS} for SCALE and ENTERPRISE",
        groups=(_REPLICA, _TOTAL),
    )
    idle_scaling: Flag | None = prop(
        "Whether the service scales to zero when idle.", unset=True, groups=(_REPLICA, _TOTAL)
    )
    idle_timeout_minutes: Number | None = prop(
        "Minutes without work before it counts as idle.", ge=5, groups=(_REPLICA, _TOTAL)
    )
    is_readonly: Flag | None = prop("Whether the service only reads.", replaces=True)
    data_warehouse_id: FilledText | None = prop("Existing warehouse to create the service in.", replaces=True)
    backup_id: Uuid | None = prop(
        "Backup to start from, in the region and tier of the service it was taken of.", replaces=True
    )
    encryption_key: FilledText | None = prop("Your own key for disk encryption.", secret=True, replaces=True)
    encryption_assumed_role_identifier: FilledText | None = prop(
        "Role that the service assumes for disk encryption.", replaces=True
    )
    private_endpoint_ids: list[FilledText] | None = prop(
        "Private endpoints of the service.",
        deprecated="privateEndpointIds is not meant for creation: create the service first, then set it",
        groups=(_DETAILS,),
        compare=as_set,
    )
    private_preview_terms_checked: Flag | None = prop(
        "Accepts the terms of a private preview; needed for the first service of an organization in such a preview. "
        "It is read at creation only."
    )
    release_channel: ReleaseChannel | None = prop("How early new releases arrive.", groups=(_DETAILS,))
    byoc_id: FilledText | None = prop(
        "Region prepared for bring-your-own-cloud. It needs minReplicaMemoryGb and maxReplicaMemoryGb, each one of "
        f"{_BYOC_SIZES}.",
        replaces=True,
    )
    has_transparent_data_encryption: Flag | None = prop(
        "Whether data is encrypted transparently. ENTERPRISE organizations only; settable at creation only.",
        replaces=True,
    )
    endpoints: list[EndpointSetting] | None = prop(
        "Protocols to turn on or off; the output of the same name says where they are served.",
        groups=(_DETAILS,),
        compare=switches,
        evidence=lambda _: None,
    )
    profile: Profile | None = prop("Instance profile. ENTERPRISE organizations only.", replaces=True)
    compliance_type: ComplianceType | None = prop(
        "Regulation that the service is run under. ENTERPRISE organizations only.", replaces=True
    )


BASIC_DETAILS = names_in(ServiceCreate, _DETAILS)
REPLICA_SCALING = names_in(ServiceCreate, _REPLICA)
TOTAL_SCALING = names_in(ServiceCreate, _TOTAL)
"""What each of the updates of a service takes, by wire name."""

TOTAL_MEMORY = tuple(name for name in TOTAL_SCALING if name not in REPLICA_SCALING)
"""What the deprecated update of the totals alone takes."""


class ServiceArgs(ServiceCreate):
    """What a program may say about a service: the body of a create, and how this provider treats the service."""

    allow_duplicate_name: Flag | None = prop(
        "Create the service even though another one has the same name.", unset=False, provider_only=True
    )
    allow_replacement: Flag | None = prop(
        "Let a change that cannot be made in place delete this database and create another; otherwise such a change "
        "is refused at preview.",
        unset=False,
        provider_only=True,
    )
    deletion_protection: Flag | None = prop("Refuse to delete the service.", unset=False, provider_only=True)
    wait_timeout_minutes: Number | None = prop(
        "Minutes to wait until the service runs, or is gone; zero does not wait.",
        unset=WAIT_MINUTES,
        provider_only=True,
        ge=0,
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


class ServiceOwn(Record):
    """What this provider adds to the state of a service."""

    endpoints: list[ServiceEndpoint] | None = prop(
        "Where clients connect, and which protocols are off.", copies=("provider", "region")
    )
    password: Text | None = prop(
        "Password of the initial account, answered once when it was created.", secret=True, api="password"
    )
    last_error: Text | None = prop("Why the service is not ready; absent once it is.")


class ServiceState(ServiceOwn, ServiceArgs, ServiceResponse):
    """What Pulumi keeps of a service: the inputs as given, what the server made of them, and the password."""


class ServiceCreated(Record):
    """The `result` of *Create service*."""

    service: ServiceResponse = prop("The new service.", required=True)
    password: Text | None = prop("Password of the initial account.", secret=True)


SERVICE = ResourceType(
    name="Service",
    description=(
        "A managed database service. It is created, waited for, changed in place where the API allows it, "
        "and stopped before it is deleted."
    ),
    inputs=ServiceArgs,
    record=ServiceResponse,
    own=ServiceOwn,
    state=ServiceState,
    required_outputs=("name",),
    import_id="SERVICE_ID",
)


class GetServiceArgs(Model):
    """Arguments of getService."""

    service_id: Uuid = prop("Id of the service.", required=True)


class ListServicesArgs(Model):
    """Arguments of listServices."""

    name: Text | None = prop("Only services of exactly this name, or the one of this id.")


class ServiceList(Record):
    """Answer of listServices."""

    services: list[ServiceResponse] = prop("The services, in the server's order.", required=True)


GET_SERVICE = FunctionType("getService", "Reads one service by its id.", GetServiceArgs, ServiceResponse)
LIST_SERVICES = FunctionType("listServices", "Lists the services of the organization.", ListServicesArgs, ServiceList)
