"""The parts of a dashboard that a replacement is made of: what the program says, with what only the server knows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from pulumi_clouddb.models.base import wire_name
from pulumi_clouddb.models.saved_search import SearchLanguage
from pulumi_clouddb.models.tile import SERIES, Series
from pulumi_clouddb.models.tile_config_fields import WITH_ALERTS, DisplayType
from pulumi_clouddb.models.values import Path, WireDict, WireValues

NEW_FILTER = "new"
"""Sent as the id of a filter that the server does not have yet: it gives it another one."""

_LANGUAGE = wire_name(Series, "where_language")

Key = Callable[[WireValues], Any]


def name_and_expression(item: WireValues) -> tuple[Any, Any]:
    """Return what a filter is known by; its id is the server's."""
    return item.get("name"), item.get("expression")


def own_id(item: WireValues) -> Any:
    """Return what a container is known by."""
    return item.get("id")


def sent_filters(ours: Iterable[WireValues], held: Any, before: Any) -> list[WireDict]:
    """Return filters as an update sends them, with the ids that the server has given them."""
    sent = []
    for item in _with_unsaid(ours, held, before, name_and_expression):
        gone = {"variableName"} if not item.get("isVariableEnabled") else set()
        gone |= {"appliesToSourceIds"} if item.get("isBroadcastEnabled") is False else set()
        sent.append({"id": NEW_FILTER, **{name: value for name, value in item.items() if name not in gone}})
    return sent


def sent_containers(ours: Iterable[WireValues], held: Any, before: Any) -> list[WireDict]:
    """Return containers as an update sends them."""
    return list(_with_unsaid(ours, held, before, own_id))


def _with_unsaid(ours: Iterable[WireValues], held: Any, before: Any, key: Key) -> Iterator[WireDict]:
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


def unsaid_of_tile(known: WireValues, sent: WireValues, containers: Any) -> WireDict:
    """Return what the server holds of a tile and the program does not say, but for containers and tabs that go."""
    tabs = {own_id(each): set(map(own_id, _objects(each.get("tabs")))) for each in _objects(containers)}
    container = sent.get("containerId", known.get("containerId"))
    gone = set() if container in tabs else {"containerId", "tabId"}
    gone |= set() if known.get("tabId") in tabs.get(container, ()) else {"tabId"}
    return {name: value for name, value in known.items() if name not in gone}


def with_languages(tile: WireDict) -> WireDict:
    """Return a tile whose conditions say their language.

    The vendor's API asks for it in series and in searches; where it is left out, its servers take this one.
    """
    usual = {_LANGUAGE: SearchLanguage.LUCENE.value}
    config, series = tile.get("config"), tile.get("series")
    if isinstance(config, Mapping) and config.get("displayType") == DisplayType.SEARCH:
        tile = {**tile, "config": {**usual, **config}}
    if isinstance(series, list):
        told = [{**usual, **each} if _LANGUAGE in SERIES.get(each.get("type"), ()) else each for each in series]
        tile = {**tile, "series": told}
    return tile


def keeps_alerts(tile: WireValues) -> bool:
    """Tell whether the alerts of a tile survive an update, as far as its kind says it."""
    config, series = tile.get("config"), tile.get("series")
    if isinstance(config, Mapping):
        return config.get("displayType") in (None, *WITH_ALERTS)
    first = series[0] if isinstance(series, list) and series else {}
    return not isinstance(first, Mapping) or first.get("type") in (None, "time", "number")


def losing_alerts(held: Iterable[WireValues], sent: Iterable[WireValues]) -> dict[str, Any]:
    """Return the names of the tiles, by their ids, whose alerts an update deletes."""
    kept = {str(tile.get("id")): tile for tile in sent if tile.get("id")}
    return {
        tile_id: tile.get("name")
        for tile in held
        if (tile_id := str(tile.get("id"))) not in kept or not keeps_alerts(kept[tile_id])
    }


def dropped(sent: Any, answered: Any, path: Path = ()) -> Iterator[Path]:
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


def without_ids(filters: Any) -> Any:
    """Return filters without the ids that the server has given them, as programs say them."""
    if not isinstance(filters, list):
        return filters
    return [{name: value for name, value in each.items() if name != "id"} for each in _objects(filters)]


def of_language(body: WireDict) -> WireDict:
    """Return a body whose query keeps a language: the server refuses a query that has none, and knows the usual one."""
    if body.get("savedQuery") is not None and body.get("savedQueryLanguage", "") is None:
        return {name: value for name, value in body.items() if name != "savedQueryLanguage"}
    return body
