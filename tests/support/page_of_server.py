"""What the page of the observability server accepts when it saves an object, or imports a file of a dashboard.

The page loads an object as the server stores it, and sends it back. A property that its models do not accept makes
every save fail, whoever has stored it. Source: the models in packages/common-utils/src/types.ts and
packages/api/src/utils/zod.ts of HyperDX 2.36.0; they strip unknown properties.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jsonschema import Draft202012Validator

from pulumi_clouddb.schema.base import wire_names
from pulumi_clouddb.schema.thing import body_of
from pulumi_clouddb.things.alerts.parts import AlertInterval, ThresholdType
from pulumi_clouddb.things.dashboards.tile_parts import AggFn, ChartPaletteToken
from pulumi_clouddb.things.sources.source import Source
from pulumi_clouddb.things.webhooks.webhook import WebhookService

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
FILLED: Schema = {"type": "string", "minLength": 1}
NUMBER: Schema = {"type": "number"}
FLAG: Schema = {"type": "boolean"}
TEXTS: Schema = {"type": "object", "additionalProperties": TEXT}
LANGUAGE: Schema = {"enum": ["sql", "lucene", "promql"]}


def some(schema: Schema) -> Schema:
    """Return the schema of a list."""
    return {"type": "array", "items": schema}


def nullable(schema: Schema) -> Schema:
    """Return a schema that also accepts null."""
    return {"anyOf": [schema, {"type": "null"}]}


def fields(required: str, **properties: Schema) -> Schema:
    """Return the schema of an object; the names of its required properties are separated by blanks."""
    return {"type": "object", "required": required.split(), "properties": properties}


def _texts(names: str) -> dict[str, Schema]:
    return dict.fromkeys(names.split(), TEXT)


FORMAT = fields("output", output=TEXT, mantissa={"type": "integer"}, factor=NUMBER, thousandSeparated=FLAG)
COLOUR: Schema = {"enum": [each.value for each in ChartPaletteToken]}
RULE = fields("operator value color", operator=TEXT, color=COLOUR, label={"type": "string", "maxLength": 40})
VALUE = fields(
    "valueExpression",
    **_texts("aggCondition valueExpression alias metricName countExpression"),
    aggFn={"enum": [each.value for each in AggFn]},
    aggConditionLanguage=LANGUAGE,
    level=NUMBER,
    isDelta=FLAG,
    metricType=TEXT,
    heatmapScaleType={"enum": ["log", "linear"]},
    numberFormat=FORMAT,
)
VALUE["dependentRequired"] = {"aggFn": ["aggCondition"]}
TARGET: Schema = {
    "oneOf": [
        fields("mode id", mode={"const": "id"}, id=FILLED),
        fields("mode template", mode={"const": "template"}, template=FILLED),
    ]
}
CLICK_FILTER = fields("kind expression template", kind=TEXT, expression=FILLED, template=FILLED)
CLICK: Schema = {
    "oneOf": [
        fields(
            "type target",
            type={"enum": ["search", "dashboard"]},
            target=TARGET,
            whereTemplate=TEXT,
            whereLanguage=LANGUAGE,
            filters=some(CLICK_FILTER),
        ),
        fields("type urlTemplate", type={"const": "external"}, urlTemplate=FILLED),
    ]
}
LOOKS: dict[str, Schema] = {
    "displayType": TEXT,
    "name": TEXT,
    "numberFormat": FORMAT,
    "onClick": CLICK,
    "color": COLOUR,
    "colorRules": some(RULE),
    "backgroundChart": fields("type", type={"enum": ["line", "area"]}, color=COLOUR),
    "fillNulls": {"anyOf": [NUMBER, {"const": False}]},
    "seriesLimit": nullable({"type": "integer", "minimum": 0}),
    **dict.fromkeys(("compareToPreviousPeriod", "alignDateRangeToGranularity", "fitYAxisToData"), FLAG),
}
BUILT = fields(
    "source select where",
    **LOOKS,
    **_texts("source where groupBy having orderBy markdown"),
    select={"anyOf": [TEXT, some(VALUE)]},
    whereLanguage=LANGUAGE,
    seriesReturnType={"enum": ["ratio", "column"]},
    formulas=some(fields("expression", expression=TEXT, alias=TEXT, numberFormat=FORMAT)),
    showOperandSeries=FLAG,
    groupByColumnsOnLeft=FLAG,
)
RAW = fields("configType sqlTemplate connection", **LOOKS, **_texts("sqlTemplate connection source"))
CONFIG: Schema = {
    "if": {"required": ["configType"]},
    "then": {**RAW, "properties": {**RAW["properties"], "configType": {"const": "sql"}}},
    "else": BUILT,
}
TILE = fields(
    "id x y w h config",
    **dict.fromkeys("xywh", NUMBER),
    id=TEXT,
    config=CONFIG,
    containerId=FILLED,
    tabId=FILLED,
)
FILTER = fields(
    "id type name expression source",
    **dict.fromkeys(("name", "expression", "source"), FILLED),
    id=TEXT,
    type={"const": "QUERY_EXPRESSION"},
    sourceMetricType=TEXT,
    where=TEXT,
    whereLanguage={"enum": ["sql", "lucene"]},
    appliesToSourceIds=some(FILLED),
    isBroadcastEnabled=FLAG,
    isVariableEnabled=FLAG,
    variableName=TEXT,
)
FILTER_VALUE: Schema = {
    "oneOf": [
        fields("type condition", type={"enum": ["lucene", "sql"]}, condition=TEXT),
        fields("type operator left right", type={"const": "sql_ast"}, **_texts("operator left right")),
    ]
}
TAB = fields("id title", id=FILLED, title=FILLED)
CONTAINER = fields(
    "id title collapsed", id=FILLED, title=FILLED, collapsed=FLAG, collapsible=FLAG, bordered=FLAG, tabs=some(TAB)
)
DASHBOARD = fields(
    "name tiles tags",
    name=FILLED,
    tiles=some(TILE),
    tags=some(TEXT),
    filters=some(FILTER),
    savedQuery=nullable(TEXT),
    savedQueryLanguage=nullable(LANGUAGE),
    savedFilterValues=some(FILTER_VALUE),
    containers=some(CONTAINER),
)
FILE = {**DASHBOARD, "required": ["version", "name", "tiles"]}
"""The file that the page imports."""

CHANNEL = fields("type webhookId", type={"const": "webhook"}, webhookId=FILLED)
ALERT = fields(
    "interval threshold thresholdType source channels",
    interval={"enum": [each.value for each in AlertInterval if each is not AlertInterval.THIRTY_SECONDS]},
    threshold=NUMBER,
    thresholdMax=NUMBER,
    thresholdType={"enum": [each.value for each in ThresholdType]},
    source={"enum": ["tile", "saved_search", "inline"]},
    channel=CHANNEL,
    channels={**some(CHANNEL), "minItems": 1},
    scheduleOffsetMinutes={"type": "integer"},
    scheduleStartAt=nullable(TEXT),
    name=nullable(FILLED),
    message=nullable(FILLED),
    note=nullable(FILLED),
    numConsecutiveWindows=nullable({"type": "integer"}),
    groupBy=nullable(TEXT),
    dashboardId=nullable(FILLED),
    tileId=nullable(FILLED),
    savedSearchId=nullable(FILLED),
    chartConfig=CONFIG,
)
SEARCH = fields(
    "name select where source tags",
    **_texts("name select where orderBy source"),
    whereLanguage=LANGUAGE,
    tags=some(TEXT),
    filters=some(FILTER_VALUE),
)
_TEXTS_OF_SOURCES = [name for name in wire_names(body_of(Source)) if name.endswith(("Expression", "SourceId"))]
SOURCE = fields(
    "name kind connection from",
    **dict.fromkeys(_TEXTS_OF_SOURCES, TEXT),
    name=FILLED,
    kind=TEXT,
    connection=FILLED,
    section=TEXT,
    seriesTable=TEXT,
    disabled=FLAG,
    durationPrecision=NUMBER,
    metricTables=TEXTS,
    querySettings=some(fields("setting value", setting=FILLED, value=FILLED)),
    materializedViews=some({"type": "object"}),
    **{"from": fields("databaseName tableName", databaseName=FILLED, tableName=TEXT)},
)
WEBHOOK = fields(
    "name service",
    **_texts("name url description body"),
    service={"enum": [each.value for each in WebhookService]},
    headers=TEXTS,
    queryParams=TEXTS,
)
CONNECTION = fields(
    "name host username",
    **_texts("name host username password"),
    hyperdxSettingPrefix=nullable({"type": "string", "pattern": "^[A-Za-z0-9_]+$"}),
    isPrometheusEndpoint=FLAG,
)
SAVED: Mapping[str, Schema] = {
    "Dashboard": DASHBOARD,
    "Alert": ALERT,
    "SavedSearch": SEARCH,
    "Source": SOURCE,
    "Webhook": WEBHOOK,
    "Connection": CONNECTION,
}
"""What a save of the page accepts, for each kind of object that has a page."""


def refusals(schema: Schema, value: object) -> list[str]:
    """Return why the page refuses a value, each with its place."""
    return [f"{each.json_path}: {each.message}" for each in Draft202012Validator(schema).iter_errors(value)]


def refusals_of_save(resource: str, stored: Mapping[str, Any]) -> list[str]:
    """Return why the page refuses to save an object that the sandbox stores."""
    return refusals(SAVED[resource], _AS_LOADED.get(resource, dict)(stored))


def _dashboard(stored: Mapping[str, Any]) -> dict[str, Any]:
    tiles = [{**tile, "config": {"name": tile["name"], **_config(tile["config"])}} for tile in stored["tiles"]]
    filters = [{**each, "source": each["sourceId"]} for each in stored.get("filters") or ()]
    return {**stored, "tiles": tiles, "filters": filters}


def _config(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the config of a tile as the server stores it (`convertToInternalTileConfig`)."""
    renamed = {"sourceId": "source", "connectionId": "connection", "limit": "seriesLimit", "columns": "select"}
    loaded = {renamed.get(name, name): value for name, value in config.items()}
    if loaded.pop("fillNulls", True) is False:
        loaded["fillNulls"] = False
    if isinstance(loaded.get("select"), list):
        loaded["select"] = [_value(each) for each in loaded["select"]]
    if loaded["displayType"] == "markdown":
        loaded |= {"source": "", "select": []}
    return loaded if "configType" in loaded else {"where": "", **loaded}


def _value(value: Mapping[str, Any]) -> dict[str, Any]:
    renamed = {"where": "aggCondition", "whereLanguage": "aggConditionLanguage"}
    loaded = {renamed.get(name, name): each for name, each in value.items()}
    return {"aggCondition": "", "valueExpression": "", **loaded}


def _alert(stored: Mapping[str, Any]) -> dict[str, Any]:
    loaded = {("dashboardId" if name == "dashboard" else name): value for name, value in stored.items()}
    return {**loaded, "chartConfig": _config(loaded["chartConfig"])} if loaded.get("chartConfig") else loaded


def _search(stored: Mapping[str, Any]) -> dict[str, Any]:
    return {**stored, "source": stored["sourceId"]}


_AS_LOADED = {"Dashboard": _dashboard, "Alert": _alert, "SavedSearch": _search}
