"""The resources and outputs that a program of any language declares, and their comparison with schema.json."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from codegen.names import base_name

Json = dict[str, Any]
Path = tuple[str | int, ...]
ANY: Json = {"$ref": "pulumi.json#/Any"}
TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "array": (list,),
    "object": (dict,),
}


@dataclass(frozen=True)
class Setting:
    """A value of the stack's configuration."""

    key: str
    default: Any


@dataclass(frozen=True)
class Reference:
    """A part of a resource, by the resource's variable: `Reference("dashboard", ("tileIds", "errors"))`."""

    variable: str
    path: Path = ()


@dataclass(frozen=True)
class Joined:
    """A text with references in it."""

    parts: tuple[str | Reference, ...]


@dataclass(frozen=True)
class CallResult:
    """A part of a function's result. Results of the same call are equal, whatever their parts."""

    function: str
    arguments: Mapping[str, Any]
    path: Path = field(default=(), compare=False)


@dataclass(frozen=True)
class Typed:
    """An object that the program writes as a class; equal to the same object as a plain map."""

    name: str
    properties: Json

    def __eq__(self, other: object) -> bool:
        return bool(self.properties == (other.properties if isinstance(other, Typed) else other))

    def __hash__(self) -> int:
        return hash(self.name)


@dataclass(frozen=True)
class Resource:
    """One resource that the program declares.

    Attributes:
        variable: Its variable, in TypeScript's spelling.
        kind: Its type, such as `Service`.
        name: Its name in the stack.
        properties: Its inputs by wire name.
        protect: Whether Pulumi refuses to delete it.
    """

    variable: str
    kind: str
    name: str
    properties: Json
    protect: bool = False


@dataclass
class Program:
    """The declarations of a program.

    Attributes:
        resources: Its resources by variable.
        outputs: The stack's outputs by name.
        uses: All other references and function results in it.
        problems: Parts that the reader could not interpret.
    """

    resources: dict[str, Resource] = field(default_factory=dict)
    outputs: Json = field(default_factory=dict)
    uses: list[Reference | CallResult] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    @property
    def settings(self) -> dict[str, Any]:
        """Configuration keys and their defaults."""
        everything = [[each.properties for each in self.resources.values()], self.outputs, self.uses]
        return {each.key: each.default for each in _walk(everything) if isinstance(each, Setting)}


def step(value: Any, *path: str | int) -> Any:
    """Return a part of a reference or of a function result, or None for any other value."""
    if isinstance(value, Reference):
        return Reference(value.variable, (*value.path, *path))
    return CallResult(value.function, value.arguments, (*value.path, *path)) if isinstance(value, CallResult) else None


def mistakes(program: Program, schema: Json) -> list[str]:
    """Return the mistakes of a program, each with its path; empty if schema.json has everything that it uses."""
    checker = _Checker(program, schema)
    found = list(program.problems)
    for each in program.resources.values():
        token = f"clouddb:index:{each.kind}"
        if token not in schema["resources"]:
            found.append(f"{each.variable}: there is no resource {each.kind}")
            continue
        spec = schema["resources"][token]
        found += checker.members(each.properties, spec["inputProperties"], spec["requiredInputs"], each.variable)
    for name, value in program.outputs.items():
        found += checker.value(value, ANY, f"output {name}")
    for use in program.uses:
        found += checker.value(use, ANY, "lookup")
    return list(dict.fromkeys(found))


def _walk(value: Any) -> Iterator[Any]:
    yield value
    if isinstance(value, (Typed, Resource)):
        value = value.properties
    elif isinstance(value, CallResult):
        value = value.arguments
    items = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    for item in items:
        yield from _walk(item)


