"""User-defined functions: each change is one version, also after lost responses; uploads have no credentials."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.sandbox.user_defined_functions import code_of
from lives.life import a_service
from pulumi_clouddb.client.errors import CloudDBError, RateLimitError, ResourceError
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.schema.values import WireDict
from pulumi_clouddb.things.user_defined_functions.api import version_id
from support.sessions import ProviderProcess, config_for
from things.user_defined_functions.life import CODE, OTHER, TWICE

FUNCTION = RESOURCES["UserDefinedFunction"]
KIND, URN = "user_defined_functions", "urn:twice"
SOMETHING = "3b8f5c1e-6d2a-4f7b-8c90-1a2b3c4d5e6f"
FIRST: WireDict = {**TWICE, "files": {"main.py": CODE}}
SECOND: WireDict = {**TWICE, "files": {"main.py": OTHER}}


def versions(sandbox: Sandbox) -> list[int]:
    """Return the numbers of all versions on the server, oldest first."""
    document = sandbox.objects(KIND)["twice"]
    return [each["version"] for each in (*document["older"], document)]


def update(process: ProviderProcess, state: WireDict, inputs: WireDict) -> WireDict:
    """Update the function as the resource that created it."""
    return lifecycle.update(process.for_resource(URN), FUNCTION, "twice", state, inputs)


def test_each_change_creates_one_version(process: ProviderProcess, sandbox: Sandbox) -> None:
    """This holds for code and properties; older versions are kept, and a destroy deletes all of them."""
    id_, state = process.create("UserDefinedFunction", FIRST, URN)
    assert (id_, state["version"], state["status"]) == ("twice", 1, "ready")
    assert code_of(sandbox.objects(KIND)["twice"]) == {"main.py": CODE}
    assert process.changes("UserDefinedFunction", state, FIRST) == ()
    state = update(process, state, SECOND)
    assert code_of(sandbox.objects(KIND)["twice"]) == {"main.py": OTHER}
    state = update(process, state, {**SECOND, "format": "JSONEachRow"})
    assert (state["version"], state["format"], versions(sandbox)) == (3, "JSONEachRow", [1, 2, 3])
    assert update(process, state, {**SECOND, "format": "JSONEachRow", "waitTimeoutMinutes": 1})["version"] == 3
    state = update(process, state, SECOND)  # a removed property has the server's default
    assert (sandbox.objects(KIND)["twice"]["format"], versions(sandbox)) == ("TabSeparated", [1, 2, 3, 4])
    process.delete("UserDefinedFunction", id_, state)
    assert sandbox.objects(KIND) == {}


def test_version_of_the_sandbox_is_the_servers(tmp_path: Path, sandbox: Sandbox) -> None:
    """A program that still sets it is warned; it is never sent, and does not make a version, also in older state."""
    process = ProviderProcess(config_for(sandbox), tmp_path)
    given = lifecycle.check(process, FUNCTION, {**FIRST, "sandboxVersion": "v3"})
    assert "UserDefinedFunction.sandboxVersion is deprecated" in str(process.warnings)
    id_, state = process.create("UserDefinedFunction", given.inputs, URN)
    older = {**state, "sandboxVersion": "v3", "__managed": [*state["__managed"], "sandboxVersion"]}
    for first in (state, older):
        known = first
        for _ in range(3):
            known = update(process, process.read("UserDefinedFunction", id_, known).state, given.inputs)
            assert (known["sandboxVersion"], versions(sandbox)) == ("v2", [1])
    assert "sandboxVersion" not in sandbox.logged("create_user_defined_function")[-1].body


LOST: dict[str, WireDict] = {"lose": {}, "commit_then_status": {"status": 502}}


@pytest.mark.parametrize(("fault", "details"), LOST.items(), ids=LOST)
def test_lost_create_is_an_error(fault: str, details: WireDict, process: ProviderProcess, sandbox: Sandbox) -> None:
    """The error names the function: no response has the code, so another client may have created it."""
    sandbox.fault("create_user_defined_function", fault, **details)
    with pytest.raises(ResourceError, match=r"one of: twice \(no response shows its files as sent\)"):
        process.create("UserDefinedFunction", FIRST, URN)
    assert versions(sandbox) == [1]


@pytest.mark.parametrize(("fault", "details"), LOST.items(), ids=LOST)
def test_lost_version_is_created_again(
    fault: str, details: WireDict, process: ProviderProcess, sandbox: Sandbox, tmp_path: Path
) -> None:
    """It may be another client's version with other code, and an additional version has no effect."""
    _, state = process.create("UserDefinedFunction", FIRST, URN)
    sandbox.fault("publish_user_defined_function", fault, **details)
    with pytest.raises(ResourceError, match="Run again"):
        update(process, state, SECOND)
    again = ProviderProcess(config_for(sandbox, requestTimeoutSeconds=1, pollIntervalSeconds=0.05), tmp_path)
    state = update(again, state, SECOND)
    assert (state["version"], state["publishedVersion"], versions(sandbox)) == (3, 3, [1, 2, 3])


