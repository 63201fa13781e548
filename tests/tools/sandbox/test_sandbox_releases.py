"""Responses of each release of the vendor's servers, and upgrades that keep all objects."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest
from typer.testing import CliRunner

from clouddb_tools.commands.main import app
from clouddb_tools.sandbox import Release, Sandbox

AUGUST, OCTOBER = Release


@pytest.fixture
def shop(sandbox: Sandbox) -> str:
    """The path of a service with a query, an endpoint, a key, an alert and a function."""
    id_: str = sandbox.add("services", name="Shop")["id"]
    sandbox.add("saved_queries", serviceId=id_, name="Orders", sql="SELECT 1", database="shop")
    sandbox.add("query_api_endpoints", serviceId=id_, name="Orders")
    sandbox.add("user_defined_functions", name="twice")
    sandbox.add("alerts", serviceId=id_)
    return f"/services/{id_}"


@pytest.fixture
def sandbox() -> Any:
    """A sandbox of the vendor's dialect."""
    with Sandbox(vocabulary="clickhouse", release="2026-08") as running:
        yield running


LISTS = (
    "{shop}/saved-queries",
    "{shop}/query-api-endpoints",
    "/udfs",
    "/udfs/twice/versions",
    "/udfs/twice/attachments",
)


@pytest.mark.parametrize("path", LISTS)
def test_cursor_moves_from_the_result_to_the_envelope(sandbox: Sandbox, shop: str, path: str) -> None:
    """The records are the same, but for properties that are newer."""
    with sandbox.management() as http:
        older = http.get(path.format(shop=shop)).json()
        sandbox.set_release(OCTOBER)
        newer = http.get(path.format(shop=shop)).json()
    records, pagination = older["result"]["items"], older["result"]["pagination"]
    assert records == [{name: each[name] for name in old} for old, each in zip(records, newer["result"], strict=True)]
    assert pagination["nextCursor"] == newer["nextCursor"]
    assert (pagination["limit"], pagination["totalRecords"]) == (newer["limit"], newer["totalCount"])
    assert pagination["currentCursor"] is None
    assert "nextCursor" not in older


def test_older_server_does_not_know_newer_requests(sandbox: Sandbox) -> None:
    """It returns its page for unknown paths, and the request is logged once, with its status."""
    with sandbox.self_hosted() as http:
        response = http.post("/webhooks/validate", json={})
    assert "Cannot POST /api/v2/webhooks/validate" in response.text
    assert [(each.operation, each.status) for each in sandbox.requests] == [("self_hosted_validate_webhook", 404)]


@pytest.mark.parametrize("path", ["/keys", "{shop}/clickstack/alerts"])
def test_newer_lists_have_pages(sandbox: Sandbox, shop: str, path: str) -> None:
    """Older ones ignore the limit."""
    sandbox.add_key()
    sandbox.add("alerts", serviceId=shop.rpartition("/")[2])
    with sandbox.management() as http:
        many = []
        for release in Release:
            sandbox.set_release(release)
            many.append(len(http.get(path.format(shop=shop), params={"limit": 1}).json()["result"]))
    assert many == [2, 1]


def test_self_hosted_lists_have_pages_in_each_release(sandbox: Sandbox) -> None:
    """The observability server 2.36.0 of August has them."""
    for name in ("a", "b"):
        sandbox.add("saved_searches", name=name)
    with sandbox.self_hosted() as http:
        assert len(http.get("/saved-searches", params={"limit": 1}).json()["data"]) == 1


SENT: dict[Release, Any] = {OCTOBER: {"max_query_size": 5, "compatibility": "25.8"}}
SENT[AUGUST] = '{"max_query_size": 5, "compatibility": "25.8"}'


@pytest.mark.parametrize("release", Release)
def test_settings_of_the_engine_have_the_form_of_the_release(sandbox: Sandbox, shop: str, release: Release) -> None:
    """A body of the other form is refused, and values are texts or of their own type."""
    path, other = f"{shop}/clickhouseSettings", SENT[next(each for each in Release if each is not release)]
    sandbox.set_release(release)
    with sandbox.management() as http:
        assert http.patch(path, json={"settings": other}).status_code == httpx.codes.BAD_REQUEST
        assert http.patch(path, json={"settings": SENT[release]}).json()["result"]["settings"] == SENT[release]
        values = {each["name"]: each["value"] for each in http.get(path).json()["result"]["settings"]}
    assert values == {"max_query_size": "5" if release is AUGUST else 5, "compatibility": "25.8"}


def test_release_is_a_setting_that_a_reset_restores(sandbox: Sandbox) -> None:
    """An upgrade keeps all objects; another release is refused."""
    id_ = sandbox.add("services", name="Shop")["id"]
    assert (Sandbox(vocabulary="neutral").settings.release, sandbox.state()["release"]) == (OCTOBER, AUGUST)
    sandbox.set_release("2026-10")
    assert (sandbox.state()["release"], id_ in sandbox.services) == (OCTOBER, True)
    with pytest.raises(ValueError, match="2027-01"):
        sandbox.set_release("2027-01")
    sandbox.reset()
    assert sandbox.state()["release"] == AUGUST


def test_file_of_another_release_is_upgraded(tmp_path: Path) -> None:
    """The next sandbox of the file has the objects."""
    file = tmp_path / "data.db"
    with Sandbox(vocabulary="clickhouse", release=AUGUST, data=file) as older:
        id_ = older.add("services", name="Shop")["id"]
    with Sandbox(vocabulary="clickhouse", data=file) as newer:
        assert (newer.state()["release"], id_ in newer.services) == (OCTOBER, True)


def test_command_changes_the_release(sandbox: Sandbox) -> None:
    """`clouddb sandbox release 2026-10` upgrades the running sandbox."""
    port = sandbox.url.rpartition(":")[2]
    result = CliRunner().invoke(app, ["sandbox", "--port", port, "release", "2026-10"])
    assert (result.exit_code, result.output) == (0, "The sandbox has the release 2026-10.\n")
    assert sandbox.state()["release"] == OCTOBER
