"""`clouddb ci`: its exit codes, and what it refuses. Cases with a stack run with the real CLI, where it is on PATH."""

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

from clouddb_tools.commands.gitops.exit_codes import ExitCode
from clouddb_tools.commands.gitops.output import deliver
from clouddb_tools.commands.gitops.project import CommandFailedError, Project
from clouddb_tools.commands.gitops.report import Report
from clouddb_tools.commands.main import app
from clouddb_tools.sandbox import Sandbox
from support import fake_pulumi
from support.checkout import PROGRAM, STACK, Checkout
from support.printed import unboxed

APPLY = ("apply", "--plan", "plan/plan.json", "--policy-pack", "policies")


PREVIEW = ("preview", "--stack", "dev")
USAGE: dict[str, tuple[list[str], str]] = {
    "no stack": (["preview"], "Missing option '--stack'"),
    "an empty stack": (["drift", "--stack", ""], "it is empty; give the name of a stack"),
    "a plan that is no file": ([*PREVIEW, "--save-plan", os.devnull], f"{os.devnull} is not a regular file"),
    "an option that there is not": ([*PREVIEW, "--yes"], "No such option"),
    "a folder that is not there": ([*PREVIEW, "--cwd", "nowhere"], "'nowhere' does not exist"),
    "a folder without a project": ([*PREVIEW], "contains no Pulumi.yaml: give the project's folder with --cwd"),
    "a pack that is not there": ([*PREVIEW, "--policy-pack", "nowhere"], "'nowhere' does not exist"),
    "a plan that is not there": (
        ["apply", "--plan", "plan.json"],
        "plan.json does not exist. `clouddb ci preview --save-plan",
    ),
    "a plan without its manifest": (
        ["apply", "--plan", "bare.json"],
        "writes it; a preview that fails or is blocked by a policy removes an earlier plan.",
    ),
    "two reports on standard output": (
        [*PREVIEW, "--report-json", "-", "--report-markdown", "-"],
        "only one report can be printed",
    ),
    "more configurations than packs": (
        ["drift", "--stack", "dev", "--policy-pack-config", "bare.json"],
        "0 policy packs and 1 configurations: give one for each pack, in the same order",
    ),
}


@pytest.mark.parametrize(("words", "said"), USAGE.values(), ids=USAGE)
def test_a_wrong_command_line_ends_with_2(
    words: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before Pulumi is asked anything."""
    monkeypatch.chdir(tmp_path)
    Path("bare.json").write_text("{}", encoding="utf-8")
    done = CliRunner().invoke(app, ["ci", *words], env={"COLUMNS": "500"})
    assert done.exit_code == ExitCode.USAGE
    assert said in unboxed(done.output)


def test_a_stack_that_cannot_be_read_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the CLI's words, with the folder that it was asked in."""
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
"""A CLI that gets a signal together with the command that runs it."""


@pytest.mark.parametrize("signal", ["INT", "TERM"])
@pytest.mark.parametrize("words", ["preview --report-json -", "drift --report-json -"])
def test_an_interrupted_command_waits_for_the_cli_and_ends(words: str, signal: str, tmp_path: Path) -> None:
    """With the exit code that shells expect, without a report on standard output, and without a plan."""
    (tmp_path / "Pulumi.yaml").write_text("name: shop\nruntime: python\n", encoding="utf-8")
    bin_ = tmp_path / "bin"
    bin_.mkdir()
    with Sandbox() as sandbox:
        fake = fake_pulumi.install(tmp_path / "fake", sandbox.config) / "pulumi"
        (bin_ / "pulumi").write_text(INTERRUPTED.format(fake=fake, signal=signal), encoding="utf-8")
        (bin_ / "pulumi").chmod(0o755)
        command = [sys.executable, "-m", "clouddb_tools.commands", "ci", *words.split(), "--stack", "dev"]
        env = {**os.environ, "PATH": f"{bin_}:/usr/bin:/bin"}
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    waiting = "Waiting for Pulumi to finish running operations.\n"
    assert (done.returncode, done.stdout, done.stderr.count(waiting)) == (130, "", 1)
    assert "Traceback" not in done.stderr


def test_a_report_that_cannot_be_written_is_still_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An apply has changed objects by then."""
    (tmp_path / "Pulumi.yaml").write_text("name: shop\nruntime: python\n", encoding="utf-8")
    monkeypatch.setenv("PATH", f"{fake_pulumi.install(tmp_path / 'bin', {})}:/usr/bin:/bin")
    project, file = Project(tmp_path, "dev"), tmp_path / "Pulumi.yaml" / "report.md"
    with pytest.raises(CommandFailedError, match=r"^the report .*report.md cannot be written: "):
        deliver(project, Report(command="apply", project="shop", stack="dev"), ExitCode.OK, file, None)
    assert "Apply of shop/dev" in capsys.readouterr().out


def test_without_the_cli_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In one line, with the exit code of a failure."""
    (tmp_path / "Pulumi.yaml").write_text("name: shop\nruntime: python\n", encoding="utf-8")
    monkeypatch.setenv("PATH", str(tmp_path))
    result = CliRunner().invoke(app, ["ci", "preview", "--stack", "dev", "--cwd", str(tmp_path)])
    assert result.exit_code == ExitCode.FAILED
    assert "pulumi is not on PATH" in result.output
    assert "Traceback" not in result.output


# -- what an apply refuses ---------------------------------------------------------------------------------------------


@dataclass
class Planned:
    """A checkout in which a change is planned, and where a copy of all files lies to go back to."""

    checkout: Checkout
    copy: Path

    def restore(self) -> None:
        """Put every file back as it was when the plan was made."""
        for name in ("repository", "backend"):
            shutil.rmtree(self.checkout.base / name)
            shutil.copytree(self.copy / name, self.checkout.base / name)


@pytest.fixture(scope="module")
def planned_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Planned]:
    """Deploy the program, then plan one more replica; the plan of all cases below."""
    with Sandbox() as sandbox:
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
    """The checkout, with every file as it was when the plan was made."""
    planned_once.restore()
    return planned_once.checkout