def test_version_of_an_interrupted_update_is_adopted(
    process: ProviderProcess, sandbox: Sandbox, tmp_path: Path
) -> None:
    """The next run has the old state; it creates another version only if its code differs."""
    _, state = process.create("UserDefinedFunction", FIRST, URN)
    update(process, state, SECOND)  # its state is lost
    another = ProviderProcess(config_for(sandbox), tmp_path)
    assert update(another, state, SECOND)["version"] == 2
    assert versions(sandbox) == [1, 2]
    third = ProviderProcess(config_for(sandbox), tmp_path)
    assert update(third, state, {**SECOND, "files": {"main.py": "import sys"}})["version"] == 3
    assert versions(sandbox) == [1, 2, 3]


def test_version_of_an_interrupted_update_is_adopted_after_a_refresh(
    process: ProviderProcess, sandbox: Sandbox, tmp_path: Path
) -> None:
    """The refresh reads the version, but only its pending create proves its code."""
    _, state = process.create("UserDefinedFunction", FIRST, URN)
    update(process, state, SECOND)  # its state is lost
    another = ProviderProcess(config_for(sandbox), tmp_path)
    state = another.read("UserDefinedFunction", "twice", state).state
    assert (state["version"], state["publishedVersion"]) == (2, 1)
    third = ProviderProcess(config_for(sandbox), tmp_path)
    state = update(third, state, SECOND)
    assert (state["version"], state["publishedVersion"], versions(sandbox)) == (2, 2, [1, 2])


