"""`clouddb doctor` finds each fault, and its advice removes the finding."""

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
from clouddb_tools.sandbox.handlers import HANDLERS
from commands.doctor.faults import FAULTS, Fault
from commands.doctor.fronts import PAGE, Front
from commands.doctor.machine import Finding, Machine, variables
from commands.doctor.plants import JSON, OneResponse, Plant, env, misspelt_variable, pending, stack
from support import fake_pulumi
from support.ids import CALM, LOGS


@pytest.fixture(params=["neutral"])
def machine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Machine]:
    """A machine without faults, with the settings of a sandbox that enforces the rate limits."""
    ahead = tmp_path / "ahead"
    clock = Clock(lambda: time.time() + (float(ahead.read_text()) if ahead.exists() else 0.0))
    with Sandbox(vocabulary=request.param, rate_limit=True, clock=clock) as sandbox, ExitStack() as ends:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("CLOUDDB_")}
        bin_ = fake_pulumi.install(tmp_path / "bin", {})
        healthy = Machine(sandbox, tmp_path, {**clean, **variables(sandbox.config)}, ends=ends)
        healthy.environment["CLOUDDB_JOURNAL"] = str(tmp_path / "pending")
        healthy.environment["PATH"] = os.pathsep.join([str(bin_), sysconfig.get_path("scripts"), "/usr/bin", "/bin"])
        yield healthy


def problems(report: list[Finding], code: str) -> list[Finding]:
    """Return the findings of a kind that need a fix."""
    return [each for each in report if each["code"] == code and each["level"] != "ok" and each["fix"]]


def accepted(report: list[Finding], setting: str) -> list[Finding]:
    """Return the positive findings about credentials, organization, limit or dialect of a server."""
    checks = ("credentials", "limit", "dialect", *(("organization",) if setting == "BASE_URL" else ()))
    of = {"BASE_URL": "clouddb:baseUrl ", "STACK_URL": "clouddb:stackUrl "}[setting]
    well = [each for each in report if each["level"] == "ok" and each["check"] in checks]
    return [each for each in well if of in each["message"] or each["check"] == "organization"]


EXIT_CODES = {"error": DoctorExit.ERRORS, "warning": DoctorExit.WARNINGS, "note": DoctorExit.WELL}


FIRST_OF_ITS_KIND = {fault.finding.partition(":")[0]: name for name, fault in reversed(FAULTS.items())}.values()
"""One fault for each kind of finding; the others are slow tests."""


def test_doctor_without_a_server_reports_no_duplicates(machine: Machine) -> None:
    """The report does not mention duplicates."""
    machine.environment = {name: value for name, value in machine.environment.items() if "CLOUDDB_" not in name}
    assert "equal" not in machine.doctor("--duplicates").stdout


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(fault, marks=[] if name in FIRST_OF_ITS_KIND else pytest.mark.slow, id=name)
        for name, fault in FAULTS.items()
    ],
)
def test_doctor_finds_a_fault_and_its_advice_removes_it(fault: Fault, machine: Machine) -> None:
    """All findings of its kind have the same command. The advice of other findings removes these, too."""
    expected, plant, placeholders, act = fault
    code = expected.partition(":")[0]
    plant(machine)
    for name in placeholders.split():  # both addresses are those of the sandbox
        machine.values[f"YOUR_{name}"] = getattr(machine.sandbox, name.lower(), machine.sandbox.url)
    examined = machine.report()
    report = examined["findings"]
    found, *others = problems(report, code)
    worst = next(level for level in EXIT_CODES if any(each["level"] == level for each in report))
    assert EXIT_CODES[worst] == examined["exitCode"]
    assert list(EXIT_CODES).index(found["level"]) >= list(EXIT_CODES).index(worst)
    assert f"{code}: {found['fix']}".startswith(expected)
    assert {each["command"] for each in others} <= {found["command"]}
    if isinstance(plant, OneResponse):
        assert not accepted(report, plant.setting)
    if not code.startswith("limit-"):
        machine.sandbox.advance(11)  # a new window of the rate limit
    if act is None:
        machine.do(found["command"])
    else:
        act(machine, found)
    report = machine.report()["findings"]
    assert problems(report, code) == []
    if others := [each for each in report if each["level"] in ("error", "warning")]:
        machine.sandbox.advance(11)
        for finding in others:
            machine.do(finding["command"])
        report = machine.report()["findings"]
    assert not [each for each in report if each["level"] in ("error", "warning")], report


def test_doctor_does_not_wait_for_a_reached_limit(machine: Machine) -> None:
    """Doctor sends one request to each server, and reports the limit."""
    limited = {**JSON, "x-ratelimit-reset": "33"}
    for setting in ("BASE_URL", "STACK_URL"):
        OneResponse(429, "{}", limited, setting)(machine)
    started = time.monotonic()
    findings = machine.findings("limit-reached")
    assert time.monotonic() - started < 20
    assert [each["command"] for each in findings] == ["sleep 33", "sleep 33"]
    assert len(machine.requests) == 2


