"""The gRPC server of a process that the engine starts."""

from __future__ import annotations

import queue
import signal
from collections.abc import Callable
from concurrent import futures
from contextlib import suppress
from types import FrameType
from typing import Final

import grpc

LONGEST_MESSAGE: Final = 400 * 1024 * 1024
"""In bytes, as in Pulumi's own plugins."""

LOOK_SECONDS: Final = 1.0

OPTIONS: Final = [
    ("grpc.max_receive_message_length", LONGEST_MESSAGE),
    ("grpc.max_send_message_length", LONGEST_MESSAGE),
    ("grpc.server_max_unrequested_time_in_server", 30 * 60),  # seconds, as in pulumi.runtime: a busy machine is slow
]


def serve(add: Callable[[grpc.Server], object], threads: int) -> tuple[grpc.Server, queue.SimpleQueue[None]]:
    """Serve on loopback, and print the port for the engine.

    Returns:
        The server, and a queue that gets an item when a signal asks this process to end.
    """
    # Not an event: the handler may interrupt `wait` while that holds the lock of the event
    # (tests/engine/test_serving.py). `SimpleQueue.put` is safe in signal handlers.
    ended: queue.SimpleQueue[None] = queue.SimpleQueue()

    def end(_: int, __: FrameType | None) -> None:
        ended.put(None)

    signal.signal(signal.SIGINT, end)
    signal.signal(signal.SIGTERM, end)
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=threads), options=OPTIONS)
    add(server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    print(port, flush=True)
    return server, ended


def wait_until(ended: queue.SimpleQueue[None]) -> None:
    """Wait in the main thread for an item that tells this process to end.

    A signal that the kernel hands to a thread of gRPC does not wake the main thread, which would run its handler: so it
    looks every second (tests/engine/test_serving.py).
    """
    while True:
        with suppress(queue.Empty):
            return ended.get(timeout=LOOK_SECONDS)
