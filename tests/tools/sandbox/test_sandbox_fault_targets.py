"""The requests that a fault affects, lists with a lag, and requests that are carried out late."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from clouddb_tools.sandbox import Clock, Sandbox
from clouddb_tools.sandbox.faults import FAILING
from lives.life import fill
from lives.table import WIRE_LIVES
from lives.wire import WireLife
from support.sessions import ProviderProcess, config_for

START = 1_800_000_000.0
ORDERS: dict[str, Any] = {"name": "orders"}
BILLING: dict[str, Any] = {"name": "billing"}
MISSING = "3c0a1c2e-0000-4000-8000-000000000000"


@pytest.fixture
def now() -> list[float]:
    """The clock of the sandbox, which tests change."""
    return [START]


@pytest.fixture
def sandbox(now: list[float]) -> Iterator[Sandbox]:
    """A sandbox with a clock that only tests advance."""
    with Sandbox(vocabulary="neutral", clock=Clock(lambda: now[0])) as running:
        yield running


def create(http: httpx.Client, body: dict[str, Any] = ORDERS) -> int:
    """Try to create a service and return the status; 0 without a response."""
    try:
        return http.post("/services", json=body).status_code
    except httpx.TransportError:
        return 0


Sent = str | dict[str, Any]
"""A path to read, or the body of a service to create."""

TARGETS: dict[str, tuple[list[dict[str, Any]], list[Sent], list[int]]] = {
    "a number of times": ([{"times": 2}], ["/services", ORDERS, ORDERS, ORDERS], [200, 500, 500, 200]),
    "every operation": ([{"operation": "*", "times": 2}], ["/services", ORDERS, "/keys"], [500, 500, 200]),
    "after some, of its operation only": (
        [{"after": 2, "times": 2}],
        [ORDERS, "/services", ORDERS, ORDERS, ORDERS, ORDERS],
        [200, 200, 200, 500, 500, 200],
    ),
    "after some, once they are carried out": (
        [{"kind": "commit_then_status", "after": 1}],
        [ORDERS, ORDERS, ORDERS],
        [200, 500, 200],
    ),
    "each fault counts what passes by itself": (
        [{"kind": "refuse"}, {"kind": "lose", "after": 1}, {"after": 2, "status": 503}],
        [ORDERS] * 4,
        [0, 0, 503, 200],
    ),
    "a body that matches": (
        [{"match": BILLING, "after": 1}],
        [ORDERS, BILLING, ORDERS, BILLING, BILLING],
        [200, 200, 200, 500, 200],
    ),
    "a body that matches in every field": (
        [{"operation": "*", "match": {**BILLING, "numReplicas": 3}}],
        [BILLING, {**BILLING, "numReplicas": 3}],
        [200, 500],
    ),
    "a part of the path": (
        [{"operation": "*", "match": {"serviceId": MISSING}}],
        ["/services", f"/services/{MISSING}"],
        [200, 500],
    ),
}
"""The faults, by default of creates of services, the requests, and their statuses; 0 for a lost response."""


@pytest.mark.parametrize(("faults", "requests", "statuses"), TARGETS.values(), ids=TARGETS)
def test_fault_affects_its_requests(
    faults: list[dict[str, Any]], requests: list[Sent], statuses: list[int], sandbox: Sandbox, http: httpx.Client
) -> None:
    """A fault affects only these requests."""
    for each in faults:
        sandbox.fault(**{"operation": "create_service", "kind": "status", **each})
    got = [http.get(each).status_code if isinstance(each, str) else create(http, each) for each in requests]
    assert got == statuses


def test_fault_can_last_for_a_time(sandbox: Sandbox, http: httpx.Client, now: list[float]) -> None:
    """This does not depend on the number of requests."""
    sandbox.fault("*", "status", seconds=5)
    assert [http.get("/services").status_code for _ in range(3)] == [500] * 3
    now[0] += 5
    assert http.get("/services").status_code == 200


def test_fault_can_match_a_name(sandbox: Sandbox, http: httpx.Client) -> None:
    """A fault after the response can match the body, too."""
    sandbox.fault("create_service", "failed", match=BILLING)
    create(http, ORDERS)
    create(http, BILLING)
    states = {service["name"]: service["state"] for service in sandbox.services.values()}
    assert states == {"orders": "running", "billing": "failed"}


def test_refused_read_can_be_lost(sandbox: Sandbox, http: httpx.Client) -> None:
    """A 404 is lost like other responses; a fault of the object in a response waits for one with an object."""
    missing = f"/services/{MISSING}"
    sandbox.fault("get_service", "lose")
    with pytest.raises(httpx.TransportError):
        http.get(missing)
    sandbox.fault("get_service", "no_id")
    assert http.get(missing).status_code == 404
    id_ = sandbox.add("services")["id"]
    assert "id" not in http.get(f"/services/{id_}").json()["result"]


@pytest.mark.parametrize("kind", ["services", "keys", "pipes", "dashboards", "alerts", "sources"])
def test_list_can_lag(sandbox: Sandbox, http: httpx.Client, now: list[float], kind: str) -> None:
    """New objects are missing for a while; older ones are listed, and reads of single objects have no lag."""
    service = sandbox.add("services")["id"]
    fields: dict[str, Any] = {"name": "b", "tiles": []} if kind == "dashboards" else {}
    fields |= {"dashboard": "0" * 24, "tileId": "0" * 24} if kind == "alerts" else {}
    fields |= {} if kind in ("services", "keys") else {"serviceId": service}
    path = f"/services/{service}/stack/{kind}" if kind in ("dashboards", "alerts", "sources") else f"/{kind}"
    path = f"/services/{service}/pipes" if kind == "pipes" else path

    def listed() -> list[str]:
        return [record["id"] for record in http.get(path).json()["result"]]

    now[0] += 60
    before = listed()
    sandbox.fault("*", "lag", wait=5, seconds=60)
    made = sandbox.add(kind, **fields)
    id_ = made["key"]["id"] if kind == "keys" else made["id"]
    assert listed() == before
    if kind != "sources":
        assert http.get(f"{path}/{id_}").status_code == 200
    now[0] += 4.9
    assert listed() == before
    now[0] += 0.1
    assert listed() == [*before, id_]
    assert {entry.fault for entry in sandbox.requests if (entry.operation or "").startswith("list_")} >= {"lag"}


def test_lag_ends(sandbox: Sandbox, http: httpx.Client, now: list[float]) -> None:
    """It ends after its time or its number of requests."""
    sandbox.fault("list_services", "lag", wait=3600, seconds=10)
    create(http)
    assert http.get("/services").json()["result"] == []
    now[0] += 10
    assert len(http.get("/services").json()["result"]) == 1
    sandbox.fault("list_services", "lag", wait=3600, times=1)
    assert [len(http.get("/services").json()["result"]) for _ in range(2)] == [0, 1]


def test_total_of_alerts_lags_with_their_list(sandbox: Sandbox) -> None:
    """The total of the list lags, too."""
    sandbox.fault("self_hosted_list_alerts", "lag", wait=5, seconds=60)
    sandbox.add("alerts", dashboard="0" * 24, tileId="0" * 24)
    with sandbox.self_hosted() as http:
        assert http.get("/alerts").json() == {"data": [], "meta": {"total": 0, "limit": 1000, "offset": 0}}


@pytest.mark.parametrize("status", [None, 502])
def test_request_can_be_carried_out_late(
    sandbox: Sandbox, http: httpx.Client, now: list[float], status: int | None
) -> None:
    """The client gets its reset or error at once; the object is created some seconds later."""
    sandbox.fault("create_service", "commit_late", wait=6, **({"status": status} if status else {}))
    assert create(http) == (status or 0)
    now[0] += 5.9
    assert http.get("/services").json()["result"] == []
    now[0] += 60
    (service,) = http.get("/services").json()["result"]
    assert service["name"] == "orders"
    assert service["createdAt"] == "2027-01-15T08:00:06.000Z"
    assert len(sandbox.services) == 1


def test_late_requests_are_carried_out_in_order(sandbox: Sandbox, http: httpx.Client) -> None:
    """They are ordered by their due times; control routes and advance() see them, too."""
    for name, wait in (("second", 20), ("first", 10)):
        sandbox.fault("create_service", "commit_late", wait=wait, match={"name": name})
        create(http, {"name": name})
    assert sandbox.services == {}
    sandbox.advance(30)
    assert [service["name"] for service in sandbox.services.values()] == ["first", "second"]


def test_late_request_is_checked_when_it_is_carried_out(sandbox: Sandbox, http: httpx.Client, now: list[float]) -> None:
    """A request that is refused by then has no effect, such as a change of a deleted service or with a deleted key."""
    service, made = sandbox.add("services", name="orders")["id"], sandbox.add_key(name="ci")
    sandbox.fault("*", "commit_late", wait=6, times=2)
    with sandbox.management(made["keyId"], made["keySecret"]) as own:
        assert create(own) == 0
    with pytest.raises(httpx.TransportError):
        http.patch(f"/services/{service}", json={"name": "renamed"})
    sandbox.remove("keys", made["key"]["id"])
    sandbox.remove("services", service)
    now[0] += 6
    assert http.get("/services").json()["result"] == []


def test_late_requests_are_carried_out_in_real_time() -> None:
    """The next request after the due time carries them out."""
    with Sandbox(vocabulary="neutral") as sandbox, sandbox.management() as http:
        sandbox.fault("create_service", "commit_late", wait=0.2)
        assert create(http) == 0
        while not sandbox.services:
            pass
        (service,) = sandbox.services.values()
        sent = sandbox.requests[0].at
        assert sandbox.state()["now"] - sent >= 0.2
        assert service["name"] == "orders"


FAILING_LIVES = {life.name: life for life in WIRE_LIVES if life.operations[0] in FAILING}


@pytest.mark.parametrize("life", FAILING_LIVES.values(), ids=FAILING_LIVES)
def test_created_object_can_fail_later(life: WireLife, tmp_path: Path) -> None:
    """The module of each such collection in clouddb_tools/sandbox consumes the fault."""
    with Sandbox(**life.life.server) as running:
        names = life.life.setting(running)
        running.fault(life.operations[0], "failed")
        process = ProviderProcess(config_for(running), tmp_path)
        inputs = {**fill(life.before, names), "waitTimeoutMinutes": 0.1}
        assert process.create(life.life.name, inputs)[1]["lastError"]
        assert running.faults() == []
