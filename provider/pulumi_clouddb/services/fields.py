"""The fields of a service, as the body of a create has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pulumi_clouddb.schema.base import FilledText, Flag, Model, Number, ServiceName, Uuid, Whole, prop
from pulumi_clouddb.schema.common import IpAccessEntry
from pulumi_clouddb.schema.config import BASIC
from pulumi_clouddb.schema.equality import as_access_list, as_set
from pulumi_clouddb.schema.values import WireDict
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

from .enums import AutoscalingMode, CloudProvider, ComplianceType, Profile, Region, ReleaseChannel, Tier
from .settings import DETAILS, MAX_TAGS, REPLICA_GB, ServiceTag, as_tags

FIRST_REPLICAS = 2
"""The least replicas of the first service of a warehouse, in the other tiers."""

REPLICAS = 3
"""Replicas of a new service in the other tiers, where the user leaves them out."""

WORKERS = 3
"""The deprecated totals of memory are counted over this many workers, whatever the number of replicas."""

_REPLICAS: WireDict = {"ge": 1, "le": 20}
_TOTAL_GB: WireDict = {name: limit * WORKERS for name, limit in REPLICA_GB.items()}
BYOC_GB = (48, 116, 172, 232)
BYOC_SIZES = ", ".join(map(str, BYOC_GB))

REPLICA, TOTAL = "scale_service", "scale_service_total"
"""The updates of the scaling."""


class EndpointSetting(Model):
    """Turns one protocol of the service on or off."""

    protocol: FilledText = prop("Protocol of the endpoint; `mysql` occurs.", required=True)
    enabled: Flag | None = prop("Whether the endpoint is open.")


def switches(endpoints: object) -> Any:
    """Endpoints mean, per protocol, whether it is open."""
    if not isinstance(endpoints, list):
        return endpoints
    named = [entry for entry in endpoints if isinstance(entry, Mapping) and isinstance(entry.get("protocol"), str)]
    return {entry["protocol"]: entry.get("enabled") is not False for entry in named}


class ServiceFields(Model):
    """The body of *Create service*, field by field (openapi: `ServicePostRequest`)."""

    name: ServiceName | None = prop(
        "Name of the service. Required here: after a lost answer a service is found again by its name. "
        f"Any characters will do with `{CLICKHOUSE.setting}`.",
        required=True,
        min_length=1,
        max_length=50,
        groups=(DETAILS,),
    )
    provider: CloudProvider | None = prop("Cloud that runs the service.", replaces=True)
    region: Region | None = prop("Region of that cloud.", replaces=True)
    tier: Tier | None = prop(
        "Service tier. Production services scale, development services have a fixed size.",
        replaces=True,
        deprecated="tier gave way to the tiers of the organization (BASIC, SCALE, ENTERPRISE); leave it out",
    )
    ip_access_list: list[IpAccessEntry] | None = prop(
        "Addresses that may reach the service. The order means nothing.", groups=(DETAILS,), compare=as_access_list
    )
    min_total_memory_gb: Whole | None = prop(
        "Least memory of three workers while scaling, in GB.",
        deprecated="minTotalMemoryGb is wrong for other replica counts than three; use minReplicaMemoryGb",
        copies=("minReplicaMemoryGb", "numReplicas"),
        groups=(TOTAL,),
        **_TOTAL_GB,
    )
    max_total_memory_gb: Whole | None = prop(
        "Most memory of three workers while scaling, in GB.",
        deprecated="maxTotalMemoryGb is wrong for other replica counts than three; use maxReplicaMemoryGb",
        copies=("maxReplicaMemoryGb", "numReplicas"),
        groups=(TOTAL,),
        **_TOTAL_GB,
    )
    min_replica_memory_gb: Whole | None = prop(
        "Least memory of one replica while scaling, in GB.",
        copies=("minTotalMemoryGb", "numReplicas"),
        groups=(REPLICA,),
        **REPLICA_GB,
    )
    max_replica_memory_gb: Whole | None = prop(
        "Most memory of one replica while scaling, in GB. The hardware of the region may set a lower ceiling.",
        copies=("maxTotalMemoryGb", "numReplicas"),
        groups=(REPLICA,),
        **REPLICA_GB,
    )
    num_replicas: Whole | None = prop(
        "Number of replicas. The first service of a warehouse may have a single one in an organization of tier BASIC.",
        **_REPLICAS,
        unset=f"1 for {BASIC}, {REPLICAS} for SCALE and ENTERPRISE",
        groups=(REPLICA, TOTAL),
    )
    autoscaling_mode: AutoscalingMode | None = prop(
        "What scales. Taken out again, it is vertical.",
        unset=AutoscalingMode.VERTICAL,
        groups=(REPLICA,),
        only=CLICKHOUSE,
        clears=AutoscalingMode.VERTICAL.value,
    )
    min_replicas: Whole | None = prop(
        "Least number of replicas while it scales.", groups=(REPLICA,), only=CLICKHOUSE, **_REPLICAS
    )
    max_replicas: Whole | None = prop(
        "Greatest number of replicas while it scales.", groups=(REPLICA,), only=CLICKHOUSE, **_REPLICAS
    )
    idle_scaling: Flag | None = prop(
        "Whether the service scales to zero when idle.", unset=True, groups=(REPLICA, TOTAL)
    )
    idle_timeout_minutes: Number | None = prop(
        "Minutes without work before it counts as idle.", ge=5, groups=(REPLICA, TOTAL)
    )
    is_readonly: Flag | None = prop("Whether the service only reads.", unset=False, replaces=True)
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
        groups=(DETAILS,),
        compare=as_set,
    )
    private_preview_terms_checked: Flag | None = prop(
        "Accepts the terms of a private preview; needed for the first service of an organization in such a preview. "
        "It is read at creation only."
    )
    release_channel: ReleaseChannel | None = prop(
        "How early new releases arrive.", unset=ReleaseChannel.DEFAULT, groups=(DETAILS,)
    )
    byoc_id: FilledText | None = prop(
        "Region prepared for bring-your-own-cloud. It needs minReplicaMemoryGb and maxReplicaMemoryGb, each one of "
        f"{BYOC_SIZES}.",
        replaces=True,
    )
    has_transparent_data_encryption: Flag | None = prop(
        "Whether data is encrypted transparently. ENTERPRISE organizations only; settable at creation only.",
        unset=False,
        replaces=True,
    )
    endpoints: list[EndpointSetting] | None = prop(
        "Protocols to turn on or off; the output of the same name says where they are served.",
        groups=(DETAILS,),
        compare=switches,
        evidence=lambda _: None,
    )
    profile: Profile | None = prop("Instance profile. ENTERPRISE organizations only.", replaces=True)
    compliance_type: ComplianceType | None = prop(
        "Regulation that the service is run under. ENTERPRISE organizations only.", replaces=True
    )
    tags: list[ServiceTag] | None = prop(
        "Tags of the service. The order means nothing. Taken out again, they are removed.",
        groups=(DETAILS,),
        only=CLICKHOUSE,
        max_length=MAX_TAGS,
        compare=as_tags,
    )
    enable_core_dumps: Flag | None = prop(
        "Whether core dumps are collected.", unset=True, groups=(DETAILS,), only=CLICKHOUSE
    )
