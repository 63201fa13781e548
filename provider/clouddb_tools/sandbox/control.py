"""Control routes under `/_sandbox`: faults, the request log, snapshots, and all objects.

They require no credentials, so they accept only requests from this machine and not from pages of other sites
(`check_local`).
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import Any

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from clouddb_tools.release import Release
from pulumi_clouddb.schema.config import LOOPBACK
from pulumi_clouddb.schema.names import did_you_mean

from . import lifecycle, services
from .bodies import parse_json
from .faults import ANY, check_operation, fault_from
from .handlers import BY_KIND
from .log import Which
from .responses import HTTPError, bad_request, not_found
from .seed import KINDS, add_object, add_objects, check_kind, check_types
from .settings import PREFIX, Latency
from .state import SandboxState
from .store import Document, Snapshot

SAFE = ("GET", "HEAD")
SAME = (None, "same-origin", "none")
"""Values of Sec-Fetch-Site for the sandbox's own page and the address bar; only browsers send the header."""

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
        ("POST", "/seed", lambda state, _, body: add_objects(state, body)),
        ("GET", "/snapshots", lambda state, _, __: list(state.snapshots)),
        ("PUT", "/snapshots/{name:path}", _save),
        ("POST", "/snapshots/{name:path}", lambda state, request, _: state.store.replace(_snapshot(state, request))),
        ("DELETE", "/snapshots/{name:path}", _forget),
        ("POST", "/latency", _set_latency),
        ("POST", "/release", _set_release),
        ("POST", "/clock", _advance),
        ("POST", "/services/{id}/password", _password),
        ("GET", "/{kind}", _list),
        ("POST", "/{kind}", _add),
        ("GET", "/{kind}/{id:path}", _get),
        ("PATCH", "/{kind}/{id:path}", _change),
        ("DELETE", "/{kind}/{id:path}", _remove),
    ]
    return [Route(PREFIX + path, _endpoint(state, act), methods=[method]) for method, path, act in table]


def check_local(request: Request) -> None:
    """Accept requests from this machine to a loopback name; accept changes only from the sandbox's page or no page.

    Any web page in the user's browser can send requests to loopback. It can resolve its own name to loopback (DNS
    rebinding), which the Host header reveals, and post a form, which Origin and Sec-Fetch-Site reveal.

    Raises:
        HTTPError: The request is refused.
    """
    if not ipaddress.ip_address(address_of(request)).is_loopback or request.url.hostname not in LOOPBACK:
        raise HTTPError(403, "the control routes accept requests from loopback only")
    if request.method in SAFE:
        return
    origin, own = request.headers.get("origin"), f"{request.url.scheme}://{request.headers.get('host', '')}"
    if origin not in (None, own) or request.headers.get("sec-fetch-site") not in SAME:
        raise HTTPError(403, "the control routes accept no changes from pages of other sites")


def address_of(request: Request) -> str:
    """Return the address of the client."""
    return request.client.host if request.client else "127.0.0.1"


def _endpoint(state: SandboxState, act: Act) -> Callable[[Request], Awaitable[Response]]:
    async def respond(request: Request) -> Response:
        response = _answer(state, act, request, await request.body())
        response.headers["Date"] = state.clock.http_date()
        return response

    return respond


def _answer(state: SandboxState, act: Act, request: Request, raw: bytes) -> Response:
    try:
        check_local(request)
        lifecycle.settle(state)
        with state.store.transaction():
            return JSONResponse(act(state, request, _body(raw)))
    except HTTPError as refusal:
        return JSONResponse({"error": refusal.text}, refusal.status)
    except KeyError as error:
        return JSONResponse({"error": f"the body lacks {error.args[0]!r}"}, 400)
    except (TypeError, ValueError) as error:
        return JSONResponse({"error": str(error)}, 400)


def _body(raw: bytes) -> dict[str, Any]:
    if not raw:
        return {}
    try:
        body = parse_json(raw)
    except ValueError as error:
        raise bad_request(f"the body is not JSON: {error}") from None
    if not isinstance(body, dict):
        raise bad_request("the body must be a JSON object")
    return body


def _state(state: SandboxState, _: Request, __: dict[str, Any]) -> dict[str, Any]:
    counts = state.store.counts()
    return {
        "counts": {kind: counts.get(kind, 0) for kind in KINDS},
        "identity": asdict(state.identity),
        "settings": asdict(state.settings),
        "latency": asdict(state.latency),
        "release": state.release,
        "now": state.clock.now(),
    }


_STATUS = re.compile("[1-5](xx|[0-9]{2})|none", re.IGNORECASE)


