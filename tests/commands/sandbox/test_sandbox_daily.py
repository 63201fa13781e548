"""The sandbox in daily use: a line per request, reset, seeds, snapshots, the log, faults from the command line."""

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
import typer.main
from typer.testing import CliRunner

from pulumi_clouddb.commands.exit_codes import SandboxExit
from pulumi_clouddb.commands.main import app
from pulumi_clouddb.commands.sandbox.objects import objects_of
from pulumi_clouddb.registry import OPERATIONS
from pulumi_clouddb.sandbox import FaultKind, LoggedRequest, Sandbox, SandboxControl


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    """A sandbox that runs."""
    with Sandbox() as running:
        yield running


def run(sandbox: SandboxControl, *words: str) -> tuple[str, int]:
    """Run a command that drives a sandbox, and return what it prints and its exit code."""
    result = CliRunner().invoke(app, ["sandbox", *words, "--port", sandbox.url.rpartition(":")[2]])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.output, result.exit_code


def told(sandbox: SandboxControl, method: str, path: str, body: Any = None) -> tuple[int, str]:
    """Send a request to a control route, and return its status and the error in the answer."""
    content = body if isinstance(body, str) else json.dumps(body) if body is not None else None
    response = httpx.request(method, f"{sandbox.url}/_sandbox{path}", content=content)
    return response.status_code, response.json()["error"]


# -- a line per request ----------------------------------------------------------------------------------------------

LINE = re.compile(
    r"\d\d:\d\d:\d\d GET    /v1/organizations/[0-9a-f-]+/services list_services (\S+) \d+ ms( fault \w+)?$"
)


def test_a_line_is_printed_per_request() -> None:
    """By the command, whatever the width of the terminal; with the fault that was played, and without a secret."""
    shown = serve_and_ask()
    assert [match[1] for line in shown[:2] if (match := LINE.fullmatch(line))] == ["200", "reset"]
    assert shown[1].endswith(" fault lose")
    assert re.fullmatch(r"\d\d:\d\d:\d\d GET    /nowhere/%1B%5B2J - 404 \d+ ms", shown[2])
    assert len(shown) == 3


def test_quiet_prints_none() -> None:
    """For those who read the log."""
    assert serve_and_ask("--quiet") == []


