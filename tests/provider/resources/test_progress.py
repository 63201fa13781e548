"""Long operations report progress on their resource: the state, the elapsed time, and the usual time."""

from __future__ import annotations

import re
from typing import Any

import pytest

from clouddb_tools.sandbox import Latency, Sandbox
from pulumi_clouddb.engine.wire.cancellation import Cancellation
from support.front_ends import FrontEnds
from support.grpc_driver import GrpcDriver

SERVICE = {"name": "orders", "provider": "aws", "region": "us-east-1"}


def messages_of(driver: GrpcDriver, sandbox: Sandbox, **config: str) -> list[tuple[str, str]]:
    """Return the progress messages while a service is created that takes some seconds, and then another one."""
    driver.configure({**sandbox.config, "clouddb:pollIntervalSeconds": "0.2", **config})
    driver.engine.shown.clear()
    for name in ("orders", "clicks"):
        driver.create("Service", {**SERVICE, "name": name}, urn=f"urn:pulumi:dev::tests::clouddb:index:Service::{name}")
    return list(driver.engine.shown)


@pytest.mark.slow
def test_wait_reports_its_progress(processes: FrontEnds) -> None:
    """The resource has at most one message a second; for the second service it has the time that the first one took."""

    def act(driver: GrpcDriver) -> list[tuple[str, str]]:
        with Sandbox(vocabulary="neutral", latency=Latency(provision=2.2)) as sandbox:
            return messages_of(driver, sandbox)

    for messages in processes.both(act):
        assert {urn.rpartition("::")[2] for urn, _ in messages} <= {"orders", "clicks"}
        assert all(urn.startswith("urn:pulumi:") for urn, _ in messages)
        assert messages[-1][1] == "", "the last message is cleared"
        texts = [text for _, text in messages if text]
        assert texts[0] == "waiting until it is running: provisioning for 0 s (at most 60 min)"
        assert re.fullmatch(r"waiting until it is running: provisioning for [1-9]\d* s \(at most 60 min\)", texts[1])
        assert any(re.search(r"\(usually [2-9]\d* s\)$", text) for text in texts), texts
        assert 4 <= len(texts) <= 20, "at most once a second, whatever the poll interval"


def test_wait_reports_failed_requests(processes: FrontEnds) -> None:
    """One example is a network with a login page: the wait continues, and the user can log in."""

    def act(driver: GrpcDriver) -> list[tuple[str, str]]:
        with Sandbox(vocabulary="neutral", latency=Latency(provision=0.5)) as sandbox:
            driver.configure({**sandbox.config, "clouddb:pollIntervalSeconds": "0.2"})
            driver.engine.shown.clear()
            sandbox.fault("list_services", "status", status=200, form="html", after=1, times=8)
            driver.create("Service", SERVICE, urn="urn:pulumi:dev::tests::clouddb:index:Service::orders")
            return list(driver.engine.shown)

    for messages in processes.both(act):
        assert any(
            "(at most 60 min); the last request failed: could not list the services" in text for _, text in messages
        ), messages


def test_wait_for_the_rate_limit_is_reported(processes: FrontEnds) -> None:
    """Otherwise the pause would look like a hang."""

    def act(driver: GrpcDriver) -> list[tuple[str, str]]:
        with Sandbox(vocabulary="neutral") as sandbox:
            sandbox.fault("create_service", "rate_limit", reset=1)
            return messages_of(driver, sandbox)

    for messages in processes.both(act):
        assert any("the server reported that its request limit is reached" in text for _, text in messages), messages


@pytest.mark.parametrize(
    ("urn", "expected"), [("urn:a", ["first", "third", "fourth", ""]), ("", [])], ids=["a resource", "no URN"]
)
def test_progress_is_limited_and_cleared_at_the_end(
    monkeypatch: pytest.MonkeyPatch, urn: str, expected: list[str]
) -> None:
    """It has one message a second, fewer later; an operation without a resource reports nothing."""
    now = [100.0]
    monkeypatch.setattr("pulumi_clouddb.engine.wire.cancellation.time.monotonic", lambda: now[0])
    messages: list[Any] = []
    waits = Cancellation(lambda _, message: messages.append(message))
    waits.progress("before any operation")
    with waits.operation(urn=urn):
        waits.progress("first")
        now[0] += 0.5
        waits.progress("second")
        now[0] += 0.5
        waits.progress("third")
        now[0] += 20
        waits.progress("fourth")
        now[0] += 2
        waits.progress("fifth, which is too soon after a long time")
    assert messages == expected
