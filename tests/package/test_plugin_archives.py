"""The archives that `pulumi plugin install` downloads."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from build_release import PLATFORMS, write_archives
from clouddb_tools.sandbox import Sandbox
from support.schema import SCHEMA
from support.sdk import YAML

VERSION = SCHEMA["version"]
PROGRAM = """\
name: orders
runtime: yaml
resources:
  orders:
    type: clouddb:Service
    properties: { name: Orders, provider: aws, region: eu-central-1 }
outputs:
  state: ${orders.state}
"""


@pytest.mark.slow
def test_every_platform_has_an_archive(wheel: Path, tmp_path: Path) -> None:
    """It has the name that the CLI requests, and the files of a plugin folder."""
    archives = write_archives(wheel, tmp_path)
    assert [each.name for each in archives] == [
        f"pulumi-resource-clouddb-v{VERSION}-{platform}.tar.gz" for platform in PLATFORMS
    ]
    for archive in archives:
        with tarfile.open(archive) as tar:
            assert set(tar.getnames()) == {"PulumiPlugin.yaml", "__main__.py", "requirements.txt", wheel.name}


class Quiet(SimpleHTTPRequestHandler):
    """Serves a folder without a log."""

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@YAML
@pytest.mark.usefixtures("registry")
@pytest.mark.parametrize("source", ["--file", "--server"])
def test_installed_archive_runs_a_program(source: str, wheel: Path, tmp_path: Path) -> None:
    """`pulumi plugin install` reads a file or a server; a YAML program then needs neither PATH nor a checkout."""
    archive = write_archives(wheel, tmp_path)[0]
    (tmp_path / "Pulumi.yaml").write_text(PROGRAM, encoding="utf-8")
    (tmp_path / "backend").mkdir()
    own = Path(sys.executable).parent  # its plugin would be found on PATH
    environment = {
        **{name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"},
        "PATH": os.pathsep.join(each for each in os.environ["PATH"].split(os.pathsep) if Path(each) != own),
        "PULUMI_PYTHON_CMD": getattr(sys, "_base_executable", sys.executable),
        "PULUMI_BACKEND_URL": (tmp_path / "backend").as_uri(),
        "PULUMI_HOME": str(tmp_path / "home"),
        "PULUMI_CONFIG_PASSPHRASE": "test",
        "PULUMI_SKIP_UPDATE_CHECK": "true",
        "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
    }

    def pulumi(*words: str) -> str:
        command = ["pulumi", *words, "--non-interactive"]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path))) as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        where = {"--file": str(archive), "--server": f"http://127.0.0.1:{server.server_port}"}
        pulumi("plugin", "install", "resource", "clouddb", f"v{VERSION}", source, where[source])
        server.shutdown()
    with Sandbox(vocabulary="neutral") as sandbox:
        pulumi("stack", "init", "dev")
        for key, value in sandbox.config.items():
            pulumi("config", "set", "--secret" if key in sandbox.secret_keys else "--plaintext", key, value)
        pulumi("up", "--yes", "--skip-preview")
        assert pulumi("stack", "output", "state").strip() == "running"
        pulumi("preview", "--expect-no-changes")
        pulumi("destroy", "--yes", "--skip-preview")
        assert not sandbox.services
