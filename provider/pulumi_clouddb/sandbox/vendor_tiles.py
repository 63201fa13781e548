"""Tiles as the vendor's servers keep them: what they drop of a request, and what they add to an answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pulumi_clouddb.models.base import wire_names
from pulumi_clouddb.models.tile import SERIES, SeriesDisplayType, SeriesType
from pulumi_clouddb.models.tile_config import TileConfig
from pulumi_clouddb.models.tile_config_fields import (
    HEATMAP_VALUE,
    RAW_SQL,
    TEXT_SELECTED,
    ConfigType,
    DisplayType,
    fields_of_config,
)
from pulumi_clouddb.models.tile_parts import LEVELS, AggFn, SelectItem

from .bodies import known_of
from .store import Document

Tile = Mapping[str, Any]

_PLACE = ("id", "x", "y", "w", "h", "name")
_IN_CONTAINER = ("containerId", "tabId")
_ROWS = {"where": "", "whereLanguage": "lucene"}
_OVER_TIME = (DisplayType.LINE, DisplayType.STACKED_BAR)
_WITH_RATIO = (*_OVER_TIME, DisplayType.TABLE)
_OF_HEATMAP = HEATMAP_VALUE - {"valueExpression"}
_SELECTED = frozenset(wire_names(SelectItem))


def taken(tile: Any) -> Any:
    """Return a tile of a request without what the servers drop: names that its kind does not have."""
    if not isinstance(tile, dict):
        return tile
    kept = dict(tile)
    if isinstance(kept.get("config"), dict):
        kept["config"] = _taken_config(kept["config"])
    if isinstance(kept.get("series"), list):
        kept["series"] = [_taken_series(each) for each in kept["series"]]
    return kept


def _taken_config(config: Document) -> Document:
    display, is_sql = config.get("displayType"), config.get("configType") == ConfigType.SQL
    names = fields_of_config(display, config.get("configType")) if isinstance(display, str) else None
    if names is None:
        return config
    kind = {"displayType", "configType"} if is_sql else {"displayType"}
    kept: Document = known_of(TileConfig, {name: value for name, value in config.items() if name in names | kind})
    if isinstance(kept.get("select"), list):
        of_value = HEATMAP_VALUE if display == DisplayType.HEATMAP else _SELECTED - _OF_HEATMAP
        kept["select"] = [_only(each, of_value) for each in kept["select"]]
    return kept


def _taken_series(series: Any) -> Any:
    names = SERIES.get(str(series.get("type"))) if isinstance(series, dict) else None
    return _only(series, names) if names else series


def _only(value: Any, names: frozenset[str]) -> Any:
    return {name: item for name, item in value.items() if name in names} if isinstance(value, dict) else value


def answered(tile: Tile) -> Document:
    """Return a tile as the servers answer it: always with config, and with their defaults."""
    config = tile.get("config")
    shown = {name: tile[name] for name in (*_PLACE, *_IN_CONTAINER) if name in tile}
    if not isinstance(config, Mapping):
        config = _of_series(tile.get("series") or [{"type": SeriesType.TIME.value}], bool(tile.get("asRatio")))
    return {"name": "", **shown, "config": _config(config)}


def _config(config: Mapping[str, Any]) -> Document:
    kind = config.get("displayType")
    filled = {name: value for name, value in config.items() if value not in (None, [])}
    if config.get("configType") == ConfigType.SQL:
        return {**({"fillNulls": True} if kind in _OVER_TIME else {}), **filled} if kind in RAW_SQL else filled
    if kind in TEXT_SELECTED:
        return {"select": "", **_ROWS, **filled}
    if kind == DisplayType.MARKDOWN:
        return {"markdown": "", **filled}
    if kind == DisplayType.HEATMAP:
        return {**_ROWS, **filled}
    select = [_select_item(each) for each in config.get("select") or () if isinstance(each, Mapping)]
    filled["select"] = select if kind != DisplayType.NUMBER or config.get("formulas") else select[:1]
    if kind in _WITH_RATIO:
        filled["asRatio"] = bool(config.get("asRatio")) and len(select) == 2
    if kind in _OVER_TIME:
        filled["fillNulls"] = config.get("fillNulls") is not False
    if not config.get("formulas"):
        filled.pop("showOperandSeries", None)
    return filled


def _select_item(item: Mapping[str, Any]) -> Document:
    """Return a selected value with its defaults; a level is shown of quantiles, and of those that are known."""
    shown = {"valueExpression": "", **_ROWS, **{name: value for name, value in item.items() if value is not None}}
    if item.get("aggFn") != AggFn.QUANTILE or item.get("level") not in LEVELS:
        shown.pop("level", None)
    if item.get("aggFn") == AggFn.COUNT and item.get("valueExpression"):
        del shown["valueExpression"]
    return shown


def _of_series(series: list[Any], as_ratio: bool) -> Document:
    """Turn series into a config; it loses what that has no place for."""
    first = series[0]
    kind = first.get("type")
    if kind == SeriesType.MARKDOWN:
        return {"displayType": DisplayType.MARKDOWN.value, "markdown": first.get("content", "")}
    if kind == SeriesType.SEARCH:
        rows = {name: first[name] for name in _ROWS if name in first}
        source = {"sourceId": first.get("sourceId", ""), "select": ", ".join(first.get("fields", ()))}
        return {"displayType": DisplayType.SEARCH.value, **source, **rows}
    display = {SeriesType.TABLE: DisplayType.TABLE, SeriesType.NUMBER: DisplayType.NUMBER}.get(kind, DisplayType.LINE)
    if display == DisplayType.LINE and first.get("displayType") == SeriesDisplayType.STACKED_BAR:
        display = DisplayType.STACKED_BAR
    config: Document = {"displayType": display.value, "sourceId": first.get("sourceId", "")}
    config["select"] = [_selected_of(each) for each in (series[:1] if kind == SeriesType.NUMBER else series)]
    if first.get("groupBy") and kind != SeriesType.NUMBER:
        config["groupBy"] = ",".join(first["groupBy"])
    formats = [each["numberFormat"] for each in series if each.get("numberFormat")]
    if formats:
        config["numberFormat"] = formats[0]
    return {**config, "asRatio": as_ratio} if display in _WITH_RATIO else config


def _selected_of(series: Mapping[str, Any]) -> Document:
    names = {
        "aggFn": "aggFn",
        "field": "valueExpression",
        "where": "where",
        "whereLanguage": "whereLanguage",
        "alias": "alias",
        "level": "level",
        "metricDataType": "metricType",
        "metricName": "metricName",
    }
    return {ours: series[theirs] for theirs, ours in names.items() if series.get(theirs)}
