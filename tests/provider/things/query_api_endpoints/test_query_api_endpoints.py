"""Query API endpoints: order of lists, endpoints of the console, and both forms of lists."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from clouddb_tools.sandbox import Release, Sandbox
from lives.life import a_service
from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from support.exported import export
from support.rows import UUID
from support.sessions import ProviderProcess, config_for

KIND = "query_api_endpoints"
OTHER = "00000000-0000-4000-8000-00000000beef"
ENDPOINT = {
    "name": "Orders",
    "sql": "SELECT {x:UInt8}",
    "database": "shop",
    "apiKeyIds": [UUID, OTHER],
    "roles": ["sql_console_read_only", "reader"],
    "allowedOrigins": ["https://a.example.com", "https://b.example.com"],
}


def endpoint(sandbox: Sandbox, **more: Any) -> dict[str, Any]:
    """Return the inputs of an endpoint of a new service."""
    return {"serviceId": a_service(sandbox)["service_id"], **ENDPOINT, **more}


@pytest.mark.parametrize("name", ["apiKeyIds", "roles", "allowedOrigins"])
def test_order_of_a_list_is_no_change(process: ProviderProcess, sandbox: Sandbox, name: str) -> None:
    """A server, or a program, can have them in another order."""
    inputs = endpoint(sandbox)
    id_, state = process.create("QueryApiEndpoint", inputs)
    sandbox.change(KIND, id_, **{name: inputs[name][::-1]})
    found = process.read("QueryApiEndpoint", id_, state)
    assert process.changes("QueryApiEndpoint", found.state, inputs) == ()


def test_removed_origins_are_removed(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The address stays."""
    inputs = endpoint(sandbox)
    id_, state = process.create("QueryApiEndpoint", inputs)
    without = {name: value for name, value in inputs.items() if name != "allowedOrigins"}
    after = process.update("QueryApiEndpoint", id_, state, without)
    assert sandbox.objects(KIND)[id_]["allowedOrigins"] == []
    assert after["url"] == state["url"]


def test_endpoint_of_the_console_is_not_imported(process: ProviderProcess, sandbox: Sandbox) -> None:
    """A function reads it."""
    inputs = endpoint(sandbox)
    id_ = sandbox.add(KIND, **inputs, ownerType="user")["id"]
    with pytest.raises(ResourceError, match="was made in the console"):
        lifecycle.read(process, RESOURCES["QueryApiEndpoint"], f"{inputs['serviceId']}/{id_}", {}, {})


def test_endpoint_of_the_console_is_no_candidate(process: ProviderProcess, sandbox: Sandbox) -> None:
    """After a lost response, the error names the other endpoint of the same content only."""
    inputs = endpoint(sandbox)
    sandbox.fault("create_query_api_endpoint", "lose")
    with pytest.raises(ResourceError, match="nothing proves that it is one of") as first:
        process.create("QueryApiEndpoint", inputs)
    (id_,) = sandbox.objects(KIND)
    assert id_ in str(first.value)
    of_user = sandbox.add(KIND, **inputs, ownerType="user")["id"]
    with pytest.raises(ResourceError) as second:
        process.create("QueryApiEndpoint", inputs)
    assert id_ in str(second.value)
    assert of_user not in str(second.value)


@pytest.mark.parametrize("releases", [[*Release], [*Release][::-1]], ids=["upgrade", "downgrade"])
def test_both_forms_of_lists_are_read_in_one_stack(tmp_path: Path, releases: list[Release]) -> None:
    """The other form shows no change, and the endpoint is gone after the delete."""
    with Sandbox(vocabulary="clickhouse", release=releases[0]) as sandbox:
        inputs, process = endpoint(sandbox), ProviderProcess(config_for(sandbox), tmp_path)
        for number in range(100):
            sandbox.add(KIND, serviceId=inputs["serviceId"], name=f"Endpoint {number}")
        id_, state = process.create("QueryApiEndpoint", inputs)
        sandbox.set_release(releases[1])
        state = process.read("QueryApiEndpoint", id_, state).state
        assert process.changes("QueryApiEndpoint", state, inputs) == ()
        process.delete("QueryApiEndpoint", id_, state)
        assert len(sandbox.objects(KIND)) == 100


def test_export_refers_to_keys_and_omits_endpoints_of_the_console(sandbox: Sandbox, tmp_path: Path) -> None:
    """The SQL, which the list lacks, is in the program."""
    key = sandbox.add_key(name="ci", roles=["query_endpoints"])
    inputs = endpoint(sandbox, apiKeyIds=[key["key"]["id"]])
    sandbox.add(KIND, **inputs)
    sandbox.add(KIND, **{**inputs, "name": "Of the console"}, ownerType="user")
    program = export(sandbox, tmp_path / "out").program
    assert "SELECT {x:UInt8}" in program
    assert re.search(r"api_key_ids=\[\w+\.id\]", program)
    assert "Of the console" not in program
