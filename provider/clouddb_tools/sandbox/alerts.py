"""Alerts on tiles and on saved searches.

In the clickhouse dialect, validation and storage follow the vendor's server 2.36.0 (utils/zod.ts,
controllers/alerts.ts).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import datetime, timezone
from typing import Any

from pulumi_clouddb.schema.assumptions import ALL, MEASURED, Assumption
from pulumi_clouddb.schema.base import FilledText, Text, prop
from pulumi_clouddb.schema.thing import body_of
from pulumi_clouddb.schema.times import parse_timestamp
from pulumi_clouddb.schema.values import whole_numbers
from pulumi_clouddb.schema.vendor import alternatives
from pulumi_clouddb.schema.vocabulary import VocabularyName
from pulumi_clouddb.things.alerts.alert import Alert
from pulumi_clouddb.things.alerts.api import Alerts
from pulumi_clouddb.things.alerts.fields import (
    INTERVAL_MINUTES,
    LONGEST_AGO,
    LONGEST_MESSAGE,
    LONGEST_NAME,
    MOST_AHEAD,
    RANGES,
    AlertSource,
    ChannelType,
    ThresholdType,
    same_channel,
)
from pulumi_clouddb.things.dashboards.tile_config_fields import WITH_ALERTS, ConfigType, DisplayType
from pulumi_clouddb.things.saved_searches.api import SavedSearches

from . import webhooks
from .bodies import body_with, checked, known_of
from .ids import is_object_id
from .responses import bad_request
from .served import Served
from .settings import to_stamp
from .state import SELF_HOSTED, Call, SandboxState
from .store import Document
from .zod import body_errors, kind_of, refuse

CALM = {VocabularyName.NEUTRAL: "inactive", VocabularyName.CLICKHOUSE: "OK"}
"""State of an alert that is not firing, by dialect."""

_CLEARED = ("name", "message")
"""Fields that an update clears if it omits them."""

_TARGETS = ("dashboard", "tileId", "savedSearchId", "groupBy")
"""Fields that an update removes if it omits them."""


A_TILE_HAS_SEVERAL_ALERTS = Assumption("A tile can have several alerts.", MEASURED, ALL)
NEW_ALERT_IS_OK = Assumption("The state of a new alert is OK.", MEASURED, ALL)
START_RESETS_THE_OFFSET = Assumption("A start sets the offset of an alert to 0.", MEASURED, ALL)


class ServedAlerts(Served):
    """The alerts of an observability server."""

    def fields(self, state: SandboxState, call: Call) -> Document:
        """Return the validated fields; tile, saved search and webhooks must exist."""
        stack = self.parent(state, call)
        if not state.settings.is_clickhouse:
            body = checked(body_of(Alert), call.body, nullable=_CLEARED, ruled=body_of(Alert), context=state.context)
            dashboard = _watched(state, stack, body)[0]
            return _record_fields({**body, "dashboardId": dashboard["id"]})
        body = _vendor_body(call.body, state.clock.now(), managed=stack != SELF_HOSTED)
        if body["source"] == AlertSource.TILE:
            if not is_object_id(body["dashboardId"]):
                raise bad_request("Invalid dashboard ID")
            dashboard, tile = _watched(state, stack, body)
            _refuse_unsupported_sql(tile)
            body = {**body, "dashboardId": dashboard["id"]}
        else:
            if not is_object_id(body["savedSearchId"]):
                raise bad_request("Invalid saved search ID")
            if state.store.get(SavedSearches.plural(), body["savedSearchId"].lower(), stack) is None:
                raise bad_request("Saved search not found")
        _require_webhooks(state, stack, body)
        return _vendor_record(body)

    def kept(self, old: Document) -> Document:
        """Return the fields that a replacement keeps: all but the target, as `fields` clears the texts."""
        return {name: value for name, value in old.items() if name not in _TARGETS}

    def add(self, state: SandboxState, parent: str, fields: Document) -> Document:
        """Add an alert with these fields of a body or of the record."""
        fixed = {"state": CALM[state.settings.vocabulary], "team": state.identity.teamId}
        whole = _with_required(_renamed(fields)) if state.settings.is_clickhouse else _record_fields(fields)
        return super().add(state, parent, {**whole, **fixed})

    def remove_where(self, state: SandboxState, condition: Callable[[Document], bool]) -> None:
        """Remove the alerts that meet a condition."""
        for alert in state.store.all(self.kind):
            if condition(alert):
                self.remove(state, alert["id"])


SERVED = ServedAlerts(Alerts, body_of(Alert))


def _watched(state: SandboxState, stack: str, body: Document) -> tuple[Document, Document]:
    """Return the dashboard and the tile that a body names, or refuse it."""
    for name in ("dashboardId", "tileId"):
        if name not in body:
            refuse([f"{name}: Required"])
    dashboard = state.store.get("dashboards", body["dashboardId"].lower(), stack)
    if dashboard is None:
        raise bad_request("Dashboard not found")
    tile = next((each for each in dashboard["tiles"] if each["id"] == body["tileId"]), None)
    if tile is None:
        raise bad_request("Tile not found")
    return dashboard, tile


def _require_webhooks(state: SandboxState, stack: str, body: Document) -> None:
    named = [channel.get("webhookId") for channel in (body.get("channels") or [body.get("channel")])]
    if any(each is not None and not is_object_id(each) for each in named):
        raise bad_request("Invalid webhook ID")
    if not all(each is None or webhooks.SERVED.find(state, stack, each) for each in named):
        raise bad_request("Webhook not found")


def _record_fields(body: Document) -> Document:
    """Return the fields of the record that a body sets."""
    return {"source": AlertSource.TILE.value, **dict.fromkeys(_CLEARED), **_renamed(body)}


def _renamed(fields: Document) -> Document:
    """Return fields under their names in the record, where `dashboardId` is `dashboard`."""
    return {"dashboard" if name == "dashboardId" else name: value for name, value in fields.items()}


def _refuse_unsupported_sql(tile: Document) -> None:
    """Refuse a raw SQL tile that supports no alerts; other such tiles lose theirs with the dashboard's next update."""
    config = tile.get("config") or {}
    if config.get("configType") != ConfigType.SQL:
        return
    if config.get("displayType") not in WITH_ALERTS:
        raise bad_request("Alerts on Raw SQL tiles are only supported for Line, Stacked Bar, or Number display types")
    sql = config.get("sqlTemplate", "")
    named = any(each in sql for each in _PARAMETERS) or _MACRO.search(_COMMENT.sub(r"\1", sql))
    if config.get("displayType") != DisplayType.NUMBER and not named:
        raise bad_request(
            "Raw SQL alert query is invalid: SQL used for alerts must include an interval parameter or macro."
        )


