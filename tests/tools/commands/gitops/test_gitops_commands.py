"""`clouddb ci`: its exit codes and errors. Cases with a stack use the real CLI, if it is on PATH."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner

from clouddb_tools.commands.gitops.errors import CommandFailedError
from clouddb_tools.commands.gitops.exit_codes import ExitCode
from clouddb_tools.commands.gitops.output import deliver
from clouddb_tools.commands.gitops.project import Project
from clouddb_tools.commands.gitops.report import Report
from clouddb_tools.commands.main import app
from clouddb_tools.sandbox import Sandbox
from support import fake_pulumi
from support.checkout import PROGRAM, STACK, Checkout
from support.printed import unboxed

APPLY_ALONE = ("apply", "--stack", STACK, "--plan", "plan/plan.json")
APPLY = (*APPLY_ALONE, "--policy-pack", "policies")


PREVIEW = ("preview", "--stack", "dev")
USAGE: dict[str, tuple[list[str], str]] = {
    "no stack": (["preview"], "Missing option '--stack'"),
    "an empty stack": (["drift", "--stack", ""], "it is empty; set the name of a stack"),
    "a plan that is not a file": ([*PREVIEW, "--save-plan", os.devnull], f"{os.devnull} is not a regular file"),
    "an unknown option": ([*PREVIEW, "--yes"], "No such option"),
    "a missing folder": ([*PREVIEW, "--cwd", "nowhere"], "'nowhere' does not exist"),
    "a folder without a project": ([*PREVIEW], "contains no Pulumi.yaml: set the project's folder with --cwd"),
    "a missing pack": ([*PREVIEW, "--policy-pack", "nowhere"], "'nowhere' does not exist"),
    "a missing plan": (
        ["apply", "--stack", "dev", "--plan", "plan.json"],
        "plan.json does not exist. `clouddb ci preview --save-plan",
    ),
    "a plan without its manifest": (
        ["apply", "--stack", "dev", "--plan", "bare.json"],
        "writes it; a preview that fails or is blocked by a policy removes an earlier plan.",
    ),
    "two reports on standard output": (
        [*PREVIEW, "--report-json", "-", "--report-markdown", "-"],
        "only one report can be printed",
    ),
    "more configurations than packs": (
        ["drift", "--stack", "dev", "--policy-pack-config", "bare.json"],
        "0 policy packs and 1 configurations: set one for each pack, in the same order",
    ),
}


@pytest.mark.parametrize(("words", "message"), USAGE.values(), ids=USAGE)
def test_wrong_command_line_exits_with_2(
    words: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before Pulumi is called."""
    monkeypatch.chdir(tmp_path)
    Path("bare.json").write_text("{}", encoding="utf-8")
    done = CliRunner().invoke(app, ["ci", *words], env={"COLUMNS": "500"})
    assert done.exit_code == ExitCode.USAGE
    assert message in unboxed(done.output)


def test_unreadable_stack_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the CLI's message and the folder."""
    (tmp_path / "Pulumi.yaml").write_text("name: shop\nruntime: python\n", encoding="utf-8")
    monkeypatch.setenv("PATH", f"{fake_pulumi.install(tmp_path / 'bin', {})}:/usr/bin:/bin")
    done = CliRunner().invoke(app, ["ci", "preview", "--stack", "prod", "--cwd", str(tmp_path)])
    assert done.exit_code == ExitCode.FAILED
    assert f"Pulumi cannot read stack 'prod' of {tmp_path}: no stack named 'prod' found" in done.output


INTERRUPTED = """#!/bin/sh
case " $* " in
*" preview "* | *" refresh "*) kill -{signal} $PPID; sleep 1; echo "error: $* was cancelled" >&2; exit 255 ;;
*) exec {fake} "$@" ;;
esac
"""
"""A CLI that receives a signal at the same time as the command that runs it."""


