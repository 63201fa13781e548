"""Files of dashboards: what becomes an input, what is refused by name, and that nothing is lost quietly."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.schema.base import wire_name
from pulumi_clouddb.schema.check.findings import findings_of
from pulumi_clouddb.schema.check.rules import RuleContext
from pulumi_clouddb.schema.values import Path, show_path
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE
from pulumi_clouddb.things.dashboards.dashboard import DASHBOARD
from pulumi_clouddb.things.dashboards.files.conditions import Condition, MixedLanguagesError, both, in_sql
from pulumi_clouddb.things.dashboards.files.dashboard import Converted, converted, read_file
from pulumi_clouddb.things.dashboards.files.file import FileConfig
from pulumi_clouddb.things.dashboards.files.losses import Loss, Losses, Severity
from pulumi_clouddb.things.dashboards.files.names import Kind, is_id
from pulumi_clouddb.things.dashboards.files.tiles import config_of, without_meaning

IDS = {"Logs": "1" * 24, "Metrics": "2" * 24, "ClickHouse": "3" * 24, "Details": "4" * 24}


def refer(kind: Kind, name: str) -> str | None:
    """Return the id of a name."""
    assert kind in Kind
    return name if is_id(name) else IDS.get(name)


def read(content: dict[str, Any]) -> Converted:
    """Return the inputs for the content of a file."""
    return converted(read_file(json.dumps(content)), refer)


def template(*configs: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return a file as the server's page exports it."""
    tiles = [
        {"id": f"tile-{index}", "x": 0, "y": 4 * index, "w": 8, "h": 4, "config": {"name": f"Tile {index}", **config}}
        for index, config in enumerate(configs)
    ]
    return {"version": "0.1.0", "name": "Shop", "tiles": tiles, **more}


COUNT = {"aggFn": "count", "valueExpression": "", "aggCondition": "", "aggConditionLanguage": "lucene"}
COUNTED = {"aggFn": "count", "where": "", "whereLanguage": "lucene"}


def chart(display: str, **more: Any) -> dict[str, Any]:
    """Return a config of a chart."""
    return {"displayType": display, "source": "Logs", "where": "", "select": [COUNT], **more}


def sql(display: str, **more: Any) -> dict[str, Any]:
    """Return a config with raw SQL."""
    own = {"configType": "sql", "connection": "ClickHouse", "sqlTemplate": "SELECT 1"}
    return {"displayType": display, **own, **more}


def counted(display: str, **more: Any) -> dict[str, Any]:
    """Return a config of the API that counts rows."""
    selected = {} if "columns" in more else {"select": [COUNTED]}
    return {"displayType": display, "sourceId": IDS["Logs"], **selected, **more}


def raw(display: str, **more: Any) -> dict[str, Any]:
    """Return a config of the API with raw SQL."""
    own = {"configType": "sql", "connectionId": IDS["ClickHouse"], "sqlTemplate": "SELECT 1"}
    return {"displayType": display, **own, **more}


AND = "(Body:a) AND (Body:b)"

