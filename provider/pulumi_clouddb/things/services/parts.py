"""The objects within a service, their limits, and how they are compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, Field

from pulumi_clouddb.schema.base import Answer, FilledText, Flag, Number, Record, Text, Whole, prop
from pulumi_clouddb.schema.check.rules import API, OURS, SEEN, TF, Rule, name_of, rule
from pulumi_clouddb.schema.check.wording import A_FULL_HOUR
from pulumi_clouddb.schema.equality import as_set
from pulumi_clouddb.schema.thing import Part, answered, asked
from pulumi_clouddb.schema.usual import Domains, FilledRoleArn, KeyId, WholeMinutes
from pulumi_clouddb.schema.values import WireDict
from pulumi_clouddb.schema.vendor import within

from .enums import AutoscalingMode, BucketProvider, EndpointProtocol, QueryRole
from .scaling_rules import Count, fits_mode, ordered, together

DAY_HOURS = 24
"""The only period of backups with a time of the day."""

IDLE_MINUTES = 5
"""The least time without activity after which a service is idle."""

MAX_ENTRIES = 10
"""The greatest number of entries of a schedule."""

BASE64, SHA256, SHA1 = "Base64", "SHA-256", "SHA-1"
"""Names with digits, which no description writes out (test_no_derived_text_is_repeated_by_hand)."""

_GB = {"ge": 8, "le": 356, "multiple_of": 4}

REPLICA_GB: WireDict = {**_GB, "grows": True}
"""Limits of the memory of one replica, in GB."""

FIRST_REPLICAS = 2
"""The least number of replicas of the first service of a warehouse, except in the lowest tier."""

REPLICAS = 3
"""The default number of replicas, except in the lowest tier."""

WORKERS = 3
"""The deprecated totals of memory are counted over this many workers, whatever the number of replicas."""

REPLICA_COUNT: WireDict = {"ge": 1, "le": 50, "grows": True}
"""Limits of the number of replicas on the vendor's servers."""

TOTAL_GB: WireDict = {name: limit * WORKERS for name, limit in _GB.items()} | {"grows": True}
BYOC_GB = (48, 116, 172, 232)
BYOC_SIZES = ", ".join(map(str, BYOC_GB))


def _weekday(value: int) -> int:
    if not 0 <= value <= 6:
        raise ValueError("must be a day of the week, from 0 for Sunday to 6 for Saturday")
    return value


Weekday = Annotated[Whole, AfterValidator(_weekday), Field(ge=0, le=6)]


def as_query_endpoint(value: object) -> object:
    """Return a query endpoint to compare; missing properties are empty."""
    if not isinstance(value, Mapping):
        return value
    lists = {name: as_set(value.get(name) or []) for name in ("roles", "openApiKeys")}
    return {**lists, "allowedOrigins": value.get("allowedOrigins") or ""}


def as_schedule(value: object) -> object:
    """Return a schedule to compare: days are a set, and a number of replicas is a band of one."""
    entries = value.get("entries") if isinstance(value, Mapping) else None
    if not isinstance(entries, list) or not all(isinstance(entry, Mapping) for entry in entries):
        return value
    return [_as_entry(entry) for entry in entries]


def _as_entry(entry: Mapping[str, object]) -> WireDict:
    values = {"autoscalingMode": AutoscalingMode.VERTICAL.value}
    values |= {name: value for name, value in entry.items() if value is not None}
    if (count := values.pop("numReplicas", None)) is not None:
        values |= {"minReplicas": count, "maxReplicas": count}
    return {**values, "weekdays": as_set(entry.get("weekdays"))}


PERIODS = (6, 8, 12, 16, 20, 24, 36, 48)
"""The known hours from one backup to the next."""


def _unusual_period(backups: BackupConfiguration) -> str | None:
    period = backups.backup_period_in_hours
    return None if period is None or period in PERIODS else f", not {period:g}"


class BackupConfiguration(Part):
    """When backups are made, and how long they are kept (OpenAPI: `BackupConfigurationPatchRequest`)."""

    RULES: ClassVar[tuple[Rule[BackupConfiguration], ...]] = (
        rule(
            lambda backups: backups.backup_period_in_hours,
            f"should be one of {', '.join(map(str, PERIODS))}",
            _unusual_period,
            warns=True,
            source=TF("service.go"),
        ),
        rule(
            lambda backups: backups.backup_start_time,
            "should be a full hour such as `08:00`",
            lambda backups: not (backups.backup_start_time or ":00").endswith(":00"),
            warns=True,
            source=TF("service.go"),
        ),
    )

    backup_period_in_hours: Whole | None = prop("Hours from one backup to the next.", ge=1)
    backup_retention_period_in_hours: Whole | None = prop(
        "Hours for which a backup is kept.", ge=24, le=1080, multiple_of=24
    )
    backup_start_time: Text | None = prop(
        "Time of the day in UTC, as `HH:MM`, at which a backup is made each day.",
        pattern=A_FULL_HOUR,
    )


