"""A server on loopback that returns scripted responses, for responses that no correct server sends."""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Response:
    """One response.

    Attributes:
        status: HTTP status.
        body: The body; everything except text is sent as JSON.
        headers: Headers in addition to the length; the default content type is JSON, and text/plain for text.
        lost: Reset the connection instead of a response.
        wait: Seconds before it.
    """

    status: int = 200
    body: Any = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    lost: bool = False
    wait: float = 0.0


LOST = Response(lost=True)


def ok(result: Any = None, **more: Any) -> Response:
    """A success in the management envelope."""
    return Response(200, {"status": 200, "requestId": "r-1", "result": {} if result is None else result, **more})


def error(status: int, text: str = "BAD_REQUEST: no", **headers: str) -> Response:
    """A failure in the management envelope."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Response(status, {"status": status, "error": text, "requestId": "r-1"}, named)


def page(status: int, text: str = "<html><body>a page</body></html>") -> Response:
    """An HTML page."""
    return Response(status, text, {"content-type": "text/html"})


@dataclass(frozen=True)
class Received:
    """One received request."""

    method: str
    path: str
    headers: dict[str, str]
    body: str
    at: float = field(default_factory=time.monotonic)


class Scripted:
    """Sends the responses in order, and repeats the last one; use it as a context manager."""

    def __init__(self, *responses: Response, port: int = 0) -> None:
        self.responses = list(responses) or [ok()]
        self.received: list[Received] = []
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", port), self._handler())
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Scripted:
        """Start the server."""
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop."""
        self._server.shutdown()
        self._server.server_close()

    @property
    def count(self) -> int:
        """The number of received requests."""
        return len(self.received)

    def _next(self, received: Received) -> Response:
        with self._lock:
            self.received.append(received)
            return self.responses.pop(0) if len(self.responses) > 1 else self.responses[0]

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        script = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def _respond(self) -> None:
                length = int(self.headers.get("content-length") or 0)
                body = self.rfile.read(length).decode()
                headers = {name.lower(): value for name, value in self.headers.items()}
                _send(self, script._next(Received(self.command, self.path, headers, body)))

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _respond  # noqa: N815 (names of the base class)

            def log_message(self, *_: object) -> None:
                """Log nothing."""

        return Handler


def _send(handler: BaseHTTPRequestHandler, response: Response) -> None:
    time.sleep(response.wait)
    if response.lost:
        handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        handler.close_connection = True
        handler.connection.close()
        return
    text = isinstance(response.body, str)
    content = (response.body if text else json.dumps(response.body)).encode()
    headers = {"content-type": "text/plain" if text else "application/json", **response.headers}
    with suppress(BrokenPipeError):  # the client did not wait
        _write(handler, response.status, headers, content)


def _write(handler: BaseHTTPRequestHandler, status: int, headers: Mapping[str, str], content: bytes) -> None:
    handler.send_response_only(status)
    if "date" not in headers:
        handler.send_header("date", handler.date_time_string())
    for name, value in headers.items():
        handler.send_header(name, value)
    handler.send_header("content-length", str(len(content)))
    handler.end_headers()
    handler.wfile.write(content)
