"""The parts of a dashboard as an update of the vendor's servers has them: the program's, with what the server adds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from pulumi_clouddb.resource.state import State
from pulumi_clouddb.schema.convert import to_wire
from pulumi_clouddb.schema.names import ID, NAME, property_name, property_names
from pulumi_clouddb.schema.observability import SearchLanguage
from pulumi_clouddb.schema.values import Path, WireDict, WireValues
from pulumi_clouddb.schema.view import view_of

from .dashboard import Dashboard
from .fields import DashboardContainer, DashboardFilter
from .server_form import CONFIG, CONTENTS, SERIES_OF_TILE, objects
from .tile import SERIES, Series, SeriesType, Tile, key_of
from .tile_config_fields import WITH_ALERTS, DisplayType, TileConfigFields

NEW_FILTER = "new"
"""Sent as the id of a filter that the server does not have yet: it gives it another one."""

DISPLAY_TYPE = property_name(TileConfigFields, lambda config: config.display_type)
_CONTAINER, _TAB = property_names(Tile, lambda tile: (tile.container_id, tile.tab_id))
_TYPE, _LANGUAGE = property_names(Series, lambda series: (series.type, series.where_language))
_TABS = property_name(DashboardContainer, lambda container: container.tabs)
_VARIABLE, _SOURCES = property_names(DashboardFilter, lambda item: (item.variable_name, item.applies_to_source_ids))
_QUERY, _QUERY_LANGUAGE = property_names(Dashboard, lambda board: (board.saved_query, board.saved_query_language))

Key = Callable[[WireValues], object]


def sent_filters(ours: Iterable[WireValues], held: object, before: object) -> list[WireDict]:
    """Return filters as an update sends them, with the ids that the server has given them."""
    sent, ours = [], list(ours)
    for item in _with_unsaid(ours, held, before, _key_of_filters(ours, objects(held))):
        seen = view_of(DashboardFilter, item)
        gone = set() if seen.is_variable_enabled else {_VARIABLE}
        gone |= {_SOURCES} if seen.is_broadcast_enabled is False else set()
        sent.append({ID: NEW_FILTER, **_but(item, gone)})
    return sent


def sent_containers(ours: Iterable[WireValues], held: object, before: object) -> list[WireDict]:
    """Return containers as an update sends them."""
    return list(_with_unsaid(ours, held, before, _own_id))


def sent_tiles(
    ours: Iterable[WireValues], held: Iterable[WireValues], old: State[Dashboard, Dashboard], containers: object
) -> list[WireDict]:
    """Return tiles as an update sends them, with what the server alone knows of them, such as their containers.

    What a tile shows is the program's, in either form.
    """
    keys = {tile_id: key for key, tile_id in (old.actual.tile_ids or {}).items()}
    said = {key_of(tile): set(to_wire(tile)) for tile in old.wanted.tiles or ()}
    theirs = {str(tile.get(ID)): tile for tile in held}
    sent = []
    for tile in ours:
        tile_id = str(tile.get(ID))
        known = _but(theirs.get(tile_id, {}), CONTENTS | said.get(keys.get(tile_id), set()))
        sent.append({**_in_place(known, tile, containers), **tile})
    return sent


def _in_place(known: WireDict, sent: WireValues, containers: object) -> WireDict:
    """Return what the server knows of a tile, without a container or a tab that goes."""
    tabs = {_own_id(each): set(map(_own_id, objects(each.get(_TABS)))) for each in objects(containers)}
    container = sent.get(_CONTAINER, known.get(_CONTAINER))
    gone = set() if container in tabs else {_CONTAINER, _TAB}
    gone |= set() if known.get(_TAB) in tabs.get(container, ()) else {_TAB}
    return _but(known, gone)


def _name_and_expression(item: WireValues) -> tuple[object, ...]:
    seen = view_of(DashboardFilter, item)
    return seen.name, seen.expression


def _name_expression_and_source(item: WireValues) -> tuple[object, ...]:
    return (*_name_and_expression(item), view_of(DashboardFilter, item).source_id)


def _key_of_filters(*several: Iterable[WireValues]) -> Key:
    """Return what the filters of some lists are known by; their ids are the server's."""
    for filters in several:
        known = [_name_and_expression(each) for each in filters]
        if len(set(known)) < len(known):
            return _name_expression_and_source
    return _name_and_expression


def _own_id(item: WireValues) -> object:
    return item.get(ID)


def _with_unsaid(ours: Iterable[WireValues], held: object, before: object, key: Key) -> Iterator[WireDict]:
    """Yield each object with what the server holds of it and the program neither says nor has said."""
    theirs = {key(each): each for each in objects(held)}
    said = {key(each): each for each in objects(before)}
    for item in ours:
        yield {**_but(theirs.get(key(item), {}), said.get(key(item), {})), **_but(item, ())}


def _but(values: WireValues, names: Iterable[str]) -> WireDict:
    """Return an object without some properties, and without those that are null."""
    left_out = set(names)
    return {name: value for name, value in values.items() if name not in left_out and value is not None}


def with_language(tile: WireDict) -> WireDict:
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


def of_language(body: WireDict) -> WireDict:
    """Return a body whose query keeps a language: the server refuses a query that has none, and knows the usual one."""
    clears = body.get(_QUERY) is not None and body.get(_QUERY_LANGUAGE, "") is None
    return {name: value for name, value in body.items() if not (clears and name == _QUERY_LANGUAGE)}


def keeps_alerts(tile: WireValues) -> bool:
    """Return whether the alerts of a tile survive an update, as far as its kind says it."""
    config, series = tile.get(CONFIG), tile.get(SERIES_OF_TILE)
    if isinstance(config, Mapping):
        return config.get(DISPLAY_TYPE) in (None, *WITH_ALERTS)
    first = series[0] if isinstance(series, list) and series else {}
    return not isinstance(first, Mapping) or first.get(_TYPE) in (None, SeriesType.TIME, SeriesType.NUMBER)


def losing_alerts(held: Iterable[WireValues], sent: Iterable[WireValues]) -> dict[str, object]:
    """Return the names of the tiles, by their ids, whose alerts an update deletes."""
    kept = {str(tile.get(ID)) for tile in sent if keeps_alerts(tile)}
    return {str(tile.get(ID)): tile.get(NAME) for tile in held if str(tile.get(ID)) not in kept}


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
        yield from ((*path, index) for index in range(len(answered), len(sent)))
        for index, (value, theirs) in enumerate(zip(sent, answered, strict=False)):
            yield from dropped(value, theirs, (*path, index))


def without(value: Any, path: Path) -> Any:
    """Return a value without what is at a path."""
    first, *rest = path
    inner = {first: without(value[first], tuple(rest))} if rest else {}
    if isinstance(value, Mapping):
        return {name: inner.get(name, item) for name, item in value.items() if rest or name != first}
    return [inner.get(index, item) for index, item in enumerate(value) if rest or index != first]
