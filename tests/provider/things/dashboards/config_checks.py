"""Cases of check: the rules of the vendor's servers for the config of a tile."""

from __future__ import annotations

from typing import Any

from pulumi_clouddb.schema.check.wording import TAKE_ID
from support.ids import CONNECTION, LOGS
from support.rows import Row, Usual, Values


def at(y: int = 0, **tile: Any) -> dict[str, Any]:
    """Return a tile with its place, which check computes for a tile without one."""
    return {**tile, "x": 0, "y": y, "w": 12, "h": 10}


BOARD = Usual("Dashboard", {"name": "Orders", "tiles": [at(name="Rate")]})
PLACE: Values = {"name": "a", "x": 0, "y": 0, "w": 6, "h": 3}
ROWS: Values = {"aggFn": "count"}
LINE: Values = {"displayType": "line", "sourceId": LOGS, "select": [ROWS]}
SQL: Values = {"displayType": "line", "configType": "sql", "connectionId": CONNECTION, "sqlTemplate": "SELECT 1"}
KINDS = "line, stacked_bar, table, number, pie, bar"
TABLE: Values = {**LINE, "displayType": "table"}
BARS: Values = {**LINE, "displayType": "stacked_bar"}
NUMBER: Values = {**LINE, "displayType": "number"}
PIE: Values = {**LINE, "displayType": "pie"}
SEARCH: Values = {"displayType": "search", "sourceId": LOGS, "columns": "Body"}
MARKDOWN: Values = {"displayType": "markdown", "markdown": "# Orders"}
OF_SQL = "line, stacked_bar, table, number, pie and bar"
LISTED = "line, stacked_bar, table, number, pie, bar and heatmap"
ONE = "must have exactly 1 element for displayType pie, bar and heatmap, and for number without formulas"


def config(base: Values, **more: Any) -> Values:
    """Return a dashboard with one tile in the newer form; None removes a property."""
    fields = {name: value for name, value in {**base, **more}.items() if value is not None}
    return {"tiles": [{**PLACE, "config": fields}]}


def of_config(passes: Values, fails: Values, *failures: str) -> Row:
    """Return a case of a config; the paths of its failures are relative to the config."""
    return BOARD.of_vendor(config(passes), config(fails), *(f"tiles[0].config.{each}" for each in failures))


