"""Serving the engine, as each process does that it starts."""

from __future__ import annotations

import queue
import signal
from collections.abc import Callable
from concurrent import futures
from types import FrameType
from typing import Final

import grpc

LONGEST_MESSAGE: Final = 400 * 1024 * 1024
"""Bytes; what Pulumi's own plugins take."""

OPTIONS: Final = [
    ("grpc.max_receive_message_length", LONGEST_MESSAGE),
    ("grpc.max_send_message_length", LONGEST_MESSAGE),
    ("grpc.server_max_unrequested_time_in_server", 30 * 60),  # seconds, as in pulumi.runtime: a busy machine is slow
]


def serve(add: Callable[[grpc.Server], object], threads: int) -> tuple[grpc.Server, queue.SimpleQueue[None]]:
    """Serve on loopback, and tell the engine the port by the first line of standard output.

    Returns:
        The server, and the queue that gets an item when this process is asked to end.
    """
    # An event could not be set here: the handler may interrupt the wait for it while that holds the event's lock
    # (tests/engine/test_serving.py). `SimpleQueue.put` is made for signal handlers.
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
