"""Runs the plugin: `pulumi-resource-clouddb`, or `python -m pulumi_clouddb.plugin`; the engine starts it.

The engine gives its own address as the last argument, and reads the port from the first line of standard output.
"""

from __future__ import annotations

import signal
import sys
import threading
from concurrent import futures
from types import FrameType

import grpc
from pulumi.runtime.proto import provider_pb2_grpc

from pulumi_clouddb.models.sendable import LONGEST_MESSAGE
from pulumi_clouddb.pulumi_wire.waits import GRACE_SECONDS
from pulumi_clouddb.pulumi_wire.watch import EngineWatch

from .provider import Provider
from .schema import version

THREADS = 128
"""Operations at a time: waiting costs a thread and nothing else, so many slow creations do not queue."""

OPTIONS = [
    ("grpc.max_receive_message_length", LONGEST_MESSAGE),
    ("grpc.max_send_message_length", LONGEST_MESSAGE),
]


def start(provider: Provider, address: str = "127.0.0.1:0") -> tuple[grpc.Server, int]:
    """Start to serve a provider on loopback; return the server and its port."""
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=THREADS), options=OPTIONS)
    provider_pb2_grpc.add_ResourceProviderServicer_to_server(provider, server)
    port = server.add_insecure_port(address)
    server.start()
    return server, port


def main() -> int:
    """Serve until the engine ends this process; return the exit code."""
    if "--version" in sys.argv[1:]:
        print(version())
        return 0
    ended = threading.Event()

    def end(_: int, __: FrameType | None) -> None:
        ended.set()

    signal.signal(signal.SIGINT, end)
    signal.signal(signal.SIGTERM, end)
    provider = Provider()
    server, port = start(provider)
    print(port, flush=True)

    def engine_gone() -> None:
        provider.waits.end("Pulumi's engine has gone")
        ended.set()

    EngineWatch(lambda: provider.engine_address, lives=provider.engine_lives, gone=engine_gone).start()
    ended.wait()
    # What is under way still answers. The engine may hear it or not: after a second Ctrl-C it writes no state.
    in_order = provider.waits.idle and not provider.waits.interrupted and not provider.waits.ended
    provider.waits.end("the plugin was told to end")
    server.stop(GRACE_SECONDS).wait()
    if in_order:
        provider.engine_lives(after=0.0)
    return 0


if __name__ == "__main__":
    sys.exit(main())
