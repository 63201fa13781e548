"""`clouddb doctor`: each fault is planted and found; what the finding says is done, and the finding is gone."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import NoReturn
from unittest.mock import patch

import pytest

from clouddb_tools.commands.doctor.checks import CHECKS
from clouddb_tools.commands.doctor.finding import DoctorExit
from clouddb_tools.sandbox import Clock, Sandbox
from commands.doctor.faults import FAULTS, Fault
from commands.doctor.fronts import PAGE, Front
from commands.doctor.machine import Finding, Machine, variables
from commands.doctor.plants import JSON, OneAnswer, Plant, env, misspelt_variable, pending
from support import fake_pulumi
from support.ids import CALM, LOGS


@pytest.fixture(params=["neutral"])
def machine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Machine]:
    """A machine without a fault: its settings name a sandbox that limits requests, as servers do."""
    ahead = tmp_path / "ahead"
    clock = Clock(lambda: time.time() + (float(ahead.read_text()) if ahead.exists() else 0.0))
    with Sandbox(vocabulary=request.param, rate_limit=True, clock=clock) as sandbox, ExitStack() as ends:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("CLOUDDB_")}
        bin_ = fake_pulumi.install(tmp_path / "bin", {})
        healthy = Machine(sandbox, tmp_path, {**clean, **variables(sandbox.config)}, ends=ends)
        healthy.environment["CLOUDDB_JOURNAL"] = str(tmp_path / "pending")
        healthy.environment["PATH"] = os.pathsep.join([str(bin_), sysconfig.get_path("scripts"), "/usr/bin", "/bin"])
        yield healthy


def wrong(report: list[Finding], code: str) -> list[Finding]:
    """Return the findings of a kind that are not well; a note that nothing is to be done about is."""
    return [each for each in report if each["code"] == code and each["level"] != "ok" and each["fix"]]


def acquitted(report: list[Finding], setting: str) -> list[Finding]:
    """Return the findings that a server accepts credentials, an organization or requests, or speaks a dialect."""
    checks = ("credentials", "limit", "dialect", *(("organization",) if setting == "BASE_URL" else ()))
    of = {"BASE_URL": "clouddb:baseUrl ", "STACK_URL": "clouddb:stackUrl "}[setting]
    well = [each for each in report if each["level"] == "ok" and each["check"] in checks]
    return [each for each in well if of in each["message"] or each["check"] == "organization"]


EXIT_CODES = {"error": DoctorExit.ERRORS, "warning": DoctorExit.WARNINGS, "note": DoctorExit.WELL}


FIRST_OF_ITS_KIND = {fault.said.partition(":")[0]: name for name, fault in reversed(FAULTS.items())}.values()
"""A fault for each finding; the others are slow."""


def test_without_a_server_no_object_is_compared(machine: Machine) -> None:
    """Nothing is said of duplicates then."""
    machine.environment = {name: value for name, value in machine.environment.items() if "CLOUDDB_" not in name}
    assert "equal" not in machine.doctor("--duplicates").stdout


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(fault, marks=[] if name in FIRST_OF_ITS_KIND else pytest.mark.slow, id=name)
        for name, fault in FAULTS.items()
    ],
)
def test_a_fault_is_found_and_what_is_said_ends_it(fault: Fault, machine: Machine) -> None:
    """All findings of its kind say the same. What else was wrong ends in the same way."""
    said, plant, asks, act = fault
    code = said.partition(":")[0]
    plant(machine)
    for name in asks.split():  # both addresses are that of the sandbox
        machine.answers[f"YOUR_{name}"] = getattr(machine.sandbox, name.lower(), machine.sandbox.url)
    examined = machine.report()
    report = examined["findings"]
    found, *others = wrong(report, code)
    worst = next(level for level in EXIT_CODES if any(each["level"] == level for each in report))
    assert EXIT_CODES[worst] == examined["exitCode"]
    assert list(EXIT_CODES).index(found["level"]) >= list(EXIT_CODES).index(worst)
    assert f"{code}: {found['fix']}".startswith(said)
    assert {each["command"] for each in others} <= {found["command"]}
    if isinstance(plant, OneAnswer):
        assert not acquitted(report, plant.setting)
    if not code.startswith("limit-"):
        machine.sandbox.advance(11)  # the limit of requests begins anew
    if act is None:
        machine.do(found["command"])
    else:
        act(machine, found)
    report = machine.report()["findings"]
    assert wrong(report, code) == []
    if others := [each for each in report if each["level"] in ("error", "warning")]:
        machine.sandbox.advance(11)
        for finding in others:
            machine.do(finding["command"])
        report = machine.report()["findings"]
    assert not [each for each in report if each["level"] in ("error", "warning")], report


def test_a_limit_that_is_reached_is_not_waited_out(machine: Machine) -> None:
    """One request is enough, of each server."""
    limited = {**JSON, "x-ratelimit-reset": "33"}
    for setting in ("BASE_URL", "STACK_URL"):
        OneAnswer(429, "{}", limited, setting)(machine)
    started = time.monotonic()
    findings = machine.findings("limit-reached")
    assert time.monotonic() - started < 20
    assert [each["command"] for each in findings] == ["sleep 33", "sleep 33"]
    assert len(machine.requests) == 2


def test_a_limit_that_doctor_itself_meets_is_said(machine: Machine) -> None:
    """What was not examined is not well; the checks that were done stay."""
    machine.sandbox.fault("list_keys", "rate_limit", reset=7)
    (found,) = machine.findings("limit-met")
    assert (found["level"], found["fix"]) == ("warning", "Run the checks again after that time:")
    assert found["command"] == "sleep 7"
    machine.sandbox.advance(11)
    assert machine.report()["outcome"] == "well"


@pytest.mark.parametrize("machine", ["clickhouse"], indirect=True)
@pytest.mark.parametrize(
    ("said", "plant"),
    [
        ("dialect: Set the dialect, which is neutral", env(VOCABULARY="neutral")),
        ("wrong-organization: Set it:", FAULTS["another organization"].plant),
    ],
    ids=["dialect", "organization"],
)
def test_the_vendors_server_tells_what_is_right(said: str, plant: Plant, machine: Machine) -> None:
    """Nothing is left to fill in."""
    plant(machine)
    code = said.partition(":")[0]
    found = wrong(machine.report()["findings"], code)
    assert f"{code}: {found[0]['fix']}".startswith(said)
    machine.do(found[0]["command"])
    assert machine.report()["outcome"] == "well"


@pytest.mark.parametrize("machine", ["clickhouse"], indirect=True)
@pytest.mark.parametrize("services", [0, 1], ids=["no service", "a service"])
def test_a_server_that_knows_no_organizations_may_be_the_vendors(machine: Machine, services: int) -> None:
    """A gateway passes on what it likes: nothing is advised that would take the marks of creates away."""
    for _ in range(services):
        machine.sandbox.add("services", name="orders")
    hidden = ("/v1/organizations", "/api/v2", "/api/v2/")
    gateway = Front(machine.sandbox.url, lambda path: PAGE if path in hidden else path)
    machine.ends.enter_context(gateway)
    machine.environment.update(CLOUDDB_BASE_URL=gateway.url, CLOUDDB_STACK_URL=gateway.url)
    report = machine.report()
    assert report["outcome"] == "well"
    assert not [each for each in report["findings"] if "VOCABULARY" in each["command"]]
    told = {
        each["message"].partition(";")[0]: each["level"] for each in report["findings"] if each["code"] == "dialect"
    }
    unknown = "the dialect of clouddb:{} cannot be determined"
    spoken = "clouddb:baseUrl is a management API of the vendor with the dialect clickhouse"
    assert told == {spoken if services else unknown.format("baseUrl"): "ok" if services else "note"} | {
        unknown.format("stackUrl"): "note"
    }


ESCAPES = "\x1b[2J\x1b]0;owned\x9b31m\u202e"
"""What clears a terminal, renames its window, and turns the direction of writing."""


@pytest.mark.parametrize("options", [(), ("--json",)], ids=["lines", "json"])
def test_what_files_and_servers_say_is_printable(machine: Machine, options: tuple[str, ...]) -> None:
    """A record, and the words of a server; in JSON they are the same words as before."""
    record, _ = pending(machine)
    content = json.loads(record.read_text(encoding="utf-8"))
    record.write_text(json.dumps({**content, "what": f"key {ESCAPES}"}), encoding="utf-8")
    machine.sandbox.fault("list_services", "status", status=403, text=f"no {ESCAPES}", times=9)
    printed = machine.doctor(*options).stdout
    assert all(each.isprintable() for each in printed.splitlines())
    assert printed.count(r"\u001b[2J\u001b]0;owned\u009b31m\u202e") >= 2
    if options:
        assert ESCAPES in "".join(each["message"] for each in json.loads(printed)["findings"])


def test_the_machine_of_the_tests_is_well(machine: Machine) -> None:
    """Else the tests above would prove nothing. As a user runs it."""
    machine.own_process = True
    report = machine.report()
    assert {each["level"] for each in report["findings"]} <= {"ok", "note"}, report


def test_a_line_is_a_finding_with_what_to_do(machine: Machine) -> None:
    """Without colours and without a break where the output is no terminal; the last line counts."""
    FAULTS["a /v1 too much"].plant(machine)
    done = machine.doctor()
    assert done.returncode == DoctorExit.ERRORS
    *lines, last = done.stdout.splitlines()
    assert last == "1 error, 0 warnings"
    assert lines[0] == (
        f"error   settings: clouddb:baseUrl must not end in /v1, which every request adds: set it to "
        f"`{machine.sandbox.url}`, not '{machine.sandbox.url}/v1'. "
        f"Correct it: export CLOUDDB_BASE_URL={machine.sandbox.url}"
    )
    assert {line.split()[0] for line in lines[1:]} <= {"ok", "note"}


SECRET_VALUES = {
    "credentials in an address": ("CLOUDDB_BASE_URL", "https://me:s3cr3t-pass@api.example.com/v1"),
    "a token in an address": ("CLOUDDB_BASE_URL", "https://api.example.com/v1?token=s3cr3t-pass"),
    "a line break in a secret": ("CLOUDDB_KEY_SECRET", "s3cr3t-pass\n"),
    "a colon in a key id": ("CLOUDDB_KEY_ID", "id:s3cr3t-pass"),
    "a secret in a misspelt variable": ("CLOUDDB_KEY_SECRETT", "s3cr3t-pass"),
}


@pytest.mark.parametrize(("variable", "value"), SECRET_VALUES.values(), ids=SECRET_VALUES)
def test_what_may_be_secret_is_not_shown(variable: str, value: str, machine: Machine) -> None:
    """Neither in a finding nor in a command."""
    machine.environment[variable] = value
    done = machine.doctor()
    assert done.returncode in (DoctorExit.ERRORS, DoctorExit.WARNINGS)
    assert "s3cr3t" not in done.stdout


def test_an_option_that_does_not_exist_is_usage(machine: Machine) -> None:
    """As with every command."""
    assert machine.doctor("--jsn").returncode == DoctorExit.USAGE


@pytest.mark.parametrize("machine", ["neutral", "clickhouse"], indirect=True)
def test_it_only_reads_and_asks_little(machine: Machine) -> None:
    """At most seven requests and one for alerts, each once, within the narrowest of the published limits."""
    machine.report()
    requests = [(each.method, each.path) for each in machine.sandbox.requests]
    assert {method for method, _ in requests} == {"GET"}
    assert len(set(requests)) == len(requests) <= 8


@pytest.mark.parametrize("machine", ["clickhouse"], indirect=True)
@pytest.mark.parametrize("form", ["self-hosted", "managed"])
def test_an_alert_that_cannot_fire_is_found(form: str, machine: Machine) -> None:
    """With the server's words; the state of the alert does not show it."""
    sandbox = machine.sandbox
    service = "" if form == "self-hosted" else sandbox.add("services", name="orders")["id"]
    with sandbox.management() if service else sandbox.self_hosted() as http:
        path = f"/services/{service}/clickstack" if service else ""
        config = {"displayType": "line", "sourceId": LOGS, "select": [{"aggFn": "count"}]}
        tile = {"name": "one", "x": 0, "y": 0, "w": 4, "h": 3, "config": config}
        answer = http.post(f"{path}/dashboards", json={"name": "Watched", "tiles": [tile]}).json()
        board = answer.get("result") or answer["data"]
        target = {"source": "tile", "dashboardId": board["id"], "tileId": board["tiles"][0]["id"]}
        channel = {"type": "webhook", "webhookId": CALM}
        limits = {"threshold": 1, "thresholdType": "above", "interval": "5m"}
        answer = http.post(f"{path}/alerts", json={"name": "Errors", **target, **limits, "channel": channel}).json()
    alert = (answer.get("result") or answer["data"])["id"]
    (well,) = [each for each in machine.report()["findings"] if each["check"] == "alerts"]
    where = f"service {service}" if service else "clouddb:stackUrl"
    assert (well["level"], well["message"]) == ("ok", f"no check of the 1 alerts of {where} has failed")
    error = {"timestamp": "2026-11-26T10:49:17.679Z", "type": "QUERY_ERROR", "message": "Syntax error"}
    sandbox.change("alerts", alert, executionErrors=[error])
    machine.sandbox.advance(11)
    (found,) = wrong(machine.report()["findings"], "failing-alert")
    assert found["level"] == "warning"
    assert found["message"] == (
        f"alert 'Errors' ({alert}) of {where} cannot fire: its check at 2026-11-26T10:49:17.679Z failed: "
        "QUERY_ERROR: Syntax error"
    )
    assert found["fix"].startswith("Correct the query")


