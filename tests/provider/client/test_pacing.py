"""Requests stay within the published limits across threads, and list requests are shared."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.client import rate_limiter
from pulumi_clouddb.client.client import Client
from pulumi_clouddb.client.collection import Api, Collection
from pulumi_clouddb.client.errors import ApiError, CancelledError, InvalidResponseError, ServerError
from pulumi_clouddb.client.operation import ServerKind
from pulumi_clouddb.client.rate_limiter import LIMITS, LimitedError, RateLimiter
from pulumi_clouddb.client.responses import read_whole
from pulumi_clouddb.client.runtime import Runtime
from pulumi_clouddb.engine.wire.cancellation import Cancellation
from pulumi_clouddb.registry import OPERATIONS
from pulumi_clouddb.things.api_keys.api import Keys
from pulumi_clouddb.things.dashboards.api import Dashboards
from pulumi_clouddb.things.services.api import Services
from support.clock import FakeClock
from support.scripted import Response, Scripted, error, ok
from support.sessions import ProviderProcess, config_for, config_of

REQUESTS, SECONDS, MARGIN = 5, 0.4, 1.0
"""A limit that tests reach quickly; the margin is wide, as threads on a busy machine are late."""


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set limits that are reached quickly."""
    monkeypatch.setattr(rate_limiter, "MARGIN_SECONDS", MARGIN)
    for server_kind in ServerKind:
        monkeypatch.setitem(LIMITS, server_kind, (REQUESTS, SECONDS))


def at_once(count: int, do: Callable[[int], Any]) -> list[Any]:
    """Run a function in this many threads that start together."""
    start = threading.Barrier(count)

    def run(number: int) -> Any:
        start.wait()
        return do(number)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count)))


def test_limits_match_the_published_ones() -> None:
    """10 requests in 10 seconds for the management API, 100 in a minute for a self-hosted server."""
    assert LIMITS == {ServerKind.MANAGEMENT: (10, 10.0), ServerKind.SELF_HOSTED: (100, 60.0)}
    assert rate_limiter.MARGIN_SECONDS > 0


@pytest.mark.parametrize(
    "server_kind", [ServerKind.MANAGEMENT, pytest.param(ServerKind.SELF_HOSTED, marks=pytest.mark.slow)]
)
@pytest.mark.usefixtures("small")
def test_no_window_exceeds_the_limit(server_kind: ServerKind) -> None:
    """The limit holds for every window and any number of threads, and is used fully."""
    limiter = RateLimiter(server_kind, enabled=True)
    times: list[float] = []

    def ask(_: int) -> None:
        for _ in range(2):
            turn = limiter.acquire()
            times.append(time.monotonic())
            limiter.answered(turn, None, served=True)

    at_once(8, ask)
    times.sort()
    assert len(times) == 16
    assert min(late - early for early, late in zip(times, times[REQUESTS:], strict=False)) >= SECONDS
    # The first requests are sent together.
    assert times[REQUESTS - 1] - times[0] < SECONDS + MARGIN
    assert times[-1] - times[0] < 3 * (SECONDS + MARGIN) + 1


@pytest.mark.usefixtures("small")
def test_requests_of_a_client_keep_the_limit() -> None:
    """The server receives no more, whatever the operations."""
    names = ["get_service", "get_key", "update_key", "create_alert"]
    with Scripted(ok()) as server:
        client = Client(config_of(baseUrl=server.url, pacing=True))
        at_once(12, lambda number: client.call(OPERATIONS[names[number % 4]], service_id="s", key_id="k"))
        times = sorted(received.at for received in server.received)
    assert min(late - early for early, late in zip(times, times[REQUESTS:], strict=False)) >= SECONDS
    assert server.count == 12


