"""Python types and docstrings for the templates."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Callable, Collection, Mapping
from typing import Any

from pydantic.alias_generators import to_snake

from pulumi_clouddb.schema.public_names import python_name
from pulumi_clouddb.things.dashboards.tile_config import TileConfig

from .names import Json, base_name

WIDTH = 112
"""Width of a docstring, which is indented by at most eight columns."""

TILE_CONFIG = TileConfig.__name__
"""The type that also has a class for each of its kinds."""

_PRIMITIVES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}


def required_first(properties: Mapping[str, Json], required: Collection[str]) -> dict[str, Json]:
    """Return properties in the order of class attributes, with those that have defaults last."""
    return dict(sorted(properties.items(), key=lambda item: item[0] not in required))


def input_type(spec: Json, required: bool, or_dict: bool = True) -> str:
    """Return the type of an input property: `pulumi.Input[RegionValue] | pulumi.Output[str] | None`.

    Texts that are written down must be listed; outputs, which are of type `str`, can be passed on.

    Args:
        spec: The property.
        required: Whether it must be given.
        or_dict: Whether the type names dicts beside classes. The attributes of an input type name classes only: Pulumi
            finds no class in a union, and would not rename the keys of a dict (test_objects_may_be_typed_dicts).
    """
    return _given(spec, or_dict) + ("" if required else " | None")


def argument_type(spec: Json, required: bool) -> str:
    """Return the type of an argument of a function's form with plain values."""
    text = _output(spec, "")
    if spec.get("$ref", "").startswith("#/types/"):
        text = f"{text}Args | {text}ArgsDict"
    return text if required else f"{text} | None"


def _given(spec: Json, or_dict: bool) -> str:
    items = spec.get("items", {})
    if or_dict and _is_enum(spec):
        return f"pulumi.Input[{_input(spec, or_dict)}] | pulumi.Output[str]"
    if or_dict and _is_enum(items):
        return f"pulumi.Input[{_input(spec, or_dict)}] | pulumi.Output[Sequence[str]]"
    return f"pulumi.Input[{_input(spec, or_dict)}]"


def _input(spec: Json, or_dict: bool) -> str:
    if _is_enum(spec):
        name = base_name(spec["oneOf"][1]["$ref"])
        return f"{name}Value" if or_dict else f"str | {name}"
    if spec.get("$ref", "").startswith("#/types/"):
        name = base_name(spec["$ref"])
        dicts = [f"{name}ArgsDict", *([f"{name}KindArgsDict"] if name == TILE_CONFIG else [])]
        return " | ".join([f"{name}Args", *(dicts if or_dict else [])])
    if "$ref" in spec:
        return "Any"
    if spec["type"] == "array":
        return f"Sequence[{_given(spec['items'], or_dict)}]"
    if spec["type"] == "object":
        values = _input(spec["additionalProperties"], or_dict)
        return f"Mapping[str, {values if values == 'Any' else f'pulumi.Input[{values}]'}]"
    return _PRIMITIVES[spec["type"]]


def _is_enum(spec: Json) -> bool:
    """Return whether a property accepts the values of an enum and any other text."""
    return "oneOf" in spec


def output_type(spec: Json, required: bool, module: str = "", secret: bool = False) -> str:
    """Return the type of an output property; `module` is the prefix of nested types."""
    text = _output(spec, module)
    text = f"pulumi.Output[{text}]" if secret else text
    return text if required or text == "Any" else f"{text} | None"


def _output(spec: Json, module: str) -> str:
    if _is_enum(spec):
        return "str"
    if "$ref" in spec:
        return module + base_name(spec["$ref"]) if spec["$ref"].startswith("#/types/") else "Any"
    if spec["type"] == "array":
        return f"Sequence[{_output(spec['items'], module)}]"
    if spec["type"] == "object":
        return f"Mapping[str, {_output(spec['additionalProperties'], module)}]"
    return _PRIMITIVES[spec["type"]]


def docstring(text: str, *sections: str) -> str:
    """Return a docstring: a summary, the rest of the text, and unchanged sections."""
    if not sections and len(text) <= WIDTH - 6:
        return f'"""{text}"""'
    summary, more = _summary(text)
    parts = [summary, textwrap.fill(more, WIDTH, break_on_hyphens=False), *sections]
    return '"""' + "\n\n".join(filter(None, parts)) + '\n"""'


def _summary(text: str) -> tuple[str, str]:
    """Split a text after its first sentence, or after a part of it if it is longer than a line."""
    for mark in (". ", ": ", "; ", ", "):
        first, separator, more = text.partition(mark)
        if separator and len(first) < WIDTH - 3:
            return f"{first}.", more[:1].upper() + more[1:]
        if len(text) <= WIDTH - 3:
            break
    return text, ""


def parameter_docs(properties: Mapping[str, Json], heading: str = "Args") -> str:
    """Return the docstring section of parameters, empty if there are none."""
    lines = [f"{heading}:"] if properties else []
    for name, spec in properties.items():
        advice = f" Deprecated: {spec['deprecationMessage']}." if "deprecationMessage" in spec else ""
        text = f"    {python_name(name)}: {spec['description']}{advice}"
        lines.append(textwrap.fill(text, WIDTH, subsequent_indent=" " * 8, break_on_hyphens=False))
    return "\n".join(lines)


def member(value: Mapping[str, str]) -> str:
    """Return the name of an enum's member: `EU_CENTRAL_1`; where the value is not a name, as in the schema."""
    name = re.sub("[- ]", "_", value["value"]).upper()
    return name if name.isidentifier() else to_snake(value["name"]).upper()


def literals(text: str) -> str:
    """Return a text as adjacent string literals, which the formatter joins if they fit on one line."""
    return "\n".join(json.dumps(part, ensure_ascii=False) for part in textwrap.wrap(text, 100, drop_whitespace=False))


FILTERS: dict[str, Callable[..., Any]] = {
    each.__name__: each
    for each in (argument_type, docstring, input_type, literals, member, output_type, parameter_docs, required_first)
}
"""The functions that templates can use, by name."""