def test_a_check_that_breaks_is_a_finding(machine: Machine) -> None:
    """The others go on."""

    def breaks(_: object) -> NoReturn:
        raise ZeroDivisionError(f"with {machine.sandbox.key_secret}")

    broken = replace(CHECKS[1], run=breaks)
    with patch("clouddb_tools.commands.doctor.checks.examine.__defaults__", ((CHECKS[0], broken, *CHECKS[2:]),)):
        report = machine.report()
    found = {each["code"]: each for each in report["findings"] if each["check"] == "addresses"}
    assert list(found) == ["broken-check"]
    assert found["broken-check"]["fix"] == "Report this line to the maintainers of pulumi-clouddb."
    assert found["broken-check"]["message"] == "the check itself failed: ZeroDivisionError: with [secret]"
    # Servers of the interface do not report failed checks of alerts.
    assert {each["check"] for each in report["findings"]} == {check.name for check in CHECKS} - {"alerts"}


@pytest.mark.cli
def test_the_real_cli_moves_a_misspelt_secret(machine: Machine) -> None:
    """The value goes from one key to the other, is a secret afterwards, and is shown nowhere."""
    cli = Path(str(shutil.which("pulumi"))).parent
    machine.environment.update(
        PATH=f"{cli}{os.pathsep}{machine.environment['PATH']}",
        PULUMI_BACKEND_URL=f"file://{machine.folder}",
        PULUMI_HOME=str(machine.folder / "home"),
        PULUMI_CONFIG_PASSPHRASE="x",
        PULUMI_SKIP_UPDATE_CHECK="1",
    )
    (machine.folder / "Pulumi.yaml").write_text("name: shop\nruntime: python\n", encoding="utf-8")
    machine.do("pulumi stack init dev")
    config = {**machine.sandbox.config, "clouddb:keySecrt": machine.sandbox.key_secret}
    del config["clouddb:keySecret"]
    for name, value in config.items():
        flag = "--secret" if name in ("clouddb:keySecrt", "clouddb:stackToken") else "--plaintext"
        machine.do(f"pulumi config set {flag} {name} '{value}'")
    for name in variables(machine.sandbox.config):
        del machine.environment[name]
    machine.stack, machine.own_process = "dev", True
    (found,) = machine.findings("misspelt-setting")
    machine.do(found["command"])
    assert machine.report()["outcome"] == "well"
    assert re.search(r"clouddb:keySecret +\[secret\]", machine.do("pulumi config"))