@pytest.mark.parametrize(
    ("words", "signal"),
    [
        ("preview --report-json -", "INT"),
        ("drift --report-json -", "TERM"),
        pytest.param("preview --report-json -", "TERM", marks=pytest.mark.slow),
        pytest.param("drift --report-json -", "INT", marks=pytest.mark.slow),
    ],
)
def test_interrupted_command_waits_for_the_cli(words: str, signal: str, tmp_path: Path) -> None:
    """It exits with the code that shells expect, without a report on standard output."""
    (tmp_path / "Pulumi.yaml").write_text("name: shop\nruntime: python\n", encoding="utf-8")
    bin_ = tmp_path / "bin"
    bin_.mkdir()
    with Sandbox(vocabulary="neutral") as sandbox:
        fake = fake_pulumi.install(tmp_path / "fake", sandbox.config) / "pulumi"
        (bin_ / "pulumi").write_text(INTERRUPTED.format(fake=fake, signal=signal), encoding="utf-8")
        (bin_ / "pulumi").chmod(0o755)
        command = [sys.executable, "-m", "clouddb_tools.commands", "ci", *words.split(), "--stack", "dev"]
        env = {**os.environ, "PATH": f"{bin_}:/usr/bin:/bin"}
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    waiting = "Waiting for Pulumi to finish running operations.\n"
    assert (done.returncode, done.stdout, done.stderr.count(waiting)) == (130, "", 1)
    assert "Traceback" not in done.stderr


def test_report_is_printed_if_it_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An apply may have changed objects."""
    (tmp_path / "Pulumi.yaml").write_text("name: shop\nruntime: python\n", encoding="utf-8")
    monkeypatch.setenv("PATH", f"{fake_pulumi.install(tmp_path / 'bin', {})}:/usr/bin:/bin")
    project, file = Project(tmp_path, "dev"), tmp_path / "Pulumi.yaml" / "report.md"
    with pytest.raises(CommandFailedError, match=r"^the report .*report.md cannot be written: "):
        deliver(project, Report(command="apply", project="shop", stack="dev"), ExitCode.OK, file, None)
    assert "Apply of shop/dev" in capsys.readouterr().out


def test_missing_cli_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In one line, with the exit code of a failure."""
    (tmp_path / "Pulumi.yaml").write_text("name: shop\nruntime: python\n", encoding="utf-8")
    monkeypatch.setenv("PATH", str(tmp_path))
    result = CliRunner().invoke(app, ["ci", "preview", "--stack", "dev", "--cwd", str(tmp_path)])
    assert result.exit_code == ExitCode.FAILED
    assert "pulumi is not on PATH" in result.output
    assert "Traceback" not in result.output


# -- errors of apply ---------------------------------------------------------------------------------------------------


@dataclass
class Planned:
    """A checkout with a planned change, and a copy of its files to restore."""

    checkout: Checkout
    copy: Path

    def restore(self) -> None:
        """Restore every file to the time of the plan."""
        for name in ("repository", "backend"):
            shutil.rmtree(self.checkout.base / name)
            shutil.copytree(self.copy / name, self.checkout.base / name)


@pytest.fixture(scope="module")
def planned_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Planned]:
    """Deploy the program, then plan one more replica; all cases below share this plan."""
    with Sandbox(vocabulary="neutral") as sandbox:
        base = tmp_path_factory.mktemp("planned")
        checkout = Checkout(base, sandbox)
        checkout.pulumi("up", "--yes", "--skip-preview", "--stack", STACK)
        checkout.write(PROGRAM.replace("num_replicas=3", "num_replicas=4"))
        checkout.commit("Add a replica")
        plan = ["--save-plan", "plan/plan.json", "--policy-pack", "policies"]
        (checkout.folder / "plan").mkdir()
        done = checkout.ci("preview", "--stack", STACK, *plan)
        assert done.returncode == 0, done.stdout + done.stderr
        copy = tmp_path_factory.mktemp("copy")
        for name in ("repository", "backend"):
            shutil.copytree(base / name, copy / name)
        yield Planned(checkout, copy)