CONFIGS = [
    of_config({**LINE, "compareToPreviousPeriod": True, "seriesLimit": 0}, {}, "displayType is required"),
    of_config(
        {**LINE, "displayType": "stacked_bar"},
        {**LINE, "displayType": "sideways"},
        "displayType must be one of line, stacked_bar, table, number, pie, bar, heatmap, search, event_patterns, "
        "markdown, not 'sideways'",
    ),
    of_config(
        {**LINE, "select": [{**ROWS, "where": "a:1", "whereLanguage": "lucene"}]},
        {**LINE, "where": "a:1"},
        (
            "where is for displayType heatmap, search and event_patterns; displayType is 'line': remove it, "
            "or set it in "
            "each entry of select"
        ),
    ),
    of_config(
        {"displayType": "search", "sourceId": LOGS, "columns": "Timestamp, Body", "where": "", "whereLanguage": "sql"},
        {"displayType": "search", "sourceId": LOGS, "select": [ROWS], "columns": "Body"},
        (
            f"select is for displayType {LISTED} without raw SQL; displayType is 'search': write columns, a "
            "text, in place "
            "of it"
        ),
    ),
    of_config(
        LINE,
        {**LINE, "columns": "Body"},
        (
            "columns is for displayType search and event_patterns; displayType is 'line': write select, a "
            "list of values, "
            "in place of it"
        ),
    ),
    of_config(
        {"displayType": "event_patterns", "sourceId": LOGS},
        {"displayType": "event_patterns"},
        f"sourceId is required without raw SQL for displayType {LISTED.replace(' and heatmap', ', heatmap')}, search "
        "and event_patterns",
    ),
    of_config(
        {"displayType": "markdown", "markdown": "# Orders"},
        {"displayType": "markdown", "markdown": "m" * 50_001},
        "markdown must have at most 50000 characters but has 50001",
    ),
    of_config(
        {**LINE, "displayType": "number", "color": "chart-red", "backgroundChart": {"type": "area"}},
        {**LINE, "displayType": "number", "select": [ROWS, ROWS]},
        f"select {ONE}; displayType is 'number', and select has 2",
    ),
    of_config(
        {**LINE, "displayType": "number", "select": [ROWS, ROWS], "formulas": [{"expression": "A / (A + B) * 100"}]},
        {**LINE, "displayType": "number", "select": [ROWS, ROWS], "formulas": [{"expression": "A / C"}]},
        "formulas must be arithmetic over the values of select, whose letters are A, B, C, in order; formulas[0] names "
        "C, but there are 2 value(s) in select",
    ),
    of_config(
        {**LINE, "select": [ROWS, ROWS], "asRatio": True},
        {**LINE, "asRatio": True},
        "asRatio needs exactly 2 elements of select, not 1",
    ),
    of_config(
        {**LINE, "formulas": [{"expression": "-A"}], "showOperandSeries": False},
        {**LINE, "select": [ROWS, ROWS], "asRatio": True, "formulas": [{"expression": "A"}], "showOperandSeries": True},
        "formulas must be left out if asRatio is true",
    ),
    of_config(
        {**LINE, "formulas": [{"expression": "A * 2"}], "showOperandSeries": True},
        {**LINE, "showOperandSeries": True},
        "showOperandSeries is for configs with formulas",
    ),
    of_config(
        {**LINE, "displayType": "pie", "groupBy": "ServiceName", "limit": 5, "orderBy": "1"},
        {**LINE, "displayType": "bar", "select": [ROWS, ROWS], "limit": -1},
        "limit must be at least 0, not -1",
        f"select {ONE}; displayType is 'bar', and select has 2",
    ),
    of_config(
        {
            "displayType": "heatmap",
            "sourceId": LOGS,
            "select": [{"valueExpression": "Duration", "countExpression": "count()", "heatmapScaleType": "log"}],
        },
        {"displayType": "heatmap", "sourceId": LOGS, "select": [{"aggFn": "max", "valueExpression": "Duration"}]},
        "select has countExpression, heatmapScaleType and valueExpression for displayType heatmap, and the others for "
        "every other; select[0] has aggFn, and displayType is 'heatmap'",
    ),
    of_config({**LINE, "select": [ROWS] * 20}, {**LINE, "select": []}, "select must have 1 to 20 elements, not 0"),
    of_config(
        {**LINE, "select": [{"aggFn": "increase", "valueExpression": "a", "metricType": "sum", "metricName": "m"}]},
        {**LINE, "select": [{"valueExpression": "a"}]},
        "select must each have an aggFn; missing in [0]",
    ),
    of_config(
        {**LINE, "select": [{"aggFn": "sum", "valueExpression": "a", "numberFormat": {"output": "percent"}}]},
        {**LINE, "select": [{"aggFn": "sum"}, {"aggFn": "count", "valueExpression": "a"}]},
        "select[0].valueExpression is required for every aggFn except count; aggFn is 'sum'",
        "select[1].valueExpression must be left out for aggFn count",
    ),
    BOARD.warned(
        config({**LINE, "select": [{"aggFn": "quantile", "valueExpression": "a", "level": 0.95}]}),
        config(
            {**LINE, "select": [{**ROWS, "level": 0.5}, {"aggFn": "quantile", "valueExpression": "a", "level": 0.75}]}
        ),
        "tiles[0].config.select[1].level should be one of 0.5, 0.9, 0.95, 0.99, not 0.75",
        failures=("tiles[0].config.select[0].level is for aggFn quantile only; aggFn is 'count': remove it",),
    ),
    of_config(
        {
            **LINE,
            "displayType": "number",
            "colorRules": [
                {"operator": "between", "value": [1, 2.5], "color": "chart-warning", "label": "busy"},
                {"operator": "eq", "value": "down", "color": "chart-error"},
            ],
        },
        {**LINE, "displayType": "number", "colorRules": [{"operator": "gt", "value": "9", "color": "chart-red"}]},
        "colorRules[0].value must be a number, for operator between two numbers, and for eq and neq a number or at "
        "most 200 characters, not '9'",
    ),
    of_config(
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
        f"onClick.target.id must be an id of 24 hexadecimal digits if mode is id, not 'd1'{TAKE_ID}",
    ),
    of_config(
        {**LINE, "displayType": "table", "onClick": {"type": "external", "urlTemplate": "https://example.com/{{a}}"}},
        {**LINE, "displayType": "table", "onClick": {"type": "external"}},
        "onClick.urlTemplate is required for type external",
    ),
    of_config(
        {**SQL, "sourceId": LOGS, "fillNulls": False, "numberFormat": {"output": "byte", "mantissa": 2}},
        {**SQL, "connectionId": None, "select": [ROWS]},
        "connectionId is required with raw SQL",
        f"select is for displayType {LISTED} without raw SQL; displayType is 'line' with raw SQL: remove it",
    ),
    of_config(
        {**SQL, "displayType": "bar"},
        {**SQL, "displayType": "heatmap"},
        f"configType must be left out for every displayType but {KINDS.replace(', bar', ' and bar')}, not 'heatmap'",
    ),
    of_config(
        LINE, {**LINE, "sourceId": "logs"}, f"sourceId must be an id of 24 hexadecimal digits, not 'logs'{TAKE_ID}"
    ),
    of_config(LINE, {**LINE, "numberFormat": {}}, "numberFormat.output is required"),
    *(
        of_config(base, {**base, name: value}, f"{name} is for {kinds}")
        for name, value, base, kinds in (
            ("alignDateRangeToGranularity", True, TABLE, "displayType line and stacked_bar"),
            ("asRatio", True, SQL, "displayType line, stacked_bar and table without raw SQL"),
            ("color", "chart-red", LINE, "displayType number"),
            ("compareToPreviousPeriod", True, BARS, "displayType line"),
            ("connectionId", CONNECTION, LINE, f"raw SQL of displayType {OF_SQL}"),
            ("fillNulls", False, TABLE, "displayType line and stacked_bar"),
            ("fitYAxisToData", True, BARS, "displayType line"),
            ("formulas", [{"expression": "A * 2"}], PIE, "displayType line, stacked_bar, table and number without raw"),
            ("groupBy", "ServiceName", NUMBER, "displayType line, stacked_bar, table, pie and bar without raw SQL"),
            ("groupByColumnsOnLeft", True, LINE, "displayType table without raw SQL"),
            ("having", "count() > 5", LINE, "displayType table without raw SQL"),
            ("limit", 5, TABLE, "displayType pie and bar without raw SQL"),
            ("markdown", "# Orders", LINE, "displayType markdown"),
            ("numberFormat", {"output": "byte"}, SEARCH, f"displayType {LISTED} and raw SQL of displayType {OF_SQL}"),
            ("orderBy", "Duration DESC", LINE, "displayType table, pie and bar without raw SQL"),
            ("seriesLimit", 5, TABLE, "displayType line and stacked_bar"),
            ("sourceId", LOGS, MARKDOWN, "displayType line, stacked_bar, table, number, pie, bar, heatmap, search and"),
            ("sqlTemplate", "SELECT 1", LINE, f"raw SQL of displayType {OF_SQL}"),
            ("whereLanguage", "sql", LINE, "displayType heatmap, search and event_patterns"),
        )
    ),
    of_config(
        {**PIE},
        {**PIE, "formulas": [{"expression": "A * 2"}], "showOperandSeries": True},
        "formulas is for displayType line, stacked_bar, table and number without raw SQL",
        "showOperandSeries is for displayType line, stacked_bar and table without raw SQL",
    ),
    of_config(SEARCH, {**SEARCH, "columns": None}, "columns is required without raw SQL for displayType search"),
    of_config(
        {**NUMBER, "formulas": [{"expression": "A * 2"}]},
        {**NUMBER, "formulas": [{"expression": "A * 2"}, {"expression": "A / 2"}]},
        "formulas must have at most 1 element for displayType number, not 2",
    ),
    of_config(
        {**TABLE, "onClick": {"type": "search", "target": {"mode": "id", "id": LOGS}}},
        {**TABLE, "onClick": {"type": "search"}},
        "onClick.target is required for type search and dashboard",
    ),
    of_config(
        {**TABLE, "onClick": {"type": "dashboard", "target": {"mode": "template", "template": "{{ServiceName}}"}}},
        {**TABLE, "onClick": {"type": "dashboard", "target": {"mode": "template", "id": LOGS}}},
        "onClick.target.template is required if mode is template",
    ),
    BOARD.warned(
        config({**LINE, "select": [{"aggFn": "quantile", "valueExpression": "Duration", "level": 0.95}]}),
        config({**LINE, "select": [{"aggFn": "p95", "valueExpression": "Duration"}]}),
        "tiles[0].config.select[0].aggFn is 'p95', which this version does not know",
        "tiles[0].config.select[0].aggFn has percentiles as quantile with a level: for p95, write aggFn quantile",
    ),
]
