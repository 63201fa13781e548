"""The only place that knows what answers look like: both surfaces' envelopes, errors and pages."""

from __future__ import annotations

from html import escape
from typing import Any

from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response

from pulumi_clouddb.api.operations import ServerKind

from .errors import CODES, HTTPError, InvalidBodyError
from .limits import Usage
from .state import Listing


def success(server_kind: ServerKind, result: Any, request_id: str) -> Response:
    """Wrap what was asked for; None is an answer without an object, as to a DELETE."""
    meta = None
    if isinstance(result, Listing):
        result, meta = result.items, dict(result.meta)
    if server_kind is ServerKind.MANAGEMENT:
        envelope = {"status": 200, "requestId": request_id}
        return JSONResponse(envelope if result is None else {**envelope, "result": result})
    if result is None:
        return JSONResponse({})
    headers = {"X-Total-Count": str(meta["total"])} if meta else None
    return JSONResponse({"data": result, "meta": meta} if meta else {"data": result}, headers=headers)


def failure(server_kind: ServerKind, refusal: HTTPError, request_id: str) -> Response:
    """Turn a refusal into the server's own form of an error."""
    if server_kind is ServerKind.SELF_HOSTED:
        if refusal.plain:
            return PlainTextResponse(refusal.text, refusal.status, refusal.headers)
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


def usage_headers(usage: Usage) -> dict[str, str]:
    """Return the headers that the self-hosted server puts on every answer."""
    return {
        "RateLimit-Limit": str(usage.limit),
        "RateLimit-Remaining": str(usage.remaining),
        "RateLimit-Reset": str(usage.reset),
    }


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