ODD_LIMITS = {
    "seconds": ("3", "7", "sleep 8"),
    "a far time": ("3", "4000000000", "sleep 121"),
    "two points": ("3", "1.2.3", "sleep 1"),
    "a number that is no integer": ("\u00b2", "7", ""),
    "thousands of digits": ("9" * 5000, "9" * 5000, ""),
}
"""The remaining requests of 100, when the limit is lifted, and the command of the warning; none if it is unknown."""


@pytest.mark.parametrize(("remaining", "reset", "command"), ODD_LIMITS.values(), ids=ODD_LIMITS)
def test_doctor_reads_odd_limits(machine: Machine, remaining: str, reset: str, command: str) -> None:
    """It advises no endless wait, and no form of a header ends the run."""
    headers = {**JSON, "ratelimit-limit": "100", "ratelimit-remaining": remaining, "ratelimit-reset": reset}
    OneResponse(200, '{"data": []}', headers, "STACK_URL")(machine)
    assert [each["command"] for each in machine.findings("limit-near")] == ([command] if command else [])


def test_doctor_reports_a_limit_that_stops_its_checks(machine: Machine) -> None:
    """A check that got a 429 is a warning; after the window, all checks pass."""
    machine.sandbox.fault("list_keys", "rate_limit", reset=7)
    (found,) = machine.findings("limit-met")
    assert (found["level"], found["fix"]) == ("warning", "Run the checks again after that time:")
    assert found["command"] == "sleep 7"
    machine.sandbox.advance(11)
    assert machine.report()["outcome"] == "well"


@pytest.mark.parametrize("machine", ["clickhouse"], indirect=True)
@pytest.mark.parametrize(
    ("expected", "plant"),
    [
        ("dialect: Set the dialect, which is neutral", env(VOCABULARY="neutral")),
        ("wrong-organization: Set it:", FAULTS["another organization"].plant),
    ],
    ids=["dialect", "organization"],
)
def test_doctor_gets_correct_values_from_the_vendors_server(expected: str, plant: Plant, machine: Machine) -> None:
    """The command of the finding has no placeholder."""
    plant(machine)
    code = expected.partition(":")[0]
    found = problems(machine.report()["findings"], code)
    assert f"{code}: {found[0]['fix']}".startswith(expected)
    machine.do(found[0]["command"])
    assert machine.report()["outcome"] == "well"


@pytest.mark.parametrize("machine", ["clickhouse"], indirect=True)
@pytest.mark.parametrize("given", [True, False], ids=["set", "not set"])
def test_doctor_names_the_key_and_its_organization(given: bool, machine: Machine) -> None:
    """Both, also if the organization need not be set."""
    if not given:
        del machine.environment["CLOUDDB_ORGANIZATION_ID"]
    report = machine.report()
    assert report["outcome"] == "well"
    (found,) = [each["message"] for each in report["findings"] if each["check"] == "organization"]
    assert "the key Sandbox admin" in found
    assert machine.sandbox.organization_id in found


SEVERAL = ("5a0c8d3e-7d5e-4f0b-9d52-0f2f6f0d9a11", "7f3c2a10-0000-4000-8000-000000000001")


@pytest.mark.parametrize("machine", ["clickhouse"], indirect=True)
def test_doctor_names_operations_that_the_roles_of_the_key_do_not_permit(machine: Machine) -> None:
    """Of the resources in the stack, once the key may read its roles; with the named permissions, none is left."""
    of_organization = "control-plane:organization:"
    permissions = [f"{of_organization}view", f"{of_organization}view-api-keys"]
    policy = {"allowDeny": "ALLOW", "permissions": permissions, "resources": ["organization/*", "instance/*"]}
    role = machine.sandbox.add("roles", name="Deployer", policies=[policy])["id"]
    made = machine.sandbox.add_key(name="ci", assignedRoleIds=[role])
    stack({"keyId": made["keyId"], "keySecret": made["keySecret"]})(machine)
    resources = [
        {"urn": f"urn:pulumi:dev::shop::clouddb:index:{kind}::it", "type": f"clouddb:index:{kind}", "id": "1"}
        for kind in ("Service", "Dashboard")
    ]
    state = {"deployment": {"resources": resources}}
    (machine.folder / "bin" / "state.json").write_text(json.dumps(state), encoding="utf-8")
    (found,) = machine.findings("permissions")
    assert "the key 'ci'" in found["message"]
    assert "not known" in found["message"]

    def permit(*more: str) -> None:
        permissions.extend(more)
        machine.sandbox.change("roles", role, policies=[{**policy, "permissions": permissions}])

    permit(f"{of_organization}manage")
    (found,) = machine.findings("permissions")
    assert "delete the service (control-plane:service:delete)" in found["message"]
    named = re.findall(r"control-plane:[\w:-]*\w", found["message"])
    assert {"control-plane:service:manage", f"{of_organization}create-service"} < {*named}
    assert not any("clickstack" in each for each in named)  # that dashboard is on the self-hosted server
    permit(*named)
    assert machine.findings("permissions") == []


