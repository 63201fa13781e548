"""The quickstart's stack in YAML, TypeScript, Python and Go for the native plugin: equal, and valid by the schema.

Without the CLI, the programs are parsed and compared with schema.json; only the one in Go needs its compiler and the
SDK. With the CLI and the language's host, each program is run against a sandbox.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import CliStack, Secret, stack_config
from pulumi_clouddb.registry import FUNCTIONS
from support.declared import CallResult, Program, Reference, Setting, Typed, mistakes
from support.five import KINDS
from support.read_python import read_python
from support.read_typescript import read_typescript
from support.read_yaml import read_yaml
from support.schema import SCHEMA
from support.sdk import GO, JAVA, SDK, TYPESCRIPT, YAML, generate_sdk, go_project, java_project, typescript_packages
from support.sessions import ProviderProcess, config_for

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "examples"
PROGRAMS: dict[str, tuple[Callable[..., Program], tuple[str, ...]]] = {
    "yaml": (read_yaml, ("yaml/Pulumi.yaml",)),
    "typescript": (read_typescript, ("typescript/index.ts", "typescript/lookups.ts")),
    "python": (read_python, ("python-plugin/__main__.py", "python-plugin/lookups.py")),
    "quickstart": (read_python, ("quickstart/__main__.py", "quickstart/lookups.py")),
}
FOLDERS = {language: EXAMPLES / Path(files[0]).parent for language, (_, files) in PROGRAMS.items()}
PLUGIN = ("yaml", "typescript", "python")
RUN = [
    pytest.param("yaml", marks=YAML),
    pytest.param("typescript", marks=TYPESCRIPT),
    pytest.param("python", marks=pytest.mark.cli),
    pytest.param("go", marks=GO),
    pytest.param("java", marks=JAVA),
]
APP = "java/src/main/java/com/example/shop/App.java"


def program(language: str, old: str = "", new: str = "") -> Program:
    """Return the declarations in the example of a language, with one text replaced."""
    read, files = PROGRAMS[language]
    texts = [(EXAMPLES / file).read_text(encoding="utf-8") for file in files]
    assert any(old in text for text in texts), old
    return read(*[text.replace(old, new) if old else text for text in texts])


@pytest.mark.parametrize("language", PROGRAMS)
def test_program_matches_the_schema(language: str) -> None:
    """Every type, property, function, argument and output of an example exists, and none is missing."""
    assert mistakes(program(language), SCHEMA) == []


@pytest.mark.parametrize("language", PLUGIN)
def test_example_declares_the_quickstarts_stack(language: str) -> None:
    """Resources, properties, configuration, defaults and outputs are the same."""
    example, quickstart = program(language), program("quickstart")
    assert example.resources == quickstart.resources
    assert example.settings == quickstart.settings
    assert example.outputs == quickstart.outputs
    assert {each.kind for each in quickstart.resources.values()} == {*KINDS, "Webhook"}
    assert len(quickstart.settings) == 8
    assert len(quickstart.outputs) == 7


MISTAKES: dict[str, tuple[dict[str, tuple[str, str]], str]] = {
    "a property is misspelt": (
        {
            "yaml": ("numReplicas:", "numReplcas:"),
            "typescript": ("numReplicas:", "numReplcas:"),
            "python": ("num_replicas=", "num_replcas="),
        },
        "service: there is no property numReplcas",
    ),
    "a property of an object in a list is misspelt": (
        {
            "yaml": ("whereLanguage:", "whereLanguge:"),
            "typescript": ("whereLanguage:", "whereLanguge:"),
            "python": ("where_language=", "where_languge="),
        },
        "dashboard.tiles[1].config.select[0]: there is no property whereLanguge",
    ),
    "a required property is missing": (
        {
            "yaml": ("threshold: 100", ""),
            "typescript": ("threshold: 100,", ""),
            "python": ("threshold=100,", ""),
        },
        "alert: threshold is missing",
    ),
    "a resource does not exist": (
        {
            "yaml": ("clouddb:Alert", "clouddb:Alarm"),
            "typescript": ("clouddb.Alert(", "clouddb.Alarm("),
            "python": ("clouddb.Alert(", "clouddb.Alarm("),
        },
        "alert: there is no resource Alarm",
    ),
    "a value is not in its enum": (
        {
            "yaml": ("provider: aws", "provider: asw"),
            "typescript": ('"aws"', '"asw"'),
            "python": ('"aws"', '"asw"'),
        },
        "service.provider: 'asw' is none of aws, gcp, azure",
    ),
    "a value has another type": (
        {
            "yaml": ("idleScaling: false", "idleScaling: never"),
            "typescript": ("idleScaling: false", 'idleScaling: "never"'),
            "python": ("idle_scaling=False", 'idle_scaling="never"'),
        },
        "service.idleScaling: 'never' is not of type boolean",
    ),
    "the default of a setting has another type": (
        {
            "yaml": ("{ type: integer, default: 64 }", "{ type: string, default: much }"),
            "typescript": ("?? 64", '?? "much"'),
            "python": ('"maxMemoryGb", 64', '"maxMemoryGb", "much"'),
        },
        "service.maxReplicaMemoryGb: 'much' is not of type integer",
    ),
    "an output does not exist": (
        {
            "yaml": ("key.accessKeyId", "key.accessId"),
            "typescript": ("key.accessKeyId", "key.accessId"),
            "python": ("key.access_key_id", "key.access_id"),
        },
        "output reportsKeyId: key.accessId does not exist",
    ),
    "an output has another type": (
        {
            "yaml": ('dashboard.tileIds["errors"]', "dashboard.tileIds"),
            "typescript": ('dashboard.tileIds["errors"]', "dashboard.tileIds"),
            "python": ('dashboard.tile_ids["errors"]', "dashboard.tile_ids"),
        },
        "alert.tileId: dashboard.tileIds is not of type string",
    ),
    "a function does not exist": (
        {
            "yaml": ("clouddb:listPipes", "clouddb:listPipe"),
            "typescript": ("clouddb.listPipesOutput", "clouddb.listPipeOutput"),
            "python": ("clouddb.list_pipes_output", "clouddb.list_pipe_output"),
        },
        "scaling.pipeId: there is no function listPipe",
    ),
    "an argument is misspelt": (
        {
            "yaml": ('name: "${pipe}"', 'named: "${pipe}"'),
            "typescript": ("name: pipe }", "named: pipe }"),
            "python": ("name=pipe)", "named=pipe)"),
        },
        "listPipes: there is no property named",
    ),
    "a result has no such field": (
        {
            "yaml": ("pipes[0].id", "pipes[0].pipeId"),
            "typescript": ("return found[0].id", "return found[0].pipeId"),
            "python": ("each.id ", "each.pipe_id "),
        },
        "scaling.pipeId: listPipes.pipes.0.pipeId does not exist",
    ),
    "a name is not defined": (
        {
            "yaml": ("service.endpoints", "services.endpoints"),
            "typescript": ("service.endpoints", "services.endpoints"),
            "python": ("service.endpoints", "services.endpoints"),
        },
        "output endpoints: ",
    ),
}


@pytest.mark.parametrize("language", PLUGIN)
@pytest.mark.parametrize("case", MISTAKES)
def test_mistake_in_an_example_is_reported(case: str, language: str) -> None:
    """One text of the example is replaced; the mistake is reported with its place."""
    changes, message = MISTAKES[case]
    reported = mistakes(program(language, *changes[language]), SCHEMA)
    assert [each for each in reported if each.startswith(message)], reported


@pytest.mark.parametrize("language", PLUGIN)
def test_project_names_the_plugins_folder(language: str) -> None:
    """Each project names the folder with the plugin's script, relative to its own."""
    project = yaml.safe_load((FOLDERS[language] / "Pulumi.yaml").read_text(encoding="utf-8"))
    (provider,) = project["plugins"]["providers"]
    assert provider["name"] == SCHEMA["name"]
    assert (FOLDERS[language] / provider["path"] / "pulumi-resource-clouddb").is_file()


