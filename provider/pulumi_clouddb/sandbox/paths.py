"""Paths as the vendor's observability server reads them (express 4): in any case, and with a slash at the end.

Held by the requests of `tests/real_server`.
"""

from __future__ import annotations

from urllib.parse import unquote

from starlette.types import ASGIApp, Receive, Scope, Send

_ROOT, _MANAGEMENT = "/api/", "/v1/"
_ALLOWED = (
    (b"access-control-allow-methods", b"GET,HEAD,PUT,PATCH,POST,DELETE"),
    (b"access-control-allow-credentials", b"true"),
    (b"content-length", b"0"),
)


class LenientPaths:
    """Reads the paths of the observability server, and answers browsers that ask what is allowed."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on by the path that is meant."""
        if scope["type"] == "http" and scope["path"].startswith(_MANAGEMENT):
            # The vendor's Terraform provider creates pipes with a slash at the end (tests/pipes/test_pipes.py).
            await self._app({**scope, "path": scope["path"].rstrip("/")}, receive, send)
        elif scope["type"] != "http" or not scope["path"].lower().startswith(_ROOT):
            await self._app(scope, receive, send)
        elif scope["method"] == "OPTIONS":
            await send({"type": "http.response.start", "status": 204, "headers": _ALLOWED})
            await send({"type": "http.response.body", "body": b""})
        else:
            await self._app({**scope, "path": _meant(scope)}, receive, send)


def _meant(scope: Scope) -> str:
    """Return the path; a slash that is quoted, as a part of an id, stays so."""
    raw = scope.get("raw_path") or b""
    path: str = scope["path"]
    if b"%2f" in raw.lower():
        path = unquote(raw.decode("latin-1").replace("%2f", "%252f").replace("%2F", "%252F"))
    end = path.rstrip("/")
    return (f"{end}/" if end.lower() == "/api/v2" else end).lower()
