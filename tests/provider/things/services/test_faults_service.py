"""Killed or failed creates of a service: after the next `up` there is exactly one, and its password works.

Other faults are in tests/provider/contract/cases_service.py and in the fault matrix.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable

import pytest

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import FakeEngineStack, Result

MakeStack = Callable[..., FakeEngineStack]

PROGRAM = """
import pulumi
import pulumi_clouddb as clouddb

orders = clouddb.Service("orders", name="orders", provider="aws", region="us-east-1")
pulumi.export("password", orders.password)
"""


@pytest.fixture
def clouddb_sandbox(neutral_sandbox: Sandbox) -> Sandbox:
    """The sandbox of `clouddb_stack`: that of the interface's dialect."""
    return neutral_sandbox


@pytest.fixture
def stack(clouddb_stack: MakeStack) -> FakeEngineStack:
    """Return a stack with one service, without retries and with a separate folder for pending creates."""
    config = {"clouddb:retryTimeoutSeconds": "0", "clouddb:requestTimeoutSeconds": "3"}
    return clouddb_stack(PROGRAM, config=config)


def assert_one_service(sandbox: Sandbox, stack: FakeEngineStack) -> None:
    """Assert that there is one service, which is in state with its password."""
    assert len(sandbox.services) == 1
    (service_id,) = sandbox.services
    assert stack.resource("orders").id == service_id
    assert sandbox.services[service_id]["state"] == "running"
    assert sandbox.password_works(service_id, stack.outputs["password"].value)
    assert stack.preview().no_changes


def test_killed_provider_host_leaves_no_duplicate(clouddb_sandbox: Sandbox, stack: FakeEngineStack) -> None:
    """After `kill -9` during the wait, the next `up` adopts the service."""
    clouddb_sandbox.set_latency(provision=30)
    results: list[Result] = []
    up = threading.Thread(target=lambda: results.append(stack.up(expect_failure=True)))
    up.start()
    while clouddb_sandbox.count("list_services") < 3:  # one before the create, and two of the wait
        time.sleep(0.05)
    assert stack.host.pid
    os.kill(stack.host.pid, signal.SIGKILL)
    up.join()
    assert not results[0].ok
    assert "orders" not in {each.name for each in stack.resources}
    (record,) = (stack.work_dir / "in-flight").glob("*.json")
    assert clouddb_sandbox.key_secret not in record.read_text()
    assert record.stat().st_mode & 0o777 == 0o600
    clouddb_sandbox.advance(60)
    result = stack.up()
    assert "an interrupted run had created it" in str(result.diagnostics)
    assert_one_service(clouddb_sandbox, stack)
    assert clouddb_sandbox.count("create_service") == 1


def test_failed_service_is_never_replaced_automatically(clouddb_sandbox: Sandbox, stack: FakeEngineStack) -> None:
    """It is in state; the next `up` starts it, and the error has instructions if it cannot."""
    clouddb_sandbox.fault("create_service", "failed")
    first = stack.up()
    assert "the server reports that the service has failed" in str(first.diagnostics)
    service_id = stack.resource("orders").id
    assert stack.resource("orders").outputs["state"] == "failed"
    result = stack.up(expect_failure=True)
    assert clouddb_sandbox.count("command_service") == 1
    assert "`pulumi destroy --target urn:pulumi:dev::" in str(result.diagnostics)
    assert list(clouddb_sandbox.services) == [service_id]
    stack.destroy()  # as the instructions say
    stack.up()
    assert_one_service(clouddb_sandbox, stack)
