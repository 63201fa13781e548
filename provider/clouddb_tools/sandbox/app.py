"""The application: a route for each operation, and a 404 page for every other path.

All requests to operations pass through `_serve`, which applies faults, limits and credentials.
"""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache, partial
from typing import Any
from urllib.parse import unquote

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from pulumi_clouddb.client.dialect import DIALECTS
from pulumi_clouddb.client.operation import CALLER, HEALTH, WHO_AM_I, Operation, ServerKind
from pulumi_clouddb.registry import OPERATIONS
from pulumi_clouddb.schema.vocabulary import VocabularyName
from pulumi_clouddb.things.byoc_infrastructures.api import ByocInfrastructures
from pulumi_clouddb.things.organizations.api import Organizations
from pulumi_clouddb.things.services.api import Services
from pulumi_clouddb.things.user_defined_functions.api import ZIP
from pulumi_clouddb.things.webhooks.api import Webhooks

from . import control, keys, lifecycle, members, organizations, page, responses, roles, services, versions
from .auth import authenticate, check_organization
from .bodies import parse_json
from .fault_responses import NoResponse, afterwards, instead
from .faults import AFTER, BEFORE, OF_RESULT, Fault, FaultKind
from .handlers import HANDLERS
from .ids import Ids
from .log import basic_credentials
from .logged_request import LoggedRequest
from .monitoring import MONITORING
from .rate_limit import Usage
from .responses import HTTPError, bad_request
from .settings import PREFIX, Clock, Settings
from .state import EMAIL, EPOCH, SELF_HOSTED, USER, Call, Identity, LateCommit, SandboxState, new_identity
from .store import Store
from .user_defined_functions import UPLOAD_PATH, receive_upload

IDENTITY = "identity"

VERSION = "2.36.0"
"""The release of the vendor's observability server that this sandbox imitates."""


SINCE_OCTOBER = frozenset(
    operation.name
    for operation in (
        CALLER,
        Organizations.LIST_NOTIFICATION_TYPES.managed,
        ByocInfrastructures.GET.managed,
        ByocInfrastructures.GET_TAGS.managed,
        ByocInfrastructures.GET_PROGRESS.managed,
        ByocInfrastructures.GET_PRIVATE_ENDPOINT_CONFIG.managed,
        ByocInfrastructures.VALIDATE.managed,
        *(Webhooks.VALIDATE.managed, Webhooks.VALIDATE.self_hosted),
        *(Services.GET_REPLICA_AWARE_ROUTING.managed, Services.UPDATE_REPLICA_AWARE_ROUTING.managed),
    )
)
"""Operations that the release of August 2026 does not have."""


def make_state(settings: Settings, clock: Clock | None = None, source: random.Random | None = None) -> SandboxState:
    """Return the state stored in the settings' file, or a new state with one admin key.

    Without `clock` the sandbox uses the real time. A seeded `source` makes ids and credentials reproducible.

    Raises:
        OSError: The file cannot be used, or another sandbox uses it.
    """
    clock = clock or Clock()
    store = Store(clock.now, settings.data)
    stored = store.get(IDENTITY, IDENTITY)
    ids = Ids(clock.now, source)
    try:
        identity = Identity(**stored) if stored else new_identity(ids)
    except TypeError as error:
        store.close()
        raise OSError(f"{settings.data} is from another version of the sandbox\nChoose another file.") from error
    state = SandboxState(settings, identity, store, clock, settings.latency, ids, _add_initial_objects)
    if not stored:
        _add_initial_objects(state)
    return state


def _add_initial_objects(state: SandboxState) -> None:
    with state.store.transaction():
        state.store.put(IDENTITY, IDENTITY, asdict(state.identity))
        credentials = {"keyId": state.identity.keyId, "keySecret": state.identity.keySecret}
        keys.SERVED.add_by_hand(state, {"name": "Sandbox admin", **credentials})
        services.add_stack_objects(state, SELF_HOSTED)
        organizations.SERVED.add(state, "", {})
        roles.add_system_roles(state)
        members.add_owner(state)


def make_app(state: SandboxState) -> Starlette:
    """Return the application that serves `state`."""
    offered = [
        operation
        for operation in (*MONITORING, *OPERATIONS.values())
        if (operation.documented or not state.settings.documented_only)
        and operation.only in (None, state.settings.vocabulary)
    ]
    app = Starlette(
        routes=[
            *sorted((_route(state.settings.vocabulary, operation) for operation in offered), key=_placeholders),
            *_status_routes(state),
            _upload_route(state),
            *page.routes(state),
            *control.routes(state),
        ],
        exception_handlers={HTTPException: _not_offered(state), Exception: _server_error(state)},
    )
    app.state.sandbox = state
    app.router.redirect_slashes = False
    if state.settings.is_clickhouse:
        app.add_middleware(LenientPaths)
    return app


# -- routes ------------------------------------------------------------------------------------------------------------


