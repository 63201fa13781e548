"""The observability stack in the sandbox: both forms, ids of tiles, alerts that vanish, the quirks of the servers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import httpx
import pytest

from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.schema.base import names_marked, wire_names
from pulumi_clouddb.schema.thing import record_of
from pulumi_clouddb.things.alerts.alert import Alert
from support.ids import CALM, LOGS

FORMS = ("managed", "self-hosted")


class Stack:
    """One stack, in whichever form; the two differ in address and envelope."""

    def __init__(self, http: httpx.Client, prefix: str, envelope: str) -> None:
        self.http, self.prefix, self.envelope = http, prefix, envelope

    def send(self, method: str, path: str, body: Any = None) -> httpx.Response:
        """Send a request and return the whole answer."""
        return self.http.request(method, self.prefix + path, json=body)

    def do(self, method: str, path: str, body: Any = None) -> Any:
        """Send a request that succeeds and return what it is about."""
        answer = self.send(method, path, body)
        assert answer.status_code == 200, answer.text
        return answer.json().get(self.envelope)

    def words(self, answer: httpx.Response) -> str:
        """Return what an error says."""
        body = answer.json()
        return str(body["message"] if self.envelope == "data" else body["error"])


@pytest.fixture(scope="module")
def stack_in() -> Iterator[Callable[..., Stack]]:
    """Make stacks in sandboxes with given settings; those with the same settings share a sandbox."""
    running: dict[str, Sandbox] = {}
    with ExitStack() as exits:

        def make(form: str, **settings: Any) -> Stack:
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
    """A stack in each of the two forms."""
    return stack_in(request.param)


def tile(name: str, **fields: Any) -> dict[str, Any]:
    """Return a tile that shows a line."""
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


def test_ids_are_made_by_the_server(stack: Stack) -> None:
    """24 hexadecimal digits, for dashboards and for tiles, whatever the body holds."""
    made = stack.do("POST", "/dashboards", {"name": "board", "tiles": [tile("one", id="mine")]})
    for id_ in (made["id"], made["tiles"][0]["id"]):
        assert re.fullmatch("[0-9a-f]{24}", id_)
    assert stack.do("GET", f"/dashboards/{made['id']}") == made
    assert made in stack.do("GET", "/dashboards")


def test_an_update_keeps_known_ids_and_makes_all_others_anew(stack: Stack) -> None:
    """Reordering and renaming with the ids is safe; without them every tile is a new one."""
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
def test_tags_stay_unless_they_are_sent(stack: Stack, case: str) -> None:
    """An empty list clears them; doubles are taken out."""
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
def test_a_dashboard_must_be_valid(stack: Stack, case: str) -> None:
    """For a create as for an update; each surface has its own words around the same reason."""
    body, words = INVALID[case]
    made = stack.do("POST", "/dashboards", {"name": "board", "tiles": []})
    for method, path in (("POST", "/dashboards"), ("PUT", f"/dashboards/{made['id']}")):
        answer = stack.send(method, path, body)
        assert answer.status_code == 400
        prefix = "Body validation failed: " if stack.envelope == "data" else "BAD_REQUEST: request body."
        assert f"{prefix}{words}" in stack.words(answer)


def test_servers_add_defaults(stack: Stack) -> None:
    """A condition for each series, and asRatio for each tile; what was sent stays."""
    sent = tile("one", series=[{"type": "time"}, {"type": "time", "where": "level:error", "whereLanguage": "sql"}])
    made = stack.do("POST", "/dashboards", {"name": "board", "tiles": [sent]})["tiles"][0]
    assert made["asRatio"] is False
    assert made["series"] == [
        {"type": "time", "where": "", "whereLanguage": "lucene"},
        {"type": "time", "where": "level:error", "whereLanguage": "sql"},
    ]


def test_defaults_can_be_turned_off(stack_in: Callable[..., Stack]) -> None:
    """Without quirks a dashboard comes back as it was sent, but for the ids."""
    stack = stack_in("managed", quirks=False)
    body = {"name": "board", "tags": ["a", "a"], "tiles": [tile("one")]}
    made = stack.do("POST", "/dashboards", body)
    plain = [{name: value for name, value in entry.items() if name != "id"} for entry in made["tiles"]]
    assert {**made, "tiles": plain} == {"id": made["id"], **body}


def test_what_is_read_can_be_sent_back(stack: Stack) -> None:
    """A dashboard as it is read, sent as an update, changes nothing."""
    made = stack.do("POST", "/dashboards", {"name": "board", "tags": ["a"], "tiles": [tile("one"), tile("two")]})
    body = {name: value for name, value in made.items() if name != "id"}
    assert stack.do("PUT", f"/dashboards/{made['id']}", body) == made


def test_alerts_go_with_their_tiles(stack: Stack) -> None:
    """Without a word: of a tile that is gone, of one with a new id; the one whose id was sent stays."""
    made = stack.do("POST", "/dashboards", {"name": "board", "tiles": [tile("one"), tile("two"), tile("three")]})
    alerts = [stack.do("POST", "/alerts", alert_on(made, index)) for index in range(3)]
    tiles = [tile("one", id=made["tiles"][0]["id"]), tile("two")]
    stack.do("PUT", f"/dashboards/{made['id']}", {"name": "board", "tiles": tiles})
    found = [stack.send("GET", f"/alerts/{alert['id']}").status_code for alert in alerts]
    assert found == [200, 404, 404]
    stack.do("DELETE", f"/dashboards/{made['id']}")
    assert stack.send("GET", f"/alerts/{alerts[0]['id']}").status_code == 404


def test_alerts_on_tiles_that_raise_none_vanish_with_the_next_update(stack: Stack) -> None:
    """The server takes such an alert, and drops it when the dashboard is written again, even unchanged."""
    table = tile("one", series=[{"type": "table"}])
    made = stack.do("POST", "/dashboards", {"name": "board", "tiles": [table]})
    alert = stack.do("POST", "/alerts", alert_on(made))
    stack.do("PUT", f"/dashboards/{made['id']}", {"name": "board", "tiles": made["tiles"]})
    assert stack.send("GET", f"/alerts/{alert['id']}").status_code == 404


def test_an_alert_has_every_field_of_the_interface(stack: Stack) -> None:
    """The dashboard is called `dashboard` there, and `dashboardId` in the body."""
    made = stack.do("POST", "/dashboards", {"name": "board", "tiles": [tile("one")]})
    alert = stack.do("POST", "/alerts", alert_on(made, name="errors", message="too many"))
    assert set(alert) == set(wire_names(record_of(Alert))).difference(names_marked(record_of(Alert), "only"))
    assert (alert["dashboard"], alert["state"]) == (made["id"], "inactive")
    assert stack.do("GET", f"/alerts/{alert['id']}") == alert
    assert alert in stack.do("GET", "/alerts")


def test_an_update_of_an_alert_clears_what_is_left_out(stack: Stack) -> None:
    """Name and message become null; the state is not the caller's."""
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
def test_an_alert_must_be_valid(stack: Stack, case: str) -> None:
    """Its dashboard and its tile must be there."""
    fields, words = BAD_ALERTS[case]
    made = stack.do("POST", "/dashboards", {"name": "board", "tiles": [tile("one")]})
    answer = stack.send("POST", "/alerts", {**alert_on(made), **fields})
    assert answer.status_code == 400
    assert words in stack.words(answer)