SNAPSHOTS = ((30, 1440), (60, 2880))
"""The known pairs of gap and time frame of snapshots, in minutes."""

_PAIRS = " or ".join(f"{gap} and {frame}" for gap, frame in SNAPSHOTS)


def _needs_pair(snapshots: SnapshotConfiguration) -> bool:
    one = (snapshots.gap is None) is not (snapshots.time_frame is None)
    return one or (snapshots.gap is None and bool(snapshots.enabled))


def _unknown_pair(snapshots: SnapshotConfiguration) -> str | None:
    gap, frame = snapshots.gap, snapshots.time_frame
    if gap is None or frame is None or (gap, frame) in SNAPSHOTS:
        return None
    return f", not {gap:g} and {frame:g}"


_OF_SNAPSHOTS = API("PATCH /v1/organizations/{organizationId}/services/{serviceId}/snapshotConfiguration request")


class SnapshotConfiguration(Part):
    """Snapshots of the data between two backups; an update changes only what it contains."""

    RULES: ClassVar[tuple[Rule[SnapshotConfiguration], ...]] = (
        rule(
            lambda snapshots: snapshots.enabled,
            "is required without gap and timeFrame",
            lambda snapshots: snapshots.enabled is snapshots.gap is snapshots.time_frame is None,
            source=_OF_SNAPSHOTS,
        ),
        rule(
            lambda snapshots: snapshots.gap,
            "and timeFrame must be given together, and if enabled is true",
            _needs_pair,
            source=_OF_SNAPSHOTS,
        ),
        rule(
            lambda snapshots: snapshots.gap,
            f"and timeFrame should be {_PAIRS}",
            _unknown_pair,
            warns=True,
            source=_OF_SNAPSHOTS,
        ),
    )

    enabled: Flag | None = prop("Whether snapshots are made. Without it, the server keeps its value.")
    gap: Whole | None = prop("Minutes from one snapshot to the next.", ge=1)
    time_frame: Whole | None = prop("Minutes for which a snapshot is kept.", ge=1)


class ReplicaAwareRouting(Part):
    """Requests with the same tag reach the same replica; an update changes only what it contains."""

    RULES: ClassVar[tuple[Rule[ReplicaAwareRouting], ...]] = (
        rule(
            lambda routing: routing.http_enabled,
            "is required without nativeEnabled",
            lambda routing: routing.http_enabled is routing.native_enabled is None,
            source=API("PATCH /v1/organizations/{organizationId}/services/{serviceId}/replicaAwareRouting request"),
        ),
    )

    http_enabled: Flag | None = prop(
        "Whether the header `X-ClickHouse-Replica-Tag` is the tag of requests over HTTP. Without it, the server keeps "
        "its value."
    )
    native_enabled: Flag | None = prop(
        "Whether the server name of the TLS handshake has the tag of native connections. Without it, the server keeps "
        "its value."
    )


def _of_clouds(
    field: Callable[[BackupBucket], object], *clouds: BucketProvider, needed: bool = True
) -> Rule[BackupBucket]:
    """Return the rule that a bucket has a property on these clouds only, and must have it there if it is needed."""

    def test(bucket: BackupBucket) -> str | None:
        given, belongs = field(bucket) is not None, bucket.bucket_provider in clouds
        if given is belongs or (belongs and not needed):
            return None
        return f", not on {bucket.bucket_provider!s}" if given else ", and is not given"

    text = f"is {'required' if needed else 'for buckets'} on {' and '.join(clouds)}"
    source = API(f"{clouds[0].capitalize()}BackupBucketPostRequestV1.{name_of(field)}")
    return rule(field, text, test, source=source)


_ELSEWHERE = {BucketProvider.AWS: ("gs://", "https://storage.googleapis.com/"), BucketProvider.GCP: ("s3://", "arn:")}
"""The beginnings of paths in buckets of other clouds."""


