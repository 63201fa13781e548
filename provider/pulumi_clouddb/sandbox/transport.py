"""Responses that go wrong on the wire: a reset, silence, half a body, bytes that come one by one."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import AsyncIterator, Iterator
from http import HTTPStatus

from starlette.responses import Response
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from .settings import Clock

_TRANSPORT = "transport"
_CHUNK = 65536


class ResettableProtocol(H11Protocol):
    """HTTP protocol that hands its transport to the application, in `scope["state"]`."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Keep the transport where the scope of each request is made from."""
        super().connection_made(transport)
        self.app_state = {**self.app_state, _TRANSPORT: transport}


class NoResponse(Response):
    """In place of a response: nothing, until the client closes the connection."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002  # nothing is sent
        """Wait until the client has gone."""
        await _gone(receive)


class ConnectionReset(NoResponse):
    """In place of a response: the connection is reset, and the client sees a TCP reset."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002  # nothing is sent
        """Reset the connection and return once the server has noticed."""
        transport = _transport(scope)
        # Lingering for zero seconds turns the close into a reset.
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        transport.abort()
        await _gone(receive)


class _Spoilt(Response):
    """A response whose headers are those of another one, and whose body does not arrive as it should."""

    def __init__(self, response: Response) -> None:
        super().__init__(bytes(response.body), response.status_code)
        self.raw_headers = list(response.raw_headers)

    async def _start(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})


class Truncated(_Spoilt):
    """The headers promise the whole body, and the connection closes in the middle of it."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send half of the body and close the connection."""
        await self._start(send)
        await send({"type": "http.response.body", "body": self.body[: len(self.body) // 2], "more_body": True})
        _transport(scope).close()
        await _gone(receive)


class Huge(_Spoilt):
    """The same JSON after so many blanks that the body has `size` bytes; no header says how long it is."""

    def __init__(self, response: Response, size: int) -> None:
        super().__init__(response)
        del self.headers["content-length"]
        self.size = size

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the blanks, then the body; stop when the client has gone."""
        await self._start(send)
        for chunk in self._chunks():
            if _transport(scope).is_closing():
                await _gone(receive)
                return
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await send({"type": "http.response.body", "body": bytes(self.body)})

    def _chunks(self) -> Iterator[bytes]:
        blanks = max(0, self.size - len(self.body))
        for sent in range(0, blanks, _CHUNK):
            yield b" " * min(_CHUNK, blanks - sent)


class Drip(_Spoilt):
    """The body comes byte by byte, with a wait before each one."""

    def __init__(self, response: Response, clock: Clock, wait: float, headers: bool) -> None:
        super().__init__(response)
        self.clock, self.wait, self.with_headers = clock, wait, headers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send one byte after the other; stop when the client has gone."""
        transport = _transport(scope)
        if self.with_headers:
            # The server underneath sends headers in one piece only, so everything goes past it.
            async for byte in self._bytes(transport, self._head() + bytes(self.body)):
                transport.write(byte)
            transport.close()
            await _gone(receive)
            return
        await self._start(send)
        async for byte in self._bytes(transport, bytes(self.body)):
            await send({"type": "http.response.body", "body": byte, "more_body": True})
        await send({"type": "http.response.body", "body": b""})

    async def _bytes(self, transport: asyncio.Transport, content: bytes) -> AsyncIterator[bytes]:
        for index in range(len(content)):
            await self.clock.sleep(self.wait)
            if transport.is_closing():
                return
            yield content[index : index + 1]

    def _head(self) -> bytes:
        lines = [f"HTTP/1.1 {self.status_code} {HTTPStatus(self.status_code).phrase}".encode()]
        lines += [name + b": " + value for name, value in self.raw_headers]
        return b"\r\n".join([*lines, b"connection: close", b"", b""])


def _transport(scope: Scope) -> asyncio.Transport:
    transport: asyncio.Transport = scope["state"][_TRANSPORT]
    return transport


async def _gone(receive: Receive) -> None:
    """Wait until the connection is closed."""
    while (await receive())["type"] != "http.disconnect":
        pass
