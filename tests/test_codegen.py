"""The generator: schema.json says all that the models say, and every generated file is in step with them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from pulumi_clouddb.codegen import __main__ as codegen
from pulumi_clouddb.codegen.examples import EXAMPLES
from pulumi_clouddb.codegen.names import base_name, examples_of, prose, snake_case
from pulumi_clouddb.codegen.schema import build_schema
from pulumi_clouddb.models.base import Model, marks_of, wire_name
from pulumi_clouddb.models.config import ProviderConfig
from pulumi_clouddb.models.resource_type import FunctionType, ResourceType
from pulumi_clouddb.resources.registry import FUNCTIONS, RESOURCES

SCHEMA = build_schema()
RESOURCE_TYPES = [handler.type for handler in RESOURCES.values()]
FUNCTION_TYPES = [function.type for function in FUNCTIONS.values()]

TYPE = {
    "oneOf": [
        {
            "properties": {"type": {"enum": ["boolean", "integer", "number", "string"]}},
            "required": ["type"],
            "not": {"anyOf": [{"required": [other]} for other in ("$ref", "items", "additionalProperties", "oneOf")]},
        },
        {"properties": {"type": {"const": "array"}, "items": {"$ref": "#/$defs/type"}}, "required": ["type", "items"]},
        {
            "properties": {"type": {"const": "object"}, "additionalProperties": {"$ref": "#/$defs/type"}},
            "required": ["type", "additionalProperties"],
        },
        {"properties": {"$ref": {"pattern": "^(#/types/clouddb:index:|pulumi.json#/Any)"}}, "required": ["$ref"]},
        {"properties": {"oneOf": {"items": {"$ref": "#/$defs/type"}, "minItems": 2}}, "required": ["oneOf"]},
    ]
}
PROPERTY_KEYS = {
    "type": {},
    "items": {},
    "additionalProperties": {},
    "$ref": {},
    "oneOf": {},
    "description": {"type": "string", "pattern": "^[A-Z`].*[.]$"},
    "default": {"type": ["boolean", "number", "string"]},
    "defaultInfo": {"required": ["environment"]},
    "deprecationMessage": {"type": "string"},
    "secret": {"const": True},
    "willReplaceOnChanges": {"const": True},
}
PROPERTIES = {"type": "object", "additionalProperties": {"$ref": "#/$defs/property"}}
NAMES = {"type": "array", "items": {"type": "string"}, "uniqueItems": True}
OBJECT = {
    "type": "object",
    "properties": {"type": {"const": "object"}, "description": {}, "properties": PROPERTIES, "required": NAMES},
    "required": ["type", "properties"],
    "additionalProperties": False,
}
ENUM = {
    "type": "object",
    "properties": {"type": {"const": "string"}, "enum": {"items": {"required": ["name", "value"]}, "minItems": 1}},
    "required": ["type", "enum", "description"],
}
SHAPE: dict[str, Any] = {
    "$defs": {
        "type": TYPE,
        "property": {"allOf": [{"$ref": "#/$defs/type"}], "properties": PROPERTY_KEYS, "additionalProperties": False},
    },
    "type": "object",
    "required": ["name", "version", "displayName", "description", "license", "language"],
    "properties": {
        "name": {"const": "clouddb"},
        "version": {"pattern": r"^\d+\.\d+\.\d+$"},
        "config": {"properties": {"variables": PROPERTIES}, "required": ["variables"]},
        "provider": {"properties": {"inputProperties": PROPERTIES}, "required": ["inputProperties"]},
        "types": {"additionalProperties": {"oneOf": [OBJECT, ENUM]}, "propertyNames": {"pattern": "^clouddb:index:"}},
        "resources": {
            "propertyNames": {"pattern": "^clouddb:index:[A-Z]"},
            "additionalProperties": {
                "properties": {
                    "description": {"type": "string"},
                    "properties": PROPERTIES,
                    "required": NAMES,
                    "inputProperties": PROPERTIES,
                    "requiredInputs": NAMES,
                    "stateInputs": OBJECT,
                    "aliases": {"items": {"required": ["type"]}},
                },
                "required": ["description", "properties", "inputProperties", "requiredInputs", "aliases"],
                "additionalProperties": False,
            },
        },
        "functions": {
            "propertyNames": {"pattern": "^clouddb:index:[a-z]"},
            "additionalProperties": {
                "properties": {"description": {"type": "string"}, "inputs": OBJECT, "outputs": OBJECT},
                "required": ["description", "inputs", "outputs"],
                "additionalProperties": False,
            },
        },
    },
}
"""What Pulumi's metaschema asks for, as far as this package goes, and what the house rules add."""


def walk(value: Any) -> Iterator[dict[str, Any]]:
    """Yield every object of a JSON document."""
    if isinstance(value, dict):
        yield value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from walk(item)


