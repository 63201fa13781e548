"""`--version` and `--help` of both commands, and the arguments with which the engine starts the plugin."""

from __future__ import annotations

import socket
import subprocess
import sys
import sysconfig
from pathlib import Path

import grpc
import pytest
from google.protobuf import empty_pb2
from pulumi.runtime.proto import provider_pb2_grpc

from pulumi_clouddb.schema._version import VERSION

pytestmark = pytest.mark.slow

SCRIPTS = Path(sysconfig.get_path("scripts"))

ENDS: dict[str, tuple[list[str], str]] = {
    "version of the command": (["clouddb", "--version"], f"clouddb {VERSION} (pulumi SDK "),
    "help of the command": (["clouddb", "--help"], ""),
    "version of the plugin": (["pulumi-resource-clouddb", "--version"], f"{VERSION}\n"),
    "help of the plugin": (
        ["pulumi-resource-clouddb", "--help"],
        "Usage: pulumi-resource-clouddb [--version",
    ),
    "short help of the plugin": (["pulumi-resource-clouddb", "-h"], "Usage: pulumi-resource-clouddb"),
    "version beside the engine's address": (["pulumi-resource-clouddb", "127.0.0.1:1", "--version"], f"{VERSION}\n"),
}


@pytest.mark.parametrize(("command", "output"), ENDS.values(), ids=ENDS)
def test_command_prints_and_ends(command: list[str], output: str) -> None:
    """It serves nothing, and writes nothing to standard error."""
    name, *options = command
    done = subprocess.run(
        [str(SCRIPTS / name), *options],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        stdin=subprocess.DEVNULL,
    )
    assert done.stdout.startswith(output)
    assert done.stderr == ""


def test_version_of_the_plugin_loads_neither_pulumi_nor_grpc() -> None:
    """`clouddb doctor` runs each plugin on PATH with `--version`."""
    script = (
        "import sys; from pulumi_clouddb.engine.plugin.__main__ import main; main(['--version']);"
        "sys.exit(bool({'pulumi', 'grpc', 'pydantic'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, check=False).returncode == 0


def test_plugin_prints_its_port_before_it_loads_resources() -> None:
    """Every `pulumi` command waits for the port; resources are loaded with their configuration."""
    script = (
        "import sys; from pulumi_clouddb.engine.plugin.provider import serve_engine;"
        "sys.exit(bool({'httpx', 'pydantic', 'pulumi_clouddb.registry'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, check=False).returncode == 0


STARTS: dict[str, list[str]] = {
    "its address": [],
    "logs and its address": ["--logtostderr", "-v=9"],
    "traces and its address": ["--tracing", "http://127.0.0.1:9"],
}


@pytest.mark.parametrize("arguments", STARTS.values(), ids=STARTS)
def test_plugin_starts_with_any_arguments_of_the_engine(arguments: list[str]) -> None:
    """The first line contains only the port."""
    with socket.create_server(("127.0.0.1", 0)) as engine:
        command = [str(SCRIPTS / "pulumi-resource-clouddb"), *arguments, f"127.0.0.1:{engine.getsockname()[1]}"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as plugin:
            assert plugin.stdout
            port = int(plugin.stdout.readline())
            with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
                info = provider_pb2_grpc.ResourceProviderStub(channel).GetPluginInfo(empty_pb2.Empty())
            plugin.terminate()
            plugin.communicate(timeout=30)
    assert info.version == VERSION