class BackupBucket(Part):
    """A bucket of your own for backups (OpenAPI: `BackupBucketPostRequest`)."""

    RULES: ClassVar[tuple[Rule[BackupBucket], ...]] = (
        _of_clouds(lambda bucket: bucket.bucket_path, BucketProvider.AWS, BucketProvider.GCP),
        _of_clouds(lambda bucket: bucket.iam_role_arn, BucketProvider.AWS),
        _of_clouds(lambda bucket: bucket.iam_role_session_name, BucketProvider.AWS, needed=False),
        _of_clouds(lambda bucket: bucket.access_key_id, BucketProvider.GCP),
        _of_clouds(lambda bucket: bucket.container_name, BucketProvider.AZURE),
        rule(
            lambda bucket: bucket.bucket_path,
            "should be in a bucket of bucketProvider",
            lambda bucket: (bucket.bucket_path or "").startswith(_ELSEWHERE.get(bucket.bucket_provider, ())),
            warns=True,
            source=OURS,
        ),
    )

    id: Text | None = answered("Id of the bucket.")
    bucket_provider: BucketProvider = prop("Cloud of the bucket.", required=True)
    bucket_path: FilledText | None = prop("Path of the bucket.")
    iam_role_arn: FilledRoleArn | None = prop("ARN of the role that writes to it.")
    iam_role_session_name: FilledText | None = prop("Name of the sessions of that role.")
    access_key_id: FilledText | None = prop("Id of the HMAC key that writes to it.")
    container_name: FilledText | None = prop("Name of the container.")


class UpgradeWindow(Part):
    """The hours of the week in which a service may be upgraded (OpenAPI: `UpgradeWindow`)."""

    weekday: Weekday = prop("Day of the week on which it begins, from 0 for Sunday.", required=True)
    start_hour_utc: Whole = prop("Hour in UTC at which it begins.", required=True, ge=0, le=18, multiple_of=6)
    duration: Whole | None = answered("Hours that it lasts.")


class QueryEndpoint(Part):
    """Who may send queries over HTTP (OpenAPI: `InstanceServiceQueryApiEndpointsPostRequest`)."""

    RULES: ClassVar[tuple[Rule[QueryEndpoint], ...]] = (
        rule(
            lambda endpoint: endpoint.roles,
            "should have a role: a request replaces the roles that an endpoint has, and leaves none",
            lambda endpoint: not endpoint.roles,
            warns=True,
            source=SEEN("ClickHouse/clickhousectl#596"),
        ),
    )

    roles: list[QueryRole] | None = prop("Roles of these queries. The order is not significant.")
    open_api_keys: list[KeyId] | None = prop("Ids of the API keys that may send queries. The order is not significant.")
    allowed_origins: Domains | None = prop("Domains from which browsers may send queries, separated by commas.")


class BaseScaling(Part):
    """The scaling in effect while no entry of the schedule is active."""

    ANSWER = "BaseScaling"

    autoscaling_mode: AutoscalingMode | None = prop("What scales.", unset=AutoscalingMode.VERTICAL)
    min_replica_memory_gb: Whole | None = prop("Minimum memory of one replica, in GB.", **REPLICA_GB)
    max_replica_memory_gb: Whole | None = prop("Maximum memory of one replica, in GB.", **REPLICA_GB)
    num_replicas: Whole | None = asked("Number of replicas in mode `vertical`.", ge=1)
    min_replicas: Whole | None = prop(
        "Minimum number of replicas in mode `horizontal`.", ge=1, answer=Answer("Minimum number of replicas.")
    )
    max_replicas: Whole | None = prop(
        "Maximum number of replicas in mode `horizontal`.",
        ge=1,
        answer=Answer("Maximum number of replicas."),
    )
    idle_scaling: Flag | None = prop("Whether the service scales to zero when idle.")
    idle_timeout_minutes: WholeMinutes | None = prop("Minutes without activity after which the service is idle.")


_ENTRY = "ScalingScheduleEntryRequest"


def _of_ends(low: Count[ScheduledScaling], high: Count[ScheduledScaling]) -> tuple[Rule[ScheduledScaling], ...]:
    """Return the rules of a minimum and its maximum in an entry, which has both or none."""
    needed = rule(
        low,
        f"and {name_of(high)} must be given for autoscalingMode horizontal",
        lambda entry: entry.autoscaling_mode == AutoscalingMode.HORIZONTAL and low(entry) is None,
        source=API(f"{_ENTRY}.{name_of(low)}"),
    )
    return needed, ordered(_ENTRY, low, high), *together(_ENTRY, low, high)


