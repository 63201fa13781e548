"""The one request funnel: authentication, pacing, deadline, retry, envelope, error, one log line without bodies."""

from __future__ import annotations

import functools
import json
import logging
import re
import ssl
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import httpx

from pulumi_clouddb.schema.config import ProviderConfig, is_loopback
from pulumi_clouddb.schema.rules import wire_case
from pulumi_clouddb.schema.secrets.masking import secrets_of_body, secrets_of_settings
from pulumi_clouddb.schema.secrets.redaction import Redactor, remember
from pulumi_clouddb.schema.values import WireValues, digest, whole_numbers

from .caller import KeyOrganization
from .dialect import DIALECTS, Dialect
from .errors import (
    AmbiguousError,
    ApiError,
    CancelledError,
    ClientError,
    ConfigError,
    ConnectError,
    InvalidResponseError,
    RateLimitError,
    ResourceError,
    ResponseLostError,
)
from .needed import missing_settings, not_set
from .operation import CALLER, Operation, ServerKind
from .pages import Page, PagedList
from .rate_limiter import LIMIT_REACHED, LimitedError, RateLimiter, on_turn
from .responses import (
    ACCEPTED_ENCODING,
    UnreadableBodyError,
    date_of,
    nothing_remains,
    parse_response,
    read_whole,
    seconds_until_reset,
)
from .retries import may_retry, wait_for_retry
from .runtime import Runtime
from .transport import BoundedTransport

log = logging.getLogger("pulumi_clouddb.client")

Transport = httpx.BaseTransport
"""Sends requests."""

Query = Mapping[str, int | str | list[str]]
"""Parameters behind the path."""

Repeats = Callable[[ApiError], bool]
"""Returns whether to repeat a write that a server refuses while it works on the object.

Such a refusal has changed nothing, so that even a POST can be repeated.
"""

CONNECT_SECONDS = 5.0
"""Seconds until the next address of a name is tried, such as that of IPv4 where IPv6 leads nowhere."""

_BODIES = {"ServiceCreated": "Service", "KeyCreated": "Key"}
"""The record in the request body of an operation, if it differs from that of the result."""


