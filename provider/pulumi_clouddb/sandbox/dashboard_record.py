"""The record of a dashboard: ids of tiles, the defaults that servers add, and the newer form of a tile."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .state import SandboxState
from .store import Document

WATCHABLE = ("time", "number", "line", "stacked_bar")
"""Kinds of tiles whose alerts survive an update of the dashboard."""

_DISPLAY_TYPES = {"time": "line"}
_WITH_RATIO = ("line", "stacked_bar", "table")


def record_of(
    state: SandboxState, id_: str, body: Mapping[str, Any], known_tiles: Iterable[str] = (), tags: Iterable[str] = ()
) -> Document:
    """Return the record that a body makes.

    Args:
        state: The sandbox; its setting `quirks` adds defaults and takes doubles out of the tags.
        id_: Id of the dashboard.
        body: The checked body of a create or update.
        known_tiles: Ids of tiles that the dashboard has; a tile keeps its id only when it is one of these.
        tags: Tags where the body holds none.
    """
    quirks = state.settings.quirks
    known = set(known_tiles)
    tiles = []
    for tile in body["tiles"]:
        tile_id = tile.get("id") if tile.get("id") in known else state.ids.object_id()
        content = _with_defaults(tile) if quirks else tile
        tiles.append({"id": tile_id, **{name: value for name, value in content.items() if name != "id"}})
    labels = list(body.get("tags", tags))
    return {**body, "id": id_, "tags": list(dict.fromkeys(labels)) if quirks else labels, "tiles": tiles}


def kind_of(tile: Mapping[str, Any]) -> str | None:
    """Return what kind of tile it is, as far as it says so."""
    if isinstance(config := tile.get("config"), dict):
        return config.get("displayType")
    series = tile.get("series") or [{}]
    kind: str | None = series[0].get("type")
    return kind


def _with_defaults(tile: Mapping[str, Any]) -> dict[str, Any]:
    if "config" in tile:
        return {**tile, "config": _config_with_defaults(tile["config"])}
    series = [{"where": "", "whereLanguage": "lucene", **item} for item in tile.get("series", [])]
    return {"asRatio": False, **tile, "series": series}


def _config_with_defaults(config: Mapping[str, Any]) -> dict[str, Any]:
    filled = dict(config)
    if isinstance(config.get("select"), list):
        usual = {"valueExpression": "", "where": "", "whereLanguage": "lucene"}
        filled["select"] = [{**usual, **item} if isinstance(item, dict) else item for item in config["select"]]
    if config.get("displayType") in _WITH_RATIO:
        filled.setdefault("asRatio", False)
    return filled


def with_config(document: Document) -> Document:
    """Return the dashboard as newer servers answer it: tiles with `config`, never with `series`."""
    return {**document, "tiles": [_newer(tile) for tile in document["tiles"]]}


def _newer(tile: Mapping[str, Any]) -> dict[str, Any]:
    if "config" in tile:
        return dict(tile)
    place = {name: value for name, value in tile.items() if name not in ("series", "asRatio")}
    return {**place, "config": _config(tile.get("series") or [{}], tile.get("asRatio", False))}


def _config(series: list[dict[str, Any]], as_ratio: bool) -> dict[str, Any]:
    """Turn series into a config. It loses what the newer form has no place for, as the vendor's servers do."""
    first = series[0]
    kind = first.get("type", "time")
    config: dict[str, Any] = {"displayType": _DISPLAY_TYPES.get(kind, kind), "sourceId": first.get("sourceId", "")}
    if kind == "markdown":
        return {"displayType": kind, "markdown": first.get("field", "")}
    if kind == "search":
        where = {"where": first.get("where", ""), "whereLanguage": first.get("whereLanguage", "lucene")}
        return {**config, "select": first.get("field", ""), **where}
    config["select"] = [_select_item(item) for item in series]
    if first.get("groupBy"):
        config["groupBy"] = ",".join(first["groupBy"])
    if config["displayType"] in _WITH_RATIO:
        config["asRatio"] = as_ratio
    return config


def _select_item(series: Mapping[str, Any]) -> dict[str, Any]:
    item = {
        "aggFn": series.get("aggFn", "count"),
        "valueExpression": series.get("field", ""),
        "where": series.get("where", ""),
        "whereLanguage": series.get("whereLanguage", "lucene"),
    }
    for theirs, ours in (("metricType", "metricDataType"), ("metricName", "metricName")):
        if ours in series:
            item[theirs] = series[ours]
    return item