@pytest.fixture
def planned(planned_once: Planned) -> Checkout:
    """The checkout with all files as at the time of the plan."""
    planned_once.restore()
    return planned_once.checkout


@pytest.mark.cli("git")
def test_reports_of_a_preview_do_not_change_the_program(planned: Checkout) -> None:
    """Outside a repository, all other files of the folder belong to the program."""
    shutil.rmtree(planned.folder / ".git")
    reports = ["--report-markdown", "plan/report.md", "--report-json", "plan/report.json"]
    plan = ["--save-plan", "plan/plan.json", "--policy-pack", "policies"]
    assert planned.ci("preview", "--stack", STACK, *plan, *reports).returncode == ExitCode.OK
    done = planned.ci(*APPLY_ALONE)  # rejected only because the policy pack is missing
    assert [line.split(":")[1] for line in done.stdout.splitlines() if "moved:" in line] == [" policy pack policies"]


def edit_state(checkout: Checkout) -> None:
    """Change a resource in state, as another update does."""
    state = json.loads(checkout.pulumi("stack", "export", "--stack", STACK))
    for each in state["deployment"]["resources"]:
        if each["urn"].endswith("::orders"):
            each["outputs"]["engineVersion"] = "1.0"
    checkout.pulumi("stack", "import", "--stack", STACK, text=json.dumps(state))


Move = Callable[[Checkout], object]
MOVES: dict[str, tuple[Move, str]] = {
    "a configuration value was set": (
        lambda checkout: checkout.pulumi("config", "set", "clouddb:pacing", "true", "--stack", STACK),
        "moved: configuration clouddb:pacing: false → true",
    ),
    "the state has changed": (edit_state, "moved: state of orders: unchanged → changed"),
    "a policy was removed": (
        lambda checkout: (checkout.folder / "policies" / "__main__.py").write_text("", encoding="utf-8"),
        "moved: policy pack policies: ",
    ),
}


@pytest.mark.cli("git")
@pytest.mark.parametrize(("move", "message"), MOVES.values(), ids=MOVES)
def test_apply_rejects_a_plan_after_changes(move: Move, message: str, planned: Checkout) -> None:
    """No request is sent to the servers, and the report names the change."""
    move(planned)
    planned.sandbox.forget_requests()
    done = planned.ci(*APPLY, "--report-json", "report.json")
    assert done.returncode == ExitCode.MOVED, done.stdout + done.stderr
    assert message in done.stdout
    assert planned.sandbox.requests == []
    assert planned.report()["moved"]
    assert planned.report()["exitCode"] == ExitCode.MOVED


@pytest.mark.cli("git")
def test_apply_requires_the_policy_packs_of_the_preview(planned: Checkout) -> None:
    """Changes to the plan's files cannot remove a pack, and the advised option lets the apply continue."""
    manifest = planned.folder / "plan" / "plan.json.manifest.json"
    done = planned.ci(*APPLY_ALONE, "--report-json", "report.json")
    assert done.returncode == ExitCode.MOVED, done.stdout + done.stderr
    assert "moved: policy pack policies: " in done.stdout
    assert "→ not given" in done.stdout
    advised = re.search(r"Apply with (.+)\.", planned.report()["explanation"])
    assert advised is not None

    original = json.loads(manifest.read_text(encoding="utf-8"))
    manifest.write_text(json.dumps({**original, "policies": []}), encoding="utf-8")
    assert planned.ci(*APPLY_ALONE, *advised[1].split()).returncode == ExitCode.MOVED
    manifest.write_text(json.dumps(original), encoding="utf-8")
    done = planned.ci(*APPLY_ALONE, *advised[1].split())
    assert done.returncode == ExitCode.OK, done.stdout + done.stderr


DRIFTS: dict[str, tuple[tuple[str, ...], ExitCode, bool]] = {
    "an apply that finds drift": (APPLY, ExitCode.MOVED, False),
    "a drift check": (("drift", "--stack", STACK), ExitCode.DRIFT, False),
    "a repair with changes that are not applied": (("drift", "--stack", STACK, "--repair"), ExitCode.DRIFT, False),
    "a repair of a deleted database": (("drift", "--stack", STACK, "--repair"), ExitCode.DRIFT, True),
}