class Client:
    """Speaks to both APIs under one configuration. Thread-safe; keep one per configuration.

    Args:
        config: Addresses, credentials and time limits.
        runtime: Its clocks and waits.
        transport: Sends requests; by default over connections of its own, within `requestTimeoutSeconds`.
        folder: The folder in which processes share the limit of a key; None for a process by itself.
        provider: Name of the explicit provider that has the configuration; empty if it is that of the stack.
    """

    def __init__(
        self,
        config: ProviderConfig,
        *,
        runtime: Runtime | None = None,
        transport: httpx.BaseTransport | None = None,
        folder: Path | None = None,
        provider: str = "",
    ) -> None:
        self.config = config
        self._provider = provider
        self.runtime = runtime or Runtime()
        self.dialect: Dialect = DIALECTS[config.vocabulary]
        self._limiters = {
            server_kind: RateLimiter(
                server_kind,
                enabled=bool(config.pacing),
                runtime=self.runtime,
                key=digest(str(server_kind), self._address(server_kind), self._authorization(server_kind)),
                folder=folder,
            )
            for server_kind in ServerKind
        }
        secrets = secrets_of_settings(config.model_dump(by_alias=True))
        remember(secrets)
        self._redactor = Redactor(secrets)
        self._dates: dict[ServerKind, tuple[float, float]] = {}
        seconds = float(config.request_timeout_seconds)
        timeout = httpx.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS))
        self._timeouts = {"timeout": timeout.as_dict()}
        self._transport = transport or BoundedTransport(seconds=seconds, runtime=self.runtime)
        self._key_organization = KeyOrganization(self.runtime, partial(self.call, CALLER), provider)
        # Configuring the provider again drops the client, but operations that still run may use it.
        weakref.finalize(self, self._transport.close).atexit = False

    def close(self) -> None:
        """Close all connections; garbage collection of the client does the same."""
        self._transport.close()

    @property
    def organization_id(self) -> str:
        """The id of the organization: that of the configuration, or else that of the key.

        Raises:
            ConfigError: There is none, or there are several.
            ApiError: The server was not reached, or rejects the key.
        """
        if self.config.organization_id is not None:
            return self.config.organization_id
        if missing := missing_settings(self.config, ServerKind.MANAGEMENT, organization=True):
            raise ConfigError("\n".join(not_set(missing, self._provider)))
        return self._key_organization.id

    def server_time(self, server_kind: ServerKind) -> float | None:
        """Return the time of a server's clock, in seconds since 1970, or None before its first response with a date.

        It is the `Date` of the last response and the time that has passed since. A `Date` has whole seconds and was
        written before the response arrived: the server's clock may be up to a second and the way of a response ahead.
        """
        seen = self._dates.get(server_kind)
        return None if seen is None else seen[0] + self.runtime.monotonic() - seen[1]

    def call(
        self,
        operation: Operation,
        /,
        body: WireValues | None = None,
        *,
        once: bool = False,
        repeats: Repeats = lambda _: False,
        query: Query | None = None,
        **parts: str | None,
    ) -> Any:
        """Carry out one operation and return its result, with the field names of the interface.

        A list is whole: all its pages are requested, and if one of them fails, so does the list. If it raises anything
        but `AmbiguousError`, it has changed nothing.

        Args:
            operation: The operation.
            body: JSON body, with the field names of the interface.
            once: Whether 429, a write without a response and a refusal that may pass are raised instead of retried, so
                that the caller can list again what exists. After 429, the next request waits until the server's limit
                is lifted.
            repeats: Decides about each refusal of a write that may pass.
            query: Query parameters; a list repeats its parameter.
            parts: Parts of the path: `service_id`, `pipe_id`, `key_id`, `dashboard_id`, `alert_id`.

        Raises:
            ConfigError: Address, organization or credentials are missing, or a path of `clouddb:paths` cannot be used.
            ResourceError: The body cannot be written as JSON.
            ApiError: Everything else; see `errors`.
            CloudDBError: The operation was cancelled before anything was sent, or while something was read.
        """
        if operation.lists:
            whole = PagedList(operation, partial(self._page, operation, query or {}, parts), self.runtime.monotonic)
            return self.dialect.from_server(operation.record, whole.records())
        result = self._result(operation, body, parts, query, once=once, repeats=repeats)
        return self.dialect.from_server(operation.record, result)

    def _page(self, operation: Operation, query: Query, parts: Mapping[str, str | None], page: Query) -> Page:
        """Request one page of a list."""
        found: Any = self._result(operation, None, parts, {**query, **page})
        return Page(*found)  # that of another process is JSON

    def _result(
        self,
        operation: Operation,
        body: WireValues | None,
        parts: Mapping[str, str | None],
        query: Query | None,
        *,
        once: bool = False,
        repeats: Repeats = lambda _: False,
    ) -> object:
        """Carry out one request, again if that is safe and may help, and return its result; see `call`."""
        request = self._request(operation, body, parts, query)
        started = self.runtime.monotonic()
        lost: AmbiguousError | None = None

        def redact(text: str) -> str:
            return self._redactor.also(secrets_of_body(body))(text)

        try:
            for attempt in count():
                try:
                    left = self.config.limit_retry_seconds - (self.runtime.monotonic() - started)
                    result = self._attempt(operation, request, redact, left)
                    break
                except ApiError as error:
                    if isinstance(error, AmbiguousError):
                        lost = error
                    elapsed = self.runtime.monotonic() - started
                    passes = error.may_pass and operation.writes and not once and repeats(error)
                    if not passes and not may_retry(self.config, operation, error, elapsed, once=once):
                        raise
                    wait_for_retry(self.runtime, error, attempt)
        except (ConnectError, RateLimitError, CancelledError):  # the last attempt changed nothing
            if lost and operation.writes:  # but an earlier one may have
                raise lost from None
            raise
        return result

    def upload(self, operation: Operation, address: str, content: bytes, media_type: str) -> None:
        """Send a file to an address that a server has returned for it.

        Anybody with the address can write there, so no message contains it. The request contains no credentials of
        the provider, and its response does not count towards limits or the clock of the API.

        Raises:
            InvalidResponseError: The address cannot be used.
            AmbiguousError: Nobody knows whether the file has arrived.
            ApiError: Everything else.
        """
        try:
            url = httpx.URL(address)
            if not (url.scheme == "https" or (url.scheme == "http" and is_loopback(url.host))) or not url.host:
                raise httpx.InvalidURL("")
            shown = f"{url.scheme}://{url.host}"
            headers = {"User-Agent": "pulumi-clouddb", "Content-Type": media_type}
            request = httpx.Request("PUT", url, content=content, headers=headers, extensions=self._timeouts)
        except (httpx.InvalidURL, ValueError):
            raise InvalidResponseError(operation, operation.path, "returned an address that is not https") from None
        hide = self._redactor.also([address, url.query.decode("latin-1")])
        response = self._exchange(operation, request, shown, hide)
        if not response.is_success:  # its text may repeat the signature
            failed = AmbiguousError if response.is_server_error else ClientError
            raise failed(operation, shown, f"{shown} refused the upload", status=response.status_code)

    # -- the request -----------------------------------------------------------------------------------------------

    def _request(
        self,
        operation: Operation,
        body: WireValues | None,
        parts: Mapping[str, str | None],
        query: Query | None = None,
    ) -> httpx.Request:
        """Build the request; refuse any other host than the configured one."""
        if operation.only and operation.only is not self.config.vocabulary:
            raise ConfigError(
                f"could not {operation.action}: only the vendor's servers offer this\n"
                f"If this is one, set {operation.only.setting}."
            )
        template = self._template(operation)
        address = self._address(operation.server_kind)
        url = address + self._path(operation, template, parts)
        if query:
            url += f"?{urlencode(query, doseq=True)}"
        payload = None
        if body is not None:
            payload = whole_numbers(self.dialect.to_server(_BODIES.get(operation.record, operation.record), dict(body)))
        headers = {
            "User-Agent": "pulumi-clouddb",
            "Accept": operation.media,
            "Accept-Encoding": ACCEPTED_ENCODING,
            "Authorization": self._authorization(operation.server_kind),
        }
        try:
            request = httpx.Request(
                operation.method,
                _url(url),
                json=payload,
                headers=headers,
                extensions=self._timeouts,
            )
            same_server = _origin(request.url) == _origin(_url(address))
        except httpx.InvalidURL:
            same_server = False
        except (ValueError, TypeError):
            raise ResourceError(
                f"could not {operation.action}: the request cannot be written as JSON in UTF-8",
                "Look for a number that is infinite or not a number, and for text that is not Unicode.",
            ) from None
        if not same_server:
            raise ConfigError(
                f"could not {operation.action}: its path would lead away from {self._redactor(address)}\n"
                f"Set clouddb:paths of {operation.name} to a path that begins with one `/`."
            )
        return request

    def _template(self, operation: Operation) -> str:
        """Return the path of an operation on this server, with placeholders; refuse it if a setting is missing."""
        template = operation.path
        if operation.server_kind is ServerKind.MANAGEMENT:
            template = self.dialect.path(template)
        template = (self.config.paths or {}).get(operation.name, template)
        organization = "{organizationId}" in template
        if missing := missing_settings(self.config, operation.server_kind, organization=organization):
            raise ConfigError("\n".join(not_set(missing, self._provider)))
        return template

    def _path(self, operation: Operation, template: str, parts: Mapping[str, str | None]) -> str:
        values = {wire_case(name): value for name, value in parts.items() if value is not None}
        if "{organizationId}" in template and "organizationId" not in values:
            values["organizationId"] = self.organization_id
        path = template
        for name, value in values.items():
            path = path.replace(f"{{{name}}}", _segment(str(value)))
        if unfilled := re.search(r"\{\w*}?", path):
            raise ConfigError(
                f"could not {operation.action}: {unfilled[0]} in its path has no value\n"
                f"Set clouddb:paths of {operation.name} to a path with the placeholders of {operation.path} only."
            )
        return path

    def _address(self, server_kind: ServerKind) -> str:
        if server_kind is ServerKind.SELF_HOSTED:
            return str(self.config.stack_url)
        return str(self.config.base_url or self.dialect.base_url)

    def _authorization(self, server_kind: ServerKind) -> str:
        if server_kind is ServerKind.SELF_HOSTED:
            return f"Bearer {self.config.stack_token}"
        return self._basic

    @functools.cached_property
    def _basic(self) -> str:
        request = httpx.Request("GET", "http://unused")
        login = httpx.BasicAuth(str(self.config.key_id), str(self.config.key_secret))
        return next(login.auth_flow(request)).headers["Authorization"]

    # -- sending it ------------------------------------------------------------------------------------------------

    def _attempt(
        self, operation: Operation, request: httpx.Request, redact: Callable[[str], str], retry_seconds: float
    ) -> object:
        """Send a request in its turn and return its result, or return the result that another process received.

        Raises:
            RateLimitError: The server refused it, or accepts none of this key for more than `retry_seconds`.
            ApiError: Any other failure.
        """
        kind = operation.server_kind
        limiter = self._limiters[kind]
        shared = digest(str(request.url), request.headers["Authorization"]) if operation.shared else None
        try:
            turn = limiter.acquire(shared, retry_seconds=retry_seconds)
        except LimitedError as limited:
            url = self._redactor(str(request.url.copy_with(query=None)))
            raise RateLimitError(operation, url, LIMIT_REACHED, retry_after=limited.seconds) from None
        if turn.answer is not None:
            with suppress(ValueError):  # the file of shared results is broken
                result, date = json.loads(turn.answer)
                if date:
                    self._dates[kind] = date
                return result
            shared, turn = None, limiter.acquire()
        answer, served = None, True
        try:
            if operation.writes:
                on_turn.get()()
            url = self._redactor(str(request.url))
            response = self._exchange(operation, request, url, redact, kind)
            result = parse_response(operation, response, redact)
            answer = json.dumps([result, self._dates.get(kind)]) if shared else None
            return result
        except RateLimitError:
            served = False
            raise
        finally:
            limiter.answered(turn, answer, served=served)
            if operation.writes:
                limiter.wrote()

    def _exchange(
        self,
        operation: Operation,
        request: httpx.Request,
        url: str,
        redact: Callable[[str], str],
        server_kind: ServerKind | None = None,
    ) -> httpx.Response:
        """Send a request once, and return its whole response.

        Args:
            operation: The operation, for errors.
            request: The request.
            url: Its address in messages.
            redact: Hides secrets in texts of the server.
            server_kind: The API whose clock and limit the headers report; None for another server.
        """
        started = self.runtime.monotonic()
        outcome = "no answer"
        try:
            response = self._transport.handle_request(request)
            response.request = request
            outcome = str(response.status_code)
            if server_kind is not None:
                self._read_headers(server_kind, response)
            return read_whole(response)
        except (
            httpx.ConnectError,
            httpx.ConnectTimeout,
            httpx.PoolTimeout,
            httpx.ProxyError,
            httpx.UnsupportedProtocol,
        ) as error:
            words = f"the proxy refused to connect: {error}" if isinstance(error, httpx.ProxyError) else _words(error)
            raise ConnectError(operation, url, redact(words), permanent=_permanent(error)) from None
        except httpx.RequestError as error:
            if not operation.writes:
                self.runtime.check()
            message = f"the connection was lost before the response ({redact(_words(error))})"
            closed = not isinstance(error, httpx.TimeoutException)
            raise ResponseLostError(operation, url, message, closed=closed) from None
        except UnreadableBodyError as error:
            raise InvalidResponseError(operation, url, redact(str(error)), status=response.status_code) from None
        finally:
            elapsed = self.runtime.monotonic() - started
            log.debug("%s %s: %s, %.0f ms", request.method, url, outcome, elapsed * 1000)

    def _read_headers(self, server_kind: ServerKind, response: httpx.Response) -> None:
        seconds, limiter = seconds_until_reset(response.headers), self._limiters[server_kind]
        if response.status_code == httpx.codes.TOO_MANY_REQUESTS:
            limiter.block_for(1.0 if seconds is None else seconds)
        elif response.is_success and nothing_remains(response.headers):
            limiter.block_for(seconds or 0.0, refused=False)
        date = date_of(response.headers)
        if date is not None:
            self._dates[server_kind] = (date, self.runtime.monotonic())


def _origin(url: httpx.URL) -> tuple[str, str, int | None, bytes]:
    return url.scheme, url.host, url.port, url.userinfo


_url = functools.lru_cache(maxsize=256)(httpx.URL)
"""Lists are requested often, and httpx checks each character of an address."""


def _words(error: Exception) -> str:
    return str(error).strip() or type(error).__name__


def _permanent(error: BaseException) -> bool:
    """Return whether retrying cannot help: the certificate does not verify, or the proxy cannot be used."""
    needs_login = isinstance(error, httpx.ProxyError) and str(error).startswith("407 ")
    return (
        needs_login
        or isinstance(error, httpx.UnsupportedProtocol)
        or any(
            isinstance(each, ssl.SSLCertVerificationError) or "CERTIFICATE_VERIFY_FAILED" in str(each)
            for each in causes_of(error)
        )
    )


def causes_of(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error and the exceptions behind it, the outermost first."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _segment(value: str) -> str:
    """Quote one part of a path; `.` and `..` would otherwise change the path."""
    return quote(value, safe="") if value.strip(".") else value.replace(".", "%2E")
