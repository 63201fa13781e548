"""The application: one route per operation, each request through one funnel, everything else a 404 page."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pulumi_clouddb.client.operation import Operation, ServerKind
from pulumi_clouddb.registry import OPERATIONS
from pulumi_clouddb.udfs.api import ZIP

from . import control, keys, lifecycle, organizations, page, responses, roles, services
from .about import ABOUT, About, Asked, answer
from .auth import authenticate, check_organization
from .fault_responses import NoResponse, afterwards, instead
from .faults import AFTER, BEFORE, OF_RESULT, Fault, FaultKind
from .handlers import HANDLERS
from .ids import Ids
from .log import LoggedRequest, basic_credentials
from .parsing import parsed
from .paths import LenientPaths
from .responses import HTTPError, bad_request
from .settings import Clock, Settings
from .state import SELF_HOSTED, Call, Identity, LateCommit, SandboxState, Usage, new_identity
from .store import Store
from .user_defined_functions import CREATED, UPLOAD_PATH, receive

IDENTITY = "identity"


def make_state(settings: Settings, clock: Clock | None = None, source: random.Random | None = None) -> SandboxState:
    """Return the state that the settings describe: what its file holds, else a new one with one admin key.

    Without `clock` it lives in the real time. A `source` with a seed makes the same ids and credentials again.
    """
    clock = clock or Clock()
    store = Store(clock.now, settings.data)
    kept = store.get(IDENTITY, IDENTITY)
    ids = Ids(clock.now, source)
    identity = Identity(**kept) if kept else new_identity(ids)
    state = SandboxState(settings, identity, store, clock, settings.latency, ids, _furnish)
    if not kept:
        _furnish(state)
    return state


def _furnish(state: SandboxState) -> None:
    """Put in what a sandbox begins with: its credentials, and what the self-hosted observability API has."""
    with state.store.transaction():
        state.store.put(IDENTITY, IDENTITY, asdict(state.identity))
        credentials = {"keyId": state.identity.keyId, "keySecret": state.identity.keySecret}
        keys.SERVED.add_by_hand(state, {"name": "Sandbox admin", **credentials})
        services.furnish(state, SELF_HOSTED)
        organizations.furnish(state)
        roles.furnish(state)


def make_app(state: SandboxState) -> Starlette:
    """Return the application that serves `state`."""
    offered = [
        operation
        for operation in OPERATIONS.values()
        if (operation.documented or not state.settings.documented_only)
        and operation.only in (None, state.settings.vocabulary)
    ]
    app = Starlette(
        routes=[
            *(_route(state, operation) for operation in offered),
            *_about(state),
            *_uploads(state),
            *page.routes(state),
            *control.routes(state),
        ],
        exception_handlers={HTTPException: _not_offered(state), Exception: _broken(state)},
    )
    app.router.redirect_slashes = False
    if state.settings.is_clickhouse:
        app.add_middleware(LenientPaths)
    return app


def _about(state: SandboxState) -> Iterator[Route]:
    """Yield the routes of the vendor's servers that are no operations."""

    def route(method: str, path: str, told: About) -> Route:
        async def respond(request: Request) -> Response:
            entry = _logged(state, None, request, raw := await request.body())
            entry.request_id = state.ids.uuid()
            with state.store.transaction():
                asked = Asked(request.path_params, lambda: _body(state, request, raw))
                response = answer(state, told, request, asked, control.address_of(request), entry.request_id)
            entry.status = response.status_code
            state.log.answered(entry)
            return _dated(state, response)

        return Route(path, respond, methods=[method])

    if state.settings.is_clickhouse and not state.settings.documented_only:
        yield from (route(*place, told) for place, told in ABOUT.items())


def _uploads(state: SandboxState) -> Iterator[Route]:
    """Yield where the code of functions is uploaded to: whoever knows the address may, without credentials."""

    async def respond(request: Request) -> Response:
        content = await request.body()
        signed = "authorization" not in request.headers and request.headers.get("content-type") == ZIP
        params = request.path_params
        with state.store.transaction():
            stored = signed and receive(state, params["id"], params["signature"], content)
        return _dated(state, Response(status_code=200 if stored else 403))

    yield Route(UPLOAD_PATH + "{id}/{signature}", respond, methods=["PUT"])


def _broken(state: SandboxState) -> Callable[[Request, Exception], Awaitable[Response]]:
    """Answer for a mistake of the sandbox itself as the servers do for theirs; the server prints the traceback."""

    async def respond(request: Request, _: Exception) -> Response:
        hosted = request.url.path.startswith("/api/")
        server_kind, text = (
            (ServerKind.SELF_HOSTED, "Something went wrong :(") if hosted else (ServerKind.MANAGEMENT, "Unknown Error")
        )
        return _dated(state, responses.failure(server_kind, HTTPError(500, text), state.ids.uuid()))

    return respond


def _dated(state: SandboxState, response: Response) -> Response:
    response.headers["Date"] = state.clock.http_date()
    return response


def _route(state: SandboxState, operation: Operation) -> Route:
    async def respond(request: Request) -> Response:
        entry = _logged(state, operation, request, raw := await request.body())
        try:
            return _dated(state, await _serve(state, operation, request, raw, entry))
        finally:
            state.log.answered(entry)

    management = operation.server_kind is ServerKind.MANAGEMENT
    path = state.dialect.path(operation.path) if management else operation.path
    return Route(path, respond, methods=[operation.method], name=operation.name)