class ScheduledScaling(BaseScaling):
    """A scaling for some hours of the week (OpenAPI: `ScalingScheduleEntryRequest`)."""

    RULES: ClassVar[tuple[Rule[ScheduledScaling], ...]] = (
        *_of_ends(lambda entry: entry.min_replica_memory_gb, lambda entry: entry.max_replica_memory_gb),
        *_of_ends(lambda entry: entry.min_replicas, lambda entry: entry.max_replicas),
        *fits_mode(_ENTRY, AutoscalingMode.VERTICAL),
        rule(
            lambda entry: entry.end_hour_utc,
            "must be another hour than startHourUtc",
            lambda entry: entry.end_hour_utc == entry.start_hour_utc and f", not {entry.end_hour_utc:g}",
            given=lambda entry: entry.end_hour_utc,
            source=API(f"{_ENTRY}.endHourUtc"),
        ),
        rule(
            lambda entry: entry.idle_timeout_minutes,
            f"should be at least {IDLE_MINUTES}, as that of a service",
            lambda entry: entry.idle_timeout_minutes is not None and entry.idle_timeout_minutes < IDLE_MINUTES,
            warns=True,
            source=TF("service_scheduled_scaling.go"),
        ),
    )

    ANSWER = "ScheduledScalingResponse"

    id: Text | None = answered("Id of the entry.")
    name: FilledText = prop("Name of the entry.", required=True)
    weekdays: list[Weekday] = prop(
        "Days of the week on which it begins, from 0 for Sunday to 6 for Saturday.",
        required=True,
        min_length=1,
        answer=Answer("Days of the week, from 0 for Sunday to 6 for Saturday."),
    )
    start_hour_utc: Whole = prop("Hour in UTC at which it begins.", required=True, ge=0, le=23)
    end_hour_utc: Whole = prop(
        "Hour in UTC at which it ends; if it is before the start, on the next day.",
        required=True,
        ge=1,
        le=24,
    )
    is_active_now: Flag | None = answered("Whether it is active at this moment.")


class ScalingSchedule(Part):
    """Scaling over the week (OpenAPI: `ScalingSchedulePostRequest`)."""

    entries: list[ScheduledScaling] = prop(
        "The entries: each sets the scaling during some hours of the week.",
        required=True,
        min_length=1,
        max_length=MAX_ENTRIES,
    )
    base_config: BaseScaling | None = answered("The scaling in effect while no entry is active.")
    active_entry_id: Text | None = answered("Id of the entry that is active, if one is.")


class EndpointSetting(Part):
    """Turns one protocol of the service on or off."""

    ANSWER = "ServiceEndpoint"
    ANSWER_WORDS = "Where a client connects."

    protocol: FilledText = prop(
        "Protocol of the endpoint.",
        required=True,
        within=within(EndpointProtocol),
        answer=Answer("Protocol, such as `https`, `nativesecure` or `mysql`."),
    )
    enabled: Flag | None = prop(
        "Whether the endpoint is open.",
        answer=Answer("Whether the endpoint is open; it is if it has a host and a port."),
    )
    host: Text | None = answered("Host name.")
    port: Whole | None = answered("Port number.")
    username: Text | None = answered("User name of the initial account.")


def switches(endpoints: object) -> Any:
    """Return whether each protocol is open, to compare endpoints."""
    if not isinstance(endpoints, list):
        return endpoints
    named = [entry for entry in endpoints if isinstance(entry, Mapping) and isinstance(entry.get("protocol"), str)]
    return {entry["protocol"]: entry.get("enabled") is not False for entry in named}


class CurrentScaling(Record):
    """The scaling in effect now; it differs from the configured one while a scheduled one is active."""

    effective_autoscaling_mode: Text | None = prop("What scales.")
    effective_min_replica_memory_gb: Number | None = prop("Minimum memory of one replica, in GB.")
    effective_max_replica_memory_gb: Number | None = prop("Maximum memory of one replica, in GB.")
    effective_min_replicas: Whole | None = prop("Minimum number of replicas.")
    effective_max_replicas: Whole | None = prop("Maximum number of replicas.")
    effective_idle_scaling: Flag | None = prop("Whether the service scales to zero when idle.")
    effective_idle_timeout_minutes: Number | None = prop("Minutes without activity after which the service is idle.")
    active_entry_id: Text | None = prop("Id of the entry of the schedule that is active, if one is.")


def merged_endpoints(
    answer: Sequence[EndpointSetting] | None, managed: Sequence[EndpointSetting] | None
) -> list[EndpointSetting]:
    """Return the endpoints of a server, with a mark at the protocols that the program turns on or off.

    A response without endpoints does not show whether any is open.
    """
    switches = {each.protocol: each.enabled is not False for each in managed or ()}
    if answer is None:
        return [EndpointSetting.model_construct(protocol=name, enabled=each) for name, each in switches.items()]
    endpoints = [
        each.model_copy(update={"enabled": True}) if each.protocol in switches else each for each in answer or ()
    ]
    open_protocols = {each.protocol for each in endpoints}
    closed = [
        EndpointSetting.model_construct(protocol=protocol, enabled=False)
        for protocol in switches
        if protocol not in open_protocols
    ]
    return endpoints + closed


def managed_endpoints(endpoints: Sequence[EndpointSetting] | None) -> list[EndpointSetting]:
    """Return the endpoints that state marks as turned on or off by the program."""
    return [
        EndpointSetting.model_construct(protocol=each.protocol, enabled=each.enabled)
        for each in endpoints or ()
        if each.protocol and each.enabled is not None
    ]
