"""What the vendor's servers ask of a dashboard beyond the interface: cases of check."""

from __future__ import annotations

from typing import Any

from support.ids import LOGS

from .rules import Case, Values
from .vendor_rules import CLICKHOUSE, only_there

PLACE: Values = {"name": "a", "x": 0, "y": 0, "w": 6, "h": 3}
COUNT: Values = {"type": "time", "sourceId": LOGS, "aggFn": "count", "where": "", "groupBy": []}
NUMBER: Values = {"type": "number", "sourceId": LOGS, "aggFn": "count", "where": ""}
ROWS: Values = {"aggFn": "count"}
LINE: Values = {"displayType": "line", "sourceId": LOGS, "select": [ROWS]}
SQL: Values = {"displayType": "line", "configType": "sql", "connectionId": LOGS, "sqlTemplate": "SELECT 1"}
FILTER: Values = {"type": "QUERY_EXPRESSION", "name": "Service", "expression": "ServiceName", "sourceId": LOGS}
CONTAINER: Values = {"id": "c", "title": "Group", "collapsed": False}
KINDS = "line, stacked_bar, table, number, pie, bar"
LISTED = "line, stacked_bar, table, number, pie, bar and heatmap"
ONE = "must have exactly 1 element for displayType pie, bar and heatmap, and for number without formulas"


def board(**more: Any) -> Values:
    """Return a dashboard of one tile that shows a series."""
    return {"tiles": [{**PLACE, "series": [COUNT]}], **more}


def placed(**more: Any) -> Values:
    """Return a dashboard of one tile at another place."""
    tile = {**PLACE, "series": [COUNT], **more}
    return {"tiles": [{name: value for name, value in tile.items() if value is not None}]}


def series(*items: Values, **more: Any) -> Values:
    """Return a dashboard of one tile of series."""
    return {"tiles": [{**PLACE, "series": list(items), **more}]}


def config(base: Values, **more: Any) -> Values:
    """Return a dashboard of one tile in the newer form; None takes a property out."""
    told = {name: value for name, value in {**base, **more}.items() if value is not None}
    return {"tiles": [{**PLACE, "config": told}]}


def refused(rule: str, passes: Values, fails: Values, *says: str) -> Case:
    """Return a case in the dialect."""
    return Case(rule, passes, fails, says, CLICKHOUSE)


def of_config(rule: str, passes: Values, fails: Values, *says: str) -> Case:
    """Return a case of a config; what it says goes on from its path."""
    return refused(rule, config(passes), config(fails), *(f"tiles[0].config.{each}" for each in says))


