"""The web service that creates databases for teams: called over HTTP, by its teams and by others."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx
import pytest
import uvicorn

from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.schema.config import environment_name

APP = Path(__file__).parents[2] / "examples" / "self-service" / "app.py"

TOKENS = {"orders": "o" * 32, "billing": "b" * 32}
JSON = {"Content-Type": "application/json"}


def of(team: str) -> dict[str, str]:
    """Return the header with a team's token."""
    return {"Authorization": f"Bearer {TOKENS[team]}"}


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module of the web service, with two teams."""
    monkeypatch.setenv("SELF_SERVICE_TOKENS", json.dumps(TOKENS))
    spec = spec_from_file_location("self_service", APP)
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def service(app: ModuleType) -> Iterator[httpx.Client]:
    """A client of the running web service."""
    server = uvicorn.Server(uvicorn.Config(app.app, port=0, log_config=None, access_log=False))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=100) as client:
        yield client
    server.should_exit = True
    thread.join()


class Deployments:
    """Stands in for Pulumi: an update ends when it is told to."""

    def __init__(self) -> None:
        self.teams: list[str] = []
        self.begun = threading.Event()
        self.end = threading.Event()

    def __call__(self, team: str, wanted: Any) -> dict[str, Any]:
        """Update a team's stack."""
        self.teams.append(team)
        self.begun.set()
        self.end.wait(30)
        return {"password": f"of {team}", "replicas": wanted.replicas}


