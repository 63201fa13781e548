"""schema.json: the models in the format of Pulumi's generators and engine."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from enum import Enum
from importlib.metadata import metadata
from typing import Any

from pydantic.alias_generators import to_snake

from pulumi_clouddb.registry import FUNCTIONS, OPERATIONS, RESOURCES
from pulumi_clouddb.schema.annotations import class_in
from pulumi_clouddb.schema.base import Model, extras_of, wire_name
from pulumi_clouddb.schema.choice import OpenChoice
from pulumi_clouddb.schema.config import ProviderConfig, environment_name
from pulumi_clouddb.schema.resource_type import FunctionType, ResourceType

from .descriptions import DescribedSchema
from .example_check import checked_programs
from .example_text import example_section, import_section
from .names import Json

Note = Callable[[type[Model], str], str]
"""(model, attribute) → the sentence about the API field of a property."""

_PATH_PARAMETERS = {name for operation in OPERATIONS.values() for name in re.findall(r"{(\w+)}", operation.path)}

_LANGUAGES: Json = {
    # This package already has the import name pulumi_clouddb.
    "python": {
        "packageName": "pulumi_clouddb_native",
        "requires": {"pulumi": ">=3.272,<4"},
        "respectSchemaVersion": True,
    },
    "nodejs": {"packageName": "@clouddb/pulumi", "respectSchemaVersion": True},
    "go": {"respectSchemaVersion": True},
    "csharp": {"namespaces": {"clouddb": "CloudDb"}, "respectSchemaVersion": True},
    "java": {"basePackage": "com.clouddb", "packages": {"clouddb": "pulumi"}},  # not com.clouddb.clouddb
}


def build_schema() -> Json:
    """Return the schema of the whole package; the same models give the same schema, key by key."""
    package = metadata("pulumi-clouddb")
    types = _Types()
    configuration = types.properties(ProviderConfig, _no_note)
    for name, spec in configuration.items():
        if spec["type"] == "object":
            continue  # generators would use the variable's text as the object; the provider reads the variable itself
        spec["defaultInfo"] = {"environment": [environment_name(name)]}
    resources = [handler.type for handler in RESOURCES.values()]
    functions = [function.type for function in FUNCTIONS.values()]
    schema: Json = {
        "name": "clouddb",
        "displayName": "CloudDB",
        "version": package["Version"],
        "description": package["Summary"],
        "keywords": [
            "pulumi",
            "clouddb",
            "clickhouse",
            "clickstack",
            "database",
            "observability",
            "category/database",
            "kind/native",
        ],
        "license": package["License-Expression"],
        "publisher": "pulumi-clouddb",
        "language": _LANGUAGES,
        "config": {"variables": configuration},
        "provider": {"description": ProviderConfig.__doc__, "inputProperties": configuration},
        "resources": {resource.token: _resource(resource, types) for resource in resources},
        "functions": {function.token: _function(function, types) for function in functions},
    }
    schema["types"] = dict(sorted(types.types.items()))
    for section in ("resources", "functions"):
        for token, spec in schema[section].items():
            spec["description"] += example_section(checked_programs(token.rpartition(":")[2], schema), schema)
    for resource in resources:
        schema["resources"][resource.token]["description"] += import_section(resource)
    return schema


class _Types:
    """Converts pydantic's JSON schemas to Pulumi's, and collects nested types."""

    def __init__(self) -> None:
        self.types: Json = {}

    def properties(self, model: type[Model], note: Note) -> Json:
        """Return the property specs of `model` by wire name; `note` describes the API field of each."""
        document = model.model_json_schema(mode="serialization", schema_generator=DescribedSchema)
        definitions = document.get("$defs", {})
        for name, definition in definitions.items():
            self.types.setdefault(f"clouddb:index:{name}", self._nested(definition, definitions))
        for spec in document["properties"].values():
            self._listed(spec)
        attributes = {wire_name(model, attribute): attribute for attribute in model.model_fields}
        specs = {}
        for name, attribute in attributes.items():
            spec = _property(document["properties"][name], definitions, note(model, attribute))
            advice = model.model_fields[attribute].deprecated
            specs[name] = {**spec, "deprecationMessage": str(advice)} if advice else spec
        return specs

    def _listed(self, spec: Json) -> None:
        """Collect the enum of a text property whose values differ by dialect."""
        if name := spec.get("clouddb", {}).get("listed"):
            self.types.setdefault(f"clouddb:index:{name}", _enum(name))

    def _nested(self, definition: Json, definitions: Json) -> Json:
        if "enum" in definition:
            return _enum(definition["title"])
        for spec in definition["properties"].values():
            self._listed(spec)
        return {
            "type": "object",
            "description": _description(definition, definitions),
            "properties": {
                name: _property(spec, definitions, _wire_note(name, spec.get("clouddb", {})))
                for name, spec in definition["properties"].items()
            },
            "required": definition.get("required", []),
        }


def _property(spec: Json, definitions: Json, note: str) -> Json:
    """Return the Pulumi spec of one property of a JSON schema."""
    extras = spec.get("clouddb", {})
    type_ = _hint(extras["listed"]) if "listed" in extras else _type(spec, definitions)
    result = {**type_, "description": f"{_description(spec, definitions)} {note}".strip()}
    if spec.get("default") is not None:
        result["default"] = spec["default"]
    if extras.get("secret"):
        result["secret"] = True
    if extras.get("replaces"):
        # Not replaceOnChanges: with it, the engine would replace resources even if the provider's diff refuses to.
        result["willReplaceOnChanges"] = True
    return result


def _description(spec: Json, definitions: Json) -> str:
    """Return the description of a property or type; pydantic omits that of a property if its type has the same.

    Raises:
        LookupError: There is none.
    """
    type_ = definitions.get(spec.get("$ref", "").rpartition("/")[2], {})
    words: str | None = spec.get("description", type_.get("description"))
    if words is None:
        raise LookupError(f"{spec.get('title') or spec} has no description: a field needs words, a class a docstring")
    return words


def _type(spec: Json, definitions: Json) -> Json:
    """Return the type without null, because Pulumi's properties are optional unless required."""
    if "anyOf" in spec:
        (choice,) = (each for each in spec["anyOf"] if each.get("type") != "null")
        return _type(choice, definitions)
    if "$ref" in spec:
        name = spec["$ref"].rpartition("/")[2]
        return _hint(name) if "enum" in definitions[name] else {"$ref": f"#/types/clouddb:index:{name}"}
    if spec.get("type") == "array":
        return {"type": "array", "items": _type(spec["items"], definitions)}
    if spec.get("type") == "object":
        values = spec.get("additionalProperties", True)
        return {"type": "object", "additionalProperties": _type({} if values is True else values, definitions)}
    return {"type": spec["type"]} if "type" in spec else {"$ref": "pulumi.json#/Any"}