class _Checker:
    """Compares values with the specs of schema.json."""

    def __init__(self, program: Program, schema: Json) -> None:
        self._program = program
        self._schema = schema

    def members(self, values: Mapping[str, Any], specs: Json, required: list[str], where: str) -> Iterator[str]:
        """Check the properties of a resource, of an object or of a function's arguments."""
        yield from (f"{where}: {name} is missing" for name in required if name not in values)
        for name, value in values.items():
            if name not in specs:
                yield f"{where}: there is no property {name}"
            elif "deprecationMessage" in specs[name]:
                yield f"{where}: {name} is deprecated"
            else:
                yield from self.value(value, specs[name], f"{where}.{name}")

    def value(self, value: Any, spec: Json, where: str) -> Iterator[str]:
        """Check one value against the spec of its property."""
        if value is None:
            yield f"{where}: cannot be read"
        elif isinstance(value, (Reference, CallResult)):
            yield from self._part(value, spec, where)
        elif isinstance(value, Setting):
            yield from self.value(value.default, spec, where)
        elif isinstance(value, Joined):
            for part in value.parts:
                yield from self.value(part, {"type": "string"}, where)
        elif isinstance(value, Typed) and not spec.get("$ref", "").endswith(f":{value.name}"):
            yield f"{where}: {value.name} does not belong here"
        elif isinstance(value, Typed):
            yield from self.value(value.properties, spec, where)
        elif "oneOf" in spec:
            yield from self._word(value, self._named(spec["oneOf"][1]), where)
        elif "#/types/" in spec.get("$ref", ""):
            named = self._named(spec)
            object_ = isinstance(value, dict)
            yield from (
                self.members(value, named["properties"], named["required"], where)
                if object_
                else [f"{where}: {value!r} is not a {base_name(spec['$ref'])}"]
            )
        elif "type" in spec:
            yield from self._plain(value, spec, where)

    def _plain(self, value: Any, spec: Json, where: str) -> Iterator[str]:
        wrong = isinstance(value, bool) and spec["type"] != "boolean"
        if wrong or not isinstance(value, TYPES[spec["type"]]):
            yield f"{where}: {value!r} is not of type {spec['type']}"
        elif isinstance(value, list):
            for index, item in enumerate(value):
                yield from self.value(item, spec["items"], f"{where}[{index}]")
        elif isinstance(value, dict):
            for name, item in value.items():
                yield from self.value(item, spec["additionalProperties"], f"{where}.{name}")

    def _word(self, value: Any, enum: Json, where: str) -> Iterator[str]:
        words = [each["value"] for each in enum["enum"]]
        if value not in words:
            yield f"{where}: {value!r} is none of {', '.join(words)}"

    def _part(self, value: Reference | CallResult, expected: Json, where: str) -> Iterator[str]:
        """Check that a referenced property exists, and has the expected type."""
        if isinstance(value, CallResult):
            function = self._schema["functions"].get(f"clouddb:index:{value.function}")
            if function is None:
                yield f"{where}: there is no function {value.function}"
                return
            inputs = function["inputs"]
            yield from self.members(value.arguments, inputs["properties"], inputs["required"], value.function)
            spec: Json | None = self._follow({"properties": function["outputs"]["properties"]}, value.path)
            name = value.function
        else:
            resource = self._program.resources.get(value.variable)
            known = self._schema["resources"].get(f"clouddb:index:{resource.kind}") if resource else None
            if known is None:
                yield f"{where}: there is no {value.variable}"
                return
            spec = self._follow({"properties": {"id": {"type": "string"}, **known["properties"]}}, value.path)
            name = value.variable
        if spec is None:
            yield f"{where}: {'.'.join([name, *map(str, value.path)])} does not exist"
        elif "type" in spec and expected.get("type", spec["type"]) != spec["type"]:
            yield f"{where}: {'.'.join([name, *map(str, value.path)])} is not of type {expected['type']}"

    def _follow(self, spec: Json, path: Path) -> Json | None:
        for part in path:
            if spec.get("$ref") == ANY["$ref"]:
                return spec
            members = self._named(spec) if "#/types/" in spec.get("$ref", "") else spec
            if isinstance(part, int):
                found = members.get("items")
            else:
                found = members.get("properties", {}).get(part) or members.get("additionalProperties")
            if found is None:
                return None
            spec = found
        return spec

    def _named(self, spec: Json) -> Json:
        named: Json = self._schema["types"][f"clouddb:index:{base_name(spec['$ref'])}"]
        return named
