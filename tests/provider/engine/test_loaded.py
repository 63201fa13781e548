"""What a process loads for one resource: every `pulumi` command waits for it.

Each front end checks, refuses, compares and reads a resource in a process of its own, which then lists what it has
loaded: the thing, what it declares to need, and nothing of the tools or of programs.
"""

from __future__ import annotations

import importlib

import pytest

from clouddb_tools.sandbox import Sandbox
from support.loaded import FRONT_ENDS, loaded_for

THINGS = {
    "SavedSearch": {"saved_searches", "alerts", "dashboards", "sources"},
    "Dashboard": {"alerts", "connections", "dashboards", "sources"},
}
NEVER = {
    "plugin": {"clouddb_tools", "jsonschema", "markdown_it", "pulumi", "typer", "yaml"},
    "dynamic": {"clouddb_tools", "jsonschema", "markdown_it", "typer"},
}
"""What neither a command without requests nor one with them loads."""
FOR_REQUESTS = {"httpcore", "httpx", "rich"}
"""`httpx` loads its command line, and so `rich`, wherever that is installed."""


@pytest.mark.parametrize("name", THINGS)
@pytest.mark.parametrize("front_end", FRONT_ENDS)
def test_process_loads_what_its_resource_needs(front_end: str, name: str, sandbox: Sandbox) -> None:
    """Neither a message nor a mask loads another thing, and without requests nothing for them is loaded."""
    previewed, loaded = loaded_for(name, front_end, sandbox)
    folders = [each.split(".") for each in loaded if each.startswith("pulumi_clouddb.things.")]
    assert {each[2] for each in folders if len(each) == 4} <= THINGS[name]
    assert {each.partition(".")[0] for each in previewed} & FOR_REQUESTS == set()
    assert {each.partition(".")[0] for each in loaded} & NEVER[front_end] == set()
    unneeded = ("pulumi_clouddb.sdk", "pulumi_clouddb.policy", "pulumi_clouddb.schema._permissions")
    assert [each for each in loaded if each.startswith(unneeded)] == []


def test_stubs_are_those_of_pulumi() -> None:
    """A message of the one is a message of the other, in a process that loads both."""
    for name in ("engine_pb2", "plugin_pb2", "provider_pb2", "status_pb2"):
        ours = importlib.import_module(f"pulumi_clouddb.engine.wire.proto.{name}")
        theirs = importlib.import_module(f"pulumi.runtime.proto.{name}")
        for message in ours.DESCRIPTOR.message_types_by_name:
            assert getattr(ours, message) is getattr(theirs, message)
