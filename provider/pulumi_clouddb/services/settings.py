"""What servers of the `clickhouse` dialect keep beside a service, each with operations of its own, and its tags."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final

from pydantic import Field

from pulumi_clouddb.schema.base import FilledText, Flag, Model, Text, Whole, prop
from pulumi_clouddb.schema.equality import as_set
from pulumi_clouddb.schema.values import WireDict
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

from .enums import AutoscalingMode, QueryRole

CREATE_TAG: Final = "pulumi-clouddb-create"
"""Key of the tag that marks what this provider has created; no program and no output shows it."""

MAX_TAGS = 50
"""Tags of a service, and of each list of a change of them (openapi: `tags`, `InstanceTagsPatch`)."""

DAY_HOURS = 24
"""The period of backups that are made at a time of the day."""

MAX_ENTRIES = 10
"""Entries of a schedule."""

DETAILS = "update_service"
"""The update of the basic details."""

_BASE64, _SHA256, _SHA1 = "Base64", "SHA-256", "SHA-1"
"""Names with digits, which no description writes out (test_no_limit_is_written_by_hand)."""

_TAG_TEXT = "^[a-zA-Z0-9._-]+$"

REPLICA_GB: WireDict = {"ge": 8, "le": 356, "multiple_of": 4}
"""What the memory of one replica may be, in GB."""

Weekday = Annotated[Whole, Field(ge=0, le=6)]


def as_tags(value: object) -> Any:
    """Return tags as a set; a tag without a value has an empty one."""
    if not isinstance(value, list) or not all(isinstance(tag, Mapping) for tag in value):
        return value
    return as_set([[tag.get("key"), tag.get("value") or ""] for tag in value])


def as_query_endpoint(value: object) -> object:
    """Return a query endpoint by what it lets in; properties that are not given are empty."""
    if not isinstance(value, Mapping):
        return value
    lists = {name: as_set(value.get(name) or []) for name in ("roles", "openApiKeys")}
    return {**lists, "allowedOrigins": value.get("allowedOrigins") or ""}


def as_schedule(value: object) -> object:
    """Return a schedule by what it does: days are a set, and a number of replicas is a band of one."""
    entries = value.get("entries") if isinstance(value, Mapping) else None
    if not isinstance(entries, list) or not all(isinstance(entry, Mapping) for entry in entries):
        return value
    return [_as_entry(entry) for entry in entries]


def _as_entry(entry: Mapping[str, object]) -> WireDict:
    said = {name: value for name, value in entry.items() if value is not None and name != "numReplicas"}
    band = (
        {} if entry.get("numReplicas") is None else dict.fromkeys(("minReplicas", "maxReplicas"), entry["numReplicas"])
    )
    return {
        "autoscalingMode": AutoscalingMode.VERTICAL.value,
        **said,
        **band,
        "weekdays": as_set(entry.get("weekdays")),
    }


class ServiceTag(Model):
    """A tag of a service (openapi: `ResourceTagsV1`)."""

    key: Text = prop("Key of the tag.", required=True, min_length=1, max_length=128, pattern=_TAG_TEXT)
    value: Text | None = prop("Value of the tag.", max_length=256, pattern=_TAG_TEXT)


class BackupConfiguration(Model):
    """When backups are made, and how long they are kept (openapi: `BackupConfigurationPatchRequest`)."""

    backup_period_in_hours: Whole | None = prop("Hours from one backup to the next.", ge=1)
    backup_retention_period_in_hours: Whole | None = prop(
        "Hours for which a backup is kept.", ge=24, le=1080, multiple_of=24
    )
    backup_start_time: Text | None = prop(
        "Time of the day in UTC, as `HH:MM`, at which a backup is made each day.",
        pattern="^([01][0-9]|2[0-3]):[0-5][0-9]$",
    )


class QueryEndpoint(Model):
    """Who may send queries over HTTP (openapi: `InstanceServiceQueryApiEndpointsPostRequest`)."""

    roles: list[QueryRole] | None = prop("What these queries may do. The order means nothing.")
    open_api_keys: list[FilledText] | None = prop("Ids of the API keys that may send queries. The order means nothing.")
    allowed_origins: Text | None = prop("Domains that browsers may send queries from, with commas between them.")


class ScheduledScaling(Model):
    """A scaling for some hours of the week (openapi: `ScalingScheduleEntryRequest`)."""

    name: FilledText = prop("Name of the entry.", required=True)
    weekdays: list[Weekday] = prop(
        "Days of the week on which it begins, numbered from Sunday to Saturday.", required=True, min_length=1
    )
    start_hour_utc: Whole = prop("Hour in UTC at which it begins.", required=True, ge=0, le=23)
    end_hour_utc: Whole = prop(
        "Hour in UTC at which it ends; one before the start is on the next day.",
        required=True,
        ge=1,
        le=24,
    )
    autoscaling_mode: AutoscalingMode | None = prop("What scales.", unset=AutoscalingMode.VERTICAL)
    min_replica_memory_gb: Whole | None = prop("Least memory of one replica, in GB.", **REPLICA_GB)
    max_replica_memory_gb: Whole | None = prop("Most memory of one replica, in GB.", **REPLICA_GB)
    num_replicas: Whole | None = prop("Number of replicas in mode `vertical`.", ge=1)
    min_replicas: Whole | None = prop("Least number of replicas in mode `horizontal`.", ge=1)
    max_replicas: Whole | None = prop("Greatest number of replicas in mode `horizontal`.", ge=1)
    idle_scaling: Flag | None = prop("Whether the service scales to zero when idle.")
    idle_timeout_minutes: Whole | None = prop("Minutes without work before it counts as idle.")


class ScalingSchedule(Model):
    """Scaling over the week (openapi: `ScalingSchedulePostRequest`)."""

    entries: list[ScheduledScaling] = prop(
        "The scalings for some hours of the week.", required=True, min_length=1, max_length=MAX_ENTRIES
    )


class SettingFields(Model):
    """What is set by an operation of its own, once the service is there."""

    transparent_data_encryption_key_id: FilledText | None = prop(
        "Id of the key of transparent data encryption to change to.", groups=(DETAILS,), only=CLICKHOUSE
    )
    backup_configuration: BackupConfiguration | None = prop(
        "When backups are made, and how long they are kept; for the first service of a warehouse. What is taken out "
        "again goes back to the server's default.",
        groups=("configure_backups",),
        only=CLICKHOUSE,
        open_objects=True,
    )
    query_endpoint: QueryEndpoint | None = prop(
        "Lets queries in over HTTP. Taken out again, the endpoint is deleted.",
        api="serviceQueryEndpoint",
        groups=("set_query_endpoint",),
        only=CLICKHOUSE,
        compare=as_query_endpoint,
    )
    scaling_schedule: ScalingSchedule | None = prop(
        "Scaling over the week. Taken out again, the schedule is deleted.",
        groups=("set_scaling_schedule",),
        only=CLICKHOUSE,
        compare=as_schedule,
        open_objects=True,
    )
    password_hash: Text | None = prop(
        f"{_BASE64} of the {_SHA256} of a password of your own, which takes the place of the server's; `password` is "
        "absent then. Taken out again, the password stays. A password that is changed by somebody else is not seen.",
        api="newPasswordHash",
        secret=True,
        groups=("reset_password",),
        only=CLICKHOUSE,
        pattern="^[A-Za-z0-9+/]{43}=$",
    )
    password_double_sha1_hash: Text | None = prop(
        f"Hex of the {_SHA1} of the {_SHA1} of that password, for clients that speak MySQL.",
        api="newDoubleSha1Hash",
        secret=True,
        groups=("reset_password",),
        only=CLICKHOUSE,
        pattern="^[0-9a-fA-F]{40}$",
    )
    password_rotation: Text | None = prop(
        "Any text. Giving or changing it later makes another `password`.", provider_only=True, only=CLICKHOUSE
    )