@pytest.mark.cli("git")
def test_reports_of_the_preview_are_no_part_of_the_program(planned: Checkout) -> None:
    """Outside a repository every file of the folder is; the apply need not write reports of its own."""
    shutil.rmtree(planned.folder / ".git")
    reports = ["--report-markdown", "plan/report.md", "--report-json", "plan/report.json"]
    plan = ["--save-plan", "plan/plan.json", "--policy-pack", "policies"]
    assert planned.ci("preview", "--stack", STACK, *plan, *reports).returncode == ExitCode.OK
    done = planned.ci("apply", "--plan", "plan/plan.json")  # refused for want of the policy pack, and for nothing else
    assert [line.split(":")[1] for line in done.stdout.splitlines() if "moved:" in line] == [" policy pack policies"]


def edit_state(checkout: Checkout) -> None:
    """Change a resource in the state, as another update would."""
    state = json.loads(checkout.pulumi("stack", "export", "--stack", STACK))
    for each in state["deployment"]["resources"]:
        if each["urn"].endswith("::orders"):
            each["outputs"]["engineVersion"] = "1.0"
    checkout.pulumi("stack", "import", "--stack", STACK, text=json.dumps(state))


Move = Callable[[Checkout], object]
MOVES: dict[str, tuple[Move, str]] = {
    "a value was configured": (
        lambda checkout: checkout.pulumi("config", "set", "clouddb:pacing", "true", "--stack", STACK),
        "moved: configuration clouddb:pacing: false → true",
    ),
    "the state has moved": (edit_state, "moved: state of orders: unchanged → changed"),
    "a policy was taken out": (
        lambda checkout: (checkout.folder / "policies" / "__main__.py").write_text("", encoding="utf-8"),
        "moved: policy pack policies: ",
    ),
}


@pytest.mark.cli("git")
@pytest.mark.parametrize(("move", "said"), MOVES.values(), ids=MOVES)
def test_an_apply_is_refused_when_the_world_has_moved(move: Move, said: str, planned: Checkout) -> None:
    """Nothing is sent to the servers, and what has moved is named."""
    move(planned)
    planned.sandbox.forget_requests()
    done = planned.ci(*APPLY, "--report-json", "report.json")
    assert done.returncode == ExitCode.MOVED, done.stdout + done.stderr
    assert said in done.stdout
    assert planned.sandbox.requests == []
    assert planned.report()["moved"]
    assert planned.report()["exitCode"] == ExitCode.MOVED


