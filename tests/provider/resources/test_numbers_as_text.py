"""Numbers in a program for properties that are text of digits in the API."""

from __future__ import annotations

from typing import Any

import pytest

from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource.state import State, usable
from pulumi_clouddb.schema.base import Compare, in_metadata, wire_name
from pulumi_clouddb.schema.convert import construct, to_wire
from support.sessions import ProviderProcess

PLACE = {"name": "Orders", "provider": "aws", "region": "us-east-1"}
CASES: list[tuple[str, dict[str, Any], str, object, object]] = [
    ("Service", PLACE, "settings", {"max_query_size": 300000.0}, {"max_query_size": "300000"}),
    (
        "PostgresService",
        {**PLACE, "size": "c6gd.large"},
        "pgConfig",
        {"max_connections": 200.0, "random_page_cost": 1.5, "work_mem": "64MB"},
        {"max_connections": "200", "random_page_cost": "1.5", "work_mem": "64MB"},
    ),
    (
        "PostgresService",
        {**PLACE, "size": "c6gd.large"},
        "pgBouncerConfig",
        {"default_pool_size": 20},
        {"default_pool_size": "20"},
    ),
    ("PostgresService", {**PLACE, "size": "c6gd.large"}, "postgresVersion", 17.0, "17"),
]


def test_each_property_of_digits_has_a_case() -> None:
    """This includes new properties."""
    declared = {
        (kind, wire_name(inputs, attribute))
        for kind, inputs in ((each, RESOURCES[each].type.inputs) for each in RESOURCES)
        for attribute, how in in_metadata(inputs, Compare).items()
        if how.digits
    }
    assert declared == {(kind, name) for kind, _, name, _, _ in CASES}


@pytest.mark.parametrize(("kind", "inputs", "name", "value", "text"), CASES)
def test_number_is_converted_to_text(
    kind: str, inputs: dict[str, Any], name: str, value: object, text: object, process: ProviderProcess
) -> None:
    """It is sent and stored as text, and a server that returns numbers causes no drift."""
    resource = RESOURCES[kind]
    checked = resource.check(process, {**inputs, name: value})
    assert not checked.failures
    assert checked.inputs[name] == text
    object_id, state = process.create(kind, {**inputs, name: value})
    assert state[name] == text
    for program in (value, text):
        assert process.changes(kind, state, {**inputs, name: program}) == ()
    wanted: Any = construct(resource.type.inputs, {**inputs, name: value})
    returned = State(wanted, construct(resource.type.thing, {}))
    assert to_wire(usable(resource.type, returned, {}).wanted)[name] == text
    assert process.read(kind, object_id, state).inputs[name] == text


@pytest.mark.parametrize("value", [True, [17], {"a": {"b": 1}}], ids=repr)
def test_other_types_are_rejected(value: object, process: ProviderProcess) -> None:
    """A flag has no text form that all servers share."""
    inputs = {**PLACE, "size": "c6gd.large", "postgresVersion": value}
    assert RESOURCES["PostgresService"].check(process, inputs).failures
