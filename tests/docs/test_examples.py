"""The quickstart from the repository's Pulumi.yaml, and the first steps of the guides."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import FakeEngineStack, Secret, Stack, stack_config
from support.engines import ENGINES
from support.five import KINDS

ROOT = Path(__file__).parents[2]
RESOURCES = {"shop", "events", "reports", "overview", "on-call", "too-many-errors"}


def quickstart(engine: type[Stack], sandbox: Sandbox, folder: Path, **config: str) -> Stack:
    """Return the quickstart as a stack that points at `sandbox`."""
    return engine(
        ROOT, name="newcomer", config={**stack_config(sandbox), "clouddb:pacing": "false", **config}, work_dir=folder
    )


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_quickstart(engine: type[Stack], clouddb_sandbox: Sandbox, tmp_path: Path) -> None:
    """Preview, create, run again without requests, change and delete."""
    sandbox = clouddb_sandbox
    stack = quickstart(engine, sandbox, tmp_path)

    assert stack.preview().changes == {"create": len(RESOURCES) + 1}
    assert [entry.operation for entry in sandbox.requests] == ["list_services"]  # whether its name is taken

    outputs = stack.up().outputs
    (service,) = sandbox.services.values()
    assert service["state"] == "running"
    assert {entry["source"] for entry in service["ipAccessList"]} == {"203.0.113.0/24", "198.51.100.7"}
    assert sandbox.password_works(service["id"], outputs["password"].value)
    assert isinstance(outputs["reportsKeySecret"], Secret)
    (alert,) = sandbox.alerts.values()
    (dashboard,) = sandbox.dashboards.values()
    assert alert["tileId"] == next(tile["id"] for tile in dashboard["tiles"] if tile["name"] == "Errors")
    for secret in (outputs["password"], outputs["reportsKeySecret"]):
        assert secret.value not in stack.state_text

    sandbox.forget_requests()
    assert stack.preview().no_changes
    looked_up = sorted(str(entry.operation) for entry in sandbox.requests)
    assert looked_up == ["list_pipes", "list_sources"]  # names cost one request each

    pipe_id = stack.resource("events").inputs["pipeId"]
    source_id = stack.resource("overview").inputs["tiles"][0]["config"]["sourceId"]
    assert sandbox.pipes[pipe_id]["name"] == "events"
    assert sandbox.pipes[pipe_id]["scaling"]["replicas"] == 4
    assert sandbox.sources[source_id]["name"] == "Logs"
    stack.set_config("pipe", pipe_id)
    sandbox.forget_requests()
    again = stack.preview()
    assert again.no_changes
    assert again.changes == {"same": len(RESOURCES) + 1}
    assert [entry.operation for entry in sandbox.requests] == ["list_sources"]  # an id costs none

    stack.set_config("maxMemoryGb", "96")
    sandbox.forget_requests()
    assert stack.up().changes == {"same": len(RESOURCES), "update": 1}
    assert [(entry.operation, entry.body) for entry in sandbox.requests if entry.method != "GET"] == [
        ("scale_service", {"maxReplicaMemoryGb": 96})
    ]

    assert stack.destroy().changes == {"delete": len(RESOURCES) + 1}
    assert [sandbox.services, sandbox.dashboards, sandbox.alerts] == [{}, {}, {}]
    assert len(sandbox.keys) == 1


def test_service_is_created_without_its_pipe(clouddb_sandbox: Sandbox, tmp_path: Path) -> None:
    """A missing pipe stops no other resource, the next `up` creates it, and `protect` keeps the database."""
    config = {"clouddb-quickstart:pipe": "clicks", "clouddb-quickstart:protect": "true"}
    stack = quickstart(FakeEngineStack, clouddb_sandbox, tmp_path, **config)
    failed = stack.up(expect_failure=True)
    assert not failed.ok
    assert any("The service has no pipe named 'clicks'" in message for message in failed.errors)
    (service,) = clouddb_sandbox.services.values()

    stack.set_config("pipe", "")
    assert stack.up().ok
    assert "events" not in {resource.name for resource in stack.resources}

    made = clouddb_sandbox.add_pipe(service["id"], name="clicks")
    stack.set_config("pipe", "clicks")
    stack.up()
    assert clouddb_sandbox.pipes[made["id"]]["scaling"]["replicas"] == 4
    kept = stack.destroy(expect_failure=True)
    assert any("deletion_protection is set" in message for message in kept.errors)
    assert list(clouddb_sandbox.services) == [service["id"]]


def test_project_runs_from_the_repository() -> None:
    """It has no `virtualenv` option, as one half of Pulumi would search for it next to the program."""
    settings = yaml.safe_load((ROOT / "Pulumi.yaml").read_text(encoding="utf-8"))
    assert settings["runtime"] == "python"
    assert (ROOT / settings["main"] / "__main__.py").is_file()


def blocks(file: str, language: str) -> list[str]:
    """Return the fenced blocks of a page in one language."""
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / file).read_text(encoding="utf-8"), re.DOTALL)


def first_program(page: str, folder: Path, sandbox: Sandbox) -> Stack:
    """Return a stack of the program of a page, in its own project."""
    project = folder / "orders"
    project.mkdir()
    (project / "__main__.py").write_text(blocks(page, "python")[0], encoding="utf-8")
    settings = next(block for block in blocks(page, "yaml") if "runtime: python" in block)
    (project / "Pulumi.yaml").write_text(settings, encoding="utf-8")
    return FakeEngineStack(project, config=stack_config(sandbox), work_dir=folder / "work")


@pytest.mark.parametrize("vocabulary", ["neutral", "clickhouse"])
def test_first_program_of_the_readme(vocabulary: str, tmp_path: Path) -> None:
    """It runs unchanged on both kinds of servers, and is short."""
    assert len(blocks("README.md", "python")[0].splitlines()) <= 12
    with Sandbox(vocabulary=vocabulary) as sandbox:
        outputs = first_program("README.md", tmp_path, sandbox).up().outputs
        assert [service["name"] for service in sandbox.services.values()] == ["Orders"]
        assert isinstance(outputs["password"], Secret)


def test_getting_started_step_by_step(clouddb_sandbox: Sandbox, tmp_path: Path) -> None:
    """Each step of the page has the described result."""
    stack = first_program("docs/getting-started.md", tmp_path, clouddb_sandbox)
    program = tmp_path / "orders" / "__main__.py"

    def edit(before: str, after: str) -> None:
        text = program.read_text(encoding="utf-8")
        assert before in text
        program.write_text(text.replace(before, after), encoding="utf-8")

    assert stack.preview().ok
    assert [entry.operation for entry in clouddb_sandbox.requests] == ["list_services"]
    outputs = stack.up().outputs
    assert {name for name, value in outputs.items() if isinstance(value, Secret)} == {"password", "keySecret"}

    edit("num_replicas=3", "num_replicas=4")
    clouddb_sandbox.forget_requests()
    assert stack.up().ops("orders") == ["update"]
    assert [entry.body for entry in clouddb_sandbox.requests] == [{"numReplicas": 4}]
    edit("idle_timeout_minutes=15", "idle_timeout_minutes=2")
    refused = "idle_timeout_minutes must be at least 5, not 2"
    assert refused in stack.preview(expect_failure=True).errors[0]
    assert f"`{refused}`" in (ROOT / "docs/getting-started.md").read_text(encoding="utf-8")
    edit("idle_timeout_minutes=2", "idle_timeout_minutes=15")

    clouddb_sandbox.change("services", stack.resource("orders").id, numReplicas=1)
    assert stack.refresh().ops("orders") == ["update"]
    stack.up()
    assert [service["numReplicas"] for service in clouddb_sandbox.services.values()] == [4]

    assert "deletion_protection is set" in stack.destroy(expect_failure=True).errors[0]
    edit("deletion_protection=True", "deletion_protection=False")
    stack.up()
    stack.destroy()
    assert clouddb_sandbox.services == {}


def test_program_of_the_neutral_dialect(neutral_sandbox: Sandbox, tmp_path: Path) -> None:
    """It creates all resources of the interface, also without the setting: the sandbox has another address."""
    project = tmp_path / "orders"
    project.mkdir()
    (project / "__main__.py").write_text(blocks("docs/neutral-dialect.md", "python")[0], encoding="utf-8")
    (project / "Pulumi.yaml").write_text("name: orders\nruntime: python\n", encoding="utf-8")
    config = {name: value for name, value in stack_config(neutral_sandbox).items() if name != "clouddb:vocabulary"}
    stack = FakeEngineStack(project, config=config, work_dir=tmp_path / "work")
    assert stack.up().changes == {"create": len(KINDS) + 1}
    assert any("/stack/" in entry.path for entry in neutral_sandbox.requests)
    assert stack.preview().no_changes


@pytest.mark.slow
def test_tests_of_the_documentation(tmp_path: Path) -> None:
    """The tests in docs/testing-your-program.md pass unchanged in their own project."""
    for number, text in enumerate(blocks("docs/testing-your-program.md", "python")):
        (tmp_path / f"test_page_{number}.py").write_text(text, encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"\b[67] passed", done.stdout)


@pytest.mark.parametrize("page", ["README.md", *(f"docs/{page.name}" for page in sorted((ROOT / "docs").glob("*.md")))])
def test_relative_links_have_targets(page: str) -> None:
    """Relative links name existing files and headings of the repository."""
    text = re.sub(r"`[^`\n]*`", "", (ROOT / page).read_text(encoding="utf-8"))  # code may look like a link
    for target in re.findall(r"\]\((?!https?:)([^)]+)\)", text):
        name, _, heading = target.partition("#")
        linked = (ROOT / page).parent / name if name else ROOT / page
        assert linked.exists(), target
        if heading:
            headings = re.findall(r"^#+ (.*)$", linked.read_text(encoding="utf-8"), re.MULTILINE)
            assert heading in {re.sub(r"[^\w -]", "", each.lower()).replace(" ", "-") for each in headings}, target
