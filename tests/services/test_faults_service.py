"""Faults while a service is created: after one more `up` there is exactly one, state names it, its password works."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable

import pytest

from lives.life import from_the_create_on
from pulumi_clouddb.sandbox import Sandbox
from pulumi_clouddb.testing import FakeEngineStack, Result

MakeStack = Callable[..., FakeEngineStack]
Damage = Callable[[Sandbox], object]

PROGRAM = """
import pulumi
import pulumi_clouddb as clouddb

orders = clouddb.Service("orders", name="orders", provider="aws", region="us-east-1")
pulumi.export("password", orders.password)
"""


@pytest.fixture
def stack(clouddb_stack: MakeStack) -> FakeEngineStack:
    """Make a stack of one service, without retries and with a folder for pending creates of its own."""
    config = {"clouddb:retryTimeoutSeconds": "0", "clouddb:requestTimeoutSeconds": "3"}
    return clouddb_stack(PROGRAM, config=config)


def after_post(sandbox: Sandbox, operations: tuple[str, ...], kind: str, **details: object) -> None:
    """Let a fault happen from the moment on that the service is asked for."""
    from_the_create_on("create_service", sandbox, operations, kind, **details)


READS = ("list_services", "get_service")


def assert_one_service(sandbox: Sandbox, stack: FakeEngineStack) -> None:
    """Exactly one service, named by state, with the password that state holds."""
    assert len(sandbox.services) == 1
    (service_id,) = sandbox.services
    assert stack.resource("orders").id == service_id
    assert sandbox.services[service_id]["state"] == "running"
    assert sandbox.password_works(service_id, stack.outputs["password"].value)
    assert stack.preview().no_changes


TWO_FAULTS: dict[str, tuple[Damage, bool]] = {
    "nothing can be read after the lost response": (lambda s: after_post(s, READS, "lose", times=40), True),
    "the lost password cannot be reset at first": (lambda s: s.fault("reset_password", "status", status=500), False),
}
"""What goes wrong beside a lost response, and whether `up` fails. The fault matrix plays each single fault."""


@pytest.mark.parametrize(("second", "fails"), TWO_FAULTS.values(), ids=TWO_FAULTS)
def test_one_more_up_heals(second: Damage, fails: bool, clouddb_sandbox: Sandbox, stack: FakeEngineStack) -> None:
    """One more `up` leaves one service that works."""
    clouddb_sandbox.fault("create_service", "lose")
    second(clouddb_sandbox)
    first = stack.up(expect_failure=True)
    assert first.ok != fails, first.diagnostics
    clouddb_sandbox.clear_faults()
    stack.up()
    assert_one_service(clouddb_sandbox, stack)
    assert clouddb_sandbox.count("create_service") == 1


def test_killed_provider_host_leaves_no_duplicate(clouddb_sandbox: Sandbox, stack: FakeEngineStack) -> None:
    """`kill -9` of the provider host during the wait: the next `up` adopts the service."""
    clouddb_sandbox.set_latency(provision=30)
    results: list[Result] = []
    up = threading.Thread(target=lambda: results.append(stack.up(expect_failure=True)))
    up.start()
    while clouddb_sandbox.count("list_services") < 3:  # the look before, and two while it waits
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


def test_failed_service_is_never_replaced_by_itself(clouddb_sandbox: Sandbox, stack: FakeEngineStack) -> None:
    """A service that ends in `failed` is in state; the next `up` starts it, and says what to do if it cannot."""
    clouddb_sandbox.fault("create_service", "failed")
    first = stack.up()
    assert "the server says that the service has failed" in str(first.diagnostics)
    service_id = stack.resource("orders").id
    assert stack.resource("orders").outputs["state"] == "failed"
    refused = stack.up(expect_failure=True)
    assert clouddb_sandbox.count("command_service") == 1
    assert "`pulumi destroy --target urn:pulumi:dev::" in str(refused.diagnostics)
    assert list(clouddb_sandbox.services) == [service_id]
    stack.destroy()  # the way on
    stack.up()
    assert_one_service(clouddb_sandbox, stack)


def test_failed_service_that_recovered_is_kept(clouddb_sandbox: Sandbox, stack: FakeEngineStack) -> None:
    """A service that failed at first, and runs by now, is taken as it is."""
    clouddb_sandbox.fault("create_service", "failed")
    stack.up()
    clouddb_sandbox.change("services", stack.resource("orders").id, state="running")
    stack.up()
    assert_one_service(clouddb_sandbox, stack)


def test_slow_service_is_finished_by_the_next_up(clouddb_sandbox: Sandbox, clouddb_stack: MakeStack) -> None:
    """A wait that runs out puts the service into state with its honest `state`; the next `up` goes on waiting."""
    program = PROGRAM.replace('region="us-east-1"', 'region="us-east-1", wait_timeout_minutes=0.005')
    stack = clouddb_stack(program)
    clouddb_sandbox.set_latency(provision=600)
    first = stack.up()
    assert "not running after 0.005 minutes, but provisioning" in str(first.diagnostics)
    assert stack.resource("orders").outputs["state"] == "provisioning"
    assert stack.preview().changes["update"] == 1
    clouddb_sandbox.advance(700)
    stack.up()
    assert_one_service(clouddb_sandbox, stack)


def test_second_service_of_the_same_name_is_refused(clouddb_sandbox: Sandbox, stack: FakeEngineStack) -> None:
    """A service that nobody's state names is not adopted, and no duplicate is made beside it."""
    existing = clouddb_sandbox.add("services", name="orders", provider="aws", region="us-east-1")["id"]
    refused = stack.up(expect_failure=True)
    assert f"service 'orders' exists already, with the id {existing}" in str(refused.diagnostics)
    assert clouddb_sandbox.count("create_service") == 0
    stack.set_program(PROGRAM.replace('region="us-east-1"', 'region="us-east-1", allow_duplicate_name=True'))
    stack.up()
    assert len(clouddb_sandbox.services) == 2


def test_destroy_waits_until_the_service_is_gone(clouddb_sandbox: Sandbox, stack: FakeEngineStack) -> None:
    """A service stops, then terminates; when `destroy` ends, nothing of it is left."""
    clouddb_sandbox.set_latency(stop=0.3, delete=0.3)
    stack.up()
    stack.destroy()
    assert clouddb_sandbox.services == {}


def test_lost_password_of_a_shared_warehouse_is_not_reset(clouddb_sandbox: Sandbox, stack: FakeEngineStack) -> None:
    """A service that joins a warehouse may share its users with others: nobody is locked out for a lost answer."""
    first = clouddb_sandbox.add("services", name="first", provider="aws", region="us-east-1")
    warehouse = f'region="us-east-1", data_warehouse_id="{first["dataWarehouseId"]}"'
    stack.set_program(PROGRAM.replace('region="us-east-1"', warehouse))
    clouddb_sandbox.fault("create_service", "lose")
    result = stack.up()
    assert "could lock out the clients of the warehouse's other services" in str(result.diagnostics)
    assert clouddb_sandbox.count("reset_password") == 0
    assert stack.resource("orders").id in clouddb_sandbox.services
    assert stack.preview().no_changes
