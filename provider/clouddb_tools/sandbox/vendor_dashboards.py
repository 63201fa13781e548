"""Dashboards and tiles as the vendor's servers validate, store and return them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pulumi_clouddb.schema.base import Model, Text, prop, wire_names
from pulumi_clouddb.schema.thing import body_of
from pulumi_clouddb.schema.values import whole_numbers
from pulumi_clouddb.schema.vendor import within
from pulumi_clouddb.schema.view import view_of
from pulumi_clouddb.things.dashboards.chart_rules import ChartKinds
from pulumi_clouddb.things.dashboards.columns import COLUMNS, SELECT
from pulumi_clouddb.things.dashboards.dashboard import MOST_TILES, Dashboard
from pulumi_clouddb.things.dashboards.parts import (
    VARIABLES_ONLY,
    DashboardFilter,
    SavedFilterKind,
    is_variable,
    variable_of,
)
from pulumi_clouddb.things.dashboards.tile import SERIES, SeriesDisplayType, SeriesType, Tile
from pulumi_clouddb.things.dashboards.tile_config import KINDS, TileConfig
from pulumi_clouddb.things.dashboards.tile_config_fields import (
    HEATMAP_VALUE,
    OF_COLUMNS,
    RAW_SQL,
    ConfigType,
    DisplayType,
)
from pulumi_clouddb.things.dashboards.tile_parts import LEVELS, AggFn, SelectItem

from .bodies import body_with, known_of
from .store import Document
from .zod import body_errors, kind_of, refuse

LONGEST_TILE_ID = 36
SQL_AST = "sql_ast"
"""A kind of filter value that only the vendor's web interface creates."""

NULLABLE = ("savedQuery", "savedQueryLanguage")


class ServedTile(body_of(Tile)):  # type: ignore[misc]
    """A tile of a request, with an optional id."""

    id: Text | None = prop("Id of the tile that the server assigned.", max_length=LONGEST_TILE_ID)


class ServedFilter(DashboardFilter):
    """A filter of an update, with an id."""

    id: Text = prop("Id of the filter that the server assigned.", required=True)


_TILES = prop("Tiles, in order.", required=True, within=within(max_length=MOST_TILES))
CreateBody = body_with(Dashboard, tiles=(list[ServedTile] | None, _TILES))
UpdateBody = body_with(
    Dashboard, tiles=(list[ServedTile] | None, _TILES), filters=(list[ServedFilter] | None, prop("Filters at the top."))
)
"""The bodies of a create and of an update."""


def dashboard_errors(body: Any, model: type[Model]) -> list[str]:
    """Return the errors about a body; an empty list if the servers accept it."""
    given = {} if body is None else body
    if not isinstance(given, dict):
        return [f"Expected object, received {kind_of(given)}"]
    kept = without_unknown(given, model)
    errors = [each.replace(f".config.{COLUMNS}:", f".config.{SELECT}:") for each in body_errors(model, kept, NULLABLE)]
    for index, tile in enumerate(given["tiles"] if isinstance(given.get("tiles"), list) else ()):
        at = f"tiles.{index}.config"
        if not any(each.startswith(at) for each in errors) and _is_malformed_ratio(tile):
            errors.append(f"{at}: asRatio can only be used with exactly two select items")
        errors += [f"{at}.{each}" for each in _errors_of_dropped_formulas(tile)]
        if _is_of_unknown_type(tile):
            errors.append(f"{at}.{UNKNOWN_CONFIG_TYPE}")
    return errors or [*_cross_field_errors(kept)]


def _errors_of_dropped_formulas(tile: Any) -> Iterator[str]:
    """Yield errors about formulas of a display type that has none: the servers validate them before they drop them."""
    config = tile.get("config") if isinstance(tile, dict) else None
    if not isinstance(config, dict) or "configType" in config or not isinstance(config.get("formulas"), list):
        return
    names = KINDS.fields(str(config.get("displayType")), None)
    if names is None or "formulas" in names:
        return
    select = config.get("select") if isinstance(config.get("select"), list) else []
    of_table = {"displayType": DisplayType.TABLE.value, "select": select, "formulas": config["formulas"]}
    errors = body_errors(_Config, {"config": of_table}, ())
    yield from (each.removeprefix("config.") for each in errors if each.startswith("config.formulas"))


class _Config(Model):
    """The config of a tile without the tile."""

    config: TileConfig | None = prop("Config.")


UNKNOWN_CONFIG_TYPE = 'configType: configType must be "sql" or omitted (builder configs carry no configType)'
"""The refusal of a chart that is neither of a source nor of raw SQL."""