def _not_offered(state: SandboxState) -> Callable[[Request, Exception], Awaitable[Response]]:
    """Answer unknown paths, and known ones with another method: both are pages, as with the vendor's servers."""

    async def respond(request: Request, _: Exception) -> Response:
        response = responses.no_such_route(request.method, request.url.path)
        if not request.url.path.startswith(control.PREFIX):
            entry = _logged(state, None, request, await request.body())
            entry.status = response.status_code
            state.log.answered(entry)
        return _dated(state, response)

    return respond


def _logged(state: SandboxState, operation: Operation | None, request: Request, raw: bytes) -> LoggedRequest:
    entry = LoggedRequest(state.clock.now(), request.method, request.scope["path"])
    entry.operation = operation.name if operation else None
    entry.vocabulary = state.settings.vocabulary.value
    return state.log.open(request, raw, entry)


@dataclass(frozen=True)
class _Faults:
    """What shall happen to one request; at most one of each sort."""

    delay: Fault | None = None
    lag: Fault | None = None
    before: Fault | None = None
    after: Fault | None = None


async def _serve(
    state: SandboxState, operation: Operation, request: Request, raw: bytes, entry: LoggedRequest
) -> Response:
    entry.request_id = state.ids.uuid()
    faults = _faults_of(state, operation, request, raw)
    for fault in (faults.delay, faults.lag, faults.before):
        entry.fault = fault.kind.value if fault else entry.fault
    if faults.delay:
        await state.clock.sleep(faults.delay.wait)
    entry.status = 500  # what it is if a mistake of the sandbox gets in between
    lifecycle.settle(state)
    if faults.before:
        if faults.before.kind is FaultKind.COMMIT_LATE:
            at = state.clock.now() + faults.before.wait
            state.late.append(LateCommit(at, partial(_carry_out, state, operation, request, raw)))
        response = instead(operation, faults.before, request, entry.request_id)
    else:
        response = _answer(state, operation, request, raw, entry, faults)
    entry.status = None if isinstance(response, NoResponse) else response.status_code
    return response


def _faults_of(state: SandboxState, operation: Operation, request: Request, raw: bytes) -> _Faults:
    if not state.faults:
        return _Faults()
    body = None
    with suppress(ValueError):
        body = parsed(raw)
    fields = {**request.path_params, **(body if isinstance(body, dict) else {})}
    now = state.clock.now()
    return _Faults(
        delay=state.faults.consume(operation.name, (FaultKind.DELAY,), now, fields),
        lag=state.faults.consume(operation.name, (FaultKind.LAG,), now, fields),
        before=state.faults.consume(operation.name, BEFORE, now, fields),
        # Whether there is anything to spoil is known only when the request was carried out.
        after=state.faults.due(operation.name, AFTER, now, fields),
    )


def _answer(
    state: SandboxState, operation: Operation, request: Request, raw: bytes, entry: LoggedRequest, faults: _Faults
) -> Response:
    """Do what is asked for, unless the caller has asked too often."""
    usage = _count(state, operation, request)
    if usage and not usage.allowed:
        response = responses.too_many(operation.server_kind, usage.reset, entry.request_id or "")
    else:
        response = _done(state, operation, request, raw, entry, faults)
    if usage and operation.server_kind is ServerKind.SELF_HOSTED:
        response.headers.update(usage.headers)
    return response


def _count(state: SandboxState, operation: Operation, request: Request) -> Usage | None:
    """Count the request, before it is known whether its credentials are good."""
    if not state.settings.rate_limit:
        return None
    authorization = request.headers.get("authorization", "")
    caller = basic_credentials(authorization)[0] or authorization
    return state.windows[operation.server_kind].consume(caller, state.clock.now())


def _done(
    state: SandboxState, operation: Operation, request: Request, raw: bytes, entry: LoggedRequest, faults: _Faults
) -> Response:
    request_id, refused = entry.request_id or "", False
    try:
        result = _carry_out(state, operation, request, raw, faults.lag.wait if faults.lag else 0.0)
        response = responses.success(
            operation.server_kind, result, request_id, 201 if operation.name in CREATED else 200
        )
    except HTTPError as refusal:
        refused, response = True, responses.failure(operation.server_kind, refusal, request_id)
    fault = faults.after
    # A write that was refused did nothing, so the fault waits for one that does.
    if fault is None or (refused and (operation.writes or fault.kind in OF_RESULT)) or not state.faults.spend(fault):
        return response
    entry.fault = fault.kind.value
    return afterwards(operation, fault, response, request_id, state.clock)


def _carry_out(state: SandboxState, operation: Operation, request: Request, raw: bytes, hidden_for: float = 0.0) -> Any:
    """Do what is asked for and return the result, or refuse."""
    with state.store.transaction():
        key = authenticate(state, operation, request.headers.get("authorization", ""), control.address_of(request))
    with state.store.transaction():
        body, origin = _body(state, request, raw), str(request.base_url)
        call = Call(operation, request.path_params, request.query_params, body, key, hidden_for, origin)
        check_organization(state, call.params)
        return HANDLERS[operation.name](state, call)


def _body(state: SandboxState, request: Request, raw: bytes) -> Any:
    if not raw:
        return None
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise bad_request("Content-Type must be application/json")
    with suppress(ValueError):
        body = parsed(raw)
        if not state.settings.is_clickhouse or isinstance(body, (dict, list)):  # as express takes them
            return body
    raise bad_request("Invalid JSON payload")
