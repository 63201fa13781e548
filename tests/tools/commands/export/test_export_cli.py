"""`clouddb export` with the real CLI: it creates a stack, one command imports everything, and nothing changes."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import CliStack, FakeEngineStack, stack_config
from pulumi_clouddb.schema.vocabulary import VocabularyName
from support.estate import ADDRESS, tiles
from support.exported import Exported, run
from support.sdk import TYPESCRIPT, YAML, generate_sdk, typescript_packages
from support.shop import Shop

pytestmark = pytest.mark.cli

SERVICES = 2


@pytest.fixture
def existing() -> Iterator[Sandbox]:
    """A sandbox with two services, each with a dashboard with every kind of tile, an alert and a webhook.

    The second service has settings with their own endpoints, and the webhook has a JSON body.
    """
    with Sandbox(vocabulary=VocabularyName.CLICKHOUSE) as sandbox:
        for id_ in list(sandbox.objects("webhooks")):
            sandbox.remove("webhooks", id_)
        for name in ("Orders", "${Billing}"):
            service = sandbox.add("services", name=name, provider="aws", region="us-east-1")["id"]
            for default in [each["id"] for each in sandbox.objects("webhooks").values() if each["name"] != "On call"]:
                sandbox.remove("webhooks", default)
            hook = sandbox.add(
                "webhooks", serviceId=service, name="On call", service="generic", url=ADDRESS, body=BODY
            )["id"]
            board = sandbox.add("dashboards", serviceId=service, name="Overview", tiles=tiles())
            watched = {"source": "tile", "dashboardId": board["id"], "tileId": board["tiles"][0]["id"]}
            rule = {"name": "Too many", "threshold": 10, "interval": "5m", "thresholdType": "above"}
            channel = {"type": "webhook", "webhookId": hook}
            sandbox.add("alerts", serviceId=service, **watched, **rule, channel=channel)
        with sandbox.management() as http:
            beside, night = f"/services/{service}", {"name": "night", "weekdays": [1], "startHourUtc": 22}
            http.patch(f"{beside}/backupConfiguration", json={"backupStartTime": "02:00"}).raise_for_status()
            http.post(f"{beside}/serviceQueryEndpoint", json={"roles": ["sql_console_admin"]}).raise_for_status()
            entry = {**night, "endHourUtc": 6, "numReplicas": 2}
            http.post(f"{beside}/scalingSchedule", json={"entries": [entry]}).raise_for_status()
        sandbox.add_key(name="ci", roles=["developer"])
        yield sandbox


class Cli:
    """The CLI in the folder of an export, with its own backend."""

    def __init__(self, folder: Path, env: Mapping[str, str]) -> None:
        stack = CliStack("", work_dir=folder / "home")
        (folder / "home" / "backend").mkdir()
        stack.env.update(env)
        self.folder = folder / "out"
        self.environment = {name: text for name, text in stack.environment.items() if not name.startswith("CLOUDDB_K")}

    def run(self, *words: str) -> str:
        """Run a command, which must succeed, and return its output."""
        command = ["pulumi", *words, "--non-interactive", "--color", "never"]
        done = subprocess.run(
            command, cwd=self.folder, env=self.environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def steps(self, *words: str) -> dict[str, int]:
        """Run a preview or an update, and return the number of steps of each kind."""
        printed = self.run(*words)
        summary = printed.partition("Resources:")[2]
        found = re.findall(r"^\s+[^\w\s]?\s*(\d+) (\w+(?: \w+)?)$", summary, re.MULTILINE)
        return {what: int(count) for count, what in found}


BODY = json.dumps({"text": "{{title}}"}) + "\n"


LANGUAGES = ["python", "python-plugin", pytest.param("typescript", marks=TYPESCRIPT), pytest.param("yaml", marks=YAML)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_exported_objects_are_imported_by_one_command(language: str, existing: Sandbox, tmp_path: Path) -> None:
    """With the printed commands; preview and update change nothing, and destroy does not delete an adopted key."""
    sdk = {"PYTHONPATH": str(generate_sdk(tmp_path / "sdk"))} if language == "python-plugin" else {}
    cli = Cli(tmp_path, sdk)
    done = run(existing, cli.folder, "--language", language, "--init", "dev", **cli.environment)
    assert done.exit_code == 0, done.output
    if language == "typescript":
        (cli.folder / "node_modules").symlink_to(typescript_packages())
    exported = Exported(language, cli.folder, done.stderr)
    assert "Created and configured stack dev; its secrets are encrypted in Pulumi.dev.yaml." in exported.stderr
    config = (cli.folder / "Pulumi.dev.yaml").read_text(encoding="utf-8")
    assert not any(secret in config for secret in (ADDRESS, existing.key_secret, existing.stack_token))

    commands = re.findall(r"^  pulumi (.*)$", exported.stderr, re.MULTILINE)
    imports = [each for each in commands if not each.startswith("package ")]
    assert imports == ["import --file import.json --generate-code=false", "preview"]
    existing.forget_requests()
    cli.run(*imports[0].split(), "--yes")
    expected = len(exported.entries) + 1
    assert cli.steps("preview") == {"unchanged": expected}
    assert cli.steps("up", "--yes", "--skip-preview") == {"unchanged": expected}
    assert {entry.method for entry in existing.requests} <= {"GET"}

    state = json.loads(cli.run("stack", "export"))
    (service,) = (each for each in resources(state) if each.get("inputs", {}).get("name") == "${Billing}")
    assert service["inputs"].keys() >= {"backupConfiguration", "queryEndpoint", "scalingSchedule"}
    assert service["protect"]
    assert ADDRESS not in json.dumps(state)
    (key,) = (each for each in resources(state) if each["type"].endswith(":ApiKey"))
    cli.run("destroy", "--yes", "--skip-preview", "--target", key["urn"])
    assert key["id"] in existing.keys  # adopted, so it remains


@pytest.mark.parametrize("language", ["python", pytest.param("typescript", marks=TYPESCRIPT)])
def test_loops_of_terraform_are_imported(language: str, tmp_path: Path) -> None:
    """The names of resources in loops are those of the import file; preview and update change nothing."""
    cli = Cli(tmp_path, {})
    with Sandbox(vocabulary=VocabularyName.CLICKHOUSE) as sandbox:
        file = tmp_path / "terraform.tfstate"
        file.write_text(json.dumps(Shop(sandbox).state), encoding="utf-8")
        words = ("--language", language, "--from-terraform", str(file), "--init", "dev")
        done = run(sandbox, cli.folder, *words, **cli.environment)
        assert done.exit_code == 0, done.output
        if language == "typescript":
            (cli.folder / "node_modules").symlink_to(typescript_packages())
        expected = len(Exported(language, cli.folder, done.stderr).entries) + 1
        sandbox.forget_requests()
        cli.run("import", "--file", "import.json", "--generate-code=false", "--yes")
        assert cli.steps("preview") == {"unchanged": expected}
        assert cli.steps("up", "--yes", "--skip-preview") == {"unchanged": expected}
        assert {entry.method for entry in sandbox.requests} <= {"GET"}


@pytest.mark.cli("pulumi-language-go")
def test_pulumi_writes_the_program_in_go(existing: Sandbox, tmp_path: Path) -> None:
    """From the import file for YAML (docs/importing.md): it has each object, with ids, and secrets as plain text."""
    cli = Cli(tmp_path, {})
    done = run(existing, cli.folder, "--language", "yaml", "--init", "dev", **cli.environment)
    assert done.exit_code == 0, done.output
    (cli.folder / "Pulumi.yaml").write_text("name: out\nruntime: go\n", encoding="utf-8")
    (cli.folder / "go.mod").write_text("module out\n\ngo 1.22\n", encoding="utf-8")
    cli.run("import", "--file", "import.json", "--generate-code", "--out", "generated.go", "--yes")
    program = (cli.folder / "generated.go").read_text(encoding="utf-8")
    entries = json.loads((cli.folder / "import.json").read_text(encoding="utf-8"))["resources"]
    assert sorted(re.findall(r'clouddb\.New(\w+)\(ctx, "([^"]+)"', program)) == sorted(
        (each["type"].rpartition(":")[2], each["name"]) for each in entries
    )
    (board, *_) = existing.dashboards
    assert f'DashboardId:   pulumi.String("{board}")' in program
    assert f'pulumi.ToSecret("{ADDRESS}")' in program


ORGANIZATION = Path(__file__).parents[4] / "examples" / "organization"


def test_objects_of_a_program_are_imported_into_another_stack(tmp_path: Path) -> None:
    """Another stack imports all objects of examples/organization, without changes."""
    with Sandbox(vocabulary=VocabularyName.CLICKHOUSE) as sandbox:
        FakeEngineStack(ORGANIZATION, config=stack_config(sandbox), work_dir=tmp_path / "first").up()
        cli = Cli(tmp_path, {})
        done = run(sandbox, cli.folder, "--init", "dev", **cli.environment)
        assert done.exit_code == 0, done.output
        expected = len(Exported("python", cli.folder, done.stderr).entries) + 1
        sandbox.forget_requests()
        cli.run("import", "--file", "import.json", "--generate-code=false", "--yes")
        assert cli.steps("preview") == {"unchanged": expected}
        assert cli.steps("up", "--yes", "--skip-preview") == {"unchanged": expected}
        assert {entry.method for entry in sandbox.requests} <= {"GET"}
        kinds = {each["type"].rpartition(":")[2] for each in resources(json.loads(cli.run("stack", "export")))}
        made = set(re.findall(r"clouddb\.([A-Z]\w+)\(", (ORGANIZATION / "__main__.py").read_text()))
        assert kinds >= made - {"TileConfigArgs", "SelectItemArgs"}


def resources(state: Any) -> list[dict[str, Any]]:
    """Return the resources of an exported state."""
    result: list[dict[str, Any]] = state["deployment"]["resources"]
    return result


def test_export_init_reports_an_existing_stack(existing: Sandbox, tmp_path: Path) -> None:
    """With Pulumi's message, and the exit code for a written project without a stack."""
    cli = Cli(tmp_path, {})
    assert run(existing, cli.folder, "--kind", "Service", "--init", "dev", **cli.environment).exit_code == 0
    again = run(existing, cli.folder, "--kind", "Service", "--init", "dev", "--force", **cli.environment)
    assert again.exit_code == 3
    assert re.search("error: the stack dev is not ready: `pulumi stack init` failed: .*already exists", again.stderr), (
        again.stderr
    )
    assert os.listdir(cli.folder)
