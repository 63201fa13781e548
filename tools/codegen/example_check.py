"""Mistakes in the examples, reported by file and example before a writer of a language meets them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from clouddb_tools.commands.export.statements import Ref, items_of
from pulumi_clouddb.schema.names import did_you_mean

from .examples import module_of, programs_of
from .examples.example import Example
from .names import Json

OF_PULUMI = frozenset({"id", "urn"})
"""Outputs that every resource has."""


def checked_programs(name: str, schema: Json) -> Sequence[Example]:
    """Return the examples of a resource or function.

    Raises:
        LookupError: There are none, or one names what the schema lacks, or lacks what the schema requires.
    """
    examples = programs_of(name)
    for example in examples:
        if mistakes := [*_mistakes(example, schema)]:
            where = f"tools/codegen/examples/{module_of(name)}.py: {name}, {example.title!r}"
            raise LookupError("\n".join(f"{where}: {each}" for each in mistakes))
    return examples


def _mistakes(example: Example, schema: Json) -> Iterator[str]:
    outputs: dict[str, set[str]] = {}
    for step in example.steps:
        token = f"clouddb:index:{step.kind}"
        spec = schema["resources" if step.is_resource else "functions"].get(token)
        if spec is None:
            yield f"there is no {step.kind}; see RESOURCES and FUNCTIONS of the registry"
            continue
        inputs = {"properties": spec["inputProperties"]} if step.is_resource else spec.get("inputs", {"properties": {}})
        yield from _unknown(step.kind, step.properties, inputs["properties"], schema)
        required = spec.get("requiredInputs", ()) if step.is_resource else inputs.get("required", ())
        yield from (f"{step.kind} requires {each}" for each in required if each not in step.properties)
        yield from (each for value in step.properties.values() for each in _unresolved(value, outputs))
        found = spec["properties"] if step.is_resource else spec["outputs"]["properties"]
        outputs[step.variable] = {*found, *(OF_PULUMI if step.is_resource else ())}
    yield from (each for value in example.exports.values() for each in _unresolved(value, outputs))


def _unknown(owner: str, values: Mapping[str, Any], specs: Json, schema: Json) -> Iterator[str]:
    """Yield the properties that an object lacks, its parts included."""
    for name, value in values.items():
        if name not in specs:
            hint = did_you_mean(name, specs)
            yield f"{owner} has no property {name}{hint}; it has {', '.join(specs)}"
            continue
        items = value if isinstance(value, list) else [value]
        spec = items_of(specs[name]) if isinstance(value, list) else specs[name]
        part = schema["types"].get(spec.get("$ref", "").removeprefix("#/types/"), {})
        for each in items:
            if isinstance(each, Mapping) and "properties" in part:
                yield from _unknown(f"{owner}.{name}", each, part["properties"], schema)


def _unresolved(value: Any, outputs: Mapping[str, set[str]]) -> Iterator[str]:
    """Yield the references to variables that no earlier statement sets, and to outputs that it lacks."""
    if isinstance(value, Ref):
        variable, _, path = value.path.partition(".")
        if variable not in outputs:
            yield f"{value.path} refers to no earlier statement; those set {', '.join(outputs) or 'no variable'}"
        elif path not in outputs[variable]:
            hint = did_you_mean(path, outputs[variable])
            yield f"{variable} has no output {path}{hint}; it has {', '.join(sorted(outputs[variable]))}"
    for item in value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ():
        yield from _unresolved(item, outputs)
