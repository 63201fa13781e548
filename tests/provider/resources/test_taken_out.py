"""Properties that a program no longer sets: what stays on the server is said, and the advice leads out."""

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
def test_what_stays_is_said_and_stays(life: WireLife, tmp_path: Path) -> None:
    """Each property is taken out alone, and the advice of the warning is followed."""
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
            found = process.read(kind, object_id, after).state
            answered = name in wire_names(resource.type.record) and name not in resource.type.unanswered
            assert bool(stays) is (inputs[name] not in ([], ""))
            if answered and stays:
                assert name in after or kind == "ApiKey", name  # its roles are returned under another name
                assert name not in found or resource.same(name, found[name], inputs[name]), name
            if stays and "Write []" in stays[0]:
                after = lifecycle.update(process, resource, object_id, after, {**fewer, name: []})
                assert process.read(kind, object_id, after).inputs[name] == []
            state = lifecycle.update(process, resource, object_id, after, inputs)


LISTS: dict[str, Any] = {
    "ipAccessList": [{"source": "10.0.0.0/8", "description": "office"}],
    "endpoints": [{"protocol": "mysql", "enabled": True}],
    "privateEndpointIds": [],
}


def test_a_list_of_a_service(process: ProviderProcess) -> None:
    """An empty list clears it, except that of the endpoints, which turns each on or off."""
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