CONFIGS = [
    of_config("lines", {**LINE, "compareToPreviousPeriod": True, "seriesLimit": 0}, {}, "displayType is required"),
    of_config(
        "a display type",
        {**LINE, "displayType": "stacked_bar"},
        {**LINE, "displayType": "sideways"},
        "displayType must be one of line, stacked_bar, table, number, pie, bar, heatmap, search, event_patterns, "
        "markdown, not 'sideways'",
    ),
    of_config(
        "a condition on rows belongs to its value",
        {**LINE, "select": [{**ROWS, "where": "a:1", "whereLanguage": "lucene"}]},
        {**LINE, "where": "a:1"},
        "where is for displayType heatmap, search and event_patterns, which is 'line'",
    ),
    of_config(
        "a search shows text",
        {"displayType": "search", "sourceId": LOGS, "select": "Timestamp, Body", "where": "", "whereLanguage": "sql"},
        {"displayType": "search", "sourceId": LOGS, "select": [ROWS]},
        "select must be text for displayType search and event_patterns, and a list for every other, which is 'search'",
    ),
    of_config(
        "patterns need a source",
        {"displayType": "event_patterns", "sourceId": LOGS},
        {"displayType": "event_patterns"},
        f"sourceId is required without raw SQL for displayType {LISTED.replace(' and heatmap', ', heatmap')}, search "
        "and event_patterns",
    ),
    of_config(
        "text needs nothing else",
        {"displayType": "markdown", "markdown": "# Orders"},
        {"displayType": "markdown", "markdown": "m" * 50_001},
        f"markdown must have at most 50000 characters but has 50001, not {'m' * 76!r}".replace("m'", "m..."),
    ),
    of_config(
        "one number",
        {**LINE, "displayType": "number", "color": "chart-red", "backgroundChart": {"type": "area"}},
        {**LINE, "displayType": "number", "select": [ROWS, ROWS]},
        f"select {ONE}, which is 'number' and has 2",
    ),
    of_config(
        "values of a formula",
        {**LINE, "displayType": "number", "select": [ROWS, ROWS], "formulas": [{"expression": "A / (A + B) * 100"}]},
        {**LINE, "displayType": "number", "select": [ROWS, ROWS], "formulas": [{"expression": "A / C"}]},
        "formulas must be arithmetic over the values of select, whose letters are A, B, C, in order; formulas[0] names "
        "C, but there are 2 value(s) in select",
    ),
    of_config(
        "a ratio of two",
        {**LINE, "select": [ROWS, ROWS], "asRatio": True},
        {**LINE, "asRatio": True},
        "asRatio needs exactly 2 elements of select, not 1",
    ),
    of_config(
        "a formula or a ratio",
        {**LINE, "formulas": [{"expression": "-A"}], "showOperandSeries": False},
        {**LINE, "select": [ROWS, ROWS], "asRatio": True, "formulas": [{"expression": "A"}], "showOperandSeries": True},
        "formulas must be left out where asRatio is true",
    ),
    of_config(
        "operands of no formula",
        {**LINE, "formulas": [{"expression": "A * 2"}], "showOperandSeries": True},
        {**LINE, "showOperandSeries": True},
        "showOperandSeries is for configs with formulas",
    ),
    of_config(
        "a slice for each group",
        {**LINE, "displayType": "pie", "groupBy": "ServiceName", "limit": 5, "orderBy": "1"},
        {**LINE, "displayType": "bar", "select": [ROWS, ROWS], "limit": -1},
        "limit must be at least 0, not -1",
        f"select {ONE}, which is 'bar' and has 2",
    ),
    of_config(
        "a heatmap of one expression",
        {
            "displayType": "heatmap",
            "sourceId": LOGS,
            "select": [{"valueExpression": "Duration", "countExpression": "count()", "heatmapScaleType": "log"}],
        },
        {"displayType": "heatmap", "sourceId": LOGS, "select": [{"aggFn": "max", "valueExpression": "Duration"}]},
        "select has countExpression, heatmapScaleType and valueExpression for displayType heatmap, and the others for "
        "every other; select[0] has aggFn, which is 'heatmap'",
    ),
    of_config(
        "something is selected",
        {**LINE, "select": [ROWS] * 20},
        {**LINE, "select": []},
        "select must have 1 to 20 elements, not 0",
    ),
    of_config(
        "every value is aggregated",
        {**LINE, "select": [{"aggFn": "increase", "valueExpression": "a"}]},
        {**LINE, "select": [{"valueExpression": "a"}]},
        "select must each have an aggFn; without one: number 0",
    ),
    of_config(
        "only rows are counted",
        {**LINE, "select": [{"aggFn": "sum", "valueExpression": "a", "numberFormat": {"output": "percent"}}]},
        {**LINE, "select": [{"aggFn": "sum"}, {"aggFn": "count", "valueExpression": "a"}]},
        "select[0].valueExpression is required for every aggFn but count, which is 'sum'",
        "select[1].valueExpression must be left out for aggFn count, which counts rows",
    ),
    of_config(
        "the level of a quantile",
        {**LINE, "select": [{"aggFn": "quantile", "valueExpression": "a", "level": 0.95}]},
        {**LINE, "select": [{**ROWS, "level": 0.5}, {"aggFn": "quantile", "valueExpression": "a", "level": 0.75}]},
        "select[0].level is for aggFn quantile only, which is 'count'",
        "select[1].level must be one of 0.5, 0.9, 0.95, 0.99, not 0.75",
    ),
    of_config(
        "a colour under a condition",
        {
            **LINE,
            "displayType": "number",
            "colorRules": [
                {"operator": "between", "value": [1, 2.5], "color": "chart-warning", "label": "busy"},
                {"operator": "eq", "value": "down", "color": "chart-error"},
            ],
        },
        {**LINE, "displayType": "number", "colorRules": [{"operator": "gt", "value": "9", "color": "red"}]},
        "colorRules[0].color must be one of chart-blue, chart-orange, chart-red, chart-cyan, chart-green, chart-pink, "
        "chart-purple, chart-light-blue, chart-brown, chart-gray, chart-success, chart-warning, chart-error, not 'red'",
        "colorRules[0].value must be a number, for operator between two numbers, and for eq and neq a number or at "
        "most 200 characters, not '9'",
    ),
    of_config(
        "a click on a row",
        {
            **LINE,
            "displayType": "table",
            "onClick": {
                "type": "search",
                "target": {"mode": "id", "id": LOGS},
                "whereTemplate": "a:{{a}}",
                "filters": [{"kind": "expressionTemplate", "expression": "a", "template": "{{a}}"}],
            },
        },
        {**LINE, "displayType": "table", "onClick": {"type": "dashboard", "target": {"mode": "id", "id": "d1"}}},
        "onClick.target.id must be 24 hexadecimal digits where mode is id, not 'd1'",
    ),
    of_config(
        "a click leads somewhere",
        {**LINE, "displayType": "table", "onClick": {"type": "external", "urlTemplate": "https://example.com/{{a}}"}},
        {**LINE, "displayType": "table", "onClick": {"type": "external"}},
        "onClick.urlTemplate is required for type external",
    ),
    of_config(
        "raw SQL",
        {**SQL, "sourceId": LOGS, "fillNulls": False, "numberFormat": {"output": "byte", "mantissa": 2}},
        {**SQL, "connectionId": None, "select": [ROWS]},
        "connectionId is required with raw SQL",
        f"select is for displayType {KINDS}, heatmap, search and event_patterns without raw SQL, which is 'line' with "
        "raw SQL",
    ),
    of_config(
        "raw SQL of some kinds",
        {**SQL, "displayType": "bar"},
        {**SQL, "displayType": "heatmap"},
        f"configType must be left out for every displayType but {KINDS.replace(', bar', ' and bar')}, not 'heatmap'",
    ),
    of_config(
        "an id of the server",
        LINE,
        {**LINE, "sourceId": "logs"},
        "sourceId must match ^[0-9a-fA-F]{24}$, not 'logs'",
    ),
    of_config(
        "what nobody knows yet",
        {**LINE, "newerThanUs": {"a": [1]}},
        {**LINE, "numberFormat": {}},
        "numberFormat.output is required",
    ),
]

