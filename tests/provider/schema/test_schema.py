"""schema.json: it has the shape that Pulumi asks for, says all that the models say, and its examples are right.

That the models lack nothing is held by test_checks.py, of inputs, and test_description.py, of what servers answer.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator
from pydantic.alias_generators import to_snake

from clouddb_tools.commands.export.python import NATIVE_IMPORT
from codegen.examples import EXAMPLES
from codegen.names import base_name, examples_of, prose
from pulumi_clouddb.registry import FUNCTIONS, RESOURCES
from pulumi_clouddb.schema.base import Model, marks_of, wire_name
from pulumi_clouddb.schema.check import failures_of
from pulumi_clouddb.schema.config import ProviderConfig
from pulumi_clouddb.schema.resource_type import FunctionType, ResourceType
from pulumi_clouddb.schema.values import UNKNOWN
from support.declared import TYPES, Program, mistakes
from support.read_python import read_python
from support.read_typescript import read_typescript
from support.read_yaml import read_yaml
from support.schema import SCHEMA
from support.schema_shape import SHAPE

RESOURCE_TYPES = [handler.type for handler in RESOURCES.values()]
FUNCTION_TYPES = [function.type for function in FUNCTIONS.values()]
READERS: dict[str, Callable[[str], Program]] = {
    "python": read_python,
    "typescript": read_typescript,
    "yaml": read_yaml,
}
RESERVED = {"id", "urn", "pulumi"}
"""Names that Pulumi keeps for itself in a resource."""


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


def property_maps() -> Iterator[tuple[str, dict[str, Any], list[str]]]:
    """Yield every set of properties with its place and the names that are required in it."""
    yield "config", SCHEMA["config"]["variables"], []
    for token, spec in SCHEMA["resources"].items():
        yield f"{token} inputs", spec["inputProperties"], spec["requiredInputs"]
        yield f"{token} outputs", spec["properties"], spec["required"]
        yield f"{token} state inputs", spec.get("stateInputs", {}).get("properties", {}), []
    for token, spec in SCHEMA["functions"].items():
        for side in ("inputs", "outputs"):
            yield f"{token} {side}", spec[side]["properties"], spec[side]["required"]
    for token, spec in SCHEMA["types"].items():
        if "properties" in spec:
            yield token, spec["properties"], spec["required"]


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


@pytest.mark.parametrize("resource", RESOURCE_TYPES, ids=lambda resource: resource.name)
def test_each_resource(resource: ResourceType) -> None:
    """Check what is particular to a resource: alias, required names, how to find one, both types of a name."""
    spec = SCHEMA["resources"][resource.token]
    assert spec["aliases"] == [{"type": f"pulumi-python:dynamic/clouddb:{resource.name}"}]
    assert set(spec["required"]) == set(resource.required_outputs)
    fields = resource.inputs.model_fields.items()
    required = {wire_name(resource.inputs, attribute) for attribute, info in fields if info.is_required()}
    assert set(spec["requiredInputs"]) == required
    assert tuple(spec.get("stateInputs", {}).get("properties", {})) == resource.state_inputs


def test_a_name_may_have_two_types() -> None:
    """Endpoints go in as settings and come out as addresses."""
    service = SCHEMA["resources"]["clouddb:index:Service"]
    assert service["inputProperties"]["endpoints"]["items"]["$ref"].endswith(":EndpointSetting")
    assert service["properties"]["endpoints"]["items"]["$ref"].endswith(":ServiceEndpoint")


def test_words_of_other_vocabularies_are_taken() -> None:
    """An enum is a hint: any string is accepted beside it."""
    region = SCHEMA["resources"]["clouddb:index:Service"]["inputProperties"]["region"]
    assert region["oneOf"] == [{"type": "string"}, {"$ref": "#/types/clouddb:index:Region"}]
    threshold = SCHEMA["resources"]["clouddb:index:Alert"]["inputProperties"]["thresholdType"]
    assert threshold["oneOf"] == [{"type": "string"}, {"$ref": "#/types/clouddb:index:ThresholdType"}]


def test_values_have_names_of_their_own_without_underscores() -> None:
    """Go puts the type before the name, and an underscore between them if the name has one: `Region_EuCentral_1`."""
    enums = {name: spec["enum"] for name, spec in SCHEMA["types"].items() if "enum" in spec}
    names = {name: [each["name"] for each in values] for name, values in enums.items()}
    assert {"EuCentral1", "EuropeWest4", "AwsUsEast1", "GcpUsEast1"} <= set(names["clouddb:index:Region"])
    assert [each for group in names.values() for each in group if not re.fullmatch("[A-Z][A-Za-z0-9]*", each)] == []
    assert [name for name, group in names.items() if len(set(group)) != len(group)] == []
    values = {each["value"]: each["name"] for each in enums["clouddb:index:AlertInterval"]}
    assert values["5m"] == "FiveMinutes"


def test_every_property_says_what_it_stands_for() -> None:
    """End each description with the part of the API, or that there is none."""
    end = re.compile(r"(API (field|path|query): `.+|Not sent.*|Kept in state by this provider)\.$")
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


def test_description_and_examples() -> None:
    """Every resource and function is described, and shown in five languages."""
    for name, spec in tokens():
        assert prose(spec).endswith("."), name
        titles = [example.title for example in EXAMPLES[name]]
        python = name if name[0].isupper() else to_snake(name)
        go = f"clouddb.New{name}(" if name[0].isupper() else f"{name.removeprefix('get')[1:]}Output("
        wanted = {
            "python": f"clouddb.{python}",
            "typescript": f"clouddb.{name}",
            "go": go,
            "java": f"new {name}(" if name[0].isupper() else f"ClouddbFunctions.{name}(",
            "yaml": f"clouddb:{name}",
        }
        for language, call in wanted.items():
            programs = examples_of(spec, language)
            assert [title for title, _ in programs] == titles, (name, language)
            assert any(call in program for _, program in programs), (name, language)


def test_a_language_without_examples_has_no_heading_for_them() -> None:
    """Pulumi's generators take out each example that has no program in their language, and keep what is beside it."""
    for section in ("resources", "functions"):
        for token, spec in SCHEMA[section].items():
            assert spec["description"].count("## Example Usage") == 1, token
            left = re.sub(r"{{% example %}}.*?{{% /example %}}", "", spec["description"], flags=re.DOTALL)
            assert "Example" not in left, token


