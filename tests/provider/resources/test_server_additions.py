"""Entries that a server adds to what was sent are no drift, for any kind of object.

Each object of the table of lives is created and read. Then its server adds an unknown entry to every nested object, as
newer servers do: a second refresh still returns the program's inputs, and the next run has nothing to send, so that a
repair of drift ends. Permissions of roles are in tests/provider/things/roles/test_roles.py.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from clouddb_tools.sandbox import Sandbox
from lives.life import fill, own_id
from lives.table import WIRE_LIVES
from lives.wire import WireLife
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.schema.convert import to_wire
from support.sessions import ProviderProcess, config_for

pytestmark = pytest.mark.beyond_the_description
"""The servers are newer than the description."""

ADDED = {"addedByNewerServers": {"level": "one"}}
OWN_COPY = "dashboards"
"""A dashboard's state has the server's form of the last response, which shows its drift; see tests/dashboards."""
CLOSED = ("keys", "services")
"""Objects without unknown entries in the sandbox: the test compares what the provider parses."""
LIVES = [life for life in WIRE_LIVES if not life.life.stays and life.life.kind != OWN_COPY]


def with_additions(value: Any) -> Any:
    """Return a value with another entry in each object within lists and objects."""
    if isinstance(value, dict):
        return {**{name: with_additions(item) for name, item in value.items()}, **ADDED}
    return [with_additions(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("state", ["before", "after"])
@pytest.mark.parametrize("life", LIVES, ids=str)
def test_entries_added_by_a_server_are_no_drift(life: WireLife, state: str, tmp_path: Path) -> None:
    """This applies to entries in the first response, and to those that appear later."""
    name, kind = life.life.name, life.life.kind
    resource = RESOURCES[name]
    with Sandbox(**life.life.server) as sandbox:
        process = ProviderProcess(config_for(sandbox), tmp_path, sleep=lambda _: None)
        inputs = fill(getattr(life, state), life.life.setting(sandbox))
        inputs |= {"validateConnection": False} if "validateConnection" in resource.type.provider_only else {}
        id_, known = process.create(name, inputs, urn="urn:it")
        first = read(process, name, id_, known)
        assert not process.changes(name, first.state, inputs)
        if kind in CLOSED:
            objects = process.api.of(resource.collection)
            parsed = to_wire(objects.parsed(with_additions(objects.get(id_).answer)))
            assert all(resource.same(each, parsed[each], first.inputs[each]) for each in {*inputs} & {*parsed})
            return
        document = sandbox.objects(kind)[own_id(kind, id_)]
        more = {each: with_additions(item) for each, item in document.items() if isinstance(item, (dict, list))}
        sandbox.change(kind, own_id(kind, id_), **{each: more[each] for each in more if more[each] != document[each]})
        second = read(process, name, id_, first.state)
        assert second.inputs == first.inputs
        assert not process.changes(name, second.state, inputs)


def read(process: ProviderProcess, name: str, id_: str, state: dict[str, Any]) -> lifecycle.ReadResult:
    """Refresh an object, with new lists."""
    for each in RESOURCES.values():
        for service in {None, state.get("serviceId")}:
            process.api.of(each.collection, service).invalidate()
    return process.read(name, id_, state)
