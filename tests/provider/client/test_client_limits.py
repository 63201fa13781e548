"""Every request ends: at its deadline, at a size limit, and within a second after a cancellation."""

from __future__ import annotations

import gzip
import json
import socket
import threading
import time
import zlib
from collections.abc import Callable
from concurrent import futures
from contextlib import ExitStack, contextmanager
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from pulumi_clouddb.client import responses, sender
from pulumi_clouddb.client.client import Client
from pulumi_clouddb.client.errors import (
    ApiError,
    ClientError,
    CloudDBError,
    ConnectError,
    InvalidResponseError,
    RateLimitError,
    ResourceError,
    ResponseLostError,
    ServerError,
    UnsupportedOperationError,
)
from pulumi_clouddb.client.runtime import Runtime
from pulumi_clouddb.registry import OPERATIONS
from support.clock import FakeClock
from support.front_ends import FrontEnds
from support.grpc_driver import HostError, Later
from support.raw import Raw, Talk, drips, sends, silent
from support.scripted import Response, Scripted, ok
from support.sessions import config_of

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
SOON = 5.0
"""Limit in seconds for a request with a deadline of one second, on a busy machine."""

SLOW: dict[str, Talk] = {
    "no response": silent,
    "a slow header": drips(HEAD, b"X", 0.1),
    "endless headers": drips(HEAD, b"X-More: y\r\n", 0.1),
    "endless interim responses": drips(b"", b"HTTP/1.1 100 Continue\r\n\r\n", 0.05),
    "a slow body": drips(HEAD + b"Content-Length: 1000\r\n\r\n", b" ", 0.1),
    "a body in many small parts": drips(HEAD + b"Content-Length: 100000\r\n\r\n", b" ", 0.001),
    "slow chunks": drips(HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n", 0.1),
    "a slow body without a length": drips(HEAD + b"\r\n", b" ", 0.1),
}


class CancelledByTestError(CloudDBError):
    """Raised by a cancelled operation in these tests."""


class Cancellable(Runtime):
    """A runtime whose operations a test can cancel."""

    def __init__(self) -> None:
        super().__init__()
        self.cancelled = threading.Event()

    def check(self) -> None:
        """Raise if the test has cancelled."""
        if self.cancelled.is_set():
            raise CancelledByTestError("cancelled")

    def sleep(self, seconds: float) -> None:
        """Wait, at most until the test cancels."""
        self.cancelled.wait(seconds)
        self.check()


def client_of(url: str, runtime: Runtime | None = None, **config: Any) -> Client:
    """Return a client with a deadline of one second."""
    settings = {"baseUrl": url, "stackUrl": url, "requestTimeoutSeconds": 1, "retryTimeoutSeconds": 0, **config}
    return Client(config_of(**settings), runtime=runtime)


def failure(client: Client, operation: str, body: Any = None) -> CloudDBError:
    """Carry out an operation that must fail, and return the error."""
    with pytest.raises(CloudDBError) as caught:
        client.call(OPERATIONS[operation], body, service_id="x", dashboard_id="x", key_id="x")
    return caught.value


@contextmanager
def within(seconds: float) -> Any:
    """Fail when the block takes longer."""
    started = time.monotonic()
    yield
    assert time.monotonic() - started < seconds


# -- deadlines -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("talk", SLOW.values(), ids=SLOW)
@pytest.mark.parametrize(
    ("operation", "body"), [("create_key", {}), pytest.param("list_keys", None, marks=pytest.mark.slow)]
)
def test_deadline_limits_the_whole_request(operation: str, body: Any, talk: Talk) -> None:
    """The response counts as lost, since the request may have been carried out."""
    with Raw(talk) as server, within(SOON):
        caught = failure(client_of(server.url), operation, body)
    assert type(caught) is ResponseLostError
    assert "it took more than 1 s" in str(caught)
    assert len(server.received) == 1


def test_deadline_limits_sending() -> None:
    """A server that reads nothing cannot block a request; the request may have been carried out."""
    with Raw(silent, reads=False) as server, within(SOON):
        caught = failure(client_of(server.url), "create_dashboard", {"name": "x" * 20_000_000})
    assert type(caught) is ResponseLostError


@pytest.mark.parametrize(("talk", "message"), [(silent, "it took more than 1 s"), (sends(), "")])
def test_failed_proxy_connection_sends_nothing(talk: Talk, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The request CONNECT to the proxy does not count as the request that may have been carried out."""
    with Raw(talk) as proxy, within(SOON):
        monkeypatch.setenv("HTTPS_PROXY", proxy.url)
        caught = failure(client_of("https://api.example.com"), "create_key", {})
        assert proxy.received[0].startswith(b"CONNECT api.example.com:443")
    assert type(caught) is ConnectError
    assert message in str(caught)


def test_proxy_that_requires_a_login_is_not_retried(monkeypatch: pytest.MonkeyPatch) -> None:
    """A retry would fail, too; the advice names the proxy setting."""
    with Raw(sends(b"HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n")) as proxy, within(SOON):
        monkeypatch.setenv("HTTPS_PROXY", proxy.url)
        client = client_of("https://api.example.com", retryTimeoutSeconds=60)
        caught = failure(client, "list_keys", None)
        assert len(proxy.received) == 1
    assert type(caught) is ConnectError
    assert str(caught).endswith("Log in to the proxy: put USER:PASSWORD@ before its host in HTTPS_PROXY.")


@pytest.mark.parametrize("status", [b"403 Forbidden", b"302 Found", b"502 Bad Gateway"])
def test_proxy_refusal_is_reported_as_the_proxys(status: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message names the proxy, not the server."""
    with Raw(sends(b"HTTP/1.1 " + status + b"\r\ncontent-length: 0\r\n\r\n")) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url)
        caught = failure(client_of("https://api.example.com"), "create_key", {})
    assert type(caught) is ConnectError
    assert f"the proxy refused to connect: {status.decode()}" in str(caught)


def test_unreachable_address_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    """A host name can have several addresses, and IPv6 may have no route."""
    monkeypatch.setattr(sender, "CONNECT_SECONDS", 0.3)
    with Scripted(ok([])) as server, socket.create_server(("127.0.0.1", 0), backlog=0) as full, ExitStack() as stack:
        dead, alive = full.getsockname(), ("127.0.0.1", urlsplit(server.url).port)
        for _ in range(3):  # a full queue drops new connections
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(dead)
        addresses = [(socket.AF_INET, socket.SOCK_STREAM, 0, "", address) for address in (dead, alive)]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: addresses)
        assert client_of("http://localhost:1", requestTimeoutSeconds=20).call(OPERATIONS["list_keys"]) == []