def _hint(name: str) -> Json:
    """Return the type of a text with an enum that also accepts other values: those of outputs, and of newer servers."""
    return {"type": "string", "oneOf": [{"type": "string"}, {"$ref": f"#/types/clouddb:index:{name}"}]}


def _enum(name: str) -> Json:
    """Return an enum with the values of both dialects.

    The names have no underscores: Go would write `Region_EuCentral_1` beside `RegionEuropeWest4` (makeSafeEnumName in
    pkg/codegen/go/utilities.go of Pulumi).
    """
    enums = [_ENUMS[name], *_WIDER_ENUMS.get(name, ())]
    members = {member.value: member.name for enum in enums for member in enum}
    return {
        "type": "string",
        "description": inspect.cleandoc(enums[0].__doc__ or ""),
        "enum": [{"name": _camel(attribute), "value": value} for value, attribute in members.items()],
    }


def is_open(name: str) -> bool:
    """Return whether the vendor may add values to the list of an enum."""
    return issubclass(_ENUMS[name], OpenChoice)


def _enums_of(base: type[Enum]) -> Iterator[type[Enum]]:
    for enum in base.__subclasses__():
        yield enum
        yield from _enums_of(enum)


def _camel(attribute: str) -> str:
    """Return the name of an enum value: `EU_CENTRAL_1` → `EuCentral1`."""
    return "".join(part.capitalize() for part in attribute.split("_"))


_TYPES = [resource.type for resource in RESOURCES.values()]
_ROOMS = {"pulumi_clouddb.schema", *(kind.inputs.__module__.rpartition(".")[0] for kind in _TYPES)}
_ENUMS = {each.__name__: each for each in _enums_of(Enum) if each.__module__.rpartition(".")[0] in _ROOMS}


