"""Rules about alerts: their channels, text, interval and threshold."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pulumi_policy import Severity

from pulumi_clouddb.policy.rule import Context, Finding, Findings, Settings, rule, setting, shown, violation
from pulumi_clouddb.policy.views import if_known
from pulumi_clouddb.schema.view import path_of
from pulumi_clouddb.things.alerts.alert import ALERT, Alert
from pulumi_clouddb.things.alerts.parts import AlertChannel, AlertInterval, ChannelType, ThresholdType

SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
"""The units of durations. The API does not limit them; durations in other units are not checked."""


def seconds(duration: str) -> int | None:
    """Return the seconds of a duration such as `5m`, or None if it has another unit."""
    match = re.fullmatch(r"([0-9]{1,18})([a-zA-Z]+)", duration)
    unit = SECONDS.get(match[2]) if match else None
    return int(match[1]) * unit if match and unit else None


class Channels(Settings):
    """The settings of alert-has-channel."""

    types: list[str] = setting("Allowed types of channels.", default=[each.value for each in ChannelType])


@rule(
    ALERT,
    "alert-has-channel",
    "An alert sends notifications to an allowed channel.",
    severity=Severity.HIGH,
    comply="Use a channel of an allowed type, with webhookId if it is a webhook, and emailRecipients if it is mail.",
    tags=("observability",),
    control="SI-4 System Monitoring",
    settings=Channels,
)
def alert_has_channel(alert: Alert, context: Context[Channels]) -> Findings:
    """Check `channel`, and `channels` of the `clickhouse` dialect."""
    allowed = context.settings.types
    if alert.channel is None and alert.channels is None:
        yield violation(alert, "channel", f"use a channel of type {' or '.join(allowed)}")
    with if_known:
        if alert.channel is not None:
            yield from _check_channel(alert.channel, allowed)
    for channel in alert.channels or ():
        with if_known:
            yield from _check_channel(channel, allowed)


def _check_channel(channel: AlertChannel, allowed: list[str]) -> Findings:
    if channel.type not in allowed:
        yield violation(channel, "type", f"set it to {' or '.join(allowed)}")
    if channel.type == ChannelType.WEBHOOK and not channel.webhook_id:
        yield violation(channel, "webhook_id", "set the id of a webhook, or nobody is notified")
    if channel.type == ChannelType.EMAIL and not channel.email_recipients:
        yield violation(channel, "email_recipients", "set mail addresses, or nobody is notified")


@rule(
    ALERT,
    "alert-has-message",
    "An alert has a name and a message.",
    severity=Severity.MEDIUM,
    comply="Set a name, and a message that explains what happened and what to do.",
    tags=("observability", "documentation"),
)
def alert_has_message(alert: Alert, _: Context[Settings]) -> Findings:
    """Check the name and the message."""
    for name, wanted in (("name", "name what the alert watches"), ("message", "explain what happened and what to do")):
        with if_known:
            if not getattr(alert, name):
                yield violation(alert, name, wanted)


class Interval(Settings):
    """The settings of alert-interval."""

    minimum: str = setting("Minimum interval.", default="5m", pattern="^[1-9][0-9]*[smhdw]$")


@rule(
    ALERT,
    "alert-interval",
    "An alert is not checked more often than necessary.",
    severity=Severity.LOW,
    comply="Set a longer interval.",
    tags=("cost", "observability"),
    settings=Interval,
)
def alert_interval(alert: Alert, context: Context[Interval]) -> Findings:
    """Check the interval."""
    interval, minimum = seconds(alert.interval or ""), seconds(context.settings.minimum)
    if interval is not None and minimum is not None and interval < minimum:
        yield violation(alert, "interval", f"set {context.settings.minimum} or longer")


@alert_interval.fix
def _minimum_interval(_: Alert, context: Context[Interval]) -> Mapping[str, Any]:
    """Sets interval to the shortest one of the vendor's servers that is allowed, or else to the minimum."""
    minimum = context.settings.minimum
    allowed = (each.value for each in AlertInterval if (seconds(each.value) or 0) >= (seconds(minimum) or 0))
    return {"interval": next(allowed, minimum)}


_BELOW_ZERO = {
    ThresholdType.ABOVE: "always",
    ThresholdType.ABOVE_EXCLUSIVE: "always",
    ThresholdType.NOT_EQUAL: "always",
    ThresholdType.BELOW: "never",
    ThresholdType.BELOW_OR_EQUAL: "never",
    ThresholdType.EQUAL: "never",
}
"""When a value that is never negative meets the condition with a threshold below 0."""

_SAME_AT_ZERO = (ThresholdType.ABOVE, ThresholdType.BELOW)
"""The conditions for which that is so with a threshold of 0, too."""


@rule(
    ALERT,
    "alert-threshold",
    "The threshold of an alert can be reached, and is not always reached.",
    severity=Severity.MEDIUM,
    comply="Raise the threshold, or add an exception for an alert on a value that can be negative.",
    tags=("observability",),
)
def alert_threshold(alert: Alert, _: Context[Settings]) -> Findings:
    """Check the threshold, on the assumption that the watched value is never negative."""
    kind, threshold = alert.threshold_type, alert.threshold
    if threshold is None or kind not in _BELOW_ZERO or threshold > 0:
        return
    if threshold < 0 or kind in _SAME_AT_ZERO:
        found = f"is {threshold:.15g}, so the condition {shown(kind)} is {_BELOW_ZERO[ThresholdType(kind)]} met"
        wanted = "a number above 0" if kind in _SAME_AT_ZERO else "0 or a number above it"
        yield Finding(path_of(alert, "threshold"), found, f"set {wanted}")