@pytest.mark.parametrize("late", [False, True])
def test_deadline_limits_the_tls_handshake(late: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A failed handshake is a connection error: nothing was sent.

    On a busy machine the waiting thread can notice the timeout after the connecting thread; the result is the same.
    """
    if late:
        wait = futures.wait
        monkeypatch.setattr(futures, "wait", lambda parts, _seconds: wait(parts))
    with Raw(silent, reads=False) as server, within(SOON):
        caught = failure(client_of(server.url.replace("http:", "https:")), "create_key", {})
    assert type(caught) is ConnectError
    assert "it took more than 1 s" in str(caught)


def test_deadline_limits_name_resolution(monkeypatch: pytest.MonkeyPatch) -> None:
    """A resolver can take minutes and cannot be interrupted; nothing was sent."""
    over = threading.Event()
    monkeypatch.setattr("socket.getaddrinfo", lambda *_, **__: over.wait(20))
    with within(SOON):
        caught = failure(client_of("https://api.example.com"), "create_key", {})
    over.set()
    assert type(caught) is ConnectError


def test_slow_response_within_the_deadline_is_complete() -> None:
    """The client waits in slices; a slice is not a limit of its own."""
    text = json.dumps({"status": 200, "result": {"id": "k", "name": "x" * 40}}).encode()
    parts = [HEAD, b"Content-Length: %d\r\n\r\n" % len(text), text[:20], text[20:]]
    with Raw(sends(*parts, pause=0.7)) as server:
        answer = client_of(server.url, requestTimeoutSeconds=20).call(OPERATIONS["create_key"], {})
    assert answer["id"] == "k"


def test_each_request_has_its_own_deadline() -> None:
    """A reused connection does not carry over the time of earlier requests."""
    with Scripted(Response(200, {"status": 200, "result": []}, wait=0.6)) as server:
        client = client_of(server.url)
        for _ in range(4):
            assert client.call(OPERATIONS["list_keys"]) == []


def test_large_body_is_sent_completely() -> None:
    """It is sent in parts, as fast as the server reads them."""
    body = {"name": "n" * 3_000_000}
    text = b'{"data":{"id":"d"}}'
    with Raw(sends(HEAD + b"Content-Length: %d\r\n\r\n" % len(text) + text)) as server:
        client = client_of(server.url, requestTimeoutSeconds=30)
        client.call(OPERATIONS["self_hosted_create_dashboard"], body)
        sent = server.received[0].partition(b"\r\n\r\n")[2]
    assert json.loads(sent) == body


# -- sizes -----------------------------------------------------------------------------------------------------------


def whole(content: bytes, status: str = "200 OK", encoding: bytes = b"") -> Talk:
    """Return a talk that sends a body at once."""
    more = b"Content-Encoding: %s\r\n" % encoding if encoding else b""
    head = b"HTTP/1.1 %s\r\nContent-Type: application/json\r\n%sContent-Length: %d\r\n\r\n"
    return sends(head % (status.encode(), more, len(content)) + content)


def envelope(size: int) -> bytes:
    """Return a valid response of about this size."""
    return json.dumps({"status": 200, "result": {"id": "k", "name": "x" * size}}).encode()


MEGA = 1024**2
LONG = envelope(17 * MEGA)
TOO_LARGE: dict[str, tuple[Callable[[], Talk], str]] = {
    "17 MiB": (lambda: whole(LONG), "returned more than 16 MiB"),
    "an endless body": (lambda: drips(HEAD + b"\r\n", b" " * MEGA, 0.0), "returned more than 16 MiB"),
    "a gzip bomb": (
        lambda: whole(gzip.compress(envelope(64 * MEGA)), encoding=b"gzip"),
        "returned more than 16 MiB",
    ),
    "gzip within gzip": (lambda: whole(gzip.compress(gzip.compress(b"{}")), encoding=b"gzip, gzip"), "'gzip, gzip'"),
    "an encoding that was not requested": (
        lambda: whole(zlib.compress(b"{}"), encoding=b"deflate"),
        "'deflate', which was not requested",
    ),
    "invalid gzip": (lambda: whole(b"{}", encoding=b"gzip"), "not valid gzip"),
    "truncated gzip": (
        lambda: whole(gzip.compress(envelope(MEGA))[:500], encoding=b"gzip"),
        "returned an incomplete body",
    ),
}


@pytest.mark.parametrize(("talk", "message"), TOO_LARGE.values(), ids=TOO_LARGE)
@pytest.mark.parametrize(("operation", "body"), [("create_key", {}), ("list_keys", None)])
def test_too_large_or_unreadable_body_is_malformed(
    operation: str, body: Any, talk: Callable[[], Talk], message: str
) -> None:
    """The size limit applies to the decoded body; the error is ambiguous."""
    with Raw(talk()) as server, within(15):
        caught = failure(client_of(server.url, requestTimeoutSeconds=20), operation, body)
    assert type(caught) is InvalidResponseError
    assert message in str(caught)
    assert caught.status == 200


def test_gzip_body_is_decoded() -> None:
    """The client requests gzip and no other encoding."""
    with Raw(whole(gzip.compress(envelope(3 * MEGA)), encoding=b"gzip")) as server:
        answer = client_of(server.url, requestTimeoutSeconds=20).call(OPERATIONS["create_key"], {})
    assert len(answer["name"]) == 3 * MEGA
    assert b"accept-encoding: gzip\r\n" in server.received[0].lower()


def test_empty_body_is_no_truncated_gzip() -> None:
    """A proxy may leave the header of the encoding in a response whose body it has removed."""
    with Raw(whole(b"", encoding=b"gzip")) as server:
        assert client_of(server.url).call(OPERATIONS["delete_key"], key_id="k") is None


def test_body_of_exactly_the_limit_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """A body that is one byte longer is rejected."""
    content = envelope(2000)
    for limit, good in ((len(content), True), (len(content) - 1, False)):
        monkeypatch.setattr(responses, "LARGEST_BODY", limit)
        with Raw(whole(content)) as server:
            client = client_of(server.url, requestTimeoutSeconds=20)
            assert good == (type(_outcome(lambda: client.call(OPERATIONS["create_key"], {}))) is dict)  # noqa: B023


def _outcome(action: Callable[[], Any]) -> Any:
    try:
        return action()
    except ApiError as error:
        return error


BY_STATUS: dict[str, tuple[Talk, type[ApiError]]] = {
    "400 of 17 MiB": (whole(LONG, "400 Bad Request"), ClientError),
    "400, truncated": (sends(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 99\r\n\r\n{"), ClientError),
    "429, truncated": (sends(b"HTTP/1.1 429 Too Many\r\nContent-Length: 99\r\n\r\n{"), RateLimitError),
    "500, truncated": (sends(b"HTTP/1.1 500 Oops\r\nContent-Length: 99\r\n\r\n{"), ServerError),
    "500 of 17 MiB": (whole(LONG, "500 Oops"), ServerError),
    "302, truncated": (sends(b"HTTP/1.1 302 Found\r\nContent-Length: 99\r\n\r\n{"), InvalidResponseError),
    "404, truncated": (sends(b"HTTP/1.1 404 Not Found\r\nContent-Length: 99\r\n\r\n{"), ResponseLostError),
    "404 as a page of 17 MiB": (whole(b"x" * 17 * MEGA, "404 Not Found"), UnsupportedOperationError),
    "200, truncated": (sends(HEAD + b"Content-Length: 99\r\n\r\n{"), ResponseLostError),
    "200, longer than its length": (sends(HEAD + b"Content-Length: 9\r\n\r\n" + envelope(10)), InvalidResponseError),
    "101": (sends(b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"), ResponseLostError),
    "another protocol": (sends(b"SSH-2.0-OpenSSH\r\n"), ResponseLostError),
    "a closed connection": (sends(), ResponseLostError),
}


@pytest.mark.parametrize(("talk", "kind"), BY_STATUS.values(), ids=BY_STATUS)
def test_status_decides_if_the_body_is_unusable(talk: Talk, kind: type[ApiError]) -> None:
    """4xx is a client error, every other response is ambiguous, and 404 depends on its body."""
    with Raw(talk) as server:
        client = client_of(server.url, requestTimeoutSeconds=10)
        with pytest.raises(ApiError) as caught:
            client.call(OPERATIONS["create_key"], {}, once=True)
    assert type(caught.value) is kind


# -- cancel ----------------------------------------------------------------------------------------------------------


CANCELLED: dict[str, tuple[str, Talk | None, str, Any, type[Exception]]] = {
    **{f"a create, {name}": ("http", talk, "create_key", {}, ResponseLostError) for name, talk in SLOW.items()},
    **{f"a read, {name}": ("http", talk, "list_keys", None, CancelledByTestError) for name, talk in SLOW.items()},
    "a handshake": ("https", None, "create_key", {}, CancelledByTestError),
    "sending": ("http", None, "create_dashboard", {"name": "x" * 20_000_000}, ResponseLostError),
}
"""Scheme, what the server sends after it read a request (None: it reads nothing), operation, body, expected error."""


@pytest.mark.parametrize(("scheme", "talk", "operation", "body", "raised"), CANCELLED.values(), ids=CANCELLED)
def test_cancel_ends_a_pending_request(
    scheme: str, talk: Talk | None, operation: str, body: Any, raised: type[Exception]
) -> None:
    """It ends within a second: a sent write as ambiguous, a read or an unsent write as cancelled."""
    runtime = Cancellable()
    with Raw(talk or silent, reads=talk is not None) as server:
        client = client_of(server.url.replace("http:", f"{scheme}:"), runtime, requestTimeoutSeconds=60)
        request = Later(failure, client, operation, body)
        assert (server.requested if talk else server.reached).wait(30)
        with within(1):
            runtime.cancelled.set()
            caught = request.result(5)
    assert type(caught) is raised


def test_response_right_after_a_cancel_is_used() -> None:
    """A create that succeeds just after the cancellation returns its id, so that no search is necessary."""
    runtime = Cancellable()
    text = b'{"status":200,"result":{"id":"k"}}'

    def talk(connection: socket.socket, over: threading.Event) -> None:
        runtime.cancelled.set()
        over.wait(0.1)
        connection.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(text) + text)

    with Raw(talk) as server:
        client = client_of(server.url, runtime, requestTimeoutSeconds=60)
        assert client.call(OPERATIONS["create_key"], {}) == {"id": "k"}


def test_cancel_ends_a_wait_for_another_thread() -> None:
    """An operation that waits for a list of another thread ends within a second, too."""
    runtime = Cancellable()
    waiting = Later(_outcome_of_wait, runtime)
    time.sleep(0.1)
    with within(1):
        runtime.cancelled.set()
        assert waiting.result(5) is CancelledByTestError


def _outcome_of_wait(runtime: Runtime) -> type[Exception] | None:
    try:
        runtime.wait(threading.Event(), "waiting")
    except CloudDBError as error:
        return type(error)
    return None


def test_cancel_ends_a_request_of_the_plugin(processes: FrontEnds) -> None:
    """The plugin's Cancel ends a request whose response is slow."""
    with Raw(SLOW["a slow body"]) as server:
        plugin = processes.only_native(
            {
                "clouddb:stackUrl": server.url,
                "clouddb:stackToken": "stack-token",
                "clouddb:requestTimeoutSeconds": "60",
            }
        )
        reading = Later(plugin.invoke, "listDashboards", {})
        assert server.requested.wait(10)
        with within(1.5):
            plugin.cancel()
            with pytest.raises(HostError, match="the operation was cancelled"):
                reading.result(5)


# -- sent and unsent requests -----------------------------------------------------------------------------------------


def test_retried_write_is_never_reported_as_unsent(clock: FakeClock) -> None:
    """The first attempt's response was lost and the second cannot connect: the first may have been carried out."""
    with Raw(sends()) as server:

        def sleep(seconds: float) -> None:
            clock.sleep(seconds)
            server.__exit__()

        client = client_of(server.url, Runtime(sleep), requestTimeoutSeconds=5, retryTimeoutSeconds=3)
        caught = failure(client, "update_dashboard", {"name": "n"})
    assert clock.slept, "the request was not retried"
    assert type(caught) is ResponseLostError
    assert "Nothing was sent" not in str(caught)


@pytest.mark.parametrize("value", [float("inf"), float("nan"), "\ud800"], ids=repr)
def test_body_that_is_not_json_is_not_sent(value: Any) -> None:
    """The error is of the public tree and names the kinds of value to look for."""
    with Raw(silent) as server:
        caught = failure(client_of(server.url), "create_alert", {"threshold": value})
        assert server.received == []
    assert type(caught) is ResourceError
    advice = "Look for a number that is infinite or not a number, and for text that is not Unicode."
    assert str(caught).split("\n")[1:] == [advice]


def test_transport_without_a_stream_is_supported() -> None:
    """The simulation uses such a transport."""

    def respond(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, json={"status": 200, "result": [{"id": request.method}]})

    client = Client(config_of(baseUrl="https://api.example.com"), transport=httpx.MockTransport(respond))
    assert client.call(OPERATIONS["list_keys"]) == [{"id": "GET"}]