@cache  # to make the routes takes longest when a sandbox starts
def _route(vocabulary: VocabularyName, operation: Operation) -> Route:
    async def respond(request: Request) -> Response:
        state: SandboxState = request.app.state.sandbox
        entry = _logged(state, operation, request, raw := await request.body())
        try:
            return _dated(state, await _serve(state, operation, request, raw, entry))
        finally:
            state.log.answered(entry)

    management = operation.server_kind is ServerKind.MANAGEMENT
    path = DIALECTS[vocabulary].path(operation.path) if management else operation.path
    return Route(path, respond, methods=[operation.method], name=operation.name)


def _placeholders(route: Route) -> list[bool]:
    """Return which segments are placeholders: the first route that matches is taken, so literal ones come first."""
    return [segment.startswith("{") for segment in route.path.split("/")]


def _status_routes(state: SandboxState) -> Iterator[Route]:
    """Yield routes by which clients of the vendor's observability server check the server and their token.

    They follow routers/external-api/v2/index.ts and routers/api/root.ts.
    """
    identity = state.identity

    def user(authorization: str, address: str) -> object:
        authenticate(state, WHO_AM_I, authorization, address, {})
        own = {"_id": identity.teamId, "accessKey": identity.stackToken, "team": identity.teamId}
        times = {"createdAt": EPOCH, "updatedAt": EPOCH, "__v": 0}
        return {"version": "v2", "user": {"name": USER, "email": EMAIL, **own, **times}}

    def health(_: str, __: str) -> object:
        return {"data": "OK", "version": VERSION, "ip": "127.0.0.1"}

    def route(path: str, content: Callable[[str, str], object]) -> Route:
        async def respond(request: Request) -> Response:
            entry = _logged(state, None, request, await request.body())
            entry.request_id = state.ids.uuid()
            try:
                authorization = request.headers.get("authorization", "")
                response: Response = JSONResponse(content(authorization, control.address_of(request)))
            except HTTPError as refusal:
                response = responses.failure(ServerKind.SELF_HOSTED, refusal, entry.request_id)
            entry.status = response.status_code
            state.log.answered(entry)
            return _dated(state, response)

        return Route(path, respond, methods=["GET"])

    if state.settings.is_clickhouse and not state.settings.documented_only:
        yield route(f"{WHO_AM_I.path}/", user)
        yield route(HEALTH.path, health)


def _upload_route(state: SandboxState) -> Route:
    """Return the route that receives the code of functions: the address itself is the credential."""

    async def respond(request: Request) -> Response:
        content = await request.body()
        well_formed = "authorization" not in request.headers and request.headers.get("content-type") == ZIP
        params = request.path_params
        with state.store.transaction():
            stored = well_formed and receive_upload(state, params["id"], params["signature"], content)
        return _dated(state, Response(status_code=200 if stored else 403))

    return Route(UPLOAD_PATH + "{id}/{signature}", respond, methods=["PUT"])


def _server_error(state: SandboxState) -> Callable[[Request, Exception], Awaitable[Response]]:
    """Return the handler that reports a bug in the sandbox as the servers report theirs; uvicorn logs the traceback."""

    async def respond(request: Request, _: Exception) -> Response:
        server_kind, text = ServerKind.MANAGEMENT, "Unknown Error"
        if request.url.path.startswith("/api/"):
            server_kind, text = ServerKind.SELF_HOSTED, "Something went wrong :("
        return _dated(state, responses.failure(server_kind, HTTPError(500, text), state.ids.uuid()))

    return respond


def _not_offered(state: SandboxState) -> Callable[[Request, Exception], Awaitable[Response]]:
    """Return the handler for unknown paths and methods: the vendor's servers return a page for both."""

    async def respond(request: Request, _: Exception) -> Response:
        response = responses.no_such_route(request.method, request.url.path)
        if not request.url.path.startswith(PREFIX):
            entry = _logged(state, None, request, await request.body())
            entry.status = response.status_code
            state.log.answered(entry)
        return _dated(state, response)

    return respond


def _dated(state: SandboxState, response: Response) -> Response:
    response.headers["Date"] = state.clock.http_date()
    return response


def _logged(state: SandboxState, operation: Operation | None, request: Request, raw: bytes) -> LoggedRequest:
    entry = LoggedRequest(state.clock.now(), request.method, request.scope["path"])
    entry.operation = operation.name if operation else None
    entry.vocabulary = state.settings.vocabulary.value
    return state.log.open(request, raw, entry)


# -- a request to an operation -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Faults:
    """The faults of one request, at most one of each sort."""

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
    entry.status = 500  # stays if a handler raises an unexpected error
    lifecycle.settle(state)
    if faults.before:
        if faults.before.kind is FaultKind.COMMIT_LATE:
            at = state.clock.now() + faults.before.wait
            state.late.append(LateCommit(at, partial(_carry_out, state, operation, request, raw)))
        response = instead(operation, faults.before, request, entry.request_id)
    else:
        response = _limited(state, operation, request, raw, entry, faults)
    entry.status = None if isinstance(response, NoResponse) else response.status_code
    return response


