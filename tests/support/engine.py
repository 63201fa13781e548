"""The engine's log service, which receives the warnings and status messages of providers."""

from __future__ import annotations

from concurrent import futures
from typing import Any

import grpc
from google.protobuf import empty_pb2
from pulumi.runtime.proto import engine_pb2, engine_pb2_grpc


class EngineLog(engine_pb2_grpc.EngineServicer):
    """Records messages in order; a provider waits for each to be received, so none is late.

    Attributes:
        address: Where it listens, on loopback.
        warnings: The warnings so far.
        warned: The URN of each of them.
        shown: The URN and the text of each status message.
    """

    def __init__(self) -> None:
        self.warnings: list[str] = []
        self.warned: list[str] = []
        self.shown: list[tuple[str, str]] = []
        self._server = grpc.server(futures.ThreadPoolExecutor(max_workers=1))
        engine_pb2_grpc.add_EngineServicer_to_server(self, self._server)
        self.address = f"127.0.0.1:{self._server.add_insecure_port('127.0.0.1:0')}"
        self._server.start()

    def Log(self, request: engine_pb2.LogRequest, context: Any) -> empty_pb2.Empty:  # noqa: N802
        """Record one message."""
        if request.severity == engine_pb2.WARNING:
            self.warnings.append(request.message)
            self.warned.append(request.urn)
        elif request.ephemeral:
            self.shown.append((request.urn, request.message))
        return empty_pb2.Empty()

    def stop(self) -> None:
        """Stop the server."""
        self._server.stop(None)