@pytest.mark.parametrize("name", ["threshold", "interval", "thresholdType", "channel", "dashboardId", "tileId"])
def test_an_alert_needs_these(stack: Stack, name: str) -> None:
    """Without one of them it could not be checked, or not be told."""
    made = stack.do("POST", "/dashboards", {"name": "board", "tiles": [tile("one")]})
    body = {field: value for field, value in alert_on(made).items() if field != name}
    answer = stack.send("POST", "/alerts", body)
    assert answer.status_code == 400
    assert name in stack.words(answer)


def test_stacks_do_not_see_each_other(stack_in: Callable[..., Stack]) -> None:
    """Neither two services, nor a service and the self-hosted stack."""
    first, *others = stack_in("managed"), stack_in("managed"), stack_in("self-hosted")
    made = first.do("POST", "/dashboards", {"name": "mine", "tiles": [tile("one")]})
    for other in others:
        assert made not in other.do("GET", "/dashboards")
        assert other.send("GET", f"/dashboards/{made['id']}").status_code == 404
        assert other.send("POST", "/alerts", alert_on(made)).status_code == 400


def test_what_is_missing_on_the_self_hosted_surface(stack_in: Callable[..., Stack]) -> None:
    """Each route has its own way to say so, as the vendor's server does."""
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


def test_what_is_missing_in_the_managed_form(stack_in: Callable[..., Stack]) -> None:
    """Always the envelope; a missing service has no stack."""
    stack = stack_in("managed")
    assert stack.words(stack.send("GET", f"/dashboards/{'0' * 24}")) == "NOT_FOUND: Not Found"
    assert stack.words(stack.send("GET", f"/alerts/{'0' * 24}")) == "NOT_FOUND: Alert not found"
    answer = stack.http.get("/services/3c0a1c2e-0000-4000-8000-000000000000/stack/dashboards")
    assert (answer.status_code, answer.json()["error"]) == (404, "NOT_FOUND: Service not found")


def test_lists_of_alerts_come_in_pages_on_the_self_hosted_surface() -> None:
    """With the numbers beside them; a page has at most a thousand."""
    with Sandbox() as sandbox, sandbox.self_hosted() as http:
        stack = Stack(http, "", "data")
        made = stack.do("POST", "/dashboards", {"name": "board", "tiles": [tile("one")]})
        ids = [stack.do("POST", "/alerts", alert_on(made))["id"] for _ in range(3)]
        page = stack.send("GET", "/alerts?limit=1&offset=1").json()
        assert [alert["id"] for alert in page["data"]] == ids[1:2]
        assert page["meta"] == {"total": 3, "limit": 1, "offset": 1}
        assert stack.send("GET", "/alerts?limit=1001").status_code == 400
        assert stack.send("GET", "/alerts?offset=-1").status_code == 400


def test_each_stack_has_sources(stack: Stack) -> None:
    """One of logs and one of metrics, as open records."""
    sources = stack.do("GET", "/sources")
    assert [source["kind"] for source in sources] == ["log", "metric"]
    assert all(source["id"] and source["name"] and source["from"] for source in sources)


@pytest.mark.parametrize("form", FORMS)
def test_the_vendor_has_other_words(stack_in: Callable[..., Stack], form: str) -> None:
    """An alert's team and dashboard have other names."""
    stack = stack_in(form, vocabulary="clickhouse")
    sent = tile("one", series=[{"type": "markdown", "content": "# Orders"}])
    made = stack.do("POST", "/dashboards", {"name": "board", "tiles": [sent]})
    alert = stack.do("POST", "/alerts", alert_on(made))
    assert alert["dashboardId"] == made["id"]
    assert alert["teamId"]
    assert alert["state"] == "OK"
    assert not {"team", "dashboard"} & set(alert)