@pytest.mark.usefixtures("small")
def test_each_server_kind_has_its_own_limit(clock: FakeClock) -> None:
    """A used-up limit of the management API does not delay requests to the self-hosted server."""
    with Scripted(Response(200, {"status": 200, "result": [], "data": []})) as server:
        client = Client(config_of(baseUrl=server.url, stackUrl=server.url, pacing=True), runtime=Runtime(clock.sleep))
        for _ in range(REQUESTS):
            client.call(OPERATIONS["list_keys"])
        before = len(clock.slept)
        client.call(OPERATIONS["self_hosted_list_alerts"])
        assert clock.slept[before:] == []
        client.call(OPERATIONS["list_keys"])
        assert sum(clock.slept[before:]) > 0


@pytest.mark.usefixtures("small")
def test_pacing_can_be_turned_off(clock: FakeClock) -> None:
    """With `clouddb:pacing=false`, requests are sent without delay."""
    with Scripted(ok([])) as server:
        client = Client(config_of(baseUrl=server.url, pacing=False), runtime=Runtime(clock.sleep))
        for _ in range(4 * REQUESTS):
            client.call(OPERATIONS["list_keys"])
    assert (server.count, clock.slept) == (4 * REQUESTS, [])


def test_429_delays_all_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """The wait begins when the headers arrive, before the body is read."""
    monkeypatch.setattr("pulumi_clouddb.client.retries.SPREAD.uniform", lambda *bounds: bounds[0])
    with Scripted(error(429, X_RateLimit_Reset="0.6"), ok([])) as server:
        client = Client(config_of(baseUrl=server.url))
        blocked = threading.Event()
        close = RateLimiter.block_for

        def closing(limiter: RateLimiter, seconds: float) -> None:
            close(limiter, seconds)
            blocked.set()

        def reading(response: httpx.Response) -> httpx.Response:
            assert blocked.is_set()
            return read_whole(response)

        monkeypatch.setattr(RateLimiter, "block_for", closing)
        monkeypatch.setattr("pulumi_clouddb.client.sender.read_whole", reading)
        first = threading.Thread(target=client.call, args=[OPERATIONS["list_keys"]])
        first.start()
        assert blocked.wait(5)
        at_once(6, lambda _: client.call(OPERATIONS["list_services"]))
        first.join()
        refused, *later = [received.at for received in server.received]
    assert len(later) == 7
    assert min(later) - refused >= 0.6


def test_429_delays_requests_that_wait_for_a_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """A request that gets its turn within the blocked time is sent after it."""
    monkeypatch.setattr(rate_limiter, "MARGIN_SECONDS", 0.0)
    monkeypatch.setitem(LIMITS, ServerKind.MANAGEMENT, (1, 0.3))
    limiter = RateLimiter(ServerKind.MANAGEMENT, enabled=True)
    limiter.acquire()
    started = time.monotonic()
    waiting = threading.Thread(target=limiter.acquire)
    waiting.start()
    time.sleep(0.1)
    limiter.block_for(0.7)
    waiting.join()
    assert time.monotonic() - started >= 0.75


def test_shorter_block_does_not_end_a_longer_one(clock: FakeClock) -> None:
    """The longest time of all responses counts."""
    limiter = RateLimiter(ServerKind.MANAGEMENT, enabled=False, runtime=Runtime(clock.sleep))
    limiter.block_for(9)
    limiter.block_for(2)
    limiter.acquire()
    assert clock.total == pytest.approx(9, abs=0.5)


def test_limit_that_is_reached_again_ends_a_wait(clock: FakeClock) -> None:
    """Another request of the key is refused during the first wait: both waits together are too long."""
    refusals = iter([60])

    def sleep(seconds: float) -> None:
        clock.sleep(seconds)
        for each in refusals:
            limiter.block_for(each)

    limiter = RateLimiter(ServerKind.MANAGEMENT, enabled=False, runtime=Runtime(sleep))
    limiter.block_for(60)
    with pytest.raises(LimitedError):
        limiter.acquire(retry_seconds=100)
    assert clock.total == pytest.approx(60, abs=1)


# -- shared lists ----------------------------------------------------------------------------------------------------


