"""Alerts: a threshold on a tile, a saved search or a chart, checked at an interval, with notifications to channels."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import datetime, timezone
from typing import Annotated, Any, ClassVar, TypeAlias

from pydantic import AliasChoices

from pulumi_clouddb.schema.base import (
    Answer,
    Compare,
    Duration,
    FilledProse,
    FilledText,
    JsonObject,
    Number,
    SqlPart,
    Text,
    Timestamp,
    Whole,
    prop,
)
from pulumi_clouddb.schema.check.rules import API, INTERFACE, SERVER, Rule, context_of, rule
from pulumi_clouddb.schema.check.within import Typed
from pulumi_clouddb.schema.check.wording import OBJECT_ID, TAKE_ID, doubted
from pulumi_clouddb.schema.equality import trimmed
from pulumi_clouddb.schema.names import property_names
from pulumi_clouddb.schema.observability import MOST_TAGS, OnStack, StackId, Tag
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.thing import answered, asked, ours
from pulumi_clouddb.schema.times import parse_timestamp
from pulumi_clouddb.schema.vendor import only_there, with_variables, within, without
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE, NEUTRAL

from .chart import AlertChart, counts_rows, with_defaults
from .parts import (
    INTERVAL_MINUTES,
    LONGEST_AGO,
    LONGEST_MESSAGE,
    LONGEST_NAME,
    MOST_AHEAD,
    RANGES,
    AlertChannel,
    AlertExecutionError,
    AlertInterval,
    AlertSilence,
    AlertSource,
    ChannelType,
    ThresholdType,
    same_channel,
    same_channels,
)

_TEMPLATE = with_variables(
    "value group attributes alert dashboard savedSearch source startTime endTime granularity isGroupedAlert"
)
_MENTIONS = doubted(
    "should mention only webhooks, as @webhook-ID: servers leave out other words with @, and report an error",
    without(r"(\A|\s)@(?!webhook-|email-)[a-zA-Z0-9.{}@_-]"),
    CLICKHOUSE,
)

Field: TypeAlias = "Callable[[Alert], object]"

_BODY = SERVER("api/src/utils/zod.ts")
_SCHEMAS = SERVER("common-utils/src/types.ts")
_CHECK_OF_ALERTS = SERVER("api/src/tasks/checkAlerts/index.ts")


def _nowhere(alert: Alert) -> str | bool:
    if alert.channel is not None or alert.channels is not None:
        return False
    neutral = context_of(alert).vocabulary is NEUTRAL
    return neutral or ": write {type: webhook, webhookId: …}, or several of these in channels"


def _meaning(channel: AlertChannel) -> tuple[object, ...]:
    return channel.type, channel.webhook_id, tuple(channel.email_recipients or ())


def _distinct(alert: Alert) -> str | None:
    meanings = [_meaning(channel) for channel in alert.channels or ()]
    twice = [f"[{index}]" for index, meaning in enumerate(meanings) if meaning in meanings[:index]]
    return f"; duplicate: {', '.join(twice)}" if twice else None


def _kinds(field: Field, channels: Callable[[Alert], Iterator[tuple[str, AlertChannel]]]) -> Rule[Alert]:
    def test(alert: Alert) -> str | None:
        faults = ((place, _channel_fault(channel, alert)) for place, channel in channels(alert))
        return next((f"; {place} {fault}" for place, fault in faults if fault), None)

    text = "must name webhooks by `webhookId`, or in the managed form `emailRecipients`"
    return rule(field, text, test, only=CLICKHOUSE, source=API("ClickStackAlertChannel"))


def _one(alert: Alert) -> Iterator[tuple[str, AlertChannel]]:
    if alert.channel is not None:
        yield "channel", alert.channel


def _all(alert: Alert) -> Iterator[tuple[str, AlertChannel]]:
    for index, channel in enumerate(alert.channels or ()):
        yield f"channels[{index}]", channel


def _channel_fault(channel: AlertChannel, alert: Alert) -> str | None:
    if channel.type == ChannelType.EMAIL:
        if alert.service_id is None:
            return "is of type email, which self-hosted servers do not support"
        return None if channel.email_recipients else "has no emailRecipients"
    if channel.type != ChannelType.WEBHOOK:
        return f"is of type {channel.type!r}: write webhook, with the id of a Webhook, whose service it is"
    webhook = channel.webhook_id
    if webhook is None or not re.fullmatch(OBJECT_ID, webhook):
        return f"has the webhookId {webhook!r}, not 24 hexadecimal digits{TAKE_ID}"
    managed = (channel.webhook_service, channel.slack_channel_id, channel.severity)
    more = [name for name, value in zip(_MANAGED, managed, strict=True) if value is not None]
    if more and alert.service_id is None:
        return f"sets {', '.join(more)}, which self-hosted servers ignore"
    return None


_MANAGED = property_names(
    AlertChannel, lambda channel: (channel.webhook_service, channel.slack_channel_id, channel.severity)
)
"""The properties of a webhook that only servers of the cloud have."""


def _target(alert: Alert) -> str | None:
    if alert.source in _WATCHED_ELSEWHERE:
        return None
    given = {"dashboardId": alert.dashboard_id, "tileId": alert.tile_id}
    missing = [name for name, value in given.items() if value is None]
    return f"; missing: {' and '.join(missing)}" if missing else None


def _only_of(field: Field, source: AlertSource) -> Rule[Alert]:
    """Return the rule of what an alert of one source watches."""

    def test(alert: Alert) -> str | None:
        if (alert.source == source) is (field(alert) is not None):
            return None
        return "; it is missing" if alert.source == source else f"; source is {alert.source!r}: remove it"

    text = f"must be given if, and only if, source is {source.value}"
    return rule(field, text, test, only=CLICKHOUSE, source=_BODY)


def _of_tiles(field: Field) -> Rule[Alert]:
    def test(alert: Alert) -> str | None:
        other = _WATCHED_ELSEWHERE.get(str(alert.source))
        return f"; source is {alert.source!r}: remove it, or {other}" if other else None

    text = f"must be left out if source is {' or '.join(_WATCHED_ELSEWHERE)}"
    return rule(field, text, test, given=field, only=CLICKHOUSE, source=_BODY)


_WATCHED_ELSEWHERE = {AlertSource.SAVED_SEARCH.value: "savedSearchId", AlertSource.INLINE.value: "chartConfig"}
"""The sources of alerts that watch no tile, and the property with what they watch: servers ignore the tile."""


def _range(alert: Alert) -> str | None:
    kind, most = alert.threshold_type, alert.threshold_max
    if (kind in RANGES) is not (most is not None):
        return f"; thresholdType is {kind!r}: remove it" if most is not None else f"; {kind!r} needs it"
    least = alert.threshold
    return f", not {most:.15g} below {least:.15g}" if most is not None and least is not None and most < least else None


def _offset(alert: Alert) -> str | None:
    minutes, offset = INTERVAL_MINUTES.get(alert.interval or ""), alert.schedule_offset_minutes
    return f" ({minutes} minutes), not {offset:g}" if offset is not None and minutes and offset >= minutes else None


def _start(alert: Alert) -> str | None:
    start, now = alert.schedule_start_at or "", datetime.now(timezone.utc)
    near = now - LONGEST_AGO <= parse_timestamp(start) <= now + MOST_AHEAD
    return None if near else f", not {start}"


def _met_by_all(alert: Alert) -> str | None:
    """Return what to write for a threshold that every number of rows meets, or none; a tile mostly shows such."""
    least, kind = alert.threshold or 0, alert.threshold_type
    counts = alert.source == AlertSource.SAVED_SEARCH or counts_rows(alert.chart_config or {})
    of_tile = alert.source == AlertSource.TILE and kind == ThresholdType.ABOVE and least == 0
    if least > 0 or kind in RANGES or not (counts or of_tile):
        return None
    return f", and no number of rows is negative, not {least:g}" if least < 0 else _AT_ZERO.get(str(kind))


_AT_ZERO = {
    "above": "; above includes 0, and so an interval without rows: did you mean thresholdType above_exclusive?",
    "below": "; no number of rows is below 0: did you mean thresholdType below_or_equal?",
}


def _silent_groups(alert: Alert) -> bool:
    """Return whether silence in a group is watched: servers compare zero only in intervals without any row."""
    if alert.threshold_type not in (ThresholdType.BELOW, ThresholdType.BELOW_OR_EQUAL):
        return False
    if alert.source == AlertSource.SAVED_SEARCH:
        return bool(alert.group_by)
    chart = alert.chart_config or {}
    return counts_rows(chart) and bool(chart.get("groupBy"))


def _either(name: str, newer: str, description: str, copies: tuple[str, ...] = ()) -> Any:
    return answered(description, copies=copies, validation_alias=AliasChoices(name, newer))


class Alert(OnStack):
    """An alert on a tile, a saved search or a chart of its own; newer servers return `dashboardId` and `teamId`."""

    RULES: ClassVar[tuple[Rule[Alert], ...]] = (
        rule(lambda alert: alert.channel, "is required", _nowhere, source=API("CreateAlertRequest")),
        rule(
            lambda alert: alert.channel,
            "must be the first of `channels` if both are set",
            lambda alert: (
                alert.channel
                and alert.channels
                and _meaning(alert.channel) != _meaning(alert.channels[0])
                and ", which it is not"
            ),
            only=CLICKHOUSE,
            source=API("CreateAlertRequest"),
        ),
        _kinds(lambda alert: alert.channel, _one),
        _kinds(lambda alert: alert.channels, _all),
        rule(
            lambda alert: alert.channels,
            "must contain each channel once",
            _distinct,
            only=CLICKHOUSE,
            source=API("AlertChannels"),
        ),
        rule(
            lambda alert: alert.dashboard_id,
            "and tileId must be given for a tile",
            _target,
            only=CLICKHOUSE,
            source=_BODY,
        ),
        rule(
            lambda alert: alert.tile_id,
            "should be given for source tile",
            lambda alert: alert.source == AlertSource.TILE and alert.tile_id is None,
            warns=True,
            only=NEUTRAL,
            source=INTERFACE,
        ),
        _only_of(lambda alert: alert.saved_search_id, AlertSource.SAVED_SEARCH),
        _only_of(lambda alert: alert.chart_config, AlertSource.INLINE),
        _of_tiles(lambda alert: alert.dashboard_id),
        _of_tiles(lambda alert: alert.tile_id),
        rule(
            lambda alert: alert.group_by,
            "is for source saved_search only",
            lambda alert: alert.source != AlertSource.SAVED_SEARCH and f"; source is {alert.source!r}: remove it",
            given=lambda alert: alert.group_by,
            only=CLICKHOUSE,
            source=_BODY,
        ),
        rule(
            lambda alert: alert.threshold_max,
            "must be given if, and only if, thresholdType is between or not_between, and must be at least the "
            "threshold",
            _range,
            only=CLICKHOUSE,
            source=API("Alert.thresholdMax"),
        ),
        rule(
            lambda alert: alert.schedule_offset_minutes,
            "must be less than the interval",
            _offset,
            only=CLICKHOUSE,
            source=_SCHEMAS,
        ),
        rule(
            lambda alert: alert.schedule_offset_minutes,
            "must be 0 or absent if scheduleStartAt is set",
            lambda alert: alert.schedule_offset_minutes and f", not {alert.schedule_offset_minutes:g}",
            given=lambda alert: alert.schedule_start_at,
            only=CLICKHOUSE,
            source=_SCHEMAS,
        ),
        rule(
            lambda alert: alert.schedule_start_at,
            "must be from ten years ago to a year from now",
            _start,
            given=lambda alert: alert.schedule_start_at,
            only=CLICKHOUSE,
            source=_SCHEMAS,
        ),
        rule(
            lambda alert: alert.threshold,
            "should be met by some numbers of rows only",
            _met_by_all,
            given=lambda alert: alert.threshold,
            warns=True,
            only=CLICKHOUSE,
            source=_CHECK_OF_ALERTS,
        ),
        rule(
            lambda alert: alert.threshold_type,
            "below is not met by a group without rows beside others: watch for silence without groupBy",
            _silent_groups,
            warns=True,
            only=CLICKHOUSE,
            source=_CHECK_OF_ALERTS,
        ),
    )

    dashboard_id: StackId | None = asked("Id of the dashboard with the tile.")
    tile_id: FilledText | None = prop(
        "Id of the tile to watch, from the dashboard's `tileIds`. Of several values, the last one is compared: the "
        "last formula, or the ratio, if there is one. A tile with groups is compared group by group.",
        answer=Answer("Id of the watched tile."),
    )
    saved_search_id: StackId | None = only_there("Id of the saved search to watch.")
    group_by: SqlPart | None = only_there(
        "SQL expression: rows are counted for each of its values.", taken_out="it is cleared"
    )
    chart_config: Annotated[JsonObject, Typed(AlertChart, CLICKHOUSE, JsonObject)] | None = only_there(
        "The chart that the alert watches, for source `inline`: its values, from a source or with raw SQL. Of several "
        "values, the last one is compared. Properties that this package does not know are sent unchanged. Only "
        "self-hosted servers newer than 2.36 have such alerts.",
        compare=Compare(with_defaults),
        answer=Answer("The watched chart of an alert with source `inline`; lists leave it out."),
    )
    threshold: Number | None = prop("Value to compare with; the lower bound of a range.", required=True)
    threshold_max: Number | None = only_there(
        "Upper bound of a range. Servers keep it if it is removed; other threshold types ignore it.",
    )
    interval: Duration | None = prop(
        "How often it is checked, each time over the last full interval. An interval without rows counts as zero; a "
        "group without rows beside others does not exist.",
        required=True,
        within=within(AlertInterval),
    )
    schedule_offset_minutes: Whole | None = only_there(
        "Minutes between the start of an interval and the check.",
        taken_out="it is cleared",
        ge=0,
        le=1439,
        clears=0,
    )
    schedule_start_at: Timestamp | None = only_there(
        "Start of the first interval.",
        taken_out="it is cleared",
        clears=None,
    )
    source: FilledText | None = prop(
        "Kind of the watched object.",
        unset="`saved_search` if `savedSearchId` is set, `inline` if `chartConfig` is set, else `tile`",
        within=within(AlertSource),
    )
    threshold_type: FilledText | None = prop(
        "Comparison that raises the alert. Without groups, an interval without rows is below every threshold.",
        required=True,
        within=within(ThresholdType),
    )
    channel: AlertChannel | None = prop(
        "The receiver of notifications, if there is only one. Further channels that exist only on the server are kept.",
        answer=Answer("Receiver of notifications, the first of all channels."),
        compare=Compare(evidence=same_channel, open_objects=True),
    )
    channels: list[AlertChannel] | None = only_there(
        "All receivers of notifications, if there are several.",
        taken_out="only `channel` is left",
        min_length=1,
        max_length=10,
        compare=Compare(evidence=same_channels, open_objects=True),
    )
    name: Annotated[FilledText, _TEMPLATE] | None = prop(
        "Name of the alert.", taken_out="it is cleared", within=within(max_length=LONGEST_NAME)
    )
    display_name: FilledText | None = only_there(
        "Title in the list of alerts, and in notifications of an alert without `name`. Self-hosted servers up to 2.36, "
        "and those of the cloud, do not store it.",
        taken_out="the server derives it again",
        max_length=LONGEST_NAME,
        unset="derived from the watched object: the name of the saved search or chart, or `DASHBOARD - TILE`",
        compare=Compare(trimmed),
    )
    tags: list[Tag] | None = only_there(
        "Labels. Self-hosted servers up to 2.36, and those of the cloud, do not store them.",
        taken_out="the server derives them again",
        max_length=MOST_TAGS,
        unset="those of the saved search or dashboard",
    )
    message: Annotated[FilledProse, _TEMPLATE, _MENTIONS] | None = prop(
        "Text of the notification.", taken_out="it is cleared", within=within(max_length=LONGEST_MESSAGE)
    )
    note: FilledProse | None = only_there(
        "Text for the people on call, in Markdown.", taken_out="it is cleared", max_length=4096
    )
    num_consecutive_windows: Whole | None = only_there(
        "Number of intervals in a row in which the condition must be met; until then the state is `PENDING`.",
        taken_out="it is cleared",
        ge=1,
        unset=1,
    )
    id: Text | None = answered("Id of the alert.")
    state: Text | None = answered(
        "State as the server names it, such as `active` or `inactive`, `ALERT`, `PENDING` or `OK`. A failed check does "
        "not change it."
    )
    silenced: AlertSilence | None = answered("Silence of the alert; absent without one.", only=CLICKHOUSE)
    execution_errors: list[AlertExecutionError] | None = answered(
        "Errors of the last check; an alert whose check fails never fires.", only=CLICKHOUSE, answer=Answer(absent=[])
    )
    team: Text | None = _either("team", "teamId", "Id of the team that owns it.")
    dashboard: Text | None = _either(
        "dashboard", "dashboardId", "Id of the dashboard with the tile.", copies=("dashboardId",)
    )
    created_at: Text | None = answered("When it was created (ISO-8601).")
    updated_at: Text | None = answered("When it was last changed (ISO-8601).")
    alert_id: Text | None = ours(
        "Id of the alert on the server: the resource's id, until the alert is deleted with its tile and created again.",
        api="id",
    )

    def received(self) -> None:
        """Set the dashboard also under its name in requests."""
        if "dashboard" in self.model_fields_set:
            self.dashboard_id = self.dashboard


ALERT = ResourceType(
    Alert,
    "An alert on a tile of a dashboard, on a saved search, or on a chart of its own. Servers delete it together with "
    "the watched dashboard, tile or saved search.",
    required_outputs=("threshold", "interval", "thresholdType", "channel", "source", "alertId"),
    state_inputs=("serviceId",),
)
