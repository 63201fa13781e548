"""Writes programs in TypeScript, for the SDK that Pulumi generates from schema.json."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic.alias_generators import to_snake

from .layout import Commented, Group, Labelled, Part, group, laid_out
from .loops import Item, Keyed, Loop, units
from .names import camel
from .shared import Shared
from .statements import Joined, Json, Noted, Ref, Setting, Step, has_texts, items_of, settings_of, specs_of

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
    shared = Shared(steps, lambda step: specs_of(step, schema))
    written = []
    for unit in units(steps):
        members = unit.steps if isinstance(unit, Loop) else [unit]
        for constant, step, name, value in shared.new(members):
            start = f"const {camel(constant.variable)} = "
            part = _value(value, specs_of(step, schema).get(name, {}), schema)
            written.append(f"{start}{laid_out(part, before=len(start))};")
        written.append(_loop(unit, schema, shared) if isinstance(unit, Loop) else _statement(unit, schema, shared))
    return "\n".join([*head, "", *before, between.join(written)])


def _loop(loop: Loop, schema: Json, shared: Shared) -> str:
    """Write the resources of a loop, as a record of them by their keys."""
    first, variable = loop.steps[0], camel(loop.group)
    only = len(loop.items) == 1
    entries: list[Part] = []
    for index, key in enumerate(loop.keys):
        values = {name: several[index] for name, several in loop.items.items()}
        given = _with_constants(loop.steps[index], values, shared)
        part = _value(next(iter(given.values())), {}, schema) if only else _object(given, {}, schema)
        entries.append(Labelled(f"{_key(key)}: ", part))
    head, over = "const key of ", group("[", [text(key) for key in loop.keys], "]")
    if loop.items:
        head, over = "const [key, value] of ", group("Object.entries({", entries, "})")
    lines = [f"const {variable}: Record<string, clouddb.{first.kind}> = {{}};"]
    lines.append(f"for ({head}{laid_out(over, before=len(head) + 5, after=3)}) {{")
    properties = _with_items(_with_constants(first, loop.properties, shared), only)
    fields = _object(properties, specs_of(first, schema), schema)
    end = ", { protect: true });" if first.protect else ");"
    call = Group(f"new clouddb.{first.kind}({_with_key(loop.name)}, ", (fields,), end, trailing=False)
    start = f"{variable}[key] = "
    return "\n".join([*lines, f"    {start}{_hugged(call, len(start), 4)}", "}"])


def _with_key(value: Keyed) -> str:
    """Write a text with the key of the loop."""
    if not value.before and not value.after:
        return "key"
    return f"`{_in_template(value.before)}${{key}}{_in_template(value.after)}`"


def _with_items(value: Any, only: bool) -> Any:
    """Return a value of a loop with the places of what differs as code."""
    if isinstance(value, Item):
        return _Code("value" if only else f"value.{value.name}")
    if isinstance(value, Keyed):
        return _Code(_with_key(value))
    if isinstance(value, Joined):
        return Joined(tuple(_with_items(each, only) for each in value.parts))
    if isinstance(value, Mapping):
        return {name: _with_items(item, only) for name, item in value.items()}
    return [_with_items(item, only) for item in value] if isinstance(value, list) else value


class _Code(str):
    """An expression as a value."""


def _with_constants(step: Step, values: Mapping[str, Any], shared: Shared) -> Json:
    given: Json = {}
    for name, value in values.items():
        constant = shared.constant(step, name, value)
        given[name] = value if constant is None else Ref(constant.variable)
    return given


def _statement(step: Step, schema: Json, shared: Shared) -> str:
    given = _with_constants(step, step.properties, shared)
    fields = _object(given, specs_of(step, schema), schema)
    if step.is_resource:
        name = step.name or to_snake(step.variable).replace("_", "-")
        end = ", { protect: true });" if step.protect else ");"
        call = Group(f"new clouddb.{step.kind}({text(name)}, ", (fields,), end, trailing=False)
    else:
        call = Group(f"clouddb.{step.kind}Output(", (fields,), ");", trailing=False)
    before = f"const {camel(step.variable)} = "
    return "\n".join([*(f"// {note}" for note in step.notes), before + _hugged(call, len(before))])


def _hugged(call: Group, before: int, column: int = 0) -> str:
    """Format a call whose last argument is an object, with the brackets of both on the same lines."""
    (fields,) = call.items
    start = before + len(call.opening)
    return call.opening + laid_out(fields, column=column, before=start, after=len(call.closing)) + call.closing


def reference(ref: Ref) -> str:
    """Write a reference to an output."""
    if ref.member:
        key = "key" if ref.member.key is None else text(ref.member.key)
        _, dot, path = ref.path.partition(".")
        whole = f"{camel(ref.member.group)}[{key}]{dot}{path}"
        return whole if ref.key is None else f"{whole}[{text(ref.key)}]"
    return path_of(ref) if ref.key is None else f"{path_of(ref)}[{text(ref.key)}]"


def path_of(ref: Ref) -> str:
    """Return the variable and the property of a reference, without the key."""
    variable, dot, path = ref.path.partition(".")
    return f"{camel(variable)}{dot}{path}"


def text(value: str) -> str:
    """Write a string literal on one line."""
    literal = json.dumps(value, ensure_ascii=False)
    return "".join(char if char.isprintable() else json.dumps(char)[1:-1] for char in literal)


def _in_text(part: str | Ref) -> str:
    """Write a part of a text."""
    if isinstance(part, Ref | _Code):
        return f"${{{reference(part) if isinstance(part, Ref) else part}}}"
    return _in_template(part)


def _in_template(value: str) -> str:
    """Write a part of a template literal on one line."""
    literal = text(value)[1:-1].replace('\\"', '"')
    return re.sub(r"`|\$(?=\{)", lambda found: f"\\{found[0]}", literal)


def _value(value: Any, spec: Json, schema: Json) -> Part:
    if isinstance(value, _Code | Ref | Joined | Setting):
        return _expression(value)
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


def _expression(value: _Code | Ref | Joined | Setting) -> Part:
    """Write a value that is no literal."""
    if isinstance(value, Ref):
        return reference(value)
    if isinstance(value, Joined):
        return f"pulumi.interpolate`{''.join(map(_in_text, value.parts))}`"
    return f"config.requireSecret({text(value.key)})" if isinstance(value, Setting) else str(value)


def _object(values: Mapping[str, Any], specs: Json, schema: Json) -> Part:
    fields = [Labelled(f"{_key(key)}: ", _value(item, specs.get(key, {}), schema)) for key, item in values.items()]
    return group("{", fields, "}", padding=" ")


def _key(key: str) -> str:
    if key == "__proto__":  # a plain key sets the prototype
        return '["__proto__"]'
    return key if _NAME.fullmatch(key) else text(key)
