"""schema.json has the shape that Pulumi requires, contains all that the models declare, and has correct examples.

test_checks.py tests that the models have all inputs, and test_description.py that they have the vendor's fields.
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
from pulumi_clouddb.schema.base import Model, extras_of, wire_name
from pulumi_clouddb.schema.check.findings import findings_of
from pulumi_clouddb.schema.check.rules import RuleContext
from pulumi_clouddb.schema.config import ProviderConfig
from pulumi_clouddb.schema.resource_type import FunctionType, ResourceType
from pulumi_clouddb.schema.values import UNKNOWN
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE
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
"""Names of Pulumi's own properties of a resource."""


def walk(value: Any) -> Iterator[dict[str, Any]]:
    """Yield every object of a JSON document."""
    if isinstance(value, dict):
        yield value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from walk(item)


def tokens() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the name and the spec of every resource and function."""
    for section in ("resources", "functions"):
        for token, spec in SCHEMA[section].items():
            yield base_name(token), spec


def models() -> Iterator[tuple[type[Model], dict[str, Any]]]:
    """Yield every top-level model with its properties in the schema."""
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
    """Yield every set of properties, with its place and its required names."""
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


def test_schema_has_the_shape_that_pulumi_requires() -> None:
    """The shape is the essential part of Pulumi's metaschema."""
    errors = [f"{error.json_path}: {error.message[:200]}" for error in Draft202012Validator(SHAPE).iter_errors(SCHEMA)]
    assert errors == []


def test_every_reference_resolves() -> None:
    """Each $ref refers to a type, and each type is referred to."""
    references = {spec["$ref"] for spec in walk(SCHEMA) if isinstance(spec.get("$ref"), str)}
    assert references - {"pulumi.json#/Any"} == {f"#/types/{token}" for token in SCHEMA["types"]}


def test_every_field_of_the_models_is_in_the_schema() -> None:
    """The names are the same; only the id of a resource is Pulumi's own."""
    for model, properties in models():
        names = {wire_name(model, attribute) for attribute in model.model_fields}
        assert set(properties) == names - ({"id"} if model.__name__.endswith("State") else set()), model


def test_secrets_replacements_and_deprecations_are_marked() -> None:
    """The extras of each property are those of the model."""
    for model, properties in models():
        for attribute, info in model.model_fields.items():
            spec = properties.get(wire_name(model, attribute))
            if spec is None:
                continue
            extras = extras_of(model, attribute)
            assert spec.get("secret", False) == extras.get("secret", False)
            assert spec.get("willReplaceOnChanges", False) == extras.get("replaces", False)
            assert spec.get("deprecationMessage") == info.deprecated
            assert "replaceOnChanges" not in spec


SECRETS = {
    "Service": ("backupBucketSecret backupEncryptionConfig encryptionKey password passwordDoubleSha1Hash passwordHash"),
    "Pipe": "credentials",
    "PostgresService": "connectionString password",
    "ApiKey": "keySecret",
    "StackInvitation": "url",
    "Webhook": "body headers queryParams url",
    "Connection": "password",
    "getService": "encryptionKey",
    "discoverPipeSchema": "credentials",
    "getPostgresService": "connectionString password",
    "MongoDbSource": "uri",
    "ObjectStorageSource": "connectionString",
    "PostgresServiceResponse": "connectionString password",
    "ServiceResponse": "encryptionKey",
    "StackInvitationResponse": "url",
    "WebhookResponse": "body url",
}
"""The secret properties of all resources, functions and types: a second statement, which no declaration changes."""


def test_secret_properties_are_those_of_the_table() -> None:
    """A declaration that makes a secret plain, or a plain property secret, changes the table, too."""
    specs = {
        base_name(token): spec for part in ("resources", "functions", "types") for token, spec in SCHEMA[part].items()
    }
    found = {name: {key for each in walk(spec) for key in each if is_secret(each[key])} for name, spec in specs.items()}
    declared = {each.name: {*each.secrets} for each in RESOURCE_TYPES}
    table = {name: {*names.split()} for name, names in SECRETS.items()}
    assert {name: names for name, names in found.items() if names} == table
    assert {name: names for name, names in declared.items() if names} == {
        name: names for name, names in table.items() if name in declared
    }


