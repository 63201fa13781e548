"""The commands of the sandbox: request log, reset, seeds, snapshots, faults."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from typer.testing import CliRunner

from clouddb_tools.commands.exit_codes import SandboxExit
from clouddb_tools.commands.main import app
from clouddb_tools.commands.sandbox.objects import objects_of
from clouddb_tools.sandbox import FaultKind, LoggedRequest, Sandbox, SandboxControl


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    """A running sandbox."""
    with Sandbox(vocabulary="neutral") as running:
        yield running


def run(sandbox: SandboxControl, *words: str) -> tuple[str, int]:
    """Run a command of a sandbox, and return its output and exit code."""
    result = CliRunner().invoke(app, ["sandbox", *words, "--port", sandbox.url.rpartition(":")[2]])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.output, result.exit_code


def test_commands_do_not_import_the_server(sandbox: Sandbox) -> None:
    """The import takes a second."""
    script = (
        "import sys; from clouddb_tools.sandbox import SandboxControl; SandboxControl(sys.argv[1]).count();"
        "sys.exit(bool({'pydantic', 'starlette', 'pulumi_clouddb.registry'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", script, sandbox.url], check=False).returncode == 0


# -- a line per request ----------------------------------------------------------------------------------------------

LINE = re.compile(
    r"\d\d:\d\d:\d\d GET    /v1/organizations/[0-9a-f-]+/services list_services (\S+) \d+ ms( fault \w+)?$"
)


def test_sandbox_prints_a_line_per_request() -> None:
    """For any width of the terminal, with the fault, and without secrets."""
    welcome, shown = serve_and_ask()
    assert not welcome[0].startswith("Made")
    assert [match[1] for line in shown[:2] if (match := LINE.fullmatch(line))] == ["200", "reset"]
    assert shown[1].endswith(" fault lose")
    assert re.fullmatch(r"\d\d:\d\d:\d\d GET    /nowhere/%1B%5B2J - 404 \d+ ms", shown[2])
    assert len(shown) == 3


def serve_and_ask(*options: str) -> tuple[list[str], list[str]]:
    """Run the command, send three requests, and return its lines of output before and after them."""
    command = [sys.executable, "-m", "clouddb_tools.commands", "sandbox", "--port", "0", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        try:
            welcome, rest, secret = ask(process)
        finally:
            process.kill()
    assert secret not in "\n".join(rest)
    assert rest.pop() == "The sandbox has stopped."
    return welcome, rest


def ask(process: subprocess.Popen[str]) -> tuple[list[str], list[str], str]:
    """Send three requests to a sandbox and end it; return its output, and a secret that was in a request."""
    assert process.stdout
    welcome, url = [], ""
    while "lists the commands" not in (line := process.stdout.readline()):
        assert line, "it ended"
        welcome.append(line.rstrip())
        url = match[1] if (match := re.search(r"(\S+)/_sandbox/state", line)) else url
    control = SandboxControl(url)
    with control.management() as http:
        http.get("/services")
        control.fault("list_services", "lose")
        with pytest.raises(httpx.HTTPError):
            http.get("/services", params={"filter": control.key_secret})
    httpx.get(f"{url}/nowhere/%1B%5B2J")
    control.close()
    process.send_signal(signal.SIGINT)
    rest = process.stdout.read().splitlines()
    assert process.wait(10) == 0
    return welcome, rest, control.key_secret


# -- reset, seeds, snapshots -----------------------------------------------------------------------------------------


def test_reset_empties_the_sandbox_and_keeps_credentials(sandbox: Sandbox) -> None:
    """Objects, faults and requests are removed."""
    sandbox.add("services", name="Orders")
    sandbox.fault("list_services", "lose")
    printed, code = run(sandbox, "reset")
    assert (printed, code) == ("Sandbox reset. Its credentials are unchanged.\n", 0)
    assert (sandbox.services, sandbox.faults(), sandbox.requests) == ({}, [], [])
    with sandbox.management() as http:
        assert http.get("/services").status_code == 200


OBJECTS = """
services:
  - {as: shop, name: Shop, numReplicas: 3}
  - {name: Other}
pipes:
  - {serviceId: "${shop}", kind: kafka, name: clicks}
keys:
  - {as: ci, name: ci, roles: [developer], expireAt: 2030-01-01T00:00:00Z}
dashboards:
  - {as: board, serviceId: "${shop}", name: Board, tiles: [{name: one, x: 0, y: 0, w: 6, h: 3}]}
