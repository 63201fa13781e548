"""Cases of check: the rules of the vendor's servers for dashboards, in addition to the interface."""

from __future__ import annotations

from typing import Any

from pulumi_clouddb.schema.check.wording import TAKE_ID
from pulumi_clouddb.things.dashboards.tile_parts import AggFn
from support.ids import LOGS, METRICS
from support.rows import NEWER, POST_DASHBOARD, UUID, Row, Values

from .config_checks import BOARD, CONFIGS, LINE, PLACE, at, config

COUNT: Values = {"type": "time", "sourceId": LOGS, "aggFn": "count", "where": "", "groupBy": []}
NUMBER: Values = {"type": "number", "sourceId": LOGS, "aggFn": "count", "where": ""}
FILTER: Values = {"type": "QUERY_EXPRESSION", "name": "Service", "expression": "ServiceName", "sourceId": LOGS}
LISTED: Values = {"type": "STATIC_LIST", "name": "Env", "options": ["prod", "staging"]}
LABELLED: Values = {"type": "PROMETHEUS_LABEL", "name": "Job", "label": "job", "match": "up", "sourceId": METRICS}
ENV: Values = {**FILTER, "isVariableEnabled": True, "variableName": "Env"}
CONTAINER: Values = {"id": "c", "title": "Group", "collapsed": False}


def board(**more: Any) -> Values:
    """Return a dashboard with one tile with a series."""
    return {"tiles": [{**PLACE, "series": [COUNT]}], **more}


def placed(**more: Any) -> Values:
    """Return a dashboard with one tile with other fields."""
    tile = {**PLACE, "series": [COUNT], **more}
    return {"tiles": [{name: value for name, value in tile.items() if value is not None}]}


def series(*items: Values, **more: Any) -> Values:
    """Return a dashboard with one tile with these series."""
    return {"tiles": [{**PLACE, "series": list(items), **more}]}


def of_series(passes: Values, fails: Values, *failures: str) -> Row:
    """Return a row of a series; the paths of its failures are relative to the series."""
    return BOARD.of_vendor(series(passes), series(fails), *(f"tiles[0].series[0].{each}" for each in failures))


