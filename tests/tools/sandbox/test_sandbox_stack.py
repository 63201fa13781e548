"""Observability servers in the sandbox: both forms, ids of tiles, deleted alerts and quirks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import httpx
import pytest

from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.schema.base import names_with, wire_names
from pulumi_clouddb.schema.thing import record_of
from pulumi_clouddb.things.alerts.alert import Alert
from support.ids import CALM, LOGS

FORMS = ("managed", "self-hosted")


class Stack:
    """One observability server; the two forms differ in address and envelope."""

    def __init__(self, http: httpx.Client, prefix: str, envelope: str) -> None:
        self.http, self.prefix, self.envelope = http, prefix, envelope

    def send(self, method: str, path: str, body: Any = None) -> httpx.Response:
        """Send a request and return the response."""
        return self.http.request(method, self.prefix + path, json=body)

    def do(self, method: str, path: str, body: Any = None) -> Any:
        """Send a request, which must succeed, and return the object."""
        answer = self.send(method, path, body)
        assert answer.status_code == 200, answer.text
        return answer.json().get(self.envelope)

    def words(self, answer: httpx.Response) -> str:
        """Return the message of an error."""
        body = answer.json()
        return str(body["message"] if self.envelope == "data" else body["error"])


@pytest.fixture(scope="module")
def stack_in() -> Iterator[Callable[..., Stack]]:
    """Create servers in sandboxes with given settings; equal settings share a sandbox."""
    running: dict[str, Sandbox] = {}
    with ExitStack() as exits:

        def make(form: str, **settings: Any) -> Stack:
            settings = {"vocabulary": "neutral", **settings}
            sandbox = running.get(str(settings)) or exits.enter_context(Sandbox(**settings))
            running[str(settings)] = sandbox
            if form == "self-hosted":
                return Stack(exits.enter_context(sandbox.self_hosted()), "", "data")
            service_id = sandbox.add("services", name="orders")["id"]
            word = "clickstack" if settings.get("vocabulary") == "clickhouse" else "stack"
            return Stack(exits.enter_context(sandbox.management()), f"/services/{service_id}/{word}", "result")

        yield make


@pytest.fixture(params=FORMS)
def stack(request: pytest.FixtureRequest, stack_in: Callable[..., Stack]) -> Stack:
    """A server in each of the two forms."""
    return stack_in(request.param)


def tile(name: str, **fields: Any) -> dict[str, Any]:
    """Return a tile with a line chart."""
    return {
        "name": name,
        "x": 0,
        "y": 0,
        "w": 6,
        "h": 3,
        "series": [{"type": "time", "aggFn": "count", "sourceId": LOGS, "groupBy": []}],
        **fields,
    }


def alert_on(dashboard: dict[str, Any], index: int = 0, **fields: Any) -> dict[str, Any]:
    """Return the body of an alert on a tile."""
    return {
        "dashboardId": dashboard["id"],
        "tileId": dashboard["tiles"][index]["id"],
        "threshold": 10,
        "interval": "5m",
        "source": "tile",
        "thresholdType": "above",
        "channel": {"type": "webhook", "webhookId": CALM},
        **fields,
    }


def test_server_generates_ids(stack: Stack) -> None:
    """Dashboards and tiles get 24 hexadecimal digits for any body."""
    made = stack.do("POST", "/dashboards", {"name": "board", "tiles": [tile("one", id="mine")]})
    for id_ in (made["id"], made["tiles"][0]["id"]):
        assert re.fullmatch("[0-9a-f]{24}", id_)
    assert stack.do("GET", f"/dashboards/{made['id']}") == made
    assert made in stack.do("GET", "/dashboards")


def test_update_keeps_known_ids_of_tiles(stack: Stack) -> None:
    """Tiles with ids can be reordered and renamed; tiles without ids are new ones."""
    made = stack.do("POST", "/dashboards", {"name": "board", "tiles": [tile("one"), tile("two")]})
    first, second = (entry["id"] for entry in made["tiles"])
    tiles = [tile("renamed", id=second), tile("one", id=first), tile("three", id="0" * 24), tile("four")]
    updated = stack.do("PUT", f"/dashboards/{made['id']}", {"name": "board", "tiles": tiles})
    kept = [entry["id"] for entry in updated["tiles"]]
    assert kept[:2] == [second, first]
    assert len({*kept, "0" * 24}) == 5
    again = stack.do("PUT", f"/dashboards/{made['id']}", {"name": "board", "tiles": [tile("one"), tile("two")]})
    assert not {entry["id"] for entry in again["tiles"]} & set(kept)


TAGS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "left out": ({}, ["a", "b"]),
    "empty": ({"tags": []}, []),
    "others": ({"tags": ["c", "c", "a"]}, ["c", "a"]),
}


@pytest.mark.parametrize("case", TAGS)
def test_tags_change_only_if_sent(stack: Stack, case: str) -> None:
    """An empty list clears them; duplicates are removed."""
    fields, expected = TAGS[case]
    made = stack.do("POST", "/dashboards", {"name": "board", "tags": ["a", "b", "a"], "tiles": []})
    assert made["tags"] == ["a", "b"]
    assert stack.do("PUT", f"/dashboards/{made['id']}", {"name": "board", "tiles": [], **fields})["tags"] == expected


INVALID: dict[str, tuple[dict[str, Any], str]] = {
    "no tiles": ({"name": "board"}, "tiles: is required"),
    "no name": ({"tiles": []}, "name: is required"),
    "the provider's key": ({"name": "board", "tiles": [tile("one", key="one")]}, "tiles[0].key: is not supported"),
    "unknown": ({"name": "board", "tiles": [], "colour": "red"}, "colour: is not supported"),
    "both contents": ({"name": "board", "tiles": [tile("one", config={})]}, "tiles[0]: must have series or config"),
    "null": ({"name": "board", "tiles": [], "tags": None}, "tags: must not be null"),
}


@pytest.mark.parametrize("case", INVALID)
def test_invalid_dashboard_is_refused(stack: Stack, case: str) -> None:
    """This holds for creates and updates; both APIs return the same reason in their own form."""
    body, words = INVALID[case]
    made = stack.do("POST", "/dashboards", {"name": "board", "tiles": []})
    for method, path in (("POST", "/dashboards"), ("PUT", f"/dashboards/{made['id']}")):
        answer = stack.send(method, path, body)
        assert answer.status_code == 400
        prefix = "Body validation failed: " if stack.envelope == "data" else "BAD_REQUEST: request body."
        assert f"{prefix}{words}" in stack.words(answer)


def test_servers_add_defaults(stack: Stack) -> None:
    """They add a condition to each series and asRatio to each tile; sent values are unchanged."""
    sent = tile("one", series=[{"type": "time"}, {"type": "time", "where": "level:error", "whereLanguage": "sql"}])
    made = stack.do("POST", "/dashboards", {"name": "board", "tiles": [sent]})["tiles"][0]
    assert made["asRatio"] is False
    assert made["series"] == [
        {"type": "time", "where": "", "whereLanguage": "lucene"},
        {"type": "time", "where": "level:error", "whereLanguage": "sql"},
    ]


def test_defaults_can_be_turned_off(stack_in: Callable[..., Stack]) -> None:
    """Without quirks a dashboard is returned as sent, except for ids."""
    stack = stack_in("managed", quirks=False)
    body = {"name": "board", "tags": ["a", "a"], "tiles": [tile("one")]}
    made = stack.do("POST", "/dashboards", body)
    plain = [{name: value for name, value in entry.items() if name != "id"} for entry in made["tiles"]]
    assert {**made, "tiles": plain} == {"id": made["id"], **body}


def test_read_dashboard_can_be_sent_back(stack: Stack) -> None:
    """An update with the read dashboard changes nothing."""
    made = stack.do("POST", "/dashboards", {"name": "board", "tags": ["a"], "tiles": [tile("one"), tile("two")]})
    body = {name: value for name, value in made.items() if name != "id"}
    assert stack.do("PUT", f"/dashboards/{made['id']}", body) == made


def test_alerts_are_deleted_with_their_tiles(stack: Stack) -> None:
    """Alerts of deleted tiles and of tiles with a new id are deleted without a message; others stay."""
    made = stack.do("POST", "/dashboards", {"name": "board", "tiles": [tile("one"), tile("two"), tile("three")]})
    alerts = [stack.do("POST", "/alerts", alert_on(made, index)) for index in range(3)]
    tiles = [tile("one", id=made["tiles"][0]["id"]), tile("two")]
    stack.do("PUT", f"/dashboards/{made['id']}", {"name": "board", "tiles": tiles})
    found = [stack.send("GET", f"/alerts/{alert['id']}").status_code for alert in alerts]
    assert found == [200, 404, 404]
    stack.do("DELETE", f"/dashboards/{made['id']}")
    assert stack.send("GET", f"/alerts/{alerts[0]['id']}").status_code == 404


def test_alerts_on_tiles_without_alerts_are_deleted_by_an_update(stack: Stack) -> None:
    """The server accepts such an alert, and deletes it when the dashboard is updated, even without changes."""
    table = tile("one", series=[{"type": "table"}])
    made = stack.do("POST", "/dashboards", {"name": "board", "tiles": [table]})
    alert = stack.do("POST", "/alerts", alert_on(made))
    stack.do("PUT", f"/dashboards/{made['id']}", {"name": "board", "tiles": made["tiles"]})
    assert stack.send("GET", f"/alerts/{alert['id']}").status_code == 404


def test_alert_has_all_fields_of_the_interface(stack: Stack) -> None:
    """The record has `dashboard`, the body `dashboardId`."""
    made = stack.do("POST", "/dashboards", {"name": "board", "tiles": [tile("one")]})
    alert = stack.do("POST", "/alerts", alert_on(made, name="errors", message="too many"))
    assert set(alert) == set(wire_names(record_of(Alert))).difference(names_with(record_of(Alert), "only"))
    assert (alert["dashboard"], alert["state"]) == (made["id"], "inactive")
    assert stack.do("GET", f"/alerts/{alert['id']}") == alert
    assert alert in stack.do("GET", "/alerts")


def test_update_of_an_alert_clears_missing_fields(stack: Stack) -> None:
    """Name and message become null; the state is unchanged."""
    made = stack.do("POST", "/dashboards", {"name": "board", "tiles": [tile("one"), tile("two")]})
    alert = stack.do("POST", "/alerts", alert_on(made, name="errors", message="too many"))
    changed = stack.do("PUT", f"/alerts/{alert['id']}", alert_on(made, 1, threshold=20.5))
    assert (changed["name"], changed["message"], changed["threshold"]) == (None, None, 20.5)
    assert (changed["tileId"], changed["state"]) == (made["tiles"][1]["id"], "inactive")
    assert changed["createdAt"] == alert["createdAt"]


BAD_ALERTS: dict[str, tuple[dict[str, Any], str]] = {
    "no such dashboard": ({"dashboardId": "0" * 24}, "Dashboard not found"),
    "no such tile": ({"tileId": "0" * 24}, "Tile not found"),
    "interval": ({"interval": "often"}, "interval: must be a number with a unit"),
    "unknown": ({"state": "active"}, "state: is not supported"),
}


@pytest.mark.parametrize("case", BAD_ALERTS)
def test_invalid_alert_is_refused(stack: Stack, case: str) -> None:
    """Its dashboard and its tile must exist."""
    fields, words = BAD_ALERTS[case]
    made = stack.do("POST", "/dashboards", {"name": "board", "tiles": [tile("one")]})
    answer = stack.send("POST", "/alerts", {**alert_on(made), **fields})
    assert answer.status_code == 400
    assert words in stack.words(answer)


@pytest.mark.parametrize("name", ["threshold", "interval", "thresholdType", "channel", "dashboardId", "tileId"])
def test_alert_requires_fields(stack: Stack, name: str) -> None:
    """A create without one of them is refused."""
    made = stack.do("POST", "/dashboards", {"name": "board", "tiles": [tile("one")]})
    body = {field: value for field, value in alert_on(made).items() if field != name}
    answer = stack.send("POST", "/alerts", body)
    assert answer.status_code == 400
    assert name in stack.words(answer)


def test_observability_servers_are_separate(stack_in: Callable[..., Stack]) -> None:
    """This holds for two services, and for a service and the self-hosted server."""
    first, *others = stack_in("managed"), stack_in("managed"), stack_in("self-hosted")
    made = first.do("POST", "/dashboards", {"name": "mine", "tiles": [tile("one")]})
    for other in others:
        assert made not in other.do("GET", "/dashboards")
        assert other.send("GET", f"/dashboards/{made['id']}").status_code == 404
        assert other.send("POST", "/alerts", alert_on(made)).status_code == 400


def test_missing_objects_of_the_self_hosted_api(stack_in: Callable[..., Stack]) -> None:
    """Each route has its own form, as on the vendor's server."""
    stack = stack_in("self-hosted")
    dashboard, alert = (stack.send("GET", f"/{kind}/{'0' * 24}") for kind in ("dashboards", "alerts"))
    assert (dashboard.status_code, dashboard.text) == (404, "Not Found")
    assert dashboard.headers["content-type"].startswith("text/plain")
    assert (alert.status_code, alert.json()) == (404, {"message": "Alert not found"})
    deleted = stack.send("DELETE", f"/dashboards/{'0' * 24}")
    assert (deleted.status_code, deleted.json()) == (200, {})
    assert stack.send("DELETE", f"/alerts/{'0' * 24}").status_code == 404
    invalid = stack.send("GET", "/alerts/short")
    assert (invalid.status_code, invalid.json()) == (
        400,
        {"message": "Params validation failed: id: Invalid ObjectId"},
    )
    unknown = stack.send("GET", "/nothing")
    assert (unknown.status_code, "Cannot GET /api/v2/nothing" in unknown.text) == (404, True)


