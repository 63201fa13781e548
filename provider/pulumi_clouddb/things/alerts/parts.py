"""The parts of an alert: its kinds, its channels, and the results of its checks."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, ClassVar

from pulumi_clouddb.schema.base import Answer, Email, FilledText, Record, Text, prop
from pulumi_clouddb.schema.check.rules import INTERFACE, Rule, rule
from pulumi_clouddb.schema.check.within import Suggested
from pulumi_clouddb.schema.choice import ClosedChoice, OpenChoice
from pulumi_clouddb.schema.thing import Part
from pulumi_clouddb.schema.vendor import only_there
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE, NEUTRAL


class AlertSource(ClosedChoice, because="it decides what an alert watches"):
    """Kinds of objects that an alert watches."""

    TILE = "tile", "a tile of a dashboard"
    SAVED_SEARCH = "saved_search", "the number of rows that a saved search finds"
    INLINE = "inline", "a chart of its own; self-hosted servers newer than 2.36 only"


class ThresholdType(OpenChoice):
    """Comparisons of the watched value with the threshold."""

    ABOVE = "above", "at or above it"
    BELOW = "below", "below it"
    ABOVE_EXCLUSIVE = "above_exclusive", "above it"
    BELOW_OR_EQUAL = "below_or_equal", "at or below it"
    EQUAL = "equal", "equal to it"
    NOT_EQUAL = "not_equal", "not equal to it"
    BETWEEN = "between", "from it to `thresholdMax`"
    NOT_BETWEEN = "not_between", "outside of it and `thresholdMax`"


class AlertInterval(OpenChoice):
    """How often the vendor's servers check an alert."""

    THIRTY_SECONDS = "30s", "in the managed form, for a team that has this feature"
    ONE_MINUTE = "1m"
    FIVE_MINUTES = "5m"
    FIFTEEN_MINUTES = "15m"
    THIRTY_MINUTES = "30m"
    ONE_HOUR = "1h"
    SIX_HOURS = "6h"
    TWELVE_HOURS = "12h"
    ONE_DAY = "1d"


class ChannelType(ClosedChoice, because="it decides which properties a channel has"):
    """Kind of channel."""

    WEBHOOK = "webhook", "a webhook of the server"
    EMAIL = "email", "mail; managed form only"


class ChannelSeverity(OpenChoice):
    """Severity that is sent to a paging service."""

    CRITICAL = "critical"
    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


RANGES = (ThresholdType.BETWEEN, ThresholdType.NOT_BETWEEN)

INTERVAL_MINUTES: Mapping[str, float] = dict(zip(AlertInterval, (0.5, 1, 5, 15, 30, 60, 360, 720, 1440), strict=True))
"""The intervals of the vendor's servers."""

MOST_AHEAD, LONGEST_AGO = timedelta(days=365), timedelta(days=3650)
"""The largest distance between now and the start of a schedule."""

LONGEST_NAME = 512
LONGEST_MESSAGE = 4096


def _unnamed(channel: AlertChannel) -> str | None:
    nowhere = channel.type == ChannelType.WEBHOOK and channel.webhook_id is None
    return "is the webhook of a channel of type webhook; it is missing" if nowhere else None


class AlertChannel(Part):
    """A receiver of notifications."""

    ANSWER_WORDS = "A receiver of notifications, as the server returns it."
    RULES: ClassVar[tuple[Rule[AlertChannel], ...]] = (
        rule(lambda channel: channel.webhook_id, "", _unnamed, warns=True, only=NEUTRAL, source=INTERFACE),
    )

    type: FilledText = prop(
        "Kind of channel, such as `webhook`.", required=True, within=Suggested(ChannelType, CLICKHOUSE)
    )
    webhook_id: FilledText | None = prop("Id of the webhook, for type `webhook`.", answer=Answer("Id of the webhook."))
    email_recipients: list[Email] | None = only_there(
        "Email addresses, for type `email`.", answer=Answer("Email addresses.")
    )
    webhook_service: FilledText | None = only_there(
        "Service behind the webhook, such as `slack_api`.", answer=Answer("Service behind the webhook.")
    )
    slack_channel_id: FilledText | None = only_there("Channel of a Slack webhook.")
    severity: ChannelSeverity | None = only_there("Severity for a PagerDuty webhook.")


class AlertExecutionError(Record):
    """An error of the last check of an alert (OpenAPI: `AlertExecutionError`)."""

    timestamp: Text | None = prop("Time of the error (ISO-8601).")
    type: Text | None = prop("Kind of the error, such as `QUERY_ERROR`.")
    message: Text | None = prop("The error message of the server.")


class AlertSilence(Record):
    """The silence of an alert (OpenAPI: `AlertSilenced`)."""

    by: Text | None = prop("Id of the user who silenced it.")
    at: Text | None = prop("Start of the silence (ISO-8601).")
    until: Text | None = prop("End of the silence (ISO-8601).")


def same_channel(channel: object) -> Any:
    """Return the properties that identify a channel: servers add others."""
    if not isinstance(channel, Mapping):
        return channel
    return {key: channel.get(key) for key in ("type", "webhookId", "emailRecipients") if channel.get(key) is not None}


def same_channels(channels: object) -> object:
    """Return the properties that identify each channel."""
    return [same_channel(channel) for channel in channels] if isinstance(channels, list) else channels
