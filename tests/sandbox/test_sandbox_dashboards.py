"""Dashboards of the sandbox in the vendor's dialect: what it takes, refuses, drops, keeps and answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from pulumi_clouddb.sandbox import Sandbox
from support.ids import CALM, CONNECTION, LOGS, TRACES

Values = dict[str, Any]

PLACE: Values = {"name": "a", "x": 0, "y": 0, "w": 6, "h": 3}
VALUE: Values = {"aggFn": "count"}
USUAL: Values = {"valueExpression": "", "where": "", "whereLanguage": "lucene"}
LINE: Values = {"displayType": "line", "sourceId": LOGS, "select": [VALUE]}
TIME: Values = {"type": "time", "sourceId": LOGS, "aggFn": "count", "where": "", "groupBy": []}
FILTER: Values = {"type": "QUERY_EXPRESSION", "name": "Service", "expression": "ServiceName", "sourceId": LOGS}
TABS = [{"id": "t", "title": "Tab"}]
CONTAINER: Values = {"id": "c", "title": "Group", "collapsed": False, "tabs": TABS}


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    """A server of the vendor."""
    with Sandbox(vocabulary="clickhouse") as running:
        yield running


@pytest.fixture(params=["self-hosted", "managed"])
def http(request: pytest.FixtureRequest, sandbox: Sandbox) -> Iterator[httpx.Client]:
    """A client of either form, for paths below the stack."""
    if request.param == "self-hosted":
        with sandbox.self_hosted() as client:
            yield client
        return
    service_id = sandbox.add("services", name="orders")["id"]
    with sandbox.management() as client:
        client.base_url = client.base_url.join(f"services/{service_id}/clickstack/")
        yield client


def data(answer: httpx.Response) -> Any:
    """Return what a success is about."""
    assert answer.status_code == 200, answer.text
    body = answer.json()
    return body["data"] if "data" in body else body["result"]


def said(answer: httpx.Response) -> str:
    """Return what a refusal says."""
    assert answer.status_code == 400, answer.text
    body = answer.json()
    return str(body["message"] if "message" in body else body["error"].removeprefix("BAD_REQUEST: "))


def tile(**more: Any) -> Values:
    """Return a tile in the newer form."""
    return {**PLACE, "config": LINE, **more}


def body(*tiles: Values, **more: Any) -> Values:
    """Return the body of a create."""
    return {"name": "Orders", "tiles": list(tiles), **more}


def with_config(**config: Any) -> Values:
    """Return a tile of another config."""
    return tile(config={**LINE, **config})


def with_series(*series: Values, **more: Any) -> Values:
    """Return a tile of series."""
    return {**PLACE, "series": list(series), **more}


AGGREGATIONS = (
    "'avg' | 'count' | 'count_distinct' | 'last_value' | 'max' | 'min' | 'quantile' | 'sum' | 'any' | 'none' | "
    "'increase'"
)
TYPES = "'time' | 'table' | 'number' | 'search' | 'markdown'"
KINDS = (
    "'line' | 'stacked_bar' | 'table' | 'number' | 'pie' | 'bar' | 'heatmap' | 'search' | 'event_patterns' | 'markdown'"
)
REFUSED: dict[str, tuple[Any, str]] = {
    "x of 24": (body(tile(x=24)), "tiles.0.x: Number must be less than or equal to 23"),
    "w of 25": (body(tile(w=25)), "tiles.0.w: Number must be less than or equal to 24"),
    "h of 0": (body(tile(h=0)), "tiles.0.h: Number must be greater than or equal to 1"),
    "no x": (body({name: each for name, each in tile().items() if name != "x"}), "tiles.0.x: Required"),
    "x of text": (body(tile(x="1")), "tiles.0.x: Expected number, received string"),
    "a long name": (body(name="n" * 1025), "name: String must contain at most 1024 character(s)"),
    "no name": ({"tiles": []}, "name: Required"),
    "no tiles": ({"name": "a"}, "tiles: Required"),
    "tags of null": (body(tags=None), "tags: Expected array, received null"),
    "many tags": (body(tags=["t"] * 51), "tags: Array must contain at most 50 element(s)"),
    "a long tag": (body(tags=["t" * 33]), "tags.0: String must contain at most 32 character(s)"),
    "many tiles": (body(*[tile()] * 501), "tiles: Array must contain at most 500 element(s)"),
    "an id twice": (
        body(tile(id="i"), tile(id="i")),
        "tiles.1.id: Duplicate tile ID: i. Omit the ID to generate a unique one.",
    ),
    "a long id": (body(tile(id="i" * 37)), "tiles.0.id: String must contain at most 36 character(s)"),
    "neither series nor config": (body(PLACE), "tiles.0: Tile must have either series or config"),
    "series and config": (body(tile(series=[TIME])), "tiles.0: Tile cannot have both series and config"),
    "empty series": (body(with_series()), "tiles.0.series: Array must contain at least 1 element(s)"),
    "mixed series": (
        body(with_series(TIME, {"type": "markdown", "content": ""})),
        "tiles.0.series: All series must have the same type",
    ),
    "series without a condition": (
        body(with_series({name: each for name, each in TIME.items() if name != "where"})),
        "tiles.0.series.0.where: Required",
    ),
    "an aggregation": (
        body(with_series({**TIME, "aggFn": "p95"})),
        f"tiles.0.series.0.aggFn: Invalid enum value. Expected {AGGREGATIONS}, received 'p95'",
    ),
    "a type of series": (
        body(with_series({**TIME, "type": "bubble"})),
        f"tiles.0.series.0.type: Invalid discriminator value. Expected {TYPES}",
    ),
    "a display type": (
        body(with_config(displayType="bubble")),
        f"tiles.0.config.displayType: Invalid discriminator value. Expected {KINDS}",
    ),
    "a malformed source": (body(with_config(sourceId="logs")), "tiles.0.config.sourceId: Invalid ObjectId"),
    "a count of something": (
        body(with_config(select=[{**VALUE, "valueExpression": "a"}])),
        "tiles.0.config.select.0: Value expression cannot be used with count aggregation function",
    ),
    "a sum of nothing": (
        body(with_config(select=[{"aggFn": "sum"}])),
        "tiles.0.config.select.0: Value expression is required for non-count aggregation functions",
    ),
    "a level of no quantile": (
        body(with_config(select=[{**VALUE, "level": 0.95}])),
        "tiles.0.config.select.0: Level can only be used with quantile aggregation function",
    ),
    "a ratio of one": (
        body(with_config(asRatio=True)),
        "tiles.0.config: asRatio can only be used with exactly two select items",
    ),
    "a container that is not there": (
        body(tile(containerId="d"), containers=[CONTAINER]),
        'tiles.0.containerId: Tile references unknown containerId "d"',
    ),
    "a tab that is not there": (
        body(tile(containerId="c", tabId="u"), containers=[CONTAINER]),
        'tiles.0.tabId: Tile references unknown tabId "u" in container "c"',
    ),
    "a tab of no container": (body(tile(tabId="t")), "tiles.0.tabId: tabId requires containerId to be set"),
    "a container twice": (
        body(containers=[CONTAINER, CONTAINER]),
        'containers.1.id: Container IDs must be unique: "c"',
    ),
    "a query without a language": (
        body(savedQuery="a", savedQueryLanguage=None),
        "savedQueryLanguage: savedQueryLanguage cannot be null when savedQuery is provided",
    ),
    "a filter of more": (body(filters=[{**FILTER, "a": 1}]), "filters.0: Unrecognized key(s) in object: 'a'"),
    "a filter with an id": (body(filters=[{**FILTER, "id": "1"}]), "filters.0: Unrecognized key(s) in object: 'id'"),
}
WITHOUT_PREFIX = ("a container that is not there", "a tab that is not there", "a tab of no container")
"""What the server says outside of its schema."""


@pytest.mark.parametrize("case", REFUSED)
def test_words_of_refusals(case: str, http: httpx.Client) -> None:
    """The words are the server's, for a create as for an update; nothing is created."""
    given, words = REFUSED[case]
    before = data(http.get("dashboards"))
    answer = said(http.post("dashboards", json=given))
    assert answer == words if case in WITHOUT_PREFIX else answer.startswith("Body validation failed: ")
    assert words in answer
    assert data(http.get("dashboards")) == before
    judged = http.post("dashboards/validate", json=given).json()
    judged = judged.get("result", judged)
    assert (judged["valid"], judged["normalized"]) == (False, None)
    path, _, text = words.partition(": ")
    error = {"path": "", "message": words} if case in WITHOUT_PREFIX else {"path": path, "message": text}
    assert error in judged["errors"]