@pytest.mark.cli("git")
@pytest.mark.parametrize(("command", "code", "gone"), DRIFTS.values(), ids=DRIFTS)
def test_advice_for_drift_resolves_it(
    command: tuple[str, ...], code: ExitCode, gone: bool, neutral_sandbox: Sandbox, tmp_path: Path
) -> None:
    """Drift is reported and not changed; after the advised refresh, the next plan reverts it with the other changes."""
    checkout = Checkout(tmp_path, neutral_sandbox)
    checkout.pulumi("up", "--yes", "--skip-preview", "--stack", STACK)
    preview = ("preview", "--stack", STACK, "--policy-pack", "policies", "--save-plan", "plan/plan.json")
    (checkout.folder / "plan").mkdir()
    if not gone:
        checkout.write(PROGRAM.replace('name="Orders"', 'name="Orders 2"'))
        checkout.commit("Rename")
    assert checkout.ci(*preview).returncode == ExitCode.OK
    (service_id,) = neutral_sandbox.services
    if gone:
        neutral_sandbox.remove("services", service_id)
    else:
        neutral_sandbox.change("services", service_id, numReplicas=2)
    done = checkout.ci(*command, "--report-json", "report.json")
    assert done.returncode == code, done.stdout + done.stderr
    if gone:
        assert "deleted on the server: orders" in done.stdout
        assert neutral_sandbox.services == {}
    else:
        (drift,) = checkout.report()["drift"]
        assert [(each["path"], each["old"], each["new"]) for each in drift["properties"]] == [("numReplicas", 3, 2)]
        assert neutral_sandbox.services[service_id]["numReplicas"] == 2
    (advised,) = re.findall("`(pulumi refresh [^`]*)`", checkout.report()["explanation"])

    checkout.pulumi(*advised.split()[1:])
    assert checkout.ci(*preview).returncode == ExitCode.OK
    applied = checkout.ci(*APPLY)
    assert applied.returncode == ExitCode.OK, applied.stdout + applied.stderr
    (service,) = neutral_sandbox.services.values()
    assert (service["name"], service["numReplicas"]) == ("Orders" if gone else "Orders 2", 3)
    assert checkout.ci("drift", "--stack", STACK).returncode == ExitCode.OK


@pytest.mark.cli("git")
def test_engine_rejects_steps_that_are_not_in_the_plan(planned: Checkout) -> None:
    """Only Pulumi compares values of secrets; a changed secret is reported without its value."""
    planned.pulumi("config", "set", "--secret", "clouddb:stackToken", "--stack", STACK, text="another-token-value")
    done = planned.ci(*APPLY, "--no-drift-check")
    assert done.returncode == ExitCode.MOVED, done.stdout + done.stderr
    assert "violates plan" in done.stdout
    assert "another-token-value" not in done.stdout + done.stderr
    (service,) = planned.sandbox.services.values()
    assert service["numReplicas"] in (3, 4)  # a planned step may be running when the engine stops
    assert "earlier steps of the plan may be done" in done.stdout


# -- previews and drift ------------------------------------------------------------------------------------------------


@pytest.mark.cli("git")
def test_unexpected_changes_fail(planned: Checkout) -> None:
    """Standard output has only the JSON report; the readable report goes to standard error."""
    done = planned.ci("preview", "--stack", STACK, "--report-json", "-", "--expect-no-changes")
    assert done.returncode == ExitCode.CHANGES, done.stdout + done.stderr
    assert json.loads(done.stdout)["command"] == "preview"
    assert "numReplicas: 3 → 4" in done.stderr
    assert not (planned.folder / "-").exists()