TILES = [
    BOARD.of_vendor(
        placed(x=0, w=24, y=1000, h=1.5),
        placed(x=24, w=25, y=-1, h=0),
        "tiles[0].x must be at most 23, not 24",
        "tiles[0].y must be at least 0, not -1",
        "tiles[0].w must be at most 24, not 25",
        "tiles[0].h must be at least 1, not 0",
    ),
    BOARD.of_vendor(
        placed(name="", key="k"),
        placed(name=None, key="k", x=None, h=None),
        "tiles[0].name is required",
        "tiles[0].x is required if y is given; leave out both to have the tile placed",
    ),
    BOARD.of_vendor(
        placed(key="k"),
        placed(id="1" * 24),
        "tiles[0].id is not supported here: only the server sets it. Remove it, and give the tile a `key`: the output "
        "`tileIds` contains the id of each key",
    ),
    BOARD.of_vendor(placed(), placed(series=None), "tiles[0].config is required, or series"),
    BOARD.of_vendor(series(COUNT, COUNT), series(), "tiles[0].series must have at least 1 element(s), not []"),
    BOARD.of_vendor(
        series({"type": "search", "sourceId": LOGS, "fields": ["Body"], "where": ""}),
        series(COUNT, {"type": "markdown", "content": "m"}),
        "tiles[0].series must be of one type, not markdown and time",
    ),
    BOARD.of_vendor(
        series(NUMBER),
        series(NUMBER, NUMBER),
        "tiles[0].series must be one for type number, search and markdown, not 2",
    ),
    BOARD.of_vendor(
        series(COUNT, COUNT, asRatio=True),
        series(COUNT, asRatio=True),
        "tiles[0].asRatio needs exactly 2 series, not 1",
    ),
    BOARD.of_vendor(
        config(LINE),
        {"tiles": [{**PLACE, "config": LINE, "asRatio": False}]},
        "tiles[0].asRatio must be in config if config is given",
    ),
    BOARD.of_vendor(
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
    BOARD.warned(
        series({**COUNT, "whereLanguage": "sql", "metricDataType": "exponential histogram"}),
        series(
            {**COUNT, "aggFn": "p95", "whereLanguage": "cql", "sourceId": "logs", "groupBy": ["a"] * 11, "level": 2}
        ),
        f"tiles[0].series[0].aggFn is 'p95', {NEWER}; known values are {', '.join(each.value for each in AggFn)}",
        f"tiles[0].series[0].whereLanguage is 'cql', {NEWER}; did you mean sql?",
        failures=(
            f"tiles[0].series[0].sourceId must be an id of 24 hexadecimal digits, not 'logs'{TAKE_ID}",
            f"tiles[0].series[0].groupBy must have at most 10 elements, not {['a'] * 11}",
            "tiles[0].series[0].level must be at most 1, not 2",
        ),
    ),
    BOARD.of_vendor(
        series({"type": "markdown", "content": "# Orders"}),
        series({"type": "markdown", "field": "# Orders"}),
        "tiles[0].series[0].content is required for type markdown",
        "tiles[0].series[0].field is for type time, table and number; type is 'markdown': remove it",
    ),
    BOARD.of_vendor(
        {**placed(containerId="c", tabId="t"), "containers": [{**CONTAINER, "tabs": [{"id": "t", "title": "T"}]}]},
        {**placed(containerId="d"), "containers": [CONTAINER]},
        "tiles must be in containers and tabs of the dashboard; 'a' has the containerId 'd'",
    ),
    BOARD.of_vendor(placed(containerId="c", tabId="t"), placed(tabId="t"), "tiles[0].tabId needs a containerId"),
]

TABLE: Values = {**COUNT, "type": "table"}
FOUND: Values = {"type": "search", "sourceId": LOGS, "fields": ["Body"], "where": ""}
NOTE: Values = {"type": "markdown", "content": "# Orders"}
SERIES = [
    *(
        of_series(base, {**base, name: value}, f"{name} is for type {types}")
        for name, value, base, types in (
            ("sourceId", LOGS, NOTE, "time, table, number and search"),
            ("aggFn", "count", FOUND, "time, table and number"),
            ("level", 0.95, FOUND, "time, table and number"),
            ("alias", "Errors", FOUND, "time, table and number"),
            ("where", "level:error", NOTE, "time, table, number and search"),
            ("whereLanguage", "lucene", NOTE, "time, table, number and search"),
            ("groupBy", ["ServiceName"], NUMBER, "time and table"),
            ("sortOrder", "desc", COUNT, "table"),
            ("numberFormat", {"output": "byte"}, FOUND, "time, table and number"),
            ("metricDataType", "gauge", FOUND, "time, table and number"),
            ("metricName", "cpu", FOUND, "time, table and number"),
            ("displayType", "line", TABLE, "time"),
            ("fields", ["Body"], COUNT, "search"),
            ("content", "# Orders", COUNT, "markdown"),
        )
    ),
    of_series(
        FOUND, {name: value for name, value in FOUND.items() if name != "fields"}, "fields is required for type search"
    ),
    BOARD.warned(
        series({**COUNT, "aggFn": "max", "field": "Duration"}),
        series({**COUNT, "aggFn": "max", "field": "max(Duration)"}),
        "tiles[0].series[0].field should have no aggregation or DISTINCT of its own unless aggFn is none",
    ),
]
"""Each type of series has properties of its own."""

FILTERS = [
    *(
        BOARD.of_vendor(
            board(filters=[base]), board(filters=[{**base, name: value}]), f"filters[0].{name} is for type {types}"
        )
        for name, value, base, types in (
            ("sourceMetricType", "gauge", LABELLED, "QUERY_EXPRESSION"),
            ("where", "a = 1", LISTED, "QUERY_EXPRESSION"),
            ("whereLanguage", "sql", LISTED, "QUERY_EXPRESSION"),
            ("appliesToSourceIds", [LOGS], LABELLED, "QUERY_EXPRESSION"),
            ("sourceId", LOGS, LISTED, "QUERY_EXPRESSION and PROMETHEUS_LABEL"),
            ("options", ["prod"], FILTER, "STATIC_LIST"),
            ("match", "up", LISTED, "PROMETHEUS_LABEL"),
        )
    ),
    *(
        BOARD.of_vendor(
            board(filters=[FILTER]),
            board(filters=[{key: value for key, value in FILTER.items() if key != name}]),
            f"filters[0].{name} is required for type QUERY_EXPRESSION{also}",
        )
        for name, also in (("expression", ""), ("sourceId", " and PROMETHEUS_LABEL"))
    ),
    BOARD.of_vendor(
        board(savedFilterValues=[{"type": "sql", "condition": "a = 1"}], filters=[ENV]),
        board(savedFilterValues=[{"type": "sql", "name": "Env"}], filters=[ENV]),
        "savedFilterValues[0].condition is required for type sql",
        "savedFilterValues[0].name is for type variable",
    ),
]
"""Each type of filter has properties of its own."""

PLAIN: Values = {"id": "plain", "title": "Plain", "collapsed": False}
TABBED: Values = {**PLAIN, "id": "tabs", "tabs": [{"id": "a", "title": "A"}, {"id": "b", "title": "B"}]}
INSIDE = {"containerId": "plain"}
A, B = {"containerId": "tabs", "tabId": "a"}, {"containerId": "tabs", "tabId": "b"}


def two(y: int, one: Values, other: Values) -> Values:
    """Return a dashboard with two tiles, of which the second is in this row."""
    tiles = [at(name="Rate", config=LINE, **one), at(y, name="Errors", config=LINE, **other)]
    return {"tiles": tiles, "containers": [PLAIN, TABBED]}


OVERLAPS = [
    BOARD.warned(two(*right), two(*wrong), "tiles should not overlap, or the page moves one of them")
    for right, wrong in (
        ((10, {}, {}), (9, {}, {})),
        ((10, INSIDE, INSIDE), (9, INSIDE, INSIDE)),
        ((0, {}, INSIDE), (0, {}, {})),
        ((0, A, B), (0, A, A)),
    )
]

SERVED = [
    Row(
        POST_DASHBOARD,
        {"name": "Orders", "tiles": [{**PLACE, "config": LINE}]},
        {f"tiles[0].{name}": None},
        (f"tiles.0.{name}: Required",),
    )
    for name in ("x", "y", "w", "h")
]
"""What check fills in, and servers require."""

DASHBOARDS = [
    *SERIES,
    *FILTERS,
    *OVERLAPS,
    *SERVED,
    *BOARD.only_there(
        filters=[FILTER],
        savedQuery="a:1",
        savedQueryLanguage="sql",
        savedFilterValues=[{"condition": "a = 1"}],
        containers=[CONTAINER],
    ),
    BOARD.rule(
        {},
        {"tiles": [{"name": "a", "containerId": "c", "series": [{"alias": "x"}]}]},
        "tiles[0].containerId is supported only with clouddb:vocabulary=clickhouse",
        "tiles[0].series[0].alias is supported only with clouddb:vocabulary=clickhouse",
    ),
    BOARD.of_vendor(
        board(name="n" * 1024), board(name="n" * 1025), "name must have at most 1024 characters but has 1025"
    ),
    BOARD.of_vendor(
        board(tags=["t" * 32]), board(tags=["a", "t" * 33]), "tags[1] must have at most 32 characters but has 33"
    ),
    BOARD.of_vendor(
        board(tags=["t"] * 50),
        board(tags=["t"] * 51),
        f"tags must have at most 50 elements, not {str(['t'] * 51)[:77]}...",
    ),
    BOARD.of_vendor(
        board(filters=[{**FILTER, "isVariableEnabled": True, "variableName": "service"}]),
        board(filters=[{**FILTER, "id": "1"}]),
        "filters[0].id is not supported here: only the server sets it. Remove it: name and expression identify a "
        "filter",
    ),
    BOARD.of_vendor(
        board(filters=[{**FILTER, "isBroadcastEnabled": False, "isVariableEnabled": True}]),
        board(
            filters=[{**FILTER, "isBroadcastEnabled": False, "variableName": "service", "appliesToSourceIds": [LOGS]}]
        ),
        "filters[0].isBroadcastEnabled must be true if isVariableEnabled is not",
        "filters[0].variableName is for filters whose isVariableEnabled is true",
        "filters[0].appliesToSourceIds is for filters whose isBroadcastEnabled is true",
    ),
    BOARD.of_vendor(
        board(filters=[{**FILTER, "isVariableEnabled": True}]),
        board(filters=[{**FILTER, "name": "-", "isVariableEnabled": True}]),
        "filters[0].variableName is required if isVariableEnabled is true and the filter's name contains no name of a "
        "variable",
    ),
    BOARD.of_vendor(
        board(filters=[{**FILTER, "isVariableEnabled": True}, {**FILTER, "name": "Host"}]),
        board(
            filters=[{**FILTER, "isVariableEnabled": True}, {**FILTER, "expression": "b", "isVariableEnabled": True}]
        ),
        "filters must have unique names of variables, but 'Service' occurs more than once",
    ),
    BOARD.warned(
        board(filters=[LISTED, LABELLED]),
        board(
            filters=[
                {**LISTED, "label": "job", "isBroadcastEnabled": True},
                {**FILTER, "type": "PROMETHEUS_LABEL"},
                {"type": "OTHER", "name": "Other", "label": "job"},
            ]
        ),
        f"filters[2].type is 'OTHER', {NEWER}; known values are QUERY_EXPRESSION, STATIC_LIST, PROMETHEUS_LABEL",
        failures=(
            "filters[0].label is for type PROMETHEUS_LABEL",
            "filters[0].isBroadcastEnabled must be false for type STATIC_LIST and PROMETHEUS_LABEL",
            "filters[1].expression is for type QUERY_EXPRESSION",
            "filters[1].label is required for type PROMETHEUS_LABEL",
        ),
    ),
    BOARD.of_vendor(
        board(filters=[{**LISTED, "isVariableEnabled": True, "options": ["o"] * 1000}]),
        board(filters=[{**LISTED, "isVariableEnabled": False, "options": []}, {"type": "STATIC_LIST", "name": "-"}]),
        "filters[0].options must have at least 1 element(s), not []",
        "filters[0].isVariableEnabled must be true for type STATIC_LIST and PROMETHEUS_LABEL",
        "filters[1].options is required for type STATIC_LIST",
        "filters[1].variableName is required if isVariableEnabled is true and the filter's name contains no name of a "
        "variable",
    ),
    BOARD.of_vendor(
        board(filters=[FILTER], serviceId=UUID),
        board(filters=[LISTED], serviceId=UUID),
        "filters must be of type QUERY_EXPRESSION in the managed form, not STATIC_LIST",
    ),
    BOARD.of_vendor(
        board(
            filters=[{**FILTER, "isVariableEnabled": True, "variableName": "Env"}],
            savedFilterValues=[{"type": "variable", "name": "Env", "values": ["prod"]}],
        ),
        board(savedFilterValues=[{"type": "variable", "condition": "a = 1"}, {"condition": "a = 1", "values": []}]),
        "savedFilterValues[0].condition is for type sql",
        "savedFilterValues[0].name is required for type variable",
        "savedFilterValues[0].values is required for type variable",
        "savedFilterValues[1].values is for type variable",
    ),
    BOARD.of_vendor(
        board(filters=[FILTER, {**FILTER, "expression": "Host"}, {**FILTER, "sourceId": "0" * 24}]),
        board(filters=[FILTER, FILTER]),
        "filters must each have a name, expression and source of their own; 'Service' of 'ServiceName' occurs more "
        "than once",
    ),
    BOARD.of_vendor(
        board(containers=[CONTAINER, {**CONTAINER, "id": "d", "collapsible": False, "bordered": False}]),
        board(containers=[CONTAINER, {"id": "c", "title": ""}]),
        "containers[1].title must have at least 1 character(s), not ''",
        "containers[1].collapsed is required",
        "containers must have unique ids, but 'c' occurs more than once",
    ),
    BOARD.of_vendor(
        board(containers=[{**CONTAINER, "tabs": [{"id": "a", "title": "A"}, {"id": "b", "title": "A"}]}]),
        board(containers=[{**CONTAINER, "tabs": [{"id": "a", "title": "A"}, {"id": "a", "title": "B"}]}]),
        "containers[0].tabs must have unique ids, but 'a' occurs more than once",
    ),
    BOARD.warned(
        board(savedQuery="a:1", savedQueryLanguage="lucene", savedFilterValues=[{"type": "sql", "condition": "a = 1"}]),
        board(savedQuery=1, savedQueryLanguage="cql", savedFilterValues=[{"type": "lucene"}]),
        f"savedQueryLanguage is 'cql', {NEWER}; did you mean sql?",
        failures=(
            "savedQuery must be text, not 1",
            "savedFilterValues[0].type must be one of sql, variable, not 'lucene'",
        ),
    ),
    *TILES,
    *CONFIGS,
]