CONVERTED: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "a line": (
        chart("line", groupBy="ServiceName", seriesLimit=5, fillNulls=False, compareToPreviousPeriod=True),
        counted("line", groupBy="ServiceName", seriesLimit=5, fillNulls=False, compareToPreviousPeriod=True),
    ),
    "gaps as zero, which is the default": (chart("line", fillNulls=0), counted("line")),
    "a ratio": (
        chart("stacked_bar", select=[COUNT, COUNT], seriesReturnType="ratio"),
        counted("stacked_bar", select=[COUNTED, COUNTED], asRatio=True),
    ),
    "a ratio of three, which is none": (
        chart("line", select=[COUNT] * 3, seriesReturnType="ratio"),
        counted("line", select=[COUNTED] * 3),
    ),
    "formulas instead of a ratio": (
        chart("line", select=[COUNT] * 2, seriesReturnType="ratio", formulas=[{"expression": "A / B", "alias": "r"}]),
        counted("line", select=[COUNTED] * 2, formulas=[{"expression": "A / B", "alias": "r"}]),
    ),
    "a table": (
        chart(
            "table", groupBy="Host", having="n > 1", havingLanguage="sql", orderBy="n DESC", groupByColumnsOnLeft=True
        ),
        counted("table", groupBy="Host", having="n > 1", orderBy="n DESC", groupByColumnsOnLeft=True),
    ),
    "lists of groups and of an order": (
        chart(
            "table",
            groupBy=[{"valueExpression": "a"}, {"valueExpression": "b", "alias": "B"}],
            orderBy=[{"valueExpression": "a", "ordering": "DESC"}],
        ),
        counted("table", groupBy='a, b AS "B"', orderBy="a DESC"),
    ),
    "a number": (
        chart(
            "number",
            color="chart-2",
            colorRules=[{"operator": "gt", "value": 5, "color": "chart-4", "label": "many"}],
            backgroundChart={"type": "line", "color": "chart-10"},
            numberFormat={"output": "byte", "mantissa": 1},
        ),
        counted(
            "number",
            color="chart-blue",
            colorRules=[{"operator": "gt", "value": 5, "color": "chart-red", "label": "many"}],
            backgroundChart={"type": "line", "color": "chart-gray"},
            numberFormat={"output": "byte", "mantissa": 1},
        ),
    ),
    "a pie, whose limit is that of series": (chart("pie", seriesLimit=5), counted("pie", limit=5)),
    "bars, whose limit counts before that of series": (
        chart("bar", limit={"limit": 3}, seriesLimit=5),
        counted("bar", limit=3),
    ),
    "a heatmap": (
        chart(
            "heatmap",
            where="Body:a",
            whereLanguage="lucene",
            select=[{**COUNT, "valueExpression": "Duration", "heatmapScaleType": "log"}],
        ),
        counted(
            "heatmap",
            where="Body:a",
            whereLanguage="lucene",
            select=[{"valueExpression": "Duration", "heatmapScaleType": "log"}],
        ),
    ),
    "a search": (
        chart("search", select="Body, Host", where="Body:a", whereLanguage="lucene"),
        counted("search", columns="Body, Host", where="Body:a", whereLanguage="lucene"),
    ),
    "a condition without a language is SQL": (
        chart("search", select="Body", where="a = 1"),
        counted("search", columns="Body", where="a = 1", whereLanguage="sql"),
    ),
    "patterns": (
        chart("event_patterns", select="Body", whereLanguage="sql"),
        counted("event_patterns", columns="Body", where="", whereLanguage="sql"),
    ),
    "text": (
        {"displayType": "markdown", "markdown": "# Hi", "source": "", "where": "", "select": []},
        {"displayType": "markdown", "markdown": "# Hi"},
    ),
    "raw SQL of a line": (
        sql("line", source="Logs", seriesLimit=0, fitYAxisToData=True),
        raw("line", sourceId=IDS["Logs"], seriesLimit=0, fitYAxisToData=True),
    ),
    "raw SQL without a source": (sql("number", source="", color="chart-red"), raw("number", color="chart-red")),
    "the condition of a chart": (
        chart("line", where="Body:a", whereLanguage="lucene", select=[{**COUNT, "aggCondition": "Body:b"}, COUNT]),
        counted("line", select=[{**COUNTED, "where": AND}, {**COUNTED, "where": "Body:a"}]),
    ),
    "the condition of a chart in another language": (
        chart(
            "number",
            where="LogAttributes.user.id:*",
            whereLanguage="lucene",
            select=[{**COUNT, "aggCondition": "a = 1", "aggConditionLanguage": "sql"}],
        ),
        counted(
            "number",
            select=[
                {"aggFn": "count", "where": "(notEmpty(LogAttributes['user.id'])) AND (a = 1)", "whereLanguage": "sql"}
            ],
        ),
    ),
    "a condition of one value without a language is Lucene": (
        chart("line", select=[{"aggFn": "count", "valueExpression": "", "aggCondition": "Body:b"}, COUNT]),
        counted("line", select=[{**COUNTED, "where": "Body:b"}, COUNTED]),
    ),
    "a condition of a metric without a language is SQL": (
        chart("line", select=[{"aggFn": "max", "metricType": "gauge", "metricName": "m", "aggCondition": "a = 1"}]),
        counted(
            "line",
            select=[
                {
                    "aggFn": "max",
                    "valueExpression": "Value",
                    "metricType": "gauge",
                    "metricName": "m",
                    "where": "a = 1",
                    "whereLanguage": "sql",
                },
            ],
        ),
    ),
    "a metric without an expression": (
        chart("line", select=[{"aggFn": "max", "valueExpression": "", "metricType": "gauge", "metricName": "m"}]),
        counted(
            "line",
            select=[
                {"valueExpression": "Value", "metricType": "gauge", "metricName": "m", **COUNTED, "aggFn": "max"},
            ],
        ),
    ),
    "the change of a gauge": (
        chart("line", select=[{**COUNT, "aggFn": "max", "valueExpression": "v", "isDelta": True}]),
        counted("line", select=[{**COUNTED, "aggFn": "max", "valueExpression": "v", "periodAggFn": "delta"}]),
    ),
    "what an editor has left behind": (
        chart("number", groupBy="a", seriesLimit=5, select=[{**COUNT, "level": 0.75, "valueExpression": "old"}]),
        counted("number"),
    ),
    "no aggregation": (
        chart("table", select=[{"valueExpression": "max(a)"}]),
        counted(
            "table", select=[{"aggFn": "none", "valueExpression": "max(a)", "where": "", "whereLanguage": "lucene"}]
        ),
    ),
    "a click by the name of a source": (
        chart("table", onClick={"type": "search", "target": {"mode": "id", "id": "Logs"}, "whereTemplate": "a:{{a}}"}),
        counted(
            "table",
            onClick={
                "type": "search",
                "target": {"mode": "id", "id": IDS["Logs"]},
                "whereTemplate": "a:{{a}}",
                "whereLanguage": "lucene",
            },
        ),
    ),
    "a click to an address": (
        sql("table", onClick={"type": "external", "urlTemplate": "https://example.com/{{id}}"}),
        raw("table", onClick={"type": "external", "urlTemplate": "https://example.com/{{id}}"}),
    ),
}


