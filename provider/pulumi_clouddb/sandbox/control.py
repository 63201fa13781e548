"""Control routes under `/_sandbox`: faults, the request log, and every object behind the servers' back.

They take no credentials, so they answer to loopback only (guard.py).
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from pulumi_clouddb.models.values import whole_numbers

from . import lifecycle, services
from .faults import Fault
from .guard import check_local
from .handlers import BY_KIND
from .responses import HTTPError, bad_request, not_found
from .settings import Latency
from .state import SandboxState
from .store import Document

PREFIX = "/_sandbox"

KINDS = (*BY_KIND, services.BACKUPS)
"""What can be seen and changed."""

Act = Callable[[SandboxState, Request, dict[str, Any]], Any]


def routes(state: SandboxState) -> list[Route]:
    """Return the control routes of `state`."""
    table: list[tuple[str, str, Act]] = [
        ("GET", "/state", _state),
        ("POST", "/reset", lambda state, _, __: state.reset()),
        ("GET", "/log", _log),
        ("DELETE", "/log", lambda state, _, __: state.log.forget()),
        ("GET", "/faults", lambda state, _, __: state.faults.waiting()),
        ("POST", "/faults", _add_fault),
        ("DELETE", "/faults", lambda state, _, __: state.faults.clear()),
        ("POST", "/latency", _set_latency),
        ("POST", "/clock", lambda state, _, body: state.clock.advance(float(body["advance"]))),
        ("POST", "/services/{id}/password", _password),
        ("GET", "/{kind}", _list),
        ("POST", "/{kind}", _add),
        ("GET", "/{kind}/{id}", _get),
        ("PATCH", "/{kind}/{id}", _change),
        ("DELETE", "/{kind}/{id}", _remove),
    ]
    return [Route(PREFIX + path, _endpoint(state, act), methods=[method]) for method, path, act in table]


def _endpoint(state: SandboxState, act: Act) -> Callable[[Request], Awaitable[Response]]:
    async def respond(request: Request) -> Response:
        response = _acted(state, act, request, await request.body())
        response.headers["Date"] = state.clock.http_date()
        return response

    return respond


def _acted(state: SandboxState, act: Act, request: Request, raw: bytes) -> Response:
    try:
        check_local(request)
        lifecycle.settle(state)
        with state.store.transaction():
            return JSONResponse(act(state, request, json.loads(raw) if raw else {}))
    except HTTPError as refusal:
        return JSONResponse({"error": refusal.text}, refusal.status)
    except (KeyError, TypeError, ValueError) as error:
        return JSONResponse({"error": f"{type(error).__name__}: {error}"}, 400)


def _state(state: SandboxState, _: Request, __: dict[str, Any]) -> dict[str, Any]:
    counts = state.store.counts()
    return {
        "counts": {kind: counts.get(kind, 0) for kind in KINDS},
        "identity": asdict(state.identity),
        "settings": asdict(state.settings),
        "latency": asdict(state.latency),
        "now": state.clock.now(),
    }


def _log(state: SandboxState, request: Request, _: dict[str, Any]) -> list[dict[str, Any]]:
    query = request.query_params
    return state.log.entries(
        since=int(query.get("since", 0)),
        operation=query.get("operation"),
        method=query.get("method"),
        match=json.loads(query.get("match", "{}")),
    )


def _add_fault(state: SandboxState, _: Request, body: dict[str, Any]) -> None:
    seconds = body.pop("seconds", None)
    if seconds is not None:
        # So long, and as often as asked unless that is limited, too.
        body = {"times": None, **body, "until": state.clock.now() + seconds}
    state.faults.add(Fault(**body))


def _set_latency(state: SandboxState, _: Request, body: dict[str, Any]) -> dict[str, float]:
    state.latency = Latency(**{**asdict(state.latency), **body})
    return asdict(state.latency)


def _password(state: SandboxState, request: Request, body: dict[str, Any]) -> dict[str, bool]:
    return {"works": services.password_works(state, request.path_params["id"], body["password"])}


def _kind(request: Request) -> str:
    kind: str = request.path_params["kind"]
    if kind not in KINDS:
        raise bad_request(f"kind must be one of {', '.join(KINDS)}, not {kind!r}")
    return kind


def _list(state: SandboxState, request: Request, _: dict[str, Any]) -> list[Document]:
    # What several stacks have under one id has the stack in its id here.
    return [{**document, "id": key} for key, document in state.store.items(_kind(request))]


def _get(state: SandboxState, request: Request, _: dict[str, Any]) -> Document:
    document = state.store.get(_kind(request), request.path_params["id"])
    if document is None:
        raise not_found("Object")
    return document


def _add(state: SandboxState, request: Request, body: dict[str, Any]) -> Document:
    """Make an object as the API does for this body, without asking any rule; `serviceId` says where it belongs."""
    kind = _kind(request)
    if kind == services.BACKUPS:
        return services.add_backup(state, body["serviceId"])
    served = BY_KIND[kind]
    return served.add_by_hand(state, whole_numbers(state.dialect.from_server(served.record, body)))


def _change(state: SandboxState, request: Request, body: dict[str, Any]) -> Document:
    """Change fields of an object without asking any rule."""
    kind, document = _kind(request), {**_get(state, request, body), **body}
    state.store.put(kind, request.path_params["id"], document)
    if kind == lifecycle.SERVICES and "state" in body:
        state.store.delete(lifecycle.TRANSITIONS, document["id"])
    return document


def _remove(state: SandboxState, request: Request, body: dict[str, Any]) -> None:
    """Remove an object at once, with what belongs to it."""
    kind, id_ = _kind(request), request.path_params["id"]
    _get(state, request, body)
    if kind == services.BACKUPS:
        state.store.delete(kind, id_)
    else:
        BY_KIND[kind].remove(state, id_)