def tokens() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield name and spec of every resource and function."""
    for section in ("resources", "functions"):
        for token, spec in SCHEMA[section].items():
            yield base_name(token), spec


def models() -> Iterator[tuple[type[Model], dict[str, Any]]]:
    """Yield every top-level model with the properties that stand for it."""
    yield ProviderConfig, SCHEMA["config"]["variables"]
    for resource in RESOURCE_TYPES:
        spec = SCHEMA["resources"][resource.token]
        yield resource.inputs, spec["inputProperties"]
        yield resource.state, spec["properties"]
    for function in FUNCTION_TYPES:
        spec = SCHEMA["functions"][function.token]
        yield function.inputs, spec["inputs"]["properties"]
        yield function.result, spec["outputs"]["properties"]


def test_everything_generated_is_in_step_with_the_models() -> None:
    """Compare schema.json, classes and pages with what the generator writes today."""
    assert codegen.stale_files(codegen.ROOT) == []
    assert codegen.main(["--check"]) == 0


def test_stale_files_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit with 1 where one file is old and the others are missing; writing mends both."""
    monkeypatch.setattr(codegen, "ROOT", tmp_path)
    (tmp_path / "schema.json").write_text("{}")
    assert codegen.main(["--check"]) == 1
    errors = capsys.readouterr().err
    assert "stale: schema.json; run python -m pulumi_clouddb.codegen" in errors
    assert "stale: provider/pulumi_clouddb/sdk/service.py" in errors
    assert codegen.main([]) == 0
    assert codegen.main(["--check"]) == 0


def test_no_file_of_an_old_resource_is_left() -> None:
    """Every class and page in the repository is one that is written today, or written by hand and says so."""
    wanted = set(codegen.generated_files())
    for path in [*codegen.ROOT.glob("provider/pulumi_clouddb/sdk/*.py"), *codegen.ROOT.glob("docs/reference/*")]:
        if path.relative_to(codegen.ROOT).as_posix() not in wanted:
            assert path.read_text().startswith("# Written by hand"), path


def test_two_runs_write_the_same() -> None:
    """Build everything twice."""
    assert codegen.generated_files() == codegen.generated_files()


def test_the_schema_has_the_shape_that_pulumi_asks_for() -> None:
    """Validate the essentials of Pulumi's metaschema."""
    errors = [f"{error.json_path}: {error.message[:200]}" for error in Draft202012Validator(SHAPE).iter_errors(SCHEMA)]
    assert errors == []


def test_every_reference_resolves() -> None:
    """Look each $ref up, and miss no type that nothing refers to."""
    references = {spec["$ref"] for spec in walk(SCHEMA) if isinstance(spec.get("$ref"), str)}
    assert references - {"pulumi.json#/Any"} == {f"#/types/{token}" for token in SCHEMA["types"]}


def test_every_field_of_the_models_is_there() -> None:
    """Compare names, both ways; only the id of a resource is left to Pulumi."""
    for model, properties in models():
        names = {wire_name(model, attribute) for attribute in model.model_fields}
        assert set(properties) == names - ({"id"} if model.__name__.endswith("State") else set()), model


def test_secrets_replacements_and_deprecations_are_marked() -> None:
    """Compare the marks of each property with the model's."""
    for model, properties in models():
        for attribute, info in model.model_fields.items():
            spec = properties.get(wire_name(model, attribute))
            if spec is None:
                continue
            marks = marks_of(model, attribute)
            assert spec.get("secret", False) == marks.get("secret", False)
            assert spec.get("willReplaceOnChanges", False) == marks.get("replaces", False)
            assert spec.get("deprecationMessage") == info.deprecated
            assert "replaceOnChanges" not in spec


def test_secrets_lie_at_the_top_of_resources() -> None:
    """A secret within a list or object would make all of it secret."""
    nested = {token for token, spec in SCHEMA["types"].items() if any(each.get("secret") for each in walk(spec))}
    for spec in SCHEMA["resources"].values():
        assert not {base for base in nested if f"#/types/{base}" in json.dumps(spec)}


def limits(model: type[Model]) -> Iterator[tuple[str, float, str]]:
    """Yield (property, limit, description) for each limit that a model states as a number."""
    for attribute, info in model.model_fields.items():
        for rule in info.metadata:
            for name in ("ge", "le", "gt", "lt", "multiple_of", "min_length", "max_length"):
                limit = getattr(rule, name, None)
                if limit is not None:
                    yield f"{model.__name__}.{attribute}", limit, info.description or ""


def test_every_limit_is_said_in_words() -> None:
    """Find the number of each limit in the description, so that nothing has to be said twice."""
    for model, _ in models():
        for where, limit, text in limits(model):
            said = re.findall(r"\d+(?:\.\d+)?", text.replace("one", "1"))
            positive = limit == 0 and "Seconds" in text
            assert f"{limit:g}" in said or positive, f"{where}: {limit:g} is not in {text!r}"


@pytest.mark.parametrize("resource", RESOURCE_TYPES, ids=lambda resource: resource.name)
def test_each_resource(resource: ResourceType) -> None:
    """Check what is particular to a resource: alias, required names, how to find one, both types of a name."""
    spec = SCHEMA["resources"][resource.token]
    assert spec["aliases"] == [{"type": f"pulumi-python:dynamic/clouddb:{resource.name}"}]
    assert set(spec["required"]) == set(resource.always)
    assert set(spec["requiredInputs"]) <= set(spec["inputProperties"])
    assert tuple(spec.get("stateInputs", {}).get("properties", {})) == resource.lookup


