"""Why the sandbox refuses a request. How that looks on the wire is the business of `envelope`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pulumi_clouddb.models.check import Failure

CODES: Mapping[int, str] = {
    400: "BAD_REQUEST",
    401: "UNAUTHORIZED",
    403: "FORBIDDEN",
    404: "NOT_FOUND",
    409: "CONFLICT",
    424: "FAILED_DEPENDENCY",
    429: "TOO_MANY_REQUESTS",
    500: "INTERNAL_SERVER_ERROR",
    502: "BAD_GATEWAY",
    503: "SERVICE_UNAVAILABLE",
    504: "GATEWAY_TIMEOUT",
}
"""The word that stands before the text of an error, by status."""


class HTTPError(Exception):
    """A request that is answered with an error.

    Attributes:
        status: The HTTP status.
        text: Why, in words.
        plain: Answered as plain text on the self-hosted surface, as the vendor's servers do for a few errors.
        headers: Headers of the answer.
    """

    def __init__(
        self, status: int, text: str, *, plain: bool = False, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(text)
        self.status = status
        self.text = text
        self.plain = plain
        self.headers = dict(headers or {})


class InvalidBodyError(HTTPError):
    """A body that breaks limits or rules; all of them are told at once."""

    def __init__(self, failures: Sequence[Failure]) -> None:
        super().__init__(400, "; ".join(f"{failure.path}: {failure.reason}" for failure in failures))
        self.failures = tuple(failures)


def bad_request(text: str) -> HTTPError:
    """The request cannot be served as it is."""
    return HTTPError(400, text)


def not_found(what: str) -> HTTPError:
    """There is no such object."""
    return HTTPError(404, f"{what} not found")


def forbidden(text: str) -> HTTPError:
    """The key is good, and still may not do this."""
    return HTTPError(403, text)


def conflict(text: str) -> HTTPError:
    """The object is in a state that does not allow this."""
    return HTTPError(409, text)
