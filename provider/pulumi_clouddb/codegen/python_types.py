"""Python classes of nested types: enums, objects in arguments, objects in outputs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .names import named_type, snake_case
from .python_text import (
    attribute,
    call_lines,
    call_with_text,
    docstring,
    indented,
    input_type,
    optional,
    parameter_docs,
    plain_type,
    signature,
)

Json = dict[str, Any]


def enum_classes(names: Iterable[str], schema: Json) -> list[str]:
    """Return the classes of enums."""
    lines: list[str] = []
    for name in names:
        spec = named_type(schema, name)
        members = [f'    {_member(each["value"])} = "{each["value"]}"' for each in spec["enum"]]
        lines += ["", "", f"class {name}(str, Enum):", *docstring(spec["description"], "    "), "", *members]
    return lines[2:]


def _member(value: str) -> str:
    return value.upper().replace("-", "_")


def input_classes(names: Iterable[str], schema: Json) -> list[str]:
    """Return the classes of objects that programs give; each comes behind those that it uses."""
    lines: list[str] = []
    for name in names:
        spec = named_type(schema, name)
        lines += ["", "", *args_class(name, spec["description"], spec["properties"], spec["required"])]
    return lines[2:]


def args_class(name: str, about: str, properties: Mapping[str, Json], required: Iterable[str]) -> list[str]:
    """Return the class of the arguments of a resource, or of an object within them."""
    must = set(required)
    ordered = {key: properties[key] for key in sorted(properties, key=lambda key: key not in must)}
    lines = ["@pulumi.input_type", f"class {name}Args(Args):", *docstring(about, "    "), ""]
    for key, spec in ordered.items():
        kind = optional(f"pulumi.Input[{input_type(spec)}]", key in must)
        lines += attribute(snake_case(key), kind, key, key in must)
    return [*lines, "", *indented(_constructor(name, ordered, must))]


def _constructor(name: str, properties: Mapping[str, Json], must: set[str]) -> list[str]:
    lines = signature("__init__", ["self"], input_parameters(properties, must), "None")
    lines += docstring(f"Take the properties of {name}.", "    ", parameter_docs(properties))
    for key, spec in properties.items():
        if "deprecationMessage" in spec:
            lines += call_with_text("deprecated", snake_case(key), spec["deprecationMessage"])
    return [*lines, *indented(call_lines("self._fill", [f"{snake_case(key)}={snake_case(key)}" for key in properties]))]


def input_parameters(properties: Mapping[str, Json], must: set[str]) -> list[str]:
    """Return the parameters of a constructor, required ones without a default."""
    parameters = []
    for key, spec in properties.items():
        kind = optional(f"pulumi.Input[{input_type(spec)}]", key in must)
        parameters.append(f"{snake_case(key)}: {kind}" + ("" if key in must else " = None"))
    return parameters


def output_classes(names: Iterable[str], schema: Json) -> list[str]:
    """Return the classes of objects that programs read; each comes behind those that it uses."""
    lines: list[str] = []
    for name in names:
        spec = named_type(schema, name)
        lines += ["", "", *output_class(name, spec["description"], spec, "")]
    return lines[2:]


def output_class(name: str, about: str, spec: Json, prefix: str) -> list[str]:
    """Return the class of an object that programs read; a secret within it is a secret output."""
    must = set(spec.get("required", []))
    lines = ["@pulumi.output_type", f"class {name}(dict[str, Any]):", *docstring(about, "    ")]
    for key in sorted(spec["properties"], key=lambda key: key not in must):
        each = spec["properties"][key]
        kind = plain_type(each, prefix)
        kind = optional(f"pulumi.Output[{kind}]" if each.get("secret") else kind, key in must)
        lines += ["", *attribute(snake_case(key), kind, key, key in must), *docstring(each["description"], "    ")]
    return lines