def test_a_name_may_have_two_types() -> None:
    """Endpoints go in as settings and come out as addresses."""
    service = SCHEMA["resources"]["clouddb:index:Service"]
    assert service["inputProperties"]["endpoints"]["items"]["$ref"].endswith(":EndpointSetting")
    assert service["properties"]["endpoints"]["items"]["$ref"].endswith(":ServiceEndpoint")


def test_words_of_other_vocabularies_are_taken() -> None:
    """An enum is a hint: any string is accepted beside it."""
    region = SCHEMA["resources"]["clouddb:index:Service"]["inputProperties"]["region"]
    assert region["oneOf"] == [{"type": "string"}, {"$ref": "#/types/clouddb:index:Region"}]
    names = [each["name"] for each in SCHEMA["types"]["clouddb:index:Region"]["enum"]]
    assert {"UsEast1", "UsEast_1"} <= set(names)
    assert len(set(names)) == len(names)


def test_every_property_says_what_it_stands_for() -> None:
    """End each description with the part of the API, or that there is none."""
    end = re.compile(r"(API (field|path): `.+|Not sent.*|Kept in state by this provider)\.$")
    specs = [spec for section in ("resources", "functions", "types") for spec in walk(SCHEMA[section])]
    properties = [each for spec in specs for each in spec.get("properties", {}).values() if "description" in each]
    assert len(properties) > 150
    assert [each["description"] for each in properties if not end.search(each["description"])] == []


def test_every_configuration_key_has_its_environment_variable() -> None:
    """The provider's own inputs are the configuration keys, one by one."""
    variables = SCHEMA["config"]["variables"]
    assert SCHEMA["provider"]["inputProperties"] == variables
    assert variables["keyId"]["defaultInfo"] == {"environment": ["CLOUDDB_KEY_ID"]}
    assert {name for name, spec in variables.items() if spec.get("secret")} == {"keySecret", "stackToken"}


@pytest.mark.parametrize(("name", "spec"), list(tokens()), ids=lambda value: value if isinstance(value, str) else "")
def test_description_and_examples(name: str, spec: dict[str, Any]) -> None:
    """Every resource and function is described, and shown in three languages."""
    assert prose(spec).endswith(".")
    titles = [example.title for example in EXAMPLES[name]]
    python = name if name[0].isupper() else snake_case(name)
    wanted = {"python": f"clouddb.{python}", "typescript": f"clouddb.{name}", "yaml": f"clouddb:{name}"}
    for language, call in wanted.items():
        programs = examples_of(spec, language)
        assert [title for title, _ in programs] == titles
        assert any(call in program for _, program in programs)


def test_examples_are_for_what_exists() -> None:
    """No example outlives its resource."""
    assert set(EXAMPLES) == {name for name, _ in tokens()}


@pytest.mark.parametrize(("name", "spec"), list(tokens()), ids=lambda value: value if isinstance(value, str) else "")
def test_yaml_examples_give_inputs_that_pass_check(name: str, spec: dict[str, Any]) -> None:
    """Let each resource of an example through the model that check uses."""
    for _, program in examples_of(spec, "yaml"):
        for resource in yaml.safe_load(program).get("resources", {}).values():
            model = RESOURCES[resource["type"].rpartition(":")[2]].type.inputs
            model.model_validate(resource["properties"])
            assert name


def test_a_page_for_each_resource() -> None:
    """Each property is on the page of its resource, each function on theirs, each key on the configuration's."""
    pages = codegen.generated_files()
    for resource in RESOURCE_TYPES:
        page = pages[f"docs/reference/{resource.snake_name}.md"]
        spec = SCHEMA["resources"][resource.token]
        names = {*spec["inputProperties"], *resource.output_only} - {"id"}
        assert {name for name in names if f"| `{name}`" not in page} == set()
        anchors = {heading.lower() for heading in re.findall(r"^#+ (\w+)$", page, re.MULTILINE)}
        assert set(re.findall(r"\]\(#(\w+)\)", page)) <= anchors
    assert all(f"## {function.name}\n" in pages["docs/reference/functions.md"] for function in FUNCTION_TYPES)
    keys = pages["docs/reference/configuration.md"]
    assert all(f"`clouddb:{name}`" in keys for name in SCHEMA["config"]["variables"])


def test_functions_name_their_operations() -> None:
    """Say which request a function makes, and whether the interface documents it."""
    texts = {function.name: SCHEMA["functions"][function.token]["description"] for function in FUNCTION_TYPES}
    assert "`GET /v1/organizations/{organizationId}/services/{serviceId}/pipes/{pipeId}`." in texts["getPipe"]
    assert "(inferred)" not in prose({"description": texts["getPipe"]})
    assert "(inferred)" in texts["getService"]
    assert all(isinstance(function, FunctionType) for function in FUNCTION_TYPES)