def serve_and_ask(*options: str) -> list[str]:
    """Run the command, send it three requests, and return the lines that it prints after its welcome."""
    command = [sys.executable, "-m", "pulumi_clouddb.commands", "sandbox", "--port", "0", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        try:
            rest, secret = ask(process)
        finally:
            process.kill()
    assert secret not in "\n".join(rest)
    assert rest.pop() == "The sandbox has stopped."
    return rest


def ask(process: subprocess.Popen[str]) -> tuple[list[str], str]:
    """Send a sandbox three requests and end it; return what it prints, and a secret that was in a request."""
    assert process.stdout
    url = ""
    while "lists the commands" not in (line := process.stdout.readline()):
        assert line, "it ended"
        url = found[1] if (found := re.search(r"(\S+)/_sandbox/state", line)) else url
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
    return rest, control.key_secret


# -- reset, seeds, snapshots -----------------------------------------------------------------------------------------


def test_reset_leaves_a_new_sandbox_with_its_credentials(sandbox: Sandbox) -> None:
    """Objects, faults and requests are gone."""
    sandbox.add("services", name="Orders")
    sandbox.fault("list_services", "lose")
    printed, code = run(sandbox, "reset")
    assert (printed, code) == ("Sandbox reset. Its credentials are the same.\n", 0)
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
    """Return the objects that the seed makes, with names in place of ids."""
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
def test_a_seed_makes_objects_that_refer_to_each_other(suffix: str, sandbox: Sandbox, tmp_path: Path) -> None:
    """From YAML or JSON; a moment stays text."""
    file = tmp_path / f"objects{suffix}"
    content = objects_of(write(tmp_path / "objects.yaml", OBJECTS))
    write(file, json.dumps(content) if suffix == ".json" else OBJECTS)
    printed, code = run(sandbox, "seed", str(file))
    assert (printed, code) == ("Made services: 2, pipes: 1, keys: 1, dashboards: 1, alerts: 1\n", 0)
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


NO_SEEDS: dict[str, tuple[str, str, int]] = {
    "no YAML": ("services: [", "no objects can be read from", 2),
    "a list": ("[]", "must hold objects by kind", 2),
    "nested deep": ("[" * 5000, "no objects can be read from", 2),
    "not a number": ("services: [{numReplicas: .nan}]", "error: Out of range float values are not JSON compliant", 1),
    "other types": ("services: [{name: 5}]", "error: name: must be text, not 5", 1),
    "an unknown kind": ("service: [{name: a}]", "not 'service'; did you mean services?", 1),
    "no list": ("services: {name: a}", "services must be a list of objects", 1),
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


@pytest.mark.parametrize(("text", "says", "code"), NO_SEEDS.values(), ids=NO_SEEDS)
def test_a_seed_that_cannot_be_made_makes_nothing(
    text: str, says: str, code: int, sandbox: Sandbox, tmp_path: Path
) -> None:
    """The message says where and what; the objects before it are not made either."""
    printed, exit_code = run(sandbox, "seed", str(write(tmp_path / "objects.yaml", text)))
    assert says in " ".join(printed.replace("│", " ").split())
    assert exit_code == code
    assert sandbox.services == {}


def test_a_sandbox_starts_with_a_seed(tmp_path: Path) -> None:
    """The option of the command; what cannot be made ends it."""
    bad = write(tmp_path / "bad.yaml", "service: []")
    result = CliRunner().invoke(app, ["sandbox", "--port", "0", "--seed", str(bad)])
    assert result.exit_code == SandboxExit.FAILED
    assert f"The objects of {bad} cannot be made: kind must be one of services" in result.output.replace("\n", "")
    good = write(tmp_path / "good.yaml", OBJECTS)
    command = [sys.executable, "-m", "pulumi_clouddb.commands", "sandbox", "--port", "0", "--seed", str(good)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "Made services: 2, pipes: 1, keys: 1, dashboards: 1, alerts: 1\n"
        process.kill()


@pytest.mark.parametrize("kept", [False, True], ids=["in memory", "in a file"])
def test_a_snapshot_brings_all_objects_back(kept: bool, tmp_path: Path) -> None:
    """Also after a reset, and in the file for the next start."""
    data = tmp_path / "sandbox.db" if kept else None
    with Sandbox(data=data) as sandbox:
        board = sandbox.add("dashboards", name="Board")
        service = sandbox.add("services", name="Orders")
        before = {kind: sandbox.objects(kind) for kind in ("services", "pipes", "dashboards", "sources", "keys")}
        assert run(sandbox, "snapshot", "save", "calm") == ("Saved calm.\n", 0)
        sandbox.change("services", service["id"], numReplicas=9)
        sandbox.remove("dashboards", board["id"])
        sandbox.reset()
        assert run(sandbox, "snapshot", "save", "empty")[1] == 0
        assert run(sandbox, "snapshot", "list") == ("calm\nempty\n", 0)
        assert run(sandbox, "snapshot", "restore", "calm") == ("Restored calm.\n", 0)
        assert {kind: sandbox.objects(kind) for kind in before} == before
        sandbox.remove("services", service["id"])  # with what belongs to it
        assert sandbox.pipes == {}
        sandbox.restore_snapshot("calm")
    if kept:
        with Sandbox(data=data) as again:
            assert {kind: again.objects(kind) for kind in before} == before


def test_a_snapshot_of_no_such_name_is_told_with_the_nearest(sandbox: Sandbox) -> None:
    """And changes nothing."""
    sandbox.save_snapshot("before")
    assert run(sandbox, "snapshot", "restore", "befor") == (
        "error: no snapshot is named 'befor'; did you mean before?\n",
        1,
    )
    assert run(sandbox, "snapshot", "save", "a/b")[1] == 1


# -- the log ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def logged() -> Iterator[Sandbox]:
    """A sandbox that has answered six requests: 0 to 5."""
    with Sandbox() as running:
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


WANTED: dict[str, tuple[dict[str, Any], list[int]]] = {
    "all": ({}, [0, 1, 2, 3, 4, 5]),
    "since": ({"since": 4}, [4, 5]),
    "a page": ({"limit": 2}, [0, 1]),
    "the next page": ({"since": 2, "limit": 2}, [2, 3]),
    "an operation": ({"operation": "create_service"}, [1, 2]),
    "a method": ({"method": "post"}, [1, 2]),
    "a status": ({"status": 400}, [2]),
    "a class of statuses": ({"status": "4xx"}, [2, 5]),
    "no answer": ({"status": "none"}, [4]),
    "a path": ({"path": "/keys"}, [3, 4]),
    "a body": ({"match": {"name": "Orders"}}, [1]),
    "a page of what is wanted": ({"method": "GET", "limit": 2, "since": 1}, [3, 4]),
    "nothing": ({"operation": "delete_key"}, []),
}


@pytest.mark.parametrize(("which", "numbers"), WANTED.values(), ids=WANTED)
def test_the_log_is_filtered_and_paged(which: dict[str, Any], numbers: list[int], logged: Sandbox) -> None:
    """Over HTTP; the command takes the same, but for the body."""
    assert [each.number for each in logged.logged(**which)] == numbers
    if "match" not in which:
        words = [word for name, value in which.items() for word in (f"--{name}", str(value))]
        printed, _ = run(logged, "log", "--json", *words)
        assert [LoggedRequest(**json.loads(line)).number for line in printed.splitlines()] == numbers


NO_QUERIES: dict[str, tuple[str, str]] = {
    "a number that is none": ("?since=x", "since must be a whole number from 0, not 'x'"),
    "a negative number": ("?limit=-1", "limit must be a whole number from 0, not '-1'"),
    "an unknown filter": ("?kind=x", "the log has no parameter 'kind': it has since, limit, operation"),
    "a match that is none": ("?match=[]", "match must be a JSON object of fields of the body"),
}


@pytest.mark.parametrize(("query", "says"), NO_QUERIES.values(), ids=NO_QUERIES)
def test_a_query_of_the_log_that_is_none_is_told(query: str, says: str, logged: Sandbox) -> None:
    """In words, and not as everything."""
    status, error = told(logged, "GET", f"/log{query}")
    assert (status, error[: len(says)]) == (400, says)


def test_follow_goes_on_with_new_requests(sandbox: Sandbox) -> None:
    """Each is shown once, when it is answered; also after the log was emptied."""
    port = sandbox.url.rpartition(":")[2]
    command = [sys.executable, "-m", "pulumi_clouddb.commands", "sandbox", "log", "--follow", "--port", port]
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


SECRET = "S3cret-v4lue"
SECRET_BODIES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "the address and headers of a webhook": (
        "clickhouse",
        "webhooks",
        {
            "name": "on call",
            "service": "generic",
            "url": f"https://hooks.example.com/{SECRET}",
            "headers": {"Authorization": SECRET},
            "queryParams": {"token": SECRET},
            "body": SECRET,
        },
    ),
    "the password of a connection": (
        "clickhouse",
        "connections",
        {"name": "db", "host": "https://db.example.com:8443", "username": "otel", "password": SECRET},
    ),
}


@pytest.mark.parametrize(("vocabulary", "kind", "body"), SECRET_BODIES.values(), ids=SECRET_BODIES)
def test_no_secret_is_in_the_log(vocabulary: str, kind: str, body: dict[str, Any]) -> None:
    """What the models call secret is replaced; the names of headers stay, and so does everything else."""
    with Sandbox(vocabulary=vocabulary) as sandbox:
        with sandbox.self_hosted() as http:
            assert http.post(f"/{kind}", json=body).status_code == 200
        (request,) = sandbox.requests
        assert SECRET not in json.dumps(vars(request))
        assert request.body["name"] == body["name"]
        if kind == "webhooks":
            assert request.body["headers"] == {"Authorization": "[secret]"}
            assert request.body["url"] == "[secret]"


# -- faults ----------------------------------------------------------------------------------------------------------


def test_faults_are_set_listed_and_cleared_from_the_command_line(sandbox: Sandbox) -> None:
    """With the options that choose the request."""
    set_ = run(sandbox, "fault", "list_services", "status", "--times", "2", "--status", "503", "--after", "1")
    assert set_ == ("status will happen to list_services, 2 times.\n", 0)
    assert run(sandbox, "fault", "*", "delay", "--wait", "0.01", "--seconds", "60")[1] == 0
    assert run(sandbox, "faults") == ("list_services status, 2 times\n* delay, as often as asked\n", 0)
    with sandbox.management() as http:
        assert [http.get("/services").status_code for _ in range(4)] == [200, 503, 503, 200]
    assert run(sandbox, "clear") == ("Nothing goes wrong any more.\n", 0)
    assert run(sandbox, "faults") == ("", 0)


KINDS = ", ".join(kind.value for kind in FaultKind)
NO_FAULTS: dict[str, tuple[Any, str]] = {
    "an unknown kind": (
        {"operation": "create_service", "kind": "explode"},
        f"'explode' is not a kind of fault. Known are {KINDS}",
    ),
    "a misspelt kind": (
        {"operation": "create_service", "kind": "loose"},
        f"'loose' is not a kind of fault; did you mean lose? Known are {KINDS}",
    ),
    "a misspelt operation": (
        {"operation": "create_servce", "kind": "lose"},
        "no operation is named 'create_servce'; did you mean create_service",
    ),
    "an unknown operation": (
        {"operation": "xyz", "kind": "lose"},
        f"no operation is named 'xyz'; known operations are {', '.join(OPERATIONS)} and *",
    ),
    "a misspelt field": (
        {"operation": "create_service", "kind": "lose", "tims": 2},
        "'tims' is not a field of a fault; did you mean times",
    ),
    "no operation": (
        {"kind": "lose"},
        'a fault needs its operation, as text: {"operation": "create_service", "kind": "lose"}',
    ),
    "a kind that is no text": ({"operation": "*", "kind": 5}, "a fault needs its kind, as text"),
    "a count in words": (
        {"operation": "create_service", "kind": "lose", "times": "two"},
        "times must be a whole number from 1, not 'two'",
    ),
    "a count of none": ({"operation": "*", "kind": "lose", "times": 0}, "times must be a whole number from 1, not 0"),
    "a time in words": (
        {"operation": "*", "kind": "lose", "seconds": "5"},
        "seconds must be a number above 0, not '5'",
    ),
    "a wait in words": ({"operation": "*", "kind": "delay", "wait": "5"}, "wait must be a number from 0, not '5'"),
    "a form that is none": (
        {"operation": "*", "kind": "status", "form": "xml"},
        "'xml' is not a form of an error. Known are json, text, html",
    ),
    "a list": ([], "the body must be a JSON object"),
    "no JSON": ("{", "the body is not JSON: "),
}


@pytest.mark.parametrize(("body", "says"), NO_FAULTS.values(), ids=NO_FAULTS)
def test_a_fault_that_is_none_is_told_in_words(body: Any, says: str, sandbox: Sandbox) -> None:
    """Over HTTP; nothing is set, and nothing is left to fail when a request comes."""
    status, error = told(sandbox, "POST", "/faults", body)
    assert (status, error[: len(says)]) == (400, says)
    assert sandbox.faults() == []


def test_the_command_and_the_class_say_the_same(sandbox: Sandbox) -> None:
    """Of a kind that is none."""
    says = f"'loose' is not a kind of fault; did you mean lose? Known are {KINDS}"
    assert run(sandbox, "fault", "create_service", "loose") == (f"error: {says}\n", 1)
    with pytest.raises(ValueError, match=re.escape(says)):
        sandbox.fault("create_service", "loose")


LACKING: dict[str, tuple[str, str, dict[str, Any], str]] = {
    "the clock": ("POST", "/clock", {}, "the body lacks 'advance'"),
    "a kind": ("GET", "/servces", {}, "not 'servces'; did you mean services?"),
}


@pytest.mark.parametrize(("method", "path", "body", "says"), LACKING.values(), ids=LACKING)
def test_other_routes_speak_in_words(method: str, path: str, body: dict[str, Any], says: str, sandbox: Sandbox) -> None:
    """No name of a Python class."""
    status, error = told(sandbox, method, path, body)
    assert status == 400
    assert error.endswith(says)


# -- commands --------------------------------------------------------------------------------------------------------

COMMANDS = ("reset", "faults", "clear", "log", "snapshot list")


@pytest.mark.parametrize("command", COMMANDS)
def test_a_sandbox_that_does_not_run_is_told(command: str) -> None:
    """In one line, with how to start one."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    result = CliRunner().invoke(app, ["sandbox", *command.split(), "--port", str(port)])
    assert result.exit_code == SandboxExit.FAILED
    assert result.output == (
        f"No sandbox answers on port {port}. Start one with `clouddb sandbox --port {port}`, or give --port.\n"
    )


def test_a_sandbox_that_ends_ends_what_follows_its_log() -> None:
    """In one line."""
    with Sandbox() as sandbox, sandbox.management() as http:
        port = sandbox.url.rpartition(":")[2]
        command = [sys.executable, "-m", "pulumi_clouddb.commands", "sandbox", "log", "--follow", "--port", port]
        http.get("/services")
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert process.stdout
        assert " list_services 200 " in process.stdout.readline()
    told = process.communicate(timeout=30)[1]
    assert process.returncode == SandboxExit.FAILED
    assert told == f"The sandbox on port {port} has stopped.\n"


def test_the_port_may_stand_before_the_command(sandbox: Sandbox) -> None:
    """Options that start a sandbox may not: they would have no effect."""
    port = sandbox.url.rpartition(":")[2]
    assert CliRunner().invoke(app, ["sandbox", "--port", port, "faults"]).exit_code == SandboxExit.OK
    refused = CliRunner().invoke(app, ["sandbox", "--port", port, "--rate-limit", "reset"])
    assert refused.exit_code == SandboxExit.USAGE
    assert "--rate-limit is for a sandbox that starts" in refused.output.replace("\n", " ")


def test_every_command_is_documented() -> None:
    """With an example in docs/sandbox.md."""
    page = (Path(__file__).parents[3] / "docs" / "sandbox.md").read_text(encoding="utf-8")
    group: Any = typer.main.get_command(app)
    for name, command in group.commands["sandbox"].commands.items():
        for each in getattr(command, "commands", {"": None}):
            assert f"clouddb sandbox {name} {each}".strip() in page


# -- filters of services by tag --------------------------------------------------------------------------------------

BY_TAG: dict[str, tuple[list[str], set[str]]] = {
    "none": ([], {"a", "b", "c"}),
    "a key": (["tag:env"], {"a", "b"}),
    "a key and a value": (["tag:env=prod"], {"a"}),
    "two": (["tag:env", "tag:team=data"], {"b"}),
    "no service": (["tag:env=none"], set()),
    "something else": (["name:a"], {"a", "b", "c"}),
}


@pytest.mark.parametrize(("filters", "names"), BY_TAG.values(), ids=BY_TAG)
@pytest.mark.parametrize("vocabulary", ["clickhouse", "neutral"])
def test_services_are_filtered_by_tag(vocabulary: str, filters: list[str], names: set[str]) -> None:
    """As the vendor's servers document it; the interface has no filters."""
    with Sandbox(vocabulary=vocabulary) as sandbox:
        for name, tags in (("a", {"env": "prod"}), ("b", {"env": "dev", "team": "data"}), ("c", {})):
            sandbox.add("services", name=name, tags=[{"key": key, "value": value} for key, value in tags.items()])
        with sandbox.management() as http:
            found = http.get("/services", params={"filter": filters}).json()["result"]
    assert {each["name"] for each in found} == (names if vocabulary == "clickhouse" else {"a", "b", "c"})


# -- without the extra -----------------------------------------------------------------------------------------------


def test_without_its_packages_the_fixture_says_what_to_install(tmp_path: Path) -> None:
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