def api_of(server: Scripted, **config: Any) -> Api:
    """Return the collections of a server."""
    return Api(Client(config_of(baseUrl=server.url, stackUrl=server.url, **config)))


def ids(collection: Collection[Any], **how: Any) -> list[str]:
    """Return the ids in the shared list of a collection."""
    return list(collection.records(**how) or ())


@pytest.mark.parametrize("max_age", [0.0, 60.0])
def test_concurrent_list_requests_are_shared(max_age: float) -> None:
    """Twenty threads get the result of one request, even if they accept no older list."""
    with Scripted(Response(200, {"status": 200, "result": [{"id": "a"}]}, wait=0.5)) as server:
        services = api_of(server).of(Services)
        results = at_once(20, lambda _: ids(services, max_age=max_age))
        assert server.count == 1
    assert results == [["a"]] * 20


def test_list_is_cached_up_to_the_requested_age(clock: FakeClock) -> None:
    """The caller decides how old a list may be."""
    with Scripted(ok([])) as server:
        services = api_of(server).of(Services)
        for _ in range(3):
            ids(services, max_age=60)
        assert server.count == 1
        clock.sleep(59)
        ids(services, max_age=60)
        assert server.count == 1
        ids(services, max_age=30)
        assert server.count == 2
        clock.sleep(61)
        ids(services, max_age=60)
        assert server.count == 3


def test_collections_are_kept_apart() -> None:
    """Each operation, and each service, has its own list."""
    with Scripted(Response(200, {"status": 200, "result": [], "data": []})) as server:
        api = api_of(server)
        for _ in range(2):
            for collection in (api.of(Services), api.of(Dashboards, "a"), api.of(Dashboards, "b"), api.of(Dashboards)):
                ids(collection, max_age=60)
        assert server.count == 4


def test_write_invalidates_the_list() -> None:
    """The next caller requests the list again; lists of other collections stay."""
    with Scripted(ok([])) as server:
        api = api_of(server)
        services, keys = api.of(Services), api.of(Keys)
        ids(services, max_age=60)
        ids(keys, max_age=60)
        services.invalidate()
        ids(services, max_age=60)
        ids(keys, max_age=60)
        assert server.count == 3


def test_stale_list_contains_objects_of_this_process() -> None:
    """Many creates share one list of existing objects; other callers request a new list after a create."""
    new = {"service": {"id": "new"}}
    with Scripted(ok([{"id": "old"}]), ok(new), ok([{"id": "old"}, {"id": "new"}])) as server:
        services = api_of(server).of(Services)
        ids(services, max_age=60)
        services.create({"name": "orders"}, "a service")
        stale = services.records(max_age=60, allow_stale=True) or {}
        assert [(each, services.name_of(record)) for each, record in stale.items()] == [
            ("old", None),
            ("new", "orders"),
        ]
        assert server.count == 2
        assert ids(services, max_age=60) == ["old", "new"]
        assert server.count == 3


def test_new_list_parses_only_the_records_that_changed() -> None:
    """Polls request the same list repeatedly, and a stack may have a thousand objects."""
    with Scripted(ok([{"id": "a"}, {"id": "b"}]), ok([{"id": "b", "name": "new"}, {"id": "a"}])) as server:
        services = api_of(server).of(Services)
        first, second = (services.records(max_age=0.0) or {} for _ in range(2))
        assert second["a"] is first["a"]
        assert (services.name_of(first["b"]), services.name_of(second["b"])) == (None, "new")


def test_list_requested_before_a_write_is_not_kept() -> None:
    """A caller after the write gets a new list, also if the old response arrives later."""
    with Scripted(Response(200, {"status": 200, "result": []}, wait=0.3), ok([{"id": "new"}])) as server:
        services = api_of(server).of(Services)
        early: list[Any] = []
        thread = threading.Thread(target=lambda: early.extend(ids(services, max_age=60)))
        thread.start()
        while server.count == 0:
            time.sleep(0.01)
        services.invalidate()
        assert ids(services, max_age=60) == ["new"]
        thread.join()
        assert ids(services, max_age=60) == ["new"]
        assert (early, server.count) == ([], 2)