def _faults_of(state: SandboxState, operation: Operation, request: Request, raw: bytes) -> _Faults:
    if not state.faults:
        return _Faults()
    body = None
    with suppress(ValueError):
        body = parse_json(raw)
    fields = {**request.path_params, **(body if isinstance(body, dict) else {})}
    now = state.clock.now()
    return _Faults(
        delay=state.faults.consume(operation.name, (FaultKind.DELAY,), now, fields),
        lag=state.faults.consume(operation.name, (FaultKind.LAG,), now, fields),
        before=state.faults.consume(operation.name, BEFORE, now, fields),
        # Spent only after the request: a refused write has no response to damage.
        after=state.faults.due(operation.name, AFTER, now, fields),
    )


def _limited(
    state: SandboxState, operation: Operation, request: Request, raw: bytes, entry: LoggedRequest, faults: _Faults
) -> Response:
    """Answer a request within the rate limit; refuse any other with 429."""
    usage = _count(state, operation, request)
    if usage and not usage.allowed:
        response = responses.too_many(operation.server_kind, usage.reset, entry.request_id or "")
    else:
        response = _answer(state, operation, request, raw, entry, faults)
    if usage and operation.server_kind is ServerKind.SELF_HOSTED:
        response.headers.update(usage.headers)
    return response


def _count(state: SandboxState, operation: Operation, request: Request) -> Usage | None:
    """Count the request against the rate limit, before its credentials are checked."""
    if not state.settings.rate_limit:
        return None
    authorization = request.headers.get("authorization", "")
    caller = basic_credentials(authorization)[0] or authorization
    return state.windows[operation.server_kind].consume(caller, state.clock.now())


def _answer(
    state: SandboxState, operation: Operation, request: Request, raw: bytes, entry: LoggedRequest, faults: _Faults
) -> Response:
    request_id, refused = entry.request_id or "", False
    if operation.name in SINCE_OCTOBER and not state.is_newest:
        return responses.no_such_route(request.method, request.url.path)
    try:
        result = _carry_out(state, operation, request, raw, faults.lag.wait if faults.lag else 0.0)
        response = responses.success(operation.server_kind, result, request_id, operation.status)
        response.headers.update(versions.etag(state, operation, request))
    except HTTPError as refusal:
        refused, response = True, responses.failure(operation.server_kind, refusal, request_id)
    fault = faults.after
    # A refused write changes nothing, so the fault stays pending until a write succeeds.
    if fault is None or (refused and (operation.writes or fault.kind in OF_RESULT)) or not state.faults.spend(fault):
        return response
    entry.fault = fault.kind.value
    return afterwards(operation, fault, response, request_id, state.clock)


def _carry_out(state: SandboxState, operation: Operation, request: Request, raw: bytes, hidden_for: float = 0.0) -> Any:
    """Authenticate the request, call its handler and return the result.

    Raises:
        HTTPError: The request is refused.
    """
    with state.store.transaction():
        authorization, address = request.headers.get("authorization", ""), control.address_of(request)
        key = authenticate(state, operation, authorization, address, request.path_params)
    with state.store.transaction():
        body, origin = _body(state, request, raw), str(request.base_url)
        call = Call(operation, request.path_params, request.query_params, body, key, hidden_for, origin)
        check_organization(state, call.params)
        versions.check(state, operation, request)
        return HANDLERS[operation.name](state, call)


def _body(state: SandboxState, request: Request, raw: bytes) -> Any:
    if not raw:
        return None
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise bad_request("Content-Type must be application/json")
    with suppress(ValueError):
        body = parse_json(raw)
        if not state.settings.is_clickhouse or isinstance(body, (dict, list)):  # express accepts no other values
            return body
    raise bad_request("Invalid JSON payload")


# -- paths -------------------------------------------------------------------------------------------------------------

_ALLOWED = (
    (b"access-control-allow-methods", b"GET,HEAD,PUT,PATCH,POST,DELETE"),
    (b"access-control-allow-credentials", b"true"),
    (b"content-length", b"0"),
)


class LenientPaths:
    """Accepts paths in any case and with a trailing slash, as the vendor's servers do, and responds to OPTIONS."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on under the normalized path."""
        if scope["type"] == "http" and scope["path"].startswith("/v1/"):
            await self._app({**scope, "path": scope["path"].rstrip("/")}, receive, send)
        elif scope["type"] != "http" or not scope["path"].lower().startswith("/api/"):
            await self._app(scope, receive, send)
        elif scope["method"] == "OPTIONS":
            await send({"type": "http.response.start", "status": 204, "headers": _ALLOWED})
            await send({"type": "http.response.body", "body": b""})
        else:
            await self._app({**scope, "path": _normalized(scope)}, receive, send)


def _normalized(scope: Scope) -> str:
    """Return the path in lower case and without a trailing slash; a quoted slash within an id stays quoted."""
    raw = scope.get("raw_path") or b""
    path: str = scope["path"]
    if b"%2f" in raw.lower():
        path = unquote(raw.decode("latin-1").replace("%2f", "%252f").replace("%2F", "%252F"))
    end = path.rstrip("/")
    return (f"{end}/" if end.lower() == "/api/v2" else end).lower()
