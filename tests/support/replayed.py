"""A transport that records requests, and replays responses with changed values."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import httpx


class Replayed(httpx.HTTPTransport):
    """Sends requests to a server until it is `offline`; then it returns the last response to each GET, altered.

    Attributes:
        sent: The names of all properties in request bodies.
        alter: Changes the body of a response in place.
    """

    def __init__(self) -> None:
        super().__init__()
        self.sent: set[str] = set()
        self.alter: Callable[[Any], None] = lambda _: None
        self.offline = False
        self._responses: dict[str, tuple[int, bytes, httpx.Headers]] = {}

    def close(self) -> None:
        """Do nothing: several processes share the connections, and each would close them when it is collected."""

    def end(self) -> None:
        """Close the connections."""
        super().close()

    @property
    def nested(self) -> set[str]:
        """The names of all properties in recorded responses whose values are objects or lists."""
        bodies = (json.loads(content) for _, content, _ in self._responses.values())
        values = ((name, value) for body in bodies for each in objects_in(body) for name, value in each.items())
        return {name for name, value in values if isinstance(value, (dict, list))}

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request, or return an altered earlier response."""
        if request.content:
            with suppress(UnicodeDecodeError, json.JSONDecodeError):  # an archive of code
                self.sent.update(name for each in objects_in(json.loads(request.content)) for name in each)
        path = str(request.url)
        if self.offline and request.method == "GET" and path in self._responses:
            status, content, headers = self._responses[path]
            body = json.loads(content)
            self.alter(body)
            return httpx.Response(status, json=body, headers={"date": headers.get("date", "")})
        response = super().handle_request(request)
        content = response.read()
        if request.method == "GET" and response.headers.get("content-type", "").startswith("application/json"):
            self._responses[path] = (response.status_code, content, response.headers)
        return response


def objects_in(value: Any) -> Iterator[dict[str, Any]]:
    """Yield all objects in a JSON value."""
    if isinstance(value, dict):
        yield value
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from objects_in(each)