def test_examples_are_for_what_exists() -> None:
    """No example outlives its resource."""
    assert set(EXAMPLES) == {name for name, _ in tokens()}


def test_yaml_examples_give_inputs_that_pass_check() -> None:
    """Let each resource of an example through the model that check uses; what refers to another one is not known."""
    for name, spec in tokens():
        for _, program in examples_of(spec, "yaml"):
            for resource in yaml.safe_load(program).get("resources", {}).values():
                model = RESOURCES[resource["type"].rpartition(":")[2]].type.inputs
                assert failures_of(model, unreferenced(resource["properties"])) == [], name


def unreferenced(value: Any) -> Any:
    """Return the properties of a YAML program with an unknown value in place of each reference."""
    if isinstance(value, dict):
        return {name: unreferenced(item) for name, item in value.items()}
    if isinstance(value, list):
        return [unreferenced(item) for item in value]
    return UNKNOWN if isinstance(value, str) and value.startswith("${") else value


def test_functions_name_their_operations() -> None:
    """Say which request a function makes, and whether the interface documents it."""
    texts = {function.name: SCHEMA["functions"][function.token]["description"] for function in FUNCTION_TYPES}
    assert "`GET /v1/organizations/{organizationId}/services/{serviceId}/pipes/{pipeId}`." in texts["getPipe"]
    assert "(inferred)" not in prose({"description": texts["getPipe"]})
    assert "(inferred)" in texts["getService"]
    assert all(isinstance(function, FunctionType) for function in FUNCTION_TYPES)


def test_every_type_is_described() -> None:
    """A sentence for every object and enum; those of properties are asked for by the shape."""
    assert [token for token, spec in SCHEMA["types"].items() if not spec["description"].endswith(".")] == []


def test_names_of_properties() -> None:
    """What is required exists, Pulumi's own names are left alone, and no two names become one in Python."""
    for where, properties, required in property_maps():
        assert set(required) <= set(properties), where
        if where.partition(" ")[0] in SCHEMA["resources"]:
            assert not RESERVED & set(properties), where
        assert max(Counter(map(to_snake, properties)).values(), default=1) == 1, where
        assert [name for name in properties if not re.fullmatch(r"[a-z]\w*", name)] == [], where


