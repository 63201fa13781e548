"""The sandbox as a server: start, authentication, form of responses, and restart."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import Any

import httpx
import pytest

from clouddb_tools.sandbox import FaultKind, Sandbox, SandboxControl
from clouddb_tools.sandbox.faults import Fault
from clouddb_tools.sandbox.handlers import HANDLERS
from clouddb_tools.sandbox.monitoring import MONITORING
from clouddb_tools.sandbox.responses import success
from clouddb_tools.sandbox.settings import Clock, Settings
from pulumi_clouddb.client.dialect import DIALECTS
from pulumi_clouddb.client.operation import SERVICE, ServerKind, of_vendor
from pulumi_clouddb.registry import OPERATIONS
from pulumi_clouddb.schema.config import ProviderConfig
from pulumi_clouddb.schema.vocabulary import VocabularyName
from support.ids import PLACEHOLDERS
from support.memory import MemorySandbox


def test_every_operation_has_a_handler() -> None:
    """The sandbox serves all operations of the table, and some that only other clients use."""
    assert set(HANDLERS) == {*OPERATIONS, *(operation.name for operation in MONITORING)}


LIKE_AN_ID = {"get_pipe_context": "get_pipe"}
"""Operations whose paths, where they are not offered, are those of another one, with a word in place of an id."""


@pytest.mark.parametrize("vocabulary", VocabularyName)
@pytest.mark.parametrize("documented_only", [False, True])
def test_only_operations_of_the_vocabulary_are_routed(vocabulary: VocabularyName, documented_only: bool) -> None:
    """All operations are served in the vocabulary; `documented_only` leaves only the documented ones."""
    with Sandbox(vocabulary=vocabulary, documented_only=documented_only) as sandbox, httpx.Client() as http:
        parts = {**dict.fromkeys(PLACEHOLDERS, "0" * 24), "organizationId": sandbox.organization_id}
        parts["serviceId"] = str(uuid.uuid4())
        offered = {}
        for operation in OPERATIONS.values():
            path = operation.path.format_map(parts)
            if operation.server_kind is ServerKind.MANAGEMENT:
                path = DIALECTS[vocabulary].path(path)
            # Without credentials an existing path returns 401, others return a page.
            answer = http.request(operation.method, sandbox.url + path)
            assert answer.status_code == (404 if "html" in answer.headers["content-type"] else 401)
            offered[operation.name] = answer.status_code == 401
    expected = {
        name: (operation.documented or not documented_only) and operation.only in (None, vocabulary)
        for name, operation in OPERATIONS.items()
    }
    assert offered == {name: each or expected.get(LIKE_AN_ID.get(name, ""), False) for name, each in expected.items()}


@pytest.mark.beyond_the_description
def test_literal_segment_is_matched_before_a_placeholder(monkeypatch: pytest.MonkeyPatch) -> None:
    """A new path such as `/pipes/zones` is no pipe, even if its collection sorts after Pipes."""
    zones = of_vendor("list_zones", "GET", SERVICE + "/pipes/zones", "Zone", "list the zones").managed
    monkeypatch.setitem(OPERATIONS, zones.name, zones)
    monkeypatch.setitem(HANDLERS, zones.name, lambda state, call: ["a"])
    with Sandbox(vocabulary="clickhouse") as sandbox, sandbox.management() as http:
        path = f"/services/{sandbox.add('services')['id']}/clickpipes"
        assert http.get(f"{path}/zones").json()["result"] == ["a"]
        assert http.get(f"{path}/{uuid.uuid4()}").status_code == 404


CONFIGS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "usual": (
        {},
        {"vocabulary": "clickhouse", "organization_tier": "ENTERPRISE", "paid": True, "poll_interval_seconds": 0.05},
    ),
    "interface": ({"vocabulary": "neutral"}, {"vocabulary": "neutral"}),
    "small": ({"organization_tier": "BASIC", "paid": False}, {"organization_tier": "BASIC", "paid": False}),
    "limited": ({"rate_limit": True}, {"poll_interval_seconds": 2}),
}


@pytest.mark.parametrize("case", CONFIGS)
def test_config_connects_a_program_with_the_sandbox(case: str) -> None:
    """`config` is a complete configuration of the provider, and describes the sandbox."""
    settings, expected = CONFIGS[case]
    with Sandbox(**settings) as sandbox:
        config = ProviderConfig.model_validate(
            {name.removeprefix("clouddb:"): value for name, value in sandbox.config.items()}
        )
        assert (config.base_url, config.stack_url) == (sandbox.url, sandbox.stack_url)
        assert (config.key_id, config.key_secret) == (sandbox.key_id, sandbox.key_secret)
        assert (config.stack_token, config.organization_id) == (sandbox.stack_token, sandbox.organization_id)
        assert {name: getattr(config, name) for name in expected} == expected


def test_success_without_content_has_no_body() -> None:
    """Nor the type of one, which clients would parse."""
    response = success(ServerKind.MANAGEMENT, None, "", 204)
    assert (response.status_code, response.body, response.headers.get("content-type")) == (204, b"", None)


def test_results_are_in_the_envelope_of_the_interface(sandbox: Sandbox) -> None:
    """It has the status, a unique UUID v4 and the result; lists are arrays."""
    with sandbox.management() as http:
        first, second = http.get("/services").json(), http.get("/services").json()
    assert set(first) == {"status", "requestId", "result"}
    assert (first["status"], first["result"]) == (200, [])
    assert uuid.UUID(first["requestId"]).version == 4
    assert first["requestId"] != second["requestId"]


def test_unknown_paths_return_a_page(sandbox: Sandbox) -> None:
    """This holds for unknown paths and for other methods of known ones, as on the vendor's servers."""
    with sandbox.management() as http:
        unknown, method = http.get("/nothing"), http.put("/services", json={})
    for answer, words in ((unknown, "Cannot GET /v1/"), (method, "Cannot PUT /v1/")):
        assert answer.status_code == 404
        assert answer.headers["content-type"].startswith("text/html")
        assert words in answer.text