ANSWERED: dict[str, tuple[Values, Values]] = {
    "a line": (
        with_config(where="a:1", newerThanUs=1, select=[{**VALUE, "newer": 1}]),
        {**LINE, "select": [{**VALUE, **USUAL}], "asRatio": False, "fillNulls": True},
    ),
    "bars without compareToPreviousPeriod": (
        with_config(displayType="stacked_bar", compareToPreviousPeriod=True, fillNulls=False),
        {**LINE, "displayType": "stacked_bar", "select": [{**VALUE, **USUAL}], "asRatio": False, "fillNulls": False},
    ),
    "a table": (
        with_config(displayType="table", having="a > 1", onClick={"type": "external", "urlTemplate": "https://a.b"}),
        {
            **LINE,
            "displayType": "table",
            "select": [{**VALUE, **USUAL}],
            "having": "a > 1",
            "onClick": {"type": "external", "urlTemplate": "https://a.b"},
            "asRatio": False,
        },
    ),
    "a number": (
        with_config(displayType="number", color="chart-red", colorRules=[]),
        {**LINE, "displayType": "number", "select": [{**VALUE, **USUAL}], "color": "chart-red"},
    ),
    "a search": (
        tile(config={"displayType": "search", "sourceId": LOGS, "select": "a, b"}),
        {"displayType": "search", "sourceId": LOGS, "select": "a, b", "where": "", "whereLanguage": "lucene"},
    ),
    "patterns": (
        tile(config={"displayType": "event_patterns", "sourceId": LOGS}),
        {"displayType": "event_patterns", "sourceId": LOGS, "select": "", "where": "", "whereLanguage": "lucene"},
    ),
    "a heatmap": (
        tile(config={"displayType": "heatmap", "sourceId": TRACES, "select": [{"valueExpression": "a", "alias": "b"}]}),
        {
            "displayType": "heatmap",
            "sourceId": TRACES,
            "select": [{"valueExpression": "a"}],
            "where": "",
            "whereLanguage": "lucene",
        },
    ),
    "text": (tile(config={"displayType": "markdown"}), {"displayType": "markdown", "markdown": ""}),
    "raw SQL": (
        tile(
            config={
                "displayType": "line",
                "configType": "sql",
                "connectionId": CONNECTION,
                "sqlTemplate": "a",
                "having": "b",
            }
        ),
        {"displayType": "line", "configType": "sql", "connectionId": CONNECTION, "sqlTemplate": "a", "fillNulls": True},
    ),
    "series of time": (
        with_series(
            {
                **TIME,
                "aggFn": "quantile",
                "field": "a",
                "level": 0.95,
                "alias": "b",
                "groupBy": ["c", "d"],
                "displayType": "stacked_bar",
                "numberFormat": {"output": "time"},
                "whereLanguage": "sql",
            }
        ),
        {
            "displayType": "stacked_bar",
            "sourceId": LOGS,
            "select": [
                {
                    "aggFn": "quantile",
                    "valueExpression": "a",
                    "level": 0.95,
                    "alias": "b",
                    "where": "",
                    "whereLanguage": "sql",
                }
            ],
            "groupBy": "c,d",
            "numberFormat": {"output": "time"},
            "asRatio": False,
            "fillNulls": True,
        },
    ),
    "two series as a ratio": (
        with_series(TIME, TIME, asRatio=True),
        {**LINE, "select": [{**VALUE, **USUAL}] * 2, "asRatio": True, "fillNulls": True},
    ),
    "the first of two numbers": (
        with_series({**TIME, "type": "number"}, {**TIME, "type": "number", "aggFn": "none"}),
        {**LINE, "displayType": "number", "select": [{**VALUE, **USUAL}]},
    ),
    "series of a search": (
        with_series({"type": "search", "sourceId": LOGS, "fields": ["a", "b"], "where": "c:1"}),
        {"displayType": "search", "sourceId": LOGS, "select": "a, b", "where": "c:1", "whereLanguage": "lucene"},
    ),
    "a series of text": (
        with_series({"type": "markdown", "content": "# a"}),
        {"displayType": "markdown", "markdown": "# a"},
    ),
}


