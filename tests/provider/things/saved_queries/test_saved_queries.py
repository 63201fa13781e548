"""Saved queries: unique names, reads by id, both forms of lists, and queries that were saved in the console."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from clouddb_tools.sandbox import Release, Sandbox
from lives.life import a_service
from pulumi_clouddb.client.errors import ConflictError, ResourceError
from support.sessions import ProviderProcess, config_for

KIND = "saved_queries"
QUERY = {
    "name": "Orders of a day",
    "sql": "SELECT count() FROM orders WHERE day = {day:Date}",
    "database": "shop",
    "parameters": {"day": "2026-11-01"},
}


def query(sandbox: Sandbox, **more: Any) -> dict[str, Any]:
    """Return the inputs of a query of a new service."""
    return {"serviceId": a_service(sandbox)["service_id"], **QUERY, **more}


def test_duplicate_name_is_an_error(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The error names the existing query; a query of another service can have the name."""
    inputs = query(sandbox)
    id_, _ = process.create("SavedQuery", inputs)
    with pytest.raises(ResourceError, match=f"exists already, with the id {id_}"):
        process.create("SavedQuery", inputs, urn="urn:other")
    process.create("SavedQuery", query(sandbox), urn="urn:other service")
    assert len(sandbox.objects(KIND)) == 2


def test_taken_name_of_an_update_is_an_error(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The server rejects it, and the request is not repeated."""
    inputs = query(sandbox)
    process.create("SavedQuery", inputs)
    other = {**inputs, "name": "Other"}
    id_, state = process.create("SavedQuery", other)
    with pytest.raises(ConflictError, match="already exists"):
        process.update("SavedQuery", id_, state, inputs)
    assert [each.operation for each in sandbox.requests].count("update_saved_query") == 1


def test_removed_parameters_are_removed(process: ProviderProcess, sandbox: Sandbox) -> None:
    """Parameters that the program never set are kept."""
    inputs = query(sandbox)
    id_, state = process.create("SavedQuery", inputs)
    without = {name: value for name, value in inputs.items() if name != "parameters"}
    state = process.update("SavedQuery", id_, state, without)
    assert sandbox.objects(KIND)[id_]["parameters"] == {}
    sandbox.change(KIND, id_, parameters={"day": "2026-12-24"})
    process.update("SavedQuery", id_, process.read("SavedQuery", id_, state).state, {**without, "sql": "SELECT 1"})
    assert sandbox.objects(KIND)[id_]["parameters"] == {"day": "2026-12-24"}


@pytest.mark.parametrize("changed", [{"sql": "SELECT 2"}, {"parameters": {"day": "2026-12-24"}}], ids=str)
def test_drift_of_what_lists_omit_is_found(process: ProviderProcess, sandbox: Sandbox, changed: dict[str, Any]) -> None:
    """The query is read by its id."""
    inputs = query(sandbox)
    id_, state = process.create("SavedQuery", inputs)
    sandbox.change(KIND, id_, **changed)
    found = process.read("SavedQuery", id_, state)
    assert process.changes("SavedQuery", found.state, inputs) == tuple(changed)


@pytest.mark.parametrize("releases", [[*Release], [*Release][::-1]], ids=["upgrade", "downgrade"])
def test_both_forms_of_lists_are_read_in_one_stack(tmp_path: Path, releases: list[Release]) -> None:
    """A query on the second page is found, and the other form shows no change."""
    with Sandbox(vocabulary="clickhouse", release=releases[0]) as sandbox:
        inputs, process = query(sandbox), ProviderProcess(config_for(sandbox), tmp_path)
        for number in range(100):
            sandbox.add(KIND, serviceId=inputs["serviceId"], name=f"Query {number}")
        id_, state = process.create("SavedQuery", inputs)
        for release in releases:
            sandbox.set_release(release)
            process.api.lists.clear()
            assert process.changes("SavedQuery", process.read("SavedQuery", id_, state).state, inputs) == ()
            with pytest.raises(ResourceError, match=f"exists already, with the id {id_}"):
                process.create("SavedQuery", inputs, urn="urn:other")
        process.delete("SavedQuery", id_, state)
        assert len(sandbox.objects(KIND)) == 100


def test_query_of_the_console_is_not_changed(process: ProviderProcess, sandbox: Sandbox) -> None:
    """No record says who saved it, so the import succeeds; the errors of writes have the server's words."""
    inputs = query(sandbox)
    id_ = sandbox.add(KIND, **inputs, ownerType="user")["id"]
    found = process.read("SavedQuery", f"{inputs['serviceId']}/{id_}", {})
    assert found.inputs == inputs
    with pytest.raises(ConflictError, match="not managed by this API"):
        process.update("SavedQuery", id_, found.state, {**inputs, "sql": "SELECT 1"})
    with pytest.raises(ConflictError, match="not managed by this API"):
        process.delete("SavedQuery", id_, found.state)
    assert sandbox.objects(KIND)[id_]["sql"] == inputs["sql"]
