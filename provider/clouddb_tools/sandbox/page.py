"""The sandbox's page at `/`: objects, requests, faults, and pictures of dashboards.

It uses no network but loopback and shows no credentials. All stored values are escaped, and only the page's own script
can run.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from clouddb_tools.render.html import dashboards_page
from clouddb_tools.render.objects import from_records, pictures
from clouddb_tools.render.picture import Picture
from clouddb_tools.render.svg import NARROW, WIDE, dashboard_svg, svg_file
from pulumi_clouddb.things.alerts.alert import ALERT
from pulumi_clouddb.things.dashboards.dashboard import DASHBOARD
from pulumi_clouddb.things.sources.source import SOURCE

from . import alerts, dashboards, lifecycle, page_html, sources
from .bodies import parse_json
from .control import check_local
from .faults import fault_from
from .page_html import HEADERS, PICTURE_HEADERS
from .responses import HTTPError, not_found
from .seed import KINDS
from .state import SELF_HOSTED, SandboxState
from .store import Document

ORIGIN = "in the sandbox"
_FIELDS: dict[str, Callable[[str], Any]] = {
    "operation": str,
    "kind": str,
    "times": int,
    "after": int,
    "wait": float,
    "status": int,
}
"""Fields of a fault in the form, with their parsers; empty fields are omitted."""

Act = Callable[[SandboxState, Request, bytes], Response]


def routes(state: SandboxState) -> list[Route]:
    """Return the routes of the page."""
    table: list[tuple[str, str, Act]] = [
        ("GET", "/", _page),
        ("GET", "/_sandbox/page/parts", _changes),
        ("GET", "/_sandbox/page/picture", _picture),
        ("GET", "/_sandbox/page/dashboard", _dashboard),
        ("POST", "/_sandbox/page/faults", _set_fault),
        ("POST", "/_sandbox/page/faults/clear", _clear_fault),
    ]
    return [Route(path, _endpoint(state, act), methods=[method]) for method, path, act in table]


def _endpoint(state: SandboxState, act: Act) -> Callable[[Request], Any]:
    async def respond(request: Request) -> Response:
        try:
            check_local(request)
            raw = await request.body()
            lifecycle.settle(state)
            response = act(state, request, raw)
        except HTTPError as refusal:
            response = HTMLResponse(page_html.message(refusal.text), refusal.status, HEADERS)
        response.headers["Date"] = state.clock.http_date()
        return response

    return respond


def _page(state: SandboxState, _: Request, __: bytes, error: str = "") -> Response:
    settings = state.settings
    storage = f"objects are stored in {settings.data}" if settings.data else "objects are stored in memory"
    about = f"Dialect {settings.vocabulary.value}; {storage}. The terminal that started it shows the credentials."
    entries = state.log.entries()
    whole = page_html.whole(_parts(state, 0), about, len(entries), error)
    return HTMLResponse(whole, 400 if error else 200, HEADERS)


def _changes(state: SandboxState, request: Request, _: bytes) -> Response:
    """Return what has changed since the page's last request."""
    since = request.query_params.get("since", "0")
    seen, total = int(since) if since.isdecimal() else 0, len(state.log.entries())
    parts = _parts(state, seen if seen <= total else 0)
    return JSONResponse({**parts, "next": total, "most": page_html.MOST_SHOWN}, headers=HEADERS)


def _parts(state: SandboxState, since: int) -> dict[str, str]:
    return {
        "log": page_html.log(state.log.entries(since=since)),
        "objects": page_html.objects({kind: state.store.items(kind) for kind in KINDS}),
        "boards": page_html.boards(_boards(state)),
        "waiting": page_html.waiting(state.faults.waiting()),
    }


# -- pictures of dashboards --------------------------------------------------------------------------------------------


def _boards(state: SandboxState) -> Iterator[tuple[str, Document, str]]:
    """Yield each dashboard with a version, which changes with the dashboard and with alerts."""
    watching = json.dumps(state.store.all(alerts.SERVED.kind), sort_keys=True)
    for object_id, document in state.store.items(dashboards.SERVED.kind):
        version = zlib.crc32((json.dumps(document, sort_keys=True) + watching).encode())
        yield object_id, document, f"{version:x}"


def _requested_picture(state: SandboxState, request: Request) -> Picture:
    """Return the picture of the dashboard that a request names.

    Raises:
        HTTPError: The dashboard does not exist.
    """
    wanted = request.query_params.get("id", "")
    for parent in (SELF_HOSTED, *(id_ for id_, _ in state.store.items(lifecycle.SERVICES))):
        if state.store.get(dashboards.SERVED.kind, wanted, parent) is not None:
            kinds = {DASHBOARD.name: dashboards, ALERT.name: alerts, SOURCE.name: sources}
            items = [
                item
                for kind, module in kinds.items()
                for item in from_records(kind, state.store.all(module.SERVED.kind, parent))
            ]
            return pictures(items)[wanted]
    raise not_found("Dashboard")


def _picture(state: SandboxState, request: Request, _: bytes) -> Response:
    form = NARROW if request.query_params.get("form") == "narrow" else WIDE
    content = svg_file(dashboard_svg([_requested_picture(state, request)], ORIGIN, form))
    return Response(content, media_type="image/svg+xml", headers=PICTURE_HEADERS)


def _dashboard(state: SandboxState, request: Request, _: bytes) -> Response:
    return HTMLResponse(dashboards_page([_requested_picture(state, request)], ORIGIN), headers=PICTURE_HEADERS)


# -- faults ------------------------------------------------------------------------------------------------------------


def _set_fault(state: SandboxState, request: Request, raw: bytes) -> Response:
    given = dict(parse_qsl(raw.decode("utf-8", "replace")))
    try:
        fields = {name: read(given[name]) for name, read in _FIELDS.items() if given.get(name)}
        state.faults.add(fault_from(fields, state.clock.now()))
    except (TypeError, ValueError) as error:
        return _page(state, request, raw, f"The fault was not set: {error}")
    return RedirectResponse("/", 303, HEADERS)


def _clear_fault(state: SandboxState, request: Request, raw: bytes) -> Response:
    given = dict(parse_qsl(raw.decode("utf-8", "replace")))
    try:
        removed = state.faults.remove(parse_json(given.get("fault", "null")))
    except ValueError:
        removed = False
    if not removed:
        return _page(state, request, raw, "The fault has changed since the page showed it. This is its current state.")
    return RedirectResponse("/", 303, HEADERS)
