"""Connections: write-only passwords, properties that servers keep, and sources that use a connection."""

from __future__ import annotations

from typing import Any

import httpx

from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.registry import FUNCTIONS, RESOURCES
from support.ids import CONNECTION
from support.sessions import ProviderProcess
from things.sources.life import BEFORE

LEAST: dict[str, Any] = {"name": "Shop", "host": "https://shop.example.com:8443", "username": "reader"}
WHOLE: dict[str, Any] = {
    **LEAST,
    "password": "secret-of-the-shop",
    "hyperdxSettingPrefix": "team_",
    "isPrometheusEndpoint": True,
}


def stored(sandbox: Sandbox, id_: str) -> dict[str, Any]:
    """Return the stored properties of a connection, with its password."""
    return {
        name: value
        for name, value in sandbox.objects("connections")[id_].items()
        if not name.endswith("At") and name != "id"
    }


def test_removed_properties_are_cleared_except_the_password(process: ProviderProcess, sandbox: Sandbox) -> None:
    """Servers keep omitted properties, and no value clears a password (OpenAPI: `UpdateConnectionRequest`)."""
    id_, state = process.create("Connection", WHOLE)
    assert stored(sandbox, id_) == WHOLE
    assert process.read("Connection", id_, state).inputs == WHOLE
    state = process.update("Connection", id_, state, LEAST)
    left = {**LEAST, "password": WHOLE["password"], "isPrometheusEndpoint": False}
    assert stored(sandbox, id_) == left
    sandbox.change("connections", id_, hyperdxSettingPrefix="other_")
    process.update("Connection", id_, state, {**LEAST, "name": "Other"})
    assert stored(sandbox, id_) == {**left, "hyperdxSettingPrefix": "other_", "name": "Other"}


def test_delete_warns_of_sources_that_use_the_connection(
    process: ProviderProcess, sandbox: Sandbox, http: httpx.Client
) -> None:
    """The server deletes it, and rejects the next update of these sources (observability_server 2.10)."""
    id_, state = process.create("Connection", LEAST)
    source = {**BEFORE, "connection": id_}
    source_id = http.post("/sources", json=source).raise_for_status().json()["data"]["id"]
    process.delete("Connection", id_, state)
    (warning,) = process.warnings
    assert warning == (
        f"connection 'Shop' (id {id_}) is deleted, but still used by source 'Shop logs' (id {source_id}): the server "
        "refuses updates of these until they name another connection."
    )
    response = http.put(f"/sources/{source_id}", json=source)
    assert (response.status_code, response.json()["message"]) == (400, "connection must be an existing connection id")
    assert http.put(f"/sources/{source_id}", json={**source, "connection": CONNECTION}).status_code == 200
    assert sandbox.objects("connections").keys() == {CONNECTION, *sandbox.objects("connections")} - {id_}


def test_list_connections_filters_by_name(process: ProviderProcess) -> None:
    """Without a name it returns all connections; no password is returned."""
    id_, _ = process.create("Connection", WHOLE)
    connections = FUNCTIONS["listConnections"].call(process, {})["connections"]
    assert [each["id"] for each in connections] == [CONNECTION, id_]
    (shop,) = FUNCTIONS["listConnections"].call(process, {"name": "Shop"})["connections"]
    assert "password" not in shop


def test_setting_prefix_has_only_letters_digits_and_underscores(process: ProviderProcess) -> None:
    """Check has the server's rule."""
    (failure,) = RESOURCES["Connection"].check(process, {**LEAST, "hyperdxSettingPrefix": "a-b"}).failures
    assert (failure.path, failure.reason) == (
        "hyperdxSettingPrefix",
        "must be letters, digits and underscores only, not 'a-b'",
    )


# -- the sandbox ---------------------------------------------------------------------------------------------------


def test_sandbox_keeps_properties_that_an_update_omits(http: httpx.Client, sandbox: Sandbox) -> None:
    """Null and the empty string clear the prefix; an empty password has no effect."""
    connection = http.post("/connections", json={**WHOLE, "colour": "red"}).json()["data"]
    assert connection == {
        name: value for name, value in {**WHOLE, **connection}.items() if name not in ("password", "colour")
    }
    path = f"/connections/{connection['id']}"
    assert http.get(path).json() == {"data": connection}
    http.put(path, json={**LEAST, "password": ""})
    assert stored(sandbox, connection["id"]) == WHOLE
    for nothing in (None, ""):
        http.put(path, json={**LEAST, "hyperdxSettingPrefix": "again"})
        response = http.put(path, json={**LEAST, "hyperdxSettingPrefix": nothing})
        assert "hyperdxSettingPrefix" not in response.json()["data"]
    assert http.delete(path).json() == {}


def test_sandbox_returns_the_owner_of_a_token(sandbox: Sandbox, http: httpx.Client) -> None:
    """The vendor's clients request it first; an invalid token is rejected with plain text."""
    team = http.get("/team").json()["data"]
    assert set(team) == {"id", "name"}
    for path in ("", "/"):
        about = http.get(path).json()
        assert (about["version"], about["user"]["team"]) == ("v2", team["id"])
    (member,) = http.get("/team/members").json()["data"]
    assert member["isCurrentUser"] is True
    with sandbox.self_hosted("another-token") as other:
        response = other.get("/team")
    assert (response.status_code, response.text) == (401, "Unauthorized")
    with Sandbox(vocabulary="neutral") as plain, plain.self_hosted() as other:
        assert other.get("/team").status_code == 404


def test_observability_of_a_service_has_no_connections_to_manage(sandbox: Sandbox) -> None:
    """The cloud has no route for them, although its sources refer to one."""
    service = sandbox.add("services", name="orders", provider="aws", region="us-east-1")["id"]
    with sandbox.management() as http:
        assert http.get(f"/services/{service}/clickstack/connections").status_code == 404
        (logs, *_) = http.get(f"/services/{service}/clickstack/sources").json()["result"]
    assert logs["connection"] == CONNECTION
