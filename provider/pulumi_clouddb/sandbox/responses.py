"""Why the sandbox refuses a request, and the only place that knows what responses look like.

Both APIs have an envelope, a form of errors, and pages of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from http import HTTPStatus
from typing import Any

from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response

from pulumi_clouddb.client.operation import ServerKind
from pulumi_clouddb.schema.check import Failure

from .store import Document

CODES = {status: HTTPStatus(status).name for status in (400, 401, 403, 404, 409, 424, 429, 500, 502, 503, 504)}
"""The word that stands before the text of an error, by status; before others stands `ERROR`."""


class HTTPError(Exception):
    """A request that is answered with an error.

    Attributes:
        status: The HTTP status.
        text: Why, in words.
        plain: Answered as plain text by the self-hosted server, as the vendor's servers do for a few errors.
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
    """A body that breaks limits or rules; the response names all of them."""

    def __init__(self, failures: Sequence[Failure]) -> None:
        super().__init__(400, "; ".join(f"{failure.path}: {failure.reason}" for failure in failures))
        self.failures = tuple(failures)


class MalformedError(HTTPError):
    """A part of a request of a team that is malformed: these routes answer a list of what is wrong."""

    def __init__(self, part: str, path: str, message: str) -> None:
        super().__init__(400, message)
        issue = {"message": message, "path": [path]}
        self.body = [{"type": part, "errors": {"issues": [issue], "name": "ZodError"}}]


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


@dataclass(frozen=True)
class Listing:
    """A list with the numbers that the self-hosted server answers beside it."""

    items: list[Document]
    meta: Mapping[str, int]


@dataclass(frozen=True)
class Bare:
    """A result that the self-hosted server answers without its envelope."""

    result: Document


@dataclass(frozen=True)
class File:
    """A result that is answered as a file, without the envelope."""

    text: str
    media: str
    name: str


def success(server_kind: ServerKind, result: Any, request_id: str, status: int = 200) -> Response:
    """Wrap what was asked for; None is a response without an object, as to a DELETE."""
    meta = None
    if isinstance(result, File):
        attachment = {"Content-Disposition": f'attachment; filename="{result.name}"'}
        return Response(result.text, headers=attachment, media_type=result.media)
    if isinstance(result, Listing):
        result, meta = result.items, dict(result.meta)
    if isinstance(result, Bare):
        if server_kind is ServerKind.SELF_HOSTED:
            return JSONResponse(result.result)
        result = result.result
    if server_kind is ServerKind.MANAGEMENT:
        envelope = {"status": status, "requestId": request_id}
        return JSONResponse(envelope if result is None else {**envelope, "result": result}, status)
    if result is None:
        return JSONResponse({})
    headers = {"X-Total-Count": str(meta["total"])} if meta else None
    return JSONResponse({"data": result, "meta": meta} if meta else {"data": result}, headers=headers)


def failure(server_kind: ServerKind, refusal: HTTPError, request_id: str) -> Response:
    """Turn a refusal into the server's own form of an error."""
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
    error = f"{CODES.get(refusal.status, 'ERROR')}: {text}"
    body = {"status": refusal.status, "error": error, "requestId": request_id}
    return JSONResponse(body, refusal.status, refusal.headers)


def too_many(server_kind: ServerKind, reset: float | None, request_id: str) -> Response:
    """Turn a caller away who asked too often, as each server does; without `reset` no header says until when."""
    names = ("Retry-After", "RateLimit-Reset") if server_kind is ServerKind.SELF_HOSTED else ("X-RateLimit-Reset",)
    headers = {} if reset is None else dict.fromkeys(names, f"{reset:g}")
    if server_kind is ServerKind.SELF_HOSTED:
        return HTMLResponse("Too many requests, please try again later.", 429, headers)
    return failure(server_kind, HTTPError(429, "Rate limit exceeded", headers=headers), request_id)


def no_such_route(method: str, path: str) -> Response:
    """Answer a path that is not offered; both servers do so with a page."""
    return _page(404, f"<pre>Cannot {escape(method)} {escape(path)}</pre>")


def gateway_page(status: int) -> Response:
    """Answer as a gateway in front of the servers would."""
    words = CODES.get(status, "ERROR").replace("_", " ").title()
    return _page(status, f"<center><h1>{status} {words}</h1></center>")


def _page(status: int, content: str) -> Response:
    page = (
        f'<!DOCTYPE html>\n<html lang="en">\n<head><title>Error</title></head>\n<body>\n{content}\n</body>\n</html>\n'
    )
    return HTMLResponse(page, status)
