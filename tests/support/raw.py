"""A server on loopback that speaks in bytes, for what no HTTP library would send."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress

Talk = Callable[[socket.socket, threading.Event], None]
"""Talks on one connection until it is done, or until the event says that the test is over."""


class Raw:
    """Reads each request and lets `talk` respond; use it as a context manager.

    Args:
        talk: Responds; the connection is closed afterwards.
        reads: Whether the request is read first.
    """

    def __init__(self, talk: Talk, *, reads: bool = True) -> None:
        self._talk = talk
        self._reads = reads
        self._over = threading.Event()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        self.received: list[bytes] = []
        self.connected = threading.Event()
        self.asked = threading.Event()

    def __enter__(self) -> Raw:
        """Start to listen."""
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
                self.connected.set()
                threading.Thread(target=self._handle, args=[connection], daemon=True).start()

    def _handle(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            if self._reads:
                self.received.append(_request(connection))
                self.asked.set()
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
    """Return what is received next.

    Raises:
        ConnectionError: Nothing is: whoever connected has closed the connection. Waiting for more would never end.
    """
    if received := connection.recv(65536):
        return received
    raise ConnectionResetError


def says(*parts: bytes, pause: float = 0.0) -> Talk:
    """Return a talk that sends the parts with a pause after each, and closes the connection."""

    def talk(connection: socket.socket, over: threading.Event) -> None:
        for part in parts:
            connection.sendall(part)
            over.wait(pause)

    return talk


def drips(start: bytes, part: bytes, every: float) -> Talk:
    """Return a talk that sends `start` and then `part` for ever."""

    def talk(connection: socket.socket, over: threading.Event) -> None:
        connection.sendall(start)
        while not over.wait(every):
            connection.sendall(part)

    return talk


def silent(_: socket.socket, over: threading.Event) -> None:
    """Say nothing, and keep the connection."""
    over.wait(60)


def took(action: Callable[[], object]) -> float:
    """Return the seconds that an action takes."""
    started = time.monotonic()
    action()
    return time.monotonic() - started
