"""Dashboards: their properties, updates, ids and validation."""

from __future__ import annotations

from typing import Any

from .request import ABSENT, Request, Scenario, Values, each_alone, scenario, without
from .tiles import LINE, TIME, board, builder, of_series, sql, tile

TABS: list[Values] = [{"id": "t", "title": "First"}, {"id": "u", "title": "Second"}]
CONTAINER: Values = {
    "id": "c",
    "title": "Group",
    "collapsed": False,
    "collapsible": True,
    "bordered": False,
    "tabs": TABS,
}
FILTER: Values = {"type": "QUERY_EXPRESSION", "name": "Service", "expression": "ServiceName", "sourceId": "<logs.id>"}
VARIABLE: Values = {
    **FILTER,
    "name": "Level",
    "sourceMetricType": "gauge",
    "where": "a = 1",
    "whereLanguage": "sql",
    "appliesToSourceIds": ["<logs.id>"],
    "isBroadcastEnabled": True,
    "isVariableEnabled": True,
    "variableName": "level",
}
WHOLE: Values = board(
    tile(LINE, containerId="c", tabId="u"),
    tile(LINE, name="b", containerId="d"),
    tags=["a", "b"],
    filters=[FILTER, VARIABLE],
    savedQuery="a:1",
    savedQueryLanguage="lucene",
    savedFilterValues=[{"type": "sql", "condition": "a = 1"}],
    containers=[CONTAINER, {"id": "d", "title": "Other", "collapsed": True}],
)
BARE: Values = board(tile(LINE))


def with_filter(**more: Any) -> Values:
    """Return a dashboard with one filter; None removes a property."""
    return board(filters=[{name: each for name, each in {**FILTER, **more}.items() if each is not None}])


def contained(*containers: Any, **place: Any) -> Values:
    """Return a dashboard with containers and one tile."""
    return board(tile(LINE, **place), containers=list(containers))


