"""What a program says, before it is written in a language."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]


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
        variable: What it is assigned to, in camelCase or snake_case.
        kind: Name of the resource or function.
        properties: Its inputs, by wire name; each key of a user's own map is kept as it is.
        name: The resource's name in its stack, by default that of the variable.
        notes: What a reader should know of it, a comment each.
        protect: Whether Pulumi refuses to delete the resource.
    """

    variable: str
    kind: str
    properties: Mapping[str, Any] = field(default_factory=dict)
    name: str = ""
    notes: tuple[str, ...] = ()
    protect: bool = False

    @property
    def is_resource(self) -> bool:
        """Whether it declares a resource."""
        return self.kind[0].isupper()


def settings_of(steps: list[Step]) -> list[str]:
    """Return the keys of all settings that statements take, in their order."""
    return [each.key for step in steps for each in _settings_in(step.properties)]


def _settings_in(value: Any) -> Iterator[Setting]:
    if isinstance(value, Setting):
        yield value
    for item in value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ():
        yield from _settings_in(item)


def items_of(spec: Json) -> Json:
    """Return what the elements of a list are, by the schema of its property."""
    for choice in (spec, *spec.get("oneOf", ())):
        if "items" in choice:
            found: Json = choice["items"]
            return found
    return {}
