"""What an alert is made of: its kinds, its channels, and what servers answer of its checks."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from pulumi_clouddb.schema.base import FilledText, Record, Text, prop
from pulumi_clouddb.schema.choice import Choice
from pulumi_clouddb.schema.thing import Part
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE


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


class AlertExecutionError(Record):
    """What went wrong when the alert was checked last (openapi: `AlertExecutionError`)."""

    timestamp: Text | None = prop("When it happened (ISO-8601).")
    type: Text | None = prop("Kind of the error, such as `QUERY_ERROR`.")
    message: Text | None = prop("The error in the server's words.")


class AlertSilence(Record):
    """Who silenced the alert, and until when (openapi: `AlertSilenced`)."""

    by: Text | None = prop("Id of the user who silenced it.")
    at: Text | None = prop("Since when (ISO-8601).")
    until: Text | None = prop("Until when (ISO-8601).")


def same_channel(channel: object) -> Any:
    """Return what tells a channel from another: servers add to it by themselves."""
    if not isinstance(channel, Mapping):
        return channel
    return {key: channel.get(key) for key in ("type", "webhookId", "emailRecipients") if channel.get(key) is not None}


def same_channels(channels: object) -> object:
    """Return what tells channels from others."""
    return [same_channel(channel) for channel in channels] if isinstance(channels, list) else channels
