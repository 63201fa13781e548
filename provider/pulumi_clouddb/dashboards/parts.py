"""The parts of a dashboard that a replacement is made of: what the program says, with what only the server knows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from pulumi_clouddb.schema.names import ID, property_name, property_names
from pulumi_clouddb.schema.observability import SearchLanguage
from pulumi_clouddb.schema.values import Path, WireDict, WireValues
from pulumi_clouddb.schema.view import view_of

from .dashboard import Dashboard
from .fields import DashboardContainer, DashboardFilter
from .tile import SERIES, Series, SeriesType, Tile
from .tile_config_fields import WITH_ALERTS, DisplayType, TileConfigFields

NEW_FILTER = "new"
"""Sent as the id of a filter that the server does not have yet: it gives it another one."""

TILES, FILTERS, CONTAINERS = property_names(Dashboard, lambda board: (board.tiles, board.filters, board.containers))
CONFIG, SERIES_OF_TILE, AS_RATIO = property_names(Tile, lambda tile: (tile.config, tile.series, tile.as_ratio))
DISPLAY_TYPE = property_name(TileConfigFields, lambda config: config.display_type)
TILE_NAME, _CONTAINER, _TAB = property_names(Tile, lambda tile: (tile.name, tile.container_id, tile.tab_id))
_TYPE, _LANGUAGE = property_names(Series, lambda series: (series.type, series.where_language))
_TABS = property_name(DashboardContainer, lambda container: container.tabs)
_VARIABLE, _SOURCES = property_names(DashboardFilter, lambda item: (item.variable_name, item.applies_to_source_ids))
_QUERY, _QUERY_LANGUAGE = property_names(Dashboard, lambda board: (board.saved_query, board.saved_query_language))

Key = Callable[[WireValues], object]


def _name_and_expression(item: WireValues) -> tuple[object, ...]:
    seen = view_of(DashboardFilter, item)
    return seen.name, seen.expression


def _name_expression_and_source(item: WireValues) -> tuple[object, ...]:
    return (*_name_and_expression(item), view_of(DashboardFilter, item).source_id)


def _key_of_filters(*several: object) -> Key:
    """Return what the filters of some lists are known by; their ids are the server's."""
    for filters in several:
        known = [_name_and_expression(each) for each in _objects(filters)]
        if len(set(known)) < len(known):
            return _name_expression_and_source
    return _name_and_expression


def own_id(item: WireValues) -> object:
    """Return what a container is known by."""
    return item.get(ID)


def sent_filters(ours: Iterable[WireValues], held: object, before: object) -> list[WireDict]:
    """Return filters as an update sends them, with the ids that the server has given them."""
    sent, ours = [], list(ours)
    for item in _with_unsaid(ours, held, before, _key_of_filters(ours, held)):
        seen = view_of(DashboardFilter, item)
        gone = set() if seen.is_variable_enabled else {_VARIABLE}
        gone |= {_SOURCES} if seen.is_broadcast_enabled is False else set()
        sent.append({ID: NEW_FILTER, **{name: value for name, value in item.items() if name not in gone}})
    return sent


def sent_containers(ours: Iterable[WireValues], held: object, before: object) -> list[WireDict]:
    """Return containers as an update sends them."""
    return list(_with_unsaid(ours, held, before, own_id))


def _with_unsaid(ours: Iterable[WireValues], held: object, before: object, key: Key) -> Iterator[WireDict]:
    """Yield each object with what the server holds of it and the program neither says nor has said."""
    theirs = {key(each): each for each in _objects(held)}
    said = {key(each): each for each in _objects(before)}
    for item in ours:
        given = {name: value for name, value in item.items() if value is not None}
        names = {*given, *said.get(key(item), {})}
        known = theirs.get(key(item), {})
        yield {**{name: value for name, value in known.items() if name not in names and value is not None}, **given}


def _objects(values: Any) -> list[WireValues]:
    return [each for each in values or () if isinstance(each, Mapping)]


