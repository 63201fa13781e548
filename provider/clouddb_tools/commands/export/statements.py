"""The statements of a program, independent of its language."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class Member:
    """A resource of a loop: `Member("shops", "eu")` is `shops["eu"]`.

    Attributes:
        group: The variable of all resources of the loop.
        key: Its key; None for that of the loop around it.
    """

    group: str
    key: str | None


@dataclass(frozen=True)
class Ref:
    """An output of another statement: `Ref("dashboard.tileIds", "errors")`.

    Attributes:
        path: Variable and property.
        key: Key in a map with the user's keys.
        member: The resource as one of a loop, in languages with loops.
    """

    path: str
    key: str | None = None
    member: Member | None = None


@dataclass(frozen=True)
class Joined:
    """A text with outputs of other statements in it, such as `instance/ID`.

    Attributes:
        parts: The texts and the outputs, in order.
    """

    parts: tuple[str | Ref, ...]


@dataclass(frozen=True)
class Setting:
    """A secret that the program reads from the configuration of its stack.

    Attributes:
        key: Its key in the configuration.
    """

    key: str


class Noted(Json):
    """An object of a program with comments above it.

    Attributes:
        notes: The comments; YAML has none within a resource.
    """

    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Step:
    """One statement: a resource (its type begins with a capital) or a function call.

    Attributes:
        variable: The variable, in camelCase or snake_case.
        kind: Name of the resource or function.
        properties: Its inputs by wire name; keys of the user's maps stay unchanged.
        name: The resource name, by default that of the variable.
        notes: Comments above the statement.
        protect: Whether Pulumi protects the resource from deletion.
        member: The resource as one of a loop, in languages with loops.
    """

    variable: str
    kind: str
    properties: Mapping[str, Any] = field(default_factory=dict)
    name: str = ""
    notes: tuple[str, ...] = ()
    protect: bool = False
    member: Member | None = None

    @property
    def declared(self) -> str:
        """The variable that it declares: that of all resources of its loop."""
        return self.member.group if self.member else self.variable

    @property
    def is_resource(self) -> bool:
        """Whether it declares a resource."""
        return self.kind[0].isupper()


def specs_of(step: Step, schema: Json) -> Json:
    """Return the schema of the properties of a statement."""
    token = f"clouddb:index:{step.kind}"
    if step.is_resource:
        found: Json = schema["resources"][token]["inputProperties"]
    else:
        found = schema["functions"][token]["inputs"]["properties"]
    return found


def settings_of(steps: list[Step]) -> list[str]:
    """Return the keys of all settings in statements, in order."""
    return [each.key for step in steps for each in values_in(step.properties) if isinstance(each, Setting)]


def variables_in(value: Any) -> Iterator[str]:
    """Yield the variables that a value refers to."""
    return (variable_of(each) for each in values_in(value) if isinstance(each, Ref))


def variable_of(ref: Ref) -> str:
    """Return the variable of a reference: for a resource of a loop, that of all of them."""
    return ref.member.group if ref.member else ref.path.partition(".")[0]


def has_texts(steps: Iterable[Step]) -> bool:
    """Return whether statements have texts with outputs in them."""
    return any(isinstance(each, Joined) for step in steps for each in values_in(step.properties))


def values_in(value: Any) -> Iterator[Any]:
    """Yield a value and all values within."""
    yield value
    if isinstance(value, Mapping):
        value = value.values()
    elif isinstance(value, Joined):
        value = value.parts
    elif not isinstance(value, list):
        return
    for item in value:
        yield from values_in(item)


def items_of(spec: Json) -> Json:
    """Return the schema of the elements of a list."""
    items: Json = spec.get("items", {})
    return items