@pytest.mark.parametrize("case", CONVERTED)
def test_contents_of_a_tile(case: str) -> None:
    """Nothing is lost, and the check of a Dashboard accepts the result."""
    config, expected = CONVERTED[case]
    result = read(template(config))
    assert result.inputs["tiles"][0]["config"] == expected
    assert not result.losses
    assert not findings_of(DASHBOARD.inputs, result.inputs, RuleContext(vocabulary=CLICKHOUSE)).failures


TWO = [COUNT, {**COUNT, "alias": "b"}]
ERRORS: dict[str, tuple[dict[str, Any], str]] = {
    "PromQL": ({"displayType": "line", "configType": "promql", "promqlExpression": "up"}, "config"),
    "no display type": ({"source": "Logs", "select": [COUNT]}, "config"),
    "an unknown display type": (chart("gauge"), "config"),
    "raw SQL of a heatmap": (sql("heatmap"), "config"),
    "columns of a chart as text": (chart("line", select="count()"), "config.select"),
    "nothing selected": (chart("line", select=[]), "config.select"),
    "an unknown aggregation": (
        chart("line", select=[{**COUNT, "aggFn": "histogram", "valueExpression": "a"}]),
        "config.select[0].aggFn",
    ),
    "another level": (
        chart("line", select=[{**COUNT, "aggFn": "quantile", "valueExpression": "a", "level": 0.75}]),
        "config.select[0].level",
    ),
    "no expression": (chart("line", select=[{**COUNT, "aggFn": "max"}]), "config.select[0].valueExpression"),
    "a metric by an expression": (
        chart("line", select=[{**COUNT, "metricNameSql": "a"}]),
        "config.select[0].metricNameSql",
    ),
    "an expression in Lucene": (
        chart("line", select=[{"valueExpression": "a:b", "valueExpressionLanguage": "lucene"}]),
        "config.select[0].valueExpressionLanguage",
    ),
    "a condition of all values without a language": (
        chart("line", select=[{"aggFn": "count", "valueExpression": "", "aggCondition": "a = 1"}]),
        "config.select[0].aggCondition",
    ),
    "conditions that cannot be joined": (
        chart(
            "line",
            where="a AND b",
            whereLanguage="lucene",
            select=[{**COUNT, "aggCondition": "x", "aggConditionLanguage": "sql"}],
        ),
        "config.select[0].aggCondition",
    ),
    "gaps as another number": (chart("line", fillNulls=1), "config.fillNulls"),
    "shares of a total": (
        chart("line", select=TWO, groupBy="a", seriesReturnType="ratio", ratioMode="share_of_total"),
        "config.ratioMode",
    ),
    "a condition of groups in Lucene": (chart("table", having="a", havingLanguage="lucene"), "config.having"),
    "a condition of groups of a line": (chart("line", having="a > 1"), "config.having"),
    "the first rows left out": (chart("table", limit={"limit": 5, "offset": 5}), "config.limit.offset"),
    "a number whose only row is left out": (chart("number", limit={"limit": 5, "offset": 1}), "config.limit.offset"),
    "a number of no rows": (chart("number", limit={"limit": 0}), "config.limit.limit"),
    "groups with an aggregation": (
        chart("table", groupBy=[{"valueExpression": "a", "aggFn": "max"}]),
        "config.groupBy[0]",
    ),
    "two bars with an order": (chart("bar", select=TWO, orderBy="b"), "config.select"),
    "formulas of a pie": (chart("pie", formulas=[{"expression": "A"}]), "config.formulas"),
    "a ratio as a number": (chart("number", select=TWO, seriesReturnType="ratio"), "config.seriesReturnType"),
    "hidden groups": (chart("table", groupBy="a", selectGroupBy=False), "config.selectGroupBy"),
    "a source that was deleted": (chart("line", source=""), "config.source"),
    "a connection that was deleted": (sql("line", connection=""), "config.connection"),
}


