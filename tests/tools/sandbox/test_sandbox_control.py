"""Rate limits, the log of requests, and changes of objects outside of the API."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from clouddb_tools.sandbox import Clock, Sandbox, SandboxControl

HIDDEN = "[secret]"


@pytest.fixture(scope="module")
def vendor() -> Iterator[Sandbox]:
    """A sandbox in the vendor's dialect, which has more secrets."""
    with Sandbox(vocabulary="clickhouse") as running:
        yield running


def test_log_has_requests_as_sent(sandbox: Sandbox, http: httpx.Client) -> None:
    """It has method, path, body, names of headers and the scheme of authorization."""
    body = {"name": "orders", "provider": "aws", "region": "us-east-1", "numReplicas": 3}
    answer = http.post("/services?x=1", json=body)
    (entry,) = sandbox.requests
    assert (entry.method, entry.path, entry.query) == (
        "POST",
        f"/v1/organizations/{sandbox.organization_id}/services",
        "x=1",
    )
    assert (entry.operation, entry.body, entry.status) == ("create_service", body, 200)
    assert (entry.scheme, entry.content_type, entry.vocabulary) == ("Basic", "application/json", "neutral")
    assert {"authorization", "content-type"} <= set(entry.headers)
    assert entry.request_id == answer.json()["requestId"]
    assert (entry.caller, entry.fault) == (sandbox.key_id, None)


def test_log_has_refused_requests(sandbox: Sandbox, http: httpx.Client) -> None:
    """It has unknown paths, wrong credentials and invalid JSON; requests are counted by operation or method."""
    http.get("/nothing")
    httpx.get(f"{sandbox.url}/api/v2/alerts", headers={"Authorization": "Bearer wrong"})
    http.post("/services", content=b"{", headers={"Content-Type": "application/json"})
    found = [(entry.operation, entry.status, entry.scheme, entry.body) for entry in sandbox.requests]
    assert found == [
        (None, 404, "Basic", None),
        ("self_hosted_list_alerts", 401, "Bearer", None),
        ("create_service", 400, "Basic", "1 bytes that are not JSON"),
    ]
    assert (sandbox.count(), sandbox.count("create_service"), sandbox.count(method="GET")) == (3, 1, 2)
    sandbox.forget_requests()
    assert sandbox.count() == 0


SECRET = "S3cret-v4lue"
HASHES = {"keyIdHash": "a", "keyIdSuffix": "b"}
HOOK = {"name": "on call", "service": "generic"}
SECRETS: dict[str, tuple[str, str, dict[str, Any], dict[str, Any]]] = {
    "a key of a disk": ("management", "/services", {"name": "a", "encryptionKey": SECRET}, {"encryptionKey": HIDDEN}),
    "a secret in a tile": (
        "self-hosted",
        "/dashboards",
        {"tiles": [{"connectionString": SECRET}]},
        {"tiles": [{"connectionString": HIDDEN}]},
    ),
    "the hash of a secret, not that of an id": (
        "management",
        "/keys",
        {"name": "ci", "hashData": {**HASHES, "keySecretHash": SECRET}},
        {"hashData": {**HASHES, "keySecretHash": HIDDEN}},
    ),
    "the address and headers of a webhook": (
        "self-hosted",
        "/webhooks",
        {**HOOK, "url": f"https://a.b/{SECRET}", "headers": {"Authorization": SECRET}, "queryParams": {"a": SECRET}},
        {"url": HIDDEN, "headers": {"Authorization": HIDDEN}, "queryParams": {"a": HIDDEN}},
    ),
    "the body of a webhook": ("self-hosted", "/webhooks", {**HOOK, "body": SECRET}, {"body": HIDDEN}),
    "the password of a connection": (
        "self-hosted",
        "/connections",
        {"name": "db", "host": "https://a.b:8443", "username": "otel", "password": SECRET},
        {"password": HIDDEN},
    ),
}
"""The server, the path, a body with a secret, and the body in the log."""


@pytest.mark.beyond_the_description
@pytest.mark.parametrize(("server", "path", "body", "logged"), SECRETS.values(), ids=SECRETS)
def test_log_has_no_secrets(
    server: str, path: str, body: dict[str, Any], logged: dict[str, Any], vendor: Sandbox
) -> None:
    """Credentials and fields marked as secret are replaced at any depth; all else is unchanged."""
    vendor.forget_requests()
    with vendor.management() if server == "management" else vendor.self_hosted() as http:
        http.post(path, json=body)
    (entry,) = vendor.requests
    assert entry.body == {**body, **logged}
    for secret in (SECRET, vendor.key_secret, vendor.stack_token):
        assert secret not in str(vars(entry))


def test_management_api_allows_ten_requests_in_ten_seconds() -> None:
    """The limit is per key; a header has the time until the next request."""
    now = [1000.0]
    with (
        Sandbox(vocabulary="neutral", rate_limit=True, clock=Clock(lambda: now[0])) as sandbox,
        sandbox.management() as http,
    ):
        assert [http.get("/services").status_code for _ in range(10)] == [200] * 10
        now[0] += 4
        limited = http.get("/services")
        assert (limited.status_code, limited.headers["X-RateLimit-Reset"]) == (429, "6")
        assert limited.json()["error"].startswith("TOO_MANY_REQUESTS: ")
        other = sandbox.add_key(name="other")
        with sandbox.management(other["keyId"], other["keySecret"]) as second:
            assert second.get("/services").status_code == 200
        now[0] += 6
        assert http.get("/services").status_code == 200


