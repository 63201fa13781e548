"""Serves the engine that has started this process, until one of both ends."""

from __future__ import annotations

from functools import partial

from pulumi.runtime.proto import provider_pb2_grpc

from pulumi_clouddb.engine.wire.cancellation import GRACE_SECONDS
from pulumi_clouddb.engine.wire.server import serve
from pulumi_clouddb.engine.wire.watch import GONE, EngineWatch

from .provider import Provider

THREADS = 128
"""Operations at a time: waiting costs a thread and nothing else, so many slow creations do not queue."""


def serve_engine() -> None:
    """Serve until the engine ends this process."""
    provider = Provider()
    server, ended = serve(partial(provider_pb2_grpc.add_ResourceProviderServicer_to_server, provider), THREADS)

    def engine_gone() -> None:
        provider.waits.end(GONE)
        ended.put(None)

    EngineWatch(lambda: provider.engine_address, gone=engine_gone).start()
    ended.get()
    # What is under way still answers. The engine may hear it or not: after a second Ctrl-C it writes no state.
    in_order = provider.waits.in_order
    provider.waits.end("the plugin was asked to end")
    server.stop(GRACE_SECONDS).wait()
    if in_order:
        provider.run_ended()
