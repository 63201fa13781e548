"""The sandbox's faults, as httpx and a plain socket receive them."""

from __future__ import annotations

import base64
import json
import socket
import time
from collections.abc import Callable, Iterator
from http import HTTPStatus
from typing import Any

import httpx
import pytest

from clouddb_tools.sandbox import FaultKind, Sandbox
from clouddb_tools.sandbox.faults import fault_from
from pulumi_clouddb.registry import OPERATIONS

BODY = b'{"name": "orders"}'
SHORT = httpx.Timeout(5, read=0.1)

Looks = Callable[[httpx.Response], bool]
"""Returns whether a response is as expected."""


def create(http: httpx.Client) -> httpx.Response:
    """Try to create a service."""
    return http.post("/services", json={"name": "orders"}, follow_redirects=False)


# -- answers ---------------------------------------------------------------------------------------------------------


def no_json(response: httpx.Response) -> bool:
    """Return whether a body is not JSON."""
    try:
        response.json()
    except json.JSONDecodeError:
        return True
    return False


def no_header(response: httpx.Response) -> bool:
    """Return whether no header has the time until the next request."""
    return not {"x-ratelimit-reset", "ratelimit-reset", "retry-after"} & set(response.headers)


def of_wrong_types(response: httpx.Response) -> bool:
    """Return whether the envelope is unchanged, and all values of the record have another type."""
    content = response.json()
    record = content["result"]["service"]
    types = {type(record[name]) for name in ("id", "name", "state")} | {type(content["result"]["password"])}
    return (content["status"], types, type(record["endpoints"])) == (200, {bool}, dict)


FORMS: dict[str, tuple[dict[str, Any], Looks]] = {
    "JSON": (
        {"status": 503},
        lambda r: (r.headers["content-type"], r.json()["error"]) == ("application/json", "SERVICE_UNAVAILABLE: oh no"),
    ),
    "text": (
        {"status": 418, "form": "text"},
        lambda r: "text/plain" in r.headers["content-type"] and r.text == "oh no",
    ),
    "a page": (
        {"status": 504, "form": "html"},
        lambda r: "text/html" in r.headers["content-type"] and "<h1>504 Gateway Timeout</h1>" in r.text,
    ),
    "no content": ({"status": 204, "form": "text"}, lambda r: r.content == b""),
    "a success in text": ({"status": 200, "form": "text"}, lambda r: r.text == "oh no"),
}
"""Errors can have any status and form."""

REDIRECTS = (
    HTTPStatus.MOVED_PERMANENTLY,
    HTTPStatus.FOUND,
    HTTPStatus.SEE_OTHER,
    HTTPStatus.TEMPORARY_REDIRECT,
    HTTPStatus.PERMANENT_REDIRECT,
)

NULL_RESULT = {"status": 0, "requestId": 0, "result": None}
ANSWERS: dict[str, tuple[str, dict[str, Any], int, int, Looks]] = {
    **{
        f"{kind} as {name}": (kind, {**details, "text": "oh no", **more}, details["status"], done, looks)
        for kind, done, more in (("status", 0, {}), ("commit_then_status", 1, {}), ("commit_late", 0, {"wait": 60}))
        for name, (details, looks) in FORMS.items()
    },
    "commit_then_status": ("commit_then_status", {}, 500, 1, lambda r: "INTERNAL" in r.json()["error"]),
    "rate_limit": ("rate_limit", {"reset": 3}, 429, 0, lambda r: r.headers["X-RateLimit-Reset"] == "3"),
    "rate_limit without a header": ("rate_limit", {"reset": None}, 429, 0, no_header),
    "html": ("html", {}, 502, 0, lambda r: "<h1>502 Bad Gateway</h1>" in r.text),
    "html as of no route": ("html", {"status": 404}, 404, 0, lambda r: "Cannot POST /v1/" in r.text),
    "not_found": ("not_found", {}, 404, 0, lambda r: r.json()["error"] == "NOT_FOUND: Service not found"),
    "malformed": ("malformed", {}, 200, 1, lambda r: set(r.json()) == {"status", "requestId"}),
    "null_result": ("null_result", {}, 200, 1, lambda r: {**r.json(), "status": 0, "requestId": 0} == NULL_RESULT),
    "broken_json": ("broken_json", {}, 200, 1, no_json),
    "empty": ("empty", {}, 200, 1, lambda r: r.content == b""),
    "wrong_types": ("wrong_types", {}, 200, 1, of_wrong_types),
    **{
        f"redirect {status}": (
            "redirect",
            {"status": status},
            status,
            0,
            lambda r: "127.0.0.2:9/v1/" in r.headers["location"],
        )
        for status in REDIRECTS
    },
    "redirect to a place": (
        "redirect",
        {"status": 302, "location": "http://127.0.0.3:1/x"},
        302,
        0,
        lambda r: r.headers["location"] == "http://127.0.0.3:1/x",
    ),
}
"""The status of the create of a service, the number of created services, and a check of the response."""