def test_self_hosted_api_allows_a_hundred_requests_in_a_minute() -> None:
    """Requests count before the token is checked; all responses have the remaining number."""
    now = [1000.0]
    with (
        Sandbox(vocabulary="neutral", rate_limit=True, clock=Clock(lambda: now[0])) as sandbox,
        sandbox.self_hosted("wrong") as http,
    ):
        first = http.get("/alerts")
        assert first.status_code == 401
        names = ("RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset")
        assert [first.headers[name] for name in names] == ["100", "99", "60"]
        assert {http.get("/alerts").status_code for _ in range(99)} == {401}
        limited = http.get("/alerts")
        assert (limited.status_code, limited.headers["Retry-After"]) == (429, "60")
        assert limited.text == "Too many requests, please try again later."
        assert limited.headers["content-type"].startswith("text/html")
        with sandbox.self_hosted() as right:
            assert right.get("/alerts").status_code == 200


def test_limits_are_off_by_default(sandbox: Sandbox, http: httpx.Client) -> None:
    """Without limits, responses have no headers about them."""
    assert {http.get("/services").status_code for _ in range(20)} == {200}
    with sandbox.self_hosted() as hosted:
        assert "RateLimit-Limit" not in hosted.get("/alerts").headers


def test_objects_can_be_changed_without_the_api(sandbox: Sandbox, http: httpx.Client) -> None:
    """This is how tests act as another user."""
    service = sandbox.add("services", name="orders")
    url = f"/services/{service['id']}"
    sandbox.change("services", service["id"], numReplicas=7, state="degraded")
    changed = http.get(url).json()["result"]
    assert (changed["numReplicas"], changed["state"]) == (7, "degraded")
    pipe = sandbox.add_pipe(service["id"])
    sandbox.change("pipes", pipe["id"], state="Failed")
    assert http.get(f"{url}/pipes/{pipe['id']}").json()["result"]["state"] == "Failed"
    sandbox.remove("pipes", pipe["id"])
    assert http.get(f"{url}/pipes/{pipe['id']}").status_code == 404
    board = sandbox.add("dashboards", serviceId=service["id"], name="board", tiles=[{"name": "one"}])
    sandbox.change("dashboards", board["id"], name="renamed")
    assert http.get(f"{url}/stack/dashboards").json()["result"][0]["name"] == "renamed"
    alert = sandbox.add("alerts", serviceId=service["id"], dashboard=board["id"], tileId=board["tiles"][0]["id"])
    sandbox.change("alerts", alert["id"], state="active")
    assert sandbox.alerts[alert["id"]]["state"] == "active"
    sandbox.remove("dashboards", board["id"])
    assert alert["id"] not in sandbox.alerts
    sandbox.remove("services", service["id"])
    assert http.get(url).status_code == 404


def test_set_state_is_kept(sandbox: Sandbox) -> None:
    """A pending change of state is cancelled."""
    sandbox.set_latency(provision=60)
    service = sandbox.add("services", name="orders")
    sandbox.set_latency(provision=0)
    sandbox.change("services", service["id"], state="degraded")
    sandbox.advance(60)
    assert sandbox.services[service["id"]]["state"] == "degraded"


def test_missing_objects_cannot_be_changed(sandbox: Sandbox) -> None:
    """A wrong id and a wrong kind have different errors."""
    with pytest.raises(KeyError, match="not found"):
        sandbox.change("services", "nowhere", name="x")
    with pytest.raises(ValueError, match="kind must be one of services"):
        sandbox.objects("clouds")


def test_latency_can_change(sandbox: Sandbox, http: httpx.Client) -> None:
    """Other parts of the latency are unchanged."""
    latency = sandbox.set_latency(provision=60)
    assert (latency.provision, latency.stop) == (60, 0)
    service_id = http.post("/services", json={"name": "orders"}).json()["result"]["service"]["id"]
    assert http.get(f"/services/{service_id}").json()["result"]["state"] == "provisioning"
    sandbox.set_latency(provision=0)
    assert sandbox.state()["counts"]["services"] == len(sandbox.services)


def test_control_routes_refuse_other_host_names(sandbox: Sandbox) -> None:
    """Requests with another host name, which may come from a web page, are refused."""
    answer = httpx.get(f"{sandbox.url}/_sandbox/state", headers={"Host": "evil.example"})
    assert answer.status_code == 403
    assert SandboxControl(sandbox.url).key_id == sandbox.key_id


def test_many_threads_can_use_one_sandbox(sandbox: Sandbox) -> None:
    """Requests are carried out one after the other."""
    from concurrent.futures import ThreadPoolExecutor

    def life(_: int) -> int:
        service = sandbox.add("services", name="orders")
        sandbox.change("services", service["id"], name="renamed")
        return sum(pipe["serviceId"] == service["id"] for pipe in sandbox.pipes.values())

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(life, range(24))) == [2] * 24
