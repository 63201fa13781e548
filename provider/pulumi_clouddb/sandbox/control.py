"""Control routes under `/_sandbox`: faults, the request log, and every object behind the servers' back.

They take no credentials, so they answer to loopback only.
"""

from __future__ import annotations

import ipaddress
import json
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from pulumi_clouddb.models.config import LOOPBACK
from pulumi_clouddb.models.values import whole_numbers

from . import alerts, dashboards, keys, late, lifecycle, pipes, services, sources
from .auth import KEYS
from .errors import HTTPError, bad_request, not_found
from .faults import Fault
from .settings import Pace
from .store import Document
from .world import SELF_HOSTED, World

PREFIX = "/_sandbox"

KINDS = (
    lifecycle.SERVICES,
    pipes.PIPES,
    KEYS,
    dashboards.DASHBOARDS,
    alerts.ALERTS,
    sources.SOURCES,
    services.BACKUPS,
)
"""What can be seen and changed."""

_RECORDS = {lifecycle.SERVICES: "Service", dashboards.DASHBOARDS: "Dashboard", alerts.ALERTS: "Alert"}
"""The records of the kinds whose fields have other names in the clickhouse dialect."""

Act = Callable[[World, Request, dict[str, Any]], Any]


def routes(world: World) -> list[Route]:
    """Return the control routes of `world`."""
    table: list[tuple[str, str, Act]] = [
        ("GET", "/state", _state),
        ("POST", "/reset", lambda world, _, __: world.reset()),
        ("GET", "/log", _log),
        ("DELETE", "/log", lambda world, _, __: world.log.forget()),
        ("GET", "/faults", lambda world, _, __: world.faults.waiting()),
        ("POST", "/faults", _add_fault),
        ("DELETE", "/faults", lambda world, _, __: world.faults.clear()),
        ("POST", "/pace", _set_pace),
        ("POST", "/clock", lambda world, _, body: world.clock.advance(float(body["advance"]))),
        ("POST", "/services/{id}/password", _password),
        ("GET", "/{kind}", _list),
        ("POST", "/{kind}", _add),
        ("GET", "/{kind}/{id}", _get),
        ("PATCH", "/{kind}/{id}", _change),
        ("DELETE", "/{kind}/{id}", _remove),
    ]
    return [Route(PREFIX + path, _endpoint(world, act), methods=[method]) for method, path, act in table]


def _endpoint(world: World, act: Act) -> Callable[[Request], Awaitable[Response]]:
    async def respond(request: Request) -> Response:
        response = _acted(world, act, request, await request.body())
        response.headers["Date"] = world.clock.http_date()
        return response

    return respond


def _acted(world: World, act: Act, request: Request, raw: bytes) -> Response:
    try:
        _check_local(request)
        late.settle(world)
        with world.store.transaction():
            return JSONResponse(act(world, request, json.loads(raw) if raw else {}))
    except HTTPError as refusal:
        return JSONResponse({"error": refusal.text}, refusal.status)
    except (KeyError, TypeError, ValueError) as error:
        return JSONResponse({"error": f"{type(error).__name__}: {error}"}, 400)


def _check_local(request: Request) -> None:
    """Let in only this machine, and no web page that made a name of its own point here."""
    address = request.client.host if request.client else "127.0.0.1"
    if not ipaddress.ip_address(address).is_loopback or request.url.hostname not in LOOPBACK:
        raise HTTPError(403, "the control routes answer to loopback only")


def _state(world: World, _: Request, __: dict[str, Any]) -> dict[str, Any]:
    counts = world.store.counts()
    return {
        "counts": {kind: counts.get(kind, 0) for kind in KINDS},
        "identity": asdict(world.identity),
        "settings": asdict(world.settings),
        "pace": asdict(world.pace),
        "now": world.clock.now(),
    }


def _log(world: World, request: Request, _: dict[str, Any]) -> list[dict[str, Any]]:
    query = request.query_params
    return world.log.entries(
        since=int(query.get("since", 0)),
        operation=query.get("operation"),
        method=query.get("method"),
        match=json.loads(query.get("match", "{}")),
    )


def _add_fault(world: World, _: Request, body: dict[str, Any]) -> None:
    seconds = body.pop("seconds", None)
    if seconds is not None:
        # So long, and as often as asked unless that is limited, too.
        body = {"times": None, **body, "until": world.clock.now() + seconds}
    world.faults.add(Fault(**body))


def _set_pace(world: World, _: Request, body: dict[str, Any]) -> dict[str, float]:
    world.pace = Pace(**{**asdict(world.pace), **body})
    return asdict(world.pace)


def _password(world: World, request: Request, body: dict[str, Any]) -> dict[str, bool]:
    return {"works": services.password_works(world, request.path_params["id"], body["password"])}


def _kind(request: Request) -> str:
    kind: str = request.path_params["kind"]
    if kind not in KINDS:
        raise bad_request(f"kind must be one of {', '.join(KINDS)}, not {kind!r}")
    return kind


def _list(world: World, request: Request, _: dict[str, Any]) -> list[Document]:
    return world.store.all(_kind(request))


def _get(world: World, request: Request, _: dict[str, Any]) -> Document:
    document = world.store.get(_kind(request), request.path_params["id"])
    if document is None:
        raise not_found("Object")
    return document


def _add(world: World, request: Request, body: dict[str, Any]) -> Document:
    """Make an object as the API does for this body, without asking any rule; `serviceId` says where it belongs."""
    kind = _kind(request)
    body = whole_numbers(world.vocabulary.from_server(_RECORDS.get(kind, ""), body))
    if kind == lifecycle.SERVICES:
        document = services.add(world, body)
        return {**document, "password": services.new_password(world, document["id"])}
    if kind == KEYS:
        if "keyId" in body or "keySecret" in body:
            key_id, secret = body.pop("keyId", world.ids.text(20)), body.pop("keySecret", world.ids.text(42))
            return keys.add(world, key_id, secret, body)
        return keys.make(world, body)
    service_id = body.pop("serviceId", None)
    if kind == pipes.PIPES:
        return pipes.add(world, service_id, body.pop("kind", "kafka"), **body)
    if kind == services.BACKUPS:
        return services.add_backup(world, service_id)
    if kind == dashboards.DASHBOARDS:
        return dashboards.add(world, service_id or SELF_HOSTED, {"name": "Dashboard", "tiles": [], **body})
    if kind == alerts.ALERTS:
        return alerts.add(world, service_id or SELF_HOSTED, body)
    return sources.add(world, service_id or SELF_HOSTED, body)


def _change(world: World, request: Request, body: dict[str, Any]) -> Document:
    """Change fields of an object without asking any rule."""
    kind, document = _kind(request), {**_get(world, request, body), **body}
    world.store.put(kind, document["id"], document)
    if kind == lifecycle.SERVICES and "state" in body:
        world.store.delete(lifecycle.TRANSITIONS, document["id"])
    return document


def _remove(world: World, request: Request, body: dict[str, Any]) -> None:
    """Remove an object at once, with what belongs to it."""
    kind, id_ = _kind(request), _get(world, request, body)["id"]
    if kind == lifecycle.SERVICES:
        lifecycle.remove(world, id_)
    elif kind == KEYS:
        keys.remove(world, id_)
    elif kind == dashboards.DASHBOARDS:
        dashboards.remove(world, id_)
    else:
        world.store.delete(kind, id_)
