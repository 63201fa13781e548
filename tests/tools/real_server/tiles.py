"""Tiles: all display types with builder and raw SQL, series of the older form, limits and mistakes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .request import ABSENT, Scenario, Values, each_alone, scenario, without

PLACE: Values = {"name": "a", "x": 0, "y": 0, "w": 6, "h": 3}
COUNT: Values = {"aggFn": "count"}
SUM: Values = {"aggFn": "sum", "valueExpression": "Duration", "where": "a:1", "whereLanguage": "lucene", "alias": "s"}
P95: Values = {
    "aggFn": "quantile",
    "level": 0.95,
    "valueExpression": "Duration",
    "where": "a = 1",
    "whereLanguage": "sql",
}
FORMAT: Values = {
    "output": "number",
    "mantissa": 2,
    "thousandSeparated": True,
    "average": False,
    "decimalBytes": True,
    "factor": 0.5,
    "currencySymbol": "€",
    "unit": "h",
    "numericUnit": "bytes_iec",
}
CLICK: Values = {
    "type": "search",
    "target": {"mode": "id", "id": "<logs.id>"},
    "whereTemplate": "a:{{a}}",
    "whereLanguage": "lucene",
    "filters": [{"kind": "expressionTemplate", "expression": "a", "template": "{{a}}"}],
}
RULES: list[Values] = [
    {"operator": "gt", "value": 1, "color": "chart-red", "label": "busy"},
    {"operator": "between", "value": [1, 2.5], "color": "chart-warning"},
    {"operator": "eq", "value": "down", "color": "chart-error"},
    {"operator": "neq", "value": 3, "color": "chart-success"},
]


def builder(display: str, **more: Any) -> Values:
    """Return a config of a builder tile."""
    return {"displayType": display, "sourceId": "<logs.id>", "select": [COUNT], **more}


def sql(display: str, **more: Any) -> Values:
    """Return a config of raw SQL."""
    usual = {"configType": "sql", "connectionId": "<connection.id>", "sqlTemplate": "SELECT 1"}
    return {"displayType": display, **usual, **more}


LINE = builder("line")
TIMED: Values = {
    "groupBy": "ServiceName",
    "alignDateRangeToGranularity": False,
    "fillNulls": False,
    "numberFormat": FORMAT,
}
FULL: dict[str, Values] = {
    "line": builder(
        "line", **TIMED, select=[COUNT, SUM, P95], compareToPreviousPeriod=True, fitYAxisToData=True, seriesLimit=0
    ),
    "line of a ratio": builder("line", select=[COUNT, SUM], asRatio=True, fillNulls=True),
    "line of formulas": builder(
        "line",
        select=[COUNT, SUM],
        formulas=[{"expression": "A / B", "alias": "per", "numberFormat": FORMAT}],
        showOperandSeries=True,
    ),
    "line of a metric": builder(
        "line",
        sourceId="<metrics.id>",
        select=[
            {
                "aggFn": "increase",
                "valueExpression": "Value",
                "metricType": "sum",
                "metricName": "requests",
                "periodAggFn": "delta",
                "numberFormat": {"output": "percent"},
            }
        ],
    ),
    "stacked_bar": builder("stacked_bar", **TIMED, select=[SUM], seriesLimit=5, asRatio=False),
    "table": builder(
        "table",
        select=[COUNT, P95],
        groupBy="ServiceName",
        having="count() > 1",
        orderBy="1 DESC",
        asRatio=True,
        numberFormat=FORMAT,
        groupByColumnsOnLeft=True,
        onClick=CLICK,
    ),
    "table that leads to a page": builder(
        "table", onClick={"type": "external", "urlTemplate": "https://example.com/{{a}}"}
    ),
    "table that leads to a dashboard": builder(
        "table", onClick={"type": "dashboard", "target": {"mode": "id", "id": "<board.id>"}}
    ),
    "table that leads to a dashboard by name": builder(
        "table", onClick={"type": "dashboard", "target": {"mode": "template", "template": "{{a}}"}, "filters": []}
    ),
    "number": builder(
        "number",
        numberFormat=FORMAT,
        color="chart-blue",
        colorRules=RULES,
        backgroundChart={"type": "area", "color": "chart-gray"},
    ),
    "number of a formula": builder("number", select=[COUNT, SUM], formulas=[{"expression": "(A + B) * 2 - -1.5"}]),
    "pie": builder("pie", select=[SUM], groupBy="ServiceName", orderBy="1", numberFormat=FORMAT, limit=5),
    "bar": builder("bar", groupBy="ServiceName", orderBy="1", numberFormat=FORMAT, limit=0),
    "heatmap": builder(
        "heatmap",
        sourceId="<traces.id>",
        select=[{"valueExpression": "Duration", "countExpression": "count()", "heatmapScaleType": "log"}],
        where="a = 1",
        whereLanguage="sql",
        numberFormat={"output": "duration", "factor": 0.001},
    ),
    "heatmap of little": builder("heatmap", sourceId="<traces.id>", select=[{"valueExpression": "Duration"}]),
    "search": builder("search", select="Timestamp, Body", where="a:1", whereLanguage="lucene"),
    "search of little": builder("search", select=""),
    "event_patterns": builder("event_patterns", select="Body", where="a:1", whereLanguage="sql"),
    "event_patterns of little": without(builder("event_patterns"), "select"),
    "markdown": {"displayType": "markdown", "markdown": "# Orders"},
    "markdown of nothing": {"displayType": "markdown"},
    "line of SQL": sql(
        "line",
        sourceId="<logs.id>",
        numberFormat=FORMAT,
        fillNulls=False,
        alignDateRangeToGranularity=True,
        compareToPreviousPeriod=False,
        fitYAxisToData=False,
        seriesLimit=3,
    ),
    "stacked_bar of SQL": sql("stacked_bar", fillNulls=True, alignDateRangeToGranularity=False, seriesLimit=0),
    "table of SQL": sql("table", numberFormat=FORMAT, onClick=CLICK),
    "number of SQL": sql("number", numberFormat=FORMAT, color="chart-purple"),
    "pie of SQL": sql("pie", numberFormat={"output": "byte"}),
    "bar of SQL": sql("bar", sourceId="<metrics.id>"),
}

TIME: Values = {
    "type": "time",
    "sourceId": "<logs.id>",
    "aggFn": "count",
    "where": "",
    "whereLanguage": "lucene",
    "groupBy": [],
}
TABLE: Values = {**TIME, "type": "table"}
NUMBER: Values = {**without(TIME, "groupBy"), "type": "number"}
MARKDOWN: Values = {"type": "markdown", "content": "# Orders"}
SEARCH: Values = {"type": "search", "sourceId": "<logs.id>", "fields": ["Body", "Timestamp"], "where": "a:1"}
VALUE: Values = {"aggFn": "quantile", "field": "Duration", "alias": "p95", "level": 0.95}
SERIES: dict[str, list[Values]] = {
    "time": [TIME],
    "time with everything": [
        {**TIME, **VALUE, "groupBy": ["a", "b"], "displayType": "stacked_bar", "numberFormat": FORMAT, "where": "a:1"}
    ],
    "time of a metric": [{**TIME, "aggFn": "sum", "field": "Value", "metricDataType": "sum", "metricName": "requests"}],
    "time as lines": [{**TIME, "displayType": "line"}, {**TIME, **VALUE, "groupBy": ["other"]}],
    "time at a level of its own": [{**TIME, **VALUE, "level": 0.75}],
    "table": [{**TABLE, "sortOrder": "desc", "groupBy": ["a"]}],
    "table of two": [TABLE, {**TABLE, **VALUE}],
    "number": [{**NUMBER, **VALUE, "numberFormat": FORMAT}],
    "number of two": [NUMBER, {**NUMBER, **VALUE}],
    "search": [SEARCH],
    "search of no fields": [{**SEARCH, "fields": [], "whereLanguage": "sql"}],
    "markdown": [MARKDOWN],
    "names that its type does not have": [{**MARKDOWN, "field": "a", "groupBy": []}],
    "names that nobody knows": [{**TIME, "colour": "red"}],
    "a sum of nothing": [{**TIME, "aggFn": "sum"}],
    "a count of something": [{**TIME, "field": "Duration"}],
    "a level of no quantile": [{**TIME, "level": 0.5}],
    "ten groups": [{**TIME, "groupBy": ["a"] * 10}],
    "promql": [{**TIME, "whereLanguage": "promql"}],
    "no language": [without(TIME, "whereLanguage")],
}


def board(*tiles: Values, **more: Any) -> Values:
    """Return the body of a dashboard."""
    return {"name": "Orders", "tiles": list(tiles), **more}


def tile(config: Values, **more: Any) -> Values:
    """Return a tile with this config."""
    return {**PLACE, "config": config, **more}


def line(**more: Any) -> Values:
    """Return a dashboard with one builder tile of lines; None removes a property."""
    return board(tile({name: each for name, each in {**LINE, **more}.items() if each is not None}))


def kind(display: str, **more: Any) -> Values:
    """Return a dashboard with one builder tile."""
    return board(tile(builder(display, **more)))


def of_series(*series: Values, **more: Any) -> Values:
    """Return a dashboard with one tile of series."""
    return board({**PLACE, "series": list(series), **more})


NUMBER_WITH: dict[str, Values] = {
    "a color": {"color": "red"},
    "a color of before": {"color": "chart-1"},
    "a rule without color": {"colorRules": [{"operator": "gt", "value": 1}]},
    "a rule of an operator": {"colorRules": [{"operator": "like", "value": 1, "color": "chart-red"}]},
    "a rule of text": {"colorRules": [{"operator": "gt", "value": "1", "color": "chart-red"}]},
    "a rule between one": {"colorRules": [{"operator": "between", "value": [1], "color": "chart-red"}]},
    "a rule between backwards": {"colorRules": [{"operator": "between", "value": [2, 1], "color": "chart-red"}]},
    "a rule of long text": {"colorRules": [{"operator": "eq", "value": "v" * 201, "color": "chart-red"}]},
    "a rule of empty text": {"colorRules": [{"operator": "eq", "value": "", "color": "chart-red"}]},
    "a long label": {"colorRules": [{"operator": "gt", "value": 1, "color": "chart-red", "label": "l" * 41}]},
    "many rules": {"colorRules": [RULES[0]] * 11},
    "ten rules": {"colorRules": [RULES[0]] * 10},
    "no rules": {"colorRules": []},
    "a background": {"backgroundChart": {"type": "bar"}},
    "a background of no type": {"backgroundChart": {"color": "chart-red"}},
    "two values": {"select": [COUNT, SUM]},
    "two formulas": {"formulas": [{"expression": "A"}, {"expression": "A * 2"}]},
    "operands shown": {"formulas": [{"expression": "A"}], "showOperandSeries": True},
    "a group": {"groupBy": "ServiceName"},
    "a ratio": {"asRatio": True},
}
LINE_WITH: dict[str, Values] = {
    "a condition beside its values": {"where": "a:1"},
    "names that nobody knows": {"colour": "red", "select": [{**COUNT, "colour": "red"}]},
    "an empty value of a count": {"select": [{**COUNT, "valueExpression": ""}]},
    "a value of a count": {"select": [{**COUNT, "valueExpression": "a"}]},
    "no value of a sum": {"select": [{"aggFn": "sum"}]},
    "an empty value of a sum": {"select": [{"aggFn": "sum", "valueExpression": ""}]},
    "a quantile of no level": {"select": [{"aggFn": "quantile", "valueExpression": "a"}]},
    "a level of no quantile": {"select": [{**COUNT, "level": 0.95}]},
    "a level of its own": {"select": [{**P95, "level": 0.75}]},
    "a level of text": {"select": [{**P95, "level": "0.95"}]},
    "an aggregation": {"select": [{"aggFn": "p95", "valueExpression": "a"}]},
    "no aggregation": {"select": [{"valueExpression": "a"}]},
    "each aggregation": {
        "select": [
            {"aggFn": each, "valueExpression": "a"}
            for each in ("avg", "count_distinct", "last_value", "max", "min", "sum", "any", "none", "increase")
        ]
    },
    "promql": {"select": [{**COUNT, "whereLanguage": "promql"}]},
    "a language": {"select": [{**COUNT, "whereLanguage": "cql"}]},
    "a long condition": {"select": [{**COUNT, "where": "w" * 10_001}]},
    "a long value": {"select": [{**SUM, "valueExpression": "v" * 10_001}]},
    "a long alias": {"select": [{**COUNT, "alias": "a" * 10_001}]},
    "a condition of null": {"select": [{**COUNT, "where": None}]},
    "a type of metric": {"select": [{**COUNT, "metricType": "counter"}]},
    "each type of metric": {
        "select": [
            {**COUNT, "metricType": each} for each in ("gauge", "histogram", "sum", "summary", "exponential histogram")
        ]
    },
    "a period": {"select": [{**COUNT, "periodAggFn": "rate"}]},
    "nothing selected": {"select": []},
    "no select": {"select": None},
    "text selected": {"select": "a"},
    "twenty values": {"select": [COUNT] * 20},
    "many values": {"select": [COUNT] * 21},
    "a ratio of one": {"asRatio": True},
    "a ratio of three": {"asRatio": True, "select": [COUNT] * 3},
    "a ratio and a formula": {"asRatio": True, "select": [COUNT, SUM], "formulas": [{"expression": "A"}]},
    "operands of no formula": {"showOperandSeries": True},
    "no formulas": {"formulas": [], "showOperandSeries": False},
    "a formula of what is not there": {"formulas": [{"expression": "A / C"}]},
    "a formula that is none": {"formulas": [{"expression": "A +"}]},
    "an empty formula": {"formulas": [{"expression": ""}]},
    "a function in a formula": {"formulas": [{"expression": "max(A)"}]},
    "a long formula": {"formulas": [{"expression": "A" + " + A" * 256}]},
    "ten formulas": {"formulas": [{"expression": "A"}] * 10},
    "many formulas": {"formulas": [{"expression": "A"}] * 11},
    "a formula of sessions": {"sourceId": "<sessions.id>", "formulas": [{"expression": "A"}]},
    "a format": {"numberFormat": {"output": "furlong"}},
    "each format": {
        "select": [
            {**COUNT, "numberFormat": {"output": each}}
            for each in ("currency", "percent", "byte", "time", "duration", "number", "data_rate", "throughput")
        ]
    },
    "a format of no output": {"numberFormat": {}},
    "a format of half a digit": {"numberFormat": {"output": "number", "mantissa": 1.5}},
    "a format of a unit": {"numberFormat": {"output": "number", "numericUnit": "furlong"}},
    "a negative limit": {"seriesLimit": -1},
    "half a limit": {"seriesLimit": 1.5},
    "a limit of null": {"seriesLimit": None, "groupBy": "a"},
    "nulls filled with text": {"fillNulls": "yes"},
    "a long group": {"groupBy": "g" * 10_001},
    "a group of null": {"compareToPreviousPeriod": False, "fitYAxisToData": False, "groupBy": ""},
    "no source": {"sourceId": None},
    "a malformed source": {"sourceId": "logs"},
    "a source of twelve letters": {"sourceId": "twelve chars"},
    "an absent source": {"sourceId": ABSENT},
    "no display type": {"displayType": None},
    "a display type": {"displayType": "bubble"},
    "raw SQL beside": {"sqlTemplate": "SELECT 1", "connectionId": "<connection.id>"},
    "the kind of a builder": {"configType": "builder"},
}
KINDS_WITH: dict[str, Values] = {
    "a stacked bar compared": kind("stacked_bar", compareToPreviousPeriod=True, fitYAxisToData=True),
    "a stacked bar of a ratio": kind("stacked_bar", select=[COUNT, SUM], asRatio=True),
    "a stacked bar of formulas": kind("stacked_bar", formulas=[{"expression": "A"}], showOperandSeries=False),
    "a table of formulas": kind("table", formulas=[{"expression": "A"}], showOperandSeries=True),
    "a table of what lines have": kind("table", fillNulls=False, seriesLimit=5),
    "a table of many values": kind("table", select=[COUNT] * 21),
    "a table of a long condition": kind("table", having="h" * 10_001),
    "a table of a long order": kind("table", orderBy="o" * 10_001),
    "a click of a type": kind("table", onClick={"type": "shell"}),
    "a click without target": kind("table", onClick={"type": "search"}),
    "a click without address": kind("table", onClick={"type": "external"}),
    "a click of an empty address": kind("table", onClick={"type": "external", "urlTemplate": ""}),
    "a click of a mode": kind("table", onClick={**CLICK, "target": {"mode": "name", "id": "a"}}),
    "a click of a malformed id": kind("table", onClick={**CLICK, "target": {"mode": "id", "id": "a"}}),
    "a click of no id": kind("table", onClick={**CLICK, "target": {"mode": "id"}}),
    "a click of an empty template": kind("table", onClick={**CLICK, "target": {"mode": "template", "template": ""}}),
    "a click of an absent source": kind("table", onClick={**CLICK, "target": {"mode": "id", "id": ABSENT}}),
    "a click of a metric source": kind("table", onClick={**CLICK, "target": {"mode": "id", "id": "<metrics.id>"}}),
    "a click of an absent dashboard": kind(
        "table", onClick={"type": "dashboard", "target": {"mode": "id", "id": ABSENT}}
    ),
    "a click of a filter": kind("table", onClick={**CLICK, "filters": [{"kind": "sql", "expression": "a"}]}),
    "a click of an empty filter": kind(
        "table", onClick={**CLICK, "filters": [{"kind": "expressionTemplate", "expression": "", "template": ""}]}
    ),
    "a click of many filters": kind("table", onClick={**CLICK, "filters": CLICK["filters"] * 51}),
    "a click of names that nobody knows": kind("table", onClick={**CLICK, "colour": "red"}),
    "lines with a click": line(onClick=CLICK),
    "a pie of two": kind("pie", select=[COUNT, SUM]),
    "a pie of nothing": kind("pie", select=[]),
    "a pie of a negative limit": kind("pie", limit=-1),
    "a pie of formulas": kind("pie", formulas=[{"expression": "A"}]),
    "a bar of half a limit": kind("bar", limit=0.5),
    "a bar of what lines have": kind("bar", seriesLimit=5, fillNulls=True),
    "a heatmap of logs": kind("heatmap", select=[{"valueExpression": "a"}]),
    "a heatmap of two": kind("heatmap", sourceId="<traces.id>", select=[{"valueExpression": "a"}] * 2),
    "a heatmap of nothing": kind("heatmap", sourceId="<traces.id>", select=[]),
    "a heatmap of an empty value": kind("heatmap", sourceId="<traces.id>", select=[{"valueExpression": ""}]),
    "a heatmap of a count": kind("heatmap", sourceId="<traces.id>", select=[COUNT]),
    "a heatmap of an aggregated value": kind(
        "heatmap", sourceId="<traces.id>", select=[{"aggFn": "max", "valueExpression": "a"}]
    ),
    "a heatmap of a scale": kind(
        "heatmap", sourceId="<traces.id>", select=[{"valueExpression": "a", "heatmapScaleType": "cubic"}]
    ),
    "a heatmap of raw SQL": board(tile(sql("heatmap"))),
    "a search of a list": kind("search"),
    "a search of nothing": board(tile(without(builder("search"), "select"))),
    "a search without source": board(tile({"displayType": "search", "select": ""})),
    "a search of a long condition": kind("search", select="", where="w" * 10_001),
    "a search of promql": kind("search", select="", whereLanguage="promql"),
    "a search of raw SQL": board(tile(sql("search"))),
    "patterns of a list": kind("event_patterns"),
    "patterns without source": board(tile({"displayType": "event_patterns"})),
    "markdown of a source": board(tile({"displayType": "markdown", "markdown": "m", "sourceId": "<logs.id>"})),
    "markdown of an absent source": board(tile({"displayType": "markdown", "sourceId": ABSENT})),
    "long markdown": board(tile({"displayType": "markdown", "markdown": "m" * 50_001})),
    "markdown of a number": board(tile({"displayType": "markdown", "markdown": 1})),
    "raw SQL without connection": board(tile(without(sql("line"), "connectionId"))),
    "raw SQL of an absent connection": board(tile(sql("line", connectionId=ABSENT))),
    "raw SQL of a malformed connection": board(tile(sql("line", connectionId="main"))),
    "raw SQL of an absent source": board(tile(sql("line", sourceId=ABSENT))),
    "raw SQL of a source of another connection": board(
        tile(sql("line", connectionId="<other_connection.id>", sourceId="<logs.id>"))
    ),
    "raw SQL of nothing": board(tile(without(sql("line"), "sqlTemplate"))),
    "raw SQL of an empty text": board(tile(sql("line", sqlTemplate=""))),
    "long raw SQL": board(tile(sql("line", sqlTemplate="s" * 100_001))),
    "raw SQL of a select": board(tile(sql("line", select=[COUNT], groupBy="a"))),
    "raw SQL of a ratio": board(tile(sql("line", asRatio=True))),
    "raw SQL of a bubble": board(tile(sql("bubble"))),
    "raw SQL of a pie in colour": board(tile(sql("pie", color="chart-red", onClick=CLICK))),
    "raw SQL of a stacked bar compared": board(tile(sql("stacked_bar", compareToPreviousPeriod=True))),
    "config of null": board({**PLACE, "config": None}),
    "config of a list": board({**PLACE, "config": [LINE]}),
    "config of text": board({**PLACE, "config": "line"}),
    "config of nothing": board({**PLACE, "config": {}}),
}
SERIES_WITH: dict[str, Values] = {
    "none": of_series(),
    "no condition": of_series(without(TIME, "where")),
    "no group": of_series(without(TIME, "groupBy")),
    "eleven groups": of_series({**TIME, "groupBy": ["a"] * 11}),
    "a group of text": of_series({**TIME, "groupBy": "a"}),
    "no type": of_series(without(TIME, "type")),
    "a type": of_series({**TIME, "type": "bubble"}),
    "no aggregation": of_series(without(TIME, "aggFn")),
    "an aggregation": of_series({**TIME, "aggFn": "p95"}),
    "a level above": of_series({**TIME, **VALUE, "level": 1.5}),
    "a language": of_series({**TIME, "whereLanguage": "cql"}),
    "a display type": of_series({**TIME, "displayType": "pie"}),
    "a sort order": of_series({**TABLE, "sortOrder": "up"}),
    "a type of metric": of_series({**TIME, "metricDataType": "counter"}),
    "mixed types": of_series(TIME, MARKDOWN),
    "a malformed source": of_series({**TIME, "sourceId": "logs"}),
    "an absent source": of_series({**TIME, "sourceId": ABSENT}),
    "a search without fields": of_series(without(SEARCH, "fields")),
    "a search of a field": of_series({**without(SEARCH, "fields"), "field": "a"}),
    "markdown without content": of_series(without(MARKDOWN, "content")),
    "long markdown": of_series({**MARKDOWN, "content": "m" * 100_001}),
    "markdown of more than a config takes": of_series({**MARKDOWN, "content": "m" * 60_000}),
    "a ratio of two": of_series(TIME, TIME, asRatio=True),
    "a ratio of one": of_series(TIME, asRatio=True),
    "no ratio": of_series(TIME, asRatio=False),
    "and a config": board(tile(LINE, series=[TIME])),
    "of null": board({**PLACE, "series": None}),
    "of text": board({**PLACE, "series": ["time"]}),
}
PLACES: dict[str, Values] = {
    "the last column": board(tile(LINE, x=23, w=24)),
    "x of 24": board(tile(LINE, x=24)),
    "x of -1": board(tile(LINE, x=-1)),
    "x of 1.5": board(tile(LINE, x=1.5)),
    "x of text": board(tile(LINE, x="1")),
    "x of null": board(tile(LINE, x=None)),
    "no x": board(without(tile(LINE), "x")),
    "no y": board(without(tile(LINE), "y")),
    "y of -1": board(tile(LINE, y=-1)),
    "y of a thousand": board(tile(LINE, y=1000)),
    "no w": board(without(tile(LINE), "w")),
    "w of 25": board(tile(LINE, w=25)),
    "w of 0": board(tile(LINE, w=0)),
    "w of 0.5": board(tile(LINE, w=0.5)),
    "no h": board(without(tile(LINE), "h")),
    "h of 0": board(tile(LINE, h=0)),
    "h of a thousand": board(tile(LINE, h=1000)),
    "no name": board(without(tile(LINE), "name")),
    "an empty name": board(tile(LINE, name="")),
    "a long name": board(tile(LINE, name="n" * 5000)),
    "a name of null": board(tile(LINE, name=None)),
    "an id": board(tile(LINE, id="mine")),
    "a long id": board(tile(LINE, id="i" * 37)),
    "an id of a number": board(tile(LINE, id=1)),
    "an id twice": board(tile(LINE, id="i"), tile(LINE, id="i")),
    "an empty id twice": board(tile(LINE, id=""), tile(LINE, id="")),
    "a ratio beside a config": board(tile(LINE, asRatio=False)),
    "neither config nor series": board(PLACE),
    "a name that nobody knows": board(tile(LINE, colour="red")),
    "several mistakes": board(tile(LINE, x=24, h=0), tile({**LINE, "select": []}, w=25)),
    "a tile of null": {"name": "Orders", "tiles": [None]},
    "a tile of text": {"name": "Orders", "tiles": ["a"]},
}


def _lives() -> Iterator[Scenario]:
    """Yield each display type from its create to an update with the read tile."""
    for name, config in FULL.items():
        yield scenario(
            f"tile of {name}",
            ("create", "POST", "dashboards", board(tile(config)), "made"),
            ("read", "GET", "dashboards/<made.id>", None, "read"),
            ("put back", "PUT", "dashboards/<made.id>", "<read>"),
            ("moved", "PUT", "dashboards/<made.id>", board(tile(config, id="<made.tiles.0.id>", x=5, name="b"))),
            ("validated", "POST", "dashboards/validate", board(tile(config))),
        )


TILES: tuple[Scenario, ...] = (
    *_lives(),
    *each_alone("series", "POST", "dashboards", {name: of_series(*each) for name, each in SERIES.items()}),
    *each_alone("series with", "POST", "dashboards", SERIES_WITH),
    *each_alone(
        "a number with", "POST", "dashboards", {name: kind("number", **each) for name, each in NUMBER_WITH.items()}
    ),
    *each_alone("lines with", "POST", "dashboards", {name: line(**each) for name, each in LINE_WITH.items()}),
    *each_alone("a tile with", "POST", "dashboards", KINDS_WITH),
    *each_alone("a place with", "POST", "dashboards", PLACES),
)
