"""Rules about alerts: that they reach somebody, who can tell what they mean."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pulumi_policy import Severity

from pulumi_clouddb.alerts.alert import ALERT, Alert
from pulumi_clouddb.alerts.fields import AlertChannel, ChannelType, ThresholdType
from pulumi_clouddb.policy.rule import Context, Finding, Findings, Settings, rule, setting, violation
from pulumi_clouddb.policy.views import if_known
from pulumi_clouddb.schema.view import path_of

SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
"""Units of durations; the interface leaves them open, and what is written in another one is not judged."""


def seconds(duration: str) -> int | None:
    """Return the seconds of a duration such as `5m`; None for units that are not known."""
    match = re.fullmatch(r"([0-9]{1,18})([a-zA-Z]+)", duration)
    unit = SECONDS.get(match[2]) if match else None
    return int(match[1]) * unit if match and unit else None


class Channels(Settings):
    """Which channels people listen to."""

    types: list[str] = setting("Kinds of channel that are allowed.", default=[ChannelType.WEBHOOK.value])


@rule(
    ALERT,
    "alert-has-channel",
    "An alert notifies somebody.",
    severity=Severity.HIGH,
    comply="Give channel a type that is allowed, and for a webhook its webhookId.",
    tags=("observability",),
    control="SI-4 System Monitoring",
    settings=Channels,
)
def alert_has_channel(alert: Alert, context: Context[Channels]) -> Findings:
    """Check `channel`, and `channels` of the `clickhouse` dialect."""
    allowed = context.settings.types
    if alert.channel is None and alert.channels is None:
        yield violation(alert, "channel", f"give one of type {', '.join(allowed)}")
    with if_known:
        if alert.channel is not None:
            yield from _check_channel(alert.channel, allowed)
    for channel in alert.channels or ():
        with if_known:
            yield from _check_channel(channel, allowed)


def _check_channel(channel: AlertChannel, allowed: list[str]) -> Findings:
    if channel.type not in allowed:
        yield violation(channel, "type", f"use {', '.join(allowed)}")
    if channel.type == ChannelType.WEBHOOK and not channel.webhook_id:
        yield violation(channel, "webhook_id", "give the id of the webhook, or nobody is notified")


@rule(
    ALERT,
    "alert-has-message",
    "An alert says what happened.",
    severity=Severity.MEDIUM,
    comply="Give name and message: what happened, and what to do.",
    tags=("observability", "documentation"),
)
def alert_has_message(alert: Alert, _: Context[Settings]) -> Findings:
    """Judge name and message."""
    for name, wanted in (("name", "say what is watched"), ("message", "say what happened, and what to do")):
        with if_known:
            if not getattr(alert, name):
                yield violation(alert, name, wanted)


class Interval(Settings):
    """How often may be looked."""

    minimum: str = setting("The finest interval that is allowed.", default="5m", pattern="^[1-9][0-9]*[smhdw]$")


@rule(
    ALERT,
    "alert-interval",
    "An alert is not checked more often than needed.",
    severity=Severity.LOW,
    comply="Give a longer interval.",
    tags=("cost", "observability"),
    settings=Interval,
)
def alert_interval(alert: Alert, context: Context[Interval]) -> Findings:
    """Judge the interval."""
    given, least = seconds(alert.interval or ""), seconds(context.settings.minimum)
    if given is not None and least is not None and given < least:
        yield violation(alert, "interval", f"give {context.settings.minimum} or longer")


@alert_interval.fix
def _longer(_: Alert, context: Context[Interval]) -> Mapping[str, Any]:
    """Sets interval to the minimum."""
    return {"interval": context.settings.minimum}


@rule(
    ALERT,
    "alert-threshold",
    "An alert is neither raised always nor never.",
    severity=Severity.MEDIUM,
    comply="Give a threshold above 0, or except an alert on a value that may be negative.",
    tags=("observability",),
)
def alert_threshold(alert: Alert, _: Context[Settings]) -> Findings:
    """Judge the threshold: what is counted is never below 0."""
    always = {ThresholdType.ABOVE.value: "always", ThresholdType.BELOW.value: "never"}.get(alert.threshold_type or "")
    if always and alert.threshold is not None and alert.threshold <= 0:
        found = f"is {alert.threshold:g}, and {alert.threshold_type} it is what is counted {always}"
        yield Finding(path_of(alert, "threshold"), found, "give a number above 0")
