"""Dashboards as the vendor's servers take, refuse, keep and answer them, with their tiles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pulumi_clouddb.dashboards.dashboard import MOST_TILES, Dashboard
from pulumi_clouddb.dashboards.fields import DashboardFilter, SavedFilterValue, variable_of
from pulumi_clouddb.dashboards.tile import SERIES, SeriesDisplayType, SeriesType, Tile
from pulumi_clouddb.dashboards.tile_config import TileConfig
from pulumi_clouddb.dashboards.tile_config_fields import (
    HEATMAP_VALUE,
    RAW_SQL,
    TEXT_SELECTED,
    ConfigType,
    DisplayType,
    fields_of_config,
)
from pulumi_clouddb.dashboards.tile_parts import LEVELS, AggFn, SelectItem
from pulumi_clouddb.schema.base import Model, Text, prop, wire_names
from pulumi_clouddb.schema.observability import FilterKind
from pulumi_clouddb.schema.thing import body_of
from pulumi_clouddb.schema.values import whole_numbers
from pulumi_clouddb.schema.vendor import within
from pulumi_clouddb.schema.view import view_of

from .bodies import body_with, known_of
from .store import Document
from .zod import kind_of, refusals, refuse

LONGEST_TILE_ID = 36
PAIR = 2
OF_A_TREE = "sql_ast"
"""A kind of filter value that only the page makes."""

NULLABLE = ("savedQuery", "savedQueryLanguage")


class ServedTile(body_of(Tile)):  # type: ignore[misc]
    """A tile of a request; it may have an id."""

    id: Text | None = prop("Id of the tile, as the server gave it.", max_length=LONGEST_TILE_ID)


class ServedFilter(DashboardFilter):
    """A filter of an update; it has an id."""

    id: Text = prop("Id of the filter, as the server gave it.", required=True)


_TILES = prop("Tiles, in order.", required=True, within=within(of_list=True, max_length=MOST_TILES))
CreateBody = body_with(Dashboard, tiles=(list[ServedTile] | None, _TILES))
UpdateBody = body_with(
    Dashboard, tiles=(list[ServedTile] | None, _TILES), filters=(list[ServedFilter] | None, prop("Filters at the top."))
)
"""The bodies of a create and of an update."""


def refusals_of(body: Any, model: type[Model]) -> list[str]:
    """Return what the servers say of a body, nothing where they take it."""
    given = {} if body is None else body
    if not isinstance(given, dict):
        return [f"Expected object, received {kind_of(given)}"]
    kept = kept_of(given, model)
    said = refusals(model, kept, NULLABLE)
    for index, tile in enumerate(given["tiles"] if isinstance(given.get("tiles"), list) else ()):
        at = f"tiles.{index}.config"
        if not any(each.startswith(at) for each in said) and _is_no_ratio(tile):
            said.append(f"{at}: asRatio can only be used with exactly two select items")
        said += [f"{at}.{each}" for each in _of_dropped_formulas(tile)]
    return said or [*_of_whole(kept)]


def _of_dropped_formulas(tile: Any) -> Iterator[str]:
    """Yield what is wrong with formulas of a display type that has none: the servers judge them, and drop them then."""
    config = tile.get("config") if isinstance(tile, dict) else None
    if not isinstance(config, dict) or "configType" in config or not isinstance(config.get("formulas"), list):
        return
    names = fields_of_config(str(config.get("displayType")), None)
    if names is None or "formulas" in names:
        return
    select = config.get("select") if isinstance(config.get("select"), list) else []
    of_table = {"displayType": DisplayType.TABLE.value, "select": select, "formulas": config["formulas"]}
    said = refusals(_Config, {"config": of_table}, ())
    yield from (each.removeprefix("config.") for each in said if each.startswith("config.formulas"))


class _Config(Model):
    """A config by itself."""

    config: TileConfig | None = prop("It.")


def _is_no_ratio(tile: Any) -> bool:
    """Return whether the config of a tile asks for a ratio of other than two values, also where it has no ratio."""
    config = tile.get("config") if isinstance(tile, dict) else None
    if not isinstance(config, dict) or not config.get("asRatio"):
        return False
    select = config.get("select")
    return not isinstance(select, list) or len(select) != PAIR


def checked(body: Any, model: type[Model]) -> Document:
    """Return a body without what the servers drop, or refuse it with everything that they say of it."""
    refuse(refusals_of(body, model))
    return stored(kept_of(body, model))


def normalized(body: Document) -> Document:
    """Return a body as the servers read it, with the conditions that they fill in."""
    filled = read(body)
    return {**filled, "tiles": [_with_conditions(each) for each in filled["tiles"]]}


def _with_conditions(tile: Document) -> Document:
    config = tile.get("config")
    if not isinstance(config, dict) or config.get("configType") == ConfigType.SQL:
        return tile
    kind, filled = config.get("displayType"), dict(config)
    if kind in (*TEXT_SELECTED, DisplayType.HEATMAP):
        filled = {**({"select": ""} if kind == DisplayType.EVENT_PATTERNS else {}), "where": "", **filled}
    elif isinstance(config.get("select"), list):
        filled["select"] = [{"where": "", **each} for each in config["select"]]
    return {**tile, "config": filled}


def kept_of(body: Document, model: type[Model]) -> Document:
    """Return a body without the names that nobody knows; of filters the servers refuse them."""
    kept: Document = known_of(model, body)
    if "filters" in body:
        kept["filters"] = body["filters"]
    if isinstance(body.get("tiles"), list):
        kept["tiles"] = [_taken(each) for each in kept["tiles"]]
        for tile in kept["tiles"]:
            if isinstance(tile, dict):
                tile.pop("key", None)
    return kept


def read(body: Document) -> Document:
    """Return a body with what the servers fill in when they read it."""
    if "savedFilterValues" not in body:
        return body
    usual = {"type": FilterKind.SQL.value}
    return {**body, "savedFilterValues": [{**usual, **each} for each in body["savedFilterValues"]]}


def stored(body: Document) -> Document:
    """Return a body as the servers store it: a query has a language, and no tag is there twice."""
    filled = read(body)
    if "savedQueryLanguage" not in body and "savedQuery" in body:
        language = {None: {"savedQueryLanguage": None}, "": {}}
        filled = {**filled, **language.get(body["savedQuery"], {"savedQueryLanguage": "lucene"})}
    return {**filled, "tags": list(dict.fromkeys(body["tags"]))} if "tags" in body else filled


def _of_whole(body: Document) -> Iterator[str]:
    """Yield what is wrong with parts of a body together."""
    if body.get("savedQuery") is not None and body.get("savedQueryLanguage", "") is None:
        yield "savedQueryLanguage: savedQueryLanguage cannot be null when savedQuery is provided"
    for index, tile in enumerate(body["tiles"]):
        if "series" in tile and "config" in tile:
            yield f"tiles.{index}: Tile cannot have both series and config"
    for index, id_ in _twice([each.get("id") for each in body["tiles"]]):
        yield f"tiles.{index}.id: Duplicate tile ID: {id_}. Omit the ID to generate a unique one."
    for index, id_ in _twice([each["id"] for each in body.get("containers", ())]):
        yield f'containers.{index}.id: Container IDs must be unique: "{id_}"'
    for index, each in enumerate(body.get("containers", ())):
        for place, id_ in _twice([tab["id"] for tab in each.get("tabs") or ()]):
            yield f'containers.{index}.tabs.{place}.id: Duplicate tab id "{id_}" in container "{each["id"]}"'
    filters = [view_of(DashboardFilter, each) for each in body.get("filters", ())]
    names = [variable_of(each) if each.is_variable_enabled else None for each in filters]
    for index, name in _twice(names):
        yield f'filters.{index}.variableName: Variable names must be unique: "{name}"'


def _twice(values: list[Any]) -> Iterator[tuple[int, Any]]:
    for index, value in enumerate(values):
        if value and value in values[:index]:
            yield index, value


def lost_references(tiles: list[Document], containers: list[Document]) -> list[str]:
    """Return what the servers say of tiles whose container or tab is not there."""
    tabs = {each["id"]: [tab["id"] for tab in each.get("tabs") or ()] for each in containers}
    said = []
    for index, tile in enumerate(tiles):
        container, tab = tile.get("containerId"), tile.get("tabId")
        if container is not None and container not in tabs:
            said.append(f'tiles.{index}.containerId: Tile references unknown containerId "{container}"')
        elif tab is not None and container is None:
            said.append(f"tiles.{index}.tabId: tabId requires containerId to be set")
        elif tab is not None and tab not in tabs[container]:
            said.append(f'tiles.{index}.tabId: Tile references unknown tabId "{tab}" in container "{container}"')
    return said


def shown(document: Mapping[str, Any]) -> Document:
    """Return a dashboard as the servers answer it; objects made by hand may lack anything."""
    containers = document.get("containers") or []
    tiles = [_placed(_answered(each), containers) for each in document.get("tiles") or ()]
    record = {
        "id": document["id"],
        "name": document.get("name"),
        "tiles": tiles,
        "tags": document.get("tags") or [],
        "filters": [_shown_filter(each) for each in document.get("filters") or ()],
        "savedQuery": document.get("savedQuery"),
        "savedQueryLanguage": document.get("savedQueryLanguage"),
        "savedFilterValues": [_saved_value(each) for each in document.get("savedFilterValues") or ()],
    }
    whole: Document = whole_numbers({**record, "containers": containers} if containers else record)
    return whole


def _shown_filter(each: Document) -> Document:
    """Return a filter without the sources that it applies to, if its value is no condition on tiles."""
    hidden = "appliesToSourceIds" if each.get("isBroadcastEnabled") is False else None
    return {name: value for name, value in each.items() if name != hidden}


def _saved_value(value: Document) -> Document:
    known: Document = value if value.get("type") == OF_A_TREE else known_of(SavedFilterValue, value)
    return {"type": FilterKind.SQL.value, **known}


def _placed(tile: Document, containers: list[Document]) -> Document:
    """Return a tile without a container or tab that is not there."""
    gone: tuple[str, ...] = ()
    if lost_references([tile], containers):
        known = any(each["id"] == tile.get("containerId") for each in containers)
        gone = ("tabId",) if known else ("containerId", "tabId")
    return {name: value for name, value in tile.items() if name not in gone}


# -- tiles -------------------------------------------------------------------------------------------------------------

_KEPT = ("id", "x", "y", "w", "h", "name", "containerId", "tabId")
_ROWS = {"where": "", "whereLanguage": "lucene"}
_OVER_TIME = (DisplayType.LINE, DisplayType.STACKED_BAR)
WITH_RATIO = (*_OVER_TIME, DisplayType.TABLE)
_OF_HEATMAP = HEATMAP_VALUE - {"valueExpression"}
_SELECTED = frozenset(wire_names(SelectItem))


def _taken(tile: Any) -> Any:
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


def _answered(tile: Mapping[str, Any]) -> Document:
    """Return a tile as the servers answer it: always with config, and with their defaults."""
    config = tile.get("config")
    kept = {name: tile[name] for name in _KEPT if name in tile}
    if not isinstance(config, Mapping):
        config = _of_series(tile.get("series") or [{"type": SeriesType.TIME.value}], bool(tile.get("asRatio")))
    return {"name": "", **kept, "config": _answered_config(config)}


def _answered_config(config: Mapping[str, Any]) -> Document:
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
    select = [_answered_item(each) for each in config.get("select") or () if isinstance(each, Mapping)]
    filled["select"] = select if kind != DisplayType.NUMBER or config.get("formulas") else select[:1]
    if kind in WITH_RATIO:
        filled["asRatio"] = bool(config.get("asRatio")) and len(select) == 2
    if kind in _OVER_TIME:
        filled["fillNulls"] = config.get("fillNulls") is not False
    if not config.get("formulas"):
        filled.pop("showOperandSeries", None)
    return filled


def _answered_item(item: Mapping[str, Any]) -> Document:
    """Return a selected value with its defaults; a level is shown of quantiles, and of those that are known."""
    filled = {"valueExpression": "", **_ROWS, **{name: value for name, value in item.items() if value is not None}}
    if item.get("aggFn") != AggFn.QUANTILE or item.get("level") not in LEVELS:
        filled.pop("level", None)
    if item.get("aggFn") == AggFn.COUNT and item.get("valueExpression"):
        del filled["valueExpression"]
    return filled


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
    shown = series[:1] if kind == SeriesType.NUMBER else series
    formats = [each["numberFormat"] for each in shown if each.get("numberFormat")]
    if formats:
        config["numberFormat"] = formats[0]
    return {**config, "asRatio": as_ratio} if display in WITH_RATIO else config


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
