"""A server on loopback that sends raw bytes, for responses that no HTTP library would send."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress

Talk = Callable[[socket.socket, threading.Event], None]
"""Handles one connection; it must return when the event is set at the end of the test."""


class Raw:
    """Reads each request and calls `talk` to respond; use it as a context manager.

    Args:
        talk: Responds; then the connection is closed.
        reads: Whether to read the request first.

    Attributes:
        received: The requests.
        reached: Set when the first bytes have arrived.
        requested: Set when the first request has been read.
    """

    def __init__(self, talk: Talk, *, reads: bool = True) -> None:
        self._talk = talk
        self._reads = reads
        self._over = threading.Event()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        self.received: list[bytes] = []
        self.reached = threading.Event()
        self.requested = threading.Event()

    def __enter__(self) -> Raw:
        """Start to accept connections."""
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop."""
        self._over.set()
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listening.accept()
                threading.Thread(target=self._handle, args=[connection], daemon=True).start()

    def _handle(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            connection.recv(1, socket.MSG_PEEK)
            self.reached.set()
            if self._reads:
                self.received.append(_request(connection))
                self.requested.set()
            self._talk(connection, self._over)


def _request(connection: socket.socket) -> bytes:
    """Read one request with its body."""
    text = b""
    while b"\r\n\r\n" not in text:
        text += _more(connection)
    head, _, body = text.partition(b"\r\n\r\n")
    lengths = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    length = int(lengths[0].split(b":")[1]) if lengths else 0
    while len(body) < length:
        body += _more(connection)
    return head + b"\r\n\r\n" + body


def _more(connection: socket.socket) -> bytes:
    """Return the next bytes of a request.

    Raises:
        ConnectionError: The client has closed the connection.
    """
    if received := connection.recv(65536):
        return received
    raise ConnectionResetError


def sends(*parts: bytes, pause: float = 0.0) -> Talk:
    """Return a talk that sends the parts with a pause after each, and closes the connection."""

    def talk(connection: socket.socket, over: threading.Event) -> None:
        for part in parts:
            connection.sendall(part)
            over.wait(pause)

    return talk


def drips(start: bytes, part: bytes, every: float) -> Talk:
    """Return a talk that sends `start`, and then `part` repeatedly without end."""

    def talk(connection: socket.socket, over: threading.Event) -> None:
        connection.sendall(start)
        while not over.wait(every):
            connection.sendall(part)

    return talk


def silent(_: socket.socket, over: threading.Event) -> None:
    """Send nothing, and keep the connection open."""
    over.wait(60)


def took(action: Callable[[], object]) -> float:
    """Return the seconds that an action takes."""
    started = time.monotonic()
    action()
    return time.monotonic() - started
