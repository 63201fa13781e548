"""What a picture shows: a dashboard with its tiles, and the alerts on them, all values as people may see them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pulumi_clouddb.alerts.alert import Alert
from pulumi_clouddb.alerts.fields import RANGES, ThresholdType, same_channel
from pulumi_clouddb.dashboards.dashboard import Dashboard
from pulumi_clouddb.dashboards.fields import (
    DashboardContainer,
    DashboardContainerTab,
    DashboardFilter,
    SavedFilterValue,
    variable_of,
)
from pulumi_clouddb.dashboards.matching import tile_key
from pulumi_clouddb.dashboards.tile import Series, SeriesDisplayType, SeriesType, Tile
from pulumi_clouddb.dashboards.tile_config import TileConfig
from pulumi_clouddb.dashboards.tile_config_fields import ConfigType, DisplayType
from pulumi_clouddb.engine.wire.messages import NOT_YET, shown
from pulumi_clouddb.schema.base import wire_names
from pulumi_clouddb.schema.names import property_name
from pulumi_clouddb.schema.thing import inputs_of
from pulumi_clouddb.schema.view import raw_of, view_of

from .words import (
    Fact,
    config_facts,
    number_words,
    objects,
    series_facts,
    short_threshold,
    text,
    texts,
    threshold_words,
)

_SAID = tuple(
    name for name in wire_names(inputs_of(Dashboard)) if name != property_name(Dashboard, lambda board: board.tiles)
)


@dataclass(frozen=True)
class AlertMark:
    """An alert as a tile shows it.

    Attributes:
        name: Its name, or that of its resource.
        words: When it is raised, such as `at or above 100`.
        short: The same in signs, such as `≥ 100`.
        every: How often it is checked.
        channels: Where it goes.
        type: How the value is compared; None where no type is known.
        threshold: The bound; None where it is not known.
        upper: The upper bound of a range.
    """

    name: str
    words: str
    short: str
    every: str
    channels: tuple[str, ...]
    type: ThresholdType | None
    threshold: float | None
    upper: float | None

    @property
    def bounds(self) -> frozenset[float]:
        """The bounds that are known, each a line."""
        return frozenset(bound for bound in (self.threshold, self.upper) if bound is not None)

    @property
    def label(self) -> str:
        """The threshold in words, as it stands at its line."""
        return f"{self.words}, every {self.every}" if self.every else self.words


@dataclass(frozen=True)
class TilePicture:
    """A tile: where it is, and what it shows."""

    key: str
    name: str
    place: tuple[float | None, float | None, float | None, float | None]
    container: str
    tab: str
    display: str
    shape: DisplayType | None
    source: str
    facts: tuple[Fact, ...]
    columns: tuple[str, ...]
    number: str
    markdown: str
    alerts: tuple[AlertMark, ...]
    values: Mapping[str, Any]


@dataclass(frozen=True)
class Box:
    """A container of tiles, with its tabs by id."""

    id: str
    title: str
    tabs: Mapping[str, str]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Picture:
    """A dashboard.

    Attributes:
        resource: Name of its resource, or its id where it has none.
        name: Its own name.
        filters: Filters at the top, in words.
        opens_with: Conditions that hold when it is opened.
        strays: Alerts of this dashboard of which no tile is known.
        values: The dashboard by wire name, without its tiles.
    """

    resource: str
    name: str
    tags: tuple[str, ...] = ()
    filters: tuple[Fact, ...] = ()
    opens_with: tuple[Fact, ...] = ()
    containers: tuple[Box, ...] = ()
    tiles: tuple[TilePicture, ...] = ()
    strays: tuple[AlertMark, ...] = ()
    values: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def picture_of(
    resource: str,
    dashboard: Mapping[str, Any],
    alerts: Mapping[str, Sequence[AlertMark]],
    sources: Mapping[str, str],
) -> Picture:
    """Return the picture of a dashboard.

    Args:
        resource: Name of its resource.
        dashboard: The dashboard by wire name; values may be unknown or secret.
        alerts: Its alerts by the key of their tile; those without a tile under the empty key.
        sources: Names of data sources and connections by their ids.
    """
    plain = shown(dashboard)
    args = view_of(Dashboard, plain)
    tiles = raw_of(args, "tiles")
    drawn = [_tile(index, values, alerts, sources) for index, values in enumerate(objects(tiles))]
    keys = {tile.key for tile in drawn}
    notes = () if isinstance(tiles, list) else (f"Tiles: {text(tiles) or 'none'}",)
    return Picture(
        resource=resource,
        name=text(raw_of(args, "name")) or resource,
        tags=texts(raw_of(args, "tags")),
        filters=tuple(_filter(each, sources) for each in objects(raw_of(args, "filters"))),
        opens_with=tuple(_opens_with(args)),
        containers=tuple(_container(each) for each in objects(raw_of(args, "containers"))),
        tiles=tuple(drawn),
        strays=tuple(mark for key, marks in alerts.items() if key not in keys for mark in marks),
        values={name: plain[name] for name in _SAID if name in plain},
        notes=notes,
    )


def alert_mark(name: str, values: Mapping[str, Any]) -> AlertMark:
    """Return an alert as a picture shows it; `name` is that of its resource."""
    args = view_of(Alert, shown(values))
    given = text(raw_of(args, "threshold_type"))
    kind = next((each for each in ThresholdType if each == given), None)
    several = list(objects(raw_of(args, "channels"))) or list(objects([raw_of(args, "channel")]))
    upper = _number(raw_of(args, "threshold_max")) if kind in RANGES else None
    return AlertMark(
        name=text(raw_of(args, "name")) or name,
        words=threshold_words(args),
        short=short_threshold(kind, args),
        every=text(raw_of(args, "interval")),
        channels=tuple(" ".join(", ".join(texts(part)) for part in same_channel(each).values()) for each in several),
        type=kind,
        threshold=_number(raw_of(args, "threshold")),
        upper=upper,
    )


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _tile(
    index: int, values: Mapping[str, Any], alerts: Mapping[str, Sequence[AlertMark]], sources: Mapping[str, str]
) -> TilePicture:
    tile = view_of(Tile, values)
    key = text(tile_key(values)) or f"tile {index}"
    config, series = raw_of(tile, "config"), [view_of(Series, each) for each in objects(raw_of(tile, "series"))]
    if isinstance(config, Mapping):
        content = _of_config(view_of(TileConfig, config), sources)
    else:
        content = _of_series(series, tile, sources)
    x, y, w, h = (_number(raw_of(tile, side)) for side in ("x", "y", "w", "h"))
    return replace(
        content,
        key=key,
        name=text(raw_of(tile, "name")) or key,
        place=(x, y, w, h),
        container=text(raw_of(tile, "container_id")),
        tab=text(raw_of(tile, "tab_id")),
        alerts=tuple(alerts.get(key, ())),
        values=values,
    )


def _content(display: str, source: str, facts: Iterable[Fact], **more: Any) -> TilePicture:
    shape = next((each for each in DisplayType if each == display), None)
    said = tuple((label, words) for label, words in facts if words)
    empty: dict[str, Any] = {"columns": (), "number": number_words(None), "markdown": "", **more}
    return TilePicture("", "", (None,) * 4, "", "", display, shape, source, said, alerts=(), values={}, **empty)


def _of_config(config: TileConfig, sources: Mapping[str, str]) -> TilePicture:
    display = text(raw_of(config, "display_type"))
    if raw_of(config, "config_type") == ConfigType.SQL:
        source = f"raw SQL on connection {source_name(raw_of(config, 'connection_id'), sources)}".strip()
    else:
        source = source_name(raw_of(config, "source_id"), sources)
    facts = list(config_facts(config))
    wanted = [words for label, words in facts if label in ("value", "formula")]
    columns = [words for label, words in facts if label == "columns"]
    groups = [words for label, words in facts if label == "group by" and words]
    return _content(
        display or NOT_YET,
        source,
        facts,
        columns=tuple(part.strip() for part in ",".join(columns).split(",") if part.strip()) or (*groups, *wanted),
        number=number_words(raw_of(config, "number_format")),
        markdown=text(raw_of(config, "markdown")),
    )


def _of_series(series: Sequence[Series], tile: Tile, sources: Mapping[str, str]) -> TilePicture:
    if not series:
        return _content(NOT_YET, "", ())
    first, kind = series[0], text(raw_of(series[0], "type"))
    display = kind
    if kind == SeriesType.TIME:
        display = text(raw_of(first, "display_type")) or SeriesDisplayType.LINE.value
    named = [source_name(raw_of(each, "source_id") or raw_of(each, "data_source"), sources) for each in series]
    facts = [fact for each in series for fact in series_facts(each)]
    if raw_of(tile, "as_ratio") is True:
        facts.append(("ratio", "the first value divided by the second"))
    return _content(
        display or NOT_YET,
        ", ".join(dict.fromkeys(name for name in named if name)),
        dict.fromkeys(facts),
        columns=texts(raw_of(first, "fields")) or (*texts(raw_of(first, "group_by")), *_values(facts)),
        number=number_words(raw_of(first, "number_format")),
        markdown=text(raw_of(first, "content")),
    )


def _values(facts: Iterable[Fact]) -> tuple[str, ...]:
    return tuple(words for label, words in facts if label == "value")


def source_name(given: Any, sources: Mapping[str, str]) -> str:
    """Return the name of a source or connection, or its id where that is all there is."""
    return sources.get(text(given)) or text(given)


def _filter(values: Mapping[str, Any], sources: Mapping[str, str]) -> Fact:
    view = view_of(DashboardFilter, values)
    words = [text(raw_of(view, "expression"))]
    if source := source_name(raw_of(view, "source_id"), sources):
        words.append(f"of {source}")
    if raw_of(view, "is_variable_enabled") is True:
        words.append(f"as ${variable_of(view)}")
    return text(raw_of(view, "name")), " ".join(words)


def _opens_with(args: Dashboard) -> Iterable[Fact]:
    query, language = text(raw_of(args, "saved_query")), text(raw_of(args, "saved_query_language"))
    if query:
        yield "opens with", f"{query}  ({language})" if language else query
    for each in objects(raw_of(args, "saved_filter_values")):
        yield "opens with", text(raw_of(view_of(SavedFilterValue, each), "condition"))


def _container(values: Mapping[str, Any]) -> Box:
    view = view_of(DashboardContainer, values)
    tabs = [view_of(DashboardContainerTab, each) for each in objects(raw_of(view, "tabs"))]
    notes = ["collapsed at first"] if raw_of(view, "collapsed") is True else []
    if raw_of(view, "bordered") is False:
        notes.append("without a border")
    return Box(
        text(raw_of(view, "id")),
        text(raw_of(view, "title")) or text(raw_of(view, "id")),
        {text(raw_of(tab, "id")): text(raw_of(tab, "title")) for tab in tabs},
        tuple(notes),
    )