@pytest.fixture
def deployments(app: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Deployments:
    """The updates of the web service, which need no CLI."""
    made = Deployments()
    monkeypatch.setattr(app, "deploy", made)
    return made


REFUSED: Mapping[str, tuple[int, Mapping[str, str], bytes]] = {
    "no token": (401, JSON, b"{}"),
    "unknown token": (401, {**JSON, "Authorization": f"Bearer {'x' * 32}"}, b"{}"),
    "token of bytes": (401, {**JSON, "Authorization": "Bearer \u00fc"}, b"{}"),
    "another scheme": (401, {**JSON, "Authorization": f"Basic {TOKENS['orders']}"}, b"{}"),
    "text of a web page": (415, {**of("orders"), "Content-Type": "text/plain"}, b"{}"),
    "form of a web page": (415, {**of("orders"), "Content-Type": "application/x-www-form-urlencoded"}, b"{}"),
    "no content type": (415, of("orders"), b"{}"),
    "foreign origin": (403, {**JSON, **of("orders"), "Origin": "https://evil.example"}, b"{}"),
    "hidden origin": (403, {**JSON, **of("orders"), "Origin": "null"}, b"{}"),
    "rebound host": (400, {**JSON, **of("orders"), "Host": "evil.example"}, b"{}"),
    "no JSON": (400, {**JSON, **of("orders")}, b"replicas=2"),
    "no UTF-8": (400, {**JSON, **of("orders")}, b"\xff\xfe"),
    "no body": (400, {**JSON, **of("orders")}, b""),
    "no object": (400, {**JSON, **of("orders")}, b"[]"),
    "not a number": (400, {**JSON, **of("orders")}, b'{"replicas": NaN}'),
    "half a character": (400, {**JSON, **of("orders")}, rb'{"\ud800": 1}'),
    "too many replicas": (400, {**JSON, **of("orders")}, b'{"replicas": 50}'),
    "unknown option": (400, {**JSON, **of("orders")}, b'{"team": "billing"}'),
}


@pytest.mark.parametrize("case", REFUSED)
def test_attack_changes_nothing(service: httpx.Client, deployments: Deployments, case: str) -> None:
    """Whoever is not a team, a web page and what is no request of the form are refused before an update."""
    status, headers, body = REFUSED[case]
    response = service.post("/database", headers=httpx.Headers(headers, encoding="utf-8"), content=body)
    assert response.status_code == status, response.text
    assert not deployments.teams
    assert not any(token in response.text for token in TOKENS.values())


def test_preflight_of_a_web_page_gets_no_leave(service: httpx.Client) -> None:
    """No response admits another origin."""
    asked = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
    response = service.options("/database", headers=asked)
    assert response.status_code == 405
    assert not any(name.startswith("access-control-") for name in response.headers)


def test_token_selects_the_database(service: httpx.Client, deployments: Deployments) -> None:
    """A team's token reaches its own database only, whatever else the request names."""
    deployments.end.set()
    response = service.post("/database?team=billing", json={"replicas": 3}, headers=of("orders"))
    assert response.json() == {"password": "of orders", "replicas": 3}
    assert service.post("/databases/billing", json={}, headers=of("orders")).status_code == 404
    assert deployments.teams == ["orders"]


def test_second_request_at_once_is_refused(service: httpx.Client, deployments: Deployments) -> None:
    """While an update of a team runs, its other requests get 409, and those of other teams are carried out."""
    with ThreadPoolExecutor() as pool:
        first = pool.submit(service.post, "/database", json={}, headers=of("orders"))
        assert deployments.begun.wait(30)
        second = service.post("/database", json={"replicas": 1}, headers=of("orders"))
        deployments.end.set()
        assert service.post("/database", json={}, headers=of("billing")).status_code == 200
        assert (second.status_code, first.result().status_code) == (409, 200)
    assert service.post("/database", json={}, headers=of("orders")).status_code == 200
    assert deployments.teams == ["orders", "billing", "orders"]


def test_tokens_that_cannot_be_used_stop_the_start(app: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """A short token is refused, and not repeated."""
    monkeypatch.setenv("SELF_SERVICE_TOKENS", '{"orders": "hunter2"}')
    assert app.__spec__
    assert app.__spec__.loader
    with pytest.raises(ValueError, match="at least 32 characters") as raised:
        app.__spec__.loader.exec_module(app)
    assert "hunter2" not in str(raised.value)


@pytest.fixture
def started(
    clouddb_sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[], httpx.Client]]:
    """Starts the web service in a process, as its page does, with an empty backend and the sandbox as the server.

    Within the tests' process, it would leave the event loop of each program that the engine stops.
    """
    (tmp_path / "backend").mkdir()
    settings = {
        **{environment_name(name.removeprefix("clouddb:")): value for name, value in clouddb_sandbox.config.items()},
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PULUMI_BACKEND_URL": (tmp_path / "backend").as_uri(),
        "PULUMI_CONFIG_PASSPHRASE": "test",
        "PULUMI_HOME": str(tmp_path / "home"),
        "PULUMI_SKIP_UPDATE_CHECK": "true",
        "SELF_SERVICE_TOKENS": json.dumps(TOKENS),
    }
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    with ExitStack() as stack:

        def start() -> httpx.Client:
            """Start one, and return a client of it."""
            listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
            host, port = listener.getsockname()
            fd = listener.fileno()
            command = [sys.executable, "-m", "uvicorn", "app:app", "--fd", str(fd), "--log-level", "warning"]
            process = stack.enter_context(subprocess.Popen(command, cwd=APP.parent, pass_fds=[fd]))
            stack.callback(process.terminate)
            return stack.enter_context(httpx.Client(base_url=f"http://{host}:{port}", timeout=100))

        yield start


@pytest.mark.cli
def test_team_gets_a_database(started: Callable[[], httpx.Client], clouddb_sandbox: Sandbox) -> None:
    """Each team gets one; a second request changes it; a request that a policy forbids is refused."""
    service = started()
    outputs = service.post("/database", json={"replicas": 3}, headers=of("orders")).raise_for_status().json()
    ((service_id, made),) = clouddb_sandbox.services.items()
    assert clouddb_sandbox.password_works(service_id, outputs["password"])
    assert made["numReplicas"] == 3

    service.post("/database", json={"replicas": 4}, headers=of("orders")).raise_for_status()
    assert {id_: each["numReplicas"] for id_, each in clouddb_sandbox.services.items()} == {service_id: 4}

    refused = service.post("/database", json={"networks": ["0.0.0.0/0"]}, headers=of("billing"))
    assert refused.status_code == 409
    assert refused.text.startswith("service-no-open-access: ")
    assert set(clouddb_sandbox.services) == {service_id}


@pytest.mark.cli
def test_another_process_updates_the_same_stack(started: Callable[[], httpx.Client], clouddb_sandbox: Sandbox) -> None:
    """The backend's lock refuses the second of two updates: 409, and one database."""
    clouddb_sandbox.set_latency(provision=3600)  # the first one waits for its database, and holds the lock
    with ThreadPoolExecutor() as pool:
        first = pool.submit(started().post, "/database", json={}, headers=of("orders"))
        while not clouddb_sandbox.requests:
            time.sleep(0.01)
        second = started().post("/database", json={"replicas": 1}, headers=of("orders"))
        clouddb_sandbox.advance(3600)
        assert (second.status_code, first.result().status_code) == (409, 200), (second.text, first.result().text)
    assert len(clouddb_sandbox.services) == 1
