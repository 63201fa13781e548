"""What a command loads before its first line, and what it prints without the packages of the extra `tools`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

PULUMI = ("pulumi", "grpc")
SERVER = ("starlette", "uvicorn")
MODELS = ("pydantic", "httpx", "pulumi_clouddb.things", *PULUMI, *SERVER)

NEVER: dict[str, tuple[str, ...]] = {
    "--version": ("rich", *MODELS),
    "--help": MODELS,
    "export --help": MODELS[1:],  # typer itself loads pydantic for options
    "find orders --kind Service": (*PULUMI, *SERVER),
    "export --output program": (*PULUMI, *SERVER),
    "import-file Service:orders=1": (*PULUMI, *SERVER),
    "render --output picture.svg --live 1": (*PULUMI, *SERVER),
}
"""Commands without a configuration, and what they load only for other ones."""

TOOLS = [
    each.name
    for each in map(Requirement, metadata.requires("pulumi-clouddb") or ())
    if 'extra == "tools"' in str(each) and each.name != "pyyaml"  # Pulumi brings that
]


def start(folder: Path, prelude: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run `clouddb` in a new process after a line of Python; the modules that it has loaded are in `loaded`."""
    script = f"""
import json, sys
{prelude}
from clouddb_tools.commands.__main__ import main
sys.argv = ["clouddb", *{list(words)!r}]
try:
    main()
finally:
    with open("loaded", "w") as file:
        json.dump(list(sys.modules), file)
"""
    env = {name: value for name, value in os.environ.items() if not name.startswith("CLOUDDB_")}
    return subprocess.run(
        [sys.executable, "-c", script], cwd=folder, env=env, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("command", NEVER)
def test_command_loads_what_it_needs(command: str, tmp_path: Path) -> None:
    """Nobody waits for Pulumi, models or a server that the command does not use."""
    done = start(tmp_path, "", *command.split())
    assert done.returncode in (0, 1), done.stderr
    loaded: list[str] = json.loads((tmp_path / "loaded").read_text(encoding="utf-8"))
    assert "typer" in loaded
    packages = {".".join(each.split(".")[:count]) for each in loaded for count in (1, 2)}
    assert packages & set(NEVER[command]) == set()


@pytest.mark.parametrize("tool", TOOLS)
def test_command_without_its_packages_reports_what_to_install(tool: str, tmp_path: Path) -> None:
    """In one line, whichever of them is missing; the provider alone is installed without them."""
    modules = {file.parts[0] for file in metadata.files(tool) or ()}
    done = start(tmp_path, f"sys.modules.update(dict.fromkeys({modules!r}))", "--version")
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.endswith("pip install 'pulumi-clouddb[tools]'")