def test_projects_depend_on_the_generated_sdk() -> None:
    """`pulumi package add` finds its entries, so that it changes no file of the repository."""
    package = json.loads((FOLDERS["typescript"] / "package.json").read_text(encoding="utf-8"))
    languages = SCHEMA["language"]
    assert package["dependencies"][languages["nodejs"]["packageName"]] == "file:sdks/clouddb"
    assert "sdks/clouddb" in (FOLDERS["python"] / "requirements.txt").read_text(encoding="utf-8").split()
    assert languages["python"]["packageName"] == SDK
    assert "<source>sdks/clouddb/src/main/java</source>" in (EXAMPLES / "java/pom.xml").read_text(encoding="utf-8")
    for file in ("typescript/index.ts", "python-plugin/__main__.py", "go/main.go", APP):
        assert "pulumi package add ../../schema.json" in (EXAMPLES / file).read_text(encoding="utf-8")


def test_lists_are_filtered_by_name_or_id(clouddb_sandbox: Sandbox, tmp_path: Path) -> None:
    """The argument `name` of a list accepts an id, too, because YAML has no conditions."""
    process = ProviderProcess(config_for(clouddb_sandbox), tmp_path)
    service_id, _ = process.create("Service", {"name": "shop", "numReplicas": 3, "waitTimeoutMinutes": 0})
    where = {"serviceId": service_id}
    for function, output, arguments, name in (
        ("listServices", "services", {}, "shop"),
        ("listPipes", "pipes", where, "events"),
        ("listSources", "sources", where, "Logs"),
    ):
        everything = FUNCTIONS[function].call(process, arguments)[output]
        (wanted,) = [each for each in everything if each["name"] == name]
        for text in (name, wanted["id"]):
            assert FUNCTIONS[function].call(process, {**arguments, "name": text})[output] == [wanted]
        assert FUNCTIONS[function].call(process, {**arguments, "name": "other"})[output] == []
    process.client.close()


