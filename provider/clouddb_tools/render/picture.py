"""The content of a picture: a dashboard with its tiles and their alerts, with all values as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pulumi_clouddb.engine.wire.messages import NOT_YET, shown
from pulumi_clouddb.schema.base import wire_names
from pulumi_clouddb.schema.matching import tile_key
from pulumi_clouddb.schema.names import property_name
from pulumi_clouddb.schema.thing import inputs_of
from pulumi_clouddb.schema.view import raw_of, view_of
from pulumi_clouddb.things.alerts.alert import Alert
from pulumi_clouddb.things.alerts.parts import RANGES, ThresholdType, same_channel
from pulumi_clouddb.things.dashboards.dashboard import Dashboard
from pulumi_clouddb.things.dashboards.parts import (
    DashboardContainer,
    DashboardContainerTab,
    DashboardFilter,
    SavedFilterValue,
    is_variable,
    variable_of,
)
from pulumi_clouddb.things.dashboards.tile import Series, SeriesDisplayType, SeriesType, Tile
from pulumi_clouddb.things.dashboards.tile_config import TileConfig
from pulumi_clouddb.things.dashboards.tile_config_fields import ConfigType, DisplayType

from .words import (
    PLACEHOLDER,
    RATIO,
    Fact,
    condition_symbols,
    condition_words,
    config_facts,
    number_words,
    objects,
    series_facts,
    table_heads,
    text,
    texts,
)

_TILES = property_name(Dashboard, lambda board: board.tiles)
_OWN_PROPERTIES = tuple(name for name in wire_names(inputs_of(Dashboard)) if name != _TILES)
"""The inputs of a dashboard except its tiles."""


@dataclass(frozen=True)
class AlertMark:
    """An alert on a tile.

    Attributes:
        name: Its name, or that of its resource.
        condition: Its condition, such as `at or above 100`.
        symbols: The condition in symbols, such as `≥ 100`; empty if the type is unknown.
        interval: Its interval.
        channels: Its channels.
        type: How the value is compared; None if the type is unknown.
        threshold: The bound; None if it is unknown.
        upper: The upper bound of a range; None if there is none, or it is unknown.
    """

    name: str
    condition: str
    symbols: str
    interval: str
    channels: tuple[str, ...]
    type: ThresholdType | None
    threshold: float | None
    upper: float | None

    @property
    def bounds(self) -> frozenset[float]:
        """The known bounds; each is drawn as a line."""
        return frozenset(bound for bound in (self.threshold, self.upper) if bound is not None)

    @property
    def label(self) -> str:
        """The condition and the interval."""
        return f"{self.condition}, every {self.interval}" if self.interval else self.condition


@dataclass(frozen=True)
class TileContent:
    """The display type and the query of a tile.

    Attributes:
        display: The display type.
        source: The names of its data sources, or of its connection.
        facts: Its query and display settings.
        columns: The columns of a table or search.
        number: A number in the tile's format.
        markdown: The text of a Markdown tile.
    """

    display: str
    source: str
    facts: tuple[Fact, ...]
    columns: tuple[str, ...]
    number: str
    markdown: str

    @property
    def shape(self) -> DisplayType | None:
        """The display type; None if it is unknown."""
        return next((each for each in DisplayType if each == self.display), None)

    @property
    def summary(self) -> str:
        """The display type and the source."""
        kind = self.display.replace("_", " ")
        return f"{kind} · {self.source}" if self.source else kind


@dataclass(frozen=True)
class TilePicture(TileContent):
    """A tile.

    Attributes:
        key: Its key.
        name: Its name.
        place: Column, row, width and height; None if unknown.
        container: The id of its container; empty if it is in none.
        tab: The id of its tab; empty if it is in none.
        alerts: The alerts on it.
        values: Its properties by wire name.
    """

    key: str
    name: str
    place: tuple[float | None, float | None, float | None, float | None]
    container: str
    tab: str
    alerts: tuple[AlertMark, ...]
    values: Mapping[str, Any]


@dataclass(frozen=True)
class Container:
    """A container of tiles.

    Attributes:
        id: Its id.
        title: Its title.
        tabs: The titles of its tabs by id.
        notes: Its other settings.
    """

    id: str
    title: str
    tabs: Mapping[str, str]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Picture:
    """A dashboard.

    Attributes:
        resource: The name of its resource, or its id if it has none.
        name: Its name.
        tags: Its tags.
        filters: Its filters.
        opens_with: The query and the filter values that it opens with.
        containers: Its containers.
        tiles: Its tiles.
        unplaced: Its alerts whose tile is unknown.
        values: Its properties by wire name, without the tiles.
        notes: Notes below the tiles.
    """

    resource: str
    name: str
    tags: tuple[str, ...] = ()
    filters: tuple[Fact, ...] = ()
    opens_with: tuple[Fact, ...] = ()
    containers: tuple[Container, ...] = ()
    tiles: tuple[TilePicture, ...] = ()
    unplaced: tuple[AlertMark, ...] = ()
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
        resource: The name of its resource.
        dashboard: Its properties by wire name; values can be unknown or secret.
        alerts: Its alerts by the key of their tile; those whose tile is unknown by an empty key.
        sources: The names of data sources and connections by id.
    """
    values = shown(dashboard)
    view = view_of(Dashboard, values)
    given = raw_of(view, "tiles")
    keys = [text(tile_key(each)) or f"tile {index}" for index, each in enumerate(objects(given))]
    own_keys = [_numbered(key, keys[:index]) for index, key in enumerate(keys)]
    tiles = tuple(
        _tile(own_key, each, alerts.get(key, ()), sources)
        for own_key, key, each in zip(own_keys, keys, objects(given), strict=True)
    )
    return Picture(
        resource=resource,
        name=text(raw_of(view, "name")) or resource,
        tags=texts(raw_of(view, "tags")),
        filters=tuple(_filter(each, sources) for each in objects(raw_of(view, "filters"))),
        opens_with=tuple(_opens_with(view)),
        containers=tuple(_container(each) for each in objects(raw_of(view, "containers"))),
        tiles=tiles,
        unplaced=tuple(mark for key, marks in alerts.items() if key not in keys for mark in marks),
        values={name: values[name] for name in _OWN_PROPERTIES if name in values},
        notes=() if isinstance(given, list) else (f"Tiles: {text(given) or 'none'}",),
    )


