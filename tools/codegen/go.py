"""The example programs in Go, for the SDK that Pulumi generates from schema.json, formatted as by gofmt."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from pydantic.alias_generators import to_snake

from clouddb_tools.commands.export.names import camel
from clouddb_tools.commands.export.statements import Ref, Setting, Step, items_of, settings_of

from .examples.example import Example
from .names import Json, base_name

WIDTH = 96
TAB = "\t"
SDK_IMPORT = "example.com/pulumi-clouddb/sdk/go/clouddb"
"""The import path that Pulumi derives if a schema has no repository (pkg/codegen/go/gen.go, ExtractModulePath)."""

_SETTINGS = "settings"
_SCALARS = {"string": "String", "integer": "Int", "number": "Float64", "boolean": "Bool"}


@dataclass(frozen=True)
class Literal:
    """A composite literal.

    Attributes:
        name: Its type.
        items: Its elements in order with their keys, which are empty in a list.
    """

    name: str
    items: tuple[tuple[str, Literal | str], ...]


def go_program(example: Example, schema: Json) -> str:
    """Return an example without unused variables, which Go rejects."""
    settings = settings_of([*example.steps])
    read = _read([*example.exports.values(), *(step.properties for step in example.steps)])
    lines, names = [], {camel(step.variable): step for step in example.steps}
    declared = False
    for step in example.steps:
        used = camel(step.variable) in read
        written = replace(step, properties=_with_references(step.properties, names))
        lines += _statement(written, schema, used=used, declared=declared)
        declared |= step.is_resource
    lines += [f"ctx.Export({_text(name)}, {_reference(ref, names)})" for name, ref in example.exports.items()]
    if settings:
        lines = [
            *(f"// pulumi config set --secret {key}" for key in settings),
            f'{_SETTINGS} := config.New(ctx, "")',
            *lines,
        ]
    sdk = "github.com/pulumi/pulumi/sdk/v3/go/pulumi"
    imports = [SDK_IMPORT, sdk, *([f"{sdk}/config"] if settings else [])]
    return "\n".join(
        [
            "package main",
            "",
            "import (",
            *(f'{TAB}"{each}"' for each in imports),
            ")",
            "",
            "func main() {",
            f"{TAB}pulumi.Run(func(ctx *pulumi.Context) error {{",
            *(TAB * 2 + line for text in [*lines, "return nil"] for line in text.split("\n")),
            f"{TAB}}})",
            "}",
        ]
    )


def _statement(step: Step, schema: Json, *, used: bool, declared: bool) -> list[str]:
    token = f"clouddb:index:{step.kind}"
    variable = camel(step.variable) if used else "_"
    name = step.kind[0].upper() + step.kind[1:]
    if not step.is_resource:
        if f"clouddb:index:{name.removeprefix('Get')}" in schema["resources"]:
            name = f"Lookup{name.removeprefix('Get')}"  # in Go, GetAlert reads the state of an Alert
        inputs = schema["functions"][token].get("inputs", {}).get("properties", {})
        arguments = _written(_struct(f"clouddb.{name}OutputArgs", step.properties, inputs, schema))
        return [f"{variable} := clouddb.{name}Output(ctx, {arguments})"]
    inputs = schema["resources"][token]["inputProperties"]
    arguments = _written(_struct(f"&clouddb.{name}Args", step.properties, inputs, schema))
    label = _text(step.name or to_snake(step.variable).replace("_", "-"))
    assign = "=" if declared and not used else ":="
    return [
        *(f"// {note}" for note in step.notes),
        f"{variable}, err {assign} clouddb.New{name}(ctx, {label}, {arguments})",
        f"if err != nil {{\n{TAB}return err\n}}",
    ]


def _read(value: Any) -> set[str]:
    """Return the variables to which a value refers."""
    if isinstance(value, Ref):
        return {camel(value.path.partition(".")[0])}
    parts = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return set().union(*(_read(part) for part in parts))


class _Expression(str):
    """A reference as it is written."""


def _with_references(value: Any, steps: Mapping[str, Step]) -> Any:
    """Return a value with each reference in it as it is written."""
    if isinstance(value, Ref):
        return _Expression(_reference(value, steps))
    if isinstance(value, Mapping):
        return {name: _with_references(item, steps) for name, item in value.items()}
    return [_with_references(item, steps) for item in value] if isinstance(value, list) else value


def _reference(ref: Ref, steps: Mapping[str, Step]) -> str:
    """Return a field of a resource, or the method that returns a field of a function's result."""
    variable, _, path = ref.path.partition(".")
    is_resource = steps[camel(variable)].is_resource
    field = "ID()" if path == "id" and is_resource else path[0].upper() + path[1:]
    called = "" if is_resource else "()"
    key = f".MapIndex(pulumi.String({_text(ref.key)}))" if ref.key is not None else ""
    return f"{camel(variable)}.{field}{called}{key}"