def project(language: str, folder: Path) -> tuple[Path, dict[str, str]]:
    """Return the folder of an example with its SDK, and the environment."""
    if language == "python":
        return FOLDERS[language], {"PYTHONPATH": str(generate_sdk(folder))}
    if language == "typescript":
        typescript_packages()
    if language == "java":
        return java_project(folder), {}
    return go_project(folder) if language == "go" else FOLDERS[language], {}


def known(value: Any, actual: Any) -> Any:
    """Return a declared value with the defaults of settings, and with actual values where only a run knows them."""
    if isinstance(value, (Reference, CallResult)):
        return actual
    if isinstance(value, Typed):
        value = value.properties
    if isinstance(value, Mapping):
        placed = {side: actual[side] for side in "xywh" if side in actual}  # by the provider
        return {**placed, **{key: known(each, actual.get(key)) for key, each in value.items()}}
    if isinstance(value, list):
        return [known(each, actual[at] if at < len(actual) else None) for at, each in enumerate(value)]
    plain = value.default if isinstance(value, Setting) else value
    return actual if isinstance(actual, Secret) and actual.value == plain else plain


@pytest.mark.parametrize("language", RUN)
def test_example_lives(language: str, clouddb_sandbox: Sandbox, tmp_path: Path) -> None:
    """Preview, create, preview without changes with names and with ids in the configuration, delete."""
    sandbox = clouddb_sandbox
    folder, environment = project(language, tmp_path)
    stack = CliStack(
        folder,
        config={**stack_config(sandbox), "clouddb:pacing": "false"},
        env=environment,
        work_dir=tmp_path / "work",
    )
    resources = len(KINDS) + 2  # the webhook, and the stack

    assert stack.preview().changes == {"create": resources}
    assert [entry.operation for entry in sandbox.requests] == ["list_services"]  # to check that the name is free

    outputs = stack.up().outputs
    (service,) = sandbox.services.values()
    (alert,) = sandbox.alerts.values()
    (dashboard,) = sandbox.dashboards.values()
    assert service["state"] == "running"
    assert sandbox.password_works(service["id"], outputs["password"].value)
    assert alert["tileId"] == next(tile["id"] for tile in dashboard["tiles"] if tile["name"] == "Errors")
    assert isinstance(outputs["reportsKeySecret"], Secret)
    declared = program("quickstart")
    assert outputs.keys() == declared.outputs.keys()
    assert [each["host"] for each in outputs["endpoints"]] == [each["host"] for each in service["endpoints"]]
    for resource in declared.resources.values():
        inputs = stack.resource(resource.name).inputs
        assert {**inputs, **known(resource.properties, inputs)} == inputs
    for secret in (outputs["password"], outputs["reportsKeySecret"]):
        assert secret.value not in stack.state_text

    ids = {"pipe": stack.resource("events").inputs["pipeId"]}
    assert sandbox.pipes[ids["pipe"]]["name"] == "events"
    assert sandbox.pipes[ids["pipe"]]["scaling"]["replicas"] == 4
    source_id = stack.resource("overview").inputs["tiles"][0]["config"]["sourceId"]
    assert sandbox.sources[source_id]["name"] == "Logs"
    lookups = ["list_pipes", "list_sources"]
    for config, lookup_requests in (({}, lookups), (ids, lookups if language == "yaml" else lookups[1:])):
        for key, value in config.items():
            stack.set_config(key, value)
        sandbox.forget_requests()
        assert stack.preview().changes == {"same": resources}
        assert sorted(str(entry.operation) for entry in sandbox.requests) == lookup_requests

    assert stack.destroy().changes == {"delete": resources}
    assert [sandbox.services, sandbox.dashboards, sandbox.alerts] == [{}, {}, {}]
    assert len(sandbox.keys) == 1


def test_generated_files_are_not_in_the_repository() -> None:
    """Git ignores the SDKs and packages of the examples."""
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").split()
    assert {"node_modules/", "examples/*/sdks/", "examples/java/target/"} <= set(ignored)