def is_secret(spec: object) -> bool:
    """Return whether it is the spec of a secret property."""
    return isinstance(spec, dict) and spec.get("secret") is True


def test_secrets_of_resources_are_top_level() -> None:
    """A secret within a list or object would make all of it secret."""
    nested = {token for token, spec in SCHEMA["types"].items() if any(each.get("secret") for each in walk(spec))}
    for spec in SCHEMA["resources"].values():
        assert not {base for base in nested if f"#/types/{base}" in json.dumps(spec)}


@pytest.mark.parametrize("resource", RESOURCE_TYPES, ids=lambda resource: resource.name)
def test_resource_spec_matches_its_type(resource: ResourceType) -> None:
    """This covers the alias, the required names and the state inputs."""
    spec = SCHEMA["resources"][resource.token]
    assert spec["aliases"] == [{"type": f"pulumi-python:dynamic/clouddb:{resource.name}"}]
    assert set(spec["required"]) == set(resource.required_outputs)
    fields = resource.inputs.model_fields.items()
    required = {wire_name(resource.inputs, attribute) for attribute, info in fields if info.is_required()}
    assert set(spec["requiredInputs"]) == required
    assert tuple(spec.get("stateInputs", {}).get("properties", {})) == resource.state_inputs


def test_input_and_output_of_one_name_have_two_types() -> None:
    """Endpoints are settings as inputs, and addresses as outputs."""
    service = SCHEMA["resources"]["clouddb:index:Service"]
    assert service["inputProperties"]["endpoints"]["items"]["$ref"].endswith(":EndpointSetting")
    assert service["properties"]["endpoints"]["items"]["$ref"].endswith(":ServiceEndpoint")


def test_enum_properties_accept_any_string() -> None:
    """An enum lists known values; other strings are accepted, too."""
    region = SCHEMA["resources"]["clouddb:index:Service"]["inputProperties"]["region"]
    assert region["oneOf"] == [{"type": "string"}, {"$ref": "#/types/clouddb:index:Region"}]
    threshold = SCHEMA["resources"]["clouddb:index:Alert"]["inputProperties"]["thresholdType"]
    assert threshold["oneOf"] == [{"type": "string"}, {"$ref": "#/types/clouddb:index:ThresholdType"}]


def test_enum_names_have_no_underscores() -> None:
    """Go joins type and name with an underscore if the name contains one: `Region_EuCentral_1`."""
    enums = {name: spec["enum"] for name, spec in SCHEMA["types"].items() if "enum" in spec}
    names = {name: [each["name"] for each in values] for name, values in enums.items()}
    assert {"EuCentral1", "EuropeWest4", "AwsUsEast1", "GcpUsEast1"} <= set(names["clouddb:index:Region"])
    assert [each for group in names.values() for each in group if not re.fullmatch("[A-Z][A-Za-z0-9]*", each)] == []
    assert [name for name, group in names.items() if len(set(group)) != len(group)] == []
    values = {each["value"]: each["name"] for each in enums["clouddb:index:AlertInterval"]}
    assert values["5m"] == "FiveMinutes"


def test_every_description_ends_with_its_api_field() -> None:
    """Each description ends with the part of the API, or says that it is not sent."""
    end = re.compile(r"(API (field|path|query): `.+|Not sent.*|Kept in state by this provider)\.$")
    specs = [spec for section in ("resources", "functions", "types") for spec in walk(SCHEMA[section])]
    properties = [each for spec in specs for each in spec.get("properties", {}).values() if "description" in each]
    assert len(properties) > 150
    assert [each["description"] for each in properties if not end.search(each["description"])] == []