def unsaid_of_tile(known: WireValues, sent: WireValues, containers: object) -> WireDict:
    """Return what the server holds of a tile and the program does not say, but for containers and tabs that go."""
    tabs = {own_id(each): set(map(own_id, _objects(each.get(_TABS)))) for each in _objects(containers)}
    container = sent.get(_CONTAINER, known.get(_CONTAINER))
    gone = set() if container in tabs else {_CONTAINER, _TAB}
    gone |= set() if known.get(_TAB) in tabs.get(container, ()) else {_TAB}
    return {name: value for name, value in known.items() if name not in gone}


def with_languages(tile: WireDict) -> WireDict:
    """Return a tile whose conditions say their language.

    The vendor's API asks for it in series and in searches; where it is left out, its servers take this one.
    """
    usual = {_LANGUAGE: SearchLanguage.LUCENE.value}
    config, series = tile.get(CONFIG), tile.get(SERIES_OF_TILE)
    if isinstance(config, Mapping) and config.get(DISPLAY_TYPE) == DisplayType.SEARCH:
        tile = {**tile, CONFIG: {**usual, **config}}
    if isinstance(series, list):
        told = [{**usual, **each} if _LANGUAGE in SERIES.get(each.get(_TYPE), ()) else each for each in series]
        tile = {**tile, SERIES_OF_TILE: told}
    return tile


def keeps_alerts(tile: WireValues) -> bool:
    """Return whether the alerts of a tile survive an update, as far as its kind says it."""
    config, series = tile.get(CONFIG), tile.get(SERIES_OF_TILE)
    if isinstance(config, Mapping):
        return config.get(DISPLAY_TYPE) in (None, *WITH_ALERTS)
    first = series[0] if isinstance(series, list) and series else {}
    return not isinstance(first, Mapping) or first.get(_TYPE) in (None, SeriesType.TIME, SeriesType.NUMBER)


def losing_alerts(held: Iterable[WireValues], sent: Iterable[WireValues]) -> dict[str, object]:
    """Return the names of the tiles, by their ids, whose alerts an update deletes."""
    kept = {str(tile.get(ID)): tile for tile in sent if tile.get(ID)}
    return {
        tile_id: tile.get(TILE_NAME)
        for tile in held
        if (tile_id := str(tile.get(ID))) not in kept or not keeps_alerts(kept[tile_id])
    }


def dropped(sent: object, answered: object, path: Path = ()) -> Iterator[Path]:
    """Yield the path of each value that was sent and is not in the answer; empty ones may be left out of it."""
    if isinstance(sent, Mapping) and isinstance(answered, Mapping):
        for name, value in sent.items():
            if name not in answered:
                if value not in (None, "", [], {}, False):
                    yield (*path, name)
            else:
                yield from dropped(value, answered[name], (*path, name))
    elif isinstance(sent, list) and isinstance(answered, list):
        for index, value in enumerate(sent):
            if index >= len(answered):
                yield (*path, index)
            else:
                yield from dropped(value, answered[index], (*path, index))


def without(value: Any, path: Path) -> Any:
    """Return a value without what is at a path."""
    first, *rest = path
    if rest:
        inner = without(value[first], tuple(rest))
        return {**value, first: inner} if isinstance(value, Mapping) else [*value[:first], inner, *value[first + 1 :]]  # type: ignore[operator]
    if isinstance(value, Mapping):
        return {name: item for name, item in value.items() if name != first}
    return [item for index, item in enumerate(value) if index != first]


def without_ids(filters: object) -> object:
    """Return filters without the ids that the server has given them, as programs say them."""
    if not isinstance(filters, list):
        return filters
    return [{name: value for name, value in each.items() if name != ID} for each in _objects(filters)]


def of_language(body: WireDict) -> WireDict:
    """Return a body whose query keeps a language: the server refuses a query that has none, and knows the usual one."""
    if body.get(_QUERY) is not None and body.get(_QUERY_LANGUAGE, "") is None:
        return {name: value for name, value in body.items() if name != _QUERY_LANGUAGE}
    return body
