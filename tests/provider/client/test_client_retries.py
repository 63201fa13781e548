"""Which requests are retried after which failure, how often, and with which delay."""

from __future__ import annotations

import random
import re
import socket
import threading
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest
from pydantic.alias_generators import to_snake

from pulumi_clouddb.client.client import Client
from pulumi_clouddb.client.errors import (
    ApiError,
    CancelledError,
    CloudDBError,
    ConnectError,
    RateLimitError,
    ResponseLostError,
    ServerError,
)
from pulumi_clouddb.client.list_cache import ListCache
from pulumi_clouddb.client.operation import Operation
from pulumi_clouddb.client.retries import CONNECT_RETRY_SECONDS
from pulumi_clouddb.client.runtime import Runtime
from pulumi_clouddb.registry import OPERATIONS
from pulumi_clouddb.schema.config import LIMIT_RETRY_SECONDS
from pulumi_clouddb.schema.vocabulary import VocabularyName
from support.clock import FakeClock
from support.scripted import LOST, Response, Scripted, error, ok, page
from support.sessions import config_of

BY_METHOD = {
    "GET": "get_key",
    "PUT": "update_dashboard",
    "DELETE": "delete_key",
    "POST": "create_key",
    "PATCH": "update_key",
}
SAFE = ("GET", "PUT", "DELETE")
TRANSIENT = {
    "502": page(502),
    "503": error(503),
    "504": Response(504),
    "a lost response": LOST,
}
FINAL = {
    "400": error(400),
    "401": error(401),
    "403": error(403),
    "404": error(404),
    "404 page": page(404),
    "405": error(405),
    "409": error(409),
    "500": error(500),
    "501": error(501),
    "a page": page(200),
    "broken JSON": Response(200, '{"resu', {"content-type": "application/json"}),
    "an empty body": Response(200),
}


def client_of(url: str, clock: FakeClock, **config: object) -> Client:
    """Return a client whose waits take no time."""
    return Client(config_of(baseUrl=url, stackUrl=url, **config), runtime=Runtime(clock.sleep))


def call(client: Client, operation: Operation) -> object:
    """Carry out an operation."""
    body: dict[str, object] | None = {} if operation.writes and operation.method != "DELETE" else None
    parts: dict[str, Any] = {
        to_snake(name): "x" for name in re.findall(r"\{(\w+)\}", operation.path) if name != "organizationId"
    }
    return client.call(operation, body, **parts)


def attempts(method: str, failure: Response, clock: FakeClock) -> int:
    """Return how often a request is sent to a server that fails twice and then succeeds."""
    with Scripted(failure, failure, ok()) as server:
        try:
            call(client_of(server.url, clock), OPERATIONS[BY_METHOD[method]])
        except ApiError:
            assert server.count == 1
        return server.count


@pytest.mark.parametrize("failure", TRANSIENT.values(), ids=TRANSIENT)
@pytest.mark.parametrize("method", BY_METHOD)
def test_ambiguous_failures_are_retried_only_for_safe_methods(method: str, failure: Response, clock: FakeClock) -> None:
    """GET, PUT and DELETE are retried; POST and PATCH are not, since they may have been carried out."""
    assert attempts(method, failure, clock) == (3 if method in SAFE else 1)


@pytest.mark.parametrize("method", BY_METHOD)
def test_every_method_is_retried_after_429(method: str, clock: FakeClock) -> None:
    """A server that responds 429 has not carried out the request."""
    assert attempts(method, error(429), clock) == 3


@pytest.mark.parametrize("failure", FINAL.values(), ids=FINAL)
def test_permanent_failures_are_not_retried(failure: Response, clock: FakeClock) -> None:
    """The error is raised at once, for each method."""
    assert {attempts(method, failure, clock) for method in BY_METHOD} == {1}
    assert clock.slept == []


def test_sent_posts_and_patches_are_never_retried(clock: FakeClock) -> None:
    """For each POST and PATCH operation, a lost response leads to one request only."""
    for operation in OPERATIONS.values():
        if operation.method in ("POST", "PATCH"):
            dialect = (operation.only or VocabularyName.NEUTRAL).value
            with Scripted(LOST) as server, pytest.raises(ResponseLostError):
                call(client_of(server.url, clock, vocabulary=dialect), operation)
            assert server.count == 1, operation


