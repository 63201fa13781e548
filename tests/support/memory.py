"""The sandbox as function calls: without sockets, threads or files, and with the caller's clock.

A simulation calls it some hundred thousand times, so a call does little more than run the handler.
"""

from __future__ import annotations

import random
from collections.abc import Coroutine, Iterable, Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import Receive

from clouddb_tools.sandbox import responses
from clouddb_tools.sandbox.app import make_app, make_state
from clouddb_tools.sandbox.ids import Ids
from clouddb_tools.sandbox.settings import Clock, Settings

WAITS = "a request to a sandbox in memory must not wait: advance its clock instead of setting a fault with a delay"


class MemorySandbox:
    """A sandbox that is called as a function, and is empty again after `reset`.

    Args:
        settings: Its settings.
        clock: Its clock.
        source: The random generator of its credentials; with a seed, these are reproducible.

    Attributes:
        state: Its objects, credentials and faults.
    """

    def __init__(self, settings: Settings, clock: Clock, source: random.Random | None = None) -> None:
        self.state = make_state(settings, clock, source)
        self._app = make_app(self.state)
        self._routes = _index(self._app.routes)

    def reset(self, source: random.Random | None = None) -> None:
        """Drop everything except the credentials. New ids come from `source`."""
        self.state.ids = Ids(self.state.clock.now, source)
        self.state.reset()

    def request(self, method: str, path: str, headers: Mapping[str, str], body: bytes = b"") -> Response:
        """Return the response to one request; `path` has no query."""
        for route in self._routes.get((method, path.count("/")), ()):
            match = route.path_regex.match(path)
            if match:
                scope = {**_scope(method, path, headers, match.groupdict()), "app": self._app}
                response: Response = _finish(route.endpoint(Request(scope, _receiving(body))))
                return response
        return responses.no_such_route(method, path)


def _index(routes: Iterable[BaseRoute]) -> dict[tuple[str, int], list[Route]]:
    """Return the routes by method and depth: a router that tries some forty patterns costs more than most handlers."""
    found: dict[tuple[str, int], list[Route]] = {}
    for route in routes:
        if isinstance(route, Route):
            for method in route.methods or ():
                found.setdefault((method, route.path.count("/")), []).append(route)
    return found


def _scope(method: str, path: str, headers: Mapping[str, str], params: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "http",
        "scheme": "https",
        "method": method,
        "path": path,
        "raw_path": path.encode("latin-1"),
        "query_string": b"",
        "headers": [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()],
        "client": ("127.0.0.1", 0),
        "path_params": params,
    }


def _receiving(body: bytes) -> Receive:
    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    return receive


def _finish(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """Run a coroutine that never waits, and return its result.

    Raises:
        RuntimeError: The coroutine waited, as a `delay` fault does; delays need the sandbox's clock.
    """
    try:
        coroutine.send(None)
    except StopIteration as stop:
        return stop.value
    except RuntimeError as error:  # asyncio's: there is no event loop
        raise RuntimeError(WAITS) from error
    raise RuntimeError(WAITS)
