"""What a process has loaded once it has checked, compared and read one resource, as each front end does."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

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
FRONT_ENDS = {"plugin": PLUGIN, "dynamic": DYNAMIC}
INPUTS: dict[str, dict[str, Any]] = {
    "SavedSearch": {"name": "Errors", "sourceId": "64f0c0ffee64f0c0ffee64f0"},
    "Dashboard": {"name": "Orders", "tiles": []},
}


def loaded_for(name: str, front_end: str, sandbox: Sandbox) -> tuple[set[str], set[str]]:
    """Return the modules of a process of a front end: before its first request, and after it."""
    values = {
        "name": name,
        "inputs": INPUTS[name],
        "settings": {key.removeprefix("clouddb:"): value for key, value in sandbox.config.items()},
        "urn": f"urn:pulumi:dev::shop::clouddb:index:{name}::it",
        "id_": "64f0c0ffee64f0c0ffee64f0",
    }
    given = [f"{key} = {value!r}" for key, value in values.items()]
    script = "\n".join(["import json, sys", *given, FRONT_ENDS[front_end], PLAY])
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    previewed, loaded = (set(json.loads(line)) for line in done.stdout.splitlines()[-2:])
    return previewed, loaded
