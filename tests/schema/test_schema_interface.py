"""schema.json lacks no field, value or limit of the servers' interface, as `interface_fields` writes it down."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterator
from typing import Any, get_args

import pytest

from schema.interface_fields import BEYOND, ELSEWHERE, INTERFACE, WHOLE, Field
from services.described import Region
from support.schema import SCHEMA

Json = dict[str, Any]
PLAIN = {"uuid": "string", "timestamp": "string"}
SIDES = {"in": ("inputProperties", "inputs"), "out": ("properties", "outputs")}


def properties_at(place: str, schema: Json) -> Json:
    """Return the properties at a place such as `getPipe.out.source.kafka`; none where a part of the way is missing."""
    if place == "config":
        return dict(schema["config"]["variables"])
    name, side, *parts = place.split(".")
    token, (of_resource, of_function) = f"clouddb:index:{name}", SIDES[side]
    if name[0].isupper():
        found: Json = schema["resources"].get(token, {}).get(of_resource, {})
    else:
        found = schema["functions"].get(token, {}).get(of_function, {}).get("properties", {})
    for part in parts:
        spec = found.get(part.removesuffix("[]"), {})
        spec = spec.get("items", {}) if part.endswith("[]") else spec
        found = schema["types"].get(spec.get("$ref", "").removeprefix("#/types/"), {}).get("properties", {})
    return found


def kind_of(spec: Json) -> str:
    """Return the type of a property in the words of the interface."""
    if spec.get("type") == "array":
        return f"{kind_of(spec['items'])}[]"
    if "oneOf" in spec:
        return "enum"
    return "object" if "$ref" in spec else str(spec.get("type"))


def words_of(spec: Json, schema: Json) -> list[str]:
    """Return the values of an enum, or of the enums in a list."""
    spec = spec.get("items", spec)
    reference = next((choice["$ref"] for choice in spec.get("oneOf", ()) if "$ref" in choice), "")
    enum = schema["types"].get(reference.removeprefix("#/types/"), {}).get("enum", [])
    return [each["value"] for each in enum]


def numbers_in(text: str) -> set[float]:
    """Return the numbers that a description names."""
    return {float(each) for each in re.findall(r"\d+(?:\.\d+)?", re.sub(r"\bone\b", "1", text))}


def faults(name: str, field: Field, spec: Json, schema: Json) -> Iterator[str]:
    """Yield how a property differs from the field that it stands for."""
    text = spec.get("description", "")
    wanted = PLAIN.get(field.kind, field.kind)
    kind = kind_of(spec)
    hint = not field.words and (wanted, kind) == ("string", "enum")  # the values of the other dialect
    if kind != wanted and not hint and not (name in WHOLE and (wanted, kind) == ("number", "integer")):
        yield f"is {kind}, not {wanted}"
    more = sorted(set(get_args(Region)) - set(field.words)) if name == "region" and field.words else []
    if not hint and words_of(spec, schema) != [*field.words, *more]:
        yield f"takes {words_of(spec, schema)}, not {list(field.words)}"
    if bool(spec.get("deprecationMessage")) != field.deprecated:
        yield f"deprecated: {not field.deprecated}"
    if bool(spec.get("secret")) != field.secret:
        yield f"secret: {not field.secret}"
    yield from (f"does not say {limit:g}" for limit in field.limits if limit not in numbers_in(text))
    yield from (f"does not say {word!r}" for word in field.says if word.lower() not in text.lower())


def missing(schema: Json) -> list[str]:
    """Return what of the interface a schema lacks, or has otherwise."""
    found = []
    for place, fields in INTERFACE.items():
        properties = properties_at(place, schema)
        for name, field in fields.items():
            if (place, name) in ELSEWHERE:
                continue
            reasons = faults(name, field, properties[name], schema) if name in properties else ["is missing"]
            found += [f"{place}.{name} {reason}" for reason in reasons]
    return found


@pytest.mark.parametrize("place", INTERFACE)
def test_nothing_of_the_interface_is_missing(place: str) -> None:
    """Each field has its property, of its type, with its limits, values, deprecation and secrecy."""
    fields = INTERFACE[place]
    assert [each for each in missing(SCHEMA) if each.startswith(tuple(f"{place}.{name} " for name in fields))] == []
    assert properties_at(place, SCHEMA)


def test_what_is_elsewhere_is_not_at_its_place_as_well() -> None:
    """No exception outlives its reason."""
    for place, name in ELSEWHERE:
        assert name in INTERFACE[place]
        assert name not in properties_at(place, SCHEMA)


def test_what_the_interface_does_not_list_is_known() -> None:
    """Beside the interface's fields there are the inputs of the same resource, this project's own, and a few more."""
    own = re.compile(
        r"(Not sent|Kept in state by this provider|API path: .*|Only with `clouddb:vocabulary=clickhouse`)"
    )
    for place, fields in INTERFACE.items():
        if place == "config":
            continue
        known = {*fields, *BEYOND, *INTERFACE.get(place.replace(".out", ".in"), {})}
        strange = {name: spec for name, spec in properties_at(place, SCHEMA).items() if name not in known}
        assert [name for name, spec in strange.items() if not own.search(spec["description"])] == [], place


Change = Callable[[Json], object]


def _service(schema: Json) -> Json:
    found: Json = schema["resources"]["clouddb:index:Service"]["inputProperties"]
    return found


def _type(schema: Json, name: str) -> Json:
    found: Json = schema["types"][f"clouddb:index:{name}"]
    return found


CHANGES: dict[str, tuple[Change, str]] = {
    "an input": (lambda schema: _service(schema).pop("byocId"), "Service.in.byocId is missing"),
    "an output": (
        lambda schema: schema["resources"]["clouddb:index:Service"]["properties"].pop("iamRole"),
        "Service.out.iamRole is missing",
    ),
    "a field deep in an answer": (
        lambda schema: _type(schema, "PostgresTableMapping")["properties"].pop("sortingKeys"),
        "getPipe.out.source.postgres.tableMappings[].sortingKeys is missing",
    ),
    "a function": (
        lambda schema: schema["functions"].pop("clouddb:index:listSources"),
        "listSources.in.serviceId is missing",
    ),
    "a value of an enum": (lambda schema: _type(schema, "Region")["enum"].pop(), "Service.in.region takes ["),
    "a limit": (
        lambda schema: _service(schema)["maxReplicaMemoryGb"].update(description="Most memory, in GB: 8 to 365."),
        "Service.in.maxReplicaMemoryGb does not say 356",
    ),
    "a rule in words": (
        lambda schema: _service(schema)["isReadonly"].update(description="Whether the service only reads."),
        "Service.in.isReadonly does not say 'dataWarehouseId'",
    ),
    "a type": (
        lambda schema: _type(schema, "PostgresSource")["properties"]["port"].update(type="string"),
        "getPipe.out.source.postgres.port is string, not number",
    ),
    "a deprecation": (
        lambda schema: _service(schema)["tier"].pop("deprecationMessage"),
        "Service.in.tier deprecated: False",
    ),
    "a secret": (
        lambda schema: _type(schema, "ObjectStorageSource")["properties"]["connectionString"].pop("secret"),
        "getPipe.out.source.objectStorage.connectionString secret: False",
    ),
}


@pytest.mark.parametrize("lost", CHANGES)
def test_a_loss_is_noticed(lost: str) -> None:
    """Take one thing out of the schema; it is named with its place."""
    change, says = CHANGES[lost]
    schema = copy.deepcopy(SCHEMA)
    change(schema)
    assert [each for each in missing(schema) if each.startswith(says)], missing(schema)