@pytest.mark.parametrize("machine", ["clickhouse"], indirect=True)
def test_doctor_asks_for_an_organization(machine: Machine) -> None:
    """An older server does not return it, but lists the organizations."""
    organization = machine.environment.pop("CLOUDDB_ORGANIZATION_ID")
    machine.sandbox.fault("get_caller", "not_found", times=9)
    (found,) = problems(machine.report()["findings"], "unknown-organization")
    machine.do(found["command"])
    assert machine.environment["CLOUDDB_ORGANIZATION_ID"] == organization
    assert machine.report()["outcome"] == "well"


@pytest.mark.parametrize("machine", ["clickhouse"], indirect=True)
def test_doctor_lists_the_organizations_of_a_user(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """A person selects one of them."""
    del machine.environment["CLOUDDB_ORGANIZATION_ID"]
    own = [{"organizationId": id_, "organizationName": f"Shop {number}"} for number, id_ in enumerate(SEVERAL)]
    monkeypatch.setitem(HANDLERS, "get_caller", lambda *_: {"actorType": "user", "name": "Ada", "organizations": own})
    (found,) = problems(machine.report()["findings"], "several-organizations")
    assert f"Shop 0 ({SEVERAL[0]}), Shop 1 ({SEVERAL[1]})" in found["message"]
    assert found["command"] == f"export CLOUDDB_ORGANIZATION_ID={SEVERAL[0]}"


@pytest.mark.parametrize("machine", ["clickhouse"], indirect=True)
@pytest.mark.parametrize("services", [0, 1], ids=["no service", "a service"])
def test_doctor_does_not_advise_another_dialect_behind_a_filtering_gateway(machine: Machine, services: int) -> None:
    """A gateway can hide paths of the vendor's server; the neutral dialect would remove the marks of creates."""
    for _ in range(services):
        machine.sandbox.add("services", name="orders")
    hidden = ("/v1/organizations", "/api/v2", "/api/v2/")
    gateway = Front(machine.sandbox.url, lambda path: PAGE if path in hidden else path)
    machine.ends.enter_context(gateway)
    machine.environment.update(CLOUDDB_BASE_URL=gateway.url, CLOUDDB_STACK_URL=gateway.url)
    report = machine.report()
    assert report["outcome"] == "well"
    assert not [each for each in report["findings"] if "VOCABULARY" in each["command"]]
    levels = {
        each["message"].partition(";")[0]: each["level"] for each in report["findings"] if each["code"] == "dialect"
    }
    unknown = "the dialect of clouddb:{} cannot be determined"
    known = "clouddb:baseUrl is a management API of the vendor with the dialect clickhouse"
    assert levels == {known if services else unknown.format("baseUrl"): "ok" if services else "note"} | {
        unknown.format("stackUrl"): "note"
    }


ESCAPES = "\x1b[2J\x1b]0;owned\x9b31m\u202e"
"""Clears a terminal, renames its window, and reverses the direction of writing."""


@pytest.mark.parametrize("options", [(), ("--json",)], ids=["lines", "json"])
def test_doctor_escapes_texts_of_files_and_servers(machine: Machine, options: tuple[str, ...]) -> None:
    """Texts of records and of servers are printable; in JSON, they decode to the original text."""
    record, _ = pending(machine)
    content = json.loads(record.read_text(encoding="utf-8"))
    record.write_text(json.dumps({**content, "what": f"key {ESCAPES}"}), encoding="utf-8")
    machine.sandbox.fault("list_services", "status", status=403, text=f"no {ESCAPES}", times=9)
    printed = machine.doctor(*options).stdout
    assert all(each.isprintable() for each in printed.splitlines())
    assert printed.count(r"\u001b[2J\u001b]0;owned\u009b31m\u202e") >= 2
    if options:
        assert ESCAPES in "".join(each["message"] for each in json.loads(printed)["findings"])


def test_doctor_finds_no_fault_on_the_machine_of_the_tests(machine: Machine) -> None:
    """In a new process; the tests above depend on it."""
    machine.own_process = True
    report = machine.report()
    assert {each["level"] for each in report["findings"]} <= {"ok", "note"}, report


def test_doctor_prints_a_line_for_each_finding(machine: Machine) -> None:
    """Without colours and line breaks if the output is not a terminal; the last line has the counts."""
    FAULTS["a /v1 too much"].plant(machine)
    done = machine.doctor()
    assert done.returncode == DoctorExit.ERRORS
    *lines, last = done.stdout.splitlines()
    assert last == "1 error, 0 warnings"
    assert lines[0] == (
        f"error   settings: clouddb:baseUrl must not end with /v1, which every request adds: set it to "
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
def test_doctor_does_not_show_values_that_may_be_secret(variable: str, value: str, machine: Machine) -> None:
    """They are in no finding and in no command."""
    machine.environment[variable] = value
    done = machine.doctor()
    assert done.returncode in (DoctorExit.ERRORS, DoctorExit.WARNINGS)
    assert "s3cr3t" not in done.stdout


def test_doctor_rejects_an_unknown_option(machine: Machine) -> None:
    """The exit code is that of a wrong command line."""
    assert machine.doctor("--jsn").returncode == DoctorExit.USAGE


@pytest.mark.parametrize("machine", ["neutral", "clickhouse"], indirect=True)
def test_doctor_sends_few_requests_and_only_reads(machine: Machine) -> None:
    """At most eight different GET requests, fewer than the lowest published limit."""
    machine.report()
    requests = [(each.method, each.path) for each in machine.sandbox.requests]
    assert {method for method, _ in requests} == {"GET"}
    assert len(set(requests)) == len(requests) <= 8


@pytest.mark.parametrize("machine", ["clickhouse"], indirect=True)
@pytest.mark.parametrize("form", ["self-hosted", "managed"])
def test_doctor_finds_an_alert_whose_check_fails(form: str, machine: Machine) -> None:
    """The finding contains the server's error, which the state of the alert does not show."""
    sandbox = machine.sandbox
    service = "" if form == "self-hosted" else sandbox.add("services", name="orders")["id"]
    with sandbox.management() if service else sandbox.self_hosted() as http:
        path = f"/services/{service}/clickstack" if service else ""
        config = {"displayType": "line", "sourceId": LOGS, "select": [{"aggFn": "count"}]}
        tile = {"name": "one", "x": 0, "y": 0, "w": 4, "h": 3, "config": config}
        body = http.post(f"{path}/dashboards", json={"name": "Watched", "tiles": [tile]}).json()
        board = body.get("result") or body["data"]
        target = {"source": "tile", "dashboardId": board["id"], "tileId": board["tiles"][0]["id"]}
        channel = {"type": "webhook", "webhookId": CALM}
        limits = {"threshold": 1, "thresholdType": "above", "interval": "5m"}
        body = http.post(f"{path}/alerts", json={"name": "Errors", **target, **limits, "channel": channel}).json()
    alert = (body.get("result") or body["data"])["id"]
    (well,) = [each for each in machine.report()["findings"] if each["check"] == "alerts"]
    where = f"service {service}" if service else "clouddb:stackUrl"
    assert (well["level"], well["message"]) == ("ok", f"no check of the 1 alerts of {where} has failed")
    error = {"timestamp": "2026-11-26T10:49:17.679Z", "type": "QUERY_ERROR", "message": "Syntax error"}
    sandbox.change("alerts", alert, executionErrors=[error])
    machine.sandbox.advance(11)
    (found,) = problems(machine.report()["findings"], "failing-alert")
    assert found["level"] == "warning"
    assert found["message"] == (
        f"alert 'Errors' ({alert}) of {where} cannot fire: its check at 2026-11-26T10:49:17.679Z failed: "
        "QUERY_ERROR: Syntax error"
    )
    assert found["fix"].startswith("Correct the query")


def test_doctor_reports_a_check_that_raises(machine: Machine) -> None:
    """The other checks continue."""

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
    """The value moves from one key to the other, is a secret afterwards, and is never shown."""
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


def test_doctor_does_not_report_a_misspelt_setting_as_missing(machine: Machine) -> None:
    """One fault causes one finding."""
    misspelt_variable(machine)
    levels = {each["code"]: each["level"] for each in machine.report()["findings"]}
    assert [code for code, level in levels.items() if level not in ("ok", "note")] == ["misspelt-variable"]


def test_doctor_only_notes_a_record_that_another_process_uses(machine: Machine) -> None:
    """The note contains the stack; it is gone when the process ends."""
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


def test_doctor_notes_a_record_of_other_settings(machine: Machine) -> None:
    """These settings cannot show whether its object exists."""
    pending(machine)
    machine.environment["CLOUDDB_STACK_URL"] = "http://localhost:1"
    assert machine.findings("pending-elsewhere") == []  # that of another kind of server is no matter
    machine.environment["CLOUDDB_ORGANIZATION_ID"] = "99999999-2222-4333-8444-555555555555"
    (found,) = machine.findings("pending-elsewhere")
    assert found["level"] == "note"
