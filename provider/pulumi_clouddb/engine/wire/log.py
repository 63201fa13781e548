"""The engine's log."""

from __future__ import annotations

import functools
import re
import sys

import grpc

from pulumi_clouddb.client.errors import two_lines
from pulumi_clouddb.engine.wire.proto import engine_pb2, engine_pb2_grpc
from pulumi_clouddb.schema.secrets.redaction import redact

WARNING_SECONDS = 30
"""How long to wait for a busy engine to take a warning; an engine that has ended refuses it at once."""

STATUS_SECONDS = 1
"""The same for a progress message, which the next one replaces."""


class EngineLog:
    """Sends warnings and progress messages to the engine, if its address is known.

    The engine passes its address to a process that it starts as the last argument, or as the one before the folder of a
    policy pack. It sends its address to a process that already runs.
    """

    @functools.cached_property
    def address(self) -> str:
        """The engine's address; empty while it is unknown."""
        return next((each for each in sys.argv[:-3:-1] if re.fullmatch(r"127\.0\.0\.1:\d{2,5}", each)), "")

    def warn(self, message: str, urn: str = "") -> None:
        """Send a warning on a resource to the engine, or print it to standard error."""
        message = redact(two_lines(message))
        request = engine_pb2.LogRequest(severity=engine_pb2.WARNING, message=message, urn=urn)
        if not self._sent(request, WARNING_SECONDS):
            print(f"warning: {message}", file=sys.stderr, flush=True)

    def status(self, urn: str, message: str) -> None:
        """Show a progress message on a resource, in place of the last one, if there is an engine."""
        message = redact(" ".join(message.split()))
        request = engine_pb2.LogRequest(severity=engine_pb2.INFO, message=message, urn=urn, ephemeral=True)
        self._sent(request, STATUS_SECONDS)

    def _sent(self, request: engine_pb2.LogRequest, timeout: float) -> bool:
        if not self.address:
            return False
        try:
            with grpc.insecure_channel(self.address) as channel:
                engine_pb2_grpc.EngineStub(channel).Log(request, timeout=timeout)
        except grpc.RpcError:
            return False
        return True
