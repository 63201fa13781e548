"""What the vendor's servers ask of the fields of an alert together; the interface has the first rule only."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timezone

from pulumi_clouddb.schema.base import parse_timestamp, wire_name
from pulumi_clouddb.schema.rules import Rule, RuleContext
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE, VocabularyName

from .fields import (
    INTERVAL_MINUTES,
    LONGEST_AGO,
    LONGEST_MESSAGE,
    LONGEST_NAME,
    MOST_AHEAD,
    RANGES,
    AlertChannel,
    AlertFields,
    AlertSource,
    ChannelType,
    ThresholdType,
)

Field = Callable[[AlertFields], object]


def _one_of(field: Callable[[AlertFields], str | None], values: Iterable[str]) -> Rule[AlertFields]:
    allowed = list(values)

    def test(alert: AlertFields, _: RuleContext) -> str | None:
        value = field(alert)
        return None if value is None or value in allowed else f", not {value!r}"

    return Rule(field, test, f"must be one of {', '.join(allowed)}", CLICKHOUSE)


def _at_most(field: Callable[[AlertFields], str | None], length: int) -> Rule[AlertFields]:
    def test(alert: AlertFields, _: RuleContext) -> str | None:
        value = field(alert)
        return f" but has {len(value)}" if value is not None and len(value) > length else None

    return Rule(field, test, f"must have at most {length} characters", CLICKHOUSE)


def _somewhere(alert: AlertFields, context: RuleContext) -> str | None:
    if alert.channel is not None or alert.channels is not None:
        return None
    return "" if context.vocabulary is VocabularyName.NEUTRAL else " where channels is left out"


def _first_of_channels(alert: AlertFields, _: RuleContext) -> str | None:
    if alert.channel is None or not alert.channels:
        return None
    return None if _meaning(alert.channel) == _meaning(alert.channels[0]) else ", which it is not"


def _meaning(channel: AlertChannel) -> tuple[object, ...]:
    return channel.type, channel.webhook_id, tuple(channel.email_recipients or ())


def _distinct(alert: AlertFields, _: RuleContext) -> str | None:
    told = [_meaning(channel) for channel in alert.channels or ()]
    twice = [str(index) for index, channel in enumerate(told) if channel in told[:index]]
    return f"; told before: number {', '.join(twice)}" if twice else None


def _kinds(field: Field, channels: Callable[[AlertFields], Iterator[tuple[str, AlertChannel]]]) -> Rule[AlertFields]:
    def test(alert: AlertFields, _: RuleContext) -> str | None:
        faults = ((place, _channel_fault(channel, alert)) for place, channel in channels(alert))
        return next((f"; {place} {fault}" for place, fault in faults if fault), None)

    text = "must name webhooks by `webhookId`, or in the managed form `emailRecipients`"
    return Rule(field, test, text, CLICKHOUSE)


def _one(alert: AlertFields) -> Iterator[tuple[str, AlertChannel]]:
    if alert.channel is not None:
        yield "channel", alert.channel


def _all(alert: AlertFields) -> Iterator[tuple[str, AlertChannel]]:
    for index, channel in enumerate(alert.channels or ()):
        yield f"channels[{index}]", channel


def _channel_fault(channel: AlertChannel, alert: AlertFields) -> str | None:
    if channel.type == ChannelType.EMAIL:
        if alert.service_id is None:
            return "is of type email, which a self-hosted server does not have"
        return None if channel.email_recipients else "has no emailRecipients"
    if channel.type != ChannelType.WEBHOOK:
        return f"is of type {channel.type!r}"
    webhook = channel.webhook_id
    if webhook is None or not re.fullmatch("[0-9a-fA-F]{24}", webhook):
        return f"has the webhookId {webhook!r}, not 24 hexadecimal digits"
    more = [wire_name(AlertChannel, name) for name in _MANAGED if getattr(channel, name) is not None]
    if more and alert.service_id is None:
        return f"says {', '.join(more)}: a self-hosted server does not keep that"
    return None


_MANAGED = ("webhook_service", "slack_channel_id", "severity")
"""What only the servers of the cloud know of a webhook; a self-hosted one drops it without a word."""


def _target(alert: AlertFields, _: RuleContext) -> str | None:
    if alert.source == AlertSource.SAVED_SEARCH:
        return None
    given = {"dashboardId": alert.dashboard_id, "tileId": alert.tile_id}
    missing = [name for name, value in given.items() if value is None]
    return f"; missing: {' and '.join(missing)}" if missing else None


def _saved_search(alert: AlertFields, _: RuleContext) -> str | None:
    watches = alert.source == AlertSource.SAVED_SEARCH
    if watches is (alert.saved_search_id is not None):
        return None
    return "; it is missing" if watches else f", which is {alert.source!r}"


def _groups(alert: AlertFields, _: RuleContext) -> str | None:
    if alert.group_by is None or alert.source == AlertSource.SAVED_SEARCH:
        return None
    return f", which is {alert.source!r}"


def _range(alert: AlertFields, _: RuleContext) -> str | None:
    kind, most = alert.threshold_type, alert.threshold_max
    if (kind in RANGES) is not (most is not None):
        return f", which is {kind!r}" if most is not None else f"; {kind!r} needs it"
    least = alert.threshold
    return f", not {most:g} below {least:g}" if most is not None and least is not None and most < least else None


def _offset(alert: AlertFields, _: RuleContext) -> str | None:
    minutes, offset = INTERVAL_MINUTES.get(alert.interval or ""), alert.schedule_offset_minutes
    if offset is None or minutes is None or offset < minutes:
        return None
    return f" ({minutes} minutes), not {offset:g}"


def _one_schedule(alert: AlertFields, _: RuleContext) -> str | None:
    both = alert.schedule_offset_minutes and alert.schedule_start_at is not None
    return f", not {alert.schedule_offset_minutes:g}" if both else None


def _start(alert: AlertFields, _: RuleContext) -> str | None:
    start = alert.schedule_start_at
    if start is None:
        return None
    moment, now = parse_timestamp(start), datetime.now(timezone.utc)
    near = now - LONGEST_AGO <= moment <= now + MOST_AHEAD
    return None if start.upper().endswith("Z") and near else f", not {start}"


RULES: tuple[Rule[AlertFields], ...] = (
    Rule(lambda alert: alert.channel, _somewhere, "is required"),
    Rule(
        lambda alert: alert.channel,
        _first_of_channels,
        "must be the first of `channels` where both are given",
        CLICKHOUSE,
    ),
    _kinds(lambda alert: alert.channel, _one),
    _kinds(lambda alert: alert.channels, _all),
    Rule(lambda alert: alert.channels, _distinct, "must name each channel once", CLICKHOUSE),
    _one_of(lambda alert: alert.source, AlertSource),
    Rule(lambda alert: alert.source, _target, "needs a dashboardId and a tileId where it is tile", CLICKHOUSE),
    Rule(
        lambda alert: alert.saved_search_id,
        _saved_search,
        "is given if, and only if, source is saved_search",
        CLICKHOUSE,
    ),
    Rule(lambda alert: alert.group_by, _groups, "is for source saved_search only", CLICKHOUSE),
    _one_of(lambda alert: alert.interval, INTERVAL_MINUTES),
    _one_of(lambda alert: alert.threshold_type, ThresholdType),
    Rule(
        lambda alert: alert.threshold_max,
        _range,
        "is given if, and only if, thresholdType is between or not_between, and is at least the threshold",
        CLICKHOUSE,
    ),
    Rule(lambda alert: alert.schedule_offset_minutes, _offset, "must be less than the interval", CLICKHOUSE),
    Rule(
        lambda alert: alert.schedule_offset_minutes,
        _one_schedule,
        "must be 0 or absent where scheduleStartAt is given",
        CLICKHOUSE,
    ),
    Rule(
        lambda alert: alert.schedule_start_at,
        _start,
        "must be in UTC, with `Z`, from ten years ago to a year from now",
        CLICKHOUSE,
    ),
    _at_most(lambda alert: alert.name, LONGEST_NAME),
    _at_most(lambda alert: alert.message, LONGEST_MESSAGE),
)
"""The rules of an alert."""