DETAILS: dict[str, Any] = {
    "of nothing else": board(),
    "of an empty name": {"name": "", "tiles": []},
    "of a name of 1024": {"name": "n" * 1024, "tiles": []},
    "of a name of 1025": {"name": "n" * 1025, "tiles": []},
    "of no name": {"tiles": []},
    "of a name of null": {"name": None, "tiles": []},
    "of a name of a number": {"name": 1, "tiles": []},
    "of no tiles": {"name": "a"},
    "of tiles of null": {"name": "a", "tiles": None},
    "of tiles of an object": {"name": "a", "tiles": {}},
    "of a name that nobody knows": board(colour="red", id=ABSENT, team="t"),
    "of 500 tiles": board(*[tile({"displayType": "markdown"})] * 500),
    "of 501 tiles": board(*[tile({"displayType": "markdown"})] * 501),
    "of 50 tags": board(tags=[f"t{number}" for number in range(50)]),
    "of 51 tags": board(tags=[f"t{number}" for number in range(51)]),
    "of a tag of 32": board(tags=["t" * 32]),
    "of a tag of 33": board(tags=["t" * 33]),
    "of a tag twice": board(tags=["b", "a", "b"]),
    "of an empty tag": board(tags=[""]),
    "of no tags": board(tags=[]),
    "of tags of null": board(tags=None),
    "of a tag of a number": board(tags=[1]),
    "of everything": WHOLE,
    "of a list": [],
    "of text": "a",
    "of a query": board(savedQuery="a:1"),
    "of an empty query": board(savedQuery=""),
    "of a query of null": board(savedQuery=None),
    "of a query of null in a language": board(savedQuery=None, savedQueryLanguage="sql"),
    "of a query in SQL": board(savedQuery="a = 1", savedQueryLanguage="sql"),
    "of a query in promql": board(savedQuery="a", savedQueryLanguage="promql"),
    "of a query in no language": board(savedQuery="a", savedQueryLanguage=None),
    "of a language": board(savedQueryLanguage="cql"),
    "of a language without query": board(savedQueryLanguage="sql"),
    "of a language of null": board(savedQueryLanguage=None),
    "of a query of a number": board(savedQuery=1),
    "of a long query": board(savedQuery="q" * 20_000),
    "of a value of no type": board(savedFilterValues=[{"condition": "a = 1"}]),
    "of a value of a type": board(savedFilterValues=[{"type": "lucene", "condition": "a"}]),
    "of a value of no condition": board(savedFilterValues=[{"type": "sql"}]),
    "of a value of a long condition": board(savedFilterValues=[{"condition": "c" * 10_001}]),
    "of a value that nobody knows": board(savedFilterValues=[{"condition": "c", "colour": "red"}]),
    "of values of null": board(savedFilterValues=None),
    "of filters of null": board(filters=None),
    "of no filters": board(filters=[]),
    "of a filter": with_filter(),
    "of a filter with everything": board(filters=[VARIABLE]),
    "of a filter with an id": with_filter(id="f"),
    "of a filter that nobody knows": with_filter(colour="red"),
    "of a filter of no name": with_filter(name=""),
    "of a filter of no expression": with_filter(expression=""),
    "of a filter without type": with_filter(type=None),
    "of a filter of a type": with_filter(type="SQL"),
    "of a filter without source": with_filter(sourceId=None),
    "of a filter of a malformed source": with_filter(sourceId="logs"),
    "of a filter of an absent source": with_filter(sourceId=ABSENT),
    "of a filter for absent sources": with_filter(appliesToSourceIds=[ABSENT]),
    "of a filter for an empty source": with_filter(appliesToSourceIds=[""]),
    "of a filter for no sources": with_filter(appliesToSourceIds=[]),
    "of a filter in promql": with_filter(where="a", whereLanguage="promql"),
    "of a filter of a type of metric": with_filter(sourceMetricType="counter"),
    "of a filter without effect": with_filter(isBroadcastEnabled=False),
    "of a variable alone": with_filter(isBroadcastEnabled=False, isVariableEnabled=True),
    "of a name of no variable": with_filter(variableName="a"),
    "of sources of no broadcast": with_filter(
        isBroadcastEnabled=False, isVariableEnabled=True, appliesToSourceIds=["<logs.id>"]
    ),
    "of a variable of a bad name": with_filter(isVariableEnabled=True, variableName="1a"),
    "of a variable of a long name": with_filter(isVariableEnabled=True, variableName="a" * 65),
    "of a variable of no letters": with_filter(isVariableEnabled=True, name="123"),
    "of a variable twice": board(filters=[VARIABLE, VARIABLE]),
    "of a variable twice by its name": board(
        filters=[{**FILTER, "isVariableEnabled": True}, {**FILTER, "isVariableEnabled": True}]
    ),
    "of containers": contained(CONTAINER, containerId="c", tabId="t"),
    "of no containers": contained(),
    "of containers of null": board(containers=None),
    "of a container without collapsed": contained(without(CONTAINER, "collapsed")),
    "of a container without title": contained(without(CONTAINER, "title")),
    "of a container of an empty title": contained({**CONTAINER, "title": ""}),
    "of a container of an empty id": contained({**CONTAINER, "id": ""}),
    "of a container of a long id": contained({**CONTAINER, "id": "i" * 257}),
    "of a container of a long title": contained({**CONTAINER, "title": "t" * 257}),
    "of a container that nobody knows": contained({**CONTAINER, "colour": "red"}),
    "of a container twice": contained(CONTAINER, CONTAINER),
    "of 50 containers": contained(*({**CONTAINER, "id": f"c{number}"} for number in range(50))),
    "of 51 containers": contained(*({**CONTAINER, "id": f"c{number}"} for number in range(51))),
    "of 20 tabs": contained({**CONTAINER, "tabs": [{"id": f"t{number}", "title": "T"} for number in range(20)]}),
    "of 21 tabs": contained({**CONTAINER, "tabs": [{"id": f"t{number}", "title": "T"} for number in range(21)]}),
    "of no tabs": contained({**CONTAINER, "tabs": []}),
    "of a tab twice": contained({**CONTAINER, "tabs": [TABS[0], TABS[0]]}),
    "of a tab without title": contained({**CONTAINER, "tabs": [{"id": "t"}]}),
    "of an absent container": contained(CONTAINER, containerId="d"),
    "of an absent tab": contained(CONTAINER, containerId="c", tabId="v"),
    "of a tab without container": contained(CONTAINER, tabId="t"),
    "of an absent container and tab": board(tile(LINE, containerId="d", tabId="t"), tile(LINE, containerId="e")),
    "of an empty container id": contained(CONTAINER, containerId=""),
    "of a container id of null": contained(CONTAINER, containerId=None),
    "of two absent sources": board(
        tile({**LINE, "sourceId": ABSENT}), tile({**LINE, "sourceId": "f" * 24}), tile({**LINE, "sourceId": ABSENT})
    ),
    "of an absent source and connection": board(
        tile({**LINE, "sourceId": ABSENT}), tile(sql("line", connectionId=ABSENT))
    ),
}
VALIDATED: dict[str, Any] = {
    "nothing": None,
    "a good one": BARE,
    "everything": WHOLE,
    "series": of_series(TIME),
    "a name that nobody knows": board(tile({**LINE, "colour": "red"}), colour="red"),
    "a bad place": board(tile(LINE, x=24), tags=["t" * 33]),
    "no name": {"tiles": []},
    "an absent source": board(tile({**LINE, "sourceId": ABSENT})),
    "an absent connection": board(tile(sql("line", connectionId=ABSENT))),
    "an absent container": board(tile(LINE, containerId="c")),
    "a heatmap of logs": board(tile(builder("heatmap", select=[{"valueExpression": "a"}]))),
    "a language without query": board(savedQuery="a", savedQueryLanguage=None),
    "a tag twice": board(tags=["a", "a"]),
    "a query": board(savedQuery="a"),
    "a list": [],
}


