"""Writes programs in Python for the classes of this package."""

from __future__ import annotations

import json
import keyword
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic.alias_generators import to_camel, to_snake

from pulumi_clouddb.models.python_names import python_name
from pulumi_clouddb.models.values import whole_numbers
from pulumi_clouddb.plugin.schema import schema_text
from pulumi_clouddb.resources.registry import RESOURCES

if TYPE_CHECKING:
    from pulumi_clouddb.dynamic.import_file import Found

Json = dict[str, Any]

IMPORT = "import pulumi_clouddb as clouddb"
"""How a program names this package."""


@dataclass(frozen=True)
class Ref:
    """An output of another statement: `Ref("dashboard.tileIds", "errors")`.

    Attributes:
        path: Variable and property.
        key: Key within a map of the user's own keys.
    """

    path: str
    key: str | None = None


@dataclass(frozen=True)
class Setting:
    """A secret that the program takes from the configuration of its stack.

    Attributes:
        key: Its name there.
    """

    key: str


@dataclass(frozen=True)
class Step:
    """One statement: a resource (its type begins with a capital) or the call of a function.

    Attributes:
        variable: What it is assigned to.
        kind: Name of the resource or function.
        properties: Its inputs, by wire name; each key of a user's own map is kept as it is.
        name: The resource's name in its stack, by default that of the variable.
    """

    variable: str
    kind: str
    properties: Mapping[str, Any] = field(default_factory=dict)
    name: str = ""

    @property
    def is_resource(self) -> bool:
        """Whether it declares a resource."""
        return self.kind[0].isupper()


def import_program(objects: Iterable[Found]) -> str:
    """Return a program that declares `objects`; a resource refers to another whose id it names.

    What is secret is not in it: it comes from the configuration, and a comment tells how it gets there.
    """
    order = list(RESOURCES)
    steps: list[Step] = []
    known: dict[str, str] = {}
    for each in sorted(objects, key=lambda each: order.index(each.kind)):
        variable = _variable(each, {step.variable for step in steps})
        secrets = RESOURCES[each.kind].type.secrets
        properties: Json = {}
        for name, value in whole_numbers(each.live.inputs).items():
            if name in secrets:
                properties[name] = Setting(to_camel(f"{variable}_{to_snake(name)}"))
            else:
                properties[name] = Ref(f"{known[value]}.id") if name.endswith("Id") and value in known else value
        steps.append(Step(variable, each.kind, properties, each.name))
        known[each.object_id] = variable
    return python_program(steps, json.loads(schema_text()))


def _variable(found: Found, taken: Collection[str]) -> str:
    """Return a free name for a variable, after the resource's own name."""
    base = re.sub(r"[^a-z0-9]+", "_", found.name.lower()).strip("_")
    if not base or base[0].isdigit() or keyword.iskeyword(base) or base in ("pulumi", "clouddb", "config"):
        base = f"{RESOURCES[found.kind].type.snake_name}_{base}".rstrip("_")
    name, number = base, 2
    while name in taken:
        name, number = f"{base}_{number}", number + 1
    return name


def python_program(steps: Sequence[Step], schema: Json) -> str:
    """Write a program of these statements; `schema` names the classes of nested objects."""
    settings = [value.key for step in steps for value in step.properties.values() if isinstance(value, Setting)]
    taken = ["", *(f"# pulumi config set --secret {key}" for key in settings), "config = pulumi.Config()"]
    head = ["import pulumi", IMPORT, *taken] if settings else [IMPORT]
    return "\n".join([*head, "", *(_statement(step, schema) for step in steps)])


def _statement(step: Step, schema: Json) -> str:
    token = f"clouddb:index:{step.kind}"
    if step.is_resource:
        call, specs = step.kind, schema["resources"][token]["inputProperties"]
        first = [_text(step.name or to_snake(step.variable).replace("_", "-"))]
    else:
        call, specs = f"{to_snake(step.kind)}_output", schema["functions"][token]["inputs"]["properties"]
        first = []
    given = _keywords(step.properties, specs, schema)
    return block(f"{to_snake(step.variable)} = clouddb.{call}(", [*first, *given], ")")


def _keywords(values: Mapping[str, Any], specs: Json, schema: Json) -> list[str]:
    return [f"{python_name(name)}={_value(value, specs[name], schema)}" for name, value in values.items()]


def _value(value: Any, spec: Json, schema: Json) -> str:
    """Write a value; an object of a declared type becomes its class, any other map stays as the user wrote it."""
    if isinstance(value, Ref):
        return reference(value)
    if isinstance(value, Setting):
        return f"config.require_secret({_text(value.key)})"
    if isinstance(value, list):
        return block("[", [_value(item, spec.get("items", {}), schema) for item in value], "]")
    if not isinstance(value, dict):
        return _text(value) if isinstance(value, str) else repr(value)
    _, found, token = spec.get("$ref", "").partition("#/types/")
    if not found:
        return block("{", [f"{_text(key)}: {_value(item, {}, schema)}" for key, item in value.items()], "}")
    name = token.rpartition(":")[2]
    return block(f"clouddb.{name}Args(", _keywords(value, schema["types"][token]["properties"], schema), ")")


def block(opening: str, items: Collection[str], closing: str) -> str:
    """Put items between brackets: on one line if it is short, else each on its own line, one level deeper."""
    line = opening + ", ".join(items) + closing
    if "\n" not in line and len(line) <= 72:
        return line
    return "\n".join([opening, *(f"    {line}" for item in items for line in f"{item},".splitlines()), closing])


def _text(text: str) -> str:
    """Write a text on one line; JSON's escapes are Python's as long as it is ASCII."""
    return json.dumps(text) if text.isascii() else repr(text)


def reference(ref: Ref) -> str:
    """Write a reference to an output."""
    text = ".".join(python_name(part) for part in ref.path.split("."))
    return f"{text}[{json.dumps(ref.key)}]" if ref.key else text
