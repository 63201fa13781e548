"""Properties that a program sets, and those that it no longer sets, of which a warning names the values that stay."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clouddb_tools.sandbox import Sandbox
from lives.life import fill, own_id
from lives.table import WIRE_LIVES
from lives.wire import WireLife
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.resource.base import AnyResource
from pulumi_clouddb.resource.state import state_from_wire
from pulumi_clouddb.schema.base import extras, wire_names
from pulumi_clouddb.schema.thing import body_of
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
            process._warnings._shown.clear()
            lifecycle.diff(process, resource, object_id, state, fewer)
            stays = [each for each in process.warnings if f"The program no longer sets {name} of " in each]
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


@pytest.fixture(scope="module")
def server() -> Iterator[Sandbox]:
    """Run one sandbox for all lives."""
    with Sandbox(vocabulary="clickhouse") as running:
        yield running


def taken_out(resource: AnyResource) -> set[str]:
    """Return the inputs of which the reference page says what an update without them does."""
    return {*extras(resource.type.inputs, "taken_out"), *extras(resource.type.inputs, "clears")}


KEPT = {"UdfAttachment": "version"}
"""The input that an update without it keeps, as its page says."""

IN_ANOTHER_FORM = {"Dashboard": {"tiles"}, "Pipe": {"source", "credentials", "scaling"}}
"""The inputs that a server does not return as they were sent; things/dashboards and things/pipes test them."""


@pytest.mark.parametrize("form", ["before", "after"])
@pytest.mark.parametrize("life", WIRE_LIVES, ids=str)
def test_every_input_is_sent_and_cleared(life: WireLife, form: str, server: Sandbox, tmp_path: Path) -> None:
    """A create sends it; if it can be cleared, an update without it does, and an update with it sends it again."""
    server.reset()
    process = ProviderProcess(config_for(server, pollIntervalSeconds=0.05), tmp_path)
    resource, kind, names = RESOURCES[life.life.name], life.life.kind, life.life.setting(server)
    inputs = resource.check(process, fill(getattr(life.life, form), names)).inputs
    object_id, state = process.create(life.life.name, inputs)

    def is_on_server(name: str) -> bool:
        own = own_id(kind, object_id)
        if resource.same(name, server.objects(kind)[own].get(name), inputs[name]):
            return True
        where = object_id if "/" in object_id else fill(life.where, {**names, "id": own})
        _, live = lifecycle.read(process, resource, where, {}, {})
        return live is not None and resource.same(name, live.inputs.get(name), inputs[name])

    sent = {*wire_names(body_of(resource.type.thing))} & {*inputs} - IN_ANOTHER_FORM.get(life.life.name, set())
    assert sorted(name for name in sent if not is_on_server(name)) == []
    for name in sorted(taken_out(resource) & sent):
        for each in ({key: value for key, value in inputs.items() if key != name}, inputs):
            assert resource.check(process, each).failures == []
            state = process.update(life.life.name, object_id, state, each)
            assert is_on_server(name) is (each is inputs or KEPT.get(life.life.name) == name), name


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
