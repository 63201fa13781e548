"""The fields of an alert, as a request has them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from pulumi_clouddb.schema.base import Duration, FilledText, Number, Text, Timestamp, Whole, prop
from pulumi_clouddb.schema.equality import as_utc
from pulumi_clouddb.schema.observability import OnStack
from pulumi_clouddb.schema.thing import Part, asked
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE
from pulumi_clouddb.schema.wording import Choice


class AlertSource(Choice):
    """What an alert watches."""

    TILE = "tile", "a tile of a dashboard"
    SAVED_SEARCH = "saved_search", "the number of rows that a saved search finds"


class ThresholdType(Choice):
    """How the watched value is compared with the threshold."""

    ABOVE = "above", "at or above it"
    BELOW = "below", "below it"
    ABOVE_EXCLUSIVE = "above_exclusive", "above it"
    BELOW_OR_EQUAL = "below_or_equal", "at or below it"
    EQUAL = "equal", "equal to it"
    NOT_EQUAL = "not_equal", "not equal to it"
    BETWEEN = "between", "from it to `thresholdMax`"
    NOT_BETWEEN = "not_between", "outside of it and `thresholdMax`"


class AlertInterval(Choice):
    """How often the vendor's servers check an alert."""

    ONE_MINUTE = "1m"
    FIVE_MINUTES = "5m"
    FIFTEEN_MINUTES = "15m"
    THIRTY_MINUTES = "30m"
    ONE_HOUR = "1h"
    SIX_HOURS = "6h"
    TWELVE_HOURS = "12h"
    ONE_DAY = "1d"


class ChannelType(Choice):
    """Kind of channel."""

    WEBHOOK = "webhook", "a webhook of the server"
    EMAIL = "email", "mail; managed form only"


class ChannelSeverity(Choice):
    """Severity that is sent to a paging service."""

    CRITICAL = "critical"
    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


RANGES = (ThresholdType.BETWEEN, ThresholdType.NOT_BETWEEN)

INTERVAL_MINUTES: Mapping[str, int] = dict(zip(AlertInterval, (1, 5, 15, 30, 60, 360, 720, 1440), strict=True))
"""The intervals of the vendor's servers."""

MOST_AHEAD, LONGEST_AGO = timedelta(days=365), timedelta(days=3650)
"""How far the start of a schedule may be from now."""

LONGEST_NAME = 512
LONGEST_MESSAGE = 4096


class AlertChannel(Part):
    """Where the notification goes."""

    ANSWER_WORDS = "Where the notification goes, as the server answers it."

    type: FilledText = prop("Kind of channel; `webhook` occurs.", required=True, listed=ChannelType)
    webhook_id: FilledText | None = prop("Id of the webhook, for type `webhook`.", answer="Id of the webhook.")
    email_recipients: list[FilledText] | None = prop(
        "Who gets mail, for type `email`.", answer="Who gets mail.", only=CLICKHOUSE
    )
    webhook_service: FilledText | None = prop(
        "Service behind the webhook, such as `slack_api`.", answer="Service behind the webhook.", only=CLICKHOUSE
    )
    slack_channel_id: FilledText | None = prop("Channel of a Slack webhook.", only=CLICKHOUSE)
    severity: ChannelSeverity | None = prop("Severity that a PagerDuty webhook tells.", only=CLICKHOUSE)


def same_channel(channel: object) -> Any:
    """Return what tells a channel from another: servers add to it by themselves."""
    if not isinstance(channel, Mapping):
        return channel
    return {key: channel.get(key) for key in ("type", "webhookId", "emailRecipients") if channel.get(key) is not None}


def same_channels(channels: object) -> object:
    """Return what tells channels from others."""
    return [same_channel(channel) for channel in channels] if isinstance(channels, list) else channels


class AlertFields(OnStack):
    """The body of *Create alert*, field by field (openapi: `ClickStackCreateAlertRequest`, `CreateAlertRequest`)."""

    dashboard_id: FilledText | None = asked("Id of the dashboard that holds the tile.")
    tile_id: FilledText | None = prop(
        "Id of the tile to watch; see the dashboard's `tileIds`.", answer="Id of the tile it watches."
    )
    saved_search_id: FilledText | None = prop("Id of the saved search to watch.", only=CLICKHOUSE)
    group_by: Text | None = prop(
        "SQL expression: rows are counted per value of it.", taken_out="it is cleared", only=CLICKHOUSE
    )
    threshold: Number | None = prop("Value that the tile is compared with; the lower bound of a range.", required=True)
    threshold_max: Number | None = prop(
        "Upper bound of a range. Servers keep the last one; it means nothing to the other threshold types.",
        only=CLICKHOUSE,
    )
    interval: Duration | None = prop("How often it is checked.", required=True, listed=AlertInterval)
    schedule_offset_minutes: Whole | None = prop(
        "Minutes after the boundary of the interval at which it is checked.",
        taken_out="it is cleared",
        ge=0,
        le=1439,
        only=CLICKHOUSE,
        clears=0,
    )
    schedule_start_at: Timestamp | None = prop(
        "Moment from which the intervals count.",
        taken_out="it is cleared",
        only=CLICKHOUSE,
        clears=None,
        compare=as_utc,
    )
    source: FilledText | None = prop(
        "What is watched.",
        unset="`saved_search` where `savedSearchId` is given, else `tile`",
        listed=AlertSource,
    )
    threshold_type: FilledText | None = prop(
        "Which side of the threshold raises it; `above` occurs.", required=True, listed=ThresholdType
    )
    channel: AlertChannel | None = prop(
        "Where the notification goes. Channels that only the server knows stay.",
        answer="Where the notification goes, the first of all channels.",
        evidence=same_channel,
        open_objects=True,
    )
    channels: list[AlertChannel] | None = prop(
        "Where the notification goes, all of them.",
        taken_out="only `channel` is left",
        only=CLICKHOUSE,
        min_length=1,
        max_length=10,
        evidence=same_channels,
        open_objects=True,
    )
    name: FilledText | None = prop("Name of the alert.", taken_out="it is cleared")
    message: FilledText | None = prop("Text of the notification.", taken_out="it is cleared")
    note: FilledText | None = prop(
        "Text for the people on call, in Markdown.", taken_out="it is cleared", max_length=4096, only=CLICKHOUSE
    )
    num_consecutive_windows: Whole | None = prop(
        "In so many intervals in a row the condition has to be met.",
        taken_out="it is cleared",
        ge=1,
        unset=1,
        only=CLICKHOUSE,
    )
