"""Alerts on tiles, on saved searches, and on charts of their own.

In the clickhouse dialect, validation and storage follow the vendor's server 2.36.0 (utils/zod.ts,
controllers/alerts.ts), and in the newest release the server of October 2026, which derives titles and tags and has
alerts with charts on self-hosted servers (utils/alerts.ts, v2/utils/alertChartConfig.ts).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timezone
from enum import Enum
from typing import Any

from pulumi_clouddb.schema.base import FilledText, Model, Text, prop
from pulumi_clouddb.schema.javascript import trim
from pulumi_clouddb.schema.thing import body_of
from pulumi_clouddb.schema.times import parse_timestamp
from pulumi_clouddb.schema.values import whole_numbers
from pulumi_clouddb.schema.vendor import alternatives
from pulumi_clouddb.schema.vocabulary import VocabularyName
from pulumi_clouddb.things.alerts.alert import Alert
from pulumi_clouddb.things.alerts.api import Alerts
from pulumi_clouddb.things.alerts.chart import KINDS, NO_INTERVAL, AlertChart, names_the_interval
from pulumi_clouddb.things.alerts.parts import (
    INTERVAL_MINUTES,
    LONGEST_AGO,
    LONGEST_MESSAGE,
    LONGEST_NAME,
    MOST_AHEAD,
    RANGES,
    AlertInterval,
    AlertSource,
    ChannelType,
    ThresholdType,
    same_channel,
)
from pulumi_clouddb.things.connections.api import Connections
from pulumi_clouddb.things.dashboards.tile_config_fields import WITH_ALERTS, ConfigType, DisplayType
from pulumi_clouddb.things.saved_searches.api import SavedSearches
from pulumi_clouddb.things.sources.parts import SourceKind

from . import sources, webhooks
from .bodies import body_with, checked, known_of
from .ids import is_object_id
from .responses import bad_request
from .served import Served
from .settings import to_stamp
from .state import SELF_HOSTED, Call, SandboxState
from .store import Document
from .vendor_dashboards import UNKNOWN_CONFIG_TYPE, known_config, shown_config
from .zod import body_errors, kind_of, refuse

CALM = {VocabularyName.NEUTRAL: "inactive", VocabularyName.CLICKHOUSE: "OK"}
"""State of an alert that is not firing, by dialect."""

_CLEARED = ("name", "message")
"""Fields that an update clears if it omits them."""

_TARGETS = ("dashboard", "tileId", "savedSearchId", "groupBy", "chartConfig")
"""Fields that an update removes if it omits them."""


class ServedAlerts(Served):
    """The alerts of an observability server."""

    cleared_by_null = ()  # a cleared start is null in responses, as recorded (tests/tools/real_server)

    def fields(self, state: SandboxState, call: Call) -> Document:
        """Return the validated fields; tile, saved search and webhooks must exist."""
        stack = self.parent(state, call)
        if not state.settings.is_clickhouse:
            body = checked(body_of(Alert), call.body, nullable=_CLEARED, ruled=body_of(Alert), context=state.context)
            dashboard = _watched(state, stack, body)[0]
            return _record_fields({**body, "dashboardId": dashboard["id"]})
        has_title = has_titles(state, stack)
        body = _vendor_body(call.body, state.clock.now(), managed=stack != SELF_HOSTED, has_title=has_title)
        if body["source"] == AlertSource.TILE:
            if not is_object_id(body["dashboardId"]):
                raise bad_request("Invalid dashboard ID")
            dashboard, tile = _watched(state, stack, body)
            _refuse_unsupported_sql(tile)
            body = {**body, "dashboardId": dashboard["id"]}
        elif body["source"] == AlertSource.INLINE:
            _require_source(state, stack, body["chartConfig"])
        else:
            if not is_object_id(body["savedSearchId"]):
                raise bad_request("Invalid saved search ID")
            if state.store.get(SavedSearches.plural(), body["savedSearchId"].lower(), stack) is None:
                raise bad_request("Saved search not found")
        _require_webhooks(state, stack, body)
        record = _vendor_record(body)
        return {**record, **_title(state, stack, record)} if has_title else record

    def kept(self, old: Document) -> Document:
        """Return the fields that a replacement keeps: all but the target, as `fields` clears the texts."""
        return {name: value for name, value in old.items() if name not in _TARGETS}

    def add(self, state: SandboxState, parent: str, fields: Document) -> Document:
        """Add an alert with these fields of a body or of the record."""
        fixed = {"state": CALM[state.settings.vocabulary], "team": state.identity.teamId}
        whole = _with_required(_renamed(fields)) if state.settings.is_clickhouse else _record_fields(fields)
        return super().add(state, parent, {**whole, **fixed})

    def shown(self, state: SandboxState, document: Document) -> Document:
        """Return an alert as responses show it; older servers, and those of the cloud, have no title and tags."""
        is_self_hosted = state.store.get(self.kind, document["id"], SELF_HOSTED) is not None
        if not state.settings.is_clickhouse or not has_titles(state, SELF_HOSTED if is_self_hosted else ""):
            return {name: value for name, value in document.items() if name not in (*_TITLE, "chartConfig")}
        kept = {name: value for name, value in document.items() if name != "chartConfig"}
        chart = document.get("chartConfig")
        shown = {"chartConfig": _shown_chart(chart)} if chart is not None and is_expressible(chart) else {}
        return {**kept, **_title(state, SELF_HOSTED, document), **shown}

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
    _require_interval(config)


def _require_interval(config: Document) -> None:
    if config.get("displayType") != DisplayType.NUMBER and not names_the_interval(config.get("sqlTemplate", "")):
        raise bad_request(NO_INTERVAL)


def _require_source(state: SandboxState, stack: str, chart: Document) -> None:
    """Refuse a chart whose source or connection does not exist, or do not belong together."""
    source_id, connection_id = chart.get("sourceId"), chart.get("connectionId")
    if chart.get("configType") == ConfigType.SQL:
        _require_interval(chart)
        if state.store.get(Connections.plural(), str(connection_id).lower(), stack) is None:
            raise bad_request("Connection not found")
    if source_id is None:
        return
    source = sources.SERVED.find(state, stack, source_id)
    if source is None:
        raise bad_request("Source not found")
    if connection_id is not None and str(source.get("connection")).lower() != connection_id.lower():
        raise bad_request("Source does not belong to the specified connection")
    if chart.get("formulas") and source.get("kind") not in _WITH_FORMULAS:
        raise bad_request("Alerts with formulas require a Metric, Log, or Trace source")


_WITH_FORMULAS = (SourceKind.METRIC, SourceKind.LOG, SourceKind.TRACE)


# -- titles and charts of the newest servers ---------------------------------------------------------------------------

_TITLE = ("displayName", "tags")


def has_titles(state: SandboxState, stack: str) -> bool:
    """Return whether a server has titles, tags and charts of alerts: a self-hosted one of the newest release."""
    return state.is_newest and stack == SELF_HOSTED


def _title(state: SandboxState, stack: str, alert: Document) -> Document:
    """Return the title and tags of an alert: its own, or those of what it watches."""
    name, tags = _watched_title(state, stack, alert)
    given = alert.get("displayName")
    return {
        "displayName": given if given is not None else (name or "Alert")[:LONGEST_NAME],
        "tags": alert["tags"] if alert.get("tags") is not None else tags,
    }


def _watched_title(state: SandboxState, stack: str, alert: Document) -> tuple[str | None, list[str]]:
    if alert.get("source") == AlertSource.INLINE:
        return (alert.get("chartConfig") or {}).get("name"), []
    if alert.get("source") == AlertSource.SAVED_SEARCH:
        search = state.store.get(SavedSearches.plural(), str(alert.get("savedSearchId")).lower(), stack) or {}
        return search.get("name"), search.get("tags") or []
    board = state.store.get("dashboards", str(alert.get("dashboard")).lower(), stack)
    if board is None:
        return None, []
    names = [each.get("name") for each in board["tiles"] if each["id"] == alert.get("tileId")]
    return f"{board['name']} - {next(filter(None, names), 'Tile')}", board.get("tags") or []


_OF_THE_PAGE = ("having", "havingLanguage", "orderBy", "filters", "limit", "granularity")
"""Fields that the page of the server can set, and that change what an alert compares."""


def is_expressible(chart: Document) -> bool:
    """Return whether the API can express a chart, which the page of the server may have changed."""
    return not any(chart.get(name) for name in _OF_THE_PAGE) and not _chart_errors(chart)


def _shown_chart(chart: Document) -> Document:
    shown = shown_config(chart)
    if not shown.get("where"):
        return {name: value for name, value in shown.items() if name not in ("where", "whereLanguage")}
    return {"whereLanguage": "lucene", **shown}


def _chart_errors(chart: Any) -> list[str]:
    if not isinstance(chart, dict):
        return [f"Expected object, received {kind_of(chart)}"]
    if chart.get("configType") not in (None, ConfigType.SQL):
        return [UNKNOWN_CONFIG_TYPE]
    if chart.get("configType") == ConfigType.SQL and not {"where", "whereLanguage"}.isdisjoint(chart):
        return ["where: Raw SQL alert configs have no chart-level where; filter inside the sqlTemplate instead"]
    errors = body_errors(_Chart, {"chartConfig": known_config(chart, KINDS, AlertChart)}, ())
    return [each.removeprefix("chartConfig.") for each in errors]


class _Chart(Model):
    """The chart of an alert without the alert."""

    chart_config: AlertChart | None = prop("Chart.")


# -- bodies of the vendor's servers ------------------------------------------------------------------------------------

_NULLABLE = ("name", "message", "note", "numConsecutiveWindows", "scheduleStartAt")
_NULLABLE_IN_THE_CLOUD = ("thresholdMax", "scheduleOffsetMinutes")
_TARGET = ("dashboardId", "tileId", "savedSearchId", "groupBy")


class _OlderSource(str, Enum):
    """What an alert watches on a server without charts of alerts."""

    TILE = AlertSource.TILE.value
    SAVED_SEARCH = AlertSource.SAVED_SEARCH.value


def _body(sources: type[Enum]) -> type[Model]:
    """Return an alert without its target, which `_errors_of_target` or `_target_errors` validates."""
    declared: Any = sources
    return body_with(
        Alert,
        interval=(Text | None, prop("Interval.", required=True)),
        source=(declared | None, prop("What is watched.")),
        threshold_type=(ThresholdType | None, prop("Side.", required=True)),
        name=(FilledText | None, prop("Name.", max_length=LONGEST_NAME)),
        message=(FilledText | None, prop("Text.", max_length=LONGEST_MESSAGE)),
        schedule_start_at=(Text | None, prop("Start.")),
    )


_BODY, _OLDER_BODY = _body(AlertSource), _body(_OlderSource)


def _vendor_body(given: Any, now: float, *, managed: bool, has_title: bool) -> Document:
    """Return the validated body without the properties that the servers drop.

    Args:
        given: The body.
        now: The time in seconds since 1970.
        managed: Whether it is a managed server, which supports e-mail channels and accepts more nulls.
        has_title: Whether it has titles, tags and charts.
    """
    body = {} if given is None else given
    if not isinstance(body, dict):
        refuse([f"Expected object, received {kind_of(body)}", "Invalid input"])
    kept = _without_unknown(body, managed=managed, has_title=has_title)
    shape = {name: each for name, each in kept.items() if name not in (*_TARGET, "chartConfig")}
    errors = [*body_errors(_BODY if has_title else _OLDER_BODY, shape, (*_NULLABLE, *_TITLE)), *_interval_errors(shape)]
    paths = {each.partition(": ")[0] for each in errors}
    errors += [each for each in _channel_errors(shape, managed=managed) if each.partition(": ")[0] not in paths]
    errors += [*_errors_of_target(kept)] if has_title else [*_target_errors(kept)]
    refuse(errors or _cross_field_errors(kept, datetime.fromtimestamp(now, timezone.utc)))
    cleaned: Document = whole_numbers(kept)
    return cleaned


def _without_unknown(body: Document, *, managed: bool, has_title: bool) -> Document:
    kept: Document = known_of(body_of(Alert), body)
    if not has_title:
        kept = {name: each for name, each in kept.items() if name not in (*_TITLE, "chartConfig")}
    if managed:
        return {name: each for name, each in kept.items() if each is not None or name not in _NULLABLE_IN_THE_CLOUD}
    for name in ("channel", "channels"):
        if isinstance(kept.get(name), (dict, list)):
            kept[name] = _of_webhook(kept[name])
    return kept


def _of_webhook(value: Any) -> Any:
    if isinstance(value, list):
        return [_of_webhook(each) for each in value]
    return {name: value[name] for name in ("type", "webhookId") if name in value} if isinstance(value, dict) else value


_INTERVALS = tuple(each.value for each in AlertInterval if each is not AlertInterval.THIRTY_SECONDS)
"""The intervals of a team without the feature of 30 seconds."""


def _interval_errors(body: Document) -> Iterator[str]:
    interval = body.get("interval")
    if isinstance(interval, str) and interval not in _INTERVALS:
        yield f"interval: Invalid enum value. Expected {alternatives(_INTERVALS)}, received {interval!r}"


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


def _errors_of_target(body: Document) -> Iterator[str]:
    """Yield the errors of the newest servers, which validate a body by its source."""
    source, chart = body.get("source"), body.get("chartConfig")
    names = {"tile": ("tileId", "dashboardId"), "saved_search": ("savedSearchId",), "inline": ()}.get(str(source))
    if names is None:
        yield "source: Invalid discriminator value. Expected 'saved_search' | 'tile' | 'inline'"
        return
    if source != AlertSource.INLINE:
        if "chartConfig" in body:
            yield 'chartConfig: chartConfig is only supported when source is "inline"'
        for name in names:
            value = body.get(name)
            if not isinstance(value, str):
                yield f"{name}: Required" if name not in body else f"{name}: Expected string, received {kind_of(value)}"
            elif not value:
                yield f"{name}: String must contain at least 1 character(s)"
        return
    if chart is None:
        yield "chartConfig: Required"
        return
    yield from (f"chartConfig.{each}" for each in _chart_errors(chart))


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
    yield from _schedule_errors(body, now)
    if body["thresholdType"] in RANGES:
        most = body.get("thresholdMax")
        if most is None:
            yield "thresholdMax: thresholdMax is required for between/not_between threshold types"
        elif most < body["threshold"]:
            yield "thresholdMax: thresholdMax must be greater than or equal to threshold"


def _schedule_errors(body: Document, now: datetime) -> Iterator[str]:
    offset, minutes = body.get("scheduleOffsetMinutes") or 0, INTERVAL_MINUTES[body["interval"]]
    start = body.get("scheduleStartAt")
    if start is not None and offset:
        yield "scheduleOffsetMinutes: scheduleOffsetMinutes must be 0 when scheduleStartAt is provided"
    if offset >= minutes:
        unit = "minute" if minutes == 1 else "minutes"
        yield f"scheduleOffsetMinutes: scheduleOffsetMinutes must be less than {minutes} {unit}"
    if start is not None:
        yield from _start_errors(start, now)


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
    fields = {name: each for name, each in body.items() if name not in (*_TARGET, "chartConfig")}
    if isinstance(fields.get("displayName"), str):
        fields["displayName"] = trim(fields["displayName"])
    if body["source"] == AlertSource.TILE:
        fields |= {"dashboard": body["dashboardId"], "tileId": body["tileId"]}
    elif body["source"] == AlertSource.INLINE:
        fields["chartConfig"] = known_config(body["chartConfig"], KINDS, AlertChart)
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