@pytest.mark.parametrize("case", ERRORS)
def test_tile_that_would_show_other_data(case: str) -> None:
    """It is left out, and named with the place; the other tiles stay."""
    config, place = ERRORS[case]
    result = read(template(config, chart("line")))
    errors = [each for each in result.losses if each.severity is Severity.ERROR]
    assert [each.place for each in errors] == [f"tile 'Tile 0', {place}"]
    assert [each.tile for each in errors] == ["tile-0"]
    assert [tile["key"] for tile in result.inputs["tiles"]] == ["tile-1"]


WARNINGS: dict[str, tuple[dict[str, Any], str, dict[str, Any]]] = {
    "rows of a table": (chart("table", limit={"limit": 20}), "config.limit.limit", counted("table")),
    "every other row": (chart("table", alternateRowBackground=True), "config.alternateRowBackground", counted("table")),
    "the number of buckets": (
        chart("heatmap", seriesLimit=5, select=[{"valueExpression": "a"}]),
        "config.seriesLimit",
        counted("heatmap", select=[{"valueExpression": "a"}], where="", whereLanguage="lucene"),
    ),
    "two values of a pie": (chart("pie", select=TWO), "config.select", counted("pie")),
    "the previous period of bars": (
        chart("stacked_bar", compareToPreviousPeriod=True),
        "config.compareToPreviousPeriod",
        counted("stacked_bar"),
    ),
    "a colour that is unknown": (chart("number", color="red"), "config.color", counted("number")),
    "a colour by text": (
        chart("number", colorRules=[{"operator": "contains", "value": "a", "color": "chart-red"}]),
        "config.colorRules[0]",
        counted("number"),
    ),
    "colours of a value": (
        chart("table", select=[{**COUNT, "color": "chart-red"}]),
        "config.select[0].color",
        counted("table"),
    ),
    "colours by value in raw SQL": (
        sql("number", colorRules=[{"operator": "gt", "value": 1, "color": "chart-red"}]),
        "config.colorRules",
        raw("number"),
    ),
    "gaps of the line behind a number": (
        chart("number", backgroundChart={"type": "line"}, fillNulls=False),
        "config.fillNulls",
        counted("number", backgroundChart={"type": "line"}),
    ),
    "the ends of the line behind a number": (
        chart("number", backgroundChart={"type": "area"}, alignDateRangeToGranularity=False),
        "config.alignDateRangeToGranularity",
        counted("number", backgroundChart={"type": "area"}),
    ),
    "an alert": (chart("line", alert={"threshold": 1}), "config.alert", counted("line")),
    "conditions that the page replaces": (
        chart("line", filters=[{"type": "sql", "condition": "a"}]),
        "config.filters",
        counted("line"),
    ),
    "a click on a dashboard that is not there": (
        chart("table", onClick={"type": "dashboard", "target": {"mode": "id", "id": "Gone"}}),
        "config.onClick.target",
        counted("table"),
    ),
    "a property of a newer server": (chart("line", sparkles=True), "config.sparkles", counted("line")),
    "such a property of a value": (
        chart("line", select=[{**COUNT, "sparkles": 1}]),
        "config.select[0].sparkles",
        counted("line"),
    ),
}


@pytest.mark.parametrize("case", WARNINGS)
def test_tile_that_looks_different(case: str) -> None:
    """It is converted, and what is lost is named with its place."""
    config, place, expected = WARNINGS[case]
    result = read(template(config))
    assert [each.place for each in result.losses] == [f"tile 'Tile 0', {place}"]
    assert {each.severity for each in result.losses} == {Severity.WARNING}
    assert result.inputs["tiles"][0]["config"] == expected


SAME: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "its own granularity": (chart("line", granularity="5 minute"), counted("line")),
    "its own granularity in raw SQL": (sql("line", granularity="5 minute"), raw("line")),
    "a limit of rows of a number": (chart("number", limit={"limit": 20}), counted("number")),
    "first rows left out without a limit": (chart("table", limit={"offset": 5}), counted("table")),
    "the language of an aggregated expression": (
        chart("line", select=[{**COUNT, "valueExpressionLanguage": "lucene"}]),
        counted("line"),
    ),
}


