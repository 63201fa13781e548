"""The one way from a run to its server: a proxy on loopback that asks the guard, and reports each exchange.

The front ends and all other requests of the run have its address instead of the server's.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import httpx
import uvicorn
from anyio import to_thread
from starlette.applications import Starlette
from starlette.requests import Request as HttpRequest
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from clouddb_tools.sandbox.fault_responses import ConnectionReset, ResettableProtocol
from clouddb_tools.sandbox.server import HOST, listen
from pulumi_clouddb.client.responses import date_of

from .guard import Ledger, Request, borrowed_by, creation_of, refusal

WHO = "x-acceptance-who"
"""The header that labels a request; it is not forwarded."""

SECONDS = 600.0
"""How long a server may take to respond; the provider has its own, shorter limits."""

REFUSED = 451
"""The status of a request that the guard refused; no server of the API returns it."""

NOT_FOUND = 404
_OF_A_CONNECTION = frozenset(
    {"connection", "content-encoding", "content-length", "host", "keep-alive", "transfer-encoding", "upgrade", WHO}
)
METHODS = ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"]


@dataclass(frozen=True)
class Exchange:
    """A request that was forwarded, and its response.

    Attributes:
        method: HTTP method.
        path: The path, without the server's address.
        query: The query, without `?`.
        request_body: The JSON of the body; the text if it is not JSON; None if it is empty.
        status: The status, or None if the server did not respond.
        headers: The headers of the response, with names in lower case.
        response_body: As `request_body`.
        who: What the request belongs to, such as `dynamic: Role: create`.
        seconds: The time until the response was complete.
        lost: Whether the proxy withheld the response.
    """

    method: str
    path: str
    query: str
    request_body: Any
    status: int | None
    headers: Mapping[str, str]
    response_body: Any
    who: str
    seconds: float = 0.0
    lost: bool = False


Listener = Callable[[Exchange], None]
Which = Callable[[Request], bool]


@dataclass
class Proxy:
    """The proxy of one run; use it as a context manager.

    Attributes:
        server: The address of the real server.
        ledger: What the run made.
        listeners: Called with each exchange, in the proxy's thread.
        refused: What the guard refused.
        who: The label of requests that have none themselves: those of the front ends.
        url: Its own address.
    """

    server: str
    ledger: Ledger
    listeners: list[Listener] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    who: str = ""
    url: str = ""
    _lose: Which | None = None
    _ahead: float | None = None

    def lose(self, which: Which) -> None:
        """Withhold the response to the next request for which `which` returns true; the server receives it."""
        self._lose = which

    @property
    def is_losing(self) -> bool:
        """Whether a response is still to be lost."""
        return self._lose is not None

    def keep_all(self) -> None:
        """Withhold no response any more."""
        self._lose = None

    def __enter__(self) -> Proxy:
        """Start to listen."""
        listener = listen(0)
        self.url = f"http://{HOST}:{listener.getsockname()[1]}"
        # Connections are not reused: a server may close an idle one at the moment of the next request.
        self._upstream = httpx.Client(timeout=SECONDS, limits=httpx.Limits(max_keepalive_connections=0))
        app = Starlette(routes=[Route("/{path:path}", self._respond, methods=METHODS)])
        config = uvicorn.Config(
            app,
            http=ResettableProtocol,
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            date_header=False,
            server_header=False,
            timeout_graceful_shutdown=1,
        )
        self._server, self._listener = uvicorn.Server(config), listener
        self._thread = threading.Thread(target=self._server.run, args=([listener],), name="acceptance", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop."""
        self._server.should_exit = True
        self._thread.join()
        self._listener.close()
        self._upstream.close()

    async def _respond(self, http: HttpRequest) -> Response:
        content = await http.body()
        # The guard decides about the path as it is forwarded, with its escapes.
        request = Request(http.method, http.scope["raw_path"].decode("ascii"), http.url.query, _plain(content))
        who = http.headers.get(WHO, self.who)
        if reason := refusal(request, self.ledger):
            self.refused.append(f"{who}: {reason}")
            text = f"the acceptance run did not send this request: {reason}"
            return JSONResponse({"status": REFUSED, "error": text, "message": text}, REFUSED)
        return await self._forwarded(request, http, content, who)

    async def _forwarded(self, request: Request, http: HttpRequest, content: bytes, who: str) -> Response:
        """Send a request that the guard lets pass, and return its response."""
        if path := borrowed_by(request, self.ledger):
            record = await self._send(Request("GET", path), http, b"")
            if record is None or not record.is_success:
                return ConnectionReset()  # what it was like is not known, so that nobody could restore it
            self.ledger.borrows(path, record.json().get("result"))
        if request.path in self.ledger.borrowed and request.writes:
            self.ledger.change(request.path, request.body)
        creation = creation_of(request)
        number = self.ledger.intends(creation, self._server_time) if creation else None
        started = time.monotonic()
        answer = await self._send(request, http, content)
        body = _plain(answer.content) if answer else None
        status = answer.status_code if answer else None
        if number is not None:
            self.ledger.answered(number, status, body)
        if request.method == "DELETE" and status is not None and (status < 300 or status == NOT_FOUND):
            self.ledger.gone(request.path)
        lost = self._is_lost(request, status)
        headers = dict(answer.headers) if answer else {}
        seconds = time.monotonic() - started
        exchange = Exchange(
            request.method, request.path, request.query, request.body, status, headers, body, who, seconds, lost
        )
        for each in self.listeners:
            each(exchange)
        if answer is None or lost:
            return ConnectionReset()
        kept = {name: value for name, value in answer.headers.items() if name not in _OF_A_CONNECTION}
        return Response(answer.content, answer.status_code, kept)

    async def _send(self, request: Request, http: HttpRequest, content: bytes) -> httpx.Response | None:
        headers = {name: value for name, value in http.headers.items() if name not in _OF_A_CONNECTION}
        target = f"{self.server}{request.path}" + (f"?{request.query}" if request.query else "")
        send = partial(self._upstream.request, request.method, target, headers=headers, content=content)
        try:
            response = await to_thread.run_sync(send, abandon_on_cancel=True)
        except httpx.HTTPError:
            return None
        if (date := date_of(response.headers)) is not None:
            self._ahead = date - time.monotonic()
        return response

    @property
    def _server_time(self) -> float | None:
        """The time of the server's clock, or None before its first response with a date."""
        return None if self._ahead is None else self._ahead + time.monotonic()

    def _is_lost(self, request: Request, status: int | None) -> bool:
        """Return whether to withhold this response; a refusal is not the one that was meant."""
        if self._lose is None or status is None or status >= 400 or not self._lose(request):
            return False
        self._lose = None
        return True


def _plain(content: bytes) -> Any:
    try:
        return json.loads(content) if content else None
    except ValueError:
        return content.decode(errors="replace")
