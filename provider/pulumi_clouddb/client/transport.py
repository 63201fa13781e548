"""Connections on which every request ends: at its deadline, or within a second after its operation was cancelled.

The timeouts of httpx limit each step by itself, so that a body that drips never times out, and neither a name lookup
nor a TLS handshake can be interrupted. With asyncio they can, but the end of the process waits for the thread of a
lookup. So each request has a daemon thread of its own, and the caller waits for the headers and then for the body. When
the time is over, the caller shuts down the socket and leaves that thread to itself.
"""

from __future__ import annotations

import functools
import logging
import os
import socket
import ssl
import threading
from collections.abc import Iterator, Mapping
from concurrent import futures
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.request import getproxies, proxy_bypass

import httpx

from pulumi_clouddb.schema.config import is_loopback

from . import responses
from .errors import CloudDBError, ConfigError
from .runtime import CHECK_SECONDS, Runtime

KEEP_ALIVE_SECONDS = 4
"""An idle connection is used again for this long."""

GRACE_SECONDS = 0.4
"""A write that was sent may continue for this long after a cancel: most responses are on their way then, with an id."""

CONNECTED = (".connect_tcp.complete", ".start_tls.complete")
SENDING = "http11.send_request_headers.started"
"""Events that httpcore reports (https://www.encode.io/httpcore/extensions/#trace)."""

PartT = TypeVar("PartT")


class _OnlyEvents(logging.Filter):
    """Reduces a log line to the name of the event."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = record.getMessage().partition(" ")[0], ()
        return True


for _name in ("connection", "http11", "proxy", "socks"):
    # At debug level httpcore logs the headers of responses (httpcore/_trace.py), and a server may quote credentials in
    # them, escaped more than once: tests/provider/schema/test_redaction.py.
    logging.getLogger(f"httpcore.{_name}").addFilter(_OnlyEvents())


CERTIFICATES = "SSL_CERT_FILE"
"""The environment variable with the certificate authorities that replace the usual ones."""


@functools.cache
def trusted() -> ssl.SSLContext:
    """Return the TLS context, created once for all clients: that takes longer than many requests.

    Raises:
        ConfigError: SSL_CERT_FILE names no file of certificates.
    """
    try:
        return httpx.create_ssl_context()
    except OSError as error:  # only a file that the environment names can be missing or another one
        raise ConfigError(
            f"{CERTIFICATES} is not a file of PEM certificates: {os.environ.get(CERTIFICATES)}: {error.strerror}\n"
            "Correct its path, or unset it."
        ) from None


class BoundedTransport(httpx.BaseTransport):
    """Sends requests. Each thread has its own connections: a shared pool searches all of them for each request.

    Args:
        seconds: The time limit of one request.
        runtime: Its clock, and its check for a cancel.
    """

    def __init__(self, *, seconds: float, runtime: Runtime) -> None:
        self._seconds = seconds
        self._runtime = runtime
        self._own = threading.local()
        self._opening = threading.Lock()
        self._opened: list[httpx.HTTPTransport] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request; its deadline applies until its response has been read.

        Raises:
            CloudDBError: The operation was cancelled before anything was sent.
            httpx.TransportError: Anything else.
        """
        servers: dict[tuple[str, bytes], _Server] = vars(self._own).setdefault("servers", {})
        origin = request.url.scheme, request.url.netloc
        if origin not in servers:
            servers[origin] = _Server(self._open(proxy_for(request.url)))
        return _Exchange(servers[origin], request, self._runtime, self._seconds).response()

    def close(self) -> None:
        """Close all connections."""
        for transport in self._opened:
            transport.close()

    def _open(self, proxy: str | None) -> httpx.HTTPTransport:
        limits = httpx.Limits(keepalive_expiry=KEEP_ALIVE_SECONDS)
        with self._opening:  # else threads that send their first requests together would create a TLS context each
            trust = trusted()
        try:
            transport = httpx.HTTPTransport(verify=trust, trust_env=False, limits=limits, proxy=proxy)
        except (httpx.InvalidURL, ValueError, ImportError) as error:
            # The error may quote the proxy's password. ImportError: httpcore supports SOCKS only with `socksio`.
            raise httpx.UnsupportedProtocol("the proxy that the environment names cannot be used") from error
        self._opened.append(transport)
        return transport


def proxy_for(url: httpx.URL) -> str | None:
    """Return the proxy that the environment names for an address; loopback is always reached directly."""
    if is_loopback(url.host) or proxy_bypass(url.host):
        return None
    proxies = getproxies()
    proxy = proxies.get(url.scheme) or proxies.get("all")
    return proxy if not proxy or "://" in proxy else f"http://{proxy}"


@dataclass
class _Server:
    """The connections of one thread to one server, and the socket that was opened last."""

    transport: httpx.HTTPTransport
    socket: socket.socket | None = None


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
        self._head: futures.Future[httpx.Response] = futures.Future()
        self._body: futures.Future[list[bytes]] = futures.Future()
        traced = httpx.Request(
            request.method,
            request.url,
            headers=request.headers,
            stream=request.stream,
            extensions={**request.extensions, "trace": self._trace},
        )
        threading.Thread(target=self._send, args=[traced], name="clouddb-request", daemon=True).start()

    def response(self) -> httpx.Response:
        """Return the response as soon as its headers have arrived."""
        response = self._wait_for(self._head)
        response.stream = self
        return response

    def __iter__(self) -> Iterator[bytes]:
        yield from self._wait_for(self._body)

    def close(self) -> None:
        if not self._body.done():
            self._end()

    # -- in the thread of the caller -------------------------------------------------------------------------------

    def _wait_for(self, part: futures.Future[PartT]) -> PartT:
        while not futures.wait([part], min(CHECK_SECONDS, self._deadline - self._runtime.monotonic())).done:
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
        error = part.exception()
        if isinstance(error, httpx.TimeoutException):  # on a busy machine the step ends before this thread looks again
            raise self._too_late(self._sent) from error
        if isinstance(error, (httpx.NetworkError, httpx.ProtocolError, ValueError)) and not self._sent:
            # ValueError: UnicodeError of a name that cannot be looked up. The others: a proxy does not connect.
            raise httpx.ConnectError(str(error)) from error
        return part.result()

    def _too_late(self, sent: bool) -> httpx.TimeoutException:
        seconds = min(self._seconds, round(self._seconds - (self._deadline - self._runtime.monotonic()), 1))
        return (httpx.ReadTimeout if sent else httpx.ConnectTimeout)(f"it took more than {seconds:g} s")

    def _end(self) -> bool:
        """End the request; return whether some of it may have been sent."""
        with self._lock:
            self._over = True
        if self._server.socket is not None:
            with suppress(OSError):
                # Not that of SSLSocket, which other threads must not call.
                socket.socket.shutdown(self._server.socket, socket.SHUT_RDWR)
        return self._sent

    # -- in the thread of the request ------------------------------------------------------------------------------

    def _send(self, request: httpx.Request) -> None:
        part: futures.Future[Any] = self._head
        try:
            response = self._server.transport.handle_request(request)
            stream = response.stream
            assert isinstance(stream, httpx.SyncByteStream)  # noqa: S101 (that of httpx.HTTPTransport)
            part = self._body
            self._head.set_result(response)
            with closing(stream):  # before the next request, which would need another connection
                content = _parts(stream)
            self._body.set_result(content)
        except BaseException as error:  # noqa: BLE001 (raised where the response is waited for)
            part.set_exception(error)

    def _trace(self, event: str, details: Mapping[str, Any]) -> None:
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
