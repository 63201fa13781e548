"""Sends one request in its turn and reads its whole response; one log line without bodies."""

from __future__ import annotations

import functools
import json
import logging
import ssl
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from http import HTTPStatus
from pathlib import Path

import httpx

from pulumi_clouddb.schema._version import VERSION
from pulumi_clouddb.schema.config import ProviderConfig, is_loopback
from pulumi_clouddb.schema.secrets.redaction import Redactor
from pulumi_clouddb.schema.values import digest

from .errors import (
    AmbiguousError,
    ClientError,
    ConfigError,
    ConnectError,
    InvalidResponseError,
    RateLimitError,
    ResourceError,
    ResponseLostError,
    debugging,
)
from .operation import Operation, ServerKind
from .rate_limiter import LIMIT_REACHED, LimitedError, RateLimiter
from .responses import (
    ACCEPTED_ENCODING,
    UnreadableBodyError,
    date_of,
    nothing_remains,
    parse_response,
    read_whole,
    seconds_until_reset,
)
from .runtime import Runtime
from .transport import BoundedTransport
from .version import Version

log = logging.getLogger("pulumi_clouddb.client")


@functools.cache
def _print_requests() -> None:
    """Print the log to standard error: Pulumi shows that of dynamic providers, and with `--debug` that of plugins."""
    printer = logging.StreamHandler()
    printer.setFormatter(logging.Formatter("clouddb: %(message)s"))
    log.addHandler(printer)
    log.setLevel(logging.DEBUG)


USER_AGENT = f"pulumi-clouddb/{VERSION}"

CONNECT_SECONDS = 5.0
"""Seconds until the next address of a name is tried, such as that of IPv4 where IPv6 leads nowhere."""


class Sender:
    """The connections of a client, with the clocks and the limits of its servers. Thread-safe.

    Args:
        config: Credentials and time limits.
        addresses: The address of each API.
        redactor: Hides the secrets of the configuration.
        runtime: Its clocks and waits.
        transport: Sends requests; by default over connections of its own, within `requestTimeoutSeconds`.
        folder: The folder in which processes share the limit of a key; None for a process by itself.
    """

    def __init__(
        self,
        config: ProviderConfig,
        addresses: Mapping[ServerKind, str],
        redactor: Redactor,
        runtime: Runtime,
        transport: httpx.BaseTransport | None,
        folder: Path | None,
    ) -> None:
        if debugging():
            _print_requests()
        self.config, self.runtime = config, runtime
        self._redactor = redactor
        self._limiters = {
            server_kind: RateLimiter(
                server_kind,
                enabled=bool(config.pacing),
                runtime=runtime,
                key=digest(str(server_kind), address, self._authorization(server_kind)),
                folder=folder,
            )
            for server_kind, address in addresses.items()
        }
        self._dates: dict[ServerKind, tuple[float, float]] = {}
        seconds = float(config.request_timeout_seconds)
        timeout = httpx.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS))
        self._timeouts = {"timeout": timeout.as_dict()}
        self._transport = transport or BoundedTransport(seconds=seconds, runtime=runtime)
        # Configuring the provider again drops the client, but operations that still run may use it.
        weakref.finalize(self, self._transport.close).atexit = False

    def close(self) -> None:
        """Close all connections; garbage collection of the sender does the same."""
        self._transport.close()

    def server_time(self, server_kind: ServerKind) -> float | None:
        """Return the time of a server's clock, in seconds since 1970, or None before its first response with a date.

        It is the `Date` of the last response and the time that has passed since. A `Date` has whole seconds and was
        written before the response arrived: the server's clock may be up to a second and the way of a response ahead.
        """
        seen = self._dates.get(server_kind)
        return None if seen is None else seen[0] + self.runtime.monotonic() - seen[1]

    def request(self, operation: Operation, address: str, url: str, payload: object) -> httpx.Request:
        """Build the request to `url`; refuse any other host than that of `address`, the configured one.

        Raises:
            ConfigError: The path leads away from the server.
            ResourceError: The body cannot be written as JSON.
        """
        headers = {
            "User-Agent": USER_AGENT,
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

    def upload(self, operation: Operation, address: str, content: bytes, media_type: str) -> None:
        """Send a file to an address that a server has returned for it.

        Anybody with the address can write there, so no message contains it. The request contains no credentials of
        the provider, and its response does not count towards limits or the clock of the API.

        Raises:
            InvalidResponseError: The address cannot be used.
            RateLimitError: The address takes no more files at the moment.
            AmbiguousError: Nobody knows whether the file has arrived.
            ApiError: Everything else.
        """
        try:
            url = httpx.URL(address)
            if not (url.scheme == "https" or (url.scheme == "http" and is_loopback(url.host))) or not url.host:
                raise httpx.InvalidURL("")
            shown = f"{url.scheme}://{url.host}"
            headers = {"User-Agent": USER_AGENT, "Content-Type": media_type}
            request = httpx.Request("PUT", url, content=content, headers=headers, extensions=self._timeouts)
        except (httpx.InvalidURL, ValueError):
            raise InvalidResponseError(operation, operation.path, "returned an address that is not https") from None
        hide = self._redactor.also([address, url.query.decode("latin-1")])
        response = self._exchange(operation, request, shown, hide)
        if response.is_success:
            return
        refused, status = f"{shown} refused the upload", response.status_code  # its text may repeat the signature
        if status == HTTPStatus.TOO_MANY_REQUESTS:
            raise RateLimitError(
                operation, shown, refused, status=status, retry_after=seconds_until_reset(response.headers)
            )
        failed = AmbiguousError if response.is_server_error else ClientError
        raise failed(operation, shown, refused, status=status)

    def _authorization(self, server_kind: ServerKind) -> str:
        if server_kind is ServerKind.SELF_HOSTED:
            return f"Bearer {self.config.stack_token}"
        return self._basic

    @functools.cached_property
    def _basic(self) -> str:
        request = httpx.Request("GET", "http://unused")
        login = httpx.BasicAuth(str(self.config.key_id), str(self.config.key_secret))
        return next(login.auth_flow(request)).headers["Authorization"]

    def send(
        self,
        operation: Operation,
        request: httpx.Request,
        redact: Callable[[str], str],
        retry_seconds: float,
        version: Version | None = None,
        before_write: Callable[[], None] | None = None,
    ) -> object:
        """Send a request in its turn and return its result, or return the result that another process received.

        A read sets `version`. A write calls `before_write` when its turn has come.

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
            if operation.writes and before_write:
                before_write()
            url = self._redactor(str(request.url))
            response = self._exchange(operation, request, url, redact, kind)
            result = parse_response(operation, response, redact)
            if version and not operation.writes:
                version.read(response.headers)
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
        """Send a request once, and return its whole response; messages have its address as `url`.

        `server_kind` is the API whose clock and limit the headers report; None for another server.
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