@pytest.mark.cli("git")
def test_preview_checks_the_servers_and_credentials(planned: Checkout) -> None:
    """Pulumi's preview sends no requests, so a wrong key would fail only in the apply; the advice corrects it."""
    right = planned.sandbox.config["clouddb:keySecret"]
    planned.pulumi("config", "set", "--secret", "clouddb:keySecret", "--stack", STACK, text="no-such-secret")
    done = planned.ci("preview", "--stack", STACK, "--report-json", "report.json", "--save-plan", "plan/plan.json")
    assert done.returncode == ExitCode.FAILED, done.stdout + done.stderr
    assert not (planned.folder / "plan" / "plan.json").exists()
    (message,) = planned.report()["messages"]
    assert "rejects clouddb:keyId and clouddb:keySecret" in message["text"]
    advised = [each for each in re.findall(r"pulumi config set [^;]*", message["text"]) if "keySecret" in each]
    planned.pulumi(*advised[0].split()[1:], text=right)
    assert planned.ci("preview", "--stack", STACK).returncode == ExitCode.OK


@pytest.mark.cli("git")
def test_apply_fails_if_a_service_is_not_ready(neutral_sandbox: Sandbox, tmp_path: Path) -> None:
    """In dynamic mode, `pulumi up` exits with 0: an error would lose the id. The next run's advice resolves it."""
    checkout = Checkout(tmp_path, neutral_sandbox)
    plan = ["--save-plan", "plan/plan.json"]
    (checkout.folder / "plan").mkdir()
    neutral_sandbox.fault("create_service", "failed")
    assert checkout.ci("preview", "--stack", STACK, *plan).returncode == ExitCode.OK
    done = checkout.ci(*APPLY_ALONE)
    assert done.returncode == ExitCode.FAILED, done.stdout + done.stderr
    assert (
        "The plan was applied, but these services are not ready: orders (the server reports that the service has "
        "failed). Preview and apply again to continue."
    ) in done.stdout
    assert checkout.ci("preview", "--stack", STACK, *plan).returncode == ExitCode.OK
    again = checkout.ci(*APPLY_ALONE)
    assert again.returncode == ExitCode.FAILED, again.stdout
    advised = re.search(r"delete it with `(pulumi destroy --target \S+)` and run `pulumi up`", again.stdout)
    assert advised, again.stdout
    checkout.pulumi(*advised[1].split()[1:], "--yes", "--skip-preview", "--stack", STACK, "--target-dependents")
    checkout.pulumi("up", "--yes", "--skip-preview", "--stack", STACK)
    assert [each["state"] for each in neutral_sandbox.services.values()] == ["running"]


@pytest.mark.cli("git")
def test_preview_of_invalid_resources_reports_the_number_of_checked_ones(
    neutral_sandbox: Sandbox, tmp_path: Path
) -> None:
    """The engine stops at the first invalid resource, so later ones are not checked."""
    program = PROGRAM.replace("num_replicas=3", "num_replicas=99")
    checkout = Checkout(tmp_path, neutral_sandbox, program)
    done = checkout.ci("preview", "--stack", STACK)
    assert done.returncode == ExitCode.FAILED, done.stdout + done.stderr
    assert re.search(
        r"The preview failed; nothing was saved. Pulumi stopped after (1 resource|2 resources) \(1 invalid\); it did "
        r"not check the resources that the program declares later\.",
        done.stdout,
    ), done.stdout


@pytest.mark.cli("git")
def test_policies_block_a_repair(planned: Checkout) -> None:
    """The packs check the changes of the repair, and their message is shown."""
    sandbox = planned.sandbox
    (service_id,) = sandbox.services
    sandbox.change("services", service_id, numReplicas=2)
    planned.write(PROGRAM.replace("203.0.113.0/24", "0.0.0.0/0"))
    done = planned.ci("drift", "--stack", STACK, "--repair", "--policy-pack", "policies")
    assert done.returncode == ExitCode.POLICY, done.stdout + done.stderr
    assert "replace it with the networks that connect" in done.stdout
    assert sandbox.services[service_id]["numReplicas"] == 2
    sandbox.change("services", service_id, numReplicas=3)