def _is_of_unknown_type(tile: Any) -> bool:
    """Return whether a tile has a config of a type that servers after 2.36 refuse; earlier ones dropped the type."""
    config = tile.get("config") if isinstance(tile, dict) else None
    return isinstance(config, dict) and config.get("configType", ConfigType.SQL) != ConfigType.SQL


def _is_malformed_ratio(tile: Any) -> bool:
    """Return whether a tile sets `asRatio` without exactly two values, on any display type."""
    config = tile.get("config") if isinstance(tile, dict) else None
    if not isinstance(config, dict) or not config.get("asRatio"):
        return False
    select = config.get("select")
    return not isinstance(select, list) or len(select) != 2


def checked(body: Any, model: type[Model]) -> Document:
    """Return the validated body as the servers store it."""
    refuse(dashboard_errors(body, model))
    return stored(without_unknown(body, model))


def normalized(body: Document) -> Document:
    """Return a body with the defaults that the servers fill in when they validate it."""
    filled = _with_filter_types(body)
    return {**filled, "tiles": [_with_conditions(each) for each in filled["tiles"]]}


def _with_conditions(tile: Document) -> Document:
    config = tile.get("config")
    if not isinstance(config, dict) or config.get("configType") == ConfigType.SQL:
        return tile
    kind, filled = config.get("displayType"), dict(config)
    if kind in (*OF_COLUMNS, DisplayType.HEATMAP):
        filled = {**({"columns": ""} if kind == DisplayType.EVENT_PATTERNS else {}), "where": "", **filled}
    elif isinstance(config.get("select"), list):
        filled["select"] = [{"where": "", **each} for each in config["select"]]
    return {**tile, "config": filled}


def without_unknown(body: Document, model: type[Model]) -> Document:
    """Return a body without unknown properties, except in filters, where the servers refuse them."""
    kept: Document = known_of(model, body)
    if "filters" in body:
        kept["filters"] = body["filters"]
    if isinstance(body.get("tiles"), list):
        kept["tiles"] = [_known_tile(each) for each in kept["tiles"]]
        for tile in kept["tiles"]:
            if isinstance(tile, dict):
                tile.pop("key", None)
    return kept


def _with_filter_types(body: Document) -> Document:
    """Return a body with the kinds of filter values, and with the flags that a type of filters always has."""
    filled = dict(body)
    if "savedFilterValues" in body:
        filled["savedFilterValues"] = [_saved_value(each) for each in body["savedFilterValues"]]
    if "filters" in body:
        filled["filters"] = [
            {**(_OF_VARIABLES if each["type"] in VARIABLES_ONLY else {}), **each} for each in body["filters"]
        ]
    return filled


_OF_VARIABLES = {"isBroadcastEnabled": False, "isVariableEnabled": True}


def stored(body: Document) -> Document:
    """Return a body as the servers store it: with the language of its query, and without duplicate tags."""
    filled = _with_filter_types(body)
    if "savedQueryLanguage" not in body and "savedQuery" in body:
        language = {None: {"savedQueryLanguage": None}, "": {}}
        filled = {**filled, **language.get(body["savedQuery"], {"savedQueryLanguage": "lucene"})}
    return {**filled, "tags": list(dict.fromkeys(body["tags"]))} if "tags" in body else filled


def _cross_field_errors(body: Document) -> Iterator[str]:
    if body.get("savedQuery") is not None and body.get("savedQueryLanguage", "") is None:
        yield "savedQueryLanguage: savedQueryLanguage cannot be null when savedQuery is provided"
    for index, tile in enumerate(body["tiles"]):
        if "series" in tile and "config" in tile:
            yield f"tiles.{index}: Tile cannot have both series and config"
    for index, id_ in _duplicates([each.get("id") for each in body["tiles"]]):
        yield f"tiles.{index}.id: Duplicate tile ID: {id_}. Omit the ID to generate a unique one."
    yield from _repeated_ids(body.get("containers", ()))
    filters = [view_of(DashboardFilter, each) for each in body.get("filters", ())]
    names = [variable_of(each) if is_variable(each) else None for each in filters]
    for index, name in _duplicates(names):
        yield f'filters.{index}.variableName: Variable names must be unique: "{name}"'


def _repeated_ids(containers: Sequence[Document]) -> Iterator[str]:
    for index, id_ in _duplicates([each["id"] for each in containers]):
        yield f'containers.{index}.id: Container IDs must be unique: "{id_}"'
    for index, each in enumerate(containers):
        for place, id_ in _duplicates([tab["id"] for tab in each.get("tabs") or ()]):
            yield f'containers.{index}.tabs.{place}.id: Duplicate tab id "{id_}" in container "{each["id"]}"'


