"""Operations of the plugin that take their time: half-made objects, Cancel, customTimeouts, many at once."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from clouddb_tools.sandbox import Latency, Sandbox
from support.front_ends import FrontEnds
from support.grpc_driver import HostError, Later, NotReadyError
from support.plugin import NativePlugin

SERVICE = {"name": "orders", "provider": "aws", "region": "us-east-1"}
ORDERS = "urn:pulumi:dev::tests::clouddb:index:Service::orders"
TILES = [
    {"name": "errors", "x": 0, "y": 0, "w": 4, "h": 2, "series": [{"type": "time", "aggFn": "count", "where": ""}]}
]


@pytest.fixture
def plugin(clouddb_sandbox: Sandbox, processes: FrontEnds) -> NativePlugin:
    """The plugin, pointed at the sandbox."""
    return processes.only_native(clouddb_sandbox.config)


@pytest.fixture
def slow_sandbox() -> Iterator[Sandbox]:
    """Serve with services that take half an hour to start."""
    with Sandbox(latency=Latency(provision=1800)) as sandbox:
        yield sandbox


def test_cancel_ends_a_wait_and_keeps_the_object(slow_sandbox: Sandbox, tmp_path: Path) -> None:
    """The create under way ends before its next poll, with the id; operations that come later are not touched."""
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

        plugin.configure(slow_sandbox.config)  # with its short interval
        slow_sandbox.change("services", outputs.id, state="running")
        assert plugin.diff("Service", outputs.id, outputs.outputs, SERVICE, SERVICE).details == {"lastError": "DELETE"}
        updated = plugin.update("Service", outputs.id, outputs.outputs, SERVICE)
        assert updated.outputs["state"] == "running"
        assert "lastError" not in updated.outputs
        assert updated.outputs["password"] == outputs.outputs["password"]


def test_cancel_ends_the_wait_of_a_delete(clouddb_sandbox: Sandbox, plugin: NativePlugin) -> None:
    """The delete fails, so that the object stays in state until the next run has seen it gone."""
    made = plugin.create("Service", SERVICE)
    clouddb_sandbox.set_latency(stop=1800)
    deleting = Later(plugin.delete, "Service", made.id, made.outputs)
    while clouddb_sandbox.services[made.id]["state"] != "stopping":
        time.sleep(0.02)
    plugin.cancel()
    with pytest.raises(HostError, match="is not deleted: stopped waiting until it is stopped"):
        deleting.result()
    clouddb_sandbox.change("services", made.id, state="stopped")
    plugin.delete("Service", made.id, made.outputs)
    assert clouddb_sandbox.services == {}


def test_custom_timeouts_bound_the_waits(slow_sandbox: Sandbox, tmp_path: Path) -> None:
    """The time of an operation ends its wait, in seconds; what exists is kept."""
    with NativePlugin(slow_sandbox.config, tmp_path) as plugin:
        with pytest.raises(NotReadyError, match=r"the 2 seconds of customTimeouts have passed") as kept:
            plugin.create("Service", SERVICE, timeout=2)
        outputs = kept.value.outputs
        with pytest.raises(HostError, match=r"running: the 2 seconds of customTimeouts have passed\nLook at it"):
            plugin.update("Service", outputs.id, outputs.outputs, SERVICE, timeout=2)


def test_a_killed_plugin_leaves_no_duplicate(slow_sandbox: Sandbox, tmp_path: Path) -> None:
    """`kill -9` while a service starts: the next plugin adopts the service, with a password that works."""
    with NativePlugin(slow_sandbox.config, tmp_path) as plugin:
        creating = Later(plugin.create, "Service", SERVICE, urn=ORDERS)
        while slow_sandbox.count("list_services") < 3:  # the look before, and two while it waits
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


def test_slow_creations_do_not_queue(clouddb_sandbox: Sandbox, plugin: NativePlugin) -> None:
    """100 creations of 300 ms each run side by side; `make bench` tells how long they take."""
    clouddb_sandbox.fault("self_hosted_create_dashboard", "delay", wait=0.3, times=100)
    creations = [Later(plugin.create, "Dashboard", {"name": f"{number}", "tiles": TILES}) for number in range(100)]
    ids = {creation.result().id for creation in creations}
    assert len(ids) == len(clouddb_sandbox.dashboards) == 100
    posts = [each for each in clouddb_sandbox.requests if each.method == "POST"]
    under_way = [(each.at, each.at + (each.ms or 0) / 1000) for each in posts]
    at_once = max(sum(began <= moment < ended for began, ended in under_way) for moment, _ in under_way)
    assert at_once > 10


def test_a_run_that_ends_in_order_leaves_no_pending_create(clouddb_sandbox: Sandbox, tmp_path: Path) -> None:
    """Pulumi's CLI sends Cancel right before it ends the plugin (3.260)."""
    with NativePlugin(clouddb_sandbox.config, tmp_path) as plugin:
        plugin.create("Service", SERVICE, urn=ORDERS)
        assert list((tmp_path / "journal").glob("*.json"))
        plugin.cancel()
    assert list((tmp_path / "journal").glob("*.json")) == []


@pytest.mark.parametrize("cancels", [0, 2])
def test_a_run_that_was_interrupted_leaves_its_pending_creates(
    clouddb_sandbox: Sandbox, tmp_path: Path, cancels: int
) -> None:
    """After a second Ctrl-C the engine writes no state, so that the next run has to find what had returned by then.

    Nothing is under way then: the first Ctrl-C sends one Cancel, the end of the engine another. Without any, the
    plugin is ended by somebody else, as when the machine is shut down.
    """
    with NativePlugin(clouddb_sandbox.config, tmp_path) as plugin:
        plugin.create("Service", SERVICE, urn=ORDERS)
        for _ in range(cancels):
            plugin.cancel()
    assert list((tmp_path / "journal").glob("*.json"))


def test_a_run_that_was_interrupted_in_a_create_leaves_it_pending(slow_sandbox: Sandbox, tmp_path: Path) -> None:
    """The wait ends, and the engine may never hear its answer."""
    with NativePlugin(slow_sandbox.config, tmp_path) as plugin:
        creating = Later(plugin.create, "Service", SERVICE, urn=ORDERS)
        while not slow_sandbox.services:
            time.sleep(0.02)
        plugin.cancel()
        with pytest.raises(HostError):
            creating.result()
    assert list((tmp_path / "journal").glob("*.json"))