def free_port() -> int:
    """Return a port without a server."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.mark.parametrize("method", BY_METHOD)
def test_refused_connection_is_retried(method: str, clock: FakeClock) -> None:
    """Nothing was sent, so even a create is retried; it succeeds once a server listens."""
    port = free_port()
    with ExitStack() as stack:
        servers: list[Scripted] = []

        def sleep(seconds: float) -> None:
            clock.sleep(seconds)
            if len(clock.slept) == 3:
                servers.append(stack.enter_context(Scripted(ok(), port=port)))

        client = Client(config_of(baseUrl=f"http://127.0.0.1:{port}"), runtime=Runtime(sleep))
        call(client, OPERATIONS[BY_METHOD[method]])
        assert len(clock.slept) == 3
        assert servers[0].count == 1


@pytest.mark.parametrize("method", BY_METHOD)
def test_connection_retries_end_early(method: str, clock: FakeClock) -> None:
    """They end after half a minute, not after the whole time for retries."""
    with pytest.raises(ConnectError, match="Nothing was sent"):
        call(client_of(f"http://127.0.0.1:{free_port()}", clock), OPERATIONS[BY_METHOD[method]])
    assert 0.8 * CONNECT_RETRY_SECONDS <= clock.total <= 2 * CONNECT_RETRY_SECONDS


@pytest.mark.parametrize(("seconds", "most"), [(0, 1), (10, 6), (120, 14)])
def test_retry_timeout_limits_the_retries(seconds: int, most: int, clock: FakeClock) -> None:
    """`retryTimeoutSeconds` limits them; 0 disables them."""
    with Scripted(error(503)) as server, pytest.raises(ServerError) as caught:
        call(client_of(server.url, clock, retryTimeoutSeconds=seconds), OPERATIONS["get_key"])
    assert caught.value.status == 503
    assert 1 <= server.count <= most
    assert 0.8 * seconds <= clock.total <= seconds + 30  # the rest is real time


@pytest.mark.parametrize("ending", ["connection refused", "rate limit", "cancelled"])
@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_retried_write_is_reported_as_ambiguous(ending: str, method: str, clock: FakeClock) -> None:
    """Only the last attempt is known to have changed nothing; an earlier one may have been carried out."""
    last = {"connection refused": ConnectError, "rate limit": RateLimitError}.get(ending, CancelledError)
    with ExitStack() as stack:
        server = stack.enter_context(Scripted(LOST, error(429, Retry_After="3600")))

        def sleep(seconds: float) -> None:
            clock.sleep(seconds)
            if last is CancelledError:
                raise CancelledError("Ctrl-C")
            if last is ConnectError:
                stack.close()

        client = Client(config_of(baseUrl=server.url, stackUrl=server.url), runtime=Runtime(sleep))
        with pytest.raises(CloudDBError) as caught:
            call(client, OPERATIONS[BY_METHOD[method]])
    assert type(caught.value) is (last if method == "GET" else ResponseLostError)


LIMITED = {
    "a quarter of an hour by default": ({}, 60, 0.9 * LIMIT_RETRY_SECONDS, LIMIT_RETRY_SECONDS + 1),
    "the setting": ({"retryTimeoutSeconds": 300}, 60, 230, 301),
    "a setting above the default": ({"retryTimeoutSeconds": 3600}, 120, 3400, 3601),
    "no wait beyond the setting": ({"retryTimeoutSeconds": 30}, 60, 0, 0),
    "no retries": ({"retryTimeoutSeconds": 0}, 0, 0, 0),
}


@pytest.mark.parametrize("method", ["GET", "PATCH"])
@pytest.mark.parametrize(("config", "reset", "least", "most"), LIMITED.values(), ids=LIMITED)
def test_retry_timeout_limits_retries_after_429(
    config: dict[str, object], reset: int, least: float, most: float, method: str, clock: FakeClock
) -> None:
    """The default lasts long enough for dozens of stacks with one key."""
    with (
        Scripted(error(429, X_RateLimit_Reset=str(reset))) as server,
        pytest.raises(RateLimitError, match="separate key"),
    ):
        call(client_of(server.url, clock, **config), OPERATIONS[BY_METHOD[method]])
    assert least <= clock.total <= most


@pytest.mark.parametrize("once", [False, True])
@pytest.mark.parametrize(
    ("failure", "message"),
    [
        (error(429, Retry_After="240"), "waiting 240 s: the server reported that its request limit is reached"),
        (error(503, Retry_After="20"), "waiting 20 s: the last request failed (status 503)"),
    ],
    ids=["429", "503"],
)
def test_wait_is_reported(failure: Response, message: str, once: bool, clock: FakeClock) -> None:
    """The message is shown before the wait begins."""
    messages: list[tuple[str, int]] = []

    class Watched(Runtime):
        def progress(self, text: str) -> None:
            messages.append((text, len(clock.slept)))

    with Scripted(failure, ok([])) as server:
        client = Client(config_of(baseUrl=server.url), runtime=Watched(clock.sleep))
        with suppress(RateLimitError):
            client.call(OPERATIONS["list_keys"], once=once)
        client.call(OPERATIONS["list_keys"])
    assert messages[0] == (message, 0)


def test_wait_for_the_list_of_another_operation_is_reported() -> None:
    """Many resources share one list, and only one of them requests it."""
    messages: list[str] = []
    asked, over = threading.Event(), threading.Event()

    class Watched(Runtime):
        def progress(self, message: str) -> None:
            messages.append(message)
            over.set()

    def request() -> dict[str, object]:
        asked.set()
        over.wait(30)
        return {}

    cache = ListCache(Watched())
    key = (OPERATIONS["list_services"], None)
    threading.Thread(target=lambda: cache.list(key, request, max_age=9)).start()
    asked.wait(30)
    assert cache.list(key, request, max_age=9) == {}
    assert set(messages) == {"waiting for a request of another resource to list the services"}


def test_delays_grow_with_jitter(clock: FakeClock, monkeypatch: pytest.MonkeyPatch) -> None:
    """They double from 0.5 s up to 20 s, and each is extended by up to half; the program's random numbers stay."""
    before = random.getstate()
    with Scripted(*[error(503)] * 8, ok()) as server:
        call(client_of(server.url, clock), OPERATIONS["get_key"])
    bases = [0.5, 1, 2, 4, 8, 16, 20, 20]
    assert all(base <= slept <= 1.5 * base for base, slept in zip(bases, clock.slept, strict=True))
    assert random.getstate() == before
    monkeypatch.setattr("pulumi_clouddb.client.retries.SPREAD.uniform", lambda *bounds: bounds[1])
    with Scripted(error(503), ok()) as server:
        call(client_of(server.url, clock), OPERATIONS["get_key"])
    assert clock.slept[-1] == 0.75