TILES = [
    refused(
        "the grid has 24 columns",
        placed(x=23, w=24, y=1000, h=1.5),
        placed(x=24, w=25, y=-1, h=0),
        "tiles[0].x must be at most 23, not 24",
        "tiles[0].y must be at least 0, not -1",
        "tiles[0].w must be at most 24, not 25",
        "tiles[0].h must be at least 1, not 0",
    ),
    refused(
        "a tile has a place and a name",
        placed(name="", key="k"),
        placed(name=None, key="k", x=None, h=None),
        "tiles[0].name is required",
        "tiles[0].x is required",
        "tiles[0].h is required",
    ),
    refused("a tile shows something", placed(), placed(series=None), "tiles[0].series is required, or config"),
    refused("some series", series(COUNT, COUNT), series(), "tiles[0].series must have at least 1 element(s), not []"),
    refused(
        "series of one type",
        series({"type": "search", "sourceId": LOGS, "fields": ["Body"], "where": ""}),
        series(COUNT, {"type": "markdown", "content": "m"}),
        "tiles[0].series must be of one type, not markdown and time",
    ),
    refused(
        "one number",
        series(NUMBER),
        series(NUMBER, NUMBER),
        "tiles[0].series must be one for type number, search and markdown, not 2",
    ),
    refused(
        "a ratio of two series",
        series(COUNT, COUNT, asRatio=True),
        series(COUNT, asRatio=True),
        "tiles[0].asRatio needs exactly 2 series, not 1",
    ),
    refused(
        "a ratio in config",
        config(LINE),
        {"tiles": [{**PLACE, "config": LINE, "asRatio": False}]},
        "tiles[0].asRatio belongs into config where config is given",
    ),
    refused(
        "what a series needs",
        series(
            {**COUNT, "level": 0.95, "alias": "p95", "displayType": "stacked_bar", "numberFormat": {"output": "time"}}
        ),
        series({"type": "time"}, {"sourceId": LOGS}),
        "tiles[0].series[0].sourceId is required for type time, table, number and search",
        "tiles[0].series[0].aggFn is required for type time, table and number",
        "tiles[0].series[0].where is required for type time, table, number and search",
        "tiles[0].series[0].groupBy is required for type time and table",
        "tiles[0].series[1].type is required",
    ),
    refused(
        "words of a series",
        series({**COUNT, "whereLanguage": "sql", "metricDataType": "exponential histogram"}),
        series(
            {**COUNT, "aggFn": "p95", "whereLanguage": "cql", "sourceId": "logs", "groupBy": ["a"] * 11, "level": 2}
        ),
        "tiles[0].series[0].sourceId must match ^[0-9a-fA-F]{24}$, not 'logs'",
        "tiles[0].series[0].aggFn must be one of avg, count, count_distinct, last_value, max, min, quantile, sum, any, "
        "none, increase, not 'p95'",
        "tiles[0].series[0].whereLanguage must be one of lucene, sql, not 'cql'",
        f"tiles[0].series[0].groupBy must have at most 10 elements, not {['a'] * 11}",
        "tiles[0].series[0].level must be at most 1, not 2",
    ),
    refused(
        "what a series of text has",
        series({"type": "markdown", "content": "# Orders"}),
        series({"type": "markdown", "field": "# Orders"}),
        "tiles[0].series[0].content is required for type markdown",
        "tiles[0].series[0].field is for type time, table and number, which is 'markdown'",
    ),
    refused(
        "a tile joins a container",
        {**placed(containerId="c", tabId="t"), "containers": [{**CONTAINER, "tabs": [{"id": "t", "title": "T"}]}]},
        {**placed(containerId="d"), "containers": [CONTAINER]},
        "tiles must be in containers and tabs that are given; 'a' has the containerId 'd'",
    ),
    refused(
        "a tab is of a container",
        placed(containerId="c", tabId="t"),
        placed(tabId="t"),
        "tiles[0].tabId needs a containerId",
    ),
]

