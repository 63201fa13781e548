"""`clouddb sandbox`: its output, its server, and its end."""

from __future__ import annotations

import re
import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from typer.testing import CliRunner

from clouddb_tools.commands.exit_codes import SandboxExit
from clouddb_tools.commands.main import app


@contextmanager
def running(*options: str) -> Iterator[tuple[subprocess.Popen[str], dict[str, str], str]]:
    """Run the command; yield its process, the printed configuration, and its output."""
    command = [sys.executable, "-m", "clouddb_tools.commands", "sandbox", "--port", "0", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        assert process.stdout
        printed = ""
        for line in process.stdout:
            printed += line
            if "/_sandbox/state" in line:
                break
        try:
            yield process, configuration(printed), printed
        finally:
            process.kill()


def configuration(printed: str) -> dict[str, str]:
    """Return the names and values of the `pulumi config set` lines."""
    commands = [shlex.split(line) for line in printed.splitlines() if line.strip().startswith("pulumi config set")]
    return {words[-2]: words[-1] for words in commands}


@pytest.mark.slow
def test_sandbox_prints_its_configuration_and_ends_on_ctrl_c(tmp_path: Path) -> None:
    """The commands can be pasted, secrets are set as secrets, and a data file keeps the credentials."""
    file = str(tmp_path / "sandbox.db")
    with running("--data", file, "--vocabulary", "clickhouse", "--documented-only") as (process, config, printed):
        services = f"{config['clouddb:baseUrl']}/v1/organizations/{config['clouddb:organizationId']}/services"
        auth = (config["clouddb:keyId"], config["clouddb:keySecret"])
        assert httpx.post(services, auth=auth, json={"name": "orders"}).status_code == 200
        assert httpx.get(services, auth=auth).status_code == 404
        assert config["clouddb:vocabulary"] == "clickhouse"
        assert "To use it with the current stack:" in printed
        assert "Faults, log and objects: http://127.0.0.1:" in printed
        assert set(re.findall(r"--secret (\S+)", printed)) == {"clouddb:keySecret", "clouddb:stackToken"}
        process.send_signal(signal.SIGINT)
        assert process.stdout
        rest = process.stdout.read()
        process.wait(5)
        assert process.returncode == SandboxExit.OK
        assert rest.splitlines()[0] == "`clouddb sandbox --help` lists the commands that control it."
        assert rest.splitlines()[-1] == "The sandbox has stopped."
    with running("--data", file, "--vocabulary", "clickhouse") as (_, again, _):
        services = f"{again['clouddb:baseUrl']}/v1/organizations/{again['clouddb:organizationId']}/services"
        assert len(httpx.get(services, auth=auth).json()["result"]) == 1
        assert again["clouddb:keySecret"] == config["clouddb:keySecret"]


def test_sandbox_continues_if_its_output_is_closed() -> None:
    """For example by `clouddb sandbox | grep -m 1 …`."""
    with running() as (process, config, _):
        assert process.stdout
        process.stdout.readline()  # the last line before the requests
        process.stdout.close()
        url = f"{config['clouddb:baseUrl']}/v1/organizations/{config['clouddb:organizationId']}/services"
        auth = (config["clouddb:keyId"], config["clouddb:keySecret"])
        assert [httpx.get(url, auth=auth).status_code for _ in range(3)] == [200, 200, 200]


def test_sandbox_reports_a_used_port() -> None:
    """In one line, with a failure."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        result = CliRunner().invoke(app, ["sandbox", "--port", str(taken.getsockname()[1])])
    assert result.exit_code == SandboxExit.FAILED
    assert "The sandbox cannot start on port" in result.output
    assert "Traceback" not in result.output


def test_sandbox_rejects_a_file_that_is_not_a_database(tmp_path: Path) -> None:
    """With advice; the file is unchanged."""
    file = tmp_path / "notes.txt"
    file.write_text("notes " * 100)
    result = CliRunner().invoke(app, ["sandbox", "--port", "0", "--data", str(file)])
    assert result.exit_code == SandboxExit.FAILED
    assert "cannot be used as the sandbox's file" in result.output.replace("\n", " ")
    assert "End the sandbox that uses it, or choose another file." in result.output
    assert file.read_text() == "notes " * 100


@pytest.mark.parametrize("seconds", ["inf", "1e400"])
def test_sandbox_rejects_infinite_times(seconds: str) -> None:
    """Before it starts."""
    result = CliRunner().invoke(app, ["sandbox", "--port", "0", "--stop-seconds", seconds])
    assert result.exit_code == 2
    assert "stop must be a number from 0, not" in result.output