def test_new_version_is_in_state_after_a_rejected_read(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The next run does not create it again."""
    _, state = process.create("UserDefinedFunction", FIRST, URN)
    sandbox.fault("list_user_defined_functions", "status", status=403)
    state = update(process, state, SECOND)
    assert (state["version"], state["status"], versions(sandbox)) == (2, "ready", [1, 2])


def test_earlier_code_is_a_new_version(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The earlier version with the same code is no longer a pending create."""
    _, state = process.create("UserDefinedFunction", FIRST, URN)
    for inputs in (SECOND, FIRST, SECOND, FIRST):
        state = update(process, state, inputs)
    assert (state["version"], versions(sandbox)) == (5, [1, 2, 3, 4, 5])


@pytest.mark.parametrize(("status", "difference"), [("ready", "version"), ("error", "status")])
def test_version_of_another_client_is_replaced(
    status: str, difference: str, process: ProviderProcess, sandbox: Sandbox, tmp_path: Path
) -> None:
    """Its code is unknown: a refresh shows it, and the next run creates a version with the program's code.

    It stays, also if its build failed.
    """
    id_, state = process.create("UserDefinedFunction", FIRST, URN)
    state = update(process, state, SECOND)
    old = sandbox.objects(KIND)["twice"]
    made = {"version": 3, "status": status, "createdAt": "2031-01-01T00:00:00Z"}
    sandbox.change(KIND, "twice", older=[*old["older"], {**old, "older": []}], **made)
    process = ProviderProcess(config_for(sandbox), tmp_path)
    live = process.read("UserDefinedFunction", id_, state)
    assert (live.state["version"], live.state["publishedVersion"]) == (3, 2)
    assert process.changes("UserDefinedFunction", live.state, SECOND) == (difference,)
    assert (update(process, live.state, SECOND)["version"], versions(sandbox)) == (4, [1, 2, 3, 4])


def test_failed_build_is_in_state_and_is_built_again(process: ProviderProcess, sandbox: Sandbox) -> None:
    """State has the server's message; the next run creates a new version, and deletes the failed one."""
    sandbox.fault("create_user_defined_function", "failed")
    id_, state = process.create("UserDefinedFunction", FIRST, URN)
    assert "main.py: the build failed" in state["lastError"]
    assert process.changes("UserDefinedFunction", state, FIRST) == ("lastError",)
    live = process.read("UserDefinedFunction", id_, state)
    assert live.state["lastError"] == state["lastError"]
    sandbox.fault("publish_user_defined_function", "failed")
    with pytest.raises(ResourceError, match="the build failed"):
        update(process, live.state, FIRST)
    live = process.read("UserDefinedFunction", id_, state)
    state = update(process, live.state, FIRST)
    assert (state["status"], "lastError" in state) == ("ready", False)
    assert versions(sandbox) == [2, state["version"]]  # the second one is not in state


def test_code_is_uploaded_without_credentials(process: ProviderProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    """The upload goes to another server, and has only the headers of the archive."""
    sent: list[httpx.Request] = []
    exchange = type(process.client.sender)._exchange

    def record(client: Any, operation: Any, request: httpx.Request, *more: Any) -> httpx.Response:
        sent.append(request)
        return exchange(client, operation, request, *more)

    monkeypatch.setattr(type(process.client.sender), "_exchange", record)
    process.create("UserDefinedFunction", FIRST, URN)
    (upload,) = [each for each in sent if each.method == "PUT"]
    assert {*upload.headers} == {"host", "user-agent", "content-type", "content-length"}
    assert upload.headers["content-type"] == "application/zip"


@pytest.mark.parametrize(
    "address", ["http://example.com/x?s=signature", "ftp://127.0.0.1/x", "file:///etc/passwd", "x", ""]
)
def test_upload_address_must_be_https(address: str, process: ProviderProcess) -> None:
    """Code is sent without TLS only to loopback addresses; the error does not contain the signature."""
    operation = FUNCTION.collection.CREATE_UPLOAD.managed  # type: ignore[attr-defined]
    with pytest.raises(CloudDBError, match="not https") as error:
        process.client.sender.upload(operation, address, b"code", "application/zip")
    assert "signature" not in str(error.value)


def test_rejected_upload_creates_nothing(
    process: ProviderProcess, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error has only the host, because the address permits writes."""
    request = httpx.Request

    def with_another_path(method: str, url: Any, **more: Any) -> httpx.Request:
        return request(method, f"{url}other" if method == "PUT" else url, **more)

    monkeypatch.setattr(httpx, "Request", with_another_path)
    with pytest.raises(CloudDBError, match="refused the upload") as error:
        process.create("UserDefinedFunction", FIRST, URN)
    assert "_uploads" not in str(error.value)
    monkeypatch.undo()
    assert sandbox.objects(KIND) == {}
    assert process.create("UserDefinedFunction", FIRST, URN)[1]["version"] == 1


@pytest.mark.parametrize("lifted", [True, False])
def test_limit_of_the_upload_address_is_waited_for(
    lifted: bool, sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file is sent again to another address, until `retryTimeoutSeconds` have passed."""
    waits: list[float] = []
    process = ProviderProcess(config_for(sandbox, retryTimeoutSeconds=60), tmp_path, sleep=waits.append)
    sender = type(process.client.sender)
    exchange, addresses = sender._exchange, set[str]()

    def limited(client: Any, operation: Any, request: httpx.Request, *more: Any) -> httpx.Response:
        if request.method == "PUT" and (not lifted or len(addresses) < 2):
            addresses.add(str(request.url))
            return httpx.Response(429, headers={"Retry-After": "5" if lifted else "90"}, request=request)
        return exchange(client, operation, request, *more)

    monkeypatch.setattr(sender, "_exchange", limited)
    if lifted:
        process.create("UserDefinedFunction", FIRST, URN)
        assert len(addresses) == 2
        assert len([each for each in waits if 5 <= each < 6]) == 2
        return
    with pytest.raises(RateLimitError, match="refused the upload"):
        process.create("UserDefinedFunction", FIRST, URN)
    assert sandbox.objects(KIND) == {}


def test_imported_function_requires_code_for_an_update(process: ProviderProcess, sandbox: Sandbox) -> None:
    """Servers do not return the code; without an update it is not needed."""
    sandbox.add(KIND, **TWICE)
    _, live = lifecycle.read(process, FUNCTION, "twice", {}, {})
    assert live is not None
    assert "files" not in live.inputs
    assert not process.changes("UserDefinedFunction", live.state, live.inputs)
    with pytest.raises(ResourceError, match="the program does not set its code"):
        update(process, live.state, {**live.inputs, "returnType": "String"})
    assert versions(sandbox) == [1]


def test_lists_are_read_page_by_page(process: ProviderProcess, sandbox: Sandbox) -> None:
    """A page has 100 functions."""
    for number in range(250):
        sandbox.add(KIND, **{**TWICE, "name": f"f{number}"})
    assert len(process.api.of(FUNCTION.collection).list()) == 250


@pytest.mark.parametrize("query", ["limit=0", "limit=-1", "limit=x", "cursor=x", "cursor=-1", "cursor=1.5"])
def test_sandbox_rejects_invalid_pages(query: str, sandbox: Sandbox) -> None:
    """The status is 400; the limit is above 0 (OpenAPI: `exclusiveMinimum`)."""
    with sandbox.management() as http:
        response = http.get(f"/udfs?{query}")
    assert (response.status_code, query.partition("=")[0] in response.text) == (400, True)


def test_destroy_warns_of_attached_services(process: ProviderProcess, sandbox: Sandbox) -> None:
    """It may have been attached by hand."""
    id_, state = process.create("UserDefinedFunction", FIRST, URN)
    service = sandbox.add("services", name="orders", provider="aws", region="us-east-1")["id"]
    sandbox.add("udf_attachments", functionName="twice", serviceId=service)
    process.delete("UserDefinedFunction", id_, state)
    assert [service in each for each in process.warnings] == [True]
    assert sandbox.objects("udf_attachments") == {}


def test_idle_service_is_woken_for_an_attachment(process: ProviderProcess, sandbox: Sandbox) -> None:
    """Servers only attach to running services; the default version is the latest one that is ready."""
    process.create("UserDefinedFunction", FIRST, URN)
    service = sandbox.add("services", name="orders", provider="aws", region="us-east-1")["id"]
    sandbox.change("services", service, state="idle")
    inputs = {"functionName": "twice", "serviceId": service}
    id_, state = process.create("UdfAttachment", inputs)
    assert (id_, state["version"], state["status"]) == (f"twice/{service}", 1, "deployed")
    process.delete("UdfAttachment", id_, state)
    assert sandbox.objects("udf_attachments") == {}


def test_existing_attachment_is_not_adopted(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The same request would replace the attached version."""
    process.create("UserDefinedFunction", FIRST, URN)
    service = sandbox.add("services", name="orders", provider="aws", region="us-east-1")["id"]
    sandbox.add("udf_attachments", functionName="twice", serviceId=service)
    with pytest.raises(ResourceError, match="exists already"):
        process.create("UdfAttachment", {"functionName": "twice", "serviceId": service})


@pytest.mark.parametrize("change", ["update", "delete"])
def test_changes_wait_until_the_server_has_attached_the_function(change: str, sandbox: Sandbox, tmp_path: Path) -> None:
    """Until then it refuses them with 409. A create with `waitTimeoutMinutes` 0 leaves such an attachment."""
    process = ProviderProcess(config_for(sandbox, pollIntervalSeconds=30), tmp_path, sleep=sandbox.advance)
    _, state = process.create("UserDefinedFunction", FIRST, URN)
    update(process, state, SECOND)
    sandbox.set_latency(start=600)
    service = sandbox.add("services", name="orders", provider="aws", region="us-east-1")["id"]
    inputs: WireDict = {"functionName": "twice", "serviceId": service, "version": 1, "waitTimeoutMinutes": 0}
    id_, state = process.create("UdfAttachment", inputs)
    assert state["status"] == "provisioning"
    waits = {**inputs, "version": 2, "waitTimeoutMinutes": 30}
    if change == "delete":
        process.delete("UdfAttachment", id_, {**state, "waitTimeoutMinutes": 30})
        assert sandbox.objects("udf_attachments") == {}
    else:
        assert process.update("UdfAttachment", id_, state, waits)["version"] == 2


def test_create_requires_code(process: ProviderProcess, sandbox: Sandbox) -> None:
    """Check cannot require it, because an imported function has no code in its inputs."""
    sandbox.forget_requests()
    with pytest.raises(ResourceError, match=r"does not set its code.*\nSet files or archive"):
        process.create("UserDefinedFunction", TWICE, URN)
    assert [each for each in sandbox.requests if each.method != "GET"] == []


@pytest.mark.parametrize(
    ("version", "number"), [(2, "2"), (2.0, "2"), (1234567, "1234567"), (None, "0"), ("two", "two")]
)
def test_every_number_of_a_version_has_an_id(version: object, number: str) -> None:
    """This includes a number as text, so that the function remains in state."""
    assert version_id("twice", version, "now") == f"twice/{number}/now"


def test_limits_of_a_version_are_sent_and_read(process: ProviderProcess, sandbox: Sandbox) -> None:
    """Without them a version has the server's, and a change makes another version."""
    _, state = process.create("UserDefinedFunction", FIRST, URN)
    assert (state["deterministic"], state.get("memoryLimitMib")) == (False, None)
    limited = {**FIRST, "deterministic": True, "memoryLimitMib": 256}
    state = update(process, state, limited)
    function = sandbox.objects(KIND)["twice"]
    assert (function["deterministic"], function["memoryLimitMib"], state["version"]) == (True, 256, 2)
    assert process.changes("UserDefinedFunction", state, limited) == ()
    state = update(process, state, FIRST)
    function = sandbox.objects(KIND)["twice"]
    assert (function["deterministic"], function["memoryLimitMib"], state["version"]) == (False, None, 3)


def test_older_server_refuses_the_limits_of_a_version(process: ProviderProcess, sandbox: Sandbox) -> None:
    """It does not know the property, and its refusal reaches the user."""
    sandbox.set_release("2026-08")
    with pytest.raises(CloudDBError, match="memoryLimitMib: is not known"):
        process.create("UserDefinedFunction", {**FIRST, "memoryLimitMib": 256}, URN)
    assert sandbox.objects(KIND) == {}


@pytest.mark.parametrize(("before", "after"), [("2026-08", "2026-10"), ("2026-10", "2026-08")])
def test_other_release_is_no_difference(before: str, after: str, process: ProviderProcess, sandbox: Sandbox) -> None:
    """Programs that do not set the newer properties go on after an upgrade, and after its return."""
    sandbox.set_release(before)
    id_, state = process.create("UserDefinedFunction", FIRST, URN)
    sandbox.set_release(after)
    assert process.changes("UserDefinedFunction", state, FIRST) == ()
    read = process.read("UserDefinedFunction", id_, state)
    assert process.changes("UserDefinedFunction", read.state, FIRST) == ()
    assert update(process, read.state, SECOND)["version"] == 2


UNKNOWN = {
    "a function": ("/udfs", {**TWICE, "functionName": "twice"}),
    "a saved query": ("/services/{service}/saved-queries", {"name": "q", "sql": "SELECT 1", "database": "default"}),
    "an endpoint": (
        "/services/{service}/query-api-endpoints",
        {"name": "q", "sql": "SELECT 1", "database": "default", "roles": ["r"], "apiKeyIds": [SOMETHING]},
    ),
}


@pytest.mark.parametrize(("path", "body"), UNKNOWN.values(), ids=UNKNOWN)
def test_sandbox_refuses_unknown_properties(path: str, body: WireDict, sandbox: Sandbox) -> None:
    """As the vendor's servers do for these objects."""
    with sandbox.management() as http:
        response = http.post(path.format(service=a_service(sandbox)["service_id"]), json={**body, "colour": "red"})
    assert (response.status_code, "colour" in response.json()["error"]) == (400, True)
