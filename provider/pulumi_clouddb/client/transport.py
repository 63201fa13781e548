"""Connections on which every request ends: at its deadline, or within a second after its operation was cancelled.

The timeouts of httpx limit each step by itself, so that a body that drips never times out. Here one deadline holds for
connecting, sending, the headers and the whole body. Every wait is cut into slices; between them the runtime is asked
whether the operation may go on. Names are resolved and TLS is negotiated in a thread of their own, since neither can be
interrupted; nothing of the request is sent there.
"""

from __future__ import annotations

import logging
import selectors
import ssl
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent import futures
from contextlib import contextmanager, suppress
from urllib.request import getproxies, proxy_bypass

import httpcore
import httpx

from pulumi_clouddb.schema.config import is_loopback
from pulumi_clouddb.schema.values import WireDict

from .errors import CloudDBError
from .runtime import CHECK_SECONDS, Runtime

KEEP_ALIVE_SECONDS = 4
"""An idle connection is used again for this long; Node.js servers close theirs after 5."""

GRACE_SECONDS = 0.4
"""So long a write that was sent may go on after a cancel: most responses are on their way then, and bring an id."""

WRITE_BYTES = 16 * 1024
"""A socket that is ready to be written takes this much without waiting."""


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
        self._limit = _Limit(runtime)
        self._trust = trust
        self._pools: dict[str | None, httpcore.ConnectionPool] = {}
        self._proxies: dict[httpx.URL, str | None] = {}

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request; its deadline holds until its response has been read.

        Raises:
            CloudDBError: The operation was cancelled before anything was sent.
            httpx.TransportError: Anything else.
        """
        assert isinstance(request.stream, httpx.SyncByteStream)  # noqa: S101 (this package sends no other)
        self._limit.start(self._seconds, grace=0.0 if request.method == "GET" else GRACE_SECONDS)
        url = request.url
        with _httpx_errors():
            response = self._pool(url).handle_request(
                httpcore.Request(
                    method=request.method,
                    url=httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
                    headers=request.headers.raw,
                    content=request.stream,
                    extensions=request.extensions,
                )
            )
        return httpx.Response(
            response.status, headers=response.headers, stream=_Body(response), extensions=response.extensions
        )

    def close(self) -> None:
        """Close all connections."""
        for pool in self._pools.values():
            pool.close()

    def _pool(self, url: httpx.URL) -> httpcore.ConnectionPool:
        origin = url.copy_with(raw_path=b"/")
        if origin not in self._proxies:
            self._proxies[origin] = proxy_for(origin)
        proxy = self._proxies[origin]
        if proxy not in self._pools:
            self._pools[proxy] = self._new_pool(proxy)
        return self._pools[proxy]

    def _new_pool(self, proxy: str | None) -> httpcore.ConnectionPool:
        options: WireDict = {
            "ssl_context": self._trust,
            "keepalive_expiry": KEEP_ALIVE_SECONDS,
            "network_backend": _Backend(self._limit),
        }
        if proxy is None:
            return httpcore.ConnectionPool(**options)
        try:
            via = httpx.Proxy(proxy)
            kind = httpcore.SOCKSProxy if via.url.scheme.startswith("socks") else httpcore.HTTPProxy
            where = httpcore.URL(scheme=via.url.raw_scheme, host=via.url.raw_host, port=via.url.port, target=b"/")
            return kind(where, proxy_auth=via.raw_auth, **options)
        except (httpx.InvalidURL, ValueError, RuntimeError) as error:
            # The error may quote the proxy's password. RuntimeError: httpcore speaks SOCKS only with `socksio`.
            raise httpx.UnsupportedProtocol("the proxy that the environment names cannot be used") from error


def proxy_for(url: httpx.URL) -> str | None:
    """Return the proxy that the environment names for an address; loopback is always reached directly."""
    if is_loopback(url.host) or proxy_bypass(url.host):
        return None
    proxies = getproxies()
    proxy = proxies.get(url.scheme) or proxies.get("all")
    return proxy if not proxy or "://" in proxy else f"http://{proxy}"


class _Limit:
    """What ends the request under way: its deadline, and the end of its operation."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._deadline = 0.0
        self._seconds = 0.0
        self._grace = 0.0
        self._cut: float | None = None

    def start(self, seconds: float, *, grace: float) -> None:
        """Begin a request that may take that many seconds, and `grace` seconds once it was cancelled."""
        self._seconds = seconds
        self._grace = grace
        self._cut = None
        self._deadline = self._runtime.monotonic() + seconds

    def left(self, late: type[httpcore.TimeoutException]) -> float:
        """Return the seconds that are left.

        Raises:
            httpcore.TimeoutException: None are; it is of the class `late`.
        """
        left = self._deadline - self._runtime.monotonic()
        if left <= 0:
            raise late(f"it took more than {self._seconds:g} s")
        return left

    def slice(self, late: type[httpcore.TimeoutException]) -> float:
        """Return the seconds after which to ask again.

        Raises:
            httpcore.ReadError: The operation was cancelled after the request was sent, or some of it.
            httpcore.TimeoutException: The deadline is over.
        """
        try:
            self._runtime.check()
        except CloudDBError as cancelled:
            now = self._runtime.monotonic()
            self._cut = now + self._grace if self._cut is None else self._cut
            if now >= self._cut:
                raise httpcore.ReadError("the operation was cancelled") from cancelled
            return min(self._cut - now, self.left(late))
        return min(CHECK_SECONDS, self.left(late))

    def aside(self, step: Callable[[float], httpcore.NetworkStream]) -> httpcore.NetworkStream:
        """Take a step towards a connection in another thread, and leave it behind when the request is over.

        Raises:
            CloudDBError: The operation was cancelled.
            httpcore.ConnectTimeout: The deadline is over.
            httpcore.ConnectError: There is no connection.
        """
        seconds = self.left(httpcore.ConnectTimeout)
        outcome: futures.Future[httpcore.NetworkStream] = futures.Future()

        def run() -> None:
            try:
                outcome.set_result(step(seconds))
            except BaseException as error:  # noqa: BLE001 (raised where the outcome is waited for)
                outcome.set_exception(error)

        threading.Thread(target=run, name="clouddb-connect", daemon=True).start()
        try:
            while not futures.wait([outcome], min(CHECK_SECONDS, self.left(httpcore.ConnectTimeout))).done:
                self._runtime.check()
        except BaseException:
            outcome.add_done_callback(_discard)
            raise
        try:
            return outcome.result()
        except httpcore.ConnectTimeout:
            self.left(httpcore.ConnectTimeout)  # on a busy machine the step gives up before this thread looks again
            raise
        except ValueError as error:  # UnicodeError: a name that cannot be looked up
            raise httpcore.ConnectError(str(error)) from error