@pytest.mark.parametrize("case", SAME)
def test_tile_that_looks_the_same(case: str) -> None:
    """The page does not read such a key, or shows the same without it, so nothing is named."""
    config, expected = SAME[case]
    result = read(template(config))
    assert result.losses == []
    assert result.inputs["tiles"][0]["config"] == expected


FILTER = {"id": "f", "type": "QUERY_EXPRESSION", "name": "Host", "expression": "Host", "source": "Logs"}
KEPT_FILTER = {"type": "QUERY_EXPRESSION", "name": "Host", "expression": "Host", "sourceId": IDS["Logs"]}

BOARDS: dict[str, tuple[dict[str, Any], dict[str, Any], list[str]]] = {
    "tags": ({"tags": ["a"]}, {"tags": ["a"]}, []),
    "what the file says of itself": ({"description": "d", "_id": "1", "team": "t", "createdAt": "now"}, {}, []),
    "a query without a language": ({"savedQuery": "a"}, {"savedQuery": "a", "savedQueryLanguage": "lucene"}, []),
    "null is absent": ({"savedQuery": None, "savedQueryLanguage": None, "filters": None}, {}, []),
    "conditions": (
        {
            "savedFilterValues": [
                {"type": "sql", "condition": "a = 1"},
                {"type": "sql_ast", "operator": ">", "left": "b", "right": "2"},
                {"type": "lucene", "condition": 'ServiceName:"shop"'},
                {"type": "lucene", "condition": "words of a search"},
            ]
        },
        {
            "savedFilterValues": [
                {"type": "sql", "condition": "a = 1"},
                {"type": "sql", "condition": "b > 2"},
                {"type": "sql", "condition": "ServiceName = 'shop'"},
            ]
        },
        ["savedFilterValues[3]"],
    ),
    "a filter": (
        {"filters": [{**FILTER, "where": "a", "appliesToSourceIds": ["Metrics"], "variableName": "unused"}]},
        {
            "filters": [
                {**KEPT_FILTER, "where": "a", "whereLanguage": "sql", "appliesToSourceIds": [IDS["Metrics"]]},
            ]
        },
        [],
    ),
    "a variable": (
        {"filters": [{**FILTER, "isVariableEnabled": True, "isBroadcastEnabled": False, "variableName": "host"}]},
        {"filters": [{**KEPT_FILTER, "isBroadcastEnabled": False, "isVariableEnabled": True, "variableName": "host"}]},
        [],
    ),
    "a filter of a newer server": (
        {"filters": [{"id": "f", "type": "CALENDAR", "name": "Day", "first": "monday"}]},
        {},
        ["filter 'Day', type", "filter 'Day', first"],
    ),
    "two filters that a Dashboard cannot tell apart": (
        {"filters": [FILTER, {**FILTER, "id": "g", "isBroadcastEnabled": True}]},
        {"filters": [KEPT_FILTER]},
        ["filter 'Host'"],
    ),
    "a list": (
        {"filters": [{"id": "f", "type": "STATIC_LIST", "name": "Env", "options": ["a"], "variableName": "env"}]},
        {"filters": [{"type": "STATIC_LIST", "name": "Env", "options": ["a"], "variableName": "env"}]},
        [],
    ),
    "a list of objects": (
        {"filters": [{"id": "f", "type": "STATIC_LIST", "name": "Env", "options": [{"value": "a"}]}]},
        {},
        ["filter 'Env', options"],
    ),
    "a label": (
        {
            "filters": [
                {"id": "f", "type": "PROMETHEUS_LABEL", "name": "Job", "source": "Logs", "label": "job", "match": "up"}
            ]
        },
        {
            "filters": [
                {"type": "PROMETHEUS_LABEL", "name": "Job", "label": "job", "match": "up", "sourceId": IDS["Logs"]}
            ]
        },
        [],
    ),
    "chosen values of a variable": (
        {"savedFilterValues": [{"type": "variable", "name": "env", "values": ["a"]}]},
        {"savedFilterValues": [{"type": "variable", "name": "env", "values": ["a"]}]},
        [],
    ),
    "a filter without a source": ({"filters": [{**FILTER, "source": ""}]}, {}, ["filter 'Host', source"]),
    "containers": (
        {"containers": [{"id": "c", "title": "C", "collapsed": True, "tabs": [{"id": "t", "title": "T", "icon": 1}]}]},
        {"containers": [{"id": "c", "title": "C", "collapsed": True, "tabs": [{"id": "t", "title": "T"}]}]},
        ["containers[0].tabs[0].icon"],
    ),
    "a provisioned dashboard": ({"provisioned": True}, {}, ["provisioned"]),
    "a property of a newer server": ({"theme": "dark"}, {}, ["theme"]),
}