@pytest.mark.parametrize("case", ANSWERED)
def test_what_it_makes_of_a_tile(case: str, http: httpx.Client) -> None:
    """It drops what the kind does not have, adds defaults, and always answers config; sent back, nothing changes."""
    sent, config = ANSWERED[case]
    made = data(http.post("dashboards", json=body(sent)))
    (shown,) = made["tiles"]
    assert shown["config"] == config
    assert set(shown) == {*PLACE, "id", "config"}
    assert data(http.put(f"dashboards/{made['id']}", json=made)) == made
    assert data(http.get(f"dashboards/{made['id']}")) == made


WHOLE = {
    "tags": ["a", "b", "a"],
    "filters": [FILTER],
    "savedQuery": "a:1",
    "savedFilterValues": [{"condition": "a = 1"}],
    "containers": [CONTAINER],
}


def test_what_an_update_keeps_and_what_it_clears(http: httpx.Client) -> None:
    """Properties of the dashboard are kept when they are left out, places in containers are not."""
    bare = data(http.post("dashboards", json=body()))
    empty: Values = {"tags": [], "filters": [], "savedQuery": None, "savedQueryLanguage": None, "savedFilterValues": []}
    assert bare == {"id": bare["id"], "name": "Orders", "tiles": [], **empty}
    made = data(http.post("dashboards", json=body(tile(containerId="c", tabId="t"), **WHOLE)))
    path = f"dashboards/{made['id']}"
    assert made["tags"] == ["a", "b"]
    assert made["savedQueryLanguage"] == "lucene"
    assert made["savedFilterValues"] == [{"type": "sql", "condition": "a = 1"}]
    assert (made["tiles"][0]["containerId"], made["tiles"][0]["tabId"]) == ("c", "t")
    kept = data(http.put(path, json=body(tile(id=made["tiles"][0]["id"]))))
    (shown,) = kept.pop("tiles")
    assert kept == {name: each for name, each in made.items() if name != "tiles"}
    assert not {"containerId", "tabId"} & set(shown)
    cleared: Values = {"tags": [], "filters": [], "savedQuery": None, "savedFilterValues": [], "containers": []}
    assert data(http.put(path, json=body(**cleared))) == {"id": made["id"], "name": "Orders", "tiles": [], **empty}