alerts:
  - {serviceId: "${shop}", dashboardId: "${board}", tileId: "${board.tiles.0.id}", threshold: 5, name: "${ci.name}"}
"""


def plain(sandbox: Sandbox) -> dict[str, Any]:
    """Return the objects of the seed, with names in place of ids."""
    (alert,) = sandbox.alerts.values()
    board = sandbox.dashboards[alert["dashboard"]]
    assert alert["tileId"] == board["tiles"][0]["id"]
    (key,) = [each for each in sandbox.keys.values() if each["name"] == "ci"]
    return {
        "services": {each["name"]: each["numReplicas"] for each in sandbox.services.values()},
        "pipes": sorted(each["name"] for each in sandbox.pipes.values()),
        "key": (key["roles"], key["expireAt"]),
        "alert": (alert["threshold"], alert["name"]),
    }


@pytest.mark.parametrize("suffix", [".yaml", ".yml", ".json"])
def test_seed_creates_objects_with_references(suffix: str, sandbox: Sandbox, tmp_path: Path) -> None:
    """From YAML or JSON; a time remains text."""
    file = tmp_path / f"objects{suffix}"
    content = objects_of(write(tmp_path / "objects.yaml", OBJECTS))
    write(file, json.dumps(content) if suffix == ".json" else OBJECTS)
    printed, code = run(sandbox, "seed", str(file))
    assert (printed, code) == ("Created services: 2, pipes: 1, keys: 1, dashboards: 1, alerts: 1\n", 0)
    assert plain(sandbox) == {
        "services": {"Shop": 3, "Other": 3},
        "pipes": ["archive", "archive", "clicks", "events", "events"],
        "key": (["developer"], "2030-01-01T00:00:00.000Z"),
        "alert": (5, "ci"),
    }


def write(file: Path, text: str) -> Path:
    """Write a file and return it."""
    file.write_text(text, encoding="utf-8")
    return file


def within_aliases(form: str) -> str:
    """Return YAML of 300 characters that stands for ten billion values."""
    levels = [f"a{n}: &a{n} {form.format(', '.join([f'*a{n - 1}'] * 10))}" for n in range(1, 11)]
    return "\n".join(["a0: &a0 {name: x}", *levels])


INVALID_SEEDS: dict[str, tuple[str, str, int]] = {
    "not YAML": ("services: [", "cannot be read", 2),
    "a list": ("[]", "must contain objects by kind", 2),
    "bytes": ("services: [{name: !!binary aGk=}]", "Object of type bytes is not JSON serializable", 2),
    "aliases within aliases": (within_aliases("[{}]"), "it has more than 1,000,000 values", 2),
    "merged aliases within aliases": (within_aliases("{{<<: [{}]}}"), "it has more than 1,000,000 values", 2),
    "an alias within itself": ("services: &a [*a]", "cannot be read", 2),
    "deeply nested": ("[" * 5000, "cannot be read", 2),
    "not a number": ("services: [{numReplicas: .nan}]", "error: Out of range float values are not JSON compliant", 1),
    "other types": ("services: [{name: 5}]", "error: name: must be text, not 5", 1),
    "an unknown kind": ("service: [{name: a}]", "not 'service'; did you mean services?", 1),
    "not a list": ("services: {name: a}", "services must be a list of objects", 1),
    "an unknown name": (
        "services: [{as: a, name: a}]\npipes: [{serviceId: '${b}'}]",
        "pipes[0].serviceId refers to 'b', but no earlier object has this name (as); named are a",
        1,
    ),
    "an unknown value": (
        "services: [{as: a, name: a}]\npipes: [{serviceId: '${a.nothing}'}]",
        "pipes[0].serviceId refers to a.nothing, which a does not have",
        1,
    ),
}


@pytest.mark.parametrize(("text", "message", "code"), INVALID_SEEDS.values(), ids=INVALID_SEEDS)
def test_invalid_seed_creates_nothing(text: str, message: str, code: int, sandbox: Sandbox, tmp_path: Path) -> None:
    """The message has the path and the error; no earlier object is created, either."""
    printed, exit_code = run(sandbox, "seed", str(write(tmp_path / "objects.yaml", text)))
    assert message in " ".join(printed.replace("│", " ").split())
    assert exit_code == code
    assert sandbox.services == {}


@pytest.mark.slow
def test_sandbox_starts_with_a_seed(tmp_path: Path) -> None:
    """The command fails if the seed is invalid. With --quiet, it prints no line per request."""
    bad = write(tmp_path / "bad.yaml", "service: []")
    result = CliRunner().invoke(app, ["sandbox", "--port", "0", "--seed", str(bad)])
    assert result.exit_code == SandboxExit.FAILED
    assert f"The objects of {bad} cannot be created: kind must be one of services" in result.output.replace("\n", "")
    good = write(tmp_path / "good.yaml", OBJECTS)
    welcome, shown = serve_and_ask("--seed", str(good), "--quiet")
    assert welcome[0] == "Created services: 2, pipes: 1, keys: 1, dashboards: 1, alerts: 1"
    assert shown == []


@pytest.mark.parametrize("kept", [False, True], ids=["in memory", "in a file"])
def test_snapshot_restores_all_objects(kept: bool, tmp_path: Path) -> None:
    """Also after a reset, and in the data file for the next start."""
    data = tmp_path / "sandbox.db" if kept else None
    with Sandbox(vocabulary="neutral", data=data) as sandbox:
        board = sandbox.add("dashboards", name="Board")
        service = sandbox.add("services", name="Orders")
        before = {kind: sandbox.objects(kind) for kind in ("services", "pipes", "dashboards", "sources", "keys")}
        assert run(sandbox, "snapshot", "save", "full") == ("Saved full.\n", 0)
        sandbox.change("services", service["id"], numReplicas=9)
        sandbox.remove("dashboards", board["id"])
        sandbox.reset()
        assert run(sandbox, "snapshot", "save", "empty")[1] == 0
        assert run(sandbox, "snapshot", "list") == ("full\nempty\n", 0)
        assert run(sandbox, "snapshot", "restore", "full") == ("Restored full.\n", 0)
        assert {kind: sandbox.objects(kind) for kind in before} == before
        sandbox.remove("services", service["id"])  # with its pipes
        assert sandbox.pipes == {}
        sandbox.restore_snapshot("full")
    if kept:
        with Sandbox(vocabulary="neutral", data=data) as again:
            assert {kind: again.objects(kind) for kind in before} == before


def test_unknown_snapshot_is_reported_with_the_nearest_name(sandbox: Sandbox) -> None:
    """Invalid names are rejected."""
    sandbox.save_snapshot("before")
    assert run(sandbox, "snapshot", "restore", "befor") == (
        "error: no snapshot is named 'befor'; did you mean before?\n",
        1,
    )
    printed, code = run(sandbox, "snapshot", "save", "a/b")
    assert (printed.startswith("error: a snapshot's name must have"), code) == (True, 1)


# -- the log ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def logged() -> Iterator[Sandbox]:
    """A sandbox with six requests, 0 to 5."""
    with Sandbox(vocabulary="neutral") as running:
        with running.management() as http:
            http.get("/services")
            http.post("/services", json={"name": "Orders"})
            http.post("/services", json={"nam": "Orders"})
            http.get("/keys")
            running.fault("list_keys", "lose")
            with pytest.raises(httpx.HTTPError):
                http.get("/keys")
        httpx.get(f"{running.url}/nowhere")
        yield running


FILTERS: dict[str, tuple[dict[str, Any], list[int]]] = {
    "all": ({}, [0, 1, 2, 3, 4, 5]),
    "since": ({"since": 4}, [4, 5]),
    "a page": ({"limit": 2}, [0, 1]),
    "the next page": ({"since": 2, "limit": 2}, [2, 3]),
    "an operation": ({"operation": "create_service"}, [1, 2]),
    "a method": ({"method": "post"}, [1, 2]),
    "a status": ({"status": 400}, [2]),
    "a class of statuses": ({"status": "4xx"}, [2, 5]),
    "no response": ({"status": "none"}, [4]),
    "a path": ({"path": "/keys"}, [3, 4]),
    "a body": ({"match": {"name": "Orders"}}, [1]),
    "a page of a filter": ({"method": "GET", "limit": 2, "since": 1}, [3, 4]),
    "nothing": ({"operation": "delete_key"}, []),
}


@pytest.mark.parametrize(("which", "numbers"), FILTERS.values(), ids=FILTERS)
def test_log_is_filtered_and_paged(which: dict[str, Any], numbers: list[int], logged: Sandbox) -> None:
    """Over HTTP, and by the command, which has all filters except the body."""
    assert [each.number for each in logged.logged(**which)] == numbers
    if "match" not in which:
        words = [word for name, value in which.items() for word in (f"--{name}", str(value))]
        printed, _ = run(logged, "log", "--json", *words)
        assert [LoggedRequest(**json.loads(line)).number for line in printed.splitlines()] == numbers


def test_follow_prints_new_requests(sandbox: Sandbox) -> None:
    """Each is printed once, after its response; also after a reset of the log."""
    port = sandbox.url.rpartition(":")[2]
    command = [sys.executable, "-m", "clouddb_tools.commands", "sandbox", "log", "--follow", "--port", port]
    with sandbox.management() as http:
        http.get("/services")
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout
            assert " list_services 200 " in process.stdout.readline()
            http.get("/keys")
            assert " list_keys 200 " in process.stdout.readline()
            sandbox.reset()
            http.post("/services", json={"name": "Orders"})
            assert " create_service 200 " in process.stdout.readline()
            process.send_signal(signal.SIGINT)
            assert process.stdout.read() == ""
            assert process.wait(10) == 0


# -- faults ----------------------------------------------------------------------------------------------------------


def test_commands_set_list_and_clear_faults(sandbox: Sandbox) -> None:
    """With the options that select the request."""
    set_ = run(sandbox, "fault", "list_services", "status", "--times", "2", "--status", "503", "--after", "1")
    assert set_ == ("Added fault status to list_services, 2 times.\n", 0)
    assert run(sandbox, "fault", "*", "delay", "--wait", "0.01", "--seconds", "60")[1] == 0
    assert run(sandbox, "faults") == ("list_services status, 2 times\n* delay, every time\n", 0)
    with sandbox.management() as http:
        assert [http.get("/services").status_code for _ in range(4)] == [200, 503, 503, 200]
    assert run(sandbox, "clear") == ("Removed all faults.\n", 0)
    assert run(sandbox, "faults") == ("", 0)


KINDS = ", ".join(kind.value for kind in FaultKind)


def test_unknown_kind_of_fault_is_rejected(sandbox: Sandbox) -> None:
    """By the command and by the class, with the same message."""
    message = f"'loose' is not a kind of fault; did you mean lose? Known are {KINDS}"
    assert run(sandbox, "fault", "create_service", "loose") == (f"error: {message}\n", 1)
    with pytest.raises(ValueError, match=re.escape(message)):
        sandbox.fault("create_service", "loose")


# -- commands --------------------------------------------------------------------------------------------------------

COMMANDS = ("reset", "faults", "clear", "log", "snapshot list")


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_report_a_sandbox_that_does_not_run(command: str) -> None:
    """In one line, with the command that starts one."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    result = CliRunner().invoke(app, ["sandbox", *command.split(), "--port", str(port)])
    assert result.exit_code == SandboxExit.FAILED
    assert result.output == (
        f"No sandbox responds on port {port}. Start one with `clouddb sandbox --port {port}`, or give --port.\n"
    )