@pytest.mark.cli("git")
def test_an_apply_without_the_packs_of_the_preview_is_refused(planned: Checkout) -> None:
    """Who can change the files of a plan cannot take a pack out; the option that is advised leads on."""
    manifest = planned.folder / "plan" / "plan.json.manifest.json"
    done = planned.ci("apply", "--plan", "plan/plan.json", "--report-json", "report.json")
    assert done.returncode == ExitCode.MOVED, done.stdout + done.stderr
    assert "moved: policy pack policies: " in done.stdout
    assert "→ not given" in done.stdout
    advised = re.search(r"Apply with (.+)\.", planned.report()["explanation"])
    assert advised is not None

    kept = json.loads(manifest.read_text(encoding="utf-8"))
    manifest.write_text(json.dumps({**kept, "policies": []}), encoding="utf-8")
    assert planned.ci("apply", "--plan", "plan/plan.json", *advised[1].split()).returncode == ExitCode.MOVED
    manifest.write_text(json.dumps(kept), encoding="utf-8")
    done = planned.ci("apply", "--plan", "plan/plan.json", *advised[1].split())
    assert done.returncode == ExitCode.OK, done.stdout + done.stderr


DRIFTS: dict[str, tuple[tuple[str, ...], ExitCode, bool]] = {
    "an apply that finds drift": (APPLY, ExitCode.MOVED, False),
    "drift that is only looked at": (("drift", "--stack", STACK), ExitCode.DRIFT, False),
    "a repair beside changes that wait": (("drift", "--stack", STACK, "--repair"), ExitCode.DRIFT, False),
    "a repair of a database that is gone": (("drift", "--stack", STACK, "--repair"), ExitCode.DRIFT, True),
}


@pytest.mark.cli("git")
@pytest.mark.parametrize(("command", "code", "gone"), DRIFTS.values(), ids=DRIFTS)
def test_what_is_advised_for_drift_leads_out(
    command: tuple[str, ...], code: ExitCode, gone: bool, clouddb_sandbox: Sandbox, tmp_path: Path
) -> None:
    """What differs is named and left alone; refreshed as advised, the next plan puts it back beside other changes."""
    checkout = Checkout(tmp_path, clouddb_sandbox)
    checkout.pulumi("up", "--yes", "--skip-preview", "--stack", STACK)
    preview = ("preview", "--stack", STACK, "--policy-pack", "policies", "--save-plan", "plan/plan.json")
    (checkout.folder / "plan").mkdir()
    if not gone:
        checkout.write(PROGRAM.replace('name="Orders"', 'name="Orders 2"'))
        checkout.commit("Rename")
    assert checkout.ci(*preview).returncode == ExitCode.OK
    (service_id,) = clouddb_sandbox.services
    if gone:
        clouddb_sandbox.remove("services", service_id)
    else:
        clouddb_sandbox.change("services", service_id, numReplicas=2)
    done = checkout.ci(*command, "--report-json", "report.json")
    assert done.returncode == code, done.stdout + done.stderr
    if gone:
        assert "deleted on the server: orders" in done.stdout
        assert clouddb_sandbox.services == {}
    else:
        (drift,) = checkout.report()["drift"]
        assert [(each["path"], each["old"], each["new"]) for each in drift["properties"]] == [("numReplicas", 3, 2)]
        assert clouddb_sandbox.services[service_id]["numReplicas"] == 2
    (advised,) = re.findall("`(pulumi refresh [^`]*)`", checkout.report()["explanation"])

    checkout.pulumi(*advised.split()[1:])
    assert checkout.ci(*preview).returncode == ExitCode.OK
    applied = checkout.ci(*APPLY)
    assert applied.returncode == ExitCode.OK, applied.stdout + applied.stderr
    (service,) = clouddb_sandbox.services.values()
    assert (service["name"], service["numReplicas"]) == ("Orders" if gone else "Orders 2", 3)
    assert checkout.ci("drift", "--stack", STACK).returncode == ExitCode.OK


