"""Single requests with their whole responses, for diagnosing a server (`clouddb doctor`).

Each request goes through the client, so that it has the same deadline, credentials and errors as any other. It is not
retried, so that a diagnosis is quick.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import SplitResult, urlsplit

import httpx

from pulumi_clouddb.schema.config import ProviderConfig

from .client import Client
from .errors import CloudDBError, RateLimitError
from .operation import Operation, ServerKind
from .responses import date_of
from .sender import Sender, causes_of
from .transport import proxy_for


@dataclass(frozen=True)
class Exchange:
    """One request and its response.

    Attributes:
        operation: The operation.
        result: The result in the envelope, or None.
        error: Why there is no result, or None.
        response: The response, with its body if that can be read; None without one.
        at: This machine's time when its headers arrived, in seconds since 1970.
    """

    operation: Operation
    result: Any = None
    error: CloudDBError | None = None
    response: httpx.Response | None = None
    at: float = 0.0

    @property
    def status(self) -> int | None:
        """The status of the response."""
        return None if self.response is None else self.response.status_code

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers of the response."""
        return {} if self.response is None else self.response.headers

    @property
    def is_empty(self) -> bool:
        """Whether the body is empty."""
        return self._content == b""

    @property
    def media(self) -> str:
        """The media type of the body."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    @property
    def document(self) -> object:
        """The body as JSON, or None."""
        try:
            return json.loads(self._content or b"")
        except (ValueError, RecursionError):
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
    def _content(self) -> bytes | None:
        """The body; None if it cannot be read."""
        try:
            return None if self.response is None else self.response.content
        except httpx.ResponseNotRead:
            return None

    @property
    def causes(self) -> Iterator[BaseException]:
        """The exceptions behind the error, the outermost first."""
        return causes_of(self.error)


class Exchanges:
    """Sends requests under one configuration: each operation on an object once, since its exchange is stored.

    Args:
        config: Addresses, credentials and the time that one request may take.
    """

    def __init__(self, config: ProviderConfig) -> None:
        self.config = config.model_copy(update={"retry_timeout_seconds": 0.0, "pacing": False})
        self._client = _RecordingClient(self.config)
        self._done: dict[tuple[str, ...], Exchange] = {}
        self._limited: dict[ServerKind, Exchange] = {}

    def ask(self, operation: Operation, **parts: str) -> Exchange:
        """Carry out an operation that only reads, or return its stored exchange."""
        key = (operation.name, *parts.values())
        if key not in self._done:
            # After 429 every further request would wait for the limit to be lifted.
            limited = self._limited.get(operation.server_kind)
            done = self._done[key] = limited or self._client.exchange(operation, parts)
            if isinstance(done.error, RateLimitError):
                self._limited[operation.server_kind] = done
        return self._done[key]

    def limited(self, server_kind: ServerKind) -> Exchange | None:
        """Return the exchange with a 429 response, if there was one."""
        return self._limited.get(server_kind)

    def close(self) -> None:
        """Close all connections."""
        self._client.close()


class _RecordingClient(Client):
    """A client whose sender stores its last response."""

    def exchange(self, operation: Operation, parts: Mapping[str, Any]) -> Exchange:
        """Carry out an operation, and return its exchange."""
        last, result, error = _RecordingSender.of(self), None, None
        last.response = None
        try:
            result = self.call(operation, once=True, **parts)
        except CloudDBError as refused:
            error = refused
        return Exchange(operation, result, error, last.response, last.at)

    def _sender_type(self) -> type[Sender]:
        return _RecordingSender


class _RecordingSender(Sender):
    """A sender that stores its last response, and when its headers arrived."""

    response: httpx.Response | None = None
    at = 0.0

    @classmethod
    def of(cls, client: Client) -> _RecordingSender:
        """Return the sender of a recording client."""
        assert isinstance(client.sender, cls)  # noqa: S101
        return client.sender

    def _read_headers(self, server_kind: ServerKind, response: httpx.Response) -> None:
        super()._read_headers(server_kind, response)
        self.response, self.at = response, self.runtime.time()

    def _exchange(self, *args: Any, **options: Any) -> httpx.Response:
        self.response = super()._exchange(*args, **options)
        return self.response


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