def test_a_misspelt_setting_is_not_missing_beside_that(machine: Machine) -> None:
    """One fault is one finding."""
    misspelt_variable(machine)
    levels = {each["code"]: each["level"] for each in machine.report()["findings"]}
    assert [code for code, level in levels.items() if level not in ("ok", "note")] == ["misspelt-variable"]


def test_a_record_that_another_process_works_on_is_left_alone(machine: Machine) -> None:
    """It is noted, with its stack."""
    record, _ = pending(machine)
    holder = "import sys, pathlib; from pulumi_clouddb.create.locks import MachineLocks; "
    holder += "from pulumi_clouddb.client.runtime import Runtime; path = pathlib.Path(sys.argv[1]); "
    holder += "MachineLocks(path.parent, Runtime()).acquire(str(path), 0.0); print('held', flush=True); "
    holder += "sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", holder, str(record)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout
        assert other.stdout.readline() == "held\n"
        (found,) = machine.findings("pending-busy")
        other.communicate("")
    assert "(stack dev, sent 20" in found["message"]
    assert machine.findings("pending-busy") == []


def test_a_record_of_other_settings_is_noted(machine: Machine) -> None:
    """Whether its object is there cannot be known with these."""
    pending(machine)
    machine.environment["CLOUDDB_STACK_URL"] = "http://localhost:1"
    (found,) = machine.findings("pending-elsewhere")
    assert found["level"] == "note"
