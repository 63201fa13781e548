"""Connections on which every request ends: at its deadline, or within a second after its operation was cancelled.

The timeouts of httpx limit each step by itself, so that a body that drips never times out, and neither the lookup of a
name nor a TLS handshake can be interrupted. So another thread sends the request, and the caller waits for its headers
and then for its body. When the time is over, the caller shuts down the socket, and leaves that thread to itself.
"""

from __future__ import annotations

import logging
import queue
import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar
from urllib.request import getproxies, proxy_bypass

import httpx

from pulumi_clouddb.schema.config import is_loopback

from . import responses
from .errors import CloudDBError
from .runtime import CHECK_SECONDS, Runtime

KEEP_ALIVE_SECONDS = 4
"""An idle connection is used again for this long; Node.js servers close theirs after 5."""

GRACE_SECONDS = 0.4
"""A write that was sent may go on for this long after a cancel: most responses are on their way then, with an id."""

CONNECTED = (".connect_tcp.complete", ".start_tls.complete")
SENDING = "http11.send_request_headers.started"
"""Events that httpcore reports (https://www.encode.io/httpcore/extensions/#trace)."""

PartT = TypeVar("PartT")

Sender: TypeAlias = "queue.SimpleQueue[Callable[[], None] | None]"
"""The way to a thread that sends requests, one after another, until it is given None."""


class _OnlyEvents(logging.Filter):
    """Leaves the name of the event of a log line."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = record.getMessage().partition(" ")[0], ()
        return True


for _name in ("connection", "http11", "proxy", "socks"):
    # At debug level httpcore logs the headers of responses (httpcore/_trace.py), and a server may quote credentials in
    # them, escaped more than once: tests/schema/test_redaction.py.
    logging.getLogger(f"httpcore.{_name}").addFilter(_OnlyEvents())


class BoundedTransport(httpx.BaseTransport):
    """Sends requests, one at a time. Keep one per thread: a shared pool looks at all its connections each time.

    Args:
        seconds: What one request may take in all.
        runtime: Its clock, and whether the operation may go on.
        trust: Whose certificates are trusted.
    """

    def __init__(self, *, seconds: float, runtime: Runtime, trust: ssl.SSLContext) -> None:
        self._seconds = seconds
        self._runtime = runtime
        self._trust = trust
        self._servers: dict[tuple[str, bytes], _Server] = {}

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request; its deadline holds until its response has been read.

        Raises:
            CloudDBError: The operation was cancelled before anything was sent.
            httpx.TransportError: Anything else.
        """
        origin = request.url.scheme, request.url.netloc
        if origin not in self._servers:
            self._servers[origin] = _Server(self._new_transport(proxy_for(request.url)))
        return _Exchange(self._servers[origin], request, self._runtime, self._seconds).response()

    def close(self) -> None:
        """Close all connections."""
        for server in self._servers.values():
            server.dismiss_sender()
            server.transport.close()

    def _new_transport(self, proxy: str | None) -> httpx.HTTPTransport:
        limits = httpx.Limits(keepalive_expiry=KEEP_ALIVE_SECONDS)
        try:
            return httpx.HTTPTransport(verify=self._trust, trust_env=False, limits=limits, proxy=proxy)
        except (httpx.InvalidURL, ValueError, ImportError) as error:
            # The error may quote the proxy's password. ImportError: httpcore speaks SOCKS only with `socksio`.
            raise httpx.UnsupportedProtocol("the proxy that the environment names cannot be used") from error


def proxy_for(url: httpx.URL) -> str | None:
    """Return the proxy that the environment names for an address; loopback is always reached directly."""
    if is_loopback(url.host) or proxy_bypass(url.host):
        return None
    proxies = getproxies()
    proxy = proxies.get(url.scheme) or proxies.get("all")
    return proxy if not proxy or "://" in proxy else f"http://{proxy}"


@dataclass
class _Server:
    """The connections to one server, and what one request at a time uses: the socket that was opened last, a sender."""

    transport: httpx.HTTPTransport
    socket: socket.socket | None = None
    sender: Sender | None = None

    def send(self, request: Callable[[], None]) -> None:
        """Send a request in the thread of the last one, or in a new one."""
        if self.sender is None:
            self.sender = queue.SimpleQueue()
            threading.Thread(target=_send_all, args=[self.sender], name="clouddb-request", daemon=True).start()
        self.sender.put(request)

    def dismiss_sender(self) -> None:
        """Let the thread end with its request; the next one is sent in another."""
        if self.sender is not None:
            self.sender.put(None)
        self.sender = None


def _send_all(sender: Sender) -> None:
    for request in iter(sender.get, None):
        request()