BODIES: dict[str, tuple[dict[str, Any], str]] = {
    "not JSON": ({"content": b"{", "headers": {"Content-Type": "application/json"}}, "Invalid JSON payload"),
    "not declared as JSON": ({"content": b"{}", "headers": {"Content-Type": "text/plain"}}, "Content-Type"),
    "not an object": ({"json": ["name"]}, "must be an object"),
}


@pytest.mark.parametrize("case", BODIES)
def test_body_must_be_a_json_object(sandbox: Sandbox, case: str) -> None:
    """Other bodies are refused with the error envelope."""
    request, words = BODIES[case]
    with sandbox.management() as http:
        answer = http.post("/services", **request).json()
    assert set(answer) == {"status", "error", "requestId"}
    assert answer["status"] == 400
    assert answer["error"].startswith("BAD_REQUEST: ")
    assert words in answer["error"]


STRANGERS: dict[str, dict[str, Any]] = {
    "no header": {},
    "unknown key": {"auth": ("nobody", "nothing")},
    "wrong scheme": {"headers": {"Authorization": "Bearer token"}},
    "not base64": {"headers": {"Authorization": "Basic ?"}},
}


@pytest.mark.parametrize("case", STRANGERS)
def test_wrong_credentials_are_refused(sandbox: Sandbox, case: str) -> None:
    """The management API refuses them in its envelope."""
    answer = httpx.get(f"{sandbox.url}/v1/organizations/{sandbox.organization_id}/services", **STRANGERS[case])
    assert (answer.status_code, answer.json()["status"]) == (401, 401)
    assert answer.json()["error"].startswith("UNAUTHORIZED: ")


def test_wrong_secret_is_refused(sandbox: Sandbox) -> None:
    """The key id alone does not authenticate."""
    with sandbox.management(key_secret="wrong") as http:
        assert http.get("/services").status_code == 401


KEYS: dict[str, tuple[dict[str, Any], int, int]] = {
    "admin": ({"roles": ["admin"]}, 200, 200),
    "developer": ({"roles": ["developer"]}, 200, 403),
    "queries only": ({"roles": ["query_endpoints"]}, 403, 403),
    "several roles": ({"roles": ["query_endpoints", "developer"]}, 200, 403),
    "disabled": ({"state": "disabled"}, 401, 401),
    "expired": ({"expireAt": "2020-01-01T00:00:00Z"}, 401, 401),
    "not yet expired": ({"expireAt": "2999-01-01T00:00:00Z"}, 200, 200),
    "this address": ({"ipAccessList": [{"source": "127.0.0.1"}]}, 200, 200),
    "this network": ({"ipAccessList": [{"source": "10.0.0.0/8"}, {"source": "127.0.0.0/8"}]}, 200, 200),
    "another address": ({"ipAccessList": [{"source": "203.0.113.7"}]}, 403, 403),
    "no address": ({"ipAccessList": []}, 403, 403),
}


@pytest.mark.parametrize("case", KEYS)
def test_record_of_a_key_limits_its_access(sandbox: Sandbox, case: str) -> None:
    """Roles, state, expiry and address list limit it; the columns are the statuses of a read and a write."""
    fields, reading, writing = KEYS[case]
    made = sandbox.add_key(**fields)
    with sandbox.management(made["keyId"], made["keySecret"]) as http:
        assert http.get("/services").status_code == reading
        assert http.patch(f"/keys/{made['key']['id']}", json={"name": "other"}).status_code == writing


