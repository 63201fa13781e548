"""The errors of this package.

    CloudDBError                           anything this package refuses or fails at
    ├── ConfigError                        the configuration is missing something, or cannot be used
    ├── ResourceError                      a resource refuses or cannot finish; says what to do
    │   └── CancelledError                 the operation was cancelled, or its time was over
    ├── ProgramError                       a mistake of a program, at the line that made it
    │   ├── ArgumentError                  an argument that is missing, or that does not exist; a TypeError, too
    │   └── UnknownKeyError                a key that a map does not have; a KeyError, too
    └── ApiError                           a request did not do what it was for
        ├── ConnectError                   no connection: nothing was sent
        ├── AmbiguousError                 it may have been carried out, the response does not say
        │   ├── ResponseLostError          the connection broke or timed out after sending
        │   ├── InvalidResponseError       a response came, but not one that the interface knows
        │   └── ServerError                5xx
        ├── RateLimitError                 429, for longer than it was retried
        ├── UnauthorizedError              401 or 403
        ├── NotFoundError                  404 in the server's own words: the object does not exist
        ├── UnsupportedOperationError      a foreign 404, 405 or 501: the server has no such operation
        └── ClientError                    any other 4xx
            ├── ListNotFoundError          404 in the server's own words to a list: it says nothing about an object
            └── ConflictError              409

Every message has at most two lines: what was tried and what the server said; then what to do.
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from pulumi_clouddb.schema.printable import printable

if TYPE_CHECKING:
    from .operation import Operation

_SAME_SERVER = (
    "It must be on the same server: both with the same serviceId, or both without. If it was deleted since the last "
    "run, run `pulumi up --refresh`."
)
ADVICE = {
    "Tile not found": "Take the tile's id from the dashboard that has it, by the tile's key: the output tileIds of a "
    "Dashboard. A tile that left the dashboard, or was created again, has another id or none.",
    "Dashboard not found": f"Take its id from the resource: the output id of a Dashboard. {_SAME_SERVER}",
    "Saved search not found": f"Take its id from the resource: the output id of a SavedSearch. {_SAME_SERVER}",
    "is supported only with clouddb:vocabulary=clickhouse": "This server speaks the dialect neutral: set "
    "clouddb:vocabulary=neutral, or clouddb:baseUrl to a server of the vendor.",
    "too many to read in": "Check the address of the API, or raise clouddb:requestTimeoutSeconds.",
    "Webhook not found": f"Take its id from the resource: the output id of a Webhook. {_SAME_SERVER}",
}
"""What to do about words that say what is wrong, but not what to do.

They are those of the vendor's observability server, of the sandbox (tests/client/test_advice.py), and our own.
"""

PAYMENT_REQUIRED = 402
QUOTA = "Delete what nobody needs, or have the organization's limit raised by who runs the server; then run again."
"""What to do about 402."""

LONGEST_MESSAGE = 500
"""Characters of a server's words that are shown, on one line."""


def two_lines(message: str) -> str:
    """Return a message with at most two printable lines: what follows a first line within it is put on that line."""
    lines = [printable(line.strip()) for line in message.splitlines() if line.strip()]
    return "\n".join([" ".join(lines[:-1]), lines[-1]]) if len(lines) > 2 else "\n".join(lines)


class CloudDBError(Exception):
    """Anything this package refuses or fails at.

    Args:
        message: What failed, then what to do; see `two_lines`.
    """

    def __init__(self, message: str = "") -> None:
        super().__init__(two_lines(message))


class ConfigError(CloudDBError):
    """The configuration lacks a setting, or has one that cannot be used."""


class ResourceError(CloudDBError):
    """A resource refuses what was asked, or cannot finish it.

    Args:
        what: What was tried on which object, and why it did not work.
        hint: What to do about it.
    """

    def __init__(self, what: str, hint: str = "") -> None:
        super().__init__(f"{what}\n{hint}" if hint else what)


class CancelledError(ResourceError):
    """A wait was ended from outside.

    Args:
        reason: Why, in words that go on from "stopped waiting:".
    """

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(f"stopped waiting: {reason}", "Run again to go on from here.")


class ProgramError(CloudDBError):
    """A mistake of a program, raised at the line that made it."""


class ArgumentError(ProgramError, TypeError):
    """An argument of a resource that is missing, or that does not exist."""


