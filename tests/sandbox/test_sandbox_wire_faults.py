"""What really comes over the wire when the sandbox plays a fault, seen with sockets and with httpx."""

from __future__ import annotations

import base64
import json
import socket
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from pulumi_clouddb.registry import OPERATIONS
from pulumi_clouddb.sandbox import FaultKind, Sandbox

BODY = b'{"name": "orders"}'
SHORT = httpx.Timeout(5, read=0.1)


@pytest.fixture(scope="module")
def shared() -> Iterator[Sandbox]:
    """One sandbox for all tests here."""
    with Sandbox() as running:
        yield running


@pytest.fixture
def sandbox(shared: Sandbox) -> Sandbox:
    """The sandbox, with no fault waiting and nothing in its log."""
    shared.clear_faults()
    shared.forget_requests()
    return shared


@pytest.fixture
def http(sandbox: Sandbox) -> Iterator[httpx.Client]:
    """A client of the management surface."""
    with sandbox.management() as client:
        yield client


class Connection:
    """A bare connection to the sandbox, for one create of a service."""

    def __init__(self, sandbox: Sandbox) -> None:
        host, port = sandbox.url.removeprefix("http://").split(":")
        basic = base64.b64encode(f"{sandbox.key_id}:{sandbox.key_secret}".encode()).decode()
        self.request = (
            f"POST /v1/organizations/{sandbox.organization_id}/services HTTP/1.1\r\nHost: {host}:{port}\r\n"
            f"Authorization: Basic {basic}\r\nContent-Type: application/json\r\nContent-Length: {len(BODY)}\r\n\r\n"
        ).encode() + BODY
        self.socket = socket.create_connection((host, int(port)), timeout=10)

    def received(self, until: bytes | None = None) -> tuple[bytes, bytes]:
        """Send the request; return head and body as they came until the server closed or sent `until`."""
        self.socket.sendall(self.request)
        content = b""
        while (until is None or until not in content) and (piece := self.socket.recv(65536)):
            content += piece
        head, _, body = content.partition(b"\r\n\r\n")
        return head, body


@pytest.fixture
def connection(sandbox: Sandbox) -> Iterator[Connection]:
    """A bare connection to the sandbox."""
    opened = Connection(sandbox)
    with opened.socket:
        yield opened


