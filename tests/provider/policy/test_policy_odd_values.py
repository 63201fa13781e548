"""Any value of any property: each rule reports a violation or nothing, and never a secret."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from google.protobuf import struct_pb2
from pulumi.runtime.proto import analyzer_pb2
from pydantic import BaseModel

from pulumi_clouddb.engine.wire.codec import SECRET_SIGNATURE, SIGNATURE_KEY, UNKNOWN_TEXT
from pulumi_clouddb.policy import Production
from pulumi_clouddb.policy.pack import policies
from pulumi_clouddb.policy.resources import TYPES
from pulumi_clouddb.policy.server import Analyzer
from pulumi_clouddb.schema.check.within import typed_in
from pulumi_clouddb.schema.convert import fields_of
from pulumi_clouddb.schema.json_types import json_types_of
from pulumi_clouddb.schema.resource_type import ResourceType
from support.policy_host import configure

CANARY = "canary-7f3a9c"
ASSET = "c44067f5952c0a294b673a41bacd8c17"
REFERENCE = "5cf8f73096256a8f31e491e813e4eb8e"


def secret(value: Any) -> dict[str, Any]:
    """Return a value in a secret's envelope."""
    return {SIGNATURE_KEY: SECRET_SIGNATURE, "value": value}


ODD: dict[str, Any] = {
    "true": True,
    "a negative number": -1,
    "NaN": float("nan"),
    "infinity": float("inf"),
    "text": "x",
    "empty text": "",
    "a very long duration": "9" * 5000 + "m",
    "a time at the limit": "9999-12-31T23:59:59-23:00",
    "a list of null": [None],
    "a list of types": [True, 5, UNKNOWN_TEXT, "x", {}],
    "a list of lists": [["x"]],
    "an object": {"a": {"b": [None]}},
    "a list of objects": [{"source": 5, "type": [], "name": {}}],
    "a secret": secret(CANARY),
    "a secret within a list": [secret(CANARY), {"source": secret(CANARY)}],
    "an asset": {SIGNATURE_KEY: ASSET, "text": CANARY},
    "an invalid asset": {SIGNATURE_KEY: ASSET},
    "a reference": {SIGNATURE_KEY: REFERENCE, "urn": "u", "id": "i"},
    "an invalid secret": {SIGNATURE_KEY: SECRET_SIGNATURE},
    "an unknown signature": {SIGNATURE_KEY: 5, "value": CANARY},
}


def places(model: type[BaseModel], depth: int = 2) -> Iterator[tuple[str | int, ...]]:
    """Yield the path of each property of a model, and of nested objects."""
    for wire, attribute, nested in fields_of(model):
        yield (wire,)
        inner = nested or typed_in(model.model_fields[attribute].annotation)
        of_list = list in json_types_of(model)[attribute].types
        for path in places(inner, depth - 1) if inner and depth else ():
            yield (wire, *([0] if of_list else []), *path)


def placed(path: tuple[str | int, ...], value: Any) -> Any:
    """Return objects and lists with a value at a path."""
    for part in reversed(path):
        value = [value] if isinstance(part, int) else {part: value}
    return value


def on_the_wire(value: Any) -> struct_pb2.Value:
    """Return a value in its wire form, even a number that JSON does not have."""
    if isinstance(value, dict):
        return struct_pb2.Value(struct_value=struct_of(value))
    if isinstance(value, list):
        return struct_pb2.Value(list_value=struct_pb2.ListValue(values=map(on_the_wire, value)))
    if value is None:
        return struct_pb2.Value(null_value=struct_pb2.NULL_VALUE)
    if isinstance(value, str):
        return struct_pb2.Value(string_value=value)
    return struct_pb2.Value(bool_value=value) if isinstance(value, bool) else struct_pb2.Value(number_value=value)


def struct_of(value: dict[str, Any]) -> struct_pb2.Struct:
    """Return properties in their wire form."""
    return struct_pb2.Struct(fields={key: on_the_wire(item) for key, item in value.items()})


@pytest.fixture(scope="module")
def analyzer() -> Analyzer:
    """Return an analyzer with every rule of the pack, for which every stack is production."""
    made = Analyzer("odd", policies("strict", production=Production(stacks=("*",))))
    configure(made, *(each.name for each in made.policies))
    return made


@pytest.mark.slow
@pytest.mark.parametrize("type_", TYPES, ids=lambda type_: type_.name)
def test_no_value_breaks_a_rule(type_: ResourceType, analyzer: Analyzer) -> None:
    """Analysis and remediation run for each value; no message contains a secret, and remediations keep it secret."""
    urn = f"urn:pulumi:prod::shop::{type_.token}::one"
    for path in dict.fromkeys(places(type_.inputs)):
        for name, value in ODD.items():
            request: dict[str, Any] = {
                "type": type_.token,
                "urn": urn,
                "name": "one",
                "properties": struct_of(placed(path, value)),
            }
            try:
                one = analyzer.Analyze(analyzer_pb2.AnalyzeRequest(**request), None)
                stack = analyzer.AnalyzeStack(
                    analyzer_pb2.AnalyzeStackRequest(resources=[analyzer_pb2.AnalyzerResource(**request)]), None
                )
                remediation = analyzer.Remediate(analyzer_pb2.AnalyzeRequest(**request), None)
            except Exception as error:
                raise AssertionError(f"{name} at {path}") from error
            for each in (*one.diagnostics, *stack.diagnostics):
                assert CANARY not in each.message, (path, name)
                assert "can't run policy" not in each.message, (path, name)
            for each in remediation.remediations:
                assert not each.diagnostic, (path, name)
                assert SECRET_SIGNATURE in str(each.properties) or "a secret" not in name, (path, name)


def test_value_of_another_type_does_not_hide_other_violations(analyzer: Analyzer) -> None:
    """Valid elements of a list are checked; invalid ones are rejected by check."""
    props = {"ipAccessList": [5, {"source": ["0.0.0.0/0"]}, {"source": "0.0.0.0/0"}], "numReplicas": "many"}
    request = analyzer_pb2.AnalyzeRequest(
        type=TYPES[0].token, urn="urn:pulumi:prod::shop::t::one", name="one", properties=struct_of(props)
    )
    messages = {each.policyName: each.message for each in analyzer.Analyze(request, None).diagnostics}
    assert "\nipAccessList[2].source is '0.0.0.0/0'; " in messages["service-no-open-access"]
    assert "production-replicas" not in messages