def _duplicates(values: list[Any]) -> Iterator[tuple[int, Any]]:
    for index, value in enumerate(values):
        if value and value in values[:index]:
            yield index, value


def container_errors(tiles: list[Document], containers: list[Document]) -> list[str]:
    """Return the errors about tiles whose container or tab does not exist."""
    tabs = {each["id"]: [tab["id"] for tab in each.get("tabs") or ()] for each in containers}
    errors = []
    for index, tile in enumerate(tiles):
        container, tab = tile.get("containerId"), tile.get("tabId")
        if container is not None and container not in tabs:
            errors.append(f'tiles.{index}.containerId: Tile references unknown containerId "{container}"')
        elif tab is not None and container is None:
            errors.append(f"tiles.{index}.tabId: tabId requires containerId to be set")
        elif tab is not None and tab not in tabs[container]:
            errors.append(f'tiles.{index}.tabId: Tile references unknown tabId "{tab}" in container "{container}"')
    return errors


def shown(document: Mapping[str, Any]) -> Document:
    """Return a dashboard as responses show it; objects that were added by hand may lack any field."""
    containers = document.get("containers") or []
    tiles = [_in_existing_container(_shown_tile(each), containers) for each in document.get("tiles") or ()]
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
    """Return a filter; one that is not broadcast to tiles does not show the sources to which it applies."""
    hidden = "appliesToSourceIds" if each.get("isBroadcastEnabled") is False else None
    return {name: value for name, value in each.items() if name != hidden}


def _saved_value(value: Document) -> Document:
    """Return a value of a filter as the servers store it: an SQL condition without what only variables have."""
    if value.get("type") in (SQL_AST, SavedFilterKind.VARIABLE):
        return value
    return {"type": SavedFilterKind.SQL.value, **_only(value, frozenset({"type", "condition"}))}


def _in_existing_container(tile: Document, containers: list[Document]) -> Document:
    """Return a tile without the id of a container or tab that does not exist."""
    missing: tuple[str, ...] = ()
    if container_errors([tile], containers):
        container_exists = any(each["id"] == tile.get("containerId") for each in containers)
        missing = ("tabId",) if container_exists else ("containerId", "tabId")
    return {name: value for name, value in tile.items() if name not in missing}


# -- tiles -------------------------------------------------------------------------------------------------------------

_KEPT = ("id", "x", "y", "w", "h", "name", "containerId", "tabId")
_ROWS = {"where": "", "whereLanguage": "lucene"}
_OVER_TIME = (DisplayType.LINE, DisplayType.STACKED_BAR)
WITH_RATIO = (*_OVER_TIME, DisplayType.TABLE)
_OF_HEATMAP = HEATMAP_VALUE - {"valueExpression"}
_SELECTED = frozenset(wire_names(SelectItem))


def _known_tile(tile: Any) -> Any:
    """Return a tile without the properties that its kind does not have, which the servers drop."""
    if not isinstance(tile, dict):
        return tile
    kept = dict(tile)
    if isinstance(kept.get("config"), dict):
        kept["config"] = known_config(_with_columns(kept["config"]))
    if isinstance(kept.get("series"), list):
        kept["series"] = [_known_series(each) for each in kept["series"]]
    return kept


def _with_columns(config: Document) -> Document:
    """Return the config of a request with its columns under the name that they have here."""
    if config.get("displayType") not in OF_COLUMNS:
        return config
    return {COLUMNS if name == SELECT else name: value for name, value in config.items() if name != COLUMNS}


def known_config(config: Document, kinds: ChartKinds = KINDS, model: type[Model] = TileConfig) -> Document:
    """Return a chart without the properties that its kind does not have, which the servers drop."""
    display, is_sql = config.get("displayType"), config.get("configType") == ConfigType.SQL
    names = kinds.fields(display, config.get("configType")) if isinstance(display, str) else None
    if names is None:
        return config
    kind = {"displayType", "configType"} if is_sql else {"displayType"}
    kept: Document = known_of(model, {name: value for name, value in config.items() if name in names | kind})
    if isinstance(kept.get("select"), list):
        of_value = HEATMAP_VALUE if display == DisplayType.HEATMAP else _SELECTED - _OF_HEATMAP
        kept["select"] = [_only(each, of_value) for each in kept["select"]]
    return kept


def _known_series(series: Any) -> Any:
    names = SERIES.get(str(series.get("type"))) if isinstance(series, dict) else None
    return _only(series, names) if names else series