@pytest.mark.parametrize(("kind", "details", "status", "done", "looks"), ANSWERS.values(), ids=ANSWERS)
def test_fault_replaces_the_response(
    sandbox: Sandbox, http: httpx.Client, kind: str, details: dict[str, Any], status: int, done: int, looks: Looks
) -> None:
    """Some act before the request is carried out, some after; each affects one request and resembles real servers."""
    before = len(sandbox.services)
    sandbox.fault("create_service", kind, **details)
    answer = create(http)
    assert (answer.status_code, len(sandbox.services)) == (status, before + done)
    assert looks(answer), (answer.headers, answer.text)
    assert create(http).status_code == 200


NOBODY = "0" * 24
SELF_HOSTED: dict[str, tuple[str, str, str, dict[str, Any], int, Looks]] = {
    "too many requests": (
        "list_dashboards",
        "/dashboards",
        "rate_limit",
        {"reset": 7},
        429,
        lambda r: (r.headers["Retry-After"], r.text) == ("7", "Too many requests, please try again later."),
    ),
    "too many without a header": ("list_alerts", "/alerts", "rate_limit", {"reset": None}, 429, no_header),
    "an error": (
        "list_dashboards",
        "/dashboards",
        "status",
        {"status": 500, "text": "broken"},
        500,
        lambda r: r.json() == {"message": "broken"},
    ),
    "no dashboard": ("get_dashboard", f"/dashboards/{NOBODY}", "not_found", {}, 404, lambda r: r.text == "Not Found"),
    "no alert": (
        "get_alert",
        f"/alerts/{NOBODY}",
        "not_found",
        {},
        404,
        lambda r: r.json() == {"message": "Alert not found"},
    ),
    "no record": ("list_dashboards", "/dashboards", "malformed", {}, 200, lambda r: r.json() == {}),
    "null": ("list_alerts", "/alerts", "null_result", {}, 200, lambda r: r.json()["data"] is None),
}


@pytest.mark.parametrize(
    ("operation", "path", "kind", "details", "status", "looks"), SELF_HOSTED.values(), ids=SELF_HOSTED
)
def test_faults_of_the_self_hosted_api_have_its_form(
    sandbox: Sandbox, operation: str, path: str, kind: str, details: dict[str, Any], status: int, looks: Looks
) -> None:
    """Too many requests get a page, errors a message, and a missing dashboard a text."""
    sandbox.fault(f"self_hosted_{operation}", kind, **details)
    with sandbox.self_hosted() as http:
        answer = http.get(path)
    assert (answer.status_code, looks(answer)) == (status, True)


def differs(spoilt: Any, plain: Any) -> bool:
    """Return whether all values have another type."""
    if isinstance(plain, dict):
        return set(spoilt) == set(plain) and all(differs(spoilt[name], plain[name]) for name in plain)
    return type(spoilt) is not type(plain)


def test_values_of_the_wrong_types(sandbox: Sandbox, http: httpx.Client) -> None:
    """All values of all records change their type, in single objects and in lists."""
    service = sandbox.add("services", name="orders", ipAccessList=[{"source": "10.0.0.1"}])["id"]
    for operation, path in (("get_service", f"/services/{service}"), ("list_services", "/services")):
        plain = http.get(path).json()["result"]
        sandbox.fault(operation, "wrong_types")
        spoilt = http.get(path).json()["result"]
        pairs = zip(spoilt, plain, strict=True) if isinstance(plain, list) else [(spoilt, plain)]
        assert all(differs(*pair) for pair in pairs)