def test_key_expires_with_the_clock() -> None:
    """It stops working at the time in its record."""
    with Sandbox(vocabulary="neutral") as sandbox:
        made = sandbox.add_key(expireAt="2999-01-01T00:00:00Z")
        with sandbox.management(made["keyId"], made["keySecret"]) as http:
            assert http.get("/services").status_code == 200
            sandbox.advance(1000 * 365 * 86400)
            assert http.get("/services").status_code == 401


def test_another_organization_is_forbidden(sandbox: Sandbox) -> None:
    """The response is 403 and not 404, which clients would take for a deletion."""
    url = f"{sandbox.url}/v1/organizations/{uuid.uuid4()}/services"
    answer = httpx.get(url, auth=(sandbox.key_id, sandbox.key_secret))
    assert answer.status_code == 403


def test_self_hosted_api_requires_its_token(sandbox: Sandbox) -> None:
    """Requests without it get a plain text, as from the vendor's server."""
    with sandbox.self_hosted() as http:
        assert http.get("/dashboards").json() == {"data": []}
    for headers in ({}, {"Authorization": "Bearer wrong"}):
        answer = httpx.get(f"{sandbox.stack_url}/api/v2/dashboards", headers=headers)
        assert (answer.status_code, answer.text) == (401, "Unauthorized")
        assert answer.headers["content-type"].startswith("text/plain")


def test_file_keeps_objects_and_credentials(tmp_path: Path) -> None:
    """With `data`, a restart changes only the port."""
    file = tmp_path / "sandbox.db"
    with Sandbox(vocabulary="neutral", data=file) as sandbox:
        before, config = sandbox.add("services", name="kept"), sandbox.config
    with Sandbox(vocabulary="neutral", data=file) as sandbox:
        assert sandbox.services[before["id"]]["name"] == "kept"
        assert sandbox.password_works(before["id"], before["password"])
        moved = {"clouddb:baseUrl", "clouddb:stackUrl"}
        assert {name: sandbox.config[name] for name in sandbox.config if name not in moved} == {
            name: config[name] for name in config if name not in moved
        }
        with sandbox.management() as http:
            assert http.get(f"/services/{before['id']}").status_code == 200


def test_sandbox_can_run_in_its_own_process() -> None:
    """It can be controlled from another process."""
    with Sandbox(own_process=True, vocabulary="clickhouse", latency={"provision": 60}) as sandbox:
        made = sandbox.add("services", name="elsewhere")
        assert SandboxControl(sandbox.url).services[made["id"]]["state"] == "provisioning"
        sandbox.advance(60)
        assert sandbox.services[made["id"]]["state"] == "running"
    with pytest.raises(httpx.ConnectError):
        httpx.get(sandbox.url)


def test_error_of_the_sandbox_is_a_status_of_500(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The response is 500 in the form of the API; the traceback is in the server's log."""

    def broken(*_: object) -> None:
        raise ZeroDivisionError

    for name in ("list_keys", "self_hosted_list_sources"):
        monkeypatch.setitem(HANDLERS, name, broken)
    with sandbox.management() as managed, sandbox.self_hosted() as hosted:
        answers = managed.get("/keys"), hosted.get("/sources")
    assert [answer.status_code for answer in answers] == [500, 500]
    assert answers[0].json()["error"] == "INTERNAL_SERVER_ERROR: Unknown Error"
    assert answers[1].json() == {"message": "Something went wrong :("}
    assert [entry.status for entry in sandbox.requests[-2:]] == [500, 500]
    assert "ZeroDivisionError" in caplog.text


IMPOSSIBLE: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "a clock in another process": (
        {"own_process": True, "clock": Clock()},
        ValueError,
        "clock cannot be combined with own_process; use advance",
    ),
    "a call from another process": (
        {"own_process": True, "on_answer": print},
        ValueError,
        "on_answer cannot be combined with own_process; read the log",
    ),
    "a misspelt setting": ({"quirk": False}, TypeError, "a sandbox has no setting quirk; it has .*quirks"),
}


@pytest.mark.parametrize(("settings", "error", "message"), IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_invalid_settings_are_refused(settings: dict[str, Any], error: type[Exception], message: str) -> None:
    """This happens before the sandbox starts."""
    with pytest.raises(error, match=message):
        Sandbox(**settings)


def test_sandbox_in_memory_refuses_delays() -> None:
    """A delay would block the caller, so tests advance its clock instead."""
    sandbox = MemorySandbox(Settings(vocabulary=VocabularyName.NEUTRAL), Clock())
    sandbox.state.faults.add(Fault("*", FaultKind.DELAY, wait=1))
    path = f"/v1/organizations/{sandbox.state.identity.organizationId}/services"
    with pytest.raises(RuntimeError, match="a request to a sandbox in memory must not wait"):
        sandbox.request("GET", path, {})