def _log(state: SandboxState, request: Request, _: dict[str, Any]) -> list[dict[str, Any]]:
    query = request.query_params
    known = ("since", "limit", "operation", "method", "status", "path", "match")
    for name in query:
        if name not in known:
            raise bad_request(f"the log has no parameter {name!r}: it has {', '.join(known)}")
    operation = None if query.get("operation") == ANY else query.get("operation")
    if operation is not None:
        check_operation(operation)
    if query.get("status") and not _STATUS.fullmatch(query["status"]):
        raise bad_request(f"status must be a status such as 404, a class such as 4xx, or none, not {query['status']!r}")
    which = Which(operation, query.get("method"), query.get("status"), query.get("path"), _match(query))
    return state.log.entries(_number(query, "since") or 0, _number(query, "limit"), which)


def _number(query: QueryParams, name: str) -> int | None:
    text = query.get(name)
    if text is None or text.isdecimal():
        return int(text) if text else None
    raise bad_request(f"{name} must be a whole number from 0, not {text!r}")


def _match(query: QueryParams) -> dict[str, Any]:
    try:
        match = parse_json(query.get("match", "{}"))
    except ValueError:
        match = None
    if not isinstance(match, dict):
        raise bad_request("match must be a JSON object of fields of the body")
    return match


def _add_fault(state: SandboxState, _: Request, body: dict[str, Any]) -> None:
    state.faults.add(fault_from(body, state.clock.now()))


def _advance(state: SandboxState, _: Request, body: dict[str, Any]) -> None:
    state.clock.advance(body["advance"])


def _set_latency(state: SandboxState, _: Request, body: dict[str, Any]) -> dict[str, float]:
    for name in body.keys() - asdict(state.latency):
        raise bad_request(f"latency has no {name!r}: it has {', '.join(asdict(state.latency))}")
    state.latency = Latency(**{**asdict(state.latency), **body})
    return asdict(state.latency)


def _set_release(state: SandboxState, _: Request, body: dict[str, Any]) -> None:
    state.release = Release(body["release"])


def _password(state: SandboxState, request: Request, body: dict[str, Any]) -> dict[str, bool]:
    if not isinstance(body["password"], str):
        raise bad_request("password must be text")
    return {"works": services.password_works(state, request.path_params["id"], body["password"])}


def _save(state: SandboxState, request: Request, _: dict[str, Any]) -> None:
    """Save all objects under a name; replace an older snapshot of this name."""
    name = request.path_params["name"]
    if not re.fullmatch(r"[A-Za-z0-9._-]{1,64}", name):
        raise bad_request("a snapshot's name must have 1 to 64 letters, digits, dots, dashes and underscores")
    state.snapshots.pop(name, None)
    state.snapshots[name] = state.store.copy()


def _forget(state: SandboxState, request: Request, _: dict[str, Any]) -> None:
    _snapshot(state, request)
    del state.snapshots[request.path_params["name"]]


def _snapshot(state: SandboxState, request: Request) -> Snapshot:
    name, snapshots = request.path_params["name"], state.snapshots
    if name in snapshots:
        return snapshots[name]
    hint = did_you_mean(name, snapshots) or f"; there are {', '.join(snapshots) or 'none'}"
    raise HTTPError(404, f"no snapshot is named {name!r}{hint}")


def _kind(request: Request) -> str:
    kind: str = request.path_params["kind"]
    check_kind(kind)
    return kind


def _list(state: SandboxState, request: Request, _: dict[str, Any]) -> list[Document]:
    # Ids of predefined objects repeat in every stack, so they are listed under their keys in the store.
    return [{**document, "id": key} for key, document in state.store.items(_kind(request))]


def _get(state: SandboxState, request: Request, _: dict[str, Any]) -> Document:
    document = state.store.get(_kind(request), request.path_params["id"])
    if document is None:
        raise not_found("Object")
    return document


def _add(state: SandboxState, request: Request, body: dict[str, Any]) -> Document:
    return add_object(state, _kind(request), body)


def _change(state: SandboxState, request: Request, body: dict[str, Any]) -> Document:
    """Change fields of an object without validation."""
    kind, old = _kind(request), _get(state, request, body)
    check_types(kind, body)
    document = BY_KIND[kind].changed_by_hand(state, old, body) if kind in BY_KIND else {**old, **body}
    state.store.put(kind, request.path_params["id"], document)
    if kind == lifecycle.SERVICES and "state" in body:
        state.store.delete(lifecycle.TRANSITIONS, document["id"])
    return document


def _remove(state: SandboxState, request: Request, body: dict[str, Any]) -> None:
    """Remove an object with its dependent objects, without a transition."""
    kind, id_ = _kind(request), request.path_params["id"]
    _get(state, request, body)
    if kind == services.BACKUPS:
        state.store.delete(kind, id_)
    else:
        BY_KIND[kind].remove(state, id_)
