"""readDashboardExport: names become ids, and what is lost is reported."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import FakeEngineStack, StackError
from clouddb_tools.testing.stack import stack_config
from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.registry import FUNCTIONS
from support.sessions import ProviderProcess

GIVEN = "9" * 24


def board(**config: Any) -> str:
    """Return the text of a file with one tile."""
    tile = {"displayType": "line", "source": "Events", "where": "", "select": [{"aggFn": "count"}], "name": "Lines"}
    return json.dumps(
        {
            "version": "0.1.0",
            "name": "Shop",
            "tiles": [{"id": "a", "x": 0, "y": 0, "w": 8, "h": 4, "config": {**tile, **config}}],
        }
    )


def call(process: ProviderProcess, text: str, **arguments: Any) -> dict[str, Any]:
    """Call the function."""
    return FUNCTIONS["readDashboardExport"].call(process, {"text": text, **arguments})


FOUND: dict[str, tuple[list[str], str, dict[str, str], str]] = {
    "its name": (["Events", "events"], "Events", {}, "Events"),
    "its name in another case": (["EVENTS"], "Events", {}, "EVENTS"),
    "an argument": (["Events"], "Events", {"Events": GIVEN}, GIVEN),
    "an id": ([], GIVEN, {}, GIVEN),
    "an argument for an id": ([], GIVEN, {GIVEN: "8" * 24}, "8" * 24),
}


@pytest.mark.parametrize("case", FOUND)
def test_source_is_found_by(case: str, process: ProviderProcess, sandbox: Sandbox) -> None:
    """An argument counts first, then the exact name, then one that differs in case."""
    known, name, given, expected = FOUND[case]
    ids = {each: sandbox.add("sources", name=each)["id"] for each in known}
    result = call(process, board(source=name), sources=given)
    assert result["tiles"][0]["config"]["sourceId"] == ids.get(expected, expected)


@pytest.mark.parametrize(
    ("known", "fault"),
    [
        (["Event"], "source 'Events': there is none of this name; did you mean Event?"),
        (["Events", "Events"], "source 'Events': there are 2 of this name: "),
        (["EVENTS", "events"], "source 'Events': there are 2 of this name: "),
    ],
)
def test_name_that_is_not_found(known: list[str], fault: str, process: ProviderProcess, sandbox: Sandbox) -> None:
    """All are reported at once."""
    for each in known:
        sandbox.add("sources", name=each)
    text = board(configType="sql", sqlTemplate="SELECT 1", connection="Nowhere")
    with pytest.raises(ResourceError) as caught:
        call(process, text)
    first, second = str(caught.value).split("\n")
    assert fault in first
    assert "connection 'Nowhere': there is none of this name" in first
    assert "sources and connections" in second


def test_lists_are_requested_once(process: ProviderProcess, sandbox: Sandbox) -> None:
    """Several files with several names need one list of sources."""
    sandbox.add("sources", name="Events")
    sandbox.add("sources", name="Spans")
    before = len(sandbox.requests)
    call(process, board())
    call(process, board(source="Spans"))
    assert len(sandbox.requests) == before + 1


def test_name_that_is_newer_than_the_list(process: ProviderProcess, sandbox: Sandbox) -> None:
    """A name without a result requests a new list, as in getSource: another process may have created the object."""
    sandbox.add("sources", name="Events")
    call(process, board())
    made = sandbox.add("sources", name="Later")["id"]
    assert call(process, board(source="Later"))["tiles"][0]["config"]["sourceId"] == made
    content = json.loads(board(source="Nowhere"))
    content["tiles"] += json.loads(board(source="Nobody"))["tiles"]
    sandbox.forget_requests()
    with pytest.raises(ResourceError, match=r"source 'Nowhere': .*source 'Nobody': "):
        call(process, json.dumps(content))
    assert [each.operation for each in sandbox.requests] == ["self_hosted_list_sources"]


def test_unsupported_parts(process: ProviderProcess, sandbox: Sandbox) -> None:
    """A tile that would show other data is refused, or left out on request; every loss is a warning."""
    sandbox.add("sources", name="Events")
    with pytest.raises(ResourceError, match=r"tile 'Lines', config.having: .*\n.* skipUnsupported"):
        call(process, board(having="a > 1"))
    result = call(process, board(having="a > 1", alert={"threshold": 1}), skipUnsupported=True)
    assert result["tiles"] == []
    assert [(each["place"], each["severity"]) for each in result["unsupported"]] == [
        ("tile 'Lines', config.having", "error"),
        ("tile 'Lines', config.alert", "warning"),
    ]
    assert process.warnings == [
        f"readDashboardExport: dashboard 'Shop', {each['place']}: {each['message']}" for each in result["unsupported"]
    ]


def test_managed_server_lists_no_connections(process: ProviderProcess, sandbox: Sandbox) -> None:
    """Only an argument can have their ids."""
    service = sandbox.add("services")["id"]
    text = board(configType="sql", sqlTemplate="SELECT 1", connection="ClickHouse", source="")
    with pytest.raises(ResourceError, match="connection 'ClickHouse': there is none of this name"):
        call(process, text, serviceId=service)
    result = call(process, text, serviceId=service, connections={"ClickHouse": GIVEN})
    assert result["tiles"][0]["config"]["connectionId"] == GIVEN


PROGRAM = """
import pulumi
import pulumi_clouddb as clouddb