class _Backend(httpcore.NetworkBackend):
    """Connects within the limit."""

    def __init__(self, limit: _Limit) -> None:
        self._limit = limit
        self._plain = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ARG002 (the limit is narrower)
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        def connect(seconds: float) -> httpcore.NetworkStream:
            return self._plain.connect_tcp(host, port, seconds, local_address, socket_options)

        return _Stream(self._limit.aside(connect), self._limit)


class _Stream(httpcore.NetworkStream):
    """Reads and writes within the limit."""

    def __init__(self, stream: httpcore.NetworkStream, limit: _Limit) -> None:
        self._stream = stream
        self._limit = limit

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002
        while True:
            with suppress(httpcore.ReadTimeout):
                return self._stream.read(max_bytes, self._slice_to_read())

    def _slice_to_read(self) -> float:
        try:
            return self._limit.slice(httpcore.ReadTimeout)
        except httpcore.ReadTimeout as late:
            # Not the class that the end of a slice raises.
            raise httpcore.ReadError(str(late)) from late

    def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002
        for start in range(0, len(buffer), WRITE_BYTES):
            self._wait_until_writable()
            self._stream.write(buffer[start : start + WRITE_BYTES], self._limit.left(httpcore.WriteTimeout))

    def _wait_until_writable(self) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(self._stream.get_extra_info("socket"), selectors.EVENT_WRITE)
            while not selector.select(self._limit.slice(httpcore.WriteTimeout)):
                pass

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ARG002
    ) -> httpcore.NetworkStream:
        def negotiate(seconds: float) -> httpcore.NetworkStream:
            return self._stream.start_tls(ssl_context, server_hostname, seconds)

        return _Stream(self._limit.aside(negotiate), self._limit)

    def get_extra_info(self, info: str) -> object:
        return self._stream.get_extra_info(info)

    def close(self) -> None:
        self._stream.close()


class _Body(httpx.SyncByteStream):
    """The body of a response, with the errors of httpx."""

    def __init__(self, response: httpcore.Response) -> None:
        self._response = response

    def __iter__(self) -> Iterator[bytes]:
        with _httpx_errors():
            yield from self._response.iter_stream()

    def close(self) -> None:
        self._response.close()


@contextmanager
def _httpx_errors() -> Iterator[None]:
    """Turn the errors of httpcore into those of the same names in httpx."""
    try:
        yield
    except (
        httpcore.TimeoutException,
        httpcore.NetworkError,
        httpcore.ProtocolError,
        httpcore.ProxyError,
        httpcore.UnsupportedProtocol,
    ) as error:
        raise getattr(httpx, type(error).__name__)(str(error)) from error


def _discard(outcome: futures.Future[httpcore.NetworkStream]) -> None:
    """Close a connection that came too late."""
    if outcome.exception() is None:
        outcome.result().close()
