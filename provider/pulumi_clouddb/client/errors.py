"""The errors of this package.

    CloudDBError                           base of all errors
    ├── ConfigError                        a setting is missing or invalid
    ├── ResourceError                      a resource refused or could not finish an operation; says what to do
    │   └── CancelledError                 the operation was cancelled, or timed out
    ├── ProgramError                       a mistake in a program, raised at its line
    │   ├── ArgumentError                  an argument is missing, or does not exist; also a TypeError
    │   └── UnknownKeyError                a map does not have the key; also a KeyError
    └── ApiError                           a request failed
        ├── ConnectError                   no connection: nothing was sent
        ├── AmbiguousError                 the request may have been carried out
        │   ├── ResponseLostError          the connection broke or timed out after sending
        │   ├── InvalidResponseError       the response is not one of the API
        │   │   └── PartialListError       a list in pages could not be read to its end
        │   └── ServerError                5xx
        ├── RateLimitError                 429, also after retries
        ├── UnauthorizedError              401 or 403
        ├── NotFoundError                  404 of the API itself: the object does not exist
        ├── UnsupportedOperationError      any other 404, 405 or 501: the server does not offer the operation
        └── ClientError                    any other 4xx
            ├── ListNotFoundError          404 of the API itself to a list: it says nothing about an object
            └── ConflictError              409

Every message has at most two lines: what failed on which object, with the server's words; then what to do.
"""

from __future__ import annotations

import math
import os
import textwrap
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

from pulumi_clouddb.schema.printable import printable
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE, NEUTRAL, VENDOR_URL

from .dialect import DIALECTS

if TYPE_CHECKING:
    from .operation import Operation

_SAME_SERVER = (
    "It must be on the same server: both with the same serviceId, or both without. If it was deleted since the last "
    "run, run `pulumi up --refresh`."
)
_ALL_TILES = "The server checks all tiles with each update. Give these an existing"
ADVICE = {
    "Tile not found": "Take the tile's id from the dashboard that has it, by the tile's key: the output tileIds of a "
    "Dashboard. A tile that left the dashboard, or was created again, has another id or none.",
    "Dashboard not found": f"Take its id from the resource: the output id of a Dashboard. {_SAME_SERVER}",
    "Saved search not found": f"Take its id from the resource: the output id of a SavedSearch. {_SAME_SERVER}",
    "is supported only with clouddb:vocabulary=clickhouse": "This server uses the dialect neutral: set "
    "clouddb:vocabulary=neutral, or clouddb:baseUrl to a server of the vendor.",
    "id: Invalid ObjectId": "Give the id of the object and not its name: `clouddb find NAME` prints it.",
    "must be a UUID, not": "Give the id of the object and not its name: `clouddb find NAME` prints it.",
    "407 Proxy Authentication Required": "Log in to the proxy: put USER:PASSWORD@ before its host in HTTPS_PROXY.",
    "CERTIFICATE_VERIFY_FAILED": "The certificate of the server, or of a proxy before it, is not trusted: "
    "`clouddb doctor` shows why. Set SSL_CERT_FILE to a file with its authority, or correct the address.",
    "too many to read in": "Check the address of the API, or raise clouddb:requestTimeoutSeconds.",
    "Could not find the following source IDs": f"{_ALL_TILES} data source: the output id of a Source, or that "
    "of getSource with its name, on the same server; or remove them.",
    "Could not find the following connection IDs": f"{_ALL_TILES} connection: the output id of a Connection "
    "on the same server; or remove them.",
    "Could not find the following onClick dashboard IDs": f"{_ALL_TILES} dashboard as the target of clicks: the "
    "output id of a Dashboard on the same server; or remove them.",
    "received 'inline'": "This server has alerts on tiles and saved searches alone; servers newer than 2.36 have those "
    "with a chart of their own. Set tileId or savedSearchId in place of chartConfig, or update the server.",
    "Webhook not found": f"Take its id from the resource: the output id of a Webhook. {_SAME_SERVER}",
}
"""What to do about messages that say what is wrong, but not what to do.

They are those of the vendor's observability server, of the sandbox (tests/provider/client/test_advice.py), and our own.
"""

PAYMENT_REQUIRED, FORBIDDEN, CONFLICT, LOCKED, FAILED_DEPENDENCY, TOO_EARLY = 402, 403, 409, 423, 424, 425
AT_WORK = (LOCKED, FAILED_DEPENDENCY, TOO_EARLY)
QUOTA = "Delete unused objects, or ask the server's operator to raise the organization's limit; then run again."
"""What to do about 402."""

LONG_SECONDS = 30.0
"""A pause that a message names with the time of its end."""

LONGEST_MESSAGE = 500
"""Characters of a server's message that are shown, on one line."""


DEBUG_VARIABLE = "CLOUDDB_DEBUG"


def debugging() -> bool:
    """Return whether `CLOUDDB_DEBUG` asks for tracebacks, and for a line for each request."""
    return os.environ.get(DEBUG_VARIABLE, "") not in ("", "0")


