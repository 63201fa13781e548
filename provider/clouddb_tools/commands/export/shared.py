"""Lists and objects that several statements have: the program says each once."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic.alias_generators import to_snake

from pulumi_clouddb.schema.public_names import python_name

from .loops import Loop, units
from .names import RESERVED, camel
from .statements import Joined, Json, Ref, Setting, Step, values_in, variables_in

REPEATED = 3
"""Statements from which an equal value is said once,"""
SHORT = 30
"""if it has so many characters;"""
LONG = 500
"""two statements suffice if it has so many, about ten lines."""

Specs = Callable[[Step], Json]
"""Returns the schema of the properties of a statement."""


@dataclass(frozen=True)
class Value:
    """A hashable value of a property.

    Attributes:
        name: The property.
        spec: Its schema.
        text: The value.
    """

    name: str
    spec: str
    text: str


@dataclass(frozen=True)
class Constant:
    """The variable of a value that several statements have.

    Attributes:
        variable: The variable, in snake_case.
        is_literal: Whether the value refers to nothing.
    """

    variable: str
    is_literal: bool


class Shared:
    """The values that several statements have."""

    def __init__(self, steps: Sequence[Step], specs: Specs) -> None:
        """Find the values.

        Args:
            steps: The statements.
            specs: Returns the schema of the properties of a statement.
        """
        self._specs = specs
        users: dict[Value, list[Step]] = {}
        values: dict[Value, Any] = {}
        for unit in units(steps):
            # A loop says the values of its body once.
            said = {
                self._key(step, name, value): (step, value)
                for step in (unit.steps if isinstance(unit, Loop) else [unit])
                for name, value in step.properties.items()
                if isinstance(value, (list, Mapping))
            }
            for key, (step, value) in said.items():
                users.setdefault(key, []).append(step)
                values[key] = value
        found = [key for key, several in users.items() if _is_shared(key, several)]
        # A module also imports the variables that it refers to.
        taken = {*RESERVED} | {
            to_snake(name) for step in steps for name in (step.variable, step.declared, *variables_in(step.properties))
        }
        self._assigned: set[Constant] = set()
        self._constants: dict[Value, Constant] = {}
        for key in found:
            wish = python_name(key.name)
            if len(users[key]) < REPEATED:
                wish = f"{to_snake(users[key][0].variable)}_{wish}"
            variable = next(each for each in _numbered(wish) if {each, camel(each)}.isdisjoint(taken))
            taken.add(variable)
            self._constants[key] = Constant(variable, _is_literal(values[key]))

    def constant(self, step: Step, name: str, value: Any) -> Constant | None:
        """Return the constant for the value of a property, if it has one."""
        return self._constants.get(self._key(step, name, value)) if isinstance(value, (list, Mapping)) else None

    def new(self, steps: Sequence[Step]) -> Iterator[tuple[Constant, Step, str, Any]]:
        """Yield the constants that statements are the first to use, with a statement, its property and the value."""
        for step in steps:
            for name, value in step.properties.items():
                constant = self.constant(step, name, value)
                if constant and constant not in self._assigned:
                    self._assigned.add(constant)
                    yield constant, step, name, value

    def _key(self, step: Step, name: str, value: Any) -> Value:
        return Value(name, repr(self._specs(step).get(name)), repr(value))


def _is_shared(key: Value, steps: Sequence[Step]) -> bool:
    least = SHORT if len(steps) >= REPEATED else LONG if len(steps) > 1 else None
    return least is not None and len(key.text) >= least


def _is_literal(value: Any) -> bool:
    return not any(isinstance(each, (Ref, Joined, Setting)) for each in values_in(value))


def _numbered(wish: str) -> Iterator[str]:
    yield wish
    yield from (f"{wish}_{number}" for number in itertools.count(2))
