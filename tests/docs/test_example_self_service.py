"""The web service that creates databases for teams: called over HTTP, with the real CLI."""

from __future__ import annotations

import os
import runpy
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import uvicorn

from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.schema.config import environment_name

APP = Path(__file__).parents[2] / "examples" / "self-service" / "app.py"

pytestmark = pytest.mark.cli


@pytest.fixture
def service(clouddb_sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[httpx.Client]:
    """The running web service, with its own backend."""
    (tmp_path / "backend").mkdir()
    settings = {
        **{environment_name(name.removeprefix("clouddb:")): value for name, value in clouddb_sandbox.config.items()},
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PULUMI_BACKEND_URL": (tmp_path / "backend").as_uri(),
        "PULUMI_CONFIG_PASSPHRASE": "test",
        "PULUMI_HOME": str(tmp_path / "home"),
        "PULUMI_SKIP_UPDATE_CHECK": "true",
    }
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    server = uvicorn.Server(uvicorn.Config(runpy.run_path(str(APP))["app"], port=0, log_level="error"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=100) as client:
        yield client
    server.should_exit = True
    thread.join()


def test_team_gets_a_database(service: httpx.Client, clouddb_sandbox: Sandbox) -> None:
    """Each team gets one; a second request changes it; a request that a policy or the form forbids is refused."""
    outputs = service.post("/databases/orders", json={"replicas": 3}).raise_for_status().json()
    ((service_id, made),) = clouddb_sandbox.services.items()
    assert clouddb_sandbox.password_works(service_id, outputs["password"])
    assert made["numReplicas"] == 3

    service.post("/databases/orders", json={"replicas": 4}).raise_for_status()
    assert {id_: each["numReplicas"] for id_, each in clouddb_sandbox.services.items()} == {service_id: 4}

    refused = service.post("/databases/open", json={"replicas": 3, "networks": ["0.0.0.0/0"]})
    assert refused.status_code == 409
    assert refused.json()["problems"][0].startswith("service-no-open-access: "), refused.text
    for path, body in (("/databases/many", {"replicas": 50}), ("/databases/Of%20us", {})):
        assert service.post(path, json=body).status_code == 400
    assert set(clouddb_sandbox.services) == {service_id}