def _filter(values: Mapping[str, Any], sources: Mapping[str, str]) -> Fact:
    view = view_of(DashboardFilter, values)
    words = [text(raw_of(view, "expression")) or text(raw_of(view, "label")) or _texts(raw_of(view, "options"))]
    if source := _source_name(raw_of(view, "source_id"), sources):
        words.append(f"of {source}")
    if is_variable(view):
        words.append(f"as ${variable_of(view)}")
    return text(raw_of(view, "name")), " ".join(words)


def _texts(values: object) -> str:
    return ", ".join(map(text, values)) if isinstance(values, list) else text(values)


def _opens_with(dashboard: Dashboard) -> Iterator[Fact]:
    query, language = text(raw_of(dashboard, "saved_query")), text(raw_of(dashboard, "saved_query_language"))
    if query:
        yield "opens with", f"{query}  ({language})" if language else query
    for each in objects(raw_of(dashboard, "saved_filter_values")):
        view = view_of(SavedFilterValue, each)
        variable = f"${text(raw_of(view, 'name'))} = {_texts(raw_of(view, 'values'))}"
        yield "opens with", variable if raw_of(view, "name") else text(raw_of(view, "condition"))


def _container(values: Mapping[str, Any]) -> Container:
    view = view_of(DashboardContainer, values)
    tabs = [view_of(DashboardContainerTab, each) for each in objects(raw_of(view, "tabs"))]
    notes = ["collapsed at first"] if raw_of(view, "collapsed") is True else []
    if raw_of(view, "bordered") is False:
        notes.append("without a border")
    return Container(
        text(raw_of(view, "id")),
        text(raw_of(view, "title")) or text(raw_of(view, "id")),
        {text(raw_of(tab, "id")): text(raw_of(tab, "title")) for tab in tabs},
        tuple(notes),
    )


# -- alerts ------------------------------------------------------------------------------------------------------------


