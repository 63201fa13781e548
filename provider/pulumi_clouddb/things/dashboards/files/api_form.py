"""The form of the public API in the form of documents, as the server stores it (`convertToInternalTileConfig`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pulumi_clouddb.schema.observability import SearchLanguage, with_kind
from pulumi_clouddb.schema.values import WireDict, WireValues
from pulumi_clouddb.things.dashboards.tile import SeriesDisplayType, SeriesType
from pulumi_clouddb.things.dashboards.tile_config_fields import OF_COLUMNS, DisplayType
from pulumi_clouddb.things.dashboards.tile_parts import PeriodAggFn

_LUCENE = SearchLanguage.LUCENE.value
"""The language of a condition without one in the API; in documents it would be SQL."""


def in_document_form(content: WireValues) -> WireDict:
    """Return a dashboard of the API as a document; what has the same name in both stays as it is."""
    board = dict(content)
    for name, convert in (("tiles", _tile), ("filters", _filter)):
        values = board.get(name)
        if isinstance(values, list):
            board[name] = [convert(each) if isinstance(each, Mapping) else each for each in values]
    if "savedFilterValues" in board:
        board["savedFilterValues"] = with_kind(board["savedFilterValues"])
    if board.get("savedQuery") and board.get("savedQueryLanguage") is None:
        board["savedQueryLanguage"] = _LUCENE
    return board


def _tile(tile: WireValues) -> WireDict:
    rest = {name: value for name, value in tile.items() if name not in ("name", "series", "asRatio", "config", "key")}
    config, series = tile.get("config"), tile.get("series")
    if not isinstance(config, Mapping) and isinstance(series, list):
        config = _of_series(series, tile)
    named = {} if tile.get("name") is None else {"name": tile["name"]}
    as_key = {} if tile.get("key") is None else {"id": tile["key"]}
    return {**rest, **as_key, "config": {**_config(config), **named} if isinstance(config, Mapping) else config}


def _config(config: WireValues) -> WireDict:
    display = config.get("displayType")
    renamed = {"sourceId": "source", "connectionId": "connection", "columns": "select"}
    if display in (DisplayType.PIE, DisplayType.BAR):
        renamed["limit"] = "seriesLimit"
    written = {renamed.get(name, name): value for name, value in config.items()}
    if written.pop("asRatio", None):
        written["seriesReturnType"] = "ratio"
    if written.get("fillNulls") is True:  # the default, which documents leave out
        del written["fillNulls"]
    select = written.get("select")
    if isinstance(select, list):
        written["select"] = [_value(each, display) if isinstance(each, Mapping) else each for each in select]
    if written.get("where") is not None or display in OF_COLUMNS:
        written.setdefault("whereLanguage", _LUCENE)
    return written


def _value(value: WireValues, display: object) -> WireDict:
    renamed = {"where": "aggCondition", "whereLanguage": "aggConditionLanguage"}
    written = {renamed.get(name, name): each for name, each in value.items()}
    if display != DisplayType.HEATMAP:
        written.setdefault("aggConditionLanguage", _LUCENE)
    if written.get("periodAggFn") == PeriodAggFn.DELTA:
        del written["periodAggFn"]
        written["isDelta"] = True
    return written


def _filter(item: WireValues) -> WireDict:
    written = {("source" if name == "sourceId" else name): value for name, value in item.items()}
    if written.get("where"):
        written.setdefault("whereLanguage", SearchLanguage.SQL.value)
    return written


def _of_series(series: list[Any], tile: WireValues) -> WireDict | None:
    """Return series as a config, as newer servers do."""
    items = [each for each in series if isinstance(each, Mapping)]
    if not items:
        return None
    first, kind = items[0], items[0].get("type")
    if kind == SeriesType.MARKDOWN:
        return {"displayType": DisplayType.MARKDOWN.value, "markdown": first.get("content", "")}
    return _of_search(first) if kind == SeriesType.SEARCH else _of_chart(items, tile)


def _of_search(series: WireValues) -> WireDict:
    fields = series.get("fields")
    named = {name: series[name] for name in ("sourceId", "where", "whereLanguage") if name in series}
    columns = ", ".join(map(str, fields)) if isinstance(fields, list) else ""
    return {"displayType": DisplayType.SEARCH.value, "columns": columns, **named}


def _of_chart(items: Sequence[WireValues], tile: WireValues) -> WireDict:
    first = items[0]
    groups, order = first.get("groupBy"), first.get("sortOrder")
    over_time = first.get("displayType") or SeriesDisplayType.LINE.value
    optional = {
        "sourceId": first.get("sourceId"),
        "groupBy": (", ".join(map(str, groups)) if isinstance(groups, list) else groups) if groups else None,
        "orderBy": f"{first['field']} {str(order).upper()}" if order is not None and first.get("field") else None,
        "numberFormat": next((each["numberFormat"] for each in items if each.get("numberFormat") is not None), None),
        "asRatio": True if tile.get("asRatio") else None,
    }
    return {
        "displayType": over_time if first.get("type") == SeriesType.TIME else first.get("type"),
        "select": [_of_one_series(each, first) for each in items],
        **{name: value for name, value in optional.items() if value is not None},
    }


_OF_CONFIG = ("type", "sourceId", "dataSource", "groupBy", "sortOrder", "displayType", "numberFormat")
"""Properties of the first series that apply to all; those of another one that differ are kept, to be reported."""

_RENAMED = {"field": "valueExpression", "metricDataType": "metricType"}


def _of_one_series(series: WireValues, first: WireValues) -> WireDict:
    same = [name for name in _OF_CONFIG if name in series and (series is first or series[name] == first.get(name))]
    return {_RENAMED.get(name, name): value for name, value in series.items() if name not in same}
