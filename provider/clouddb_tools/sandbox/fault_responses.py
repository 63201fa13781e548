"""Responses of faults: other responses, and responses that fail in transmission."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from collections.abc import AsyncIterator, Iterator
from http import HTTPStatus
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from pulumi_clouddb.client.operation import Operation, ServerKind
from pulumi_clouddb.registry import COLLECTIONS

from . import dashboards, responses
from .faults import Fault, FaultKind, Form
from .responses import HTTPError, not_found
from .settings import Clock

RECORDS = tuple(each.created_part for each in COLLECTIONS if each.created_part)
"""Names of the records in the results of creates that also return a credential."""

_ELSEWHERE = "http://127.0.0.2:9"

_TRANSPORT = "transport"
_CHUNK = 65536


def instead(operation: Operation, fault: Fault, request: Request, request_id: str) -> Response:
    """Return the response of a fault that prevents the request."""
    kind = fault.kind
    if kind is FaultKind.REFUSE or (kind is FaultKind.COMMIT_LATE and fault.status is None):
        return ConnectionReset()
    if kind is FaultKind.HANG:
        return NoResponse()
    if kind is FaultKind.RATE_LIMIT:
        return responses.too_many(operation.server_kind, fault.reset, request_id)
    if kind is FaultKind.REDIRECT:
        location = fault.location or _ELSEWHERE + request.url.path
        return Response(status_code=fault.status or 307, headers={"Location": location})
    if kind is FaultKind.HTML and fault.status == 404:
        return responses.no_such_route(request.method, request.url.path)
    if kind is FaultKind.HTML:
        return responses.gateway_page(fault.status or 502)
    if kind is FaultKind.NOT_FOUND:
        return responses.failure(operation.server_kind, _missing(operation), request_id)
    return _error(operation, fault, request_id)


def afterwards(operation: Operation, fault: Fault, response: Response, request_id: str, clock: Clock) -> Response:
    """Return the response of a fault that spoils `response`."""
    kind, body = fault.kind, bytes(response.body)
    if kind is FaultKind.LOSE:
        return ConnectionReset()
    if kind is FaultKind.COMMIT_THEN_HANG:
        return NoResponse()
    if kind is FaultKind.COMMIT_THEN_STATUS:
        return _error(operation, fault, request_id)
    if kind is FaultKind.EMPTY:
        return Response(media_type="application/json")
    if kind is FaultKind.BROKEN_JSON:
        return Response(body[: max(1, len(body) // 2)], media_type="application/json")
    if kind is FaultKind.TRUNCATED:
        return Truncated(response)
    if kind is FaultKind.HUGE:
        return Huge(response, fault.size)
    if kind is FaultKind.DRIP:
        return Drip(response, clock, fault.wait, fault.headers)
    return _with_other_result(operation, kind, json.loads(body))


def _error(operation: Operation, fault: Fault, request_id: str) -> Response:
    status = fault.status or 500
    if status in (204, 304):
        return Response(status_code=status)  # these have no body
    if fault.form is Form.TEXT:
        return PlainTextResponse(fault.text, status)
    if fault.form is Form.HTML:
        return responses.gateway_page(status)
    return responses.failure(operation.server_kind, HTTPError(status, fault.text), request_id)


def _missing(operation: Operation) -> HTTPError:
    """Return the error of the operation's handler for an unknown id."""
    noun = operation.action.rpartition(" ")[2]
    return dashboards.SERVED.missing() if noun == "dashboard" else not_found(noun.capitalize())


def _with_other_result(operation: Operation, kind: FaultKind, payload: dict[str, Any]) -> Response:
    name = "data" if operation.server_kind is ServerKind.SELF_HOSTED else "result"
    if kind is FaultKind.MALFORMED:
        payload.pop(name, None)
        payload.pop("meta", None)
    elif kind is FaultKind.NULL_RESULT:
        payload[name] = None
    elif kind is FaultKind.WRONG_TYPES:
        payload[name] = _items_of_other_types(payload.get(name))
    else:
        for record in _records(payload.get(name)):
            if kind is FaultKind.NULL_ID:
                record["id"] = None
            else:
                del record["id"]
    return JSONResponse(payload)