def test_every_configuration_key_has_an_environment_variable() -> None:
    """The inputs of the provider are the configuration keys."""
    variables = SCHEMA["config"]["variables"]
    assert SCHEMA["provider"]["inputProperties"] == variables
    assert variables["keyId"]["defaultInfo"] == {"environment": ["CLOUDDB_KEY_ID"]}
    assert {name for name, spec in variables.items() if spec.get("secret")} == {"keySecret", "stackToken"}


def test_every_resource_and_function_has_examples() -> None:
    """Each one has a description, and examples in five languages."""
    for name, spec in tokens():
        assert prose(spec).endswith("."), name
        titles = [example.title for example in EXAMPLES[name]]
        python = name if name[0].isupper() else to_snake(name)
        go = f"clouddb.New{name}(" if name[0].isupper() else f"{name.removeprefix('get')[1:]}Output("
        expected = {
            "python": f"clouddb.{python}",
            "typescript": f"clouddb.{name}",
            "go": go,
            "java": f"new {name}(" if name[0].isupper() else f"ClouddbFunctions.{name}(",
            "yaml": f"clouddb:{name}",
        }
        for language, call in expected.items():
            programs = examples_of(spec, language)
            assert [title for title, _ in programs] == titles, (name, language)
            assert any(call in program for _, program in programs), (name, language)


def test_descriptions_are_valid_without_examples() -> None:
    """Pulumi's generators remove the examples without a program in their language, and keep all other text."""
    for section in ("resources", "functions"):
        for token, spec in SCHEMA[section].items():
            assert spec["description"].count("## Example Usage") == 1, token
            rest = re.sub(r"{{% example %}}.*?{{% /example %}}", "", spec["description"], flags=re.DOTALL)
            assert "Example" not in rest, token


def test_examples_belong_to_existing_resources() -> None:
    """No example remains from a removed resource."""
    assert set(EXAMPLES) == {name for name, _ in tokens()}


def test_yaml_examples_pass_check() -> None:
    """The properties of each resource pass its model without a warning, with references as unknown values."""
    for name, spec in tokens():
        for _, program in examples_of(spec, "yaml"):
            for resource in yaml.safe_load(program).get("resources", {}).values():
                kind = RESOURCES[resource["type"].rpartition(":")[2]].type
                inputs, context = unreferenced(resource["properties"]), RuleContext(vocabulary=CLICKHOUSE)
                assert findings_of(kind.inputs, inputs).failures == [], name
                assert findings_of(kind.inputs_in(CLICKHOUSE), inputs, context).warnings == [], name


def unreferenced(value: Any) -> Any:
    """Return the properties of a YAML program with an unknown value in place of each reference."""
    if isinstance(value, dict):
        return {name: unreferenced(item) for name, item in value.items()}
    if isinstance(value, list):
        return [unreferenced(item) for item in value]
    return UNKNOWN if isinstance(value, str) and value.startswith("${") else value


def test_functions_name_their_operations() -> None:
    """The description has the request, and whether the interface documents it."""
    texts = {function.name: SCHEMA["functions"][function.token]["description"] for function in FUNCTION_TYPES}
    assert "`GET /v1/organizations/{organizationId}/services/{serviceId}/pipes/{pipeId}`." in texts["getPipe"]
    assert "(inferred)" not in prose({"description": texts["getPipe"]})
    assert "(inferred)" in texts["getService"]
    assert all(isinstance(function, FunctionType) for function in FUNCTION_TYPES)


def test_every_type_is_described() -> None:
    """Each object and enum has a sentence; the shape requires descriptions of properties."""
    assert [token for token, spec in SCHEMA["types"].items() if not spec["description"].endswith(".")] == []


def test_names_of_properties() -> None:
    """Required names exist, Pulumi's own names are not used, and no two names are the same in Python."""
    for where, properties, required in property_maps():
        assert set(required) <= set(properties), where
        if where.partition(" ")[0] in SCHEMA["resources"]:
            assert not RESERVED & set(properties), where
        assert max(Counter(map(to_snake, properties)).values(), default=1) == 1, where
        assert [name for name in properties if not re.fullmatch(r"[a-z]\w*", name)] == [], where