def _only(value: Any, names: frozenset[str]) -> Any:
    return {name: item for name, item in value.items() if name in names} if isinstance(value, dict) else value


def _shown_tile(tile: Mapping[str, Any]) -> Document:
    """Return a tile as responses show it: with config instead of series, and with defaults."""
    config = tile.get("config")
    kept = {name: tile[name] for name in _KEPT if name in tile}
    if not isinstance(config, Mapping):
        config = _of_series(tile.get("series") or [{"type": SeriesType.TIME.value}], bool(tile.get("asRatio")))
    return {"name": "", **kept, "config": shown_config(config)}


def shown_config(config: Mapping[str, Any]) -> Document:
    """Return the config of a tile as responses show it, with defaults."""
    kind = config.get("displayType")
    filled = {name: value for name, value in config.items() if value not in (None, [])}
    if config.get("configType") == ConfigType.SQL:
        return {**({"fillNulls": True} if kind in _OVER_TIME else {}), **filled} if kind in RAW_SQL else filled
    if kind in OF_COLUMNS:
        return {"columns": "", **_ROWS, **filled}
    if kind == DisplayType.MARKDOWN:
        return {"markdown": "", **filled}
    if kind == DisplayType.HEATMAP:
        return {**_ROWS, **filled}
    return _shown_chart(config, filled)


def _shown_chart(config: Mapping[str, Any], filled: Document) -> Document:
    """Return the config of a tile with selected values, of which `filled` has what is not empty."""
    kind = config.get("displayType")
    select = [_shown_item(each) for each in config.get("select") or () if isinstance(each, Mapping)]
    filled["select"] = select if kind != DisplayType.NUMBER or config.get("formulas") else select[:1]
    if kind in WITH_RATIO:
        filled["asRatio"] = bool(config.get("asRatio")) and len(select) == 2
    if kind in _OVER_TIME:
        filled["fillNulls"] = config.get("fillNulls") is not False
    if not config.get("formulas"):
        filled.pop("showOperandSeries", None)
    return filled


def _shown_item(item: Mapping[str, Any]) -> Document:
    """Return a selected value with its defaults; only quantiles show a level, and only a known one."""
    filled = {"valueExpression": "", **_ROWS, **{name: value for name, value in item.items() if value is not None}}
    if item.get("aggFn") != AggFn.QUANTILE or item.get("level") not in LEVELS:
        filled.pop("level", None)
    if item.get("aggFn") == AggFn.COUNT and item.get("valueExpression"):
        del filled["valueExpression"]
    return filled


def with_languages_as_sent(tile: Document, sent: Mapping[str, Any], *, replaced: bool) -> Document:
    """Return a tile of `shown` as it is stored: null, or none, for each language that a selected value leaves out."""
    items = (sent.get("config") or {}).get("select")
    select = tile["config"].get("select")
    if not isinstance(items, list) or not isinstance(select, list):
        return tile
    absent = {"whereLanguage": None} if replaced else {}
    stored = [
        {**{name: value for name, value in item.items() if name != "whereLanguage"}, **absent}
        if "aggFn" in given and given.get("whereLanguage") is None
        else item
        for item, given in zip(select, items, strict=False)
    ]
    return {**tile, "config": {**tile["config"], "select": stored}}


def _of_series(series: list[Any], as_ratio: bool) -> Document:
    """Convert series into a config, which has no place for some of their properties."""
    first = series[0]
    kind = first.get("type")
    if kind == SeriesType.MARKDOWN:
        return {"displayType": DisplayType.MARKDOWN.value, "markdown": first.get("content", "")}
    if kind == SeriesType.SEARCH:
        rows = {name: first[name] for name in _ROWS if name in first}
        source = {"sourceId": first.get("sourceId", ""), "columns": ", ".join(first.get("fields", ()))}
        return {"displayType": DisplayType.SEARCH.value, **source, **rows}
    display = {SeriesType.TABLE: DisplayType.TABLE, SeriesType.NUMBER: DisplayType.NUMBER}.get(kind, DisplayType.LINE)
    if display == DisplayType.LINE and first.get("displayType") == SeriesDisplayType.STACKED_BAR:
        display = DisplayType.STACKED_BAR
    config: Document = {"displayType": display.value, "sourceId": first.get("sourceId", "")}
    shown = series[:1] if kind == SeriesType.NUMBER else series
    config["select"] = [_selected_of(each) for each in shown]
    if first.get("groupBy") and kind != SeriesType.NUMBER:
        config["groupBy"] = ",".join(first["groupBy"])
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
    return {new: series[old] for old, new in names.items() if series.get(old)}