logs = clouddb.Source(
    "logs",
    name="Logs of the program",
    kind="log",
    connection="{connection}",
    from_={{"databaseName": "default", "tableName": "otel_logs"}},
    timestamp_value_expression="Timestamp",
    default_table_select_expression="Body",
)
board = clouddb.Dashboard("shop", clouddb.dashboard_from_file("{file}", sources={{"Events": logs.id}}))
pulumi.export("orders", board.tile_ids["a"])
"""


def stack_on(sandbox: Sandbox, folder: Path, program: str) -> FakeEngineStack:
    """Return a stack that uses the sandbox."""
    return FakeEngineStack(program, config=stack_config(sandbox), work_dir=folder / "work")


def test_program_with_a_file(sandbox: Sandbox, tmp_path: Path) -> None:
    """The source can be one of the same program, whose id a preview does not know; afterwards nothing differs."""
    file = tmp_path / "shop.json"
    file.write_text(board())
    connection = sandbox.add("connections", name="ClickHouse")["id"]
    stack = stack_on(sandbox, tmp_path, PROGRAM.format(connection=connection, file=file))
    assert stack.preview().changes == {"create": 3}
    stack.up()
    (made,) = sandbox.objects("dashboards").values()
    (source,) = [id_ for id_, each in sandbox.objects("sources").items() if each["name"] == "Logs of the program"]
    assert made["tiles"][0]["config"]["sourceId"] == source
    stack.refresh()
    assert stack.preview().no_changes


def test_program_with_the_saved_choices_of_a_file(sandbox: Sandbox, tmp_path: Path) -> None:
    """A saved choice has a property `values`, which hides the method of the class that the function returns."""
    sandbox.add("sources", name="Events")
    file = tmp_path / "shop.json"
    saved = [{"type": "sql", "condition": "ServiceName = 'shop'"}]
    file.write_text(json.dumps({**json.loads(board()), "savedFilterValues": saved}))
    program = f"import pulumi_clouddb as clouddb\nclouddb.Dashboard('shop', clouddb.dashboard_from_file('{file}'))\n"
    stack = stack_on(sandbox, tmp_path, program)
    stack.up()
    (made,) = sandbox.objects("dashboards").values()
    assert made["savedFilterValues"] == saved
    assert stack.preview().no_changes


def test_file_that_cannot_be_read(sandbox: Sandbox, tmp_path: Path) -> None:
    """The message names it."""
    program = "import pulumi_clouddb as clouddb\nclouddb.dashboard_from_file('gone.json')\n"
    with pytest.raises(StackError, match=r"gone.json cannot be read: No such file"):
        stack_on(sandbox, tmp_path, program).preview()