HEADERS = [
    pytest.param({"X-RateLimit-Reset": "7"}, 7, id="X-RateLimit-Reset"),
    pytest.param({"X-RateLimit-Reset": "6.5"}, 6.5, id="with a fraction"),
    pytest.param({"RateLimit-Reset": "7"}, 7, id="RateLimit-Reset"),
    pytest.param({"Retry-After": "7"}, 7, id="Retry-After"),
    pytest.param({"Retry-After": "3", "X-RateLimit-Reset": "7"}, 7, id="X-RateLimit-Reset before Retry-After"),
    pytest.param({"Retry-After": "7", "X-RateLimit-Reset": "soon"}, 7, id="the next header after an invalid one"),
    pytest.param({"Retry-After": "7", "X-RateLimit-Reset": "-1"}, 7, id="the next header after a negative one"),
    pytest.param({"X-RateLimit-Reset": "0"}, 0, id="zero"),
    pytest.param({"Retry-After": "800"}, 800, id="minutes"),
    pytest.param({"X-RateLimit-Reset": "99999"}, 120, id="huge"),
    pytest.param({"X-RateLimit-Reset": "1500000000"}, 1, id="a past time in seconds since 1970"),
    pytest.param({"X-RateLimit-Reset": "4000000000"}, 120, id="a far future time in seconds since 1970"),
    pytest.param({"X-RateLimit-Reset": "4000000000000"}, 120, id="a time in milliseconds since 1970"),
    pytest.param({"X-RateLimit-Reset": "1e400"}, 120, id="infinite"),
    pytest.param({"X-RateLimit-Reset": "9" * 5000}, 120, id="thousands of digits"),
    pytest.param({"X-RateLimit-Reset": "1.2.3"}, 1, id="two points"),
    pytest.param({"X-RateLimit-Reset": "12:30:00"}, 1, id="a time without a date"),
    pytest.param({"X-RateLimit-Reset": "2099-10-21T07:28:00Z"}, 1, id="a time in ISO 8601"),
    pytest.param({}, 1, id="no header"),
    pytest.param({"X-RateLimit-Reset": "soon"}, 1, id="invalid"),
    pytest.param({"X-RateLimit-Reset": ""}, 1, id="empty"),
    pytest.param({"X-RateLimit-Reset": "-5"}, 1, id="negative"),
    pytest.param({"X-RateLimit-Reset": "nan"}, 1, id="not a number"),
    pytest.param({"Retry-After": "Wed, 21 Oct 2020 07:28:00 GMT"}, 1, id="a past date"),
    pytest.param({"Retry-After": "Wed, 21 Oct 2099 07:28:00 GMT"}, 120, id="a far future date"),
]