class _Exchange(httpx.SyncByteStream):
    """One request, sent in another thread, and the body of its response."""

    def __init__(self, server: _Server, request: httpx.Request, runtime: Runtime, seconds: float) -> None:
        self._server = server
        self._runtime = runtime
        self._deadline = runtime.monotonic() + seconds
        self._seconds = seconds
        self._grace = 0.0 if request.method == "GET" else GRACE_SECONDS
        self._cancelled_at: float | None = None
        self._lock = threading.Lock()
        self._sent = False
        self._over = False
        self._ended = False
        self._head: queue.SimpleQueue[httpx.Response | BaseException] = queue.SimpleQueue()
        self._body: queue.SimpleQueue[list[bytes] | BaseException] = queue.SimpleQueue()
        self._request = request
        server.send(self._run)

    def response(self) -> httpx.Response:
        """Return the response, whose body is still to come."""
        response = self._wait_for(self._head)
        response.stream = self
        return response

    def __iter__(self) -> Iterator[bytes]:
        yield from self._wait_for(self._body)

    def close(self) -> None:
        if not self._ended:
            self._end()

    # -- in the thread of the caller -------------------------------------------------------------------------------

    def _wait_for(self, part: queue.SimpleQueue[PartT | BaseException]) -> PartT:
        while (found := taken(part, min(CHECK_SECONDS, self._deadline - self._runtime.monotonic()))) is None:
            now = self._runtime.monotonic()
            if now >= self._deadline:
                raise self._too_late(self._end())
            try:
                self._runtime.check()
            except CloudDBError as cancelled:
                self._cancelled_at = self._cancelled_at or now
                if now >= self._cancelled_at + self._grace or not self._sent:
                    if self._end():
                        raise httpx.ReadError("the operation was cancelled") from cancelled
                    raise
        if isinstance(found, httpx.TimeoutException):  # on a busy machine the step ends before this thread looks again
            raise self._too_late(self._sent) from found
        if isinstance(found, (httpx.NetworkError, httpx.ProtocolError, ValueError)) and not self._sent:
            # ValueError: UnicodeError of a name that cannot be looked up. The others: a proxy does not connect.
            raise httpx.ConnectError(str(found)) from found
        if isinstance(found, BaseException):
            raise found
        return found

    def _too_late(self, sent: bool) -> httpx.TimeoutException:
        return (httpx.ReadTimeout if sent else httpx.ConnectTimeout)(f"it took more than {self._seconds:g} s")

    def _end(self) -> bool:
        """End the request; return whether some of it may have been sent."""
        with self._lock:
            self._over = True
        self._server.dismiss_sender()
        if self._server.socket is not None:
            with suppress(OSError):
                # Not that of SSLSocket, which other threads must not call.
                socket.socket.shutdown(self._server.socket, socket.SHUT_RDWR)
        return self._sent

    # -- in the thread of the sender -------------------------------------------------------------------------------

    def _run(self) -> None:
        request = self._request
        watched = httpx.Request(
            request.method,
            request.url,
            headers=request.headers,
            stream=request.stream,
            extensions={**request.extensions, "trace": self._watch},
        )
        try:
            response = self._server.transport.handle_request(watched)
            stream = response.stream
            assert isinstance(stream, httpx.SyncByteStream)  # noqa: S101 (that of httpx.HTTPTransport)
        except BaseException as error:  # noqa: BLE001 (raised where the response is waited for)
            self._head.put(error)
            return
        self._head.put(response)
        body: list[bytes] | BaseException
        try:
            with closing(stream):  # before the next request, which would need another connection
                body = _parts(stream)
        except BaseException as error:  # noqa: BLE001
            body = error
        self._ended = True
        self._body.put(body)

    def _watch(self, event: str, details: Mapping[str, Any]) -> None:
        """Record the socket, and whether anything is sent; send nothing when the request is over."""
        with self._lock:
            if not self._over:
                if event.endswith(CONNECTED):
                    self._server.socket = details["return_value"].get_extra_info("socket")
                # A proxy is asked to connect by a request of its own.
                elif event == SENDING and details["request"].method != b"CONNECT":
                    self._sent = True
                return
        if event.endswith(CONNECTED):
            details["return_value"].close()
        if event == SENDING:
            raise httpx.ConnectError("the request is over")


def taken(parts: queue.SimpleQueue[PartT], seconds: float) -> PartT | None:
    """Return what another thread puts there within some seconds; None if it takes longer."""
    with suppress(queue.Empty):
        return parts.get(timeout=max(0.0, seconds))
    return None


def _parts(stream: httpx.SyncByteStream) -> list[bytes]:
    """Read a body; what is too large is not read to its end."""
    parts: list[bytes] = []
    size = 0
    for part in stream:
        parts.append(part)
        size += len(part)
        if size > responses.LARGEST_BODY:
            break
    return parts