def test_filters_keep_the_ids_that_they_have(http: httpx.Client) -> None:
    """An update must send them; one that is not known gets another."""
    made = data(http.post("dashboards", json=body(filters=[FILTER])))
    (known,) = made["filters"]
    path = f"dashboards/{made['id']}"
    assert said(http.put(path, json=body(filters=[FILTER]))) == "Body validation failed: filters.0.id: Required"
    first, second = data(http.put(path, json=body(filters=[{**FILTER, "id": "new"}, known])))["filters"]
    assert second == known
    assert first["id"] not in ("new", known["id"])


def test_which_alerts_survive_an_update(http: httpx.Client) -> None:
    """Those on lines, bars over time and numbers; the others were taken, too."""
    kinds = ("line", "stacked_bar", "number", "table", "pie", "bar")
    made = data(http.post("dashboards", json=body(*(with_config(displayType=kind) for kind in kinds))))
    rule = {"source": "tile", "threshold": 1, "thresholdType": "above", "interval": "5m"}
    channel = {"type": "webhook", "webhookId": CALM}
    for each in made["tiles"]:
        watched = {"dashboardId": made["id"], "tileId": each["id"]}
        data(http.post("alerts", json={**rule, **watched, "channel": channel}))
    data(http.put(f"dashboards/{made['id']}", json=made))
    left = [each["tileId"] for each in data(http.get("alerts")) if each["dashboardId"] == made["id"]]
    assert left == [each["id"] for each in made["tiles"][:3]]


def test_ids_that_are_none(http: httpx.Client) -> None:
    """Twelve bytes could be one; anything else is refused, in the path and in an alert."""
    assert said(http.get("dashboards/short")) == "Params validation failed: id: Invalid ObjectId"
    assert http.get("dashboards/twelve-bytes").status_code == 404
    rule = {"source": "tile", "threshold": 1, "thresholdType": "above", "interval": "5m"}
    channel = {"type": "webhook", "webhookId": CALM}
    alert = {**rule, "channel": channel, "tileId": "t", "dashboardId": "short"}
    assert said(http.post("alerts", json=alert)) == "Invalid dashboard ID"
    sql = {"displayType": "table", "configType": "sql", "connectionId": CONNECTION, "sqlTemplate": "SELECT 1"}
    made = data(http.post("dashboards", json=body(tile(config=sql))))
    alert |= {"dashboardId": made["id"], "tileId": made["tiles"][0]["id"]}
    words = "Alerts on Raw SQL tiles are only supported for Line, Stacked Bar, or Number display types"
    assert said(http.post("alerts", json=alert)) == words


def test_a_good_body_is_valid(http: httpx.Client) -> None:
    """The answer has it as it would be read, with the conditions that it leaves out, and nothing is stored."""
    before = data(http.get("dashboards"))
    answer = http.post("dashboards/validate", json=body(tile(a=1)))
    assert answer.status_code == 200
    judged = answer.json().get("result", answer.json())
    assert judged == {"valid": True, "errors": [], "normalized": body(with_config(select=[{**VALUE, "where": ""}]))}
    assert data(http.get("dashboards")) == before


def test_the_interface_s_dialect_offers_no_judgement() -> None:
    """There the route is none."""
    with Sandbox() as sandbox, sandbox.self_hosted() as client:
        assert client.post("/dashboards/validate", json=body()).status_code == 404
