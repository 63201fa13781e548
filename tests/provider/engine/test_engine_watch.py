"""The end of the engine: both front ends end with it, and end their waits within seconds."""

from __future__ import annotations

import os
import shlex
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

import pytest

from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.engine.wire import watch
from pulumi_clouddb.engine.wire.proto import plugin_pb2
from support.engine import EngineLog
from support.grpc_driver import GrpcDriver, HostError, Later
from support.host import DynamicHost
from support.plugin import COMMAND, NativePlugin
from support.policy_host import PolicyHost

SERVICE = {"name": "orders", "provider": "aws", "region": "us-east-1"}
ESTABLISHED = "01"
"""The state of a connection in /proc/net/tcp."""

URN = "urn:pulumi:dev::tests::clouddb:index:Service::orders"
FRONT_ENDS: dict[str, Callable[[dict[str, str], Path], GrpcDriver]] = {"dynamic": DynamicHost, "native": NativePlugin}


def is_running(pid: int) -> bool:
    """Return whether a process runs; a zombie does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):  # the latter if it ends while it is read
        return False


def ends(pid: int, seconds: float = 30.0) -> bool:
    """Wait until a process has ended."""
    deadline = time.monotonic() + seconds
    while is_running(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not is_running(pid)


def wait_until_watched(engine: EngineLog) -> None:
    """Wait until a process is connected to an engine."""
    port = f":{int(engine.address.rpartition(':')[2]):04X}"
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        connections = [line.split()[1:4] for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
        if any(remote.endswith(port) and state == ESTABLISHED for _, remote, state in connections):
            return
        time.sleep(0.05)
    raise AssertionError("no process watches the engine")


@contextmanager
def sigint(handled: bool) -> Iterator[None]:
    """Let processes that are started in the block handle SIGINT, or ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler if handled else signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="needs /proc")
@pytest.mark.parametrize("handled", [True, False], ids=["", "in the background"])
@pytest.mark.parametrize("start", FRONT_ENDS.values(), ids=FRONT_ENDS)
def test_front_end_ends_with_its_engine(
    start: Callable[..., GrpcDriver], handled: bool, neutral_sandbox: Sandbox, tmp_path: Path
) -> None:
    """The engine dies while a service starts: the process ends, and the next one adopts the service.

    This also works if SIGINT is ignored, like in a background process of a shell.
    """
    neutral_sandbox.set_latency(provision=600)
    with sigint(handled), start(neutral_sandbox.config, tmp_path) as front_end:
        creating = Later(front_end.create, "Service", SERVICE, urn=URN)
        while neutral_sandbox.count("list_services") < 3:
            time.sleep(0.02)
        front_end.engine.stop()
        assert ends(front_end.pid)
        # A dynamic host that ignores SIGINT may still respond.
        with pytest.raises(HostError) if handled or start is NativePlugin else suppress(HostError):
            creating.result()
    neutral_sandbox.advance(1200)
    with start(neutral_sandbox.config, tmp_path) as front_end:
        made = front_end.create("Service", SERVICE, urn=URN)
        assert [made.id] == list(neutral_sandbox.services)
        assert neutral_sandbox.password_works(made.id, made.outputs["password"])


class RefusedPlugin(NativePlugin):
    """A plugin with an invalid configuration; the engine may get the error after the plugin has started."""

    def configure(self, config: Mapping[str, str]) -> None:
        """Expect the error."""
        with pytest.raises(HostError):
            super().configure(config)


REFUSED = {"clouddb:baseUrl": "ftp://nowhere", "clouddb:keySecret": "a secret"}
IDLE: dict[str, tuple[Callable[..., GrpcDriver], dict[str, str], bool]] = {
    "a dynamic host with an invalid configuration": (DynamicHost, REFUSED, True),
    "a dynamic host after a check": (DynamicHost, {}, False),
    "a plugin with an invalid configuration": (RefusedPlugin, REFUSED, True),
    "a plugin after a check": (NativePlugin, {}, False),
}


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="needs /proc")
@pytest.mark.parametrize(("start", "config", "refused"), IDLE.values(), ids=IDLE)
def test_idle_front_end_ends_with_its_engine(
    start: Callable[..., GrpcDriver], config: dict[str, str], refused: bool, tmp_path: Path
) -> None:
    """It ends even if no operation was possible, because its memory contains credentials."""
    with start(config, tmp_path) as front_end:
        with pytest.raises(HostError) if refused else nullcontext():
            front_end.check("Service", SERVICE)
        wait_until_watched(front_end.engine)
        front_end.engine.stop()
        assert ends(front_end.pid)


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="needs /proc")
def test_attached_plugin_outlives_its_engines(neutral_sandbox: Sandbox, tmp_path: Path) -> None:
    """Of a plugin that a person has started, each command is another engine; the debugger stays in it."""
    alone = ["sh", "-c", f"exec {shlex.join(COMMAND)}"]  # without the address, which the driver appends
    with NativePlugin(neutral_sandbox.config, tmp_path, command=alone) as plugin:
        for service in ("orders", "invoices"):
            engine = EngineLog()
            plugin.stub.Attach(plugin_pb2.PluginAttach(address=engine.address))
            plugin.create("Service", {**SERVICE, "name": service}, urn=f"{URN}-{service}")
            engine.stop()
            assert not ends(plugin.pid, seconds=2 * watch.LOOK_SECONDS + watch.ATTEMPTS * watch.ATTEMPT_SECONDS)
    assert [each["name"] for each in neutral_sandbox.services.values()] == ["orders", "invoices"]


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="needs /proc")
@pytest.mark.parametrize("start", FRONT_ENDS.values(), ids=FRONT_ENDS)
def test_front_end_ends_on_a_signal_while_it_watches(start: Callable[..., GrpcDriver], tmp_path: Path) -> None:
    """The engine sends SIGINT, and waits up to five seconds (sdk/go/common/resource/plugin/plugin.go)."""
    with sigint(handled=True), start({}, tmp_path) as front_end:
        front_end.check("Service", SERVICE)
        wait_until_watched(front_end.engine)
        os.kill(front_end.pid, signal.SIGINT)
        assert ends(front_end.pid)


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="needs /proc")
def test_policy_host_ends_with_its_engine() -> None:
    """Its memory contains the decrypted configuration of the stack."""
    engine = EngineLog()
    with PolicyHost(Path(__file__).parents[3] / "examples" / "policy-pack", engine=engine.address) as host:
        host.configure_stack(config={"clouddb:keySecret": "a secret"}, secret_keys=["clouddb:keySecret"])
        wait_until_watched(engine)
        engine.stop()
        assert ends(host.pid)


def test_engine_watch_needs_a_first_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refused connections end the process only after an accepted one: tests and debuggers start it alone."""
    monkeypatch.setattr(watch, "LOOK_SECONDS", 0.01)
    monkeypatch.setattr(watch, "ATTEMPT_SECONDS", 0.01)
    refused, gone = threading.Semaphore(0), threading.Event()
    with socket.socket() as engine:
        engine.bind(("127.0.0.1", 0))
        port = engine.getsockname()[1]

        def address() -> str:
            refused.release()
            return f"127.0.0.1:{port}"

        watch.EngineWatch(address, gone=gone.set).start()
        for _ in range(5 * watch.ATTEMPTS):
            assert refused.acquire(timeout=30)
        assert not gone.is_set()
        engine.listen()
        accepted, _ = engine.accept()
    accepted.close()
    assert gone.wait(30)
