"""What a process loads for one resource: every `pulumi` command waits for it.

Each front end checks, refuses, compares and reads a resource in a process of its own, which then lists what it has
loaded: the thing, what it declares to need, and nothing of the tools or of programs.
"""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from typing import Any

import pytest

from clouddb_tools.sandbox import Sandbox

PLUGIN = """
from google.protobuf import struct_pb2
from pulumi_clouddb.engine.wire.proto import provider_pb2
import pulumi_clouddb.engine.plugin.provider
from pulumi_clouddb.engine.plugin.configured import Configured
from pulumi_clouddb.engine.wire.cancellation import Cancellation
from pulumi_clouddb.engine.wire.log import EngineLog

def struct(values):
    made = struct_pb2.Struct()
    made.update(values)
    return made

log = EngineLog()
waits = Cancellation(log.status)
plugin = Configured(provider_pb2.ConfigureRequest(args=struct(settings)), log, waits)
check = lambda news: plugin.check(provider_pb2.CheckRequest(urn=urn, news=struct(news))).failures
compare = lambda olds, news: plugin.diff(
    provider_pb2.DiffRequest(urn=urn, id=id_, olds=struct(olds), news=struct(news))
)
read = lambda olds: plugin.read(provider_pb2.ReadRequest(urn=urn, id=id_, properties=struct(olds)))
"""
DYNAMIC = """
from pulumi_clouddb.engine.dynamic import handlers, host

host.configure(settings)
check = lambda news: handlers.check(name, {}, news).failures
compare = lambda olds, news: handlers.diff(name, id_, olds, news)
read = lambda olds: handlers.read(name, id_, olds)
"""
PLAY = """
assert not check(inputs)
assert check({**inputs, "name": 3, "nme": "x"})
state = {**inputs, "__managed": sorted(inputs)}
compare(state, {**inputs, "name": "Other"})
print(json.dumps(sorted(sys.modules)))
assert not read(state).id
print(json.dumps(sorted(sys.modules)))
"""

RESOURCES: dict[str, tuple[dict[str, Any], set[str]]] = {
    "SavedSearch": (
        {"name": "Errors", "sourceId": "64f0c0ffee64f0c0ffee64f0"},
        {"saved_searches", "alerts", "dashboards", "sources"},
    ),
    "Dashboard": ({"name": "Orders", "tiles": []}, {"alerts", "connections", "dashboards", "sources"}),
}
NEVER = {
    PLUGIN: {"clouddb_tools", "jsonschema", "markdown_it", "pulumi", "typer", "yaml"},
    DYNAMIC: {"clouddb_tools", "jsonschema", "markdown_it", "typer"},
}
"""What neither a command without requests nor one with them loads."""
FOR_REQUESTS = {"httpcore", "httpx", "rich"}
"""`httpx` loads its command line, and so `rich`, wherever that is installed."""


@pytest.mark.parametrize("name", RESOURCES)
@pytest.mark.parametrize("front_end", [pytest.param(PLUGIN, id="plugin"), pytest.param(DYNAMIC, id="dynamic")])
def test_process_loads_what_its_resource_needs(front_end: str, name: str, sandbox: Sandbox) -> None:
    """Neither a message nor a mask loads another thing, and without requests nothing for them is loaded."""
    inputs, things = RESOURCES[name]
    settings = {key.removeprefix("clouddb:"): value for key, value in sandbox.config.items()}
    values = {
        "name": name,
        "inputs": inputs,
        "settings": settings,
        "urn": f"urn:pulumi:dev::shop::clouddb:index:{name}::it",
        "id_": "64f0c0ffee64f0c0ffee64f0",
    }
    script = "\n".join(["import json, sys", *(f"{key} = {value!r}" for key, value in values.items()), front_end, PLAY])
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    previewed, loaded = (set(json.loads(line)) for line in done.stdout.splitlines()[-2:])
    folders = [each.split(".") for each in loaded if each.startswith("pulumi_clouddb.things.")]
    assert {each[2] for each in folders if len(each) == 4} <= things
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
