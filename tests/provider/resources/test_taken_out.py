"""Properties that a program no longer sets: a warning says which values stay on the server, and how to change them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from clouddb_tools.sandbox import Sandbox
from lives.life import fill
from lives.table import WIRE_LIVES
from lives.wire import WireLife
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.resource.state import state_from_wire
from pulumi_clouddb.schema.base import wire_names
from support.sessions import ProviderProcess, config_for


@pytest.mark.parametrize("life", WIRE_LIVES, ids=str)
def test_removed_property_that_stays_is_reported(life: WireLife, tmp_path: Path) -> None:
    """Each property is removed alone, and the advice of the warning works."""
    resource, kind = RESOURCES[life.life.name], life.life.name
    with Sandbox(vocabulary="clickhouse") as sandbox:
        process = ProviderProcess(config_for(sandbox, pollIntervalSeconds=0.05), tmp_path)
        inputs = resource.check(process, fill(life.before, life.life.setting(sandbox))).inputs
        object_id, state = process.create(kind, inputs)
        staying = resource.staying(state_from_wire(resource.type, state))
        for name in [each for each in staying if each in inputs]:
            fewer = {each: value for each, value in inputs.items() if each != name}
            if resource.check(process, fewer).failures:
                continue
            process.warnings.clear()
            process._warned.clear()
            lifecycle.diff(process, resource, object_id, state, fewer)
            stays = [each for each in process.warnings if each.startswith(f"The program no longer sets {name} of ")]
            after = lifecycle.update(process, resource, object_id, state, fewer)
            live = process.read(kind, object_id, after).state
            is_returned = name in wire_names(resource.type.record) and name not in resource.type.unanswered
            assert bool(stays) is (inputs[name] not in ([], ""))
            if is_returned and stays:
                assert name in after or kind == "ApiKey", name  # responses have its roles under another name
                assert name not in live or resource.same(name, live[name], inputs[name]), name
            if stays and "Write []" in stays[0]:
                after = lifecycle.update(process, resource, object_id, after, {**fewer, name: []})
                assert process.read(kind, object_id, after).inputs[name] == []
            state = lifecycle.update(process, resource, object_id, after, inputs)


LISTS: dict[str, Any] = {
    "ipAccessList": [{"source": "10.0.0.0/8", "description": "office"}],
    "endpoints": [{"protocol": "mysql", "enabled": True}],
    "privateEndpointIds": [],
}


def test_removed_lists_of_a_service_stay(process: ProviderProcess) -> None:
    """An empty list clears a list, except for the endpoints, each of which is enabled or disabled."""
    place = {"name": "Orders", "provider": "aws", "region": "us-east-1"}
    resource = RESOURCES["Service"]
    object_id, state = process.create("Service", {**place, **LISTS})
    difference = lifecycle.diff(process, resource, object_id, state, place)
    assert {*difference.changed} == {*LISTS}
    assert sorted(process.warnings[-2:], reverse=True) == [
        (
            "The program no longer sets ipAccessList of service 'Orders': it stays on the server as it is.\n"
            "Write [] to clear it."
        ),
        (
            "The program no longer sets endpoints of service 'Orders': it stays on the server as it is.\n"
            "Put it back with another value to change it."
        ),
    ]
    after = process.update("Service", object_id, state, place)
    assert after["ipAccessList"] == LISTS["ipAccessList"]
    assert "mysql" in str(after["endpoints"])
