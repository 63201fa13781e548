"""The application: one route per operation, each request through one funnel, everything else a 404 page."""

from __future__ import annotations

import json
import random
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pulumi_clouddb.api.operations import OPERATIONS, Operation, Surface

from . import control, envelope, keys, late, sources
from .auth import authenticate
from .errors import HTTPError, bad_request, forbidden
from .fault_responses import afterwards, instead
from .faults import AFTER, BEFORE, OF_RESULT, Fault, FaultKind
from .handlers import HANDLERS
from .ids import Ids
from .limits import Usage
from .log import LoggedRequest, basic_credentials
from .memory_store import MemoryStore
from .records import shape
from .settings import Clock, Settings
from .store import Store
from .transport import NoResponse
from .world import SELF_HOSTED, Call, Identity, LateCommit, World, new_identity

IDENTITY = "identity"


def make_world(settings: Settings, clock: Clock | None = None, source: random.Random | None = None) -> World:
    """Return the world that the settings describe: what its file holds, else a new one with one admin key.

    Args:
        settings: The switches.
        clock: The time it lives in; the real one when None.
        source: Where ids and credentials come from; one with a seed makes the same ones again.
    """
    clock = clock or Clock()
    store = _open_store(settings.data, clock)
    kept = store.get(IDENTITY, IDENTITY)
    ids = Ids(clock.now, source)
    identity = Identity(**kept) if kept else new_identity(ids)
    world = World(settings, identity, store, clock, settings.pace, ids, _furnish)
    if not kept:
        _furnish(world)
    return world


def _open_store(path: str | None, clock: Clock) -> Store:
    if path is None:
        return MemoryStore(clock.now)
    # SQLAlchemy takes longer to import than a sandbox in memory takes to start.
    from .sql_store import SqlStore

    return SqlStore(path, clock.now)


def _furnish(world: World) -> None:
    """Put in what a sandbox begins with: its credentials, and the sources of the self-hosted observability API."""
    with world.store.transaction():
        world.store.put(IDENTITY, IDENTITY, asdict(world.identity))
        keys.add(world, world.identity.keyId, world.identity.keySecret, {"name": "Sandbox admin"})
        sources.add_all(world, SELF_HOSTED)


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
        return _dated(world, envelope.failure(surface, HTTPError(500, text), world.ids.uuid()))

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
    entry = LoggedRequest(world.clock.now(), request.method, request.scope["path"])
    entry.operation = operation.name if operation else None
    entry.vocabulary = world.settings.vocabulary.value
    return world.log.open(request, raw, entry)


@dataclass(frozen=True)
class _Faults:
    """What shall happen to one request; at most one of each sort."""

    delay: Fault | None = None
    lag: Fault | None = None
    before: Fault | None = None
    after: Fault | None = None


async def _serve(world: World, operation: Operation, request: Request) -> Response:
    raw = await request.body()
    entry = _logged(world, operation, request, raw)
    entry.request_id = world.ids.uuid()
    faults = _faults_of(world, operation, request, raw)
    for fault in (faults.delay, faults.lag, faults.before):
        entry.fault = fault.kind.value if fault else entry.fault
    if faults.delay:
        await world.clock.sleep(faults.delay.wait)
    entry.status = 500  # what it is if a mistake of the sandbox gets in between
    late.settle(world)
    if faults.before:
        if faults.before.kind is FaultKind.COMMIT_LATE:
            at = world.clock.now() + faults.before.wait
            world.late.append(LateCommit(at, partial(_carry_out, world, operation, request, raw)))
        response = instead(operation, faults.before, request, entry.request_id)
    else:
        response = _answer(world, operation, request, raw, entry, faults)
    entry.status = None if isinstance(response, NoResponse) else response.status_code
    return response


def _faults_of(world: World, operation: Operation, request: Request, raw: bytes) -> _Faults:
    if not world.faults:
        return _Faults()
    body = None
    with suppress(ValueError):
        body = json.loads(raw)
    fields = {**request.path_params, **(body if isinstance(body, dict) else {})}
    now = world.clock.now()
    return _Faults(
        delay=world.faults.take(operation.name, (FaultKind.DELAY,), now, fields),
        lag=world.faults.take(operation.name, (FaultKind.LAG,), now, fields),
        before=world.faults.take(operation.name, BEFORE, now, fields),
        # Whether there is anything to spoil is known only when the request was carried out.
        after=world.faults.due(operation.name, AFTER, now, fields),
    )


def _answer(
    world: World, operation: Operation, request: Request, raw: bytes, entry: LoggedRequest, faults: _Faults
) -> Response:
    """Do what is asked for, unless the caller has asked too often."""
    usage = _count(world, operation, request)
    if usage and not usage.allowed:
        response = envelope.too_many(operation.surface, usage.reset, entry.request_id or "")
    else:
        response = _done(world, operation, request, raw, entry, faults)
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


def _done(
    world: World, operation: Operation, request: Request, raw: bytes, entry: LoggedRequest, faults: _Faults
) -> Response:
    request_id, refused = entry.request_id or "", False
    try:
        result = _carry_out(world, operation, request, raw, faults.lag.wait if faults.lag else 0.0)
        response = envelope.success(operation.surface, shape(world, operation.record, result), request_id)
    except HTTPError as refusal:
        refused, response = True, envelope.failure(operation.surface, refusal, request_id)
    fault = faults.after
    # A write that was refused did nothing, so the fault waits for one that does.
    if fault is None or (refused and (operation.writes or fault.kind in OF_RESULT)) or not world.faults.spend(fault):
        return response
    entry.fault = fault.kind.value
    return afterwards(operation, fault, response, request_id, world.clock)


def _carry_out(world: World, operation: Operation, request: Request, raw: bytes, hidden_for: float = 0.0) -> Any:
    """Do what is asked for and return the result, or refuse."""
    with world.store.transaction():
        key = authenticate(world, operation, request.headers.get("authorization", ""), _address(request))
    with world.store.transaction():
        call = Call(operation, request.path_params, request.query_params, _parsed(request, raw), key, hidden_for)
        if call.params.get("organizationId", world.identity.organizationId) != world.identity.organizationId:
            raise forbidden("The key belongs to another organization")
        return HANDLERS[operation.name](world, call)


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