@pytest.mark.parametrize("case", BOARDS)
def test_parts_besides_tiles(case: str) -> None:
    """They become inputs, or are named."""
    given_, expected, places = BOARDS[case]
    result = read({"version": "0.1.0", "name": "Shop", "tiles": [], **given_})
    assert result.inputs == {"name": "Shop", "tiles": [], **expected}
    assert [each.place for each in result.losses] == places


CONTAINER = [{"id": "c", "title": "C", "collapsed": False, "tabs": [{"id": "t", "title": "T"}]}]


@pytest.mark.parametrize(
    ("place", "expected", "places"),
    [
        ({"containerId": "c", "tabId": "t"}, {"containerId": "c", "tabId": "t"}, []),
        ({"containerId": "c", "tabId": "gone"}, {"containerId": "c"}, ["tabId"]),
        ({"containerId": "gone", "tabId": "t"}, {}, ["containerId"]),
        ({"tabId": "t"}, {}, ["tabId"]),
    ],
)
def test_place_in_containers(place: dict[str, Any], expected: dict[str, Any], places: list[str]) -> None:
    """A container or tab that the file lacks is dropped with a warning, as the server does."""
    content = template(chart("line"), containers=CONTAINER)
    content["tiles"][0] |= place
    result = read(content)
    tile = result.inputs["tiles"][0]
    assert {name: tile[name] for name in ("containerId", "tabId") if name in tile} == expected
    assert [each.place for each in result.losses] == [f"tile 'Tile 0', {each}" for each in places]


def test_keys() -> None:
    """The id of a tile is its key; without ids its name, made unique."""
    tiles = [{"config": chart("line", name=name)} for name in ("a", "b", "a", "")]
    assert [each["key"] for each in read({"name": "n", "tiles": tiles}).inputs["tiles"]] == ["a-1", "b", "a-3", "tile"]