def test_defaults_are_values_of_their_property() -> None:
    """A default has the type of its property and, if that has an enum, is a value of the enum."""
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


def test_defaults_from_the_environment_are_simple_values() -> None:
    """Generated SDKs use the variable's text as the value, which in Go does not compile for an object."""
    for name, spec in SCHEMA["config"]["variables"].items():
        assert ("defaultInfo" in spec) == (spec["type"] != "object"), name


def test_names_of_types_do_not_collide() -> None:
    """No type has a name that a generator derives from a resource or function; no two names differ only in case."""
    suffixes = ("", "Args", "State", "Result", "Input", "Output", "Array", "Map", "ArrayOutput", "PtrOutput")
    derived = {f"{resource.name}{suffix}" for resource in RESOURCE_TYPES for suffix in suffixes}
    derived |= {f"{each.name[0].upper()}{each.name[1:]}{suffix}" for each in FUNCTION_TYPES for suffix in suffixes}
    types = {base_name(token) for token in SCHEMA["types"]}
    assert types & derived == set()
    every = [base_name(token).lower() for section in ("types", "resources", "functions") for token in SCHEMA[section]]
    assert [name for name, count in Counter(every).items() if count > 1] == []


def test_names_of_packages() -> None:
    """Each language has one; the Python package is not the one of the dynamic classes."""
    languages = SCHEMA["language"]
    assert set(languages) == {"python", "nodejs", "go", "csharp", "java"}
    assert languages["python"]["packageName"] == "pulumi_clouddb_native"
    assert f"import {languages['python']['packageName']} as clouddb" == NATIVE_IMPORT
    assert re.fullmatch(r"@[a-z]+/[a-z]+", languages["nodejs"]["packageName"])
    assert "importBasePath" not in languages["go"]  # the CLI prints the one that follows from the repository
    assert languages["csharp"]["namespaces"] == {"clouddb": "CloudDb"}
    assert languages["java"] == {"basePackage": "com.clouddb", "packages": {"clouddb": "pulumi"}}


@pytest.mark.parametrize(("name", "spec"), list(tokens()), ids=lambda value: value if isinstance(value, str) else "")
def test_examples_are_equal_in_every_language(name: str, spec: dict[str, Any]) -> None:
    """Each example has no mistakes in Python, TypeScript and YAML, and declares the same in all three."""
    sections = {language: dict(native_examples(spec, language)) for language in READERS}
    for title, program in sections["yaml"].items():
        expected = declared(read_yaml(program))
        assert expected[0] or expected[2], name
        for language, read in READERS.items():
            program_read = read(sections[language][title])
            assert mistakes(program_read, SCHEMA) == [], (language, title)
            assert declared(program_read) == expected, (language, title)


def native_examples(spec: dict[str, Any], language: str) -> Iterator[tuple[str, str]]:
    """Yield the title and text of each example in the schema: in Python, for the generated SDK."""
    for title, program in examples_of(spec, language):
        yield title, program.replace("import pulumi_clouddb as", "import pulumi_clouddb_native as")


def declared(program: Program) -> tuple[Any, ...]:
    """Return the parts that must be equal in every language; YAML names a resource like its variable."""
    resources = {each.variable: (each.kind, each.properties) for each in program.resources.values()}
    return resources, program.outputs, [use for use in program.uses if not use.path]


def test_examples_import_the_generated_sdk() -> None:
    """The schema becomes the help of the generated SDK, so its Python programs import that package."""
    text = json.dumps(SCHEMA)
    assert "import pulumi_clouddb as" not in text
    assert text.count(NATIVE_IMPORT) == sum(len(examples) for examples in EXAMPLES.values())


def test_every_list_has_typed_items() -> None:
    """With untyped items, `found.sources[0].id` would pass a preview, where it is unknown, and fail in `up`."""
    untyped = [
        f"{base_name(token)}.{name}"
        for token, spec in SCHEMA["functions"].items()
        if base_name(token).startswith("list")
        for name, output in spec["outputs"]["properties"].items()
        if "$ref" not in output.get("items", {})
    ]
    assert untyped == []
