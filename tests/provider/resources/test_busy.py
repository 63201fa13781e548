"""A server refuses writes while it works on an object: they are retried within the time of a wait."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clouddb_tools.sandbox import Sandbox
from lives.life import fill
from lives.table import WIRE_LIVES
from lives.wire import WireLife
from pulumi_clouddb.client.errors import ApiError, ConflictError
from pulumi_clouddb.registry import OPERATIONS, RESOURCES
from pulumi_clouddb.resource.busy import GRACE_SECONDS, ONLY_LOCKS
from pulumi_clouddb.schema.convert import construct
from support.clock import FakeClock
from support.sessions import ProviderProcess, config_for

SERVICE = {"name": "Orders", "provider": "aws", "region": "us-east-1"}
BUSY = "another operation is in progress"
ONCE = {"publish_user_defined_function"}
"""These create a version, and each attempt would need another upload of the code."""


@pytest.fixture(scope="module")
def sandboxes() -> Iterator[dict[str, Sandbox]]:
    """Run one sandbox of each dialect."""
    with Sandbox(vocabulary="neutral") as neutral, Sandbox(vocabulary="clickhouse") as vendor:
        yield {"neutral": neutral, "clickhouse": vendor}


def process_of(sandbox: Sandbox, folder: Path, clock: FakeClock, **config: Any) -> ProviderProcess:
    """Return a session whose waits take no time."""
    sandbox.reset()
    sandbox.clear_faults()
    return ProviderProcess(config_for(sandbox, **config), folder, sleep=clock.sleep)


def statuses_of(process: ProviderProcess, life: WireLife) -> set[int]:
    """Return the status codes after which a resource retries a write."""
    handler = RESOURCES[life.life.name]
    wanted = construct(handler.type.inputs, {"serviceId": "s", "pipeId": "p", "functionName": "f"})
    return {409, 423, 424, 425} - {*handler.busy_retry(process, "", wanted).final}


@pytest.mark.parametrize("life", WIRE_LIVES, ids=str)
def test_writes_of_an_update_are_retried(
    life: WireLife, sandboxes: dict[str, Sandbox], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every resource retries; the status codes depend on whether a server works on such objects at all."""
    sandbox, clock = sandboxes[life.life.server.get("vocabulary", "neutral")], FakeClock(monkeypatch)
    process = process_of(sandbox, tmp_path, clock)
    repeats = statuses_of(process, life)
    assert {423, 425} <= repeats

    def played(*faults: tuple[str, int]) -> list[str]:
        """Return the writes of the update."""
        sandbox.reset()
        sandbox.clear_faults()
        process.api.lists.clear()
        names = life.life.setting(sandbox)
        object_id, state = process.create(life.life.name, fill(life.before, names))
        since = len(sandbox.requests)
        for operation, status in faults:
            sandbox.fault(operation, "status", status=status, text=BUSY, times=2)
        process.update(life.life.name, object_id, state, fill(life.after, names))
        return [
            str(each.operation) for each in sandbox.requests[since:] if each.operation and each.method not in ("GET",)
        ]

    writes = [each for each in dict.fromkeys(played()) if each not in ONCE and OPERATIONS[each].writes]
    for status in sorted(repeats):
        sent = played(*((operation, status) for operation in writes))
        assert [sent.count(each) >= 3 for each in writes] == [True] * len(writes), (status, sent)


@pytest.mark.parametrize("status", sorted(ONLY_LOCKS))
def test_permanent_refusal_is_not_retried_for_long(
    status: int, sandboxes: dict[str, Sandbox], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A service without visible work may still be scaling, so it is retried shortly; a key is not retried at all."""
    clock = FakeClock(monkeypatch)
    process = process_of(sandboxes["neutral"], tmp_path, clock)
    for resource, inputs, operation in (
        ("Service", SERVICE, "update_service"),
        ("ApiKey", {"name": "ci", "roles": ["developer"]}, "update_key"),
    ):
        object_id, state = process.create(resource, inputs)
        sandboxes["neutral"].fault(operation, "status", status=status, text="no", times=1000)
        began, slept = time.monotonic(), clock.total
        with pytest.raises(ApiError, match=f"{status} .*no") as refused:
            process.update(resource, object_id, state, {**inputs, "name": "other"})
        waited = clock.total - slept
        if resource == "Service":  # on a busy machine, requests take a part of the time
            assert waited < GRACE_SECONDS + 35
            assert time.monotonic() - began >= GRACE_SECONDS
        else:
            assert waited == 0
        assert str(refused.value).partition("\n")[2] != ""


@pytest.mark.parametrize("status", [409, 423, 424, 425])
def test_write_is_retried_while_the_object_shows_work(
    status: int, sandboxes: dict[str, Sandbox], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Retries end with the time of the wait; the progress contains the server's message."""
    sandbox, clock = sandboxes["neutral"], FakeClock(monkeypatch)
    process = process_of(sandbox, tmp_path, clock)
    messages: list[str] = []
    monkeypatch.setattr(process.runtime, "progress", messages.append)
    object_id, state = process.create("Service", {**SERVICE, "numReplicas": 2})
    sandbox.change("services", object_id, state="stopping")
    sandbox.fault("scale_service", "status", status=status, text=BUSY, times=1000)
    began, slept = time.monotonic(), clock.total
    with pytest.raises(ApiError, match="another operation is in progress"):
        process.update("Service", object_id, state, {**SERVICE, "numReplicas": 3, "waitTimeoutMinutes": 10})
    assert time.monotonic() - began >= 600
    assert clock.total - slept < 640
    assert any("the server works on it (" in text and BUSY in text for text in messages)


def test_create_is_not_retried(sandboxes: dict[str, Sandbox], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its name may be taken, and existing objects are listed before each create."""
    sandbox = sandboxes["neutral"]
    process = process_of(sandbox, tmp_path, FakeClock(monkeypatch))
    sandbox.fault("create_service", "status", status=409, text=BUSY, times=5)
    with pytest.raises(ConflictError):
        process.create("Service", SERVICE)
    assert sandbox.count("create_service") == 1


def test_pipe_waits_until_all_servers_report_that_the_service_runs(
    sandboxes: dict[str, Sandbox], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The service is started once; the request is refused twice more, and then succeeds."""
    sandbox, clock = sandboxes["clickhouse"], FakeClock(monkeypatch)
    life = next(each for each in WIRE_LIVES if each.name == "pipe of a stream")
    process = process_of(sandbox, tmp_path, clock)
    names = life.life.setting(sandbox)
    object_id, state = process.create("Pipe", fill(life.before, names))
    sandbox.change("services", names["service_id"], state="idle")
    sandbox.fault("update_pipe", "status", status=424, text="FAILED_DEPENDENCY: Current state: idle", times=3)
    process.update("Pipe", object_id, state, fill(life.after, names))
    assert (sandbox.count("command_service"), sandbox.count("update_pipe") >= 4) == (1, True)