def updated(name: str, body: Any, first: Values = WHOLE) -> Scenario:
    """Return a scenario in which a body replaces a dashboard, which is then read."""
    return scenario(
        f"an update {name}",
        ("create", "POST", "dashboards", first, "made"),
        ("update", "PUT", "dashboards/<made.id>", body),
        ("read", "GET", "dashboards/<made.id>"),
    )


FILTERED: Values = {**FILTER, "id": "<made.filters.0.id>"}
KNOWN: list[Values] = [tile(LINE, id="<made.tiles.0.id>"), tile(LINE, id="<made.tiles.1.id>", name="b")]
UPDATES: tuple[Scenario, ...] = (
    updated("that leaves all out", BARE),
    updated(
        "that clears all", board(tile(LINE), tags=[], filters=[], savedQuery=None, savedFilterValues=[], containers=[])
    ),
    updated("of the query alone", board(*KNOWN, savedQuery="b:2")),
    updated("of the language alone", board(*KNOWN, savedQueryLanguage="sql")),
    updated("of an empty query", board(*KNOWN, savedQuery="")),
    updated("of a language of null", board(*KNOWN, savedQueryLanguage=None)),
    updated("of known tiles", board(*KNOWN)),
    updated("of tiles in another order", board(*reversed(KNOWN))),
    updated("of an unknown tile", board(KNOWN[0], tile(LINE, id=ABSENT))),
    updated("of a tile of another kind", board(tile({"displayType": "markdown"}, id="<made.tiles.0.id>"))),
    updated("of a tile in its container", board(tile(LINE, id="<made.tiles.0.id>", containerId="c", tabId="t"))),
    updated("of a tile in an absent container", board(tile(LINE, containerId="e"))),
    updated("that takes the container of a tile", board(tile(LINE, containerId="c"), containers=[])),
    updated("of a known filter", board(filters=[{**FILTERED, "name": "Other"}])),
    updated("of an unknown filter", board(filters=[{**FILTER, "id": "f"}])),
    updated("of a filter without id", board(filters=[FILTER])),
    updated("of filters in another order", board(filters=["<made.filters.1>", "<made.filters.0>"])),
    updated("of tags twice", board(*KNOWN, tags=["z", "z", "a"])),
    updated("of tags of null", board(tags=None)),
    updated("of no name", {"tiles": []}),
    updated("of no tiles", {"name": "a"}),
    updated("of an absent source", board(tile({**LINE, "sourceId": ABSENT}))),
    updated("of a name that nobody knows", board(colour="red", id=ABSENT)),
    updated("of an id twice", board(KNOWN[0], KNOWN[0])),
    updated("of series", of_series(TIME, id="<made.tiles.0.id>")),
    updated("of what was read", "<made>"),
)

IDS: tuple[Scenario, ...] = tuple(
    scenario(
        f"{method} of a dashboard",
        ("malformed id", method, "dashboards/nonsense", body),
        ("absent id", method, f"dashboards/{ABSENT}", body),
        ("absent id of twelve letters", method, "dashboards/twelve_chars", body),
        ("id in capitals", method, "dashboards/0123456789ABCDEF01234567", body),
    )
    for method, body in (("GET", None), ("PUT", BARE), ("DELETE", None))
)
ODD: tuple[Scenario, ...] = (
    scenario(
        "dashboards in order",
        ("first", "POST", "dashboards", {"name": "b", "tiles": []}, "first"),
        ("second", "POST", "dashboards", {"name": "c", "tiles": []}, "second"),
        ("third", "POST", "dashboards", {"name": "B", "tiles": []}, "third"),
        ("list", "GET", "dashboards"),
        ("same name", "POST", "dashboards", {"name": "b", "tiles": []}, "fourth"),
        ("delete", "DELETE", "dashboards/<first.id>"),
        ("read after", "GET", "dashboards/<first.id>"),
        ("update after", "PUT", "dashboards/<first.id>", BARE),
        ("delete again", "DELETE", "dashboards/<first.id>"),
    ),
    scenario(
        "odd requests of dashboards",
        Request("no body", "POST", "dashboards"),
        Request("broken JSON", "POST", "dashboards", raw=b'{"name": '),
        Request("a number", "POST", "dashboards", raw=b"1"),
        Request("null", "POST", "dashboards", raw=b"null"),
        Request("nobody's token", "GET", "dashboards", token=False),
        Request("nobody's create", "POST", "dashboards", BARE, token=False),
        Request("a method", "PATCH", f"dashboards/{ABSENT}", BARE),
        Request("a route", "GET", "dashboard"),
        Request("a deeper route", "GET", f"dashboards/{ABSENT}/tiles"),
        Request("a bad id and a bad body", "PUT", "dashboards/nonsense", {}),
        Request("an absent id and a bad body", "PUT", f"dashboards/{ABSENT}", {}),
        Request("validate with GET", "GET", "dashboards/validate"),
    ),
)

BOARDS: tuple[Scenario, ...] = (
    *each_alone("a dashboard", "POST", "dashboards", DETAILS),
    *each_alone("validation of", "POST", "dashboards/validate", VALIDATED),
    *UPDATES,
    *IDS,
    *ODD,
)