@pytest.mark.cli("git")
def test_the_engine_stops_what_the_plan_does_not_hold(planned: Checkout) -> None:
    """The second line: a secret that changed is compared by Pulumi only, and told without its value."""
    planned.pulumi("config", "set", "--secret", "clouddb:stackToken", "--stack", STACK, text="another-token-value")
    done = planned.ci(*APPLY, "--no-drift-check")
    assert done.returncode == ExitCode.MOVED, done.stdout + done.stderr
    assert "violates plan" in done.stdout
    assert "another-token-value" not in done.stdout + done.stderr
    (service,) = planned.sandbox.services.values()
    assert service["numReplicas"] in (3, 4)  # what the plan holds may be under way when the engine stops
    assert "earlier steps of the plan may be done" in done.stdout


# -- previews and drift ------------------------------------------------------------------------------------------------


@pytest.mark.cli("git")
def test_changes_fail_where_none_are_expected(planned: Checkout) -> None:
    """The report on standard output stands there alone; what a person reads goes to standard error."""
    done = planned.ci("preview", "--stack", STACK, "--report-json", "-", "--expect-no-changes")
    assert done.returncode == ExitCode.CHANGES, done.stdout + done.stderr
    assert json.loads(done.stdout)["command"] == "preview"
    assert "numReplicas: 3 → 4" in done.stderr
    assert not (planned.folder / "-").exists()


@pytest.mark.cli("git")
def test_a_preview_asks_the_servers_whether_they_can_be_used(planned: Checkout) -> None:
    """A preview of Pulumi sends nothing, so a wrong key would show in the apply; what is advised ends it."""
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
def test_an_apply_that_leaves_a_failed_service_is_no_success(clouddb_sandbox: Sandbox, tmp_path: Path) -> None:
    """In dynamic mode `pulumi up` ends with 0: an error would lose the id. What the next run advises leads out."""
    checkout = Checkout(tmp_path, clouddb_sandbox)
    plan = ["--save-plan", "plan/plan.json"]
    (checkout.folder / "plan").mkdir()
    clouddb_sandbox.fault("create_service", "failed")
    assert checkout.ci("preview", "--stack", STACK, *plan).returncode == ExitCode.OK
    done = checkout.ci("apply", "--plan", "plan/plan.json")
    assert done.returncode == ExitCode.FAILED, done.stdout + done.stderr
    assert (
        "The plan was applied, but these services are not ready: orders (the server says that the service has failed). "
        "Preview and apply again to continue."
    ) in done.stdout
    assert checkout.ci("preview", "--stack", STACK, *plan).returncode == ExitCode.OK
    again = checkout.ci("apply", "--plan", "plan/plan.json")
    assert again.returncode == ExitCode.FAILED, again.stdout
    advised = re.search(r"delete it with `(pulumi destroy --target \S+)` and run `pulumi up`", again.stdout)
    assert advised, again.stdout
    checkout.pulumi(*advised[1].split()[1:], "--yes", "--skip-preview", "--stack", STACK, "--target-dependents")
    checkout.pulumi("up", "--yes", "--skip-preview", "--stack", STACK)
    assert [each["state"] for each in clouddb_sandbox.services.values()] == ["running"]


@pytest.mark.cli("git")
def test_a_preview_of_invalid_resources_says_how_many_were_checked(clouddb_sandbox: Sandbox, tmp_path: Path) -> None:
    """The engine stops at the first: another one may wait behind it."""
    program = PROGRAM.replace("num_replicas=3", "num_replicas=99")
    checkout = Checkout(tmp_path, clouddb_sandbox, program)
    done = checkout.ci("preview", "--stack", STACK)
    assert done.returncode == ExitCode.FAILED, done.stdout + done.stderr
    assert re.search(
        r"The preview failed; nothing was saved. Pulumi stopped after [12] resources \(1 invalid\); it did not "
        r"check the resources that the program declares later\.",
        done.stdout,
    ), done.stdout


@pytest.mark.cli("git")
def test_no_repair_against_a_policy(planned: Checkout) -> None:
    """The packs are run over what the repair would do, and their message is shown."""
    sandbox = planned.sandbox
    (service_id,) = sandbox.services
    sandbox.change("services", service_id, numReplicas=2)
    planned.write(PROGRAM.replace("203.0.113.0/24", "0.0.0.0/0"))
    done = planned.ci("drift", "--stack", STACK, "--repair", "--policy-pack", "policies")
    assert done.returncode == ExitCode.POLICY, done.stdout + done.stderr
    assert "replace it with the networks that connect" in done.stdout
    assert sandbox.services[service_id]["numReplicas"] == 2
    sandbox.change("services", service_id, numReplicas=3)