def test_failure_is_shared_but_not_kept() -> None:
    """All waiting callers raise; the next caller requests the list again."""
    with Scripted(Response(500, {"status": 500, "error": "oops"}, wait=0.2), ok([{"id": "a"}])) as server:
        services = api_of(server).of(Services)

        def ask(_: int) -> type[Exception] | None:
            try:
                ids(services, max_age=60)
            except ApiError as caught:
                return type(caught)
            return None

        assert at_once(8, ask) == [ServerError] * 8
        assert server.count == 1
        assert ids(services, max_age=60) == ["a"]


def test_malformed_list_is_not_kept() -> None:
    """An object in place of a list is an error, and so is a list with a record without an id."""
    with Scripted(ok({"id": "a"}), ok([{"id": "a"}, {"name": "b"}]), ok([{"id": "a"}])) as server:
        services = api_of(server).of(Services)
        for _ in range(2):
            with pytest.raises(InvalidResponseError):
                ids(services, max_age=60)
        assert ids(services, max_age=60) == ["a"]


def test_refresh_requests_one_list_until_a_write(tmp_path: Path) -> None:
    """Reading twenty services sends one request, and again one after an update."""
    with Sandbox(vocabulary="neutral") as sandbox:
        names = {f"orders {number}" for number in range(20)}
        ids = {name: sandbox.add("services", name=name)["id"] for name in names}
        process = ProviderProcess(config_for(sandbox), tmp_path)
        states = {name: {"name": name, "__managed": ["name"]} for name in names}
        sandbox.forget_requests()
        for name, state in states.items():
            states[name] = process.read("Service", ids[name], state).state
        assert [each.operation for each in sandbox.requests] == ["list_services"]
        process.update("Service", ids["orders 1"], states["orders 1"], {"name": "other"})
        sandbox.forget_requests()
        for name in names:
            process.read("Service", ids[name], states[name])
        assert [each.operation for each in sandbox.requests] == ["list_services"]
        assert process.read("Service", ids["orders 1"], states["orders 1"]).inputs == {"name": "other"}


@pytest.mark.parametrize("kind", ["dashboards", "alerts"])
def test_refresh_of_self_hosted_objects_requests_one_list(kind: str, tmp_path: Path) -> None:
    """Reading fifty dashboards, or alerts, sends one request."""
    with Sandbox(vocabulary="neutral") as sandbox:
        resource = {"dashboards": "Dashboard", "alerts": "Alert"}[kind]
        fields: dict[str, Any] = {"name": "n", "tiles": []} if kind == "dashboards" else {"name": "n", "dashboard": "d"}
        ids = [sandbox.add(kind, **fields)["id"] for _ in range(50)]
        process = ProviderProcess(config_for(sandbox), tmp_path)
        sandbox.forget_requests()
        for made in ids:
            process.read(resource, made, {**fields, "__managed": ["name"]})
        assert [each.operation for each in sandbox.requests] == [f"self_hosted_list_{kind}"]


def test_cancelled_list_request_is_repeated_by_its_waiters() -> None:
    """Two operations share a list, and the sender's operation times out: the other one requests it and succeeds."""
    with Scripted(Response(200, {"status": 200, "result": []}, wait=1.0), ok([{"id": "one"}])) as server:
        waits = Cancellation()
        services = Api(Client(config_of(baseUrl=server.url), runtime=waits)).of(Services)

        def read(timeout: float) -> Any:
            with waits.operation(timeout):
                return ids(services, max_age=60)

        with ThreadPoolExecutor(2) as threads:
            first = threads.submit(read, 0.3)
            while not server.count:
                time.sleep(0.01)
            second = threads.submit(read, 0.0)
            with pytest.raises(CancelledError, match="Run again to continue"):
                first.result()
            assert second.result() == ["one"]
