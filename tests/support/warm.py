"""Processes that start in milliseconds: each is a fork of one interpreter that has imported everything.

Each command of the engine starts a provider process, and usually one for the program, so a test needs several. To start
Python and import takes almost a second; to fork takes milliseconds. The fork runs the provider's main module, or the
script that runs a program, with its own standard output, environment, arguments and search path. It dies, and leaves
locks behind, like any other process.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import json
import logging
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, NoReturn, TypeVar

from clouddb_tools.testing.fake_engine.process import ChildProcess

T = TypeVar("T")
ROOT = str(Path(__file__).parents[1])

LONGEST_ORDER = 1 << 20
PID_BYTES = 8
POLL_SECONDS = 0.005
DIE_WITH_PARENT = 1
"""PR_SET_PDEATHSIG of prctl(2)."""

ATTEMPTS, ATTEMPT_SECONDS = 3, 1.6


class WarmInterpreter:
    """The interpreter that forks, started on first use, for all threads of this process. Use it as a context manager.

    Args:
        address: Address of an interpreter that another process has started with `run`; None to start one.
    """

    def __init__(self, address: bytes | None = None) -> None:
        self._address = address
        self._lock = threading.Lock()
        self._orders: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> WarmInterpreter:
        """Return the interpreter; the first `start` starts it."""
        return self

    def __exit__(self, *_: object) -> None:
        """Disconnect from the interpreter; it ends with its last connection."""
        if self._orders:
            self._orders.close()
        if self._process:
            self._process.wait()

    def run(self) -> bytes:
        """Start the interpreter, or connect to it, if not yet done; return its address, for other processes, too."""
        if self._orders is None:
            self._address = self._address or self._started()
            self._orders = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            self._orders.connect(self._address)
        return self._address or b""

    def _started(self) -> bytes:
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
            listener.bind("")  # the kernel chooses the address
            listener.listen()
            self._process = subprocess.Popen(
                [sys.executable, "-u", "-m", __name__, str(listener.fileno())],
                env={**os.environ, "PYTHONPATH": os.pathsep.join([ROOT, os.environ.get("PYTHONPATH", "")])},
                pass_fds=[listener.fileno()],
                stdin=subprocess.DEVNULL,
            )
            return bytes(listener.getsockname())

    def start(
        self,
        command: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        on_line: Callable[[str], None],
        logs: bool = True,
    ) -> WarmProcess:
        """Start `[interpreter, "-u", "-m", module, arguments …]`, or a script in place of a module, in a new process.

        Args:
            command: The command line.
            cwd: The working directory.
            env: Variables in addition to those of this process.
            on_line: Called with each line of its output.
            logs: Whether to print the log messages of all libraries, too.
        """
        order = {
            "module": command[2] == "-m",
            "arguments": command[3:] if command[2] == "-m" else command[2:],
            "cwd": str(cwd),
            "env": {**os.environ, **env},
            "logs": logs,
        }
        (out, out_end), (err, err_end), (code, code_end) = os.pipe(), os.pipe(), os.pipe()
        with self._lock:
            self.run()
            assert self._orders
            socket.send_fds(self._orders, [json.dumps(order).encode()], [out_end, err_end, code_end])
            pid = int.from_bytes(self._orders.recv(PID_BYTES), "big")
        for end in (out_end, err_end, code_end):
            os.close(end)
        return WarmProcess(pid, _text(out), _text(err), code, on_line)

    def child_process(self, command: Sequence[str], **how: Any) -> WarmProcess | ChildProcess:
        """Start a process, with the arguments of `ChildProcess`; a command of this interpreter is forked."""
        forked = tuple(command[:2]) == (sys.executable, "-u")
        return self.start(command, **how, logs=False) if forked else ChildProcess(command, **how)


class WarmProcess:
    """A forked process, with the methods of `ChildProcess`."""

    def __init__(self, pid: int, out: IO[str], err: IO[str], code: int, on_line: Callable[[str], None]) -> None:
        self.pid = pid
        self._streams = (out, err)
        self._code_end = code
        self._code: int | None = None
        self._on_line = on_line
        self._readers: list[threading.Thread] = []

    def first_line(self) -> str:
        """Wait for the first line of standard output, in which a plugin prints its port."""
        return self._streams[0].readline().strip()

    def forward_output(self) -> None:
        """Start to pass lines of output to `on_line`."""
        for stream in self._streams:
            reader = threading.Thread(target=self._read, args=(stream,), daemon=True)
            reader.start()
            self._readers.append(reader)

    def poll(self) -> int | None:
        """Return None while it runs, then its exit code. Its parent reaps it as soon as it ends."""
        if self._code is None:
            try:
                os.kill(self.pid, 0)
            except ProcessLookupError:
                code = os.read(self._code_end, 1)
                self._code = code[0] if code else -signal.SIGKILL
                os.close(self._code_end)
        return self._code

    def stop(self, gently: bool) -> None:
        """End it and its child processes: first by interrupts if `gently`, otherwise at once.

        One interrupt in ten does not wake the main thread of a fork (kernel 6.18; a process that was started normally
        always wakes), so it is sent again.
        """
        for number in [signal.SIGINT] * ATTEMPTS * gently + [signal.SIGKILL]:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)
            deadline = time.monotonic() + ATTEMPT_SECONDS
            while self.poll() is None and time.monotonic() < deadline:
                time.sleep(POLL_SECONDS)
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        if self.poll() is None:
            os.close(self._code_end)
        for reader in self._readers:
            reader.join(5)
        for stream in self._streams:
            stream.close()

    def _read(self, stream: IO[str]) -> None:
        with suppress(ValueError):
            for line in stream:
                self._on_line(line.rstrip("\n"))


def _text(descriptor: int) -> IO[str]:
    return open(descriptor, encoding="utf-8", errors="replace")


def _serve(listener: socket.socket) -> None:
    """Fork for each order until all connections are closed."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel reaps
    connections = [listener.accept()[0]]
    while connections:
        for ready in select.select([listener, *connections], [], [])[0]:
            if ready is listener:
                connections.append(listener.accept()[0])
                continue
            text, descriptors, _, _ = socket.recv_fds(ready, LONGEST_ORDER, 3)
            if not text:
                connections.remove(ready)
                ready.close()
                continue
            pid = os.fork()
            if pid == 0:
                for each in (listener, *connections):
                    each.close()
                _run(json.loads(text), descriptors)
            for descriptor in descriptors:
                os.close(descriptor)
            ready.send(pid.to_bytes(PID_BYTES, "big"))


