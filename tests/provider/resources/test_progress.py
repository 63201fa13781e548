"""Long work shows itself on its resource: what is waited for, its state, for how long, and how long it usually is."""

from __future__ import annotations

import re
from typing import Any

import pytest

from clouddb_tools.sandbox import Latency, Sandbox
from pulumi_clouddb.engine.wire.cancellation import Cancellation
from support.front_ends import FrontEnds
from support.grpc_driver import GrpcDriver

SERVICE = {"name": "orders", "provider": "aws", "region": "us-east-1"}


def shown_by(driver: GrpcDriver, sandbox: Sandbox, **config: str) -> list[tuple[str, str]]:
    """Return what is shown while a service is created that takes some seconds, and then another one."""
    driver.configure({**sandbox.config, "clouddb:pollIntervalSeconds": "0.2", **config})
    driver.engine.shown.clear()
    for name in ("orders", "clicks"):
        driver.create("Service", {**SERVICE, "name": name}, urn=f"urn:pulumi:dev::tests::clouddb:index:Service::{name}")
    return list(driver.engine.shown)


@pytest.mark.slow
def test_a_wait_shows_what_it_waits_for(processes: FrontEnds) -> None:
    """On the resource itself, at most once a second; the second of its kind says how long the first took."""

    def act(driver: GrpcDriver) -> list[tuple[str, str]]:
        with Sandbox(latency=Latency(provision=2.2)) as sandbox:
            return shown_by(driver, sandbox)

    for shown in processes.both(act):
        assert {urn.rpartition("::")[2] for urn, _ in shown} <= {"orders", "clicks"}
        assert all(urn.startswith("urn:pulumi:") for urn, _ in shown)
        assert shown[-1][1] == "", "what was shown does not stay"
        texts = [text for _, text in shown if text]
        assert texts[0] == "waiting until it is running: provisioning for 0 s (at most 60 min)"
        assert re.fullmatch(r"waiting until it is running: provisioning for [1-9]\d* s \(at most 60 min\)", texts[1])
        assert any(re.search(r"\(usually [2-9]\d* s\)$", text) for text in texts), texts
        assert 4 <= len(texts) <= 20, "at most once a second, whatever the poll interval"


def test_a_wait_shows_that_its_looks_fail(processes: FrontEnds) -> None:
    """Such as behind the page of a network that asks for a login: the wait goes on, and somebody may log in."""

    def act(driver: GrpcDriver) -> list[tuple[str, str]]:
        with Sandbox(latency=Latency(provision=0.5)) as sandbox:
            driver.configure({**sandbox.config, "clouddb:pollIntervalSeconds": "0.2"})
            driver.engine.shown.clear()
            sandbox.fault("list_services", "status", status=200, form="html", after=1, times=8)
            driver.create("Service", SERVICE, urn="urn:pulumi:dev::tests::clouddb:index:Service::orders")
            return list(driver.engine.shown)

    for shown in processes.both(act):
        assert any(
            "(at most 60 min); the last request failed: could not list the services" in text for _, text in shown
        ), shown


def test_a_wait_for_the_server_s_limit_is_shown(processes: FrontEnds) -> None:
    """A pause that the server asks for looks like nothing happens, otherwise."""

    def act(driver: GrpcDriver) -> list[tuple[str, str]]:
        with Sandbox() as sandbox:
            sandbox.fault("create_service", "rate_limit", reset=1)
            return shown_by(driver, sandbox)

    for shown in processes.both(act):
        assert any("the server reported that its request limit is reached" in text for _, text in shown), shown


@pytest.mark.parametrize(
    ("urn", "expected"), [("urn:a", ["first", "third", "fourth", ""]), ("", [])], ids=["a resource", "no URN"]
)
def test_an_operation_shows_something_at_most_once_a_second_and_clears_it_at_the_end(
    monkeypatch: pytest.MonkeyPatch, urn: str, expected: list[str]
) -> None:
    """Where an operation is on no resource, there is no place to show it."""
    now = [100.0]
    monkeypatch.setattr("pulumi_clouddb.engine.wire.cancellation.time.monotonic", lambda: now[0])
    shown: list[Any] = []
    waits = Cancellation(lambda _, message: shown.append(message))
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
        waits.progress("fifth, which is too soon after so long a time")
    assert shown == expected