def length_in(head: bytes) -> int:
    """Return what Content-Length says."""
    (value,) = [line.partition(b":")[2] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length")]
    return int(value)


RESETS: dict[str, tuple[dict[str, Any], int]] = {
    "refuse": ({}, 0),
    "lose": ({}, 1),
    "commit_late": ({"wait": 60}, 0),
}


@pytest.mark.parametrize("kind", RESETS)
def test_a_reset_is_one(sandbox: Sandbox, connection: Connection, kind: str) -> None:
    """The socket reports it; not a byte was sent."""
    details, done = RESETS[kind]
    before = len(sandbox.services)
    sandbox.fault("create_service", kind, **details)
    with pytest.raises(ConnectionResetError):
        connection.received()
    assert len(sandbox.services) == before + done


@pytest.mark.parametrize(("kind", "done"), [("hang", 0), ("commit_then_hang", 1)])
def test_a_request_can_hang_until_the_client_gives_up(
    sandbox: Sandbox, http: httpx.Client, connection: Connection, kind: str, done: int
) -> None:
    """Not a byte comes; other requests are served meanwhile, and the log knows no status."""
    before = len(sandbox.services)
    sandbox.fault("create_service", kind, times=2)
    connection.socket.sendall(connection.request)
    while [entry.fault for entry in sandbox.requests] != [kind]:
        pass
    assert len(sandbox.services) == before + done
    connection.socket.settimeout(0.1)
    with pytest.raises(TimeoutError):
        connection.socket.recv(1)
    with pytest.raises(httpx.ReadTimeout):
        http.post("/services", content=BODY, headers={"Content-Type": "application/json"}, timeout=SHORT)
    while [(entry.status, entry.fault) for entry in sandbox.requests] != [(None, kind)] * 2:
        pass
    assert http.post("/services", json={"name": "orders"}).status_code == 200


def test_a_truncated_body_is_shorter_than_its_header_says(sandbox: Sandbox, connection: Connection) -> None:
    """The connection closes without an error of its own; the service is there."""
    before = len(sandbox.services)
    sandbox.fault("create_service", "truncated")
    head, body = connection.received()
    assert head.startswith(b"HTTP/1.1 200 ")
    assert 0 < len(body) < length_in(head)
    assert len(sandbox.services) == before + 1


def test_a_client_sees_a_truncated_body_as_a_broken_connection(sandbox: Sandbox, http: httpx.Client) -> None:
    """And not as a complete body, which `broken_json` is."""
    sandbox.fault("list_services", "truncated")
    with pytest.raises(httpx.RemoteProtocolError, match="without sending complete"):
        http.get("/services")
    assert http.get("/services").status_code == 200


def test_a_drip_comes_byte_by_byte(sandbox: Sandbox, connection: Connection) -> None:
    """The headers come at once; after a while some bytes of the body are there, and the service is."""
    before = len(sandbox.services)
    sandbox.fault("create_service", "drip", wait=0.02)
    head, body = connection.received(until=b"\r\n\r\n{")
    assert len(sandbox.services) == before + 1
    assert len(body) < length_in(head) / 2
    assert len(connection.socket.recv(65536)) < length_in(head) / 2


def test_a_drip_can_begin_with_the_status_line(sandbox: Sandbox, connection: Connection) -> None:
    """The first bytes are not even a status."""
    sandbox.fault("create_service", "drip", wait=0.02, headers=True)
    head, body = connection.received(until=b"H")
    assert b"HTTP/1.1 200 OK".startswith(head)
    assert body == b""
    assert len(connection.socket.recv(65536)) < 100


@pytest.mark.parametrize("headers", [False, True])
def test_a_drip_ends_with_the_whole_response(sandbox: Sandbox, http: httpx.Client, headers: bool) -> None:
    """For a client that waits; the time of the headers is left out where they come at once."""
    sandbox.fault("get_key", "drip", wait=0.0005, headers=headers)
    key = next(iter(sandbox.keys))
    response = http.get(f"/keys/{key}")
    assert response.json()["result"]["id"] == key
    assert "date" in response.headers
    assert http.get(f"/keys/{key}").status_code == 200


def test_a_drip_does_not_outlive_its_client() -> None:
    """A client that gives up leaves the sandbox free to stop."""
    with Sandbox() as own, own.management() as client:
        own.fault("*", "drip", times=3, wait=0.02)
        for _ in range(3):
            with client.stream("GET", "/services") as response:
                assert response.status_code == 200
        own.clear_faults()
        assert client.get("/services").status_code == 200


def test_a_huge_body_is_streamed(sandbox: Sandbox, http: httpx.Client) -> None:
    """It is valid JSON of the size that was asked for, and no header says so before."""
    before = len(sandbox.services)
    sandbox.fault("create_service", "huge", size=3_000_000)
    with http.stream("POST", "/services", json={"name": "orders"}) as response:
        assert "content-length" not in response.headers
        content = response.read()
    assert len(content) == 3_000_000
    assert json.loads(content)["result"]["service"]["name"] == "orders"
    assert len(sandbox.services) == before + 1


def test_a_huge_body_has_fifty_megabytes_unless_told_otherwise(sandbox: Sandbox, http: httpx.Client) -> None:
    """A client that stops reading early is no trouble."""
    sandbox.fault("list_services", "huge", times=2)
    with http.stream("GET", "/services") as response:
        assert sum(len(chunk) for chunk in response.iter_bytes()) == 50_000_000
    with http.stream("GET", "/services") as response:
        assert next(response.iter_bytes())
    assert http.get("/services").status_code == 200


ERRORS: dict[str, tuple[dict[str, Any], str, Callable[[httpx.Response], bool]]] = {
    "json": ({"status": 503}, "application/json", lambda r: r.json()["error"] == "SERVICE_UNAVAILABLE: oh no"),
    "text": ({"status": 418, "form": "text"}, "text/plain", lambda r: r.text == "oh no"),
    "html": ({"status": 504, "form": "html"}, "text/html", lambda r: "<h1>504 Gateway Timeout</h1>" in r.text),
    "no content": ({"status": 204, "form": "text"}, "", lambda r: r.content == b""),
    "ok": ({"status": 200, "form": "text"}, "text/plain", lambda r: r.text == "oh no"),
}


@pytest.mark.parametrize(("kind", "done"), [("status", 0), ("commit_then_status", 1), ("commit_late", 0)])
@pytest.mark.parametrize("case", ERRORS)
def test_an_error_has_any_status_and_form(
    sandbox: Sandbox, http: httpx.Client, case: str, kind: str, done: int
) -> None:
    """Before and after the request is carried out, and while it still waits to be."""
    details, content_type, says = ERRORS[case]
    before = len(sandbox.services)
    late = {"wait": 60} if kind == "commit_late" else {}
    sandbox.fault("create_service", kind, text="oh no", **details, **late)
    response = http.post("/services", json={"name": "orders"})
    assert response.status_code == details["status"]
    assert response.headers.get("content-type", "").startswith(content_type)
    assert says(response)
    assert len(sandbox.services) == before + done


def test_too_many_requests_without_a_header(sandbox: Sandbox, http: httpx.Client) -> None:
    """Neither API says then when to come back."""
    sandbox.fault("*", "rate_limit", times=2, reset=None)
    with sandbox.self_hosted() as hosted:
        responses = [http.get("/services"), hosted.get("/alerts")]
    assert [response.status_code for response in responses] == [429, 429]
    for response in responses:
        assert not {"x-ratelimit-reset", "ratelimit-reset", "retry-after"} & set(response.headers)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_leads_elsewhere(sandbox: Sandbox, http: httpx.Client, status: int) -> None:
    """To another loopback address, or to where it is told; nothing is done."""
    before = len(sandbox.services)
    sandbox.fault("create_service", "redirect", status=status)
    response = http.post("/services", json={"name": "orders"}, follow_redirects=False)
    assert response.status_code == status
    assert response.headers["location"] == f"http://127.0.0.2:9/v1/organizations/{sandbox.organization_id}/services"
    sandbox.fault("create_service", "redirect", status=status, location="http://127.0.0.3:1/x")
    response = http.post("/services", json={"name": "orders"}, follow_redirects=False)
    assert response.headers["location"] == "http://127.0.0.3:1/x"
    assert len(sandbox.services) == before


def test_an_empty_body_is_a_success_without_words(sandbox: Sandbox, http: httpx.Client) -> None:
    """The service is there."""
    before = len(sandbox.services)
    sandbox.fault("create_service", "empty")
    response = http.post("/services", json={"name": "orders"})
    assert (response.status_code, response.content, len(sandbox.services)) == (200, b"", before + 1)


def differs(spoilt: Any, plain: Any) -> bool:
    """Return whether every value has another type."""
    if isinstance(plain, dict):
        return set(spoilt) == set(plain) and all(differs(spoilt[name], plain[name]) for name in plain)
    return type(spoilt) is not type(plain)


def test_values_of_the_wrong_types(sandbox: Sandbox, http: httpx.Client) -> None:
    """Every value of every record, in a single object, in a create and in a list; the envelope stays."""
    service = sandbox.add("services", name="orders", ipAccessList=[{"source": "10.0.0.1"}])["id"]
    for operation, path in (("get_service", f"/services/{service}"), ("list_services", "/services")):
        plain = http.get(path).json()["result"]
        sandbox.fault(operation, "wrong_types")
        spoilt = http.get(path).json()["result"]
        pairs = zip(spoilt, plain, strict=True) if isinstance(plain, list) else [(spoilt, plain)]
        assert all(differs(*pair) for pair in pairs)
    sandbox.fault("create_service", "wrong_types")
    created = http.post("/services", json={"name": "orders"}).json()
    assert created["status"] == 200
    assert isinstance(created["result"]["password"], int)
    assert {type(created["result"]["service"][name]) for name in ("id", "name", "state")} == {int}
    assert isinstance(created["result"]["service"]["endpoints"], dict)


CREATES: dict[str, tuple[str, dict[str, Any], str | None]] = {
    "create_service": ("/services", {"name": "orders"}, "service"),
    "create_key": ("/keys", {"name": "ci", "roles": ["admin"]}, "key"),
    "create_dashboard": ("/dashboards", {"name": "b", "tiles": [{"name": "t"}]}, None),
    "self_hosted_create_dashboard": ("/dashboards", {"name": "b", "tiles": [{"name": "t"}]}, None),
}


@pytest.mark.parametrize("operation", CREATES)
def test_an_id_can_be_missing_or_null(sandbox: Sandbox, http: httpx.Client, operation: str) -> None:
    """The rest of the record stays, and the object is there."""
    path, body, inside = CREATES[operation]
    hosted = operation.startswith("self_hosted")
    if operation == "create_dashboard":
        path = f"/services/{sandbox.add('services')['id']}/stack{path}"
    before = sum(sandbox.state()["counts"].values())

    def records(kind: str) -> dict[str, Any]:
        sandbox.fault(operation, kind)
        with sandbox.self_hosted() as other:
            payload = (other if hosted else http).post(path, json=body).json()
        result = payload["data" if hosted else "result"]
        record: dict[str, Any] = result[inside] if inside else result
        return record

    missing, null = records("no_id"), records("null_id")
    assert "id" not in missing
    assert null["id"] is None
    assert missing["name"] == null["name"] == body["name"]
    assert set(null) - set(missing) == {"id"}
    assert sum(sandbox.state()["counts"].values()) > before + 1


def test_ids_in_a_list_can_be_missing(sandbox: Sandbox, http: httpx.Client) -> None:
    """From every record."""
    sandbox.add("services")
    sandbox.fault("list_services", "no_id")
    assert ["id" in record for record in http.get("/services").json()["result"]] == [False] * len(sandbox.services)


def test_a_result_can_be_null(sandbox: Sandbox, http: httpx.Client) -> None:
    """In the envelope of either API."""
    sandbox.fault("create_service", "null_result")
    response = http.post("/services", json={"name": "orders"}).json()
    assert set(response) == {"status", "requestId", "result"}
    assert response["result"] is None
    with sandbox.self_hosted() as hosted:
        sandbox.fault("self_hosted_list_alerts", "null_result")
        assert hosted.get("/alerts").json()["data"] is None


NEEDS: dict[str, dict[str, Any]] = {
    "delay": {"wait": 0.01},
    "lag": {"wait": 1},
    "commit_late": {"wait": 60},
    "drip": {"wait": 0.001},
}


@pytest.mark.parametrize("kind", FaultKind)
def test_every_kind_can_be_played_on_all_operations_it_applies_to(sandbox: Sandbox, kind: FaultKind) -> None:
    """The others refuse it, since it would make no difference there."""
    for name, operation in OPERATIONS.items():
        if kind.applies_to(operation):
            sandbox.fault(name, kind, **NEEDS.get(kind.value, {}))
        else:
            with pytest.raises(ValueError, match=r"apply to|only a service"):
                sandbox.fault(name, kind, **NEEDS.get(kind.value, {}))
    assert sandbox.faults()