def two_lines(message: str) -> str:
    """Return a message with at most two printable lines: all but the last are joined."""
    lines = [printable(line.strip()) for line in message.splitlines() if line.strip()]
    return "\n".join([" ".join(lines[:-1]), lines[-1]]) if len(lines) > 2 else "\n".join(lines)


class CloudDBError(Exception):
    """The base of all errors of this package.

    Args:
        message: What failed, then what to do; see `two_lines`.
    """

    def __init__(self, message: str = "") -> None:
        super().__init__(two_lines(message))


class ConfigError(CloudDBError):
    """A setting is missing or invalid."""


class ResourceError(CloudDBError):
    """A resource refused or could not finish an operation.

    Args:
        what: The object, and why the operation failed.
        hint: What to do.
    """

    def __init__(self, what: str, hint: str = "") -> None:
        super().__init__(f"{what}\n{hint}" if hint else what)


class CancelledError(ResourceError):
    """The operation was cancelled, or timed out.

    Args:
        reason: Why, to follow "stopped waiting:".
    """

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(f"stopped waiting: {reason}", "Run again to continue.")


class ProgramError(CloudDBError):
    """A mistake in a program, raised at its line."""


class ArgumentError(ProgramError, TypeError):
    """An argument of a resource is missing, or does not exist."""


class UnknownKeyError(ProgramError, KeyError):
    """A map such as `tile_ids` does not have the key."""

    __str__ = Exception.__str__  # that of KeyError quotes the message


