"""In the vendor's dialect, managed and self-hosted observability servers treat dashboards in the same way.

real_server/ compares the self-hosted one with the vendor's server.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from clouddb_tools.sandbox import Sandbox
from support.ids import CALM, CONNECTION, LOGS

Values = dict[str, Any]

PLACE: Values = {"name": "a", "x": 0, "y": 0, "w": 6, "h": 3}
LINE: Values = {"displayType": "line", "sourceId": LOGS, "select": [{"aggFn": "count"}]}
SQL: Values = {"displayType": "table", "configType": "sql", "connectionId": CONNECTION, "sqlTemplate": "SELECT 1"}
TIME: Values = {"type": "time", "sourceId": LOGS, "aggFn": "count", "where": "", "groupBy": []}
FILTER: Values = {"type": "QUERY_EXPRESSION", "name": "Service", "expression": "ServiceName", "sourceId": LOGS}
TABS = [{"id": "t", "title": "Tab"}]
CONTAINER: Values = {"id": "c", "title": "Group", "collapsed": False, "tabs": TABS}


@pytest.fixture(scope="module")
def forms() -> Iterator[list[httpx.Client]]:
    """A client of each form of the observability API."""
    with Sandbox(vocabulary="clickhouse") as running, running.self_hosted() as hosted, running.management() as managed:
        service_id = running.add("services", name="orders")["id"]
        managed.base_url = managed.base_url.join(f"services/{service_id}/clickstack/")
        yield [hosted, managed]


def answered(answer: httpx.Response) -> tuple[int, Any]:
    """Return the status, and the content of the envelope of either form."""
    body = answer.json()
    if answer.status_code == httpx.codes.OK:
        return 200, body.get("data", body.get("result", body))
    return answer.status_code, body.get("message") or body["error"].removeprefix("BAD_REQUEST: ")


def without_ids(value: Any) -> Any:
    """Return a dashboard without the ids of the server."""
    if isinstance(value, dict):
        return {name: without_ids(each) for name, each in value.items() if name != "id"}
    return [without_ids(each) for each in value] if isinstance(value, list | tuple) else value


def board(*tiles: Values, **more: Any) -> Values:
    """Return the body of a create."""
    return {"name": "Orders", "tiles": list(tiles), **more}


BODIES: dict[str, Values] = {
    "a config, with defaults and what its kind does not have": board({**PLACE, "config": {**LINE, "having": "a"}}),
    "raw SQL": board({**PLACE, "config": SQL}),
    "series, returned as a config": board({**PLACE, "series": [TIME, TIME], "asRatio": True}),
    "containers, filters and a query": board(
        {**PLACE, "config": LINE, "containerId": "c", "tabId": "t"},
        containers=[CONTAINER],
        filters=[FILTER],
        savedQuery="a:1",
        tags=["a", "a"],
    ),
    "refused by its schema": board({**PLACE, "config": LINE, "x": 24}),
    "refused beyond its schema": board({**PLACE, "config": LINE, "containerId": "d"}, containers=[CONTAINER]),
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_both_forms_respond_equally(body: Values, forms: list[httpx.Client]) -> None:
    """Both respond equally to a create, a validation and an update with the read dashboard, which changes nothing."""
    hosted, managed = (
        [answered(each.post(path, json=body)) for path in ("dashboards", "dashboards/validate")] for each in forms
    )
    assert without_ids(managed) == without_ids(hosted)
    status, made = managed[0]
    if status == httpx.codes.OK:
        path = f"dashboards/{made['id']}"
        assert answered(forms[1].put(path, json=made)) == answered(forms[1].get(path)) == (200, made)


def tile(**more: Any) -> Values:
    """Return a dashboard with one tile; properties that a tile does not have belong to its config."""
    own: Values = {name: more.pop(name) for name in ("x", "h", "id", "containerId", "tabId", "series") if name in more}
    return board({**PLACE, "config": {**LINE, **more}, **own})


WORDS: dict[str, tuple[Values, str]] = {
    "too much": (tile(x=24), "tiles.0.x: Number must be less than or equal to 23"),
    "too little": (tile(h=0), "tiles.0.h: Number must be greater than or equal to 1"),
    "of another type": (tile(x="1"), "tiles.0.x: Expected number, received string"),
    "null": (board(tags=None), "tags: Expected array, received null"),
    "missing": ({"tiles": []}, "name: Required"),
    "a long text": (tile(id="i" * 37), "tiles.0.id: String must contain at most 36 character(s)"),
    "a long list": (board(tags=["t"] * 51), "tags: Array must contain at most 50 element(s)"),
    "an empty list": (
        board({**PLACE, "series": []}),
        "tiles.0.series: Array must contain at least 1 element(s)",
    ),
    "an id twice": (
        board(*[{**PLACE, "config": LINE, "id": "i"}] * 2),
        "tiles.1.id: Duplicate tile ID: i. Omit the ID to generate a unique one.",
    ),
    "a container twice": (
        board(containers=[CONTAINER] * 2),
        'containers.1.id: Container IDs must be unique: "c"',
    ),
    "no content": (board(PLACE), "tiles.0: Tile must have either series or config"),
    "two contents": (tile(series=[TIME]), "tiles.0: Tile cannot have both series and config"),
    "mixed series": (
        board({**PLACE, "series": [TIME, {"type": "markdown", "content": ""}]}),
        "tiles.0.series: All series must have the same type",
    ),
    "no such choice": (
        board({**PLACE, "series": [{**TIME, "aggFn": "p95"}]}),
        "tiles.0.series.0.aggFn: Invalid enum value. Expected 'avg' | 'count' | ",
    ),
    "no such kind": (
        tile(displayType="bubble"),
        "tiles.0.config.displayType: Invalid discriminator value. Expected 'line' | 'stacked_bar' | ",
    ),
    "a malformed id": (tile(sourceId="logs"), "tiles.0.config.sourceId: Invalid ObjectId"),
    "a count of something": (
        tile(select=[{"aggFn": "count", "valueExpression": "a"}]),
        "tiles.0.config.select.0: Value expression cannot be used with count aggregation function",
    ),
    "a sum of nothing": (
        tile(select=[{"aggFn": "sum"}]),
        "tiles.0.config.select.0: Value expression is required for non-count aggregation functions",
    ),
    "a level of no quantile": (
        tile(select=[{"aggFn": "count", "level": 0.95}]),
        "tiles.0.config.select.0: Level can only be used with quantile aggregation function",
    ),
    "a ratio of one": (tile(asRatio=True), "tiles.0.config: asRatio can only be used with exactly two select items"),
    "a query without a language": (
        board(savedQuery="a", savedQueryLanguage=None),
        "savedQueryLanguage: savedQueryLanguage cannot be null when savedQuery is provided",
    ),
    "an unknown key": (board(filters=[{**FILTER, "a": 1}]), "filters.0: Unrecognized key(s) in object: 'a'"),
}


@pytest.mark.parametrize(("body", "words"), WORDS.values(), ids=WORDS)
def test_refusals_have_the_messages_of_the_server(body: Values, words: str, forms: list[httpx.Client]) -> None:
    """Each kind of mistake has its message; a validation separates path and message."""
    status, message = answered(forms[0].post("dashboards", json=body))
    assert (status, f"Body validation failed: {words}" in message) == (400, True), message
    path, _, text = words.partition(": ")
    (error, *_) = answered(forms[0].post("dashboards/validate", json=body))[1]["errors"]
    assert (error["path"], error["message"][: len(text)]) == (path, text)


OF_CONTAINERS = {
    'tiles.0.containerId: Tile references unknown containerId "d"': tile(containerId="d"),
    'tiles.0.tabId: Tile references unknown tabId "u" in container "c"': tile(containerId="c", tabId="u"),
    "tiles.0.tabId: tabId requires containerId to be set": tile(tabId="t"),
}


@pytest.mark.parametrize("words", OF_CONTAINERS)
def test_references_of_a_tile_are_checked(words: str, forms: list[httpx.Client]) -> None:
    """These messages have no path."""
    body = {**OF_CONTAINERS[words], "containers": [CONTAINER]}
    assert answered(forms[0].post("dashboards", json=body)) == (400, words)
    errors = answered(forms[0].post("dashboards/validate", json=body))[1]["errors"]
    assert {"path": "", "message": words} in errors


def test_both_forms_drop_an_alert_on_a_tile_without_alerts(forms: list[httpx.Client]) -> None:
    """It is dropped with the next update of the dashboard; an alert on a line stays."""
    for each in forms:
        tiles = ({**PLACE, "config": {**LINE, "displayType": kind}} for kind in ("line", "table"))
        _, made = answered(each.post("dashboards", json=board(*tiles)))
        rule = {"source": "tile", "threshold": 1, "thresholdType": "above", "interval": "5m"}
        channel = {"type": "webhook", "webhookId": CALM}
        for tile in made["tiles"]:
            watched = {"dashboardId": made["id"], "tileId": tile["id"]}
            assert answered(each.post("alerts", json={**rule, **watched, "channel": channel}))[0] == 200
        assert answered(each.put(f"dashboards/{made['id']}", json=made))[0] == 200
        left = [alert["tileId"] for alert in answered(each.get("alerts"))[1] if alert["dashboardId"] == made["id"]]
        assert left == [made["tiles"][0]["id"]]


IF_MATCH: dict[str, tuple[str | None, int]] = {
    "without": (None, 200),
    "the current version": ('"0"', 200),
    "another version": ('"7"', 409),
    "no version": ("0", 400),
}


@pytest.mark.parametrize("name", IF_MATCH)
def test_update_of_another_version_is_refused(name: str) -> None:
    """With `versions`, a dashboard has its version as ETag, and an update may name it."""
    tag, status = IF_MATCH[name]
    with Sandbox(versions=True) as sandbox, sandbox.self_hosted() as http:
        board = sandbox.add("dashboards", name="a", tiles=[])["id"]
        assert http.get(f"/dashboards/{board}").headers["etag"] == '"0"'
        headers = {} if tag is None else {"If-Match": tag}
        assert http.put(f"/dashboards/{board}", json={"name": "b", "tiles": []}, headers=headers).status_code == status
        assert http.get(f"/dashboards/{board}").headers["etag"] == ('"1"' if status == 200 else '"0"')


def test_dashboards_have_no_version_by_default() -> None:
    """No released server has them: it returns no ETag of its own, and ignores If-Match."""
    with Sandbox() as sandbox, sandbox.self_hosted() as http:
        board = sandbox.add("dashboards", name="a", tiles=[])["id"]
        assert "etag" not in http.get(f"/dashboards/{board}").headers
        body = {"name": "b", "tiles": []}
        assert http.put(f"/dashboards/{board}", json=body, headers={"If-Match": '"7"'}).status_code == 200