class UnknownKeyError(ProgramError, KeyError):
    """A key that a map of the user's own keys does not have."""

    __str__ = Exception.__str__  # that of KeyError quotes the message


class ApiError(CloudDBError):
    """A request did not do what it was for.

    Attributes:
        operation: The operation that was tried.
        url: Where it was sent, without credentials and query.
        status: HTTP status, or None without an answer.
        request_id: The server's id of the request, or None.
        message: What the server said, or what happened on the way.
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

    @property
    def retryable(self) -> bool:
        """Whether sending the same request once more is safe and may help."""
        return False

    def _message(self) -> str:
        answer = f"{self.status} {self.message}" if self.status else self.message
        trace = f" (request {self.request_id})" if self.request_id else ""
        first = f"could not {self.operation.action}: {self.operation.method} {self.url}: {answer}{trace}"
        told = (advice for words, advice in ADVICE.items() if words in self.message)
        hint = next(told, "") or self._advice()
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
        """Always safe; pointless where the certificate or the name is wrong."""
        return not self.permanent


class AmbiguousError(ApiError):
    """The request may have been carried out; the answer does not say."""

    hint = "It may have been carried out all the same; run again to find out."

    @property
    def retryable(self) -> bool:
        """Safe for reads, full replacements and deletions only."""
        return self.operation.repeatable

    def _advice(self) -> str:
        return self.hint if self.operation.writes else "It could not be read; run again when the server is well."


class ResponseLostError(AmbiguousError):
    """The connection broke, or timed out, after the request was sent.

    Attributes:
        closed: Whether the connection broke; False if the time was over.
    """

    def __init__(self, operation: Operation, url: str, message: str, *, closed: bool = False) -> None:
        self.closed = closed
        super().__init__(operation, url, message)


class InvalidResponseError(AmbiguousError):
    """An answer came, but not one that the interface knows."""

    @property
    def retryable(self) -> bool:
        """Pointless: whatever answered, asking it again for minutes makes it no other."""
        return False

    def _advice(self) -> str:
        return f"Is {self.operation.address_setting} the address of the API, and not of a proxy or a page?"


class ServerError(AmbiguousError):
    """5xx: the server failed, before or after carrying it out."""

    @property
    def retryable(self) -> bool:
        """502, 503 and 504 of requests that are safe to repeat."""
        return self.operation.repeatable and self.status in (502, 503, 504)


class RateLimitError(ApiError):
    """429: too many requests."""

    hint = (
        "Something else uses up the same key's requests; wait a minute and run again, use a key of its own, or raise "
        "clouddb:retryTimeoutSeconds if it is set."
    )

    @property
    def retryable(self) -> bool:
        """Always safe: the server did nothing."""
        return True


class UnauthorizedError(ApiError):
    """401 or 403: the credentials are missing, wrong, expired, or not enough."""

    hint = (
        "Check the key (clouddb:keyId and clouddb:keySecret, or clouddb:stackToken): is it enabled, not expired, "
        "let in from this address, and of a role that may do this?"
    )


class NotFoundError(ApiError):
    """404 in the server's own words: the object does not exist."""


class UnsupportedOperationError(ApiError):
    """A foreign 404, 405 or 501: this server has no such operation."""

    def _advice(self) -> str:
        setting, prefix = self.operation.address_setting, self.operation.prefix
        address = self.url.partition(f"{prefix}/")[0]
        # The vendor's user interface passes `/api` on to its server, so that such an address may be right.
        right = f", such as {address.removesuffix('/api')}" if address.endswith("/api") else ""
        return (
            f"This server does not offer it at this address. Check that {setting} is the address of its API, to which "
            f"requests add {prefix}{right}; if the server has it under another path, set clouddb:paths."
        )


class ClientError(ApiError):
    """The server understood and refused."""

    def _advice(self) -> str:
        return QUOTA if self.status == PAYMENT_REQUIRED else self.hint


class ListNotFoundError(ClientError):
    """404 in the server's own words to a list.

    What the list belongs to does not exist, or the server is not well. It says nothing about any object, and not that
    the server has no such operation.
    """

    hint = "Check the organization (clouddb:organizationId) and the service; nothing is concluded from this."


class ConflictError(ClientError):
    """409: the object is in a state that forbids it."""


def first_line(error: Exception) -> str:
    """Return what failed, without what to do about it: for messages that say that themselves."""
    return str(error).partition("\n")[0]