CREATES: dict[str, tuple[str, dict[str, Any], str | None]] = {
    "create_service": ("/services", {"name": "orders"}, "service"),
    "create_key": ("/keys", {"name": "ci", "roles": ["admin"]}, "key"),
    "create_dashboard": ("/dashboards", {"name": "b", "tiles": [{"name": "t"}]}, None),
    "self_hosted_create_dashboard": ("/dashboards", {"name": "b", "tiles": [{"name": "t"}]}, None),
}


@pytest.mark.parametrize("operation", CREATES)
def test_id_can_be_missing_or_null(sandbox: Sandbox, http: httpx.Client, operation: str) -> None:
    """The rest of the record is unchanged, and the object exists."""
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
    """They are missing in all records."""
    sandbox.add("services")
    sandbox.fault("list_services", "no_id")
    assert ["id" in record for record in http.get("/services").json()["result"]] == [False] * len(sandbox.services)


# -- counts and durations --------------------------------------------------------------------------------------------


def test_delay_can_be_combined_with_another_fault(sandbox: Sandbox, http: httpx.Client) -> None:
    """A client that times out cannot know the result."""
    before = len(sandbox.services)
    sandbox.fault("create_service", "delay", wait=0.15)
    started = time.monotonic()
    with pytest.raises(httpx.ReadTimeout):
        http.post("/services", json={"name": "orders"}, timeout=httpx.Timeout(5, read=0.02))
    sandbox.fault("create_service", "delay", wait=0.15)
    sandbox.fault("create_service", "status", status=500)
    assert create(http).status_code == 500
    assert time.monotonic() - started > 0.15
    assert len(sandbox.services) == before + 1


def test_failed_request_does_not_count_for_a_lost_response(sandbox: Sandbox, http: httpx.Client) -> None:
    """Only the response to a successful request can be lost."""
    sandbox.fault("create_service", "lose")
    assert http.post("/services", json={"name": "a_b"}).status_code == 400
    with pytest.raises(httpx.TransportError):
        create(http)


NEEDS: dict[str, dict[str, Any]] = {
    "delay": {"wait": 0.01},
    "lag": {"wait": 1},
    "commit_late": {"wait": 60},
    "drip": {"wait": 0.001},
}


@pytest.mark.parametrize("kind", FaultKind)
def test_each_kind_of_fault_has_its_operations(kind: FaultKind) -> None:
    """It is refused for the other operations, as it would have no effect."""
    assert any(kind.applies_to(operation) for operation in OPERATIONS.values())
    for name, operation in OPERATIONS.items():
        given = {"operation": name, "kind": kind.value, **NEEDS.get(kind.value, {})}
        if kind.applies_to(operation):
            assert fault_from(given, 0.0).operation == name
        else:
            with pytest.raises(ValueError, match=r"apply to|applies to creates only"):
                fault_from(given, 0.0)


# -- sockets ---------------------------------------------------------------------------------------------------------


class Connection:
    """A plain socket to the sandbox, for one create of a service."""

    def __init__(self, sandbox: Sandbox) -> None:
        host, port = sandbox.url.removeprefix("http://").split(":")
        basic = base64.b64encode(f"{sandbox.key_id}:{sandbox.key_secret}".encode()).decode()
        self.request = (
            f"POST /v1/organizations/{sandbox.organization_id}/services HTTP/1.1\r\nHost: {host}:{port}\r\n"
            f"Authorization: Basic {basic}\r\nContent-Type: application/json\r\nContent-Length: {len(BODY)}\r\n\r\n"
        ).encode() + BODY
        self.socket = socket.create_connection((host, int(port)), timeout=10)

    def received(self, until: bytes | None = None) -> tuple[bytes, bytes]:
        """Send the request; return head and body as received until the server closed the connection or sent `until`."""
        self.socket.sendall(self.request)
        content = b""
        while (until is None or until not in content) and (piece := self.socket.recv(65536)):
            content += piece
        head, _, body = content.partition(b"\r\n\r\n")
        return head, body


@pytest.fixture
def connection(sandbox: Sandbox) -> Iterator[Connection]:
    """A plain socket to the sandbox."""
    opened = Connection(sandbox)
    with opened.socket:
        yield opened


