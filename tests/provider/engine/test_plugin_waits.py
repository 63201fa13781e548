"""Long operations of the plugin: incomplete objects, Cancel, customTimeouts and concurrency."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from clouddb_tools.sandbox import Latency, Sandbox
from support.clock import HoldingClock
from support.front_ends import FrontEnds
from support.grpc_driver import HostError, Later, NotReadyError
from support.plugin import NativePlugin

SERVICE = {"name": "orders", "provider": "aws", "region": "us-east-1"}
ORDERS = "urn:pulumi:dev::tests::clouddb:index:Service::orders"
TILES = [
    {"name": "errors", "x": 0, "y": 0, "w": 4, "h": 2, "series": [{"type": "time", "aggFn": "count", "where": ""}]}
]


@pytest.fixture
def plugin(neutral_sandbox: Sandbox, processes: FrontEnds) -> NativePlugin:
    """Return the plugin, configured for the sandbox."""
    return processes.only_native(neutral_sandbox.config)


@pytest.fixture
def slow_sandbox() -> Iterator[Sandbox]:
    """Run a server on which services take half an hour to start."""
    with Sandbox(vocabulary="neutral", latency=Latency(provision=1800)) as sandbox:
        yield sandbox


def test_cancel_ends_a_wait_and_keeps_the_object(slow_sandbox: Sandbox, tmp_path: Path) -> None:
    """The pending create returns the id before its next poll; later operations are not cancelled."""
    config = {**slow_sandbox.config, "clouddb:pollIntervalSeconds": "60"}  # longer than `result` waits
    with NativePlugin(config, tmp_path) as plugin:
        creating = Later(plugin.create, "Service", SERVICE, urn=ORDERS)
        while not any(text.startswith("waiting until it is running") for _, text in plugin.engine.shown):
            time.sleep(0.02)
        plugin.cancel()
        with pytest.raises(
            NotReadyError, match="stopped waiting until it is running: the operation was cancelled"
        ) as kept:
            creating.result()
        outputs = kept.value.outputs
        assert outputs.id in slow_sandbox.services
        assert (outputs.outputs["state"], set(outputs.secrets)) == ("provisioning", {"password"})

        plugin.configure(slow_sandbox.config)  # with a short interval
        slow_sandbox.change("services", outputs.id, state="running")
        assert plugin.diff("Service", outputs.id, outputs.outputs, SERVICE, SERVICE).details == {"lastError": "DELETE"}
        updated = plugin.update("Service", outputs.id, outputs.outputs, SERVICE)
        assert updated.outputs["state"] == "running"
        assert "lastError" not in updated.outputs
        assert updated.outputs["password"] == outputs.outputs["password"]


def test_cancel_ends_the_wait_of_a_delete(neutral_sandbox: Sandbox, plugin: NativePlugin) -> None:
    """The delete fails, so that the object stays in state until the next run."""
    made = plugin.create("Service", SERVICE)
    neutral_sandbox.set_latency(stop=1800)
    deleting = Later(plugin.delete, "Service", made.id, made.outputs)
    while neutral_sandbox.services[made.id]["state"] != "stopping":
        time.sleep(0.02)
    plugin.cancel()
    with pytest.raises(HostError, match="is not deleted: stopped waiting until it is stopped"):
        deleting.result()
    neutral_sandbox.change("services", made.id, state="stopped")
    plugin.delete("Service", made.id, made.outputs)
    assert neutral_sandbox.services == {}


def test_custom_timeouts_limit_waits(slow_sandbox: Sandbox, tmp_path: Path) -> None:
    """The timeout of an operation ends its wait; existing objects are kept."""
    with NativePlugin(slow_sandbox.config, tmp_path) as plugin:
        plugin.check("Service", SERVICE)  # imports the code: its time is no part of the timeout
        with pytest.raises(NotReadyError, match=r"the 3 seconds of customTimeouts have passed") as kept:
            plugin.create("Service", SERVICE, timeout=3)
        outputs = kept.value.outputs
        with pytest.raises(HostError, match=r"running: the 3 seconds of customTimeouts have passed\nLook at it"):
            plugin.update("Service", outputs.id, outputs.outputs, SERVICE, timeout=3)


def test_killed_plugin_leaves_no_duplicate(slow_sandbox: Sandbox, tmp_path: Path) -> None:
    """After `kill -9` while a service starts, the next plugin adopts the service, with a password that works."""
    with NativePlugin(slow_sandbox.config, tmp_path) as plugin:
        creating = Later(plugin.create, "Service", SERVICE, urn=ORDERS)
        while slow_sandbox.count("list_services") < 3:  # one before the create, and two during the wait
            time.sleep(0.02)
        os.kill(plugin.pid, signal.SIGKILL)
        with pytest.raises(HostError):
            creating.result()
    slow_sandbox.advance(1800)
    with NativePlugin(slow_sandbox.config, tmp_path) as plugin:
        made = plugin.create("Service", SERVICE, urn=ORDERS)
        assert list(slow_sandbox.services) == [made.id]
        assert slow_sandbox.password_works(made.id, made.outputs["password"])
        assert "an interrupted run had created it" in plugin.warnings[0]
    assert slow_sandbox.count("create_service") == 1


def test_slow_creates_are_concurrent(processes: FrontEnds) -> None:
    """After 50 responses, the server receives more than ten requests before the next one; `make bench` measures it."""
    clock = HoldingClock()
    with Sandbox(vocabulary="neutral", clock=clock) as sandbox:
        sandbox.fault("self_hosted_create_dashboard", "delay", wait=1, after=50, times=50)
        plugin = processes.only_native(sandbox.config)
        creates = [Later(plugin.create, "Dashboard", {"name": f"{number}", "tiles": TILES}) for number in range(100)]
        while clock.held <= 10 and any(create.is_alive() for create in creates):
            time.sleep(0.02)
        clock.release()
        ids = {create.result().id for create in creates}
        assert len(ids) == len(sandbox.dashboards) == 100
    assert clock.held > 10


def test_normal_end_leaves_no_pending_create(neutral_sandbox: Sandbox, tmp_path: Path) -> None:
    """Pulumi's CLI (3.260) sends Cancel right before it ends the plugin."""
    with NativePlugin(neutral_sandbox.config, tmp_path) as plugin:
        plugin.create("Service", SERVICE, urn=ORDERS)
        assert list((tmp_path / "journal").glob("*.json"))
        plugin.cancel()
    assert list((tmp_path / "journal").glob("*.json")) == []


@pytest.mark.parametrize("cancels", [0, 2])
def test_interrupted_run_leaves_its_pending_creates(neutral_sandbox: Sandbox, tmp_path: Path, cancels: int) -> None:
    """After a second Ctrl-C the engine writes no state, so the next run must find the created objects.

    The first Ctrl-C sends one Cancel, and the end of the engine another one. Without a Cancel, something else ended the
    plugin, such as the shutdown of the machine.
    """
    with NativePlugin(neutral_sandbox.config, tmp_path) as plugin:
        plugin.create("Service", SERVICE, urn=ORDERS)
        for _ in range(cancels):
            plugin.cancel()
    assert list((tmp_path / "journal").glob("*.json"))


def test_run_interrupted_during_a_create_leaves_it_pending(slow_sandbox: Sandbox, tmp_path: Path) -> None:
    """The wait ends, and the engine may never get the response."""
    with NativePlugin(slow_sandbox.config, tmp_path) as plugin:
        creating = Later(plugin.create, "Service", SERVICE, urn=ORDERS)
        while not slow_sandbox.services:
            time.sleep(0.02)
        plugin.cancel()
        with pytest.raises(HostError):
            creating.result()
    assert list((tmp_path / "journal").glob("*.json"))
