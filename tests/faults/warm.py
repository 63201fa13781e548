"""Provider processes that start in milliseconds: each is a fork of one interpreter that has imported everything.

A command of the engine starts a provider process of its own, so a case of the matrix needs four. Starting Python and
importing takes most of a second; forking takes none. What runs in the fork is the provider's own main module, with
standard output, environment and arguments of its own, so that it dies and leaves locks behind as any other process.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import runpy
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

LONGEST_ORDER = 1 << 20
PID_BYTES = 8
POLL_SECONDS = 0.005
DIE_WITH_PARENT = 1
"""PR_SET_PDEATHSIG of prctl(2)."""

ATTEMPTS, ATTEMPT_SECONDS = 3, 1.6


class WarmInterpreter:
    """The interpreter that forks; one serves all threads of this process. Use it as a context manager."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def __enter__(self) -> WarmInterpreter:
        """Start it."""
        self._orders, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._process = subprocess.Popen(
            [sys.executable, "-u", "-m", __name__, str(theirs.fileno())],
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")]),
            },
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
        )
        theirs.close()
        return self

    def __exit__(self, *_: object) -> None:
        """End it; the processes that it forked go on."""
        self._orders.close()
        self._process.wait()

    def start(
        self, command: Sequence[str], *, cwd: Path, env: Mapping[str, str], on_line: Callable[[str], None]
    ) -> WarmProcess:
        """Start a module, `[interpreter, options …, "-m", module, arguments …]`, in a process of its own."""
        module = command.index("-m") + 1
        order = {"module": command[module], "arguments": command[module + 1 :], "cwd": str(cwd), "env": dict(env)}
        (out, out_end), (err, err_end) = os.pipe(), os.pipe()
        with self._lock:
            socket.send_fds(self._orders, [json.dumps(order).encode()], [out_end, err_end])
            pid = int.from_bytes(self._orders.recv(PID_BYTES), "big")
        os.close(out_end)
        os.close(err_end)
        return WarmProcess(pid, _text(out), _text(err), on_line)


class WarmProcess:
    """A forked process, with the methods of `ChildProcess`."""

    def __init__(self, pid: int, out: IO[str], err: IO[str], on_line: Callable[[str], None]) -> None:
        self.pid = pid
        self._streams = (out, err)
        self._on_line = on_line
        self._readers: list[threading.Thread] = []

    def first_line(self) -> str:
        """Wait for the first line of standard output, which a plugin uses to tell its port."""
        return self._streams[0].readline().strip()

    def pass_on_output(self) -> None:
        """Start to hand lines of output to `on_line`."""
        for stream in self._streams:
            reader = threading.Thread(target=self._read, args=(stream,), daemon=True)
            reader.start()
            self._readers.append(reader)

    def poll(self) -> int | None:
        """Return None while it runs; its parent reaps it as soon as it ends."""
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return 0
        return None

    def stop(self, gently: bool) -> None:
        """End it: asked with interrupts first if `gently`, else at once.

        One interrupt in ten does not wake the main thread of a fork (kernel 6.18; a process that was not forked so
        always wakes), so it is sent again.
        """
        for number in [signal.SIGINT] * ATTEMPTS * gently + [signal.SIGKILL]:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)
            deadline = time.monotonic() + ATTEMPT_SECONDS
            while self.poll() is None and time.monotonic() < deadline:
                time.sleep(POLL_SECONDS)
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


def _serve(orders: socket.socket) -> None:
    """Fork for each order until nobody can send any more."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel reaps
    while True:
        text, descriptors, _, _ = socket.recv_fds(orders, LONGEST_ORDER, 2)
        if not text:
            return
        pid = os.fork()
        if pid == 0:
            orders.close()
            _become(json.loads(text), descriptors)
            return  # so that the interpreter ends as any other does
        for descriptor in descriptors:
            os.close(descriptor)
        orders.send(pid.to_bytes(PID_BYTES, "big"))


def _become(order: dict[str, Any], descriptors: Sequence[int]) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    if sys.platform == "linux":  # what a broken-off run leaves behind ends with it, where others can end it only by id
        ctypes.CDLL(None).prctl(DIE_WITH_PARENT, signal.SIGKILL)
    for descriptor, target in zip(descriptors, (1, 2), strict=True):
        os.dup2(descriptor, target)
        os.close(descriptor)
    os.chdir(order["cwd"])
    os.environ.update(order["env"])
    sys.argv = [order["module"], *order["arguments"]]
    runpy.run_module(order["module"], run_name="__main__", alter_sys=True)


def _warm_up() -> None:
    """Import what both front ends need, and let everything be logged."""
    import logging

    import pulumi.dynamic  # noqa: F401

    import pulumi_clouddb.dynamic.handlers
    import pulumi_clouddb.plugin.__main__  # noqa: F401
    from pulumi_clouddb.api.client import _trusted

    _trusted()
    logging.basicConfig(level=logging.DEBUG)
    # The collector of a fork, which runs when it ends, would touch, and so copy, every page of what is imported here.
    gc.collect()
    gc.freeze()


if __name__ == "__main__":
    _warm_up()
    _serve(socket.socket(fileno=int(sys.argv[1])))
