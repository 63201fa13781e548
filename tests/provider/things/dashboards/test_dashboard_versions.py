"""Updates of a dashboard on a server that compares versions, with edits between the requests of one update."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.client.errors import ResourceError
from support.ids import LOGS
from support.sessions import ProviderProcess, config_for

LINE = {"displayType": "line", "sourceId": LOGS, "select": [{"aggFn": "count"}]}
TEXT = {"displayType": "markdown", "markdown": "by hand"}
PLACE = {"x": 0, "y": 0, "w": 6, "h": 3}
ERRORS, NOTE = {"name": "Errors", **PLACE, "config": LINE}, {"name": "Note", **PLACE, "y": 3, "config": TEXT}
FASTER = {**ERRORS, "config": {**LINE, "groupBy": "ServiceName"}}

Seen = list[tuple[str, int]]
"""Method and status of each request to one dashboard."""


class Between(httpx.BaseTransport):
    """Sends requests, calls `before` ahead of each, and changes responses with `after`."""

    def __init__(self) -> None:
        self._sends = httpx.HTTPTransport()
        self.before: Callable[[httpx.Request], None] = lambda _: None
        self.after: Callable[[httpx.Request, httpx.Response], httpx.Response] = lambda _, response: response
        self.seen: Seen = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request."""
        self.before(request)
        response = self.after(request, self._sends.handle_request(request))
        response.read()
        if "/dashboards/" in request.url.path:
            self.seen.append((request.method, response.status_code))
        return response

    def close(self) -> None:
        """Close its connections."""
        self._sends.close()


def edit_of(sandbox: Sandbox, board: str, *edits: dict[str, Any]) -> Callable[[httpx.Request], None]:
    """Return what edits the note ahead of each update of a known version."""
    left = list(edits)

    def edit(request: httpx.Request) -> None:
        if left and request.method == "PUT" and len(request.headers.get("if-match", "")) < 6:
            tiles = sandbox.dashboards[board]["tiles"]
            sandbox.change("dashboards", board, tiles=[tiles[0], {**tiles[1], "config": left.pop(0)}])

    return edit


@pytest.fixture(name="between")
def between_them() -> Iterator[Between]:
    """Stand between a provider and its sandbox."""
    between = Between()
    yield between
    between.close()


def made(sandbox: Sandbox, folder: Path, between: Between) -> tuple[ProviderProcess, str, dict[str, Any]]:
    """Return a process with a dashboard, whose requests are counted from now on."""
    process = ProviderProcess(config_for(sandbox), folder, transport=between)
    board, state = process.create("Dashboard", {"name": "Orders", "tiles": [ERRORS, NOTE]})
    between.seen.clear()
    return process, board, state


def test_edit_between_read_and_write_is_kept(tmp_path: Path, between: Between) -> None:
    """The update is made again on the version that somebody has stored meanwhile."""
    with Sandbox(versions=True) as sandbox:
        process, board, state = made(sandbox, tmp_path, between)
        between.before = edit_of(sandbox, board, {**TEXT, "markdown": "meanwhile"})
        process.update("Dashboard", board, state, {"name": "Orders", "tiles": [FASTER, NOTE]})
        errors, note = (tile["config"] for tile in sandbox.dashboards[board]["tiles"])
        assert (errors["groupBy"], note["markdown"]) == ("ServiceName", "meanwhile")
        assert [status for method, status in between.seen if method == "PUT"] == [409, 409, 200]


def test_second_edit_in_one_update_is_an_error(tmp_path: Path, between: Between) -> None:
    """The update is repeated once, and overwrites nothing."""
    with Sandbox(versions=True) as sandbox:
        process, board, state = made(sandbox, tmp_path, between)
        between.before = edit_of(sandbox, board, {**TEXT, "markdown": "one"}, {**TEXT, "markdown": "two"})
        with pytest.raises(ResourceError, match=r"is being edited on the server.*\nRun again"):
            process.update("Dashboard", board, state, {"name": "Orders", "tiles": [FASTER, NOTE]})
        errors, note = (tile["config"] for tile in sandbox.dashboards[board]["tiles"])
        assert ("groupBy" in errors, note["markdown"]) == (False, "two")


def weak(_: httpx.Request, response: httpx.Response) -> httpx.Response:
    """Weaken an ETag, as a proxy that compresses does."""
    if "etag" in response.headers:
        response.headers["etag"] = f"W/{response.headers['etag']}"
    return response


def refused_with(status: int) -> Callable[[httpx.Request, httpx.Response], httpx.Response]:
    """Return what refuses another version with another status."""

    def refuse(_: httpx.Request, response: httpx.Response) -> httpx.Response:
        return httpx.Response(status, json={"message": "no"}) if response.status_code == 409 else response

    return refuse


KNOWN = [("GET", 200), ("PUT", 200)] * 2
SERVERS: dict[str, tuple[bool, Callable[..., httpx.Response] | None, list[tuple[str, int]]]] = {
    "without versions, nothing is read": (False, None, [("PUT", 200), ("PUT", 200)]),
    "a weak version is none": (True, weak, [("PUT", 409), ("GET", 200), ("PUT", 200), ("PUT", 200)]),
    "412": (True, refused_with(412), [("PUT", 412), ("GET", 200), *KNOWN]),
    "400 for a version that looks otherwise": (True, refused_with(400), [("PUT", 400), ("GET", 200), *KNOWN]),
}


@pytest.mark.parametrize("name", SERVERS)
def test_server_shows_whether_it_compares_versions(name: str, tmp_path: Path, between: Between) -> None:
    """The first update of a process finds out; later ones send no request in vain."""
    versions, after, expected = SERVERS[name]
    with Sandbox(versions=versions) as sandbox:
        process, board, state = made(sandbox, tmp_path, between)
        between.after = after or between.after
        for tiles in ([FASTER, NOTE], [ERRORS, NOTE]):
            state = process.update("Dashboard", board, state, {"name": "Orders", "tiles": tiles})
        assert between.seen == expected
        assert "groupBy" not in sandbox.dashboards[board]["tiles"][0]["config"]
