"""Objects of the console's users, which equal those that the API creates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from clouddb_tools.sandbox import Clock, Sandbox
from support.ids import CALM, LOGS

NOW = 1_800_000_000.25


@pytest.fixture(params=["neutral", "clickhouse"], scope="module")
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """A sandbox in each dialect with a stopped clock."""
    with Sandbox(vocabulary=request.param, clock=Clock(lambda: NOW)) as running:
        yield running


def without_ids(record: Any) -> Any:
    """Return a record without its random fields."""
    if isinstance(record, list):
        return [without_ids(item) for item in record]
    if not isinstance(record, dict):
        return record
    random = ("id", "keySuffix", "host", "iamRole", "username", "dataWarehouseId", "usedAt", "tileId")
    return {name: without_ids(value) for name, value in record.items() if name not in random}


WEBHOOK = {"type": "webhook", "webhookId": CALM}

PLACE = {"x": 0, "y": 0, "w": 6, "h": 3}
LINE = {"displayType": "line", "sourceId": LOGS, "select": [{"aggFn": "count"}]}
SERIES = {"type": "time", "dataSource": "events", "sourceId": LOGS, "aggFn": "count", "where": "", "groupBy": []}
BODIES: dict[str, dict[str, dict[str, Any]]] = {
    "services": {
        "plain": {"name": "orders"},
        "sized": {"name": "orders", "minReplicaMemoryGb": 8.0, "maxReplicaMemoryGb": 32.0, "numReplicas": 2.0},
        "open": {"name": "orders", "ipAccessList": [{"source": "10.0.0.1", "description": "office"}]},
        "mysql": {"name": "orders", "endpoints": [{"protocol": "mysql", "enabled": True}]},
    },
    "keys": {
        "plain": {"name": "ci", "roles": ["developer"]},
        "full": {
            "name": "ci",
            "roles": ["admin"],
            "state": "disabled",
            "expireAt": "2031-05-01T02:00:00+02:00",
            "ipAccessList": [{"source": "10.0.0.1"}],
        },
    },
    "dashboards": {
        "empty": {"name": "board", "tiles": []},
        "tiles": {
            "name": "board",
            "tags": ["a", "b", "a"],
            "tiles": [
                {"name": "one", **PLACE, "x": 1.0, "series": [SERIES]},
                {"name": "two", **PLACE, "id": "0" * 24, "config": LINE},
            ],
        },
    },
    "alerts": {
        "plain": {"threshold": 1.0, "interval": "5m", "thresholdType": "above", "channel": WEBHOOK, "source": "tile"},
        "full": {
            "threshold": 0.5,
            "interval": "5m",
            "thresholdType": "above",
            "source": "tile",
            "channel": WEBHOOK,
            "name": "high",
            "message": "look",
        },
    },
}


@pytest.mark.parametrize(("kind", "case"), [(kind, case) for kind, bodies in BODIES.items() for case in bodies])
def test_console_and_api_create_equal_objects(sandbox: Sandbox, kind: str, case: str) -> None:
    """Records are equal except for random fields: defaults, times, spellings and dropped fields."""
    body = BODIES[kind][case]
    with sandbox.management() as http:
        path, place = f"/{kind}", {}
        if kind in ("dashboards", "alerts"):
            place = {"serviceId": sandbox.add("services", name="orders")["id"]}
            word = "clickstack" if sandbox.vocabulary == "clickhouse" else "stack"
            path = f"/services/{place['serviceId']}/{word}/{kind}"
        if kind == "alerts":
            board = sandbox.add("dashboards", **place, name="b", tiles=[{"name": "t"}])
            body = {**body, "dashboardId": board["id"], "tileId": board["tiles"][0]["id"]}
        result = http.post(path, json=body).json()["result"]
        inside = {"services": "service", "keys": "key"}.get(kind)
        by_api = result[inside] if inside else result
        made = sandbox.add(kind, **place, **body)
        by_hand = made["key"] if kind == "keys" else made
        records = [http.get(f"{path}/{record['id']}").json()["result"] for record in (by_api, by_hand)]
    assert without_ids(records[0]) == without_ids(records[1])
    assert str(records[0]).count(".0") == str(records[1]).count(".0")  # 1 and 1.0 are equal in Python, but not in JSON
    assert records[0]["id"] != records[1]["id"]


def test_credentials_from_the_console_work(sandbox: Sandbox) -> None:
    """This holds for the password of a service and the secret of a key."""
    service, key = sandbox.add("services", name="orders"), sandbox.add("keys", name="ci")
    assert sandbox.password_works(service["id"], service["password"])
    with sandbox.management(key["keyId"], key["keySecret"]) as http:
        assert http.get("/services").status_code == 200


def test_fields_can_be_left_out(sandbox: Sandbox) -> None:
    """Fields that the API requires have defaults."""
    board = sandbox.add("dashboards")
    assert (board["name"], board["tiles"]) == ("Dashboard", [])
    assert sandbox.add("alerts", dashboard=board["id"], tileId="0" * 24)["createdAt"] == "2027-01-15T08:00:00.250Z"
