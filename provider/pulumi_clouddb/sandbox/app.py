"""The application: one route per operation, each request through one funnel, everything else a 404 page."""

from __future__ import annotations

import json
import random
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pulumi_clouddb.api.operations import OPERATIONS, Operation, Surface

from . import control, dashboards, envelope, keys, lifecycle, sources
from .auth import authenticate
from .errors import Refusal, bad_request, forbidden, not_found
from .faults import AFTER, BEFORE, Fault, FaultKind
from .handlers import HANDLERS
from .ids import Ids
from .limits import Usage
from .log import LoggedRequest, basic_credentials
from .records import shape
from .settings import Clock, Settings
from .store import Store
from .transport import ConnectionReset
from .world import SELF_HOSTED, Call, Identity, World, new_identity

IDENTITY = "identity"


def make_world(settings: Settings, clock: Clock | None = None, source: random.Random | None = None) -> World:
    """Return the world that the settings describe: what its file holds, else a new one with one admin key.

    Args:
        settings: The switches.
        clock: The time it lives in; the real one when None.
        source: Where ids and credentials come from; one with a seed makes the same ones again.
    """
    store = Store(settings.data)
    kept = store.get(IDENTITY, IDENTITY)
    clock = clock or Clock()
    ids = Ids(clock.now, source)
    identity = Identity(**kept) if kept else new_identity(ids)
    world = World(settings, identity, store, clock, settings.pace, ids)
    if not kept:
        with store.transaction():
            store.put(IDENTITY, IDENTITY, asdict(identity))
            keys.add(world, identity.keyId, identity.keySecret, {"name": "Sandbox admin"})
            sources.add_all(world, SELF_HOSTED)
    return world


def make_app(world: World) -> Starlette:
    """Return the application that serves `world`."""
    offered = [
        operation for operation in OPERATIONS.values() if operation.documented or not world.settings.documented_only
    ]
    app = Starlette(
        routes=[*(_route(world, operation) for operation in offered), *control.routes(world)],
        exception_handlers={HTTPException: _not_offered(world), Exception: _broken(world)},
    )
    app.router.redirect_slashes = False
    return app


def _broken(world: World) -> Callable[[Request, Exception], Awaitable[Response]]:
    """Answer for a mistake of the sandbox itself as the servers do for theirs; the server prints the traceback."""

    async def respond(request: Request, _: Exception) -> Response:
        hosted = request.url.path.startswith("/api/")
        surface, text = (
            (Surface.SELF_HOSTED, "Something went wrong :(") if hosted else (Surface.MANAGEMENT, "Unknown Error")
        )
        return _dated(world, envelope.failure(surface, Refusal(500, text), world.ids.uuid()))

    return respond


def _dated(world: World, response: Response) -> Response:
    response.headers["Date"] = world.clock.http_date()
    return response


def _route(world: World, operation: Operation) -> Route:
    async def respond(request: Request) -> Response:
        return _dated(world, await _serve(world, operation, request))

    management = operation.surface is Surface.MANAGEMENT
    path = world.vocabulary.path(operation.path) if management else operation.path
    return Route(path, respond, methods=[operation.method], name=operation.name)


def _not_offered(world: World) -> Callable[[Request, Exception], Awaitable[Response]]:
    """Answer unknown paths, and known ones with another method: both are pages, as with the vendor's servers."""

    async def respond(request: Request, _: Exception) -> Response:
        response = envelope.no_such_route(request.method, request.url.path)
        if not request.url.path.startswith(control.PREFIX):
            _logged(world, None, request, await request.body()).status = response.status_code
        return _dated(world, response)

    return respond


def _logged(world: World, operation: Operation | None, request: Request, raw: bytes) -> LoggedRequest:
    entry = LoggedRequest(world.clock.now(), request.method, request.url.path)
    entry.operation = operation.name if operation else None
    entry.vocabulary = world.settings.vocabulary.value
    return world.log.open(request, raw, entry)