DASHBOARDS = [
    *only_there(
        filters=[FILTER],
        savedQuery="a:1",
        savedQueryLanguage="sql",
        savedFilterValues=[{"condition": "a = 1"}],
        containers=[CONTAINER],
    ),
    Case(
        "places in containers in the interface's dialect",
        {},
        {"tiles": [{"name": "a", "containerId": "c", "series": [{"alias": "x"}]}]},
        (
            "tiles[0].containerId is not a property here, only with clouddb:vocabulary=clickhouse",
            "tiles[0].series[0].alias is not a property here, only with clouddb:vocabulary=clickhouse",
        ),
    ),
    refused(
        "the length of a name",
        board(name="n" * 1024),
        board(name="n" * 1025),
        f"name must have at most 1024 characters but has 1025, not {'n' * 76!r}".replace("n'", "n..."),
    ),
    refused(
        "the length of a tag",
        board(tags=["t" * 32]),
        board(tags=["a", "t" * 33]),
        f"tags[1] must have at most 32 characters but has 33, not {'t' * 33!r}",
    ),
    refused(
        "so many tags",
        board(tags=["t"] * 50),
        board(tags=["t"] * 51),
        f"tags must have at most 50 elements, not {str(['t'] * 51)[:77]}...",
    ),
    refused(
        "filters have no id",
        board(filters=[{**FILTER, "isVariableEnabled": True, "variableName": "service"}]),
        board(filters=[{**FILTER, "id": "1"}]),
        "filters[0].id is not a property here",
    ),
    refused(
        "a filter does something",
        board(filters=[{**FILTER, "isBroadcastEnabled": False, "isVariableEnabled": True}]),
        board(
            filters=[{**FILTER, "isBroadcastEnabled": False, "variableName": "service", "appliesToSourceIds": [LOGS]}]
        ),
        "filters[0].isBroadcastEnabled must be true where isVariableEnabled is not, which is false",
        "filters[0].variableName is for filters whose isVariableEnabled is true, which it is not",
        "filters[0].appliesToSourceIds is for filters whose isBroadcastEnabled is true, which is false",
    ),
    refused(
        "a variable has a name",
        board(filters=[{**FILTER, "isVariableEnabled": True}]),
        board(filters=[{**FILTER, "name": "1", "isVariableEnabled": True}]),
        "filters[0].variableName is required where isVariableEnabled is true and the filter's name makes no name of a "
        "variable",
    ),
    refused(
        "variables have names of their own",
        board(filters=[{**FILTER, "isVariableEnabled": True}, {**FILTER, "name": "Host"}]),
        board(
            filters=[{**FILTER, "isVariableEnabled": True}, {**FILTER, "expression": "b", "isVariableEnabled": True}]
        ),
        "filters must have unique names of variables, but 'Service' occurs more than once",
    ),
    refused(
        "filters are told apart",
        board(filters=[FILTER, {**FILTER, "expression": "Host"}]),
        board(filters=[FILTER, FILTER]),
        "filters must each have a name and expression of their own; 'Service' of 'ServiceName' occurs more than once",
    ),
    refused(
        "containers have ids of their own",
        board(containers=[CONTAINER, {**CONTAINER, "id": "d", "collapsible": False, "bordered": False}]),
        board(containers=[CONTAINER, {"id": "c", "title": ""}]),
        "containers[1].title must have at least 1 character(s), not ''",
        "containers[1].collapsed is required",
        "containers must have unique ids, but 'c' occurs more than once",
    ),
    refused(
        "tabs have ids of their own",
        board(containers=[{**CONTAINER, "tabs": [{"id": "a", "title": "A"}, {"id": "b", "title": "A"}]}]),
        board(containers=[{**CONTAINER, "tabs": [{"id": "a", "title": "A"}, {"id": "a", "title": "B"}]}]),
        "containers[0].tabs must have unique ids, but 'a' occurs more than once",
    ),
    refused(
        "what is shown at first",
        board(savedQuery="a:1", savedQueryLanguage="lucene", savedFilterValues=[{"type": "sql", "condition": "a = 1"}]),
        board(savedQuery=1, savedQueryLanguage="cql", savedFilterValues=[{"type": "lucene"}]),
        "savedQuery must be text, not 1",
        "savedQueryLanguage must be one of lucene, sql, not 'cql'",
        "savedFilterValues[0].type must be one of sql, not 'lucene'",
        "savedFilterValues[0].condition is required",
    ),
    *TILES,
    *CONFIGS,
]
