"""Writes programs in TypeScript, for the SDK that Pulumi generates from schema.json."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic.alias_generators import to_snake

from .layout import Commented, Group, Labelled, Part, group, laid_out
from .names import camel
from .statements import Joined, Json, Noted, Ref, Setting, Step, has_texts, items_of, settings_of

IMPORT = 'import * as clouddb from "@clouddb/pulumi";'

_NAME = re.compile(r"[A-Za-z_$][\w$]*", re.ASCII)


def typescript_program(steps: Sequence[Step], schema: Json, between: str = "\n", before: Sequence[str] = ()) -> str:
    """Write a program.

    Args:
        steps: The statements.
        schema: The package's schema, with the properties of the SDK's types.
        between: The text between two statements.
        before: Lines before the first statement.
    """
    settings = settings_of(list(steps))
    config = ["", *(f"// pulumi config set --secret {key}" for key in settings), "const config = new pulumi.Config();"]
    head = [IMPORT, 'import * as pulumi from "@pulumi/pulumi";'] if settings or has_texts(steps) else [IMPORT]
    head += config if settings else []
    return "\n".join([*head, "", *before, between.join(_statement(step, schema) for step in steps)])


def _statement(step: Step, schema: Json) -> str:
    token = f"clouddb:index:{step.kind}"
    if step.is_resource:
        fields = _object(step.properties, schema["resources"][token]["inputProperties"], schema)
        name = step.name or to_snake(step.variable).replace("_", "-")
        end = ", { protect: true });" if step.protect else ");"
        call = Group(f"new clouddb.{step.kind}({text(name)}, ", (fields,), end, trailing=False)
    else:
        fields = _object(step.properties, schema["functions"][token]["inputs"]["properties"], schema)
        call = Group(f"clouddb.{step.kind}Output(", (fields,), ");", trailing=False)
    before = f"const {camel(step.variable)} = "
    return "\n".join([*(f"// {note}" for note in step.notes), before + _hugged(call, len(before))])


def _hugged(call: Group, before: int) -> str:
    """Format a call whose last argument is an object, with the brackets of both on the same lines."""
    (fields,) = call.items
    return call.opening + laid_out(fields, before=before + len(call.opening), after=len(call.closing)) + call.closing


def reference(ref: Ref) -> str:
    """Write a reference to an output."""
    return path_of(ref) if ref.key is None else f"{path_of(ref)}[{text(ref.key)}]"


def path_of(ref: Ref) -> str:
    """Return the variable and the property of a reference, without the key."""
    variable, dot, path = ref.path.partition(".")
    return f"{camel(variable)}{dot}{path}"


def text(value: str) -> str:
    """Write a string literal on one line."""
    literal = json.dumps(value, ensure_ascii=False)
    return "".join(char if char.isprintable() else json.dumps(char)[1:-1] for char in literal)


def _in_template(value: str) -> str:
    """Write a part of a template literal on one line."""
    literal = text(value)[1:-1].replace('\\"', '"')
    return re.sub(r"`|\$(?=\{)", lambda found: f"\\{found[0]}", literal)


def _value(value: Any, spec: Json, schema: Json) -> Part:
    if isinstance(value, Ref):
        return reference(value)
    if isinstance(value, Joined):
        parts = (f"${{{reference(each)}}}" if isinstance(each, Ref) else _in_template(each) for each in value.parts)
        return f"pulumi.interpolate`{''.join(parts)}`"
    if isinstance(value, Setting):
        return f"config.requireSecret({text(value.key)})"
    if isinstance(value, Noted) and value.notes:
        return Commented(tuple(f"// {note}" for note in value.notes), _value(dict(value), spec, schema))
    if isinstance(value, Mapping):
        _, found, token = spec.get("$ref", "").partition("#/types/")
        specs = schema["types"][token]["properties"] if found else None
        written = _object(value, specs or {}, schema)
        # A property that is not in the schema is one of a newer server; the compiler must accept it.
        known = specs is None or value.keys() <= specs.keys()
        return written if known else Group("<any>(", (written,), ")", trailing=False)
    if isinstance(value, list):
        return group("[", [_value(item, items_of(spec), schema) for item in value], "]")
    return text(value) if isinstance(value, str) else json.dumps(value)


def _object(values: Mapping[str, Any], specs: Json, schema: Json) -> Part:
    fields = [Labelled(f"{_key(key)}: ", _value(item, specs.get(key, {}), schema)) for key, item in values.items()]
    return group("{", fields, "}", padding=" ")


def _key(key: str) -> str:
    if key == "__proto__":  # a plain key sets the prototype
        return '["__proto__"]'
    return key if _NAME.fullmatch(key) else text(key)
