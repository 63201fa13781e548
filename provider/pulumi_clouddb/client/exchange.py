"""Single requests with their whole responses, for diagnosing a server (`clouddb doctor`).

Each request goes through the client, so that it has the same deadline, credentials and errors as any other. It is not
retried, so that a diagnosis is quick.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import SplitResult, urlsplit

import httpx

from pulumi_clouddb.schema.config import ProviderConfig

from .client import Client, causes_of, trusted
from .errors import CloudDBError, RateLimitError
from .operation import Operation, ServerKind
from .responses import date_of
from .runtime import Runtime
from .transport import BoundedTransport, proxy_for

LONGEST_BODY = 1024 * 1024
"""Bytes of a body that are stored."""


@dataclass(frozen=True)
class Exchange:
    """One request and its response.

    Attributes:
        operation: The operation.
        result: The result in the envelope, or None.
        error: Why there is no result, or None.
        status: Status of the response, or None without one.
        headers: Its headers, by name in small letters.
        body: Its body, or the first part of a long one.
        at: This machine's time when its headers arrived, in seconds since 1970.
    """

    operation: Operation
    result: Any = None
    error: CloudDBError | None = None
    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    at: float = 0.0

    @property
    def media(self) -> str:
        """The media type of the body."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    @property
    def document(self) -> object:
        """The body as JSON, or None."""
        try:
            # `content` is the body decoded: a response may be compressed.
            return json.loads(httpx.Response(200, headers=dict(self.headers), content=self.body).content)
        except (ValueError, httpx.DecodingError):
            return None

    @property
    def seconds_ahead(self) -> float | None:
        """How far the server's clock is ahead of ours, or None if the response has no date."""
        date = date_of(self.headers)
        return None if date is None else date - self.at

    @property
    def redirected_to(self) -> SplitResult | None:
        """The target of a redirect, without its query; None for any other response."""
        if self.status is None or not 300 <= self.status < 400 or "location" not in self.headers:
            return None
        try:
            return urlsplit(self.headers["location"])._replace(query="", fragment="")
        except ValueError:
            return None

    @property
    def causes(self) -> Iterator[BaseException]:
        """The exceptions behind the error, the outermost first."""
        return causes_of(self.error)


class Exchanges:
    """Sends requests under one configuration: each operation once, since its exchange is stored.

    Args:
        config: Addresses, credentials and the time that one request may take.
    """

    def __init__(self, config: ProviderConfig) -> None:
        self.config = config.model_copy(update={"retry_timeout_seconds": 0.0, "pacing": False})
        self._runtime = Runtime()
        bounded = BoundedTransport(seconds=config.request_timeout_seconds, runtime=self._runtime, trust=trusted())
        self._watched = _Watched(bounded, self._runtime)
        self._client = Client(self.config, runtime=self._runtime, transport=self._watched)
        self._done: dict[str, Exchange] = {}
        self._limited: dict[ServerKind, Exchange] = {}

    def ask(self, operation: Operation, **parts: str) -> Exchange:
        """Carry out an operation that only reads, or return its stored exchange."""
        if operation.name not in self._done:
            # After 429 every further request would wait for the limit to be lifted.
            limited = self._limited.get(operation.server_kind)
            done = self._done[operation.name] = limited or self._ask(operation, parts)
            if isinstance(done.error, RateLimitError):
                self._limited[operation.server_kind] = done
        return self._done[operation.name]

    def limited(self, server_kind: ServerKind) -> Exchange | None:
        """Return the exchange that was answered with 429, if there was one."""
        return self._limited.get(server_kind)

    @property
    def count(self) -> int:
        """The number of requests sent."""
        return self._client.sent

    def close(self) -> None:
        """Close all connections."""
        self._watched.close()

    def _ask(self, operation: Operation, parts: Mapping[str, Any]) -> Exchange:
        self._watched.forget()
        result, error = None, None
        try:
            result = self._client.call(operation, once=True, **parts)
        except CloudDBError as refused:
            error = refused
        seen = self._watched
        return Exchange(operation, result, error, seen.status, seen.headers, bytes(seen.body), seen.at)


class _Watched(httpx.BaseTransport):
    """Sends requests, and stores the last response."""

    def __init__(self, inner: httpx.BaseTransport, runtime: Runtime) -> None:
        self._inner = inner
        self._runtime = runtime
        self.forget()

    def forget(self) -> None:
        """Drop what is stored."""
        self.status: int | None = None
        self.headers: dict[str, str] = {}
        self.body = bytearray()
        self.at = 0.0

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        response = self._inner.handle_request(request)
        assert isinstance(response.stream, httpx.SyncByteStream)  # noqa: S101 (the transport of this package)
        self.status, self.at = response.status_code, self._runtime.time()
        self.headers = dict(response.headers)
        return httpx.Response(
            response.status_code,
            headers=response.headers,
            stream=_Kept(response.stream, self.body),
            extensions=response.extensions,
        )

    def close(self) -> None:
        self._inner.close()


class _Kept(httpx.SyncByteStream):
    """A body that is stored while it is read."""

    def __init__(self, stream: httpx.SyncByteStream, kept: bytearray) -> None:
        self._stream = stream
        self._kept = kept

    def __iter__(self) -> Iterator[bytes]:
        for part in self._stream:
            self._kept += part[: LONGEST_BODY - len(self._kept)]
            yield part

    def close(self) -> None:
        self._stream.close()


def proxy_of(address: str) -> str | None:
    """Return host and port of the proxy through which an address is reached, without its credentials, or None."""
    proxy = proxy_for(httpx.URL(address))
    if proxy is None:
        return None
    try:
        parts = urlsplit(proxy)
        return f"{parts.hostname}:{parts.port}" if parts.port else str(parts.hostname)
    except ValueError:
        return "that cannot be used"
