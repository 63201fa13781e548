"""The fields of a service that programs set, servers return, or both."""

from __future__ import annotations

from pulumi_clouddb.schema.base import (
    Answer,
    Compare,
    FilledText,
    Flag,
    JsonObject,
    Minutes,
    ServiceName,
    Text,
    Uuid,
    Whole,
    prop,
)
from pulumi_clouddb.schema.common import IpAccessEntry
from pulumi_clouddb.schema.equality import as_access_list, as_set
from pulumi_clouddb.schema.organization import BASIC
from pulumi_clouddb.schema.tags import CREATE_TAG, MAX_TAGS, ServiceTag, as_tags
from pulumi_clouddb.schema.thing import Thing, answered, asked, option
from pulumi_clouddb.schema.usual import EndpointId, FilledRoleArn, Rotation
from pulumi_clouddb.schema.vendor import only_there
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

from .enums import AutoscalingMode, CloudProvider, ComplianceType, Profile, Region, ReleaseChannel, Tier
from .parts import (
    BASE64,
    BYOC_SIZES,
    REPLICA_COUNT,
    REPLICA_GB,
    REPLICAS,
    SHA1,
    SHA256,
    TOTAL_GB,
    BackupBucket,
    BackupConfiguration,
    CurrentScaling,
    EndpointSetting,
    QueryEndpoint,
    ReplicaAwareRouting,
    ScalingSchedule,
    SnapshotConfiguration,
    UpgradeWindow,
    as_query_endpoint,
    as_schedule,
    switches,
)

DETAILS, REPLICA, TOTAL = "update_service", "scale_service", "scale_service_total"
"""The operations that update the basic details, the scaling, and the scaling as a whole."""


