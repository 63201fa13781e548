"""Writes the Python program that declares objects as they were found."""

from __future__ import annotations

import keyword
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pulumi_clouddb.models.values import whole_numbers
from pulumi_clouddb.resources.registry import RESOURCES

from .example_text import python_program
from .examples import Example, Ref, Step
from .schema import build_schema


@dataclass(frozen=True)
class Declared:
    """One object that the program declares.

    Attributes:
        kind: The Pulumi name of the resource.
        name: Its name in the stack.
        object_id: Its id.
        inputs: Its inputs by wire name.
    """

    kind: str
    name: str
    object_id: str
    inputs: Mapping[str, Any]


def program(objects: Iterable[Declared]) -> str:
    """Return a program that declares `objects`; one that names another's id refers to it."""
    order = list(RESOURCES)
    steps: list[Step] = []
    known: dict[str, str] = {}
    for each in sorted(objects, key=lambda each: order.index(each.kind)):
        variable = _variable(each, {step.variable for step in steps})
        properties = {
            name: Ref(f"{known[value]}.id") if name.endswith("Id") and value in known else value
            for name, value in whole_numbers(each.inputs).items()
        }
        steps.append(Step(variable, each.kind, properties, each.name))
        known[each.object_id] = variable
    return python_program(Example("", steps), build_schema())


def _variable(declared: Declared, taken: Collection[str]) -> str:
    """Return a variable's name after the resource's own that is free."""
    base = re.sub(r"[^a-z0-9]+", "_", declared.name.lower()).strip("_")
    if not base or base[0].isdigit() or keyword.iskeyword(base) or base in ("pulumi", "clouddb"):
        base = f"{RESOURCES[declared.kind].type.snake_name}_{base}".rstrip("_")
    name, number = base, 2
    while name in taken:
        name, number = f"{base}_{number}", number + 1
    return name