@pytest.mark.parametrize(("headers", "seconds"), HEADERS)
@pytest.mark.parametrize("operation", ["create_key", "self_hosted_list_alerts"])
def test_wait_after_429_follows_the_header(
    operation: str, headers: dict[str, str], seconds: float, clock: FakeClock
) -> None:
    """Waits are up to an hour; a longer one becomes two minutes, and without a valid header the retry is after 1 s."""
    with Scripted(Response(429, "slow", headers), Response(200, {"status": 200, "result": {}, "data": []})) as server:
        call(client_of(server.url, clock), OPERATIONS[operation])
    assert server.count == 2
    # The wait and the blocked time overlap by the real time that passed in between.
    assert seconds - 0.2 <= clock.total <= seconds + 0.6


@pytest.mark.parametrize(("once", "count"), [(False, 3), (True, 1)])
def test_once_raises_429_at_once(once: bool, count: int, clock: FakeClock) -> None:
    """With `once`, 429 is raised without a wait; the next request waits as long as the server requires."""
    with Scripted(error(429, Retry_After="30"), error(429, Retry_After="30"), ok({"id": "k"})) as server:
        client = client_of(server.url, clock)
        if not once:
            assert client.call(OPERATIONS["create_key"], {}) == {"id": "k"}
            assert server.count == count
            return
        with pytest.raises(RateLimitError) as caught:
            client.call(OPERATIONS["create_key"], {}, once=True)
        assert (server.count, clock.slept, caught.value.retry_after) == (count, [], 30)
        with pytest.raises(RateLimitError):
            client.call(OPERATIONS["create_key"], {}, once=True)
        assert clock.total == pytest.approx(30, abs=1)
        assert client.call(OPERATIONS["create_key"], {}, once=True) == {"id": "k"}


@pytest.mark.parametrize("failure", [LOST, error(503), page(502)], ids=["lost", "503", "502"])
@pytest.mark.parametrize("method", SAFE)
def test_once_applies_to_limits_and_writes(method: str, failure: Response, clock: FakeClock) -> None:
    """Reads are retried even with `once`; after a failed write of any method, the caller reads the object."""
    with Scripted(failure, ok()) as server:
        client = client_of(server.url, clock)
        with suppress(ApiError):
            client.call(
                OPERATIONS[BY_METHOD[method]], once=True, service_id="x", key_id="x", dashboard_id="x", alert_id="x"
            )
        assert server.count == (2 if method == "GET" else 1)


PAUSES = {
    "it fits": (900, 240, True),
    "it does not quite fit": (235, 240, False),
    "it does not fit": (100, 240, False),
    "no retries": (0, 5, False),
    "more than by default": (None, 1800, False),
}


@pytest.mark.parametrize("where", ["the same operation", "a later operation", "another process"])
@pytest.mark.parametrize(("seconds", "pause", "waits"), PAUSES.values(), ids=PAUSES)
def test_long_wait_is_kept_or_fails_every_operation(
    seconds: float | None, pause: int, waits: bool, where: str, clock: FakeClock, tmp_path: Path
) -> None:
    """One rule applies to the refused operation, to later ones, and to all processes that share the limit."""
    setting = {} if seconds is None else {"retryTimeoutSeconds": seconds}
    with Scripted(error(429, Retry_After=str(pause)), ok([])) as server:

        def client() -> Client:
            config = config_of(baseUrl=server.url, pacing=True, **setting)
            return Client(config, runtime=Runtime(clock.sleep), folder=tmp_path)

        def outcome(each: Client) -> str:
            try:
                each.call(OPERATIONS["list_keys"])
            except RateLimitError as limited:
                return str(limited)
            return ""

        first = client()
        if where == "the same operation":
            error_text = outcome(first)
        else:
            with pytest.raises(RateLimitError):  # `once` raises without a wait
                first.call(OPERATIONS["get_key"], key_id="x", once=True)
            error_text = outcome(first if where == "a later operation" else client())
        assert (error_text == "") is waits, error_text
        assert (server.count, clock.total >= 0.9 * pause) == ((2, True) if waits else (1, False))
        if not waits and pause >= 30:
            advice = error_text.partition("\n")[2]
            assert re.match(rf"Run again after \d\d:\d\d:\d\d UTC, in ({pause}|{pause - 1}) s, or set", advice), advice


def test_zero_remaining_requests_are_not_a_refusal(clock: FakeClock) -> None:
    """The next request waits for the next window even without retries, because nothing has failed."""
    none_left = Response(200, {"result": []}, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "50"})
    with Scripted(none_left, ok([])) as server:
        client = client_of(server.url, clock, retryTimeoutSeconds=0)
        for _ in range(2):
            client.call(OPERATIONS["list_keys"])
    assert clock.total >= 49
