"""Which request a fault happens to, what a list hides for a while, and what is carried out after all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from pulumi_clouddb.sandbox import Clock, Sandbox

START = 1_800_000_000.0


@pytest.fixture
def now() -> list[float]:
    """The time of the sandbox, to be changed by tests."""
    return [START]


@pytest.fixture
def sandbox(now: list[float]) -> Iterator[Sandbox]:
    """A sandbox whose time passes by hand only."""
    with Sandbox(clock=Clock(lambda: now[0])) as running:
        yield running


def create(http: httpx.Client, name: str = "orders") -> int:
    """Try to create a service and return the status; 0 where there is none."""
    try:
        return http.post("/services", json={"name": name}).status_code
    except httpx.TransportError:
        return 0


@pytest.mark.parametrize("kind", ["status", "commit_then_status"])
def test_a_fault_can_let_requests_pass_first(sandbox: Sandbox, http: httpx.Client, kind: str) -> None:
    """`after` counts those that the fault concerns; other operations do not count."""
    sandbox.fault("create_service", kind, after=2, times=2)
    http.get("/services")
    assert [create(http) for _ in range(5)] == [200, 200, 500, 500, 200]


def test_faults_count_what_passes_each_for_itself(sandbox: Sandbox, http: httpx.Client) -> None:
    """A request that one fault happened to has passed the other one."""
    sandbox.fault("create_service", "refuse")
    sandbox.fault("create_service", "lose", after=1)
    sandbox.fault("create_service", "status", after=2, status=503)
    assert [create(http) for _ in range(4)] == [0, 0, 503, 200]
    assert len(sandbox.services) == 2


def test_a_fault_can_wait_for_a_body(sandbox: Sandbox, http: httpx.Client) -> None:
    """Every field of `match` must be there and be equal; `after` counts only such requests."""
    sandbox.fault("create_service", "status", match={"name": "billing"}, after=1)
    assert [create(http, name) for name in ("orders", "billing", "orders", "billing", "billing")] == [
        200,
        200,
        200,
        500,
        200,
    ]
    sandbox.fault("*", "status", match={"name": "billing", "numReplicas": 3})
    assert create(http, "billing") == 200
    assert http.post("/services", json={"name": "billing", "numReplicas": 3}).status_code == 500


def test_a_fault_can_wait_for_an_object(sandbox: Sandbox, http: httpx.Client) -> None:
    """Parameters of the path count as fields."""
    one, two = (sandbox.add("services")["id"] for _ in range(2))
    sandbox.fault("*", "status", match={"serviceId": two}, times=2)
    statuses = [http.get(f"/services/{id_}").status_code for id_ in (one, two)]
    assert [*statuses, http.patch(f"/services/{two}", json={}).status_code] == [200, 500, 500]


def test_a_service_can_fail_by_its_name(sandbox: Sandbox, http: httpx.Client) -> None:
    """The fault that happens after the response knows the body, too."""
    sandbox.fault("create_service", "failed", match={"name": "billing"})
    create(http, "orders")
    create(http, "billing")
    assert {service["name"]: service["state"] for service in sandbox.services.values()} == {
        "orders": "running",
        "billing": "failed",
    }


def test_a_read_that_is_refused_can_get_lost(sandbox: Sandbox, http: httpx.Client) -> None:
    """A 404 is a response like any other; a fault of the object in it waits for one that has an object."""
    missing = "/services/3c0a1c2e-0000-4000-8000-000000000000"
    sandbox.fault("get_service", "lose")
    with pytest.raises(httpx.TransportError):
        http.get(missing)
    sandbox.fault("get_service", "no_id")
    assert http.get(missing).status_code == 404
    id_ = sandbox.add("services")["id"]
    assert "id" not in http.get(f"/services/{id_}").json()["result"]


MISTAKES: dict[str, tuple[str, dict[str, Any], str]] = {
    "operation": ("create_servce", {"kind": "lose"}, "no operation is named 'create_servce'"),
    "kind": ("create_service", {"kind": "explode"}, "explode"),
    "detail": ("create_service", {"kind": "status", "code": 500}, "code"),
    "failure of something else": (
        "get_service",
        {"kind": "failed"},
        "failed applies to creates only: use create_service or create_pipe or create_reverse_private_endpoint",
    ),
    "delay of nothing": ("create_service", {"kind": "delay"}, "needs `wait`"),
    "lag of nothing": ("list_keys", {"kind": "lag"}, "lag needs `wait`, the seconds to wait"),
    "lag of a read": ("get_service", {"kind": "lag", "wait": 1}, "lag does not apply to get_service; use list_"),
    "a read carried out late": ("list_keys", {"kind": "commit_late", "wait": 1}, "does not apply to list_keys"),
    "id of nothing": ("delete_service", {"kind": "no_id"}, "does not apply to delete_service"),
    "status of a redirect": ("list_keys", {"kind": "redirect", "status": 200}, "redirect cannot send the status 200"),
    "status of nobody": ("list_keys", {"kind": "status", "status": 99}, "cannot send the status 99"),
    "form": ("list_keys", {"kind": "status", "form": "pdf"}, "pdf"),
    "detail of another kind": ("list_keys", {"kind": "lose", "status": 500}, "lose has no detail 'status'"),
    "passing by in words": (
        "list_keys",
        {"kind": "lose", "after": "one"},
        "after must be a whole number from 0, not 'one'",
    ),
    "size of nothing": ("list_keys", {"kind": "huge", "size": -1}, "size must be a whole number from 0, not -1"),
    "match": (
        "list_keys",
        {"kind": "lose", "match": "name"},
        "match must be an object with the fields that must be equal",
    ),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_a_fault_that_could_never_happen_is_refused(sandbox: Sandbox, case: str) -> None:
    """No name is mistyped, and no detail ignored, in silence: a test would pass for the wrong reason."""
    operation, details, words = MISTAKES[case]
    with pytest.raises(ValueError, match=words):
        sandbox.fault(operation, **details)


@pytest.mark.parametrize("kind", ["services", "keys", "pipes", "dashboards", "alerts", "sources"])
def test_a_list_can_lag(sandbox: Sandbox, http: httpx.Client, now: list[float], kind: str) -> None:
    """What is new is missing for a while; what is older is there, and reading one object still shows it."""
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


def test_a_lag_ends(sandbox: Sandbox, http: httpx.Client, now: list[float]) -> None:
    """When its time is over, or it happened often enough."""
    sandbox.fault("list_services", "lag", wait=3600, seconds=10)
    create(http)
    assert http.get("/services").json()["result"] == []
    now[0] += 10
    assert len(http.get("/services").json()["result"]) == 1
    sandbox.fault("list_services", "lag", wait=3600, times=1)
    assert [len(http.get("/services").json()["result"]) for _ in range(2)] == [0, 1]


def test_a_lagging_list_of_alerts_counts_what_it_shows(sandbox: Sandbox) -> None:
    """The total beside the list lags with it."""
    sandbox.fault("self_hosted_list_alerts", "lag", wait=5, seconds=60)
    sandbox.add("alerts", dashboard="0" * 24, tileId="0" * 24)
    with sandbox.self_hosted() as http:
        assert http.get("/alerts").json() == {"data": [], "meta": {"total": 0, "limit": 1000, "offset": 0}}


@pytest.mark.parametrize("status", [None, 502])
def test_a_request_can_be_carried_out_late(
    sandbox: Sandbox, http: httpx.Client, now: list[float], status: int | None
) -> None:
    """The client has its reset or its error at once; the object is there some seconds later, made at that moment."""
    sandbox.fault("create_service", "commit_late", wait=6, **({"status": status} if status else {}))
    assert create(http) == (status or 0)
    now[0] += 5.9
    assert http.get("/services").json()["result"] == []
    now[0] += 60
    (service,) = http.get("/services").json()["result"]
    assert service["name"] == "orders"
    assert service["createdAt"] == "2027-01-15T08:00:06.000Z"
    assert len(sandbox.services) == 1


def test_what_is_late_happens_in_order(sandbox: Sandbox, http: httpx.Client) -> None:
    """By the moment at which each was due, seen by the control routes, too, and after advance()."""
    for name, wait in (("second", 20), ("first", 10)):
        sandbox.fault("create_service", "commit_late", wait=wait, match={"name": name})
        create(http, name)
    assert sandbox.services == {}
    sandbox.advance(30)
    assert [service["name"] for service in sandbox.services.values()] == ["first", "second"]


def test_a_late_request_counts_as_it_stands_then(sandbox: Sandbox, http: httpx.Client, now: list[float]) -> None:
    """One that is refused by then does nothing, such as a change of a service that is gone, or one by a dead key."""
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
    """By the next request after the moment has passed."""
    with Sandbox() as sandbox, sandbox.management() as http:
        sandbox.fault("create_service", "commit_late", wait=0.2)
        assert create(http) == 0
        while not sandbox.services:
            pass
        (service,) = sandbox.services.values()
        asked = sandbox.requests[0].at
        assert sandbox.state()["now"] - asked >= 0.2
        assert service["name"] == "orders"
