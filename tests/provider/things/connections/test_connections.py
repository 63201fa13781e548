"""Connections: passwords that are only written, properties that servers keep, and the sources that use them."""

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
    """Return what the server keeps of a connection, with its password."""
    return {
        name: value
        for name, value in sandbox.objects("connections")[id_].items()
        if not name.endswith("At") and name != "id"
    }


def test_what_a_program_takes_out_is_cleared_but_for_the_password(process: ProviderProcess, sandbox: Sandbox) -> None:
    """Servers keep what is left out, and no value clears a password (OpenAPI: `UpdateConnectionRequest`)."""
    id_, state = process.create("Connection", WHOLE)
    assert stored(sandbox, id_) == WHOLE
    assert process.read("Connection", id_, state).inputs == WHOLE
    state = process.update("Connection", id_, state, LEAST)
    left = {**LEAST, "password": WHOLE["password"], "isPrometheusEndpoint": False}
    assert stored(sandbox, id_) == left
    sandbox.change("connections", id_, hyperdxSettingPrefix="theirs_")
    process.update("Connection", id_, state, {**LEAST, "name": "Other"})
    assert stored(sandbox, id_) == {**left, "hyperdxSettingPrefix": "theirs_", "name": "Other"}


def test_the_sources_of_a_deleted_connection_are_named(
    process: ProviderProcess, sandbox: Sandbox, http: httpx.Client
) -> None:
    """The server deletes it, and refuses the next update of these sources (observability_server 2.10)."""
    id_, state = process.create("Connection", LEAST)
    source = {**BEFORE, "connection": id_}
    made = http.post("/sources", json=source).raise_for_status().json()["data"]["id"]
    process.delete("Connection", id_, state)
    (warning,) = process.warnings
    assert warning == (
        f"connection 'Shop' (id {id_}) is deleted, but still used by source 'Shop logs' (id {made}): the server "
        "refuses updates of these until they name another connection."
    )
    answer = http.put(f"/sources/{made}", json=source)
    assert (answer.status_code, answer.json()["message"]) == (400, "connection must be an existing connection id")
    assert http.put(f"/sources/{made}", json={**source, "connection": CONNECTION}).status_code == 200
    assert sandbox.objects("connections").keys() == {CONNECTION, *sandbox.objects("connections")} - {id_}


def test_a_function_lists_them(process: ProviderProcess) -> None:
    """All of them, or those of a name."""
    id_, _ = process.create("Connection", WHOLE)
    found = FUNCTIONS["listConnections"].call(process, {})["connections"]
    assert [each["id"] for each in found] == [CONNECTION, id_]
    (mine,) = FUNCTIONS["listConnections"].call(process, {"name": "Shop"})["connections"]
    assert "password" not in mine


def test_a_prefix_has_letters_digits_and_underscores(process: ProviderProcess) -> None:
    """As the server asks for them."""
    (failure,) = RESOURCES["Connection"].check(process, {**LEAST, "hyperdxSettingPrefix": "a-b"}).failures
    assert (failure.path, failure.reason) == (
        "hyperdxSettingPrefix",
        "must be letters, digits and underscores only, not 'a-b'",
    )


# -- the sandbox ---------------------------------------------------------------------------------------------------


def test_the_sandbox_keeps_what_an_update_leaves_out(http: httpx.Client, sandbox: Sandbox) -> None:
    """Password, prefix and the flag stay; null and the empty text clear the prefix, an empty password is none."""
    made = http.post("/connections", json={**WHOLE, "colour": "red"}).json()["data"]
    assert made == {name: value for name, value in {**WHOLE, **made}.items() if name not in ("password", "colour")}
    path = f"/connections/{made['id']}"
    assert http.get(path).json() == {"data": made}
    http.put(path, json={**LEAST, "password": ""})
    assert stored(sandbox, made["id"]) == WHOLE
    for nothing in (None, ""):
        http.put(path, json={**LEAST, "hyperdxSettingPrefix": "again"})
        answer = http.put(path, json={**LEAST, "hyperdxSettingPrefix": nothing})
        assert "hyperdxSettingPrefix" not in answer.json()["data"]
    assert http.delete(path).json() == {}


def test_a_client_learns_whose_token_it_has(sandbox: Sandbox, http: httpx.Client) -> None:
    """The vendor's clients ask for it first; a bad token is refused in plain text."""
    team = http.get("/team").json()["data"]
    assert set(team) == {"id", "name"}
    for path in ("", "/"):
        about = http.get(path).json()
        assert (about["version"], about["user"]["team"]) == ("v2", team["id"])
    (member,) = http.get("/team/members").json()["data"]
    assert member["isCurrentUser"] is True
    with sandbox.self_hosted("wrong") as other:
        answer = other.get("/team")
    assert (answer.status_code, answer.text) == (401, "Unauthorized")
    with Sandbox() as plain, plain.self_hosted() as other:
        assert other.get("/team").status_code == 404


def test_a_stack_of_a_service_has_none_to_manage(sandbox: Sandbox) -> None:
    """The cloud has no route for them; its sources name one all the same."""
    service = sandbox.add("services", name="orders", provider="aws", region="us-east-1")["id"]
    with sandbox.management() as http:
        assert http.get(f"/services/{service}/clickstack/connections").status_code == 404
        (logs, *_) = http.get(f"/services/{service}/clickstack/sources").json()["result"]
    assert logs["connection"] == CONNECTION
