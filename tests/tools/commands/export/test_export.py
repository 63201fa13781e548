"""`clouddb export` writes programs for existing objects in each language; one import, and a preview has no changes."""

from __future__ import annotations

import json
import re
import shutil
import stat
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pulumi
import pytest

from clouddb_tools.commands.exit_codes import ExportExit
from clouddb_tools.commands.export.choice import Choice
from clouddb_tools.commands.export.export import export as export_all
from clouddb_tools.commands.export.graph import statements
from clouddb_tools.commands.export.language import Language
from clouddb_tools.commands.export.reading import Found
from clouddb_tools.commands.export.statements import Ref
from clouddb_tools.sandbox import LoggedRequest, Sandbox
from clouddb_tools.testing import Secret
from pulumi_clouddb.client.runtime import Runtime
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.engine.wire import codec
from pulumi_clouddb.engine.wire.secret import strip
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource.lifecycle import ReadResult
from pulumi_clouddb.schema.vocabulary import VocabularyName
from pulumi_clouddb.things.alerts.api import Alerts
from support import fake_pulumi
from support.declared import Program, Typed, mistakes
from support.estate import ADDRESS, ALERTS, DASHBOARDS, SERVICES, Estate, kinds_in
from support.exported import LANGUAGES, Exported, by_name, export, needed, plain, recording_cli, resolved, run
from support.host import DynamicHost
from support.ids import CALM, CONNECTION, LOGS
from support.plugin import NativePlugin
from support.printed import unboxed
from support.read_python import read_python
from support.read_typescript import read_typescript
from support.read_yaml import read_yaml
from support.registered import registered
from support.schema import SCHEMA
from support.sessions import config_for

ROOT = Path(__file__).parents[4]
VOCABULARIES = ("clickhouse", "neutral")
ONE_IN_QUICK_TESTS = ("clickhouse", pytest.param("neutral", marks=pytest.mark.slow))
"""An export of all objects takes seconds."""
QUICK = "yaml"
"""The language of the one export that all quick tests share: another export takes seconds."""

Resources = dict[tuple[str, str], dict[str, Any]]
GENERATED = {
    "python": ("__pycache__/__main__.cpython-311.pyc", "venv/bin/python", ".venv/bin/python"),
    "python-plugin": ("__pycache__/__main__.cpython-311.pyc", "venv/bin/python", "sdks/clouddb/build/lib.py"),
    "yaml": (".venv/bin/python",),
    "typescript": ("node_modules/typescript/package.json", "bin/index.js", "sdks/clouddb/bin/index.js"),
}
"""Files that are generated in the folder of a project later."""
EVERY_KIND = tuple(word for kind in RESOURCES for word in ("--kind", kind))
"""Scalings of pipes are exported only with `--kind`."""

READERS = {"python-plugin": read_python, "yaml": read_yaml, "typescript": read_typescript}


class World:
    """A sandbox of each dialect with many objects, and its exports by language."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._sandboxes: dict[str, Sandbox] = {}
        self._exports: dict[tuple[str, str], Exported] = {}
        self._requests: dict[tuple[str, str], list[LoggedRequest]] = {}

    def sandbox(self, vocabulary: str) -> Sandbox:
        """Return the sandbox of a dialect."""
        if vocabulary not in self._sandboxes:
            sandbox = Sandbox(vocabulary=VocabularyName(vocabulary))
            self._sandboxes[vocabulary] = sandbox.__enter__()
            Estate(sandbox, VocabularyName(vocabulary))
        return self._sandboxes[vocabulary]

    def exported(self, vocabulary: str, language: str) -> Exported:
        """Return the export in a language."""
        key = vocabulary, language
        if key not in self._exports:
            sandbox = self.sandbox(vocabulary)
            sandbox.forget_requests()
            self._exports[key] = export(sandbox, self._folder / "-".join(key), language, *EVERY_KIND)
            self._requests[key] = sandbox.requests
        return self._exports[key]

    def requests(self, vocabulary: str, language: str) -> list[LoggedRequest]:
        """Return the requests of an export in a language."""
        self.exported(vocabulary, language)
        return self._requests[vocabulary, language]

    def close(self) -> None:
        """End the sandboxes."""
        for sandbox in self._sandboxes.values():
            sandbox.__exit__(None, None, None)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """The sandboxes and exports that the tests of this module share."""
    shared = World(tmp_path_factory.mktemp("exports"))
    yield shared
    shared.close()


def read(exported: Exported) -> Program:
    """Return the declarations of a program for the plugin."""
    program = READERS[exported.language](exported.program)
    assert program.problems == []
    return program


@pytest.mark.parametrize("vocabulary", ONE_IN_QUICK_TESTS)
def test_export_has_all_objects(vocabulary: str, world: World) -> None:
    """All objects except the key in use are in the import file, each with a different name."""
    entries = world.exported(vocabulary, QUICK).entries
    kinds = [kind.rpartition(":")[2] for kind, _ in entries]
    assert (kinds.count("Dashboard"), kinds.count("Alert")) == (DASHBOARDS, ALERTS)
    too_long = 1 if vocabulary == "clickhouse" else 0
    assert kinds.count("Service") == SERVICES - too_long
    sandbox = world.sandbox(vocabulary)
    assert kinds.count("ApiKey") == len(sandbox.keys) - 1
    assert kinds.count("PipeScaling") == len(sandbox.pipes)
    ids = [(kind, entry["id"]) for (kind, _), entry in entries.items()]
    if vocabulary == "clickhouse":
        assert {"Webhook", "Source", "Connection", "SavedSearch"} <= set(kinds)
    else:
        assert len(ids) == len(set(ids))


@pytest.mark.slow
@pytest.mark.parametrize("vocabulary", VOCABULARIES)
def test_python_program_declares_the_resources_of_the_import_file(vocabulary: str, world: World) -> None:
    """Its resources have the file's types, names and inputs, after references are resolved."""
    exported = world.exported(vocabulary, "python")
    entries = exported.entries
    keys = set(re.findall(r'config.require_secret\("(\w+)"\)', exported.program))
    pulumi.runtime.set_all_config({f"project:{key}": f"the value of {key}" for key in keys})
    known = {key: (entry["id"], strip(codec.read(entry["outputs"]))) for key, entry in entries.items()}
    declared = registered(exported.folder, known)
    pulumi.runtime.set_all_config({})
    assert declared.keys() == entries.keys()
    for key, entry in entries.items():
        expected = needed(key[0].rpartition(":")[2], codec.read(entry["inputs"]))
        actual = codec.read(declared[key])
        hidden = {name for name, value in expected.items() if isinstance(value, Secret)}
        assert hidden == {name for name, value in actual.items() if isinstance(value, Secret)}
        assert {n: v for n, v in actual.items() if n not in hidden} == {
            n: v for n, v in expected.items() if n not in hidden
        }, key


