"""The way to the engine's log."""

from __future__ import annotations

import functools
import re
import sys

import grpc
from pulumi.runtime.proto import engine_pb2, engine_pb2_grpc

from pulumi_clouddb.api.errors import two_lines
from pulumi_clouddb.models.redaction import redact


class EngineLog:
    """Shows warnings through the engine, as long as its address is known.

    The engine gives its address as the last argument to what it starts, and tells it to what runs already.
    """

    @functools.cached_property
    def address(self) -> str:
        """The engine's address, or an empty text while it is not known."""
        last = sys.argv[-1] if len(sys.argv) > 1 else ""
        return last if re.fullmatch(r"127\.0\.0\.1:\d{2,5}", last) else ""

    def warn(self, message: str) -> None:
        """Show a warning: through the engine, else on standard error."""
        message = redact(two_lines(message))
        if self.address:
            try:
                with grpc.insecure_channel(self.address) as channel:
                    request = engine_pb2.LogRequest(severity=engine_pb2.WARNING, message=message)
                    engine_pb2_grpc.EngineStub(channel).Log(request, timeout=5)
            except grpc.RpcError:
                pass
            else:
                return
        print(f"warning: {message}", file=sys.stderr, flush=True)
