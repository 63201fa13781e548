"""Alerts with charts, titles and channels, as the vendor's own API tests of October 2026 expect them.

Each case is a claim of these tests (routers/external-api/__tests__/alerts.int.test.ts), in other words.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from clouddb_tools.release import Release
from clouddb_tools.sandbox import Sandbox
from lives.life import a_dashboard, a_service
from support.ids import CALM, CONNECTION, LOGS, LOUD

pytestmark = pytest.mark.beyond_the_description
"""These tests send what servers refuse or drop."""

Values = dict[str, Any]
NOBODY = "65f5e4a3b9e77c001a56dead"
SQL = "SELECT $__timeInterval(Timestamp) AS ts, count() FROM t WHERE $__timeFilter(Timestamp) GROUP BY ts"
COUNT: Values = {"aggFn": "count", "where": "level:error"}
ALL: Values = {"aggFn": "count", "where": ""}
CHART: Values = {"displayType": "line", "sourceId": LOGS, "select": [COUNT]}
NUMBER: Values = {**CHART, "displayType": "number"}
RAW: Values = {"configType": "sql", "displayType": "line", "connectionId": CONNECTION, "sqlTemplate": SQL}
HOOK: Values = {"type": "webhook", "webhookId": CALM}
USUAL: Values = {"interval": "5m", "threshold": 10, "thresholdType": "above", "channel": HOOK}
RATIO = "asRatio can only be used with exactly two select items"


@pytest.fixture(scope="module")
def server() -> Iterator[Sandbox]:
    """A server of the newest release."""
    with Sandbox(vocabulary="clickhouse") as sandbox:
        yield sandbox


@pytest.fixture
def http(server: Sandbox) -> Iterator[httpx.Client]:
    """A client of its API."""
    server.reset()
    with server.self_hosted() as client:
        yield client


def inline(chart: Any = None, **more: Any) -> Values:
    """Return the body of an alert with a chart."""
    return {**USUAL, "source": "inline", "chartConfig": chart or CHART, **more}


def on_tile(server: Sandbox, **more: Any) -> Values:
    """Return the body of an alert on a tile."""
    tile = a_dashboard(server)
    return {**USUAL, "source": "tile", "dashboardId": tile["dashboard_id"], "tileId": tile["one"], **more}


def of_search(http: httpx.Client, **more: Any) -> Values:
    """Return the body of an alert on a saved search."""
    body = {"name": "Errors", "sourceId": LOGS, "tags": ["shop"]}
    search = http.post("/saved-searches", json=body).raise_for_status().json()["data"]
    return {**USUAL, "source": "saved_search", "savedSearchId": search["id"], **more}


def created(http: httpx.Client, body: Values) -> Values:
    """Create an alert."""
    response = http.post("/alerts", json=body)
    assert response.status_code == 200, response.text
    result: Values = response.json()["data"]
    return result


def replaced(http: httpx.Client, alert: Values, body: Values) -> Values:
    """Replace an alert."""
    response = http.put(f"/alerts/{alert['id']}", json=body)
    assert response.status_code == 200, response.text
    result: Values = response.json()["data"]
    return result


def read(http: httpx.Client, alert: Values) -> Values:
    """Read an alert by its id."""
    result: Values = http.get(f"/alerts/{alert['id']}").raise_for_status().json()["data"]
    return result


ACCEPTED: dict[str, Values] = {
    "a line": CHART,
    "a bar with groups": {**CHART, "displayType": "stacked_bar", "groupBy": "ServiceName"},
    "a formula": {**CHART, "formulas": [{"expression": "A * 2"}]},
    "a number": NUMBER,
    "a number with a formula over two values": {
        **NUMBER,
        "select": [COUNT, ALL],
        "formulas": [{"expression": "A / B * 100"}],
    },
    "a ratio": {**CHART, "select": [COUNT, ALL], "asRatio": True},
    "raw SQL": RAW,
    "raw SQL with a source of the connection": {**RAW, "sourceId": LOGS},
    "raw SQL of a number without an interval": {**RAW, "displayType": "number", "sqlTemplate": "SELECT 1"},
    "a name and a condition": {**CHART, "name": "Errors", "where": "ServiceName:api", "whereLanguage": "lucene"},
}

REFUSED: dict[str, tuple[Values, str]] = {
    "an unknown source": ({**CHART, "sourceId": NOBODY}, "Source not found"),
    "a table": ({**CHART, "displayType": "table"}, "Invalid discriminator value"),
    "PromQL": ({"configType": "promql", "promqlQuery": "up", "sourceId": NOBODY}, 'must be "sql" or omitted'),
    "a builder with the type of PromQL": ({**CHART, "configType": "promql"}, 'must be "sql" or omitted'),
    "a formula of a missing value": ({**CHART, "formulas": [{"expression": "B * 2"}]}, "formula"),
    "a formula that cannot be read": ({**CHART, "formulas": [{"expression": "A +"}]}, "formula"),
    "a formula and a ratio": (
        {**CHART, "select": [COUNT, ALL], "asRatio": True, "formulas": [{"expression": "A * 2"}]},
        "formulas cannot be combined with asRatio",
    ),
    "a ratio of one value": ({**CHART, "asRatio": True}, RATIO),
    "a number of two values": ({**NUMBER, "select": [COUNT, ALL]}, "Number charts support a single select item"),
    "raw SQL without an interval": ({**RAW, "sqlTemplate": "SELECT 1"}, "must include an interval parameter"),
    "an unknown connection": ({**RAW, "connectionId": NOBODY}, "Connection not found"),
    "raw SQL with a condition": (
        {**RAW, "where": "ServiceName:api"},
        "Raw SQL alert configs have no",
    ),
    "too many values": ({**CHART, "select": [COUNT] * 21}, "chartConfig.select: Array must contain"),
}


@pytest.mark.parametrize("case", ACCEPTED)
def test_chart_is_returned_alone_and_not_in_lists(case: str, http: httpx.Client) -> None:
    """What is returned is a valid body, and replaces nothing."""
    alert = created(http, inline(ACCEPTED[case]))
    assert {name: alert["chartConfig"].get(name) for name in ACCEPTED[case] if name != "select"} == {
        name: value for name, value in ACCEPTED[case].items() if name != "select"
    }
    (listed,) = http.get("/alerts").json()["data"]
    assert "chartConfig" not in listed
    assert listed["source"] == "inline"
    found = read(http, alert)
    assert found["chartConfig"] == alert["chartConfig"]
    assert replaced(http, alert, found)["chartConfig"] == alert["chartConfig"]


@pytest.mark.parametrize("case", REFUSED)
def test_chart_is_refused(case: str, http: httpx.Client) -> None:
    """The message of the rule is in the response."""
    chart, words = REFUSED[case]
    response = http.post("/alerts", json=inline(chart))
    assert response.status_code == 400
    assert words in response.json()["message"]


def test_source_must_be_of_the_connection(http: httpx.Client) -> None:
    """A query runs on one connection and would read the tables of another."""
    other = http.post(
        "/connections", json={"name": "Other", "host": "http://localhost:8124", "username": "u", "password": ""}
    ).json()["data"]
    response = http.post("/alerts", json=inline({**RAW, "connectionId": other["id"], "sourceId": LOGS}))
    assert (response.status_code, response.json()["message"]) == (
        400,
        "Source does not belong to the specified connection",
    )


def test_chart_is_only_for_alerts_with_one(server: Sandbox, http: httpx.Client) -> None:
    """Any other source refuses it, and this source requires it."""
    words = 'chartConfig is only supported when source is "inline"'
    for body in (on_tile(server), of_search(http)):
        response = http.post("/alerts", json={**body, "chartConfig": CHART})
        assert (response.status_code, words in response.text.replace("\\", "")) == (400, True)
    alert = created(http, on_tile(server))
    assert http.put(f"/alerts/{alert['id']}", json={**on_tile(server), "chartConfig": CHART}).status_code == 400
    response = http.post("/alerts", json={**USUAL, "source": "inline"})
    assert (response.status_code, "chartConfig: Required" in response.text) == (400, True)


def test_other_source_replaces_the_watched_object(server: Sandbox, http: httpx.Client) -> None:
    """An alert watches one thing."""
    alert = created(http, inline())
    moved = replaced(http, alert, on_tile(server))
    assert ("chartConfig" in moved, moved["source"]) == (False, "tile")
    back = replaced(http, alert, inline())
    assert back["chartConfig"]["sourceId"] == LOGS
    assert not {"dashboardId", "tileId"} & back.keys()


def test_unknown_entries_of_a_chart_are_dropped(http: httpx.Client) -> None:
    """They are not stored."""
    assert "unknown" not in created(http, inline({**CHART, "unknown": 1}))["chartConfig"]


def test_chart_of_the_page_is_hidden_and_never_lost(server: Sandbox, http: httpx.Client) -> None:
    """What was read is refused as a body, and the chart stays."""
    alert = created(http, inline())
    server.change("alerts", alert["id"], chartConfig={**CHART, "filters": [{"type": "sql", "condition": "a = 1"}]})
    found = read(http, alert)
    assert ("chartConfig" in found, found["source"]) == (False, "inline")
    assert http.put(f"/alerts/{alert['id']}", json=found).status_code == 400
    assert server.objects("alerts")[alert["id"]]["chartConfig"]["filters"]


def test_title_is_derived_until_somebody_sets_it(server: Sandbox, http: httpx.Client) -> None:
    """An update without it derives it again; null does, too."""
    on_search, on_a_tile = created(http, of_search(http)), created(http, on_tile(server))
    assert (on_search["displayName"], on_search["tags"]) == ("Errors", ["shop"])
    assert (on_a_tile["displayName"], on_a_tile["tags"]) == ("Watched - one", [])
    alert = created(http, inline({**CHART, "name": " Rate "}, displayName=" Mine ", tags=["a"]))
    assert (alert["displayName"], alert["tags"]) == ("Mine", ["a"])
    again = replaced(http, alert, inline({**CHART, "name": "Rate"}, displayName=None))
    assert (again["displayName"], again["tags"]) == ("Rate", [])
    assert created(http, inline())["displayName"] == "Alert"
    for body in ({"displayName": "x" * 513}, {"tags": ["x"] * 51}, {"tags": ["x" * 33]}):
        assert http.post("/alerts", json=inline(**body)).status_code == 400


def test_channels_are_several_different_ones(http: httpx.Client) -> None:
    """The first of them is `channel`; an update with `channel` alone leaves only that one."""
    usual = {name: value for name, value in inline().items() if name != "channel"}
    two = [HOOK, {"type": "webhook", "webhookId": LOUD}]
    alert = created(http, {**usual, "channels": two})
    assert (alert["channel"], alert["channels"]) == (HOOK, two)
    assert len(replaced(http, alert, {**read(http, alert), "threshold": 42})["channels"]) == 2
    assert replaced(http, alert, inline())["channels"] == [HOOK]
    many = [{"type": "webhook", "webhookId": f"{index:024x}"} for index in range(11)]
    for body in ({}, {"channels": [HOOK, HOOK]}, {"channels": many}, {"channel": HOOK, "channels": two[1:]}):
        assert http.post("/alerts", json={**usual, **body}).status_code == 400


def test_missing_alert_is_not_found(http: httpx.Client) -> None:
    """An update of it creates none."""
    assert http.put(f"/alerts/{NOBODY}", json=inline()).status_code == 404


def test_older_servers_have_no_charts_and_titles(server: Sandbox, http: httpx.Client) -> None:
    """They drop what they do not know; after their upgrade, titles are derived."""
    server.set_release(Release.AUGUST_2026)
    alert = created(http, on_tile(server, displayName="Mine", tags=["a"]))
    assert not {"displayName", "tags"} & alert.keys()
    response = http.post("/alerts", json=inline())
    assert (response.status_code, "source: Invalid enum value" in response.text) == (400, True)
    server.set_release(Release.OCTOBER_2026)
    assert read(http, alert)["displayName"] == "Watched - one"


def test_servers_of_services_have_no_charts_and_titles(server: Sandbox) -> None:
    """Nor checks every 30 seconds, without a feature of the team."""
    server.reset()
    service = a_service(server)["service_id"]
    search = server.add("saved_searches", serviceId=service, name="s", sourceId=LOGS)
    with server.management() as http:
        base = f"/services/{service}/clickstack"
        body = {**USUAL, "source": "saved_search", "savedSearchId": search["id"], "displayName": "Mine"}
        assert "displayName" not in http.post(f"{base}/alerts", json=body).raise_for_status().json()["result"]
        for more in ({"interval": "30s"}, {"source": "inline", "chartConfig": CHART}):
            assert http.post(f"{base}/alerts", json={**body, **more}).status_code == 400