@pytest.mark.slow
@pytest.mark.parametrize("vocabulary", VOCABULARIES)
def test_host_finds_no_changes_in_an_export(vocabulary: str, world: World, tmp_path: Path) -> None:
    """The inputs in the file pass check, and do not differ from its outputs."""
    sandbox, entries = world.sandbox(vocabulary), world.exported(vocabulary, "python").entries
    with DynamicHost(sandbox.config, tmp_path) as host:
        for (token, name), entry in entries.items():
            kind = token.rpartition(":")[2]
            inputs, outputs = (plain(entry[part]) for part in ("inputs", "outputs"))
            checked = host.check(kind, inputs, inputs)  # as after an import
            assert checked.failures == [], name
            assert not host.diff(kind, entry["id"], outputs, checked.inputs).changes, (token, name)


@pytest.mark.slow
@pytest.mark.parametrize("vocabulary", VOCABULARIES)
def test_plugin_imports_an_export_without_changes(vocabulary: str, world: World, tmp_path: Path) -> None:
    """The plugin's import by id has no changes to the program, after its references are resolved."""
    sandbox, exported = world.sandbox(vocabulary), world.exported(vocabulary, "yaml")
    program = read(exported)
    variables = {(f"clouddb:index:{each.kind}", each.name): each.variable for each in program.resources.values()}
    outputs: dict[str, dict[str, Any]] = {}
    inputs: dict[str, dict[str, Any]] = {}
    with NativePlugin(sandbox.config, tmp_path) as plugin:
        for (token, name), entry in exported.entries.items():
            imported = plugin.import_(token.rpartition(":")[2], entry["id"])
            outputs[variables[token, name]] = {**imported.outputs, "id": imported.id}
        for each in program.resources.values():
            state = outputs[each.variable]
            hidden = {key: state[key] for key in RESOURCES[each.kind].type.secrets if key in each.properties}
            properties = {key: value for key, value in each.properties.items() if key not in hidden}
            inputs[each.variable] = {**resolved(properties, outputs, {}), **hidden}
            checked = plugin.check(each.kind, inputs[each.variable], inputs[each.variable])
            assert checked.failures == [], each.name
            assert not plugin.diff(each.kind, state["id"], state, checked.inputs).changes, each


@pytest.mark.slow
@pytest.mark.parametrize("vocabulary", VOCABULARIES)
@pytest.mark.parametrize("language", READERS)
def test_exports_in_all_languages_are_equal(language: str, vocabulary: str, world: World) -> None:
    """They have the same resources with the same properties, and the schema accepts all of them."""
    program = read(world.exported(vocabulary, language))
    assert mistakes(program, SCHEMA) == []
    in_yaml = by_name(read(world.exported(vocabulary, "yaml")))
    assert comparable(by_name(program), in_yaml) == comparable(in_yaml, in_yaml)


def comparable(program: Resources, in_yaml: Resources) -> Resources:
    """Return a program without references to tiles for which YAML has ids, because it cannot write their keys."""
    literal = {key for key, each in in_yaml.items() if isinstance(each.get("tileId"), str)}
    return {
        key: {name: value for name, value in each.items() if key not in literal or name != "tileId"}
        for key, each in program.items()
    }