def length_in(head: bytes) -> int:
    """Return the value of Content-Length."""
    (value,) = [line.partition(b":")[2] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length")]
    return int(value)


RESETS: dict[str, tuple[dict[str, Any], int]] = {
    "refuse": ({}, 0),
    "lose": ({}, 1),
    "commit_late": ({"wait": 60}, 0),
}


@pytest.mark.parametrize("kind", RESETS)
def test_reset_closes_the_socket_with_an_error(
    sandbox: Sandbox, http: httpx.Client, connection: Connection, kind: str
) -> None:
    """The socket reports the reset without a byte. The log has no status, and the next request is answered."""
    details, done = RESETS[kind]
    before = len(sandbox.services)
    sandbox.fault("create_service", kind, **details, times=2)
    with pytest.raises(ConnectionResetError):
        connection.received()
    with pytest.raises(httpx.TransportError):
        create(http)
    assert len(sandbox.services) == before + done * 2
    assert [(entry.status, entry.fault) for entry in sandbox.requests] == [(None, kind)] * 2
    assert create(http).status_code == 200


@pytest.mark.parametrize(("kind", "done"), [("hang", 0), ("commit_then_hang", 1)])
def test_request_can_hang_until_the_client_closes(
    sandbox: Sandbox, http: httpx.Client, connection: Connection, kind: str, done: int
) -> None:
    """No byte is sent; other requests are served meanwhile, and the log has no status."""
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


def test_truncated_body_is_shorter_than_its_content_length(
    sandbox: Sandbox, http: httpx.Client, connection: Connection
) -> None:
    """The connection closes without an error, and the service exists. Clients notice the short body."""
    before = len(sandbox.services)
    sandbox.fault("create_service", "truncated", times=2)
    head, body = connection.received()
    assert head.startswith(b"HTTP/1.1 200 ")
    assert 0 < len(body) < length_in(head)
    assert len(sandbox.services) == before + 1
    with pytest.raises(httpx.RemoteProtocolError, match="without sending complete"):
        create(http)
    assert create(http).status_code == 200


@pytest.mark.parametrize(("headers", "first"), [(False, b"\r\n\r\n{"), (True, b"H")], ids=["body", "status line"])
def test_drip_sends_single_bytes(sandbox: Sandbox, connection: Connection, headers: bool, first: bytes) -> None:
    """It starts with the body or with the status line; the service is created before."""
    before = len(sandbox.services)
    sandbox.fault("create_service", "drip", wait=0.02, headers=headers)
    head, body = connection.received(until=first)
    assert len(sandbox.services) == before + 1
    if headers:
        assert b"HTTP/1.1 200 OK".startswith(head)
        assert body == b""
    else:
        assert len(body) < length_in(head) / 2
    assert len(connection.socket.recv(65536)) < 100


@pytest.mark.parametrize("headers", [False, True])
def test_drip_sends_the_entire_response(sandbox: Sandbox, http: httpx.Client, headers: bool) -> None:
    """A client that waits gets all of it; if headers are sent at once, they take no time."""
    sandbox.fault("get_key", "drip", wait=0.0005, headers=headers)
    key = next(iter(sandbox.keys))
    response = http.get(f"/keys/{key}")
    assert response.json()["result"]["id"] == key
    assert "date" in response.headers
    assert http.get(f"/keys/{key}").status_code == 200


def test_drip_ends_with_its_client() -> None:
    """After a client closes its connection, the sandbox can stop."""
    with Sandbox(vocabulary="neutral") as own, own.management() as client:
        own.fault("*", "drip", times=3, wait=0.02)
        for _ in range(3):
            with client.stream("GET", "/services") as response:
                assert response.status_code == 200
        own.clear_faults()
        assert client.get("/services").status_code == 200


def test_huge_body_is_streamed(sandbox: Sandbox, http: httpx.Client) -> None:
    """It is valid JSON of the set size, which no header declares."""
    before = len(sandbox.services)
    sandbox.fault("create_service", "huge", size=3_000_000)
    with http.stream("POST", "/services", json={"name": "orders"}) as response:
        assert "content-length" not in response.headers
        content = response.read()
    assert len(content) == 3_000_000
    assert json.loads(content)["result"]["service"]["name"] == "orders"
    assert len(sandbox.services) == before + 1


def test_huge_body_has_fifty_megabytes_by_default(sandbox: Sandbox, http: httpx.Client) -> None:
    """A client may stop reading early."""
    sandbox.fault("list_services", "huge", times=2)
    with http.stream("GET", "/services") as response:
        assert sum(len(chunk) for chunk in response.iter_bytes()) == 50_000_000
    with http.stream("GET", "/services") as response:
        assert next(response.iter_bytes())
    assert http.get("/services").status_code == 200
