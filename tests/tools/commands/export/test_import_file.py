"""`clouddb import-file`: its files for existing objects, and its errors.

test_plugin_cli tests with the real CLI that Pulumi imports the file, and that a preview has no changes.
"""

from __future__ import annotations

import errno
import json
import os
import re
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pulumi
import pytest
from pulumi.dynamic.dynamic import PROVIDER_KEY
from typer.testing import CliRunner, Result

from clouddb_tools.commands.exit_codes import ImportFileExit
from clouddb_tools.commands.export.files import write
from clouddb_tools.commands.export.graph import statements
from clouddb_tools.commands.export.import_file import NotImportableError, Wanted, parse
from clouddb_tools.commands.export.python import python_program
from clouddb_tools.commands.export.reading import Found
from clouddb_tools.commands.main import app
from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import Secret
from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.dynamic.provider import serialized
from pulumi_clouddb.engine.wire import codec
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource.lifecycle import ReadResult
from support.exported import plain
from support.five import SCHEMA, create_unmanaged, environment, setting
from support.host import DynamicHost
from support.registered import registered

SERVICE_ID = "5a0c8d3e-7d5e-4f0b-9d52-0f2f6f0d9a11"
DISK_KEY = "my-own-disk-key"


@pytest.fixture
def configured(neutral_sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Sandbox:
    """Set the configuration of a sandbox in the environment, and change to an empty folder."""
    for name, value in environment(neutral_sandbox).items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    return neutral_sandbox


def words(ids: dict[str, str]) -> list[str]:
    """Return the arguments for objects, each named after its kind."""
    return [f"{kind}:{kind.lower()}={object_id}" for kind, object_id in ids.items()]


def run(*arguments: str) -> Result:
    """Run the command."""
    return CliRunner().invoke(app, ["import-file", *arguments])


def entries(file: Path = Path("import.json")) -> dict[str, dict[str, Any]]:
    """Return the resources of an import file by their names."""
    return {each["name"]: each for each in json.loads(file.read_text(encoding="utf-8"))["resources"]}


def test_host_finds_no_changes_in_an_import_file(configured: Sandbox, tmp_path: Path) -> None:
    """Inputs pass check, do not differ from the outputs, and a refresh reads the same outputs."""
    ids = create_unmanaged(configured)
    configured.forget_requests()
    assert run(*words(ids)).exit_code == 0
    assert {entry.method for entry in configured.requests} == {"GET"}
    found = entries()
    with DynamicHost(configured.config, tmp_path) as host:
        for kind, object_id in ids.items():
            entry = found[kind.lower()]
            id_ = object_id if kind == "PipeScaling" else object_id.rpartition("/")[2]
            assert (entry["type"], entry["id"]) == (RESOURCES[kind].type.dynamic_token, id_)
            assert entry["inputs"][PROVIDER_KEY] == entry["outputs"][PROVIDER_KEY] == serialized(kind)
            inputs, outputs = plain(entry["inputs"]), plain(entry["outputs"])
            checked = host.check(kind, inputs)
            assert checked.failures == []
            assert not host.diff(kind, id_, outputs, checked.inputs).changes
            read = host.read(kind, id_, outputs)
            assert (read.outputs, read.inputs) == (outputs, inputs)


def test_printed_program_declares_the_resources_of_the_file(configured: Sandbox) -> None:
    """Its resources have the file's types, names and inputs, with references between them."""
    ids = create_unmanaged(configured)
    done = run(*reversed(words(ids)))
    assert "service_id=service.id" in done.stdout
    assert "dashboard_id=dashboard.id" in done.stdout
    found = entries()
    assert 'tile_id=dashboard.tile_ids["Errors"]' in done.stdout
    known = {(each["type"], name): each for name, each in found.items()}
    declared = registered(done.stdout, {key: (each["id"], each["outputs"]) for key, each in known.items()})
    assert declared == {key: each["inputs"] for key, each in known.items()}


NAMES = ["class", "1st", "clouddb", "a b", "a-b", "Über", "2", "2!", "api_key"]


def test_program_for_unusual_names_and_texts() -> None:
    """Variables are valid and unique, texts round-trip, and whole numbers have no decimal point."""
    text = "“Orders” \u2028 'today' \"now\" 😀\n"
    ids = {name: f"id of {name}" for name in NAMES}
    keys = [Found("ApiKey", name, id_, ReadResult({}, {"keyId": id_, "name": text})) for name, id_ in ids.items()]
    scaling = Found("PipeScaling", "p", "s/p", ReadResult({}, {"serviceId": "s", "pipeId": "p", "replicas": 2.0}))
    written = python_program(statements([*keys, scaling])[0], SCHEMA)
    types = {kind: RESOURCES[kind].type.dynamic_token for kind in ("ApiKey", "PipeScaling")}
    known: dict[tuple[str, str], tuple[str, dict[str, Any]]]
    known = {(types["ApiKey"], name): (id_, {}) for name, id_ in ids.items()}
    found = registered(written, {**known, (types["PipeScaling"], "p"): ("s/p", {})})
    assert [found[key]["name"] for key in known] == [text] * len(NAMES)
    assert len(set(re.findall(r"^(\w+) = ", written, re.MULTILINE))) == len(NAMES) + 1
    assert "replicas=2)" in written


def test_secrets_in_the_file_are_in_envelopes(configured: Sandbox) -> None:
    """Secrets of the server are Pulumi secrets in the file, and are not printed."""
    service_id = setting(configured)["serviceId"]
    configured.change("services", service_id, encryptionKey=DISK_KEY)
    done = run(f"Service:orders={service_id}")
    outputs = entries()["orders"]["outputs"]
    assert codec.read(outputs)["encryptionKey"] == Secret(DISK_KEY)
    assert outputs["encryptionKey"]["plaintext"] == json.dumps(DISK_KEY)
    assert "encryptionKey" not in entries()["orders"]["inputs"]
    for secret in (DISK_KEY, configured.key_secret, configured.stack_token):
        assert secret not in done.stdout + done.stderr
    assert Path("import.json").read_text(encoding="utf-8").count(DISK_KEY) == 1


def test_secret_inputs_are_settings_in_the_program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It is an envelope in the file, and the program reads it from the configuration."""
    with Sandbox(vocabulary="clickhouse") as sandbox:
        for name, value in environment(sandbox).items():
            monkeypatch.setenv(name, value)
        monkeypatch.chdir(tmp_path)
        address = "https://events.example.com/canary-of-the-address"
        hook = sandbox.add("webhooks", name="On call", service="generic", url=address)
        done = run(f"Webhook:on-call={hook['id']}")
    assert done.exit_code == ImportFileExit.WRITTEN, done.stderr
    assert codec.read(entries()["on-call"]["inputs"])["url"] == Secret(address)
    assert address not in done.stdout + done.stderr
    assert "# pulumi config set --secret onCallUrl\nconfig = pulumi.Config()\n" in done.stdout
    pulumi.runtime.set_all_config({"project:onCallUrl": address})
    key = (RESOURCES["Webhook"].type.dynamic_token, "on-call")
    declared = registered(done.stdout, {key: (hook["id"], {})})
    pulumi.runtime.set_all_config({})
    assert codec.read(declared[key])["url"] == Secret(address)


def test_import_file_prints_the_next_command(configured: Sandbox) -> None:
    """The command can be pasted; the message names the file, which only its owner can read."""
    file = Path("my import.json")
    file.write_text("an older one")
    file.chmod(0o644)
    done = run(f"ApiKey:ci={create_unmanaged(configured)['ApiKey']}", "--output", str(file))
    assert "Wrote my import.json. It may contain secrets" in done.stderr
    assert "\n  pulumi import --file 'my import.json' --generate-code=false\n" in done.stderr
    assert done.stdout.startswith("import pulumi_clouddb as clouddb\n")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert os.listdir() == [file.name]


WRONG = {
    "no id": (["Service:main="], ["'Service:main=' does not have the form TYPE:NAME=ID"]),
    "no name": (["Service:=x", "Service"], ["'Service:=x' does not have the form", "'Service' does not have the form"]),
    "an unknown type": (["Pump:a=b"], ["'Pump:a=b' has an unknown type: the types are Service, Pipe, PipeScaling"]),
    "one name twice": (["ApiKey:a=b", "ApiKey:a=c"], ["two resources of the type ApiKey are named 'a'"]),
    "one object twice": (["ApiKey:a=c", "ApiKey:b=c"], ["ApiKey c is given twice"]),
    "several errors": (
        ["Pump:a=b", "ApiKey:a="],
        ["has an unknown type", "'ApiKey:a=' does not have the form"],
    ),
}


@pytest.mark.parametrize(("arguments", "messages"), WRONG.values(), ids=WRONG)
def test_invalid_arguments_are_rejected(arguments: list[str], messages: list[str]) -> None:
    """The error contains all reasons."""
    with pytest.raises(NotImportableError) as error:
        parse(arguments)
    assert len(error.value.reasons) == len(messages)
    for reason, expected in zip(error.value.reasons, messages, strict=True):
        assert expected in reason


def test_names_can_contain_colons_and_equals_signs() -> None:
    """The type ends at the first colon, and the id begins after the last equals sign; types can share a name."""
    arguments = ["Service:a:b=c=ID", "ApiKey:a:b=c=ID"]
    assert parse(arguments) == [Wanted("Service", "a:b=c", "ID"), Wanted("ApiKey", "a:b=c", "ID")]


def test_objects_that_cannot_be_read_are_reported_together(configured: Sandbox) -> None:
    """Errors name missing objects and invalid ids by their names, and the file is not changed."""
    file = Path("import.json")
    file.write_text("an older one")
    ids = create_unmanaged(configured)
    done = run(
        *words(ids),
        f"Service:gone={SERVICE_ID}",
        "PipeScaling:half=abc",
        "Dashboard:deep=a/b/c",
        f"Alert:gone={ids['Service']}/00000000000000000000dead",
    )
    assert done.exit_code == ImportFileExit.FAILED
    assert [line for line in done.stderr.splitlines() if line.startswith("error: ")] == [
        f"error: Service:gone: Service {SERVICE_ID} does not exist",
        "error: PipeScaling:half: 'abc' is not the id of a pipe scaling",
        "error: Dashboard:deep: 'a/b/c' is not the id of a dashboard",
        f"error: Alert:gone: Alert {ids['Service']}/00000000000000000000dead does not exist",
    ]
    assert done.stderr.endswith("Nothing was written.\n")
    assert (done.stdout, file.read_text()) == ("", "an older one")


def test_wrong_credentials_are_reported_after_one_request(configured: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error that concerns all objects is printed once."""
    ids = create_unmanaged(configured)
    monkeypatch.setenv("CLOUDDB_KEY_SECRET", "wrong")
    configured.forget_requests()
    done = run(*words(ids))
    assert done.exit_code == ImportFileExit.FAILED
    assert done.stderr.count("error: ") == 1
    assert "error: Service:service: could not list the services: " in done.stderr
    assert len(configured.requests) == 1


def test_failed_write_leaves_no_temporary_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On some systems, a file that another process has open cannot be replaced."""

    def replace(*_: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "replace", replace)
    with pytest.raises(ResourceError, match="cannot be written: Permission denied\nChoose another path with --output"):
        write(tmp_path / "import.json", "", secret=True)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo])
def test_special_files_are_not_replaced(make: Callable[[Path], None], tmp_path: Path) -> None:
    """Root could replace even /dev/null."""
    path = tmp_path / "import.json"
    make(path)
    with pytest.raises(ResourceError, match="is not a regular file\nChoose another path with --output"):
        write(path, "", secret=True)
    assert not path.is_file()
    assert os.listdir(tmp_path) == [path.name]


UNUSABLE = {
    "no configuration": ({"CLOUDDB_KEY_ID": ""}, [], "clouddb:keyId is not set"),
    "an invalid address": ({"CLOUDDB_BASE_URL": "ftp://x"}, [], "clouddb:baseUrl must be an http or https"),
    "no CLI": ({"PATH": ""}, ["--stack", "dev"], "--stack needs the pulumi CLI, which is not on PATH"),
    "a missing folder": ({}, ["--output", "no/where.json"], "no/where.json cannot be written: No such file"),
}


@pytest.mark.parametrize(("env", "options", "message"), UNUSABLE.values(), ids=UNUSABLE)
def test_unusable_settings_are_reported(
    env: dict[str, str], options: list[str], message: str, configured: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In one line, with exit code 1, and without a file."""
    ids = create_unmanaged(configured)
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    done = run(f"Service:main={ids['Service']}", *options)
    assert done.exit_code == ImportFileExit.FAILED
    assert message in done.stderr
    assert "Traceback" not in done.output
    assert os.listdir() == []


OTHER_CLIS = {
    "no such stack": (
        "#!/bin/sh\necho error: no stack named dev >&2; exit 255\n",
        "error: the configuration of stack 'dev' cannot be read: no stack named dev",
    ),
    "no configuration": (
        "#!/bin/sh\necho hello\n",
        "error: the configuration of stack 'dev' cannot be read: the output of `pulumi config` is not JSON",
    ),
    "an invalid executable": ("hello", "error: the pulumi CLI cannot be run: Exec format error"),
}


@pytest.mark.parametrize(("script", "message"), OTHER_CLIS.values(), ids=OTHER_CLIS)
def test_errors_of_the_cli_are_reported(
    script: str, message: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """In one line, with the stack."""
    (tmp_path / "pulumi").write_text(script, encoding="utf-8")
    (tmp_path / "pulumi").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    done = run(f"Service:main={SERVICE_ID}", "--stack", "dev", "--output", str(tmp_path / "import.json"))
    assert done.exit_code == ImportFileExit.FAILED
    assert done.stderr == f"{message}\nNothing was written.\n"


def test_import_file_requires_an_object() -> None:
    """Without arguments, the command line is wrong."""
    assert run().exit_code == ImportFileExit.USAGE
