"""The command line of the acceptance run."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from acceptance.__main__ import OWNER, main
from acceptance.account import Kind
from acceptance.run import new_ledger
from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.schema.config import environment_name
from support.sessions import ORGANIZATION, config_for

APP = typer.Typer()
APP.command()(main)


@pytest.fixture(autouse=True)
def environment(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Set the variables of a sandbox, and work in a checkout of a user of its own."""
    for name, value in sandbox.config.items():
        monkeypatch.setenv(environment_name(name.removeprefix("clouddb:")), value)
    monkeypatch.setenv(OWNER, sandbox.organization_id)
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "checkout").mkdir()
    monkeypatch.chdir(tmp_path / "checkout")


def run(*arguments: str) -> tuple[int, str]:
    """Run the command, and return its exit code and its output."""
    result = CliRunner().invoke(APP, arguments)
    return result.exit_code, result.output


def test_plan_alone_writes_nothing(sandbox: Sandbox, tmp_path: Path) -> None:
    """Without --yes, only the plan is printed, and nothing is sent that writes."""
    code, output = run()
    assert code == 0
    assert "Nothing has been made" in output
    assert {each.method for each in sandbox.requests} == {"GET"}
    assert [each.name for each in tmp_path.rglob("*")] == ["checkout"]


@pytest.mark.parametrize("owner", ["", ORGANIZATION])
def test_another_organization_is_refused(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, owner: str) -> None:
    """The organization must be named, and be that of the key; otherwise nothing is sent that writes."""
    monkeypatch.setenv(OWNER, owner)
    code, output = run("--yes")
    assert code == 2
    assert OWNER in output or ORGANIZATION in output
    assert [each for each in sandbox.requests if each.method != "GET"] == []


def test_run_writes_a_report(sandbox: Sandbox, tmp_path: Path) -> None:
    """With --yes, the lives are played, and a report remains without the secret of the key."""
    code, output = run("--yes", "--only", "^role$")
    assert (code, "plugin: role: passed" in output) == (0, True)
    folder = tmp_path / ".cache" / "clouddb-acceptance"
    (report,) = folder.glob("*.md")
    assert "| role | ✓ |" in report.read_text(encoding="utf-8")
    assert sandbox.key_secret not in report.read_text(encoding="utf-8")
    assert list(folder.glob("*.jsonl")) == []


def test_sweep_without_anything_left_says_so() -> None:
    """The sweep of an account without aborted runs succeeds."""
    assert run("--sweep") == (0, "No run has left anything.\n")


def test_run_does_not_start_beside_what_another_one_left(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also from another checkout: it would take the changes of the aborted run for those of others. A sweep helps."""
    new_ledger(Kind.CLOUD, config_for(sandbox), sandbox.organization_id).begins()
    monkeypatch.chdir(tmp_path)
    code, output = run("--yes", "--only", "^role$")
    assert (code, "SWEEP=1" in output) == (2, True)
    assert {each.method for each in sandbox.requests} == {"GET"}
    assert run("--sweep")[0] == 0
    assert run("--yes", "--only", "^role$")[0] == 0


def test_wrong_file_of_needs_is_an_error() -> None:
    """A file that cannot be read, or has unknown entries, ends the command before anything is sent."""
    Path("needs.yaml").write_text("brokers: x\n")
    for file in ("needs.yaml", "absent.yaml"):
        code, output = run("--needs", file)
        assert (code, "brokers" in output or file in output) == (2, True)