class ServiceFields(Thing):
    """What requests and responses contain about a service (OpenAPI: `ServicePostRequest`, `Service`)."""

    name: ServiceName | None = prop(
        "Name of the service. Required: after a lost response, the service is found by its name.",
        required=True,
        min_length=1,
        max_length=50,
        groups=(DETAILS,),
        answer=Answer("Name of the service."),
    )
    provider: CloudProvider | None = prop("Cloud that runs the service.", replaces=True, answer=Answer(only=CLICKHOUSE))
    region: Region | None = prop("Region of that cloud.", replaces=True, answer=Answer(only=CLICKHOUSE))
    tier: Tier | None = prop(
        "Service tier. Production services scale, development services have a fixed size.",
        replaces=True,
        deprecated="tier was replaced by the tiers of the organization (BASIC, SCALE, ENTERPRISE); leave it out",
        answer=Answer("Service tier, in organizations without tiers.", only=CLICKHOUSE),
    )
    ip_access_list: list[IpAccessEntry] | None = prop(
        "Addresses that may reach the service. The order is not significant.",
        groups=(DETAILS,),
        compare=Compare(as_access_list),
        answer=Answer(type=list[IpAccessEntry]),
    )
    min_total_memory_gb: Whole | None = prop(
        "Minimum memory of three workers while scaling, in GB.",
        deprecated="minTotalMemoryGb is wrong for other replica counts than three; use minReplicaMemoryGb",
        copies=("minReplicaMemoryGb", "numReplicas"),
        groups=(TOTAL,),
        **TOTAL_GB,
    )
    max_total_memory_gb: Whole | None = prop(
        "Maximum memory of three workers while scaling, in GB.",
        deprecated="maxTotalMemoryGb is wrong for other replica counts than three; use maxReplicaMemoryGb",
        copies=("maxReplicaMemoryGb", "numReplicas"),
        groups=(TOTAL,),
        **TOTAL_GB,
    )
    min_replica_memory_gb: Whole | None = prop(
        "Minimum memory of one replica while scaling, in GB.",
        copies=("minTotalMemoryGb", "numReplicas"),
        groups=(REPLICA,),
        **REPLICA_GB,
    )
    max_replica_memory_gb: Whole | None = prop(
        "Maximum memory of one replica while scaling, in GB. The hardware of the region may have a lower limit.",
        copies=("maxTotalMemoryGb", "numReplicas"),
        groups=(REPLICA,),
        **REPLICA_GB,
    )
    num_replicas: Whole | None = prop(
        "Number of replicas.",
        ge=1,
        le=20,
        unset=f"1 for {BASIC}, {REPLICAS} for SCALE and ENTERPRISE",
        groups=(REPLICA, TOTAL),
        answer=Answer("Number of replicas."),
    )
    autoscaling_mode: AutoscalingMode | None = only_there(
        "What scales.",
        taken_out="it is vertical",
        unset=AutoscalingMode.VERTICAL,
        groups=(REPLICA,),
        clears=AutoscalingMode.VERTICAL.value,
    )
    min_replicas: Whole | None = only_there(
        "Minimum number of replicas while it scales.",
        groups=(REPLICA,),
        **REPLICA_COUNT,
    )
    max_replicas: Whole | None = only_there(
        "Maximum number of replicas while it scales.",
        groups=(REPLICA,),
        **REPLICA_COUNT,
    )
    idle_scaling: Flag | None = prop(
        "Whether the service scales to zero when idle.", unset=True, groups=(REPLICA, TOTAL)
    )
    idle_timeout_minutes: Minutes | None = prop(
        "Minutes without activity after which the service is idle.", ge=5, groups=(REPLICA, TOTAL)
    )
    is_readonly: Flag | None = prop("Whether the service only reads.", unset=False, replaces=True)
    data_warehouse_id: FilledText | None = prop(
        "Existing warehouse to create the service in.",
        replaces=True,
        answer=Answer("Warehouse that holds the service."),
    )
    backup_id: Uuid | None = asked(
        "Backup to start from; the region and tier must be those of the service that was backed up.", replaces=True
    )
    backup_encryption_config: JsonObject | None = asked(
        "The content of the file encryption_config.json beside a backup in a bucket of your own. Starting from an "
        "encrypted backup there needs it; with any other backup it is refused. Private preview.",
        secret=True,
        replaces=True,
        only=CLICKHOUSE,
    )
    encryption_key: FilledText | None = prop(
        "Your own (customer-managed) key for disk encryption, such as one of AWS KMS.", secret=True, replaces=True
    )
    encryption_assumed_role_identifier: FilledRoleArn | None = prop(
        "Role that the service assumes for disk encryption.", replaces=True
    )
    private_endpoint_ids: list[EndpointId] | None = prop(
        "Private endpoints to attach to the service. An update detaches only those that the program has attached; "
        "others, such as that of a `PrivateEndpoint` with `serviceId`, stay attached, and a refresh warns about "
        "them.",
        groups=(DETAILS,),
        compare=Compare(as_set),
    )
    private_preview_terms_checked: Flag | None = asked(
        "Accepts the terms of a private preview; needed for the first service of an organization in such a preview. "
        "Only a create uses it."
    )
    release_channel: ReleaseChannel | None = prop(
        "How early new releases arrive.",
        unset=ReleaseChannel.DEFAULT,
        groups=(DETAILS,),
        answer=Answer(only=CLICKHOUSE),
    )
    byoc_id: FilledText | None = prop(
        "Region prepared for bring-your-own-cloud. It needs minReplicaMemoryGb and maxReplicaMemoryGb, each one of "
        f"{BYOC_SIZES}.",
        replaces=True,
        answer=Answer("Region prepared for bring-your-own-cloud."),
    )
    has_transparent_data_encryption: Flag | None = prop(
        "Whether data is encrypted transparently. ENTERPRISE organizations only; only a create can set it.",
        unset=False,
        replaces=True,
    )
    endpoints: list[EndpointSetting] | None = prop(
        "Protocols to turn on or off; the output of the same name has their hosts and ports.",
        groups=(DETAILS,),
        compare=Compare(switches, evidence=lambda _: None),
        answer=Answer("Where clients connect.", output="Hosts and ports for clients, and the protocols that are off."),
        copies=("provider", "region"),
    )
    profile: Profile | None = prop(
        "Instance profile. ENTERPRISE organizations only.", replaces=True, answer=Answer(only=CLICKHOUSE)
    )
    compliance_type: ComplianceType | None = prop(
        "Compliance type of the service. ENTERPRISE organizations only.",
        replaces=True,
        answer=Answer(only=CLICKHOUSE),
    )
    tags: list[ServiceTag] | None = only_there(
        "Tags of the service. The order is not significant.",
        taken_out="they are removed",
        groups=(DETAILS,),
        max_length=MAX_TAGS,
        compare=Compare(as_tags),
    )
    enable_core_dumps: Flag | None = only_there("Whether core dumps are collected.", unset=True, groups=(DETAILS,))
    transparent_data_encryption_key_id: FilledText | None = only_there(
        "Id of the key of transparent data encryption to change to.",
        groups=(DETAILS,),
        answer=Answer("Id of the key of transparent data encryption."),
        copies=("encryptionKey",),
        later=True,
    )
    backup_configuration: BackupConfiguration | None = only_there(
        "When backups are made, and how long they are kept; only for the first service of a warehouse.",
        taken_out="the server's default applies, also to an entry that is removed",
        groups=("configure_backups",),
        compare=Compare(open_objects=True),
        answer=Answer("When backups are made.", apart=True),
        later=True,
    )
    snapshot_configuration: SnapshotConfiguration | None = only_there(
        "Snapshots between the backups, in beta. The server refuses them with 403 if the organization is not enrolled, "
        "or if the key may not manage backups. If removed, snapshots continue unchanged: set enabled to false to end "
        "them.",
        groups=("configure_snapshots",),
        compare=Compare(open_objects=True),
        answer=Answer("Snapshots between the backups.", apart=True),
        later=True,
    )
    replica_aware_routing: ReplicaAwareRouting | None = only_there(
        "Requests with the same tag reach the same replica, in beta. The server refuses it if the organization does "
        "not have the feature. If removed, the routing continues unchanged: set both properties to false to end it.",
        groups=("update_replica_aware_routing",),
        compare=Compare(open_objects=True),
        answer=Answer("Whether requests with the same tag reach the same replica.", apart=True),
        later=True,
    )
    query_endpoint: QueryEndpoint | None = only_there(
        "Lets queries in over HTTP.",
        taken_out="the endpoint is deleted",
        api="serviceQueryEndpoint",
        groups=("set_query_endpoint",),
        compare=Compare(as_query_endpoint),
        answer=Answer("Access to the service by queries over HTTP.", apart=True),
        later=True,
    )
    scaling_schedule: ScalingSchedule | None = only_there(
        "Scaling over the week, such as a smaller database at night.",
        taken_out="the schedule is deleted",
        groups=("set_scaling_schedule",),
        compare=Compare(as_schedule, open_objects=True),
        later=True,
    )
    upgrade_window: UpgradeWindow | None = only_there(
        "When it may be upgraded; set it for the first service of a warehouse, and it applies to the others, too.",
        taken_out="the window is deleted",
        groups=("set_upgrade_window",),
        compare=Compare(open_objects=True),
        answer=Answer("When it may be upgraded.", apart=True),
        later=True,
    )
    settings: dict[str, Text] | None = only_there(
        "Settings of the database engine by name, such as `max_query_size`; numbers may be written as such. "
        "Settings that the server has besides after a write are kept; one that appears later is drift. Names and "
        "values are checked against the server's own schema before they are sent; some settings restart the engine.",
        taken_out="a setting has the server's default",
        groups=("update_settings",),
        compare=Compare(open_objects=True, digits=True),
        answer=Answer("Settings of the database engine that were set explicitly.", apart=True),
        later=True,
    )
    backup_bucket: BackupBucket | None = only_there(
        "A bucket of your own that backups are copied to. A change of it needs an API key with the role admin.",
        taken_out="the bucket is no longer used",
        groups=("create_backup_bucket", "update_backup_bucket"),
        compare=Compare(open_objects=True),
        answer=Answer("The bucket that backups are copied to.", apart=True),
        later=True,
    )
    backup_bucket_secret: FilledText | None = asked(
        "Secret of `backupBucket`: that of the HMAC key on GCP, the connection string on Azure. Each change of the "
        "bucket needs it. If removed, the server keeps it.",
        api="secretAccessKey",
        secret=True,
        groups=("create_backup_bucket", "update_backup_bucket"),
        only=CLICKHOUSE,
        later=True,
    )
    password_hash: Text | None = asked(
        f"{BASE64} of the {SHA256} of a password of your own, which replaces the generated one; `password` is then "
        "absent. If removed, the password stays. A change by somebody else is not detected.",
        api="newPasswordHash",
        secret=True,
        groups=("reset_password",),
        only=CLICKHOUSE,
        pattern="^[A-Za-z0-9+/]{43}=$",
        later=True,
    )
    password_double_sha1_hash: Text | None = asked(
        f"Hex of the {SHA1} of the {SHA1} of that password, for clients that speak MySQL.",
        api="newDoubleSha1Hash",
        secret=True,
        groups=("reset_password",),
        only=CLICKHOUSE,
        pattern="^[0-9a-fA-F]{40}$",
        later=True,
    )
    stopped: Flag | None = asked(
        "Whether the service is stopped: it then answers no query, and its settings stay. A new service is stopped "
        "after everything else is set; an update starts it first, or stops it last. An idle service counts as "
        "started. If removed, it stays stopped or started. While it is stopped, `settings` cannot change.",
        groups=("command_service",),
        only=CLICKHOUSE,
        later=True,
        unset=False,
    )
    password_rotation: Rotation | None = option(
        "Any text. Setting or changing it after the create generates a new `password`.",
        only=CLICKHOUSE,
        groups=("reset_password",),
    )
    id: Text | None = answered("Id (UUID) of the service.")
    engine_version: Text | None = answered("Version of the database engine.")
    created_at: Text | None = answered("When the service was created (ISO-8601).")
    iam_role: Text | None = answered("Role that the service uses to read object storage.", copies=("provider",))
    available_private_endpoint_ids: list[Text] | None = answered(
        "Private endpoints that could be attached.", copies=("privateEndpointIds",)
    )
    is_primary: Flag | None = answered("Whether it is the primary service of its warehouse.")
    encryption_role_id: Text | None = answered(
        "Id of the role used for encryption.", copies=("encryptionAssumedRoleIdentifier",)
    )
    replica_memory_gb: Whole | None = answered(
        "Memory of each replica in mode `horizontal`, in GB.",
        only=CLICKHOUSE,
        copies=("minReplicaMemoryGb", "maxReplicaMemoryGb"),
    )
    current_scaling: CurrentScaling | None = answered(
        "The scaling in effect now.",
        only=CLICKHOUSE,
        copies=(
            *("autoscalingMode", "minReplicaMemoryGb", "maxReplicaMemoryGb", "minTotalMemoryGb", "maxTotalMemoryGb"),
            *("numReplicas", "minReplicas", "maxReplicas", "idleScaling", "idleTimeoutMinutes", "scalingSchedule"),
        ),
    )
    state: Text | None = answered(
        "State that the server last reported, such as `running`, `idle`, `provisioning` or `failed`; absent if the "
        "server reports none."
    )

    def received(self) -> None:
        """Leave out the tag that marks the services that this provider creates; see `client.marks`."""
        if self.tags is not None:
            self.tags = [tag for tag in self.tags if tag.key != CREATE_TAG]