def alert_mark(name: str, values: Mapping[str, Any]) -> AlertMark:
    """Return an alert with values as text; `name` is that of its resource."""
    view = view_of(Alert, shown(values))
    given = text(raw_of(view, "threshold_type"))
    kind = next((each for each in ThresholdType if each == given), None)
    channels = list(objects(raw_of(view, "channels"))) or list(objects([raw_of(view, "channel")]))
    return AlertMark(
        name=text(raw_of(view, "name")) or name,
        condition=condition_words(view),
        symbols=condition_symbols(kind, view),
        interval=text(raw_of(view, "interval")),
        channels=tuple(" ".join(", ".join(texts(part)) for part in same_channel(each).values()) for each in channels),
        type=kind,
        threshold=_number(raw_of(view, "threshold")),
        upper=_number(raw_of(view, "threshold_max")) if kind in RANGES else None,
    )


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


# -- tiles -------------------------------------------------------------------------------------------------------------


def _numbered(key: str, before: Sequence[str]) -> str:
    """Return a unique key: several tiles without a key can have unknown names, or the same one on a server."""
    return f"{key} #{before.count(key) + 1}" if key in before else key


def _tile(key: str, values: Mapping[str, Any], alerts: Sequence[AlertMark], sources: Mapping[str, str]) -> TilePicture:
    tile = view_of(Tile, values)
    config = raw_of(tile, "config")
    if isinstance(config, Mapping):
        content = _config_content(view_of(TileConfig, config), sources)
    else:
        content = _series_content(tile, sources)
    x, y, w, h = (_number(raw_of(tile, side)) for side in ("x", "y", "w", "h"))
    return TilePicture(
        **vars(content),
        key=key,
        name=text(raw_of(tile, "name")) or key,
        place=(x, y, w, h),
        container=text(raw_of(tile, "container_id")),
        tab=text(raw_of(tile, "tab_id")),
        alerts=tuple(alerts),
        values=values,
    )


def _config_content(config: TileConfig, sources: Mapping[str, str]) -> TileContent:
    if raw_of(config, "config_type") == ConfigType.SQL:
        source = f"raw SQL on connection {_source_name(raw_of(config, 'connection_id'), sources)}".strip()
    else:
        source = _source_name(raw_of(config, "source_id"), sources)
    facts = tuple(config_facts(config))
    names = [part.strip() for part in ",".join(_texts_of(facts, "columns")).split(",") if part.strip()]
    return TileContent(
        display=text(raw_of(config, "display_type")) or NOT_YET,
        source=source,
        facts=_filled(facts),
        columns=tuple(names or table_heads(config)),
        number=number_words(raw_of(config, "number_format")),
        markdown=text(raw_of(config, "markdown")),
    )


def _series_content(tile: Tile, sources: Mapping[str, str]) -> TileContent:
    """Return the content of a tile with series, the older form of tiles."""
    series = [view_of(Series, each) for each in objects(raw_of(tile, "series"))]
    if not series:
        return TileContent(NOT_YET, "", facts=(), columns=(), number=PLACEHOLDER, markdown="")
    first = series[0]
    display = text(raw_of(first, "type"))
    if display == SeriesType.TIME:
        display = text(raw_of(first, "display_type")) or SeriesDisplayType.LINE.value
    names = [_source_name(raw_of(each, "source_id") or raw_of(each, "data_source"), sources) for each in series]
    facts = [fact for each in series for fact in series_facts(each)]
    if raw_of(tile, "as_ratio") is True:
        facts.append(RATIO)
    return TileContent(
        display=display or NOT_YET,
        source=", ".join(dict.fromkeys(name for name in names if name)),
        facts=_filled(dict.fromkeys(facts)),
        columns=texts(raw_of(first, "fields")) or (*_texts_of(facts, "value"), *texts(raw_of(first, "group_by"))),
        number=number_words(raw_of(first, "number_format")),
        markdown=text(raw_of(first, "content")),
    )


def _texts_of(facts: Iterable[Fact], *labels: str) -> tuple[str, ...]:
    return tuple(words for label, words in facts if label in labels)


def _filled(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """Return the facts that have a text."""
    return tuple(fact for fact in facts if fact[1])


def _source_name(object_id: Any, sources: Mapping[str, str]) -> str:
    """Return the name of a data source or connection, or its id if the name is unknown."""
    return sources.get(text(object_id)) or text(object_id)
