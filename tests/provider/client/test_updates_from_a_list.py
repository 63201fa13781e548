"""Updates by PUT start from a shared list if it contains the whole object."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from pulumi_clouddb.client.client import Client
from pulumi_clouddb.client.collection import Api
from pulumi_clouddb.things.alerts.alert import Alert
from pulumi_clouddb.things.alerts.api import Alerts
from pulumi_clouddb.things.dashboards.api import Dashboards
from support.clock import FakeClock
from support.scripted import Scripted, error, ok
from support.sessions import config_of

SERVICE = "11111111-2222-4333-8444-666666666666"
ALERT = {"id": "a", "threshold": 1, "team": "t1", "updatedAt": "2026-01-01T00:00:02.000Z"}
NEWER = {**ALERT, "team": "t2"}
BOARD = {"id": "a", "name": "Orders", "tiles": [{"id": "t", "name": "errors"}]}


def api_of(server: Scripted) -> Api:
    """Return the collections of a server."""
    return Api(Client(config_of(baseUrl=server.url, stackUrl=server.url)))


def team(alerts: Alerts) -> object:
    """Return the team of the alert from which an update would start."""
    record = alerts.current("a", {})
    assert record is not None
    return record.answer["team"]


SHOWN: list[Any] = [
    pytest.param(Alerts, ALERT, {"team": "t1"}, 1, id="the list has all known fields"),
    pytest.param(Alerts, {"id": "a", "threshold": 1}, {"team": "t1"}, 2, id="the list lacks a known field"),
    pytest.param(Alerts, ALERT, {"updatedAt": "2026-01-01T00:00:09.000Z"}, 2, id="the list has an older object"),
    pytest.param(Alerts, {"id": "other"}, {}, 2, id="the list lacks the object"),
    pytest.param(Dashboards, BOARD, {}, 1, id="the list has the tiles of a dashboard"),
    pytest.param(Dashboards, {"id": "a", "name": "Orders"}, {}, 2, id="the list lacks the tiles"),
]


@pytest.mark.parametrize(("collection", "listed", "known", "requests"), SHOWN)
def test_object_is_read_only_if_the_list_is_incomplete(
    collection: type[Any], listed: dict[str, Any], known: dict[str, Any], requests: int
) -> None:
    """A PUT clears the fields that it does not send, so an incomplete record is not enough."""
    with Scripted(ok([listed]), ok({**listed, "id": "a", "team": "alone"})) as server:
        record = api_of(server).of(collection, SERVICE).current("a", known)
        assert (record.answer.get("team") == "alone", server.count) == (requests == 2, requests)


def test_failed_list_falls_back_to_a_read() -> None:
    """The object is read by itself."""
    with Scripted(error(400), ok(ALERT)) as server:
        assert team(api_of(server).of(Alerts, SERVICE)) == "t1"


def test_list_serves_for_one_poll_interval(clock: FakeClock) -> None:
    """After that, another client may have changed the object."""
    with Scripted(ok([ALERT]), ok([NEWER])) as server:
        alerts = api_of(server).of(Alerts, SERVICE)
        assert [team(alerts) for _ in range(3)] == ["t1"] * 3
        clock.sleep(5.1)
        assert (team(alerts), server.count) == ("t2", 2)


WITH_NOTE = {**NEWER, "note": "call"}
ANSWERS: list[Any] = [
    pytest.param(WITH_NOTE, {"threshold": 1}, "t2", 2, id="the whole object"),
    pytest.param({"id": "a"}, {"threshold": 1}, "t3", 3, id="its id only"),
    pytest.param(NEWER, {"note": None}, "t2", 2, id="without what was cleared"),
    pytest.param(NEWER, {"note": "mail"}, "t3", 3, id="without what was sent"),
    pytest.param(NEWER, {"threshold": 1}, "t3", 3, id="without what the body lacks"),
]


@pytest.mark.parametrize(("answer", "body", "expected", "requests"), ANSWERS)
def test_list_is_updated_from_the_response_to_a_write(
    answer: dict[str, Any], body: dict[str, Any], expected: str, requests: int
) -> None:
    """A second update starts from the first one's result; an incomplete response invalidates the list."""
    with Scripted(ok([{**ALERT, "note": "call"}]), ok(answer), ok([{**ALERT, "team": "t3"}])) as server:
        alerts = api_of(server).of(Alerts, SERVICE)
        alerts.replace("a", body, alerts.current("a", {}))
        assert (team(alerts), server.count) == (expected, requests)


def test_pending_list_is_updated_from_responses(monkeypatch: pytest.MonkeyPatch) -> None:
    """A list can wait for its turn while updates finish; the updates do not need lists of their own."""
    begun, answered = threading.Event(), threading.Event()
    with Scripted(ok([ALERT]), ok(NEWER), ok([ALERT])) as server, ThreadPoolExecutor() as pool:
        alerts = api_of(server).of(Alerts, SERVICE)
        before, request = alerts.current("a", {}), alerts.list

        def list_in_its_turn() -> dict[str, Alert]:
            begun.set()
            answered.wait(10)
            return request()

        monkeypatch.setattr(alerts, "list", list_in_its_turn)
        listing = pool.submit(alerts.records, max_age=0.0)
        begun.wait()
        alerts.replace("a", {"threshold": 1}, before)
        again = pool.submit(team, alerts)
        answered.set()
        assert (again.result(), len(listing.result() or []), server.count) == ("t2", 1, 3)


def test_write_whose_response_is_lost_drops_the_list() -> None:
    """The current state of the object is unknown."""
    with Scripted(ok([ALERT]), error(400), ok([NEWER])) as server:
        alerts = api_of(server).of(Alerts, SERVICE)
        before = alerts.current("a", {})
        with pytest.raises(Exception, match="400"):
            alerts.replace("a", {"threshold": 2}, before)
        assert (team(alerts), server.count) == ("t2", 3)
