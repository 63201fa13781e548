"""Breaking a connection for real: the client sees a TCP reset, not an answer."""

from __future__ import annotations

import asyncio
import socket
import struct

from starlette.responses import Response
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

_TRANSPORT = "transport"


class ResettableProtocol(H11Protocol):
    """HTTP protocol that hands its transport to the application, in `scope["state"]`."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Keep the transport where the scope of each request is made from."""
        super().connection_made(transport)
        self.app_state = {**self.app_state, _TRANSPORT: transport}


class ConnectionReset(Response):
    """In place of an answer: the connection is reset."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002  # nothing is sent
        """Reset the connection and return once the server has noticed."""
        transport: asyncio.Transport = scope["state"][_TRANSPORT]
        # Lingering for zero seconds turns the close into a reset.
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        transport.abort()
        while (await receive())["type"] != "http.disconnect":
            pass