@pytest.mark.slow
def test_exported_python_passes_linter_formatter_and_type_checker(world: World, tmp_path: Path) -> None:
    """With the default settings of these tools, and with strict types."""
    for vocabulary in VOCABULARIES:
        for language in ("python", "python-plugin"):
            shutil.copytree(world.exported(vocabulary, language).folder, tmp_path / f"{vocabulary}_{language}")
    checks: tuple[tuple[str, ...], ...] = (
        ("ruff", "check", "--isolated", "."),
        ("ruff", "format", "--isolated", "--check", "."),
    )
    strict = ("mypy", "--strict", "--cache-dir", str(ROOT / ".mypy_cache"), "__main__.py")
    calls = [(folder, each) for folder in tmp_path.iterdir() for each in checks]
    calls += [(tmp_path / f"{each}_python", strict) for each in VOCABULARIES]
    for folder, command in calls:
        done = subprocess.run([sys.executable, "-m", *command], cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_exported_secrets_are_only_in_the_import_file(language: str, world: World) -> None:
    """Only its owner can read that file; the program refers to settings, and explains how to set them."""
    sandbox, exported = world.sandbox("clickhouse"), world.exported("clickhouse", language)
    secrets = [ADDRESS, sandbox.key_secret, sandbox.stack_token]
    for file in filter(Path.is_file, exported.folder.iterdir()):  # Python may have written bytecode
        text = file.read_text(encoding="utf-8")
        is_import = file.name == "import.json"
        assert (stat.S_IMODE(file.stat().st_mode) & 0o077 == 0) is is_import, file
        found = [secret for secret in secrets if secret in text]
        assert found == ([ADDRESS] if is_import and language == "python" else []), file
    assert not any(secret in exported.stderr for secret in secrets)
    mark = "//" if language == "typescript" else "#"
    assert f"{mark} pulumi config set --secret hookUrl\n" in exported.program
    assert f"{mark} No server returns these secrets of a Webhook, so they are not here: headers, queryParams.\n" in (
        exported.program
    )


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("git") is None, reason="git is not on PATH")
@pytest.mark.parametrize("language", LANGUAGES)
def test_exported_gitignore_excludes_secrets_and_generated_files(language: str, world: World, tmp_path: Path) -> None:
    """Git would commit everything except the import file and the files that the language generates."""
    folder = shutil.copytree(world.exported("clickhouse", language).folder, tmp_path / "out")
    generated = GENERATED[language]
    for name in (*generated, ".import.json.unfinished", "sdks/clouddb/sdk"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    written = {file.name for file in folder.iterdir() if file.is_file()}
    git = ("git", "-c", "core.excludesFile=", "-C", str(folder))
    subprocess.run([*git, "init", "--quiet"], check=True)
    listing = [*git, "ls-files", "--others", "--exclude-standard"]
    listed = subprocess.run(listing, capture_output=True, text=True, check=True)
    assert set(listed.stdout.split()) == written - {"import.json", ".import.json.unfinished"} | {"sdks/clouddb/sdk"}
    assert ".gitignore" in listed.stdout


SETTINGS = (
    *("get_backup_configuration", "get_query_endpoint", "get_upgrade_window", "get_settings", "get_backup_bucket"),
    *("get_snapshot_configuration", "get_replica_aware_routing"),
)
"""Operations that are called for each service."""


def expected_reads(sandbox: Sandbox, vocabulary: str) -> Counter[str]:
    """Return the number of reads other than lists, as the collections declare them."""
    services = SERVICES if vocabulary == "clickhouse" else 0
    expected = Counter({**dict.fromkeys(SETTINGS, services), "get_pipe": len(sandbox.pipes)})  # its scaling
    expected["get_postgres_config"] = len(sandbox.objects("postgres_services"))
    for handler in RESOURCES.values():
        collection = handler.collection
        listed = collection.LIST.managed
        if handler.type.only in (None, vocabulary) and not listed.lists:  # a part of another object
            expected[listed.name] += services if "{serviceId}" in listed.path else 1
        if collection.not_listed:
            found = sandbox.objects(collection.plural()).values()
            inline = [each for each in found if each.get("source") == "inline"]
            expected[collection.GET.managed.name] += len(inline if collection is Alerts else found)
    expected["get_byoc_tags"] = expected["get_byoc_infrastructure"]
    return +expected


@pytest.mark.parametrize("vocabulary", ONE_IN_QUICK_TESTS)
def test_export_reads_each_list_once(vocabulary: str, world: World) -> None:
    """Objects come from lists; only properties that lists lack are read one by one. No request writes."""
    sandbox, requests = world.sandbox(vocabulary), world.requests(vocabulary, QUICK)
    assert {entry.method for entry in requests} == {"GET"}
    single = [entry for entry in requests if "list_" not in str(entry.operation)]
    assert Counter(str(entry.operation) for entry in single) == expected_reads(sandbox, vocabulary)
    lists = [entry.path for entry in requests if entry not in single]
    assert len(lists) == len(set(lists))


def test_exported_programs_have_references_in_place_of_ids(world: World) -> None:
    """To tiles, dashboards, webhooks, sources, searches, connections and services, also within tiles and filters."""
    program = read(world.exported("clickhouse", "yaml"))
    text = world.exported("clickhouse", "yaml").program
    own = {entry["id"].rpartition("/")[2] for entry in world.exported("clickhouse", "yaml").entries.values()}
    ids = re.findall(
        r"\b[0-9a-f]{24}\b|\b[0-9a-f-]{36}\b",
        "\n".join(
            line for line in text.splitlines() if not any(each in line for each in ("keyId", "pipeId", "userId", "#"))
        ),
    )
    literal = {each for each in ids if each in own}
    assert literal == set()
    links = [each for each in program.resources.values() if each.kind == "SourceLinks"]
    assert len(links) == 4  # logs and traces refer to each other on each server
    kinds = {each.kind for each in program.resources.values()}
    assert kinds == kinds_in(world.sandbox("clickhouse"))
    for reference in ("tileIds[", "onClick", "appliesToSourceIds"):
        assert reference in text


def test_exported_programs_leave_out_defaults(world: World) -> None:
    """Also in tiles and in what they select; a language stays with its text."""
    program = world.exported("clickhouse", QUICK).program
    defaults = ("asRatio: false", "fillNulls: true", 'where: ""', 'valueExpression: ""', "settings: {}", "tags: []")
    assert [each for each in defaults if each in program] == []
    for each in ("fillNulls: false", "where: a:1"):
        assert each in program


NEXT = re.compile(r"^  (pulumi .*)$", re.MULTILINE)


def test_export_prints_the_next_commands(world: World, tmp_path: Path) -> None:
    """The commands can be pasted; if there are many secrets, only some are listed."""
    stderr = world.exported("clickhouse", QUICK).stderr
    commands = NEXT.findall(stderr)
    assert commands[-2:] == ["pulumi import --file import.json --generate-code=false", "pulumi preview"]
    assert "pulumi stack init dev" in commands
    assert "pulumi config set --secret clouddb:keySecret" in commands
    assert "more, listed in the program; --init sets all of them" in stderr
    assert "\nThen delete import.json.\n" in stderr
    few = export(world.sandbox("clickhouse"), tmp_path / "my folder", "typescript", "--kind", "service").stderr
    assert f"  cd '{tmp_path}/my folder'\n" in few
    assert 'pulumi package get-schema "$(command -v pulumi-resource-clouddb)" > clouddb.json' in few
    assert "pulumi package add clouddb.json" in few
    dynamic = export(world.sandbox("clickhouse"), tmp_path / "dynamic", "python", "--kind", "service").stderr
    assert "Then delete import.json; it may contain secrets, so only you can read it." in dynamic
    assert "--init" not in few


WATCHED = {"Dashboard": 1, "Alert": 2}
DATABASES = {"Service", "PostgresService"}

CHOICES: dict[str, tuple[str, dict[str, int]]] = {
    "kinds": ("--kind Service --kind apikey", {"Service": 2, "ApiKey": 2}),
    "a name": ("--name Orders", {"Service": 1, "Dashboard": 1}),
    "a glob": ("--kind Dashboard --kind Alert --name *a*", WATCHED),
    "a kind and a name": ("--kind Dashboard --name [ON]*", {"Dashboard": 1}),
    "a label": ("--tag shop", {"Dashboard": 1}),
    "a tag of a service": ("--tag team", {"Service": 1}),
    "its value": ("--tag team=a --tag team=b", {"Service": 1}),
    "another value": ("--kind Service --tag team=b --tag shop", {}),
    "an id": ("--id {dashboard}", {"Dashboard": 1}),
    "an id with its service": ("--id {service}/{dashboard}", {"Dashboard": 1}),
    "all of a service": ("--kind Dashboard --kind Alert --id {service}/*", {"Dashboard": 1, "Alert": 2}),
    "the key in use": ("--kind ApiKey --id *", {"ApiKey": 3}),
}


@pytest.fixture(scope="module")
def small() -> Iterator[tuple[Sandbox, dict[str, str]]]:
    """A sandbox with a few objects, and their ids."""
    with Sandbox(vocabulary=VocabularyName.CLICKHOUSE) as sandbox:
        for each in ("webhooks", "sources", "connections"):
            for id_ in list(sandbox.objects(each)):
                sandbox.remove(each, id_)
        where = {"provider": "aws", "region": "us-east-1"}
        service = sandbox.add("services", name="Orders", tags=[{"key": "team", "value": "a"}], **where)["id"]
        other = sandbox.add("services", name="Billing", **where)["id"]
        shown = {"displayType": "markdown", "markdown": "x"}
        sql = {"displayType": "line", "configType": "sql", "connectionId": "6" * 24, "sqlTemplate": "SELECT 1"}
        line = {"displayType": "line", "sourceId": "7" * 24, "select": [{"aggFn": "count"}]}
        tiles = [
            {"name": name, "x": 0, "y": 0, "w": 6, "h": 3, "config": config}
            for name, config in (("text", shown), ("sql", sql), ("line", line))
        ]
        board = sandbox.add("dashboards", serviceId=service, name="Orders", tags=["shop"], tiles=tiles)
        hook = sandbox.add("webhooks", serviceId=service, name="Hook", service="generic", url=ADDRESS)["id"]
        rule = {"threshold": 1, "interval": "5m", "thresholdType": "above", "source": "tile"}
        for name in ("too many", "at all"):
            sandbox.add(
                "alerts",
                **{"serviceId": service, "name": name, "tileId": board["tiles"][2]["id"], **rule},
                dashboardId=board["id"],
                channel={"type": "webhook", "webhookId": hook},
            )
        sandbox.add("dashboards", serviceId=other, name="Plan", tiles=tiles[:1])
        sandbox.add("postgres_services", name="Ledger", size="m6gd.large", **where)
        sandbox.add_key(name="a", roles=["developer"])
        sandbox.add_key(name="b", roles=["developer"])
        yield sandbox, {"service": service, "dashboard": board["id"], "hook": hook}


@pytest.mark.parametrize(("words", "found"), CHOICES.values(), ids=CHOICES)
def test_export_selects_objects_by_options(
    words: str, found: dict[str, int], small: tuple[Sandbox, dict[str, str]], tmp_path: Path
) -> None:
    """Repeated options are alternatives; different options are combined."""
    sandbox, ids = small
    done = run(sandbox, tmp_path / "out", *words.format(**ids).split())
    kinds = [kind.rpartition(":")[2] for kind, _ in Exported("python", tmp_path / "out", "").entries] if found else []
    assert {kind: kinds.count(kind) for kind in kinds} == found, done.output
    assert done.exit_code == (0 if found else 1)


def test_reference_to_an_object_that_is_not_exported_is_an_id(
    small: tuple[Sandbox, dict[str, str]], tmp_path: Path
) -> None:
    """A comment in the program and a warning name the webhook of an alert that is not exported."""
    sandbox, ids = small
    exported = export(sandbox, tmp_path / "out", "python", "--kind", "Alert", "--kind", "Dashboard")
    note = "# channel.webhookId: the id of a Webhook that is not in this program."
    assert note in exported.program.splitlines()
    assert f'webhook_id="{ids["hook"]}"' in exported.program
    assert f"warning: Webhook {ids['hook']}: not in this program, which refers to it by its id" in exported.stderr
    assert "orders.id" in exported.program  # the dashboard, not the service
    assert f'service_id="{ids["service"]}"' in exported.program
    assert "Connection" not in exported.stderr  # servers of services have no connections to manage


@pytest.mark.parametrize("language", READERS)
def test_exported_databases_are_protected(language: str, small: tuple[Sandbox, dict[str, str]], tmp_path: Path) -> None:
    """In the program and by the import; with --no-protect in neither."""
    kinds = [word for kind in (*DATABASES, "Webhook") for word in ("--kind", kind)]
    for option, protects in (("--protect", True), ("--no-protect", False)):
        exported = export(small[0], tmp_path / option, language, option, *kinds)
        resources = read(exported).resources.values()
        assert {each.kind for each in resources} > DATABASES
        assert {each.kind for each in resources if each.protect} == (DATABASES if protects else set())
        assert ("--protect=false" in exported.stderr) is not protects


def test_scalings_of_pipes_are_exported_only_on_request(small: tuple[Sandbox, dict[str, str]], tmp_path: Path) -> None:
    """Every pipe has a scaling, and most are defaults."""
    everything = export(small[0], tmp_path / "all")
    assert "clouddb.PipeScaling(" not in everything.program
    why = "omitted: every pipe has a scaling, even if nobody has set it; --kind PipeScaling exports them"
    assert f"warning: PipeScaling of all services: {why}" in everything.stderr
    done = run(small[0], tmp_path / "some", "--kind", "PipeScaling")
    assert done.exit_code == (0 if small[0].pipes else 1)


def test_alerts_on_dashboards_with_equal_tile_ids_refer_to_their_own() -> None:
    """Two dashboards from one template have tiles with the same ids; each alert refers to its own dashboard."""
    tile = {"id": "a" * 24, "name": "errors", "x": 0, "y": 0, "w": 1, "h": 1}
    boards = [
        Found(
            "Dashboard",
            f"board-{number}",
            f"{number}" * 24,
            ReadResult({"tileIds": {"errors": tile["id"]}}, {"name": "x", "tiles": [{"name": "errors"}]}),
        )
        for number in (1, 2)
    ]
    alerts = [
        Found(
            "Alert",
            f"alert-{number}",
            f"{number + 2}" * 24,
            ReadResult({}, {"dashboardId": f"{number}" * 24, "tileId": tile["id"]}),
        )
        for number in (1, 2)
    ]
    steps, _ = statements([*boards, *alerts])
    tile_ids = {step.name: step.properties["tileId"] for step in steps if step.kind == "Alert"}
    assert tile_ids == {"alert-1": Ref("board_1.tileIds", "errors"), "alert-2": Ref("board_2.tileIds", "errors")}


@pytest.mark.parametrize("language", READERS)
def test_chart_of_an_alert_refers_to_its_source_and_connection(language: str, tmp_path: Path) -> None:
    """A program with all three declares no id."""
    rule = {"threshold": 1, "interval": "5m", "thresholdType": "above", "source": "inline"}
    charts = {
        "Rows": {"displayType": "line", "sourceId": LOGS, "select": [{"aggFn": "count"}]},
        "Query": {"configType": "sql", "displayType": "number", "connectionId": CONNECTION, "sqlTemplate": "SELECT 1"},
    }
    with Sandbox(vocabulary=VocabularyName.CLICKHOUSE) as sandbox:
        for name, chart in charts.items():
            sandbox.add("alerts", name=name, chartConfig=chart, channel={"type": "webhook", "webhookId": CALM}, **rule)
        exported = export(sandbox, tmp_path / "out", language, *EVERY_KIND)
        kinds = {"sourceId": "Source", "connectionId": "Connection"}
        program = read(exported)
    written = [each.properties["chartConfig"] for each in program.resources.values() if each.kind == "Alert"]
    objects = [each.properties if isinstance(each, Typed) else each for each in written]
    found = {(name, each[name].variable) for each in objects for name in kinds if name in each}
    assert {(name, program.resources[one].kind) for name, one in found} == {*kinds.items()}


def test_what_no_program_can_say_of_an_object_is_named(tmp_path: Path) -> None:
    """Where it is in the program, and at the terminal: two filters that nothing tells apart."""
    same = {"id": "f", "type": "QUERY_EXPRESSION", "name": "Service", "expression": "ServiceName", "sourceId": LOGS}
    failure = "filters must each have a name, expression and source of their own; 'Service' of 'ServiceName' occurs"
    with Sandbox(vocabulary=VocabularyName.CLICKHOUSE) as sandbox:
        sandbox.add("dashboards", name="Shop", tiles=[], filters=[same, {**same, "id": "g"}])
        exported = export(sandbox, tmp_path / "out", "python", "--kind", "Dashboard")
    warning = rf"warning: Dashboard \w+ has values that no program can declare\. .*{re.escape(failure)}"
    assert re.search(warning, exported.stderr)
    (comment,) = (line for line in exported.program.splitlines() if failure in line)
    assert comment.startswith("# Omitted, as a program cannot declare it; the server keeps it: ")


def test_export_omits_the_key_in_use(world: World) -> None:
    """A program that disables or restricts its own key could not undo that."""
    exported = world.exported("clickhouse", QUICK)
    assert "Sandbox admin" in exported.stderr
    assert "--id exports it" in exported.stderr
    assert "Sandbox admin" not in exported.program


def test_export_omits_objects_that_no_program_can_declare(world: World) -> None:
    """A warning has the failure of check."""
    stderr = world.exported("clickhouse", QUICK).stderr
    assert re.search(r"warning: Service 'n+…: omitted: name must have at most 50 characters but has 200", stderr)


def test_export_warns_about_lists_without_permission(small: tuple[Sandbox, dict[str, str]], tmp_path: Path) -> None:
    """The other objects are exported."""
    sandbox, _ = small
    sandbox.fault("list_keys", kind="status", status=403, times=9)
    try:
        exported = export(sandbox, tmp_path / "out", "python", "--kind", "ApiKey", "--kind", "Service")
    finally:
        sandbox.clear_faults()
    assert "warning: ApiKey of the organization: not listed: could not list the keys: 403 " in exported.stderr
    assert {kind.rpartition(":")[2] for kind, _ in exported.entries} == {"Service"}


def test_export_warns_about_missing_list_operations(tmp_path: Path) -> None:
    """A server with only the documented operations; the services are exported."""
    with Sandbox(vocabulary="neutral", documented_only=True) as sandbox:
        sandbox.add("services", name="Orders")
        done = run(sandbox, tmp_path / "out")
    assert "of the organization: the server does not list them" in done.stderr


def test_export_stops_reading_a_missing_observability_server(
    small: tuple[Sandbox, dict[str, str]], tmp_path: Path
) -> None:
    """There is one warning for all such services, and their other lists are not requested."""
    sandbox, _ = small
    sandbox.fault("list_dashboards", kind="not_found", times=9)
    sandbox.forget_requests()
    try:
        exported = export(sandbox, tmp_path / "out")
    finally:
        sandbox.clear_faults()
    assert (
        "warning: Service Orders, Billing: its observability server does not list objects: it does not exist, or is "
        "stopped"
    ) in exported.stderr
    assert sandbox.count("list_alerts") == sandbox.count("list_webhooks") == 0


class AdvancingRuntime(Runtime):
    """A clock that a test advances."""

    ahead = 0.0

    def monotonic(self) -> float:
        """Return the advanced time."""
        return super().monotonic() + self.ahead


def test_slow_export_reads_each_list_once(world: World) -> None:
    """With a rate limit, each list can wait for a minute, and lists of before are not requested again."""
    sandbox, clock, warnings = world.sandbox("neutral"), AdvancingRuntime(), list[str]()
    session = Session(config_for(sandbox), scope="", warn=lambda message, _: warnings.append(message), runtime=clock)

    def later(*_: object) -> None:
        clock.ahead += 61

    sandbox.forget_requests()
    done = export_all(session, Choice(), Language.YAML, "x", later, protect=True)
    assert done.counts["Dashboard"] == DASHBOARDS
    lists = [entry.path for entry in sandbox.requests if "list_" in str(entry.operation)]
    assert not [each for each in warnings if "is missing" in each]  # checks of less than an object has are silent
    assert len(lists) == len(set(lists)) + 1  # the services again, after a minute, for their observability servers
    session.client.close()


def test_export_shows_progress_only_in_a_terminal(small: tuple[Sandbox, dict[str, str]], tmp_path: Path) -> None:
    """A progress bar with the current list; a pipe receives only the result."""
    words = ("--kind", "Service", "--kind", "Dashboard")
    terminal = run(small[0], tmp_path / "terminal", *words, FORCE_COLOR="1", TERM="xterm").stderr
    assert "Dashboard of Orders" in terminal
    assert "Dashboard of Orders" not in run(small[0], tmp_path / "piped", *words).stderr


REFUSED: dict[str, tuple[str, dict[str, str], ExportExit, str]] = {
    "an unknown kind": (
        "--kind Pump",
        {},
        ExportExit.USAGE,
        "'Pump': the resources are Service, Pipe, PipeScaling",
    ),
    "an unknown language": ("--language go", {}, ExportExit.USAGE, "'go' is not one of"),
    "no object of that name": (
        "--name nobody",
        {},
        ExportExit.FAILED,
        "error: there is nothing to export\nCheck --kind, --name, --tag and --id, or omit them.",
    ),
    "wrong credentials": (
        "",
        {"CLOUDDB_KEY_SECRET": "wrong"},
        ExportExit.FAILED,
        "error: could not list the services: ",
    ),
    "an unreachable server": (
        "",
        {"CLOUDDB_BASE_URL": "http://127.0.0.1:9", "CLOUDDB_RETRY_TIMEOUT_SECONDS": "0"},
        ExportExit.FAILED,
        "error: could not list the services: ",
    ),
    "no server": (
        "",
        {"CLOUDDB_KEY_ID": "", "CLOUDDB_STACK_URL": ""},
        ExportExit.FAILED,
        "error: there is no server to export from: neither clouddb:organizationId",
    ),
    "a stack without the CLI": ("--stack dev", {"PATH": ""}, ExportExit.FAILED, "error: --stack needs the pulumi CLI"),
    "no state file": ("--from-terraform gone.tfstate", {}, ExportExit.USAGE, "does not exist"),
}


@pytest.mark.parametrize(("words", "env", "code", "message"), REFUSED.values(), ids=REFUSED)
def test_failed_export_prints_an_error_and_writes_nothing(
    words: str,
    env: dict[str, str],
    code: ExportExit,
    message: str,
    small: tuple[Sandbox, dict[str, str]],
    tmp_path: Path,
) -> None:
    """With the exit code of the kind of error; the folder is not created."""
    done = run(small[0], tmp_path / "out", *words.split(), **env)
    assert done.exit_code == code, done.output
    assert message in (unboxed(done.stderr) if code == ExportExit.USAGE else done.stderr)
    assert "Traceback" not in done.output
    assert not (tmp_path / "out").exists()


def test_export_finds_the_organization_of_the_key(small: tuple[Sandbox, dict[str, str]], tmp_path: Path) -> None:
    """It need not be set; one request finds it."""
    small[0].forget_requests()
    done = run(small[0], tmp_path, "--kind", "Service", CLOUDDB_ORGANIZATION_ID="")
    assert done.exit_code == ExportExit.WRITTEN, done.output
    assert "Orders" in (tmp_path / "__main__.py").read_text(encoding="utf-8")
    assert small[0].count("get_caller") == 1


def test_export_does_not_overwrite_a_folder(small: tuple[Sandbox, dict[str, str]], tmp_path: Path) -> None:
    """Without --force, no request is sent; with it, only files of the same names are overwritten."""
    sandbox, _ = small
    (tmp_path / "mine.txt").write_text("mine")
    (tmp_path / "__main__.py").write_text("mine")
    (tmp_path / ".gitignore").write_text("mine/\nvenv/")
    sandbox.forget_requests()
    done = run(sandbox, tmp_path, "--kind", "Service")
    assert (done.exit_code, sandbox.requests) == (1, [])
    assert f"error: the folder {tmp_path} is not empty\nChoose another one with --output, or overwrite" in done.stderr
    assert (tmp_path / "__main__.py").read_text() == "mine"
    assert run(sandbox, tmp_path, "--kind", "Service", "--force").exit_code == ExportExit.WRITTEN
    assert "clouddb.Service(" in (tmp_path / "__main__.py").read_text()
    assert (tmp_path / "mine.txt").read_text() == "mine"
    ignored = (tmp_path / ".gitignore").read_text()
    assert ignored == "mine/\nvenv/\n/import.json\n/.import.json.*\n__pycache__/\n.venv/\n"
    (tmp_path / "file").write_text("")
    done = run(sandbox, tmp_path / "file")
    assert done.exit_code == ExportExit.FAILED
    assert f"error: {tmp_path / 'file'} is not a folder\nChoose a folder with --output." in done.stderr
    done = run(sandbox, tmp_path / ("x" * 300))
    assert done.exit_code == ExportExit.FAILED
    assert "cannot be read: File name too long\nChoose another folder with --output." in done.stderr


def test_export_reports_a_stack_that_cannot_be_created(small: tuple[Sandbox, dict[str, str]], tmp_path: Path) -> None:
    """The project is written, and the next commands include the creation of the stack."""
    done = run(small[0], tmp_path / "out", "--kind", "Service", "--init", "dev", PATH="")
    assert done.exit_code == ExportExit.NO_STACK
    assert "error: the stack dev is not ready: --init needs the pulumi CLI, which is not on PATH" in done.stderr
    assert "pulumi stack init dev" in NEXT.findall(done.stderr)
    assert json.loads((tmp_path / "out" / "import.json").read_text())["resources"]


def test_export_omits_what_the_stack_manages(small: tuple[Sandbox, dict[str, str]], tmp_path: Path) -> None:
    """Two stacks would revert each other; an id exports such an object all the same."""
    sandbox, ids = small
    pulumi = fake_pulumi.install(tmp_path / "bin", {**sandbox.config, "clouddb:pacing": "false"})
    inputs = {"Service": {"name": "Orders"}, "Dashboard": {"name": "Orders", "serviceId": ids["service"]}}
    resources = [
        {
            "type": f"clouddb:index:{kind}",
            "urn": f"urn:pulumi:dev::shop::clouddb:index:{kind}::orders",
            "id": ids[kind.lower()],
            "inputs": each,
        }
        for kind, each in inputs.items()
    ]
    (pulumi / "state.json").write_text(json.dumps({"deployment": {"resources": resources}}), encoding="utf-8")
    words = ("--kind", "Service", "--kind", "Dashboard", "--stack", "dev")
    for folder, more, names in (
        ("others", [], ["billing", "plan"]),
        ("chosen", ["--id", ids["service"], "--id", ids["dashboard"]], ["orders", "orders"]),
    ):
        done = run(sandbox, tmp_path / folder, *words, *more, PATH=f"{pulumi}:/usr/bin:/bin")
        assert sorted(name for _, name in Exported("python", tmp_path / folder, "").entries) == names, done.output
        assert ("omitted: stack dev manages it" in done.stderr) is (more == [])


@pytest.mark.parametrize(("language", "text"), [("yaml", json.dumps(ADDRESS)), ("python", ADDRESS)])
def test_export_init_configures_the_stack(
    language: str, text: str, small: tuple[Sandbox, dict[str, str]], tmp_path: Path
) -> None:
    """It sets all plain values in one command, and each secret through standard input, for YAML in quotes.

    Pulumi's YAML would parse a JSON text as an object, even if the program declares the setting as text.
    """
    recording_cli(tmp_path / "bin" / "pulumi", tmp_path / "log")
    words = ("--kind", "Webhook", "--language", language, "--init", "dev")
    done = run(small[0], tmp_path / "out", *words, PATH=str(tmp_path / "bin"))
    assert done.exit_code == 0, done.output
    calls = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    plain = [words for words, _ in calls if words[:2] == ["config", "set-all"]]
    secret = {words[3]: stdin for words, stdin in calls if words[:3] == ["config", "set", "--secret"]}
    assert len(plain) == 1
    assert {"clouddb:pacing=false", "clouddb:vocabulary=clickhouse"} <= set(plain[0])
    assert secret["hookUrl"] == text
    assert secret["clouddb:keySecret"] == small[0].key_secret
    assert len(calls) == 2 + len(secret)


def test_export_reads_all_pages_of_keys(tmp_path: Path) -> None:
    """A page has 250 keys; the key in use is omitted."""
    with Sandbox(vocabulary="clickhouse") as sandbox:
        for number in range(251):
            sandbox.add("keys", name=f"key {number}")
        exported = export(sandbox, tmp_path / "whole", QUICK, "--kind", "ApiKey")
        assert sum(kind == "clouddb:index:ApiKey" for kind, _ in exported.entries) == 251