REFUSED = {
    "Grafana": ('{"panels": [], "schemaVersion": 39}', "Grafana"),
    "no JSON": ("{", "not JSON"),
    "no object": ("[]", "no JSON object"),
    "a key twice": ('{"name": "a", "name": "b", "tiles": []}', "'name' occurs twice"),
    "a number that JSON does not have": ('{"name": "a", "tiles": [], "x": NaN}', "NaN"),
    "nothing of a dashboard": ("{}", "name: Field required; tiles: Field required"),
    "a value of another type": (
        '{"name": "a", "tiles": [{"config": {"displayType": 1}}]}',
        "tiles[0].config.displayType",
    ),
    "a character that cannot be stored": ('{"name": "\\u0000", "tiles": []}', "characters"),
    "too deep": ("[" * 100_000, "nested too deeply"),
    "too large": (json.dumps({"name": "a" * 5 * 1024 * 1024, "tiles": []}), "5 MiB"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_no_dashboard(case: str) -> None:
    """The message states the fault, and what to do."""
    text, fault = REFUSED[case]
    with pytest.raises(ResourceError) as caught:
        read_file(text)
    first, second = str(caught.value).split("\n")
    assert fault in first
    assert second


API_TILE = {"id": "t", "name": "Tile", "x": 0, "y": 0, "w": 8, "h": 4}
OF_API: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "a config": (
        {
            "config": counted(
                "line", asRatio=True, select=[COUNTED, {"aggFn": "count", "where": "Body:a"}], fillNulls=True
            )
        },
        counted("line", asRatio=True, select=[COUNTED, {**COUNTED, "where": "Body:a"}]),
    ),
    "a pie with a limit": ({"config": counted("pie", limit=3)}, counted("pie", limit=3)),
    "a change": (
        {"config": counted("line", select=[{"aggFn": "max", "valueExpression": "v", "periodAggFn": "delta"}])},
        counted("line", select=[{**COUNTED, "aggFn": "max", "valueExpression": "v", "periodAggFn": "delta"}]),
    ),
    "raw SQL": ({"config": raw("bar")}, raw("bar")),
    "a search": (
        {"config": {"displayType": "search", "sourceId": IDS["Logs"], "select": "", "where": "Body:a"}},
        counted("search", columns="", where="Body:a", whereLanguage="lucene"),
    ),
    "series over time": (
        {
            "series": [
                {
                    "type": "time",
                    "sourceId": IDS["Logs"],
                    "displayType": "stacked_bar",
                    "aggFn": "max",
                    "field": "v",
                    "where": "Body:a",
                    "groupBy": ["a", "b"],
                }
            ]
        },
        counted(
            "stacked_bar",
            groupBy="a, b",
            select=[{**COUNTED, "aggFn": "max", "valueExpression": "v", "where": "Body:a"}],
        ),
    ),
    "a series of text": (
        {"series": [{"type": "markdown", "content": "Hi"}]},
        {"displayType": "markdown", "markdown": "Hi"},
    ),
}


@pytest.mark.parametrize("case", OF_API)
def test_file_of_the_api(case: str) -> None:
    """The form of the public API is recognised by its tiles."""
    tile, expected = OF_API[case]
    result = read({"data": {"id": "d", "name": "Shop", "tiles": [{**API_TILE, **tile}]}})
    assert not result.losses
    assert result.inputs["tiles"] == [{"key": "t", "name": "Tile", "x": 0, "y": 0, "w": 8, "h": 4, "config": expected}]


def test_series_that_differ_in_what_holds_for_all() -> None:
    """The server takes the groups of the first series; those of another one are named."""
    first = {"type": "time", "sourceId": IDS["Logs"], "aggFn": "count", "where": "", "groupBy": ["a"]}
    content = {"name": "n", "tiles": [{**API_TILE, "series": [first, {**first, "groupBy": ["b"]}]}]}
    assert [each.place for each in read(content).losses] == ["tile 'Tile', config.select[1].groupBy"]


JOINED: dict[str, tuple[Condition, Condition, Condition | None]] = {
    "one": (Condition("a", "sql"), Condition(" ", "lucene"), Condition("a", "sql")),
    "the same language": (Condition("a", "sql"), Condition("b", "sql"), Condition("(a) AND (b)", "sql")),
    "the value in Lucene": (
        Condition("a = 1", "sql"),
        Condition("SeverityText:err", "lucene"),
        Condition("(a = 1) AND (SeverityText ILIKE '%err%')", "sql"),
    ),
    "a search for words": (Condition("word", "lucene"), Condition("b", "sql"), None),
    "another language": (Condition("up", "promql"), Condition("b", "sql"), None),
}


@pytest.mark.parametrize("case", JOINED)
def test_joined_conditions(case: str) -> None:
    """Two languages are joined in SQL, if there is a certain equivalent."""
    chart_, value, expected = JOINED[case]
    if expected is None:
        with pytest.raises(MixedLanguagesError):
            both(chart_, value)
    else:
        assert both(chart_, value) == expected


@pytest.mark.parametrize(
    ("lucene", "sql_"),
    [
        ("ServiceName:*", "notEmpty(ServiceName)"),
        ('ResourceAttributes.k8s.pod-name:"it\'s"', "ResourceAttributes['k8s.pod-name'] = 'it\\'s'"),
        (
            "(SpanName:a OR SpanName:b) AND TraceId:*",
            "(SpanName ILIKE '%a%' OR SpanName ILIKE '%b%') AND notEmpty(TraceId)",
        ),
        ("SpanName:a OR SpanName:b AND TraceId:*", None),  # the server's parser has no precedence
        ("NOT SpanName:a", None),
        ("-SpanName:a", None),
        ("SpanName:a SpanName:b", None),
        ("SpanName:a*", None),
        ("SpanName:a_b", None),  # `_` is any character of LIKE
        ("Duration:5", None),  # a number is compared, and not searched
        ("Custom.key:*", None),
        ("(SpanName:a", None),
        ('SpanName:"a\\"b"', None),
        ("ANDy:*", None),
    ],
)
def test_lucene_in_sql(lucene: str, sql_: str | None) -> None:
    """Only forms with a certain equivalent are translated."""
    if sql_ is None:
        with pytest.raises(MixedLanguagesError):
            in_sql(Condition(lucene, "lucene"))
    else:
        assert in_sql(Condition(lucene, "lucene")) == Condition(sql_, "sql")


# -- nothing is lost quietly -------------------------------------------------------------------------------------------

RULE = {"operator": "gt", "value": 1, "color": "chart-red", "label": "l", "later": 1}
VALUE = {
    **COUNT,
    "aggFn": "max",
    "aggCondition": "a",
    "valueExpression": "v",
    "alias": "A",
    "metricType": "gauge",
    "metricName": "m",
    "isDelta": True,
    "numberFormat": {"output": "byte", "mantissa": 1, "factor": 0.5, "later": 1},
    "color": "chart-red",
    "colorRules": [RULE],
    "later": 1,
}
CLICK = {
    "type": "search",
    "target": {"mode": "id", "id": "Logs", "later": 1},
    "whereTemplate": "a",
    "whereLanguage": "sql",
    "filters": [{"kind": "expressionTemplate", "expression": "a", "template": "b", "later": 1}],
    "later": 1,
}
VALUES: dict[str, Any] = {
    "source": "Logs",
    "select": [VALUE, {**VALUE, "alias": "B"}],
    "where": "a",
    "whereLanguage": "lucene",
    "groupBy": "g",
    "having": "h > 1",
    "havingLanguage": "lucene",
    "orderBy": "o",
    "limit": {"limit": 5, "offset": 2, "later": 1},
    "seriesLimit": 3,
    "seriesReturnType": "ratio",
    "ratioMode": "share_of_total",
    "formulas": [{"expression": "A / B", "alias": "f", "later": 1}],
    "showOperandSeries": False,
    "numberFormat": {"output": "byte", "mantissa": 1},
    "granularity": "5 minute",
    "compareToPreviousPeriod": True,
    "fillNulls": False,
    "alignDateRangeToGranularity": False,
    "fitYAxisToData": True,
    "groupByColumnsOnLeft": True,
    "onClick": CLICK,
    "color": "chart-red",
    "colorRules": [RULE],
    "backgroundChart": {"type": "line", "color": "chart-red", "later": 1},
    "alternateRowBackground": True,
    "markdown": "text",
    "selectGroupBy": False,
    "filters": [{"type": "sql", "condition": "a"}],
    "connection": "ClickHouse",
    "sqlTemplate": "SELECT 1",
    "alert": {"threshold": 1},
    "later": {"of": "a newer server"},
}
"""For each key a value that is not the default."""

KINDS = [
    *(("builder", each) for each in ("line", "stacked_bar", "table", "number", "pie", "bar", "heatmap", "markdown"))
]
KINDS += [("sql", each) for each in ("line", "stacked_bar", "table", "number", "pie", "bar")]

OF_ANOTHER = frozenset({"aggConditionLanguage", "whereLanguage", "havingLanguage"})
"""The language of a text is significant only beside the text."""


SUPERSEDED = {"seriesReturnType": "formulas", "seriesLimit": "limit"}
"""Keys that the renderer ignores beside another one."""


def paths_in(value: Any, path: Path = ()) -> Iterator[Path]:
    """Yield the path of each key, at any depth."""
    if isinstance(value, dict):
        for name, item in value.items():
            yield (*path, name)
            yield from paths_in(item, (*path, name))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from paths_in(item, (*path, index))


def without(config: dict[str, Any], path: Path) -> dict[str, Any]:
    """Return a config without one key."""
    copied: Any = copy.deepcopy(config)
    *outer, last = path
    inner = copied
    for part in outer:
        inner = inner[part]
    del inner[last]
    result: dict[str, Any] = copied
    return result


def config_alone(config: dict[str, Any]) -> tuple[dict[str, Any], list[Loss]]:
    """Return the config of a tile, also if it has errors, and what is lost."""
    losses = Losses()
    return config_of(FileConfig.model_validate(config), losses, refer), losses.found


@pytest.mark.parametrize(("form", "display"), KINDS)
@settings(deadline=None, max_examples=4, phases=[Phase.generate])
@given(data=st.data())
def test_every_key_is_accounted_for(form: str, display: str, data: st.DataObject) -> None:
    """Without a key, the result is another one, unless it means nothing here, or a part around it is named as lost."""
    names = data.draw(st.sets(st.sampled_from(sorted(VALUES)), min_size=4))
    needed = {"source", "select"} if form == "builder" else {"connection", "sqlTemplate"}
    kept = {name: VALUES[name] for name in VALUES if name in names | needed}
    config = {"displayType": display, "name": "T", **({"configType": "sql"} if form == "sql" else {}), **kept}
    whole, losses = config_alone(config)
    ignored = {wire_name(FileConfig, each) for each in without_meaning(display, config.get("configType"))}
    lost = {each.place for each in losses}
    for path in paths_in(config):
        around = {show_path(("config", *path[:length])) for length in range(1, len(path) + 1)}
        if (
            around & lost
            or path[0] in ignored
            or (path[0] == "select" and display == "heatmap")
            or path[-1] in OF_ANOTHER
        ):
            continue
        if SUPERSEDED.get(str(path[0])) in config:
            continue
        try:
            less = config_alone(without(config, path))
        except ValidationError:
            continue  # a key that files must have
        assert less != (whole, losses), path