class ApiError(CloudDBError):
    """A request failed.

    Attributes:
        operation: The operation.
        url: Its address, without credentials and query.
        status: HTTP status, or None without a response.
        request_id: The server's id of the request, or None.
        message: The server's message, or why there was no response.
    """

    hint = ""

    def __init__(
        self,
        operation: Operation,
        url: str,
        message: str,
        *,
        status: int | None = None,
        request_id: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        self.operation = operation
        self.url = url
        self.message = textwrap.shorten(message, LONGEST_MESSAGE, placeholder=" …")
        self.status = status
        self.request_id = request_id
        self.retry_after = retry_after
        super().__init__(self._message())

    def with_more(self, more: str) -> ApiError:
        """Return this error with more words after the server's message."""
        message, known = f"{self.message} ({more})", {"status": self.status, "request_id": self.request_id}
        return type(self)(self.operation, self.url, message, retry_after=self.retry_after, **known)  # type: ignore[arg-type]

    @property
    def retryable(self) -> bool:
        """Whether sending the request again is safe and may help."""
        return False

    @property
    def may_pass(self) -> bool:
        """Whether the server has refused, perhaps because it works on the object: nothing was changed."""
        return False

    def _message(self) -> str:
        reason = f"{self.status} {self.message}" if self.status else self.message
        request = f" (request {self.request_id})" if self.request_id else ""
        first = f"could not {self.operation.action}: {self.operation.method} {self.url}: {reason}{request}"
        hint = next((advice for words, advice in ADVICE.items() if words in self.message), "") or self._advice()
        return f"{first}\n{hint}" if hint else first

    def _advice(self) -> str:
        return self.hint


class ConnectError(ApiError):
    """No connection: nothing was sent."""

    hint = "Nothing was sent. Check the address (clouddb:baseUrl, clouddb:stackUrl) and the network, then run again."

    def __init__(self, operation: Operation, url: str, message: str, *, permanent: bool = False) -> None:
        self.permanent = permanent
        super().__init__(operation, url, message)

    @property
    def retryable(self) -> bool:
        """Always safe; it cannot help if the certificate or the proxy is wrong."""
        return not self.permanent


class AmbiguousError(ApiError):
    """The request may have been carried out; the response does not show it."""

    hint = "It may still have been carried out; run again to find out."

    @property
    def retryable(self) -> bool:
        """Safe for reads, full replacements and deletions only."""
        return self.operation.repeatable

    def _advice(self) -> str:
        return self.hint if self.operation.writes else "Nothing was read; run again when the server works again."


class ResponseLostError(AmbiguousError):
    """The connection broke, or timed out, after the request was sent.

    Attributes:
        closed: Whether the connection broke; False if the request timed out.
    """

    def __init__(self, operation: Operation, url: str, message: str, *, closed: bool = False) -> None:
        self.closed = closed
        super().__init__(operation, url, message)


class InvalidResponseError(AmbiguousError):
    """The response is not one of the API."""

    @property
    def retryable(self) -> bool:
        """It cannot help: the next response would be the same."""
        return False

    def _advice(self) -> str:
        return f"Check that {self.operation.address_setting} is the address of the API, not of a proxy or a web page."


class PartialListError(InvalidResponseError):
    """A list in pages could not be read to its end."""

    def _advice(self) -> str:
        return "Run again. If it fails again, report it to the server's operator: an incomplete list proves nothing."


class ServerError(AmbiguousError):
    """5xx: the server failed, before or after it carried out the request."""

    @property
    def retryable(self) -> bool:
        """After 502, 503 and 504, of requests that are safe to repeat."""
        return self.operation.repeatable and self.status in (502, 503, 504)


class RateLimitError(ApiError):
    """429: too many requests."""

    hint = (
        "Other clients use up the requests of this key: wait a minute and run again, use a separate key, or raise "
        "clouddb:retryTimeoutSeconds if it is set."
    )

    @property
    def retryable(self) -> bool:
        """Always safe: the server did nothing."""
        return True

    def _advice(self) -> str:
        if self.retry_after is None or self.retry_after < LONG_SECONDS:
            return self.hint
        then = datetime.now(timezone.utc) + timedelta(seconds=self.retry_after)
        return (
            f"Run again after {then:%H:%M:%S} UTC, in {math.ceil(self.retry_after)} s, or set "
            "clouddb:retryTimeoutSeconds to more than that; a separate key is not affected."
        )


class UnauthorizedError(ApiError):
    """401 or 403: the credentials are missing, wrong or expired, or do not permit the request."""

    hint = (
        "Check the key (clouddb:keyId and clouddb:keySecret, or clouddb:stackToken): it must be enabled, not "
        "expired, allowed from this IP address, and have a role that permits this."
    )

    def _advice(self) -> str:
        other = f" The server is {VENDOR_URL}; if the key is that of another one, set clouddb:baseUrl."
        return self._permission() + (other if self.url.startswith(f"{VENDOR_URL}/") else "") + self._after_a_change()

    def _after_a_change(self) -> str:
        """Return what to do where Pulumi still uses the key of the last `up`; that may be another one.

        A refresh and a destroy run no program: the engine configures the provider as state has it, and only an `up`
        replaces that (tests/provider/engine/test_plugin_cli.py).
        """
        if self.status == FORBIDDEN or self.operation.method == "POST":
            return ""
        first = " After a change of the key, run `pulumi up` first: "
        return f"{first}`pulumi refresh` and `destroy` use that of the last one."

    def _permission(self) -> str:
        """Return what a key may lack: after 403, with the permissions that the cloud asks for."""
        if self.status != FORBIDDEN:
            return self.hint
        from pulumi_clouddb.schema._permissions import PERMISSIONS  # only a refusal needs it

        needed = PERMISSIONS.get(self.operation.name)
        if needed is None:
            return self.hint
        return (
            "The key (clouddb:keyId) must be allowed from this IP address and have a role that permits this: on the "
            f"vendor's cloud, one with {' and '.join(needed)}. Add that to the policies of one of its roles (a Role), "
            "or another role to the assignedRoleIds of its ApiKey."
        )


class NotFoundError(ApiError):
    """404 of the API itself: the object does not exist."""


class UnsupportedOperationError(ApiError):
    """Any other 404, 405 or 501: this server does not offer the operation."""

    def _advice(self) -> str:
        setting, prefix = self.operation.address_setting, self.operation.prefix
        address = self.url.partition(f"{prefix}/")[0]
        # The vendor's user interface forwards `/api` to its server, so such an address may be right.
        example = f", such as {address.removesuffix('/api')}" if address.endswith("/api") else ""
        return (
            f"This server does not offer it at this address. {self._other_dialect()}Check that {setting} is the "
            f"address of its API, to which requests add {prefix}{example}; if the server has it under another path, "
            "set clouddb:paths."
        )

    def _other_dialect(self) -> str:
        """Return which dialect the path is not in, if the two have different paths."""
        segments = self.url.split("/")
        for neutral, vendors in DIALECTS[CLICKHOUSE].segments.items():
            if neutral in segments:
                return f"/{neutral} is not in the dialect of the vendor's servers: for one, set {CLICKHOUSE.setting}. "
            if vendors in segments:
                return f"Only the vendor's servers have /{vendors}: for another, set {NEUTRAL.setting}. "
        return ""


class ClientError(ApiError):
    """Any other 4xx: the server refused the request."""

    @property
    def may_pass(self) -> bool:
        """After 409, 423, 424 and 425; 409 and 424 can also be final."""
        return self.status in (CONFLICT, *AT_WORK)

    def _advice(self) -> str:
        if self.status in AT_WORK:
            return "Run again when the server has finished its work on the object, or on what it depends on."
        return QUOTA if self.status == PAYMENT_REQUIRED else self.hint


class ListNotFoundError(ClientError):
    """404 of the API itself to a list.

    The organization or service of the list does not exist, or the server has a fault. It proves nothing about any
    object, and it does not mean that the server lacks the operation.
    """

    hint = "Check the organization (clouddb:organizationId) and the service; this does not mean that an object is gone."


class ConflictError(ClientError):
    """409: the state of the object forbids the request."""

    hint = "Correct what the server's message names. If it names another operation, run again when that has ended."


def first_line(error: Exception) -> str:
    """Return what failed, for messages that already contain what to do."""
    return str(error).partition("\n")[0]