_PARAMETERS = ("intervalSeconds", "intervalMilliseconds")
_MACRO = re.compile(r"\$__(timeInterval(_ms)?|interval_s)\b")
"""Macros by which raw SQL names the interval; they have no effect in comments."""

_COMMENT = re.compile(r"""('(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")|--[^\n]*|/\*.*?(?:\*/|$)""", re.DOTALL)


# -- bodies of the vendor's servers ------------------------------------------------------------------------------------

_NULLABLE = ("name", "message", "note", "numConsecutiveWindows", "scheduleStartAt")
_NULLABLE_IN_THE_CLOUD = ("thresholdMax", "scheduleOffsetMinutes")
_TARGET = ("dashboardId", "tileId", "savedSearchId", "groupBy")


_BODY = body_with(
    Alert,
    interval=(Text | None, prop("Interval.", required=True)),
    source=(AlertSource | None, prop("What is watched.")),
    threshold_type=(ThresholdType | None, prop("Side.", required=True)),
    name=(FilledText | None, prop("Name.", max_length=LONGEST_NAME)),
    message=(FilledText | None, prop("Text.", max_length=LONGEST_MESSAGE)),
    schedule_start_at=(Text | None, prop("Start.")),
)
"""An alert without its target, which `_target_errors` validates."""


def _vendor_body(given: Any, now: float, *, managed: bool) -> Document:
    """Return the validated body without the properties that the servers drop.

    Args:
        given: The body.
        now: The time in seconds since 1970.
        managed: Whether it is a managed server, which supports e-mail channels and accepts more nulls.
    """
    body = {} if given is None else given
    if not isinstance(body, dict):
        refuse([f"Expected object, received {kind_of(body)}", "Invalid input"])
    if managed:
        body = {name: each for name, each in body.items() if each is not None or name not in _NULLABLE_IN_THE_CLOUD}
    kept = _without_unknown(body, managed=managed)
    shape = {name: each for name, each in kept.items() if name not in _TARGET}
    errors = [*body_errors(_BODY, shape, _NULLABLE), *_interval_errors(shape)]
    paths = {each.partition(": ")[0] for each in errors}
    errors += [each for each in _channel_errors(shape, managed=managed) if each.partition(": ")[0] not in paths]
    errors += _target_errors(kept)
    refuse(errors or _cross_field_errors(kept, datetime.fromtimestamp(now, timezone.utc)))
    cleaned: Document = whole_numbers(kept)
    return cleaned


def _without_unknown(body: Document, *, managed: bool) -> Document:
    kept: Document = known_of(body_of(Alert), body)
    if managed:
        return kept
    for name in ("channel", "channels"):
        if isinstance(kept.get(name), (dict, list)):
            kept[name] = _of_webhook(kept[name])
    return kept


def _of_webhook(value: Any) -> Any:
    if isinstance(value, list):
        return [_of_webhook(each) for each in value]
    return {name: value[name] for name in ("type", "webhookId") if name in value} if isinstance(value, dict) else value