def test_defaults_are_values_of_their_property() -> None:
    """A default is of its property's type and, where there are words to choose from, one of them."""
    defaults = 0
    for where, properties, _ in property_maps():
        for name, spec in properties.items():
            if "default" not in spec:
                continue
            defaults += 1
            allowed = TYPES[spec["type"]]
            assert isinstance(spec["default"], allowed), (where, name)
            assert (spec["type"] == "boolean") == isinstance(spec["default"], bool), (where, name)
            if "oneOf" in spec:
                enum = SCHEMA["types"][f"clouddb:index:{base_name(spec['oneOf'][1]['$ref'])}"]["enum"]
                assert spec["default"] in [each["value"] for each in enum], (where, name)
    assert defaults >= 5


def test_defaults_from_the_environment_are_plain_values() -> None:
    """Generators put a variable's text where the value belongs, which in Go does not even compile for an object."""
    for name, spec in SCHEMA["config"]["variables"].items():
        assert ("defaultInfo" in spec) == (spec["type"] != "object"), name


def test_names_of_types_do_not_collide() -> None:
    """No type bears a name that a generator makes of a resource or function, nor one that differs in case alone."""
    suffixes = ("", "Args", "State", "Result", "Input", "Output", "Array", "Map", "ArrayOutput", "PtrOutput")
    made = {f"{resource.name}{suffix}" for resource in RESOURCE_TYPES for suffix in suffixes}
    made |= {f"{each.name[0].upper()}{each.name[1:]}{suffix}" for each in FUNCTION_TYPES for suffix in suffixes}
    types = {base_name(token) for token in SCHEMA["types"]}
    assert types & made == set()
    every = [base_name(token).lower() for section in ("types", "resources", "functions") for token in SCHEMA[section]]
    assert [name for name, count in Counter(every).items() if count > 1] == []


def test_names_of_packages() -> None:
    """Each language has one; the Python one is not the package that the dynamic classes live in."""
    languages = SCHEMA["language"]
    assert set(languages) == {"python", "nodejs", "go", "csharp", "java"}
    assert languages["python"]["packageName"] == "pulumi_clouddb_native"
    assert f"import {languages['python']['packageName']} as clouddb" == NATIVE_IMPORT
    assert re.fullmatch(r"@[a-z]+/[a-z]+", languages["nodejs"]["packageName"])
    assert languages["go"]["importBasePath"].endswith("/sdk/go/clouddb")
    assert languages["csharp"]["namespaces"] == {"clouddb": "CloudDb"}
    assert languages["java"] == {"basePackage": "com.clouddb", "packages": {"clouddb": "pulumi"}}


@pytest.mark.parametrize(("name", "spec"), list(tokens()), ids=lambda value: value if isinstance(value, str) else "")
def test_examples_say_the_same_in_every_language(name: str, spec: dict[str, Any]) -> None:
    """Each example is free of mistakes as Python, as TypeScript and as YAML, and declares the same in all three."""
    sections = {language: dict(native_examples(spec, language)) for language in READERS}
    for title, program in sections["yaml"].items():
        wanted = declared(read_yaml(program))
        assert wanted[0] or wanted[2], name
        for language, read in READERS.items():
            found = read(sections[language][title])
            assert mistakes(found, SCHEMA) == [], (language, title)
            assert declared(found) == wanted, (language, title)


def native_examples(spec: dict[str, Any], language: str) -> Iterator[tuple[str, str]]:
    """Yield title and text of each example as it stands in the schema: in Python, for the SDK generated from it."""
    for title, program in examples_of(spec, language):
        yield title, program.replace("import pulumi_clouddb as", "import pulumi_clouddb_native as")


def declared(program: Program) -> tuple[Any, ...]:
    """Return what must be the same in every language; YAML names a resource as its variable."""
    resources = {each.variable: (each.kind, each.properties) for each in program.resources.values()}
    return resources, program.outputs, [use for use in program.uses if not use.path]


def test_examples_name_the_generated_sdk() -> None:
    """In the schema, which becomes the help of the generated SDK, Python programs import that one."""
    text = json.dumps(SCHEMA)
    assert "import pulumi_clouddb as" not in text
    assert text.count(NATIVE_IMPORT) == sum(len(examples) for examples in EXAMPLES.values())


def test_every_list_has_typed_items() -> None:
    """A program reads `found.sources[0].id`; a map would pass a preview, where it is unknown, and fail in `up`."""
    untyped = [
        f"{base_name(token)}.{name}"
        for token, spec in SCHEMA["functions"].items()
        if base_name(token).startswith("list")
        for name, output in spec["outputs"]["properties"].items()
        if "$ref" not in output.get("items", {})
    ]
    assert untyped == []