def _run(order: dict[str, Any], descriptors: Sequence[int]) -> NoReturn:
    *streams, code = descriptors
    os.set_inheritable(code, False)
    try:
        _become(order, streams)
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
        _end(code, end.code & 255 if isinstance(end.code, int) else end.code is not None)
    except BaseException as error:  # noqa: BLE001 (printed, as an interpreter does)
        sys.excepthook(type(error), error, error.__traceback__)
        _end(code, 1)
    _end(code, 0)


def _end(code: int, exit_code: int) -> NoReturn:
    """End like any other interpreter, but without freeing memory: a fork would first copy every page."""
    os.write(code, bytes([exit_code]))
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(exit_code)


def _become(order: dict[str, Any], descriptors: Sequence[int]) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    if sys.platform == "linux":  # the process ends with an aborted test run
        ctypes.CDLL(None).prctl(DIE_WITH_PARENT, signal.SIGKILL)
    for descriptor, target in zip(descriptors, (1, 2), strict=True):
        os.dup2(descriptor, target)
        os.close(descriptor)
    os.chdir(order["cwd"])
    os.environ.clear()
    os.environ.update(order["env"])
    sys.argv = order["arguments"]
    # Tests change a program within a second without changing its size, which stale bytecode does not detect.
    sys.dont_write_bytecode = True
    sys.path[0] = order["cwd"] if order["module"] else str(Path(sys.argv[0]).parent)
    sys.path.remove(ROOT)
    sys.path[1:1] = [each for each in os.environ.get("PYTHONPATH", "").split(os.pathsep) if each not in sys.path]
    if order["logs"]:
        logging.basicConfig(level=logging.DEBUG)
    if order["module"]:
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    else:
        runpy.run_path(sys.argv[0], run_name="__main__")


def _warm_up() -> None:
    """Import all modules that front ends and programs need, including those that they import lazily."""
    gc.disable()  # imports leave no garbage, and the collector takes a quarter of the time
    import encodings.idna  # noqa: F401

    import anyio  # noqa: F401
    import grpc._channel
    import grpc._server
    import grpc._utilities  # noqa: F401
    import httpcore  # noqa: F401
    import pulumi.dynamic  # noqa: F401

    import pulumi_clouddb.dynamic.provider
    import pulumi_clouddb.engine.dynamic.handlers
    import pulumi_clouddb.engine.plugin.provider
    import pulumi_clouddb.engine.wire.side_channels
    import pulumi_clouddb.sdk._inputs
    import pulumi_clouddb.sdk.outputs
    from pulumi_clouddb.client.transport import trusted
    from pulumi_clouddb.registry import FUNCTIONS
    from pulumi_clouddb.schema.base import Model
    from pulumi_clouddb.schema.public_names import in_python, public_names

    trusted()
    list(FUNCTIONS.values())  # a resource is loaded on first use, and so is a class
    for module in (pulumi_clouddb, pulumi_clouddb.sdk._inputs, pulumi_clouddb.sdk.outputs):
        for name in module.__all__:
            getattr(module, name)
    for model in _subclasses(Model):  # its validator is built on first use
        model.model_rebuild()
    in_python("a message")
    public_names()
    # Otherwise the collector of a fork, which runs when it ends, would touch, and so copy, every imported page.
    gc.collect()
    gc.freeze()
    gc.enable()


def _subclasses(parent: type[T]) -> Iterator[type[T]]:
    for each in parent.__subclasses__():
        yield each
        yield from _subclasses(each)


if __name__ == "__main__":
    _warm_up()
    _serve(socket.socket(fileno=int(sys.argv[1])))