def test_missing_objects_of_the_managed_api(stack_in: Callable[..., Stack]) -> None:
    """All routes use the envelope; a missing service has no observability server."""
    stack = stack_in("managed")
    assert stack.words(stack.send("GET", f"/dashboards/{'0' * 24}")) == "NOT_FOUND: Not Found"
    assert stack.words(stack.send("GET", f"/alerts/{'0' * 24}")) == "NOT_FOUND: Alert not found"
    answer = stack.http.get("/services/3c0a1c2e-0000-4000-8000-000000000000/stack/dashboards")
    assert (answer.status_code, answer.json()["error"]) == (404, "NOT_FOUND: Service not found")


def test_self_hosted_api_has_pages_of_alerts() -> None:
    """Responses have the numbers of pages; a page has at most a thousand."""
    with Sandbox(vocabulary="neutral") as sandbox, sandbox.self_hosted() as http:
        stack = Stack(http, "", "data")
        made = stack.do("POST", "/dashboards", {"name": "board", "tiles": [tile("one")]})
        ids = [stack.do("POST", "/alerts", alert_on(made))["id"] for _ in range(3)]
        page = stack.send("GET", "/alerts?limit=1&offset=1").json()
        assert [alert["id"] for alert in page["data"]] == ids[1:2]
        assert page["meta"] == {"total": 3, "limit": 1, "offset": 1}
        assert stack.send("GET", "/alerts?limit=1001").status_code == 400
        assert stack.send("GET", "/alerts?offset=-1").status_code == 400


def test_observability_servers_have_sources(stack: Stack) -> None:
    """One is for logs, one for metrics; they are open records."""
    sources = stack.do("GET", "/sources")
    assert [source["kind"] for source in sources] == ["log", "metric"]
    assert all(source["id"] and source["name"] and source["from"] for source in sources)


@pytest.mark.parametrize("form", FORMS)
def test_vendor_has_other_names_of_alert_fields(stack_in: Callable[..., Stack], form: str) -> None:
    """An alert's team and dashboard have other field names."""
    stack = stack_in(form, vocabulary="clickhouse")
    sent = tile("one", series=[{"type": "markdown", "content": "# Orders"}])
    made = stack.do("POST", "/dashboards", {"name": "board", "tiles": [sent]})
    alert = stack.do("POST", "/alerts", alert_on(made))
    assert alert["dashboardId"] == made["id"]
    assert alert["teamId"]
    assert alert["state"] == "OK"
    assert not {"team", "dashboard"} & set(alert)