def _interval_errors(body: Document) -> Iterator[str]:
    interval = body.get("interval")
    if isinstance(interval, str) and interval not in INTERVAL_MINUTES:
        yield f"interval: Invalid enum value. Expected {alternatives(INTERVAL_MINUTES)}, received {interval!r}"


def _channel_errors(body: Document, *, managed: bool) -> Iterator[str]:
    several = body["channels"] if isinstance(body.get("channels"), list) else []
    named = {"channel": body.get("channel"), **{f"channels.{index}": each for index, each in enumerate(several)}}
    for path, channel in named.items():
        if not isinstance(channel, dict):
            continue
        if managed and channel.get("type") == ChannelType.EMAIL:
            if not channel.get("emailRecipients"):
                yield f"{path}.emailRecipients: Required"
            continue
        if channel.get("type") != ChannelType.WEBHOOK:
            yield f'{path}.type: Invalid literal value, expected "webhook"'
        if channel.get("webhookId") is None:
            yield f"{path}.webhookId: Required"


def _target_errors(body: Document) -> Iterator[str]:
    needed = {"tile": ("tileId", "dashboardId"), "saved_search": ("savedSearchId",)}
    names = needed.get(str(body.get("source")), ("",))
    if any(body.get(name) == "" for name in names):
        yield from (f"{name}: String must contain at least 1 character(s)" for name in names if body.get(name) == "")
    elif not all(isinstance(body.get(name), str) for name in names) or (
        body.get("source") == AlertSource.SAVED_SEARCH and not isinstance(body.get("groupBy", ""), (str, type(None)))
    ):
        yield "Invalid input"


def _cross_field_errors(body: Document, now: datetime) -> Iterator[str]:
    channel, channels = body.get("channel"), body.get("channels")
    recipients = [same_channel(each) for each in channels or ()]
    if channel is None and channels is None:
        yield 'channels: Provide either "channel" or "channels"'
    elif channel is not None and recipients and same_channel(channel) != recipients[0]:
        yield 'channels: When both "channel" and "channels" are provided, "channel" must match the first entry'
    elif any(each in recipients[:index] for index, each in enumerate(recipients)):
        yield "channels: Duplicate notification channels are not allowed"
    offset, minutes = body.get("scheduleOffsetMinutes") or 0, INTERVAL_MINUTES[body["interval"]]
    start = body.get("scheduleStartAt")
    if start is not None and offset:
        yield "scheduleOffsetMinutes: scheduleOffsetMinutes must be 0 when scheduleStartAt is provided"
    if offset >= minutes:
        unit = "minute" if minutes == 1 else "minutes"
        yield f"scheduleOffsetMinutes: scheduleOffsetMinutes must be less than {minutes} {unit}"
    if start is not None:
        yield from _start_errors(start, now)
    if body["thresholdType"] in RANGES:
        most = body.get("thresholdMax")
        if most is None:
            yield "thresholdMax: thresholdMax is required for between/not_between threshold types"
        elif most < body["threshold"]:
            yield "thresholdMax: thresholdMax must be greater than or equal to threshold"


def _start_errors(start: str, now: datetime) -> Iterator[str]:
    try:
        moment = parse_timestamp(start) if "T" in start and start.endswith("Z") else None
    except ValueError:
        moment = None
    if moment is None:
        yield "scheduleStartAt: Invalid datetime"
    elif moment > now + MOST_AHEAD:
        yield "scheduleStartAt: scheduleStartAt must be within 1 year from now"
    elif moment < now - LONGEST_AGO:
        yield "scheduleStartAt: scheduleStartAt must be within 10 years in the past"


def _vendor_record(body: Document) -> Document:
    """Return the fields of the record that a body sets. A start replaces an offset, and only one target is stored."""
    fields = {name: each for name, each in body.items() if name not in _TARGET}
    if body["source"] == AlertSource.TILE:
        fields |= {"dashboard": body["dashboardId"], "tileId": body["tileId"]}
    else:
        fields |= {name: body[name] for name in ("savedSearchId", "groupBy") if body.get(name) is not None}
    if "scheduleStartAt" in body:
        start = body["scheduleStartAt"]
        fields["scheduleStartAt"] = None if start is None else to_stamp(parse_timestamp(start))
        if start is not None or "scheduleOffsetMinutes" not in body:
            fields["scheduleOffsetMinutes"] = 0
    return _with_required(fields)


def _with_required(fields: Document) -> Document:
    """Return the fields of a record with those that every record has, and the channels in both forms."""
    channels = fields.get("channels") or [fields.get("channel")]
    cleared = dict.fromkeys(("name", "message", "note", "numConsecutiveWindows"))
    return {**cleared, **fields, "channel": channels[0], "channels": channels}