def _text(value: str) -> str:
    """Return a string literal: raw if that avoids escapes, else with the escapes that Go shares with JSON."""
    raw = re.search(r'["\\\n]', value) and "`" not in value and "\r" not in value
    return f"`{value}`" if raw else json.dumps(value, ensure_ascii=False)


def _value(value: Any, spec: Json, schema: Json) -> Literal | str:
    if isinstance(value, _Expression):
        return str(value)
    if isinstance(value, Setting):
        return f"{_SETTINGS}.RequireSecret({_text(value.key)})"
    if isinstance(value, list):
        items = items_of(spec)
        elements = tuple(("", _value(item, items, schema)) for item in value)
        return Literal(f"{_type(items)}Array", elements)
    if isinstance(value, Mapping):
        reference = spec.get("$ref", "")
        if reference.startswith("#/types/"):
            properties = schema["types"][reference.removeprefix("#/types/")]["properties"]
            return _struct(f"{_type(spec)}Args", value, properties, schema)
        items = spec.get("additionalProperties", {})
        pairs = tuple((_text(key), _value(item, items, schema)) for key, item in value.items())
        return Literal(f"{_type(items)}Map" if items.get("type") else "pulumi.Map", pairs)
    return f"{_type(spec, value)}({_text(value) if isinstance(value, str) else json.dumps(value)})"


def _struct(name: str, values: Mapping[str, Any], specs: Json, schema: Json) -> Literal:
    fields = tuple((key[0].upper() + key[1:], _value(item, specs.get(key, {}), schema)) for key, item in values.items())
    return Literal(name, fields)


def _type(spec: Json, value: object = "") -> str:
    """Return the type of a value by its schema, or by the value if the schema allows several types."""
    if spec.get("$ref", "").startswith("#/types/"):
        return f"clouddb.{base_name(spec['$ref'])}"
    if spec.get("type") in _SCALARS:
        return f"pulumi.{_SCALARS[spec['type']]}"
    kinds = {bool: "Bool", int: "Int", float: "Float64"}
    return f"pulumi.{kinds.get(type(value), 'String')}"


def _written(part: Literal | str) -> str:
    """Return a value on one line if it fits, else with one element per line."""
    if isinstance(part, str):
        return part
    items = [(key, _written(value)) for key, value in part.items]
    line = f"{part.name}{{{', '.join(f'{key}: {value}' if key else value for key, value in items)}}}"
    if "\n" not in line and len(line) <= WIDTH / 2:
        return line
    return "\n".join([f"{part.name}{{", *_aligned(items), "}"])


def _aligned(items: Sequence[tuple[str, str]]) -> list[str]:
    """Return one line per element, with the values of adjacent single-line elements aligned."""
    lines = []
    for multiline, run in groupby(items, key=lambda item: "\n" in item[1]):
        members = list(run)
        width = 0 if multiline else max(len(key) for key, _ in members)
        for key, value in members:
            label = f"{key}:".ljust(width + 2) if key else ""
            label = f"{key}: " if key and multiline else label
            lines += [TAB + line for line in f"{label}{value},".split("\n")]
    return lines
