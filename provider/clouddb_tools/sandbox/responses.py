"""Errors of handlers, and the responses of both APIs with their envelopes, errors and pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from http import HTTPStatus
from typing import Any

from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response

from pulumi_clouddb.client.operation import ServerKind
from pulumi_clouddb.schema.check.findings import Failure

from .store import Document

CODES = {status: HTTPStatus(status).name for status in (400, 401, 403, 404, 409, 424, 429, 500, 502, 503, 504)}
"""Prefix of the text of an error, by status; `ERROR` for all others."""


class HTTPError(Exception):
    """The refusal of a request.

    Attributes:
        status: The HTTP status.
        text: The reason.
        plain: Whether the self-hosted server sends plain text, as the vendor's servers do for a few errors.
        headers: Headers of the response.
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
    """A body that breaks limits or rules; the response lists all of them."""

    def __init__(self, failures: Sequence[Failure]) -> None:
        super().__init__(400, "; ".join(f"{failure.path}: {failure.reason}" for failure in failures))
        self.failures = tuple(failures)


class MalformedError(HTTPError):
    """A malformed part of a request to the team routes, which respond with a list of issues."""

    def __init__(self, part: str, path: str, message: str) -> None:
        super().__init__(400, message)
        issue = {"message": message, "path": [path]}
        self.body = [{"type": part, "errors": {"issues": [issue], "name": "ZodError"}}]


def bad_request(text: str) -> HTTPError:
    """Return the error for an invalid request."""
    return HTTPError(400, text)


def not_found(what: str) -> HTTPError:
    """Return the error for an unknown object."""
    return HTTPError(404, f"{what} not found")


def forbidden(text: str) -> HTTPError:
    """Return the error for a valid key without permission."""
    return HTTPError(403, text)


def conflict(text: str) -> HTTPError:
    """Return the error for an object in the wrong state."""
    return HTTPError(409, text)


@dataclass(frozen=True)
class Listing:
    """A page of a list.

    Attributes:
        items: The objects on it.
        meta: The numbers that the self-hosted server returns with them.
        cursors: The fields that the management API adds to the envelope.
        pagination: The fields that the older form has in the result instead.
    """

    items: list[Document]
    meta: Mapping[str, int] = field(default_factory=dict)
    cursors: Mapping[str, int | str | None] = field(default_factory=dict)
    pagination: Mapping[str, int | str | None] | None = None

    def in_result(self, cursor: str | None) -> Listing:
        """Return the page that `cursor` selected in the older form: records and cursors are in the result."""
        numbers = {name: self.cursors[name] for name in ("limit", "nextCursor")}
        pagination = {"currentCursor": cursor, "totalRecords": self.cursors["totalCount"], **numbers}
        return Listing(self.items, pagination=pagination)

    @property
    def result(self) -> object:
        """The result in the envelope."""
        return self.items if self.pagination is None else {"items": self.items, "pagination": self.pagination}


@dataclass(frozen=True)
class Bare:
    """A result that the self-hosted server returns without its envelope, and every server if it is a list."""

    result: Document | list[Document]


@dataclass(frozen=True)
class File:
    """A result that is returned as a text, without the envelope; with a name, as a file to save."""

    text: str
    media: str
    name: str = ""


def success(server_kind: ServerKind, result: Any, request_id: str, status: int = 200) -> Response:
    """Return the response with a result; None, as after a DELETE, has no object."""
    meta, cursors = None, {}
    if status == HTTPStatus.NO_CONTENT:
        return Response(status_code=status)
    if isinstance(result, File):
        attachment = {"Content-Disposition": f'attachment; filename="{result.name}"'} if result.name else {}
        return Response(result.text, headers=attachment, media_type=result.media)
    if isinstance(result, Listing):
        result, meta, cursors = result.result, dict(result.meta), dict(result.cursors)
    if isinstance(result, Bare):
        if server_kind is ServerKind.SELF_HOSTED or isinstance(result.result, list):
            return JSONResponse(result.result)
        result = result.result
    if server_kind is ServerKind.MANAGEMENT:
        envelope = {"status": status, "requestId": request_id, **cursors}
        return JSONResponse(envelope if result is None else {**envelope, "result": result}, status)
    if result is None:
        return JSONResponse({})
    headers = {"X-Total-Count": str(meta["total"])} if meta else None
    return JSONResponse({"data": result, "meta": meta} if meta else {"data": result}, headers=headers)


def failure(server_kind: ServerKind, refusal: HTTPError, request_id: str) -> Response:
    """Return the response for an error in the server's form."""
    if server_kind is ServerKind.SELF_HOSTED:
        if refusal.plain:
            return PlainTextResponse(refusal.text, refusal.status, refusal.headers)
        if isinstance(refusal, MalformedError):
            return JSONResponse(refusal.body, refusal.status, refusal.headers)
        prefix = "Body validation failed: " if isinstance(refusal, InvalidBodyError) else ""
        return JSONResponse({"message": prefix + refusal.text}, refusal.status, refusal.headers)
    text = refusal.text
    if isinstance(refusal, InvalidBodyError):
        text = "; ".join(f"request body.{broken.path}: {broken.reason}" for broken in refusal.failures)
    code = f"{CODES.get(refusal.status, 'ERROR')}: "
    error = code + text.removeprefix(code)  # the text of a fault may be that of a real response
    body = {"status": refusal.status, "error": error, "requestId": request_id}
    return JSONResponse(body, refusal.status, refusal.headers)


def too_many(server_kind: ServerKind, reset: float | None, request_id: str) -> Response:
    """Return the server's response to a request beyond the rate limit; without `reset`, it has no retry header."""
    names = ("Retry-After", "RateLimit-Reset") if server_kind is ServerKind.SELF_HOSTED else ("X-RateLimit-Reset",)
    headers = {} if reset is None else dict.fromkeys(names, f"{reset:g}")
    if server_kind is ServerKind.SELF_HOSTED:
        return HTMLResponse("Too many requests, please try again later.", 429, headers)
    return failure(server_kind, HTTPError(429, "Rate limit exceeded", headers=headers), request_id)


def no_such_route(method: str, path: str) -> Response:
    """Return the page for an unknown path, which both servers use."""
    return _page(404, f"<pre>Cannot {escape(method)} {escape(path)}</pre>")


def gateway_page(status: int) -> Response:
    """Return an error page of a gateway in front of the servers."""
    words = CODES.get(status, "ERROR").replace("_", " ").title()
    return _page(status, f"<center><h1>{status} {words}</h1></center>")


def _page(status: int, content: str) -> Response:
    page = (
        f'<!DOCTYPE html>\n<html lang="en">\n<head><title>Error</title></head>\n<body>\n{content}\n</body>\n</html>\n'
    )
    return HTMLResponse(page, status)