_WIDER = [(kind.inputs, kind.wider) for kind in _TYPES if kind.wider]
_WIDER_ENUMS = {
    narrow.__name__: [enum]
    for model, wider in _WIDER
    for attribute, info in wider.model_fields.items()
    if (enum := class_in(info.annotation, Enum))
    and (narrow := class_in(model.model_fields[attribute].annotation, Enum))
    if enum is not narrow
}
"""The enums of the clickhouse dialect, by the names of the neutral ones."""


def _resource(resource: ResourceType, types: _Types) -> Json:
    def note(model: type[Model], attribute: str) -> str:
        if attribute in resource.inputs.model_fields:
            return _input_note(resource.inputs, attribute)
        kept = attribute in resource.own.model_fields and not extras_of(model, attribute).get("api")
        return "Kept in state by this provider." if kept else _field_note(model, attribute)

    inputs = types.properties(resource.inputs, _input_note)
    outputs = types.properties(resource.state, note)
    outputs.pop("id", None)
    for output in outputs.values():
        output.pop("default", None)
    spec: Json = {
        "description": resource.description,
        "properties": outputs,
        "required": [name for name in outputs if name in resource.required_outputs],
        "inputProperties": inputs,
        "requiredInputs": _required(resource.inputs),
        "aliases": [{"type": resource.dynamic_token}],
    }
    if resource.state_inputs:
        spec["stateInputs"] = {"type": "object", "properties": {name: inputs[name] for name in resource.state_inputs}}
    return spec


def _function(function: FunctionType[Any], types: _Types) -> Json:
    name = to_snake(function.name)
    called = function.operation or name
    operations = [OPERATIONS[key] for key in (called, f"self_hosted_{called}") if key in OPERATIONS]
    calls = "; ".join(
        f"`{each.method} {each.path}`" + ("" if each.documented else " (inferred)") for each in operations
    )
    answer = "API field: `result`" + (", self-hosted `data`." if len(operations) > 1 else ".")
    api = f" API: {calls}." if calls else ""
    sent = _sent_note if any(each.writes for each in operations) else _argument_note if operations else _computed_note
    returned: Note = (lambda *_: answer) if name.startswith("list_") else _field_note
    return {
        "description": f"{function.description}{api}",
        "inputs": {
            "type": "object",
            "properties": types.properties(function.inputs, sent),
            "required": _required(function.inputs),
        },
        "outputs": {
            "type": "object",
            "properties": types.properties(function.result, returned),
            "required": _required(function.result),
        },
    }


def _required(model: type[Model]) -> list[str]:
    return [wire_name(model, attribute) for attribute, info in model.model_fields.items() if info.is_required()]


def _declared_here(model: type[Model], attribute: str) -> bool:
    bases = (base for base in model.__mro__[1:] if issubclass(base, Model))
    return not any(attribute in base.model_fields for base in bases)


def _input_note(model: type[Model], attribute: str) -> str:
    name = wire_name(model, attribute)
    of_thing = model in {resource.inputs for resource in _TYPES if resource.thing}
    steers = extras_of(model, attribute).get("provider_only") or (not of_thing and _declared_here(model, attribute))
    return (_path_note(name) if steers else "") or _field_note(model, attribute)


def _argument_note(model: type[Model], attribute: str) -> str:
    name, query = wire_name(model, attribute), extras_of(model, attribute).get("api")
    return f"API query: `{query}`." if query else _path_note(name) or "Not sent; applied to the response."


def _computed_note(model: type[Model], attribute: str) -> str:
    return _path_note(wire_name(model, attribute)) or "Not sent."


def _sent_note(model: type[Model], attribute: str) -> str:
    return _path_note(wire_name(model, attribute)) or _field_note(model, attribute)


def _path_note(name: str) -> str:
    """Return the note for a parameter of a path; empty for any other property."""
    return f"API path: `{{{name}}}`." if name in _PATH_PARAMETERS else ""


def _field_note(model: type[Model], attribute: str) -> str:
    return _wire_note(wire_name(model, attribute), extras_of(model, attribute))


def _wire_note(name: str, extras: Json) -> str:
    return "Not sent." if extras.get("provider_only") else f"API field: `{extras.get('api', name)}`."


def _no_note(*_: object) -> str:
    return ""
