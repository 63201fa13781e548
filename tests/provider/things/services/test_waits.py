"""The reads of waits for services: one list for all waits, no earlier than a change is possible."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.sandbox.settings import Latency
from pulumi_clouddb.schema.values import WireValues
from pulumi_clouddb.things.services.api import Services
from pulumi_clouddb.things.services.service import Service
from support.clock import FakeClock
from support.sessions import ProviderProcess, config_for

SERVICE = {"name": "orders", "provider": "aws", "region": "us-east-1", "ipAccessList": [{"source": "10.0.0.0/8"}]}
POLL, TAKES = 5.0, 12.0


@pytest.fixture
def slow_sandbox() -> Iterator[Sandbox]:
    """Yield a sandbox with slow services."""
    with Sandbox(vocabulary="neutral", latency=Latency(provision=TAKES, stop=TAKES, delete=TAKES)) as sandbox:
        yield sandbox


@pytest.fixture
def process(slow_sandbox: Sandbox, clock: FakeClock, tmp_path: Path) -> ProviderProcess:
    """Return a session whose sleeps advance the clocks of both sides."""

    def sleep(seconds: float) -> None:
        clock.sleep(seconds)
        slow_sandbox.advance(seconds)

    return ProviderProcess(config_for(slow_sandbox, pollIntervalSeconds=POLL), tmp_path, sleep=sleep)


def reads(sandbox: Sandbox) -> list[str | None]:
    """Return the operations of all reads since the last call."""
    operations = [each.operation for each in sandbox.requests if each.method == "GET"]
    sandbox.forget_requests()
    return operations


def test_ready_service_is_noticed_within_one_and_a_half_intervals(
    process: ProviderProcess, slow_sandbox: Sandbox
) -> None:
    """Later waits start to read when the previous one had not ended; each list also serves the next create."""
    for number, lists in enumerate([3, 1, 1]):
        began = time.monotonic()
        process.create("Service", {**SERVICE, "name": f"orders {number}"})
        assert TAKES <= time.monotonic() - began <= TAKES + 1.5 * POLL
        assert reads(slow_sandbox) == ["list_services"] * lists


def test_largest_timeout_waits_forever(process: ProviderProcess) -> None:
    """An error after the request would keep the service out of state."""
    _, state = process.create("Service", {**SERVICE, "waitTimeoutMinutes": sys.float_info.max})
    assert state["state"] == "running"


def test_two_lists_without_a_service_mean_deleted(process: ProviderProcess, slow_sandbox: Sandbox) -> None:
    """No single read is sent; later deletes start to read when the previous one had not ended, and are not slower."""
    services = [process.create("Service", {**SERVICE, "name": f"orders {number}"}) for number in range(3)]
    reads(slow_sandbox)
    for (object_id, state), lists in zip(services, [5, 3, 3], strict=True):
        began = time.monotonic()
        process.delete("Service", object_id, state)
        assert time.monotonic() - began <= 2 * (TAKES + 1.5 * POLL) + 1.5 * POLL
        assert reads(slow_sandbox) == ["list_services"] * lists
    assert slow_sandbox.services == {}


def test_one_list_without_a_service_does_not_mean_deleted(
    process: ProviderProcess, slow_sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A replica of the server may lag behind: a service that every second list lacks still exists."""
    object_id, state = process.create("Service", SERVICE)
    original, calls = Services.list, count()
    monkeypatch.setattr(Services, "list", lambda services: original(services) if next(calls) % 2 == 0 else {})
    process.delete("Service", object_id, state)
    assert [each.operation for each in slow_sandbox.requests if each.method == "DELETE"] == ["delete_service"]
    assert slow_sandbox.services == {}


@pytest.mark.parametrize("stopped", [False, True], ids=["running", "stopped"])
def test_service_without_a_state_is_stopped_after_a_rejected_delete(
    process: ProviderProcess, slow_sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, stopped: bool
) -> None:
    """If responses have no state, only a 409 shows that the service runs."""
    parsed = Services.parsed

    def without_state(services: Services, record: WireValues) -> Service:
        return parsed(services, {name: value for name, value in record.items() if name != "state"})

    monkeypatch.setattr(Services, "parsed", without_state)
    object_id, state = process.create("Service", SERVICE)
    slow_sandbox.advance(TAKES)
    if stopped:
        slow_sandbox.change("services", object_id, state="stopped")
    slow_sandbox.forget_requests()
    process.delete("Service", object_id, state)
    writes = [(each.operation, each.status) for each in slow_sandbox.requests if each.method != "GET"]
    rejected = ("delete_service", 409)
    stop = [rejected, ("command_service", 200), rejected, rejected]
    assert writes == [*([] if stopped else stop), ("delete_service", 200)]


def test_service_in_unknown_states_is_deleted(
    process: ProviderProcess, slow_sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server may rename its states, and refuse to stop what it calls otherwise: then the deletion tells."""
    parsed = Services.parsed
    monkeypatch.setattr(
        Services, "parsed", lambda services, record: parsed(services, {**record, "state": f"new {record.get('state')}"})
    )
    (running, one), (stopped, other) = (
        process.create("Service", {**SERVICE, "name": name}) for name in ("orders", "archive")
    )
    slow_sandbox.advance(TAKES)
    slow_sandbox.change("services", stopped, state="stopped")
    began = time.monotonic()
    process.delete("Service", running, one)
    process.delete("Service", stopped, other)
    assert time.monotonic() - began <= 4 * (TAKES + POLL)
    assert slow_sandbox.services == {}