@pytest.mark.slow
def test_follow_ends_with_the_sandbox() -> None:
    """With an error in one line."""
    with Sandbox(vocabulary="neutral") as sandbox, sandbox.management() as http:
        port = sandbox.url.rpartition(":")[2]
        command = [sys.executable, "-m", "clouddb_tools.commands", "sandbox", "log", "--follow", "--port", port]
        http.get("/services")
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert process.stdout
        assert " list_services 200 " in process.stdout.readline()
    stderr = process.communicate(timeout=30)[1]
    assert process.returncode == SandboxExit.FAILED
    assert stderr == f"The sandbox on port {port} has stopped.\n"


def test_port_can_precede_the_command(sandbox: Sandbox) -> None:
    """Options for a new sandbox are rejected there: they would have no effect."""
    port = sandbox.url.rpartition(":")[2]
    assert CliRunner().invoke(app, ["sandbox", "--port", port, "faults"]).exit_code == SandboxExit.OK
    result = CliRunner().invoke(app, ["sandbox", "--port", port, "--rate-limit", "reset"])
    assert result.exit_code == SandboxExit.USAGE
    assert "--rate-limit applies to a new sandbox" in result.output.replace("\n", " ")


# -- without the extra -----------------------------------------------------------------------------------------------


def test_fixture_without_its_packages_reports_what_to_install(tmp_path: Path) -> None:
    """In one line, without a traceback."""
    (tmp_path / "conftest.py").write_text("import sys\nsys.modules['starlette'] = None\n", encoding="utf-8")
    (tmp_path / "test_it.py").write_text("def test_it(clouddb_sandbox):\n    pass\n", encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (
        "the fixture clouddb_sandbox cannot start: the sandbox needs more packages: "
        "pip install 'pulumi-clouddb[sandbox]'"
    ) in done.stdout
    assert "Traceback" not in done.stdout
    assert "ModuleNotFoundError" not in done.stdout
