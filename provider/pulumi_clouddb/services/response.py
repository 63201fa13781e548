"""The service as servers answer it."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import field_validator

from pulumi_clouddb.schema.base import Flag, Number, Record, Text, Whole, prop
from pulumi_clouddb.schema.common import IpAccessEntry
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

from .settings import CREATE_TAG


class ServiceEndpoint(Record):
    """Where a client connects."""

    protocol: Text | None = prop("Protocol, such as `https`, `nativesecure` or `mysql`.")
    enabled: Flag | None = prop("Whether the endpoint is open; one that is served is.")
    host: Text | None = prop("Host name.")
    port: Whole | None = prop("Port number.")
    username: Text | None = prop("User name of the initial account.")


class ServiceTagResponse(Record):
    """A tag of a service."""

    key: Text | None = prop("Key of the tag.")
    value: Text | None = prop("Value of the tag.")


class CurrentScaling(Record):
    """The scaling that holds at this moment; it differs from the configured one while a scheduled one is active."""

    effective_autoscaling_mode: Text | None = prop("What scales.")
    effective_min_replica_memory_gb: Number | None = prop("Least memory of one replica, in GB.")
    effective_max_replica_memory_gb: Number | None = prop("Most memory of one replica, in GB.")
    effective_min_replicas: Whole | None = prop("Least number of replicas.")
    effective_max_replicas: Whole | None = prop("Greatest number of replicas.")
    effective_idle_scaling: Flag | None = prop("Whether the service scales to zero when idle.")
    effective_idle_timeout_minutes: Number | None = prop("Minutes without work before it counts as idle.")
    active_entry_id: Text | None = prop("Id of the entry of the schedule that is active, if one is.")


class BaseScaling(Record):
    """The scaling that holds while no entry of the schedule is active."""

    autoscaling_mode: Text | None = prop("What scales.")
    min_replica_memory_gb: Number | None = prop("Least memory of one replica, in GB.")
    max_replica_memory_gb: Number | None = prop("Most memory of one replica, in GB.")
    min_replicas: Whole | None = prop("Least number of replicas.")
    max_replicas: Whole | None = prop("Greatest number of replicas.")
    idle_scaling: Flag | None = prop("Whether the service scales to zero when idle.")
    idle_timeout_minutes: Number | None = prop("Minutes without work before it counts as idle.")


class ScheduledScalingResponse(BaseScaling):
    """A scaling for some hours of the week, as the server answers it."""

    id: Text | None = prop("Id of the entry.")
    name: Text | None = prop("Name of the entry.")
    weekdays: list[Whole] | None = prop("Days of the week, from Sunday on.")
    start_hour_utc: Whole | None = prop("Hour in UTC at which it begins.")
    end_hour_utc: Whole | None = prop("Hour in UTC at which it ends.")
    is_active_now: Flag | None = prop("Whether it is active at this moment.")


class ScalingScheduleResponse(Record):
    """The scaling over the week, as the server answers it."""

    entries: list[ScheduledScalingResponse] | None = prop("The scalings for some hours of the week.")
    base_config: BaseScaling | None = prop("The scaling that holds while no entry is active.")
    active_entry_id: Text | None = prop("Id of the entry that is active, if one is.")


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
    provider: Text | None = prop("Cloud that runs the service.", only=CLICKHOUSE)
    region: Text | None = prop("Region of that cloud.", only=CLICKHOUSE)
    tier: Text | None = prop("Service tier, in organizations without tiers.", only=CLICKHOUSE)
    release_channel: Text | None = prop("How early new releases arrive.", only=CLICKHOUSE)
    profile: Text | None = prop("Instance profile.", only=CLICKHOUSE)
    compliance_type: Text | None = prop("Regulation that the service is run under.", only=CLICKHOUSE)
    autoscaling_mode: Text | None = prop("What scales.", only=CLICKHOUSE)
    min_replicas: Whole | None = prop("Least number of replicas in mode `horizontal`.", only=CLICKHOUSE)
    max_replicas: Whole | None = prop("Greatest number of replicas in mode `horizontal`.", only=CLICKHOUSE)
    replica_memory_gb: Whole | None = prop(
        "Memory of each replica in mode `horizontal`, in GB.",
        only=CLICKHOUSE,
        copies=("minReplicaMemoryGb", "maxReplicaMemoryGb"),
    )
    tags: list[ServiceTagResponse] | None = prop("Tags of the service.", only=CLICKHOUSE)
    enable_core_dumps: Flag | None = prop("Whether core dumps are collected.", only=CLICKHOUSE)
    scaling_schedule: ScalingScheduleResponse | None = prop("Scaling over the week.", only=CLICKHOUSE)
    current_scaling: CurrentScaling | None = prop(
        "The scaling that holds at this moment.",
        only=CLICKHOUSE,
        copies=(
            *("autoscalingMode", "minReplicaMemoryGb", "maxReplicaMemoryGb", "minTotalMemoryGb", "maxTotalMemoryGb"),
            *("numReplicas", "minReplicas", "maxReplicas", "idleScaling", "idleTimeoutMinutes", "scalingSchedule"),
        ),
    )
    state: Text | None = prop(
        "State the server reported last, such as `running`, `idle`, `provisioning` or `failed`; absent where the "
        "server reports none."
    )

    @field_validator("tags", mode="before")
    @classmethod
    def _without_mark(cls, tags: object) -> object:
        """Leave out the tag that marks what this provider has created; see `api.marks`."""
        if not isinstance(tags, list):
            return tags
        return [tag for tag in tags if not (isinstance(tag, Mapping) and tag.get("key") == CREATE_TAG)]


class BackupConfigurationResponse(Record):
    """When backups are made, and how long they are kept, as the server answers it."""

    backup_period_in_hours: Number | None = prop("Hours from one backup to the next.")
    backup_retention_period_in_hours: Number | None = prop("Hours for which a backup is kept.")
    backup_start_time: Text | None = prop("Time of the day in UTC at which a backup is made each day.")


class QueryEndpointResponse(Record):
    """Who may send queries over HTTP, as the server answers it."""

    roles: list[Text] | None = prop("What these queries may do.")
    open_api_keys: list[Text] | None = prop("Ids of the API keys that may send queries.")
    allowed_origins: Text | None = prop("Domains that browsers may send queries from.")


class ServiceRecord(ServiceResponse):
    """The service as state keeps it, with the settings that are read by themselves."""

    backup_configuration: BackupConfigurationResponse | None = prop("When backups are made.", only=CLICKHOUSE)
    query_endpoint: QueryEndpointResponse | None = prop("Who may send queries over HTTP.", only=CLICKHOUSE)


class ServiceCreated(Record):
    """The `result` of *Create service*."""

    service: ServiceResponse = prop("The new service.", required=True)
    password: Text | None = prop("Password of the initial account.", secret=True)