def _records(result: Any) -> Iterator[dict[str, Any]]:
    result = result.get("items", result) if isinstance(result, dict) else result  # the older form of pages
    for item in result if isinstance(result, list) else [result]:
        for name in RECORDS:
            if isinstance(item.get(name), dict):
                yield item[name]
        if "id" in item:
            yield item


def _items_of_other_types(result: Any) -> Any:
    if isinstance(result, list):
        return [_items_of_other_types(item) for item in result]
    return {name: _of_other_type(value) for name, value in result.items()}


def _of_other_type(value: Any) -> Any:
    """Return a value with another JSON type; in an object, change the types of its fields."""
    if isinstance(value, dict):
        return _items_of_other_types(value)
    if isinstance(value, list):
        return {str(index): item for index, item in enumerate(value)}
    if isinstance(value, bool):
        return str(value)
    return [value] if value is None else True  # not a number for a text: clients can take both for the same


# -- on the wire ------------------------------------------------------------------------------------------------------


class ResettableProtocol(H11Protocol):
    """HTTP protocol that passes its transport to the application in `scope["state"]`."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Store the transport in the state from which the scope of each request is created."""
        super().connection_made(transport)
        self.app_state = {**self.app_state, _TRANSPORT: transport}


class NoResponse(Response):
    """Sends nothing until the client closes the connection."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Wait until the client closes the connection."""
        await _closed(receive)


class ConnectionReset(NoResponse):
    """Closes the connection with a TCP reset."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Reset the connection."""
        transport = _transport(scope)
        # SO_LINGER of zero seconds turns the close into a reset.
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        transport.abort()
        await _closed(receive)


class _Spoilt(Response):
    """A response with the status and headers of another one, whose body is transmitted incorrectly."""

    def __init__(self, response: Response) -> None:
        super().__init__(bytes(response.body), response.status_code)
        self.raw_headers = list(response.raw_headers)

    async def _start(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})


class Truncated(_Spoilt):
    """Closes the connection in the middle of the body."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send half of the body and close the connection."""
        await self._start(send)
        await send({"type": "http.response.body", "body": self.body[: len(self.body) // 2], "more_body": True})
        _transport(scope).close()
        await _closed(receive)


class Huge(_Spoilt):
    """Pads the JSON with leading blanks to `size` bytes, without Content-Length."""

    def __init__(self, response: Response, size: int) -> None:
        super().__init__(response)
        del self.headers["content-length"]
        self.size = size

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the blanks and the body; stop if the client closes the connection."""
        await self._start(send)
        for chunk in self._chunks():
            if _transport(scope).is_closing():
                await _closed(receive)
                return
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await send({"type": "http.response.body", "body": bytes(self.body)})

    def _chunks(self) -> Iterator[bytes]:
        blanks = max(0, self.size - len(self.body))
        for sent in range(0, blanks, _CHUNK):
            yield b" " * min(_CHUNK, blanks - sent)


class Drip(_Spoilt):
    """Sends the body byte by byte, with a wait before each byte."""

    def __init__(self, response: Response, clock: Clock, wait: float, headers: bool) -> None:
        super().__init__(response)
        self.clock, self.wait, self.with_headers = clock, wait, headers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the bytes; stop if the client closes the connection."""
        transport = _transport(scope)
        if self.with_headers:
            # uvicorn sends all headers at once, so this writes to the transport directly.
            async for byte in self._bytes(transport, self._head() + bytes(self.body)):
                transport.write(byte)
            transport.close()
            await _closed(receive)
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


async def _closed(receive: Receive) -> None:
    """Wait until the connection is closed."""
    while (await receive())["type"] != "http.disconnect":
        pass