async def _serve(world: World, operation: Operation, request: Request) -> Response:
    raw = await request.body()
    entry = _logged(world, operation, request, raw)
    entry.request_id = world.ids.uuid()
    delay = world.faults.take(operation.name, (FaultKind.DELAY,), world.clock.now())
    instead = world.faults.take(operation.name, BEFORE, world.clock.now())
    if delay:
        entry.fault = delay.kind.value
        await world.clock.sleep(delay.wait)
    entry.status = 500  # what it is if a mistake of the sandbox gets in between
    if instead:
        entry.fault = instead.kind.value
        response = _instead(operation, instead, request, entry.request_id)
    else:
        response = _answer(world, operation, request, raw, entry)
    entry.status = None
    if not isinstance(response, ConnectionReset):
        entry.status = response.status_code
    return response


def _answer(world: World, operation: Operation, request: Request, raw: bytes, entry: LoggedRequest) -> Response:
    """Do what is asked for, unless the caller has asked too often."""
    usage = _count(world, operation, request)
    if usage and not usage.allowed:
        response = envelope.too_many(operation.surface, usage.reset, entry.request_id or "")
    else:
        response = _done(world, operation, request, raw, entry)
    if usage and operation.surface is Surface.SELF_HOSTED:
        response.headers.update(envelope.usage_headers(usage))
    return response


def _count(world: World, operation: Operation, request: Request) -> Usage | None:
    """Count the request, before it is known whether its credentials are good."""
    if not world.settings.rate_limit:
        return None
    authorization = request.headers.get("authorization", "")
    caller = basic_credentials(authorization)[0] or authorization
    return world.windows[operation.surface].take(caller, world.clock.now())


def _done(world: World, operation: Operation, request: Request, raw: bytes, entry: LoggedRequest) -> Response:
    request_id = entry.request_id or ""
    try:
        with world.store.transaction():
            lifecycle.settle(world)
            key = authenticate(world, operation, request.headers.get("authorization", ""), _address(request))
        with world.store.transaction():
            call = Call(operation, request.path_params, request.query_params, _parsed(request, raw), key)
            if call.params.get("organizationId", world.identity.organizationId) != world.identity.organizationId:
                raise forbidden("The key belongs to another organization")
            result = HANDLERS[operation.name](world, call)
    except Refusal as refusal:
        return envelope.failure(operation.surface, refusal, request_id)
    response = envelope.success(operation.surface, shape(world, operation.record, result), request_id)
    if fault := world.faults.take(operation.name, AFTER, world.clock.now()):
        entry.fault = fault.kind.value
        return _afterwards(operation, fault, response, request_id)
    return response


def _instead(operation: Operation, fault: Fault, request: Request, request_id: str) -> Response:
    if fault.kind is FaultKind.REFUSE:
        return ConnectionReset()
    if fault.kind is FaultKind.RATE_LIMIT:
        return envelope.too_many(operation.surface, fault.reset, request_id)
    if fault.kind is FaultKind.HTML:
        missing = fault.status == 404
        return (
            envelope.no_such_route(request.method, request.url.path)
            if missing
            else envelope.gateway_page(fault.status or 502)
        )
    if fault.kind is FaultKind.NOT_FOUND:
        return envelope.failure(operation.surface, _missing(operation), request_id)
    return envelope.failure(operation.surface, Refusal(fault.status or 500, fault.text), request_id)


def _missing(operation: Operation) -> Refusal:
    """What the handlers answer where the object of this operation is not there."""
    noun = operation.purpose.rpartition(" ")[2]
    return dashboards.missing() if noun == "dashboard" else not_found(noun.capitalize())


def _afterwards(operation: Operation, fault: Fault, response: Response, request_id: str) -> Response:
    if fault.kind is FaultKind.LOSE:
        return ConnectionReset()
    if fault.kind is FaultKind.COMMIT_THEN_STATUS:
        return envelope.failure(operation.surface, Refusal(fault.status or 500, fault.text), request_id)
    if fault.kind is FaultKind.BROKEN_JSON:
        body = bytes(response.body)
        return Response(body[: max(1, len(body) // 2)], media_type="application/json")
    return envelope.success(operation.surface, None, request_id)


def _address(request: Request) -> str:
    return request.client.host if request.client else "127.0.0.1"


def _parsed(request: Request, raw: bytes) -> Any:
    if not raw:
        return None
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise bad_request("Content-Type must be application/json")
    with suppress(ValueError):
        return json.loads(raw)
    raise bad_request("Invalid JSON payload")
