"""The wheel in new environments: each supported Python with the newest and the lowest dependencies."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from shutil import which

import pytest
from uv import find_uv_bin

from clouddb_tools.sandbox import Sandbox
from support.plugin import NativePlugin
from support.schema import SCHEMA

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600), pytest.mark.usefixtures("registry")]

ROOT = Path(__file__).parents[2]
PYTHONS = ("3.10", "3.11", "3.12", "3.13", "3.14")
RESOLUTIONS = {"newest": "highest", "lowest": "lowest-direct"}


def run(*command: str | Path, folder: Path, **env: str) -> str:
    """Run a command outside of the checkout, which must succeed, and return its output."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    done = subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env={**inherited, **env},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def uv(*words: str | Path, folder: Path) -> str:
    """Run uv with the Pythons of this machine."""
    return run(find_uv_bin(), *words, "--quiet", folder=folder, UV_PYTHON_DOWNLOADS="never")


def interpreter(python: str) -> str:
    """Return the path of a Python, or skip the test if this machine does not have it."""
    name = f"python{python}"
    pyenv = Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser()  # on PATH are the selected versions only
    for path in (which(name), *sorted(pyenv.glob(f"versions/{python}.*/bin/{name}"))):
        if path and subprocess.run([path, "--version"], capture_output=True, check=False).returncode == 0:
            return str(path)
    pytest.skip(f"there is no {name}, neither on PATH nor of pyenv")


def environment(folder: Path, python: str) -> Path:
    """Return the `bin` of a new environment."""
    uv("venv", "--no-project", "--python", interpreter(python), "environment", folder=folder)
    return folder / "environment" / "bin"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a Pulumi project with the program of the README."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    folder = tmp_path / "orders"
    folder.mkdir()
    for language, name in {"python": "__main__.py", "yaml": "Pulumi.yaml"}.items():
        (block,) = re.findall(rf"```{language}\n(.*?)```", readme, re.DOTALL)
        (folder / name).write_text(block, encoding="utf-8")
    return folder


@pytest.mark.parametrize("resolution", RESOLUTIONS)
@pytest.mark.parametrize("python", PYTHONS)
def test_wheel_works(python: str, resolution: str, wheel: Path, project: Path, tmp_path: Path) -> None:
    """Its programs start, all public names load, and the program of the README runs on the sandbox."""
    bin_ = environment(tmp_path, python)
    # uv uses the lowest versions of direct arguments only, so the wheel's requirements are arguments, too.
    requirements = ("-r", ROOT / "setup.py", "--extra", "sandbox", "--extra", "policy")
    versions = ("--resolution", RESOLUTIONS[resolution])
    uv("pip", "install", "--python", bin_ / "python", *versions, *requirements, wheel, folder=tmp_path)
    strict = {"PYTHONWARNINGS": "error"}  # a dependency that warns of another one breaks with its next version
    assert f" {SCHEMA['version']} " in run(bin_ / "clouddb", "--version", folder=tmp_path, **strict)
    assert run(bin_ / "pulumi-resource-clouddb", "--version", folder=tmp_path, **strict).strip() == SCHEMA["version"]
    script = Path(__file__).with_name("installed.py")
    assert run(bin_ / "python", "-I", script, project, folder=tmp_path).endswith("used\n")


def test_provider_works_without_extras(wheel: Path, project: Path, tmp_path: Path, clouddb_sandbox: Sandbox) -> None:
    """Stacks need no extra, and tests of other programs neither; what needs one names it, and then works."""
    bin_ = environment(tmp_path, f"{sys.version_info.major}.{sys.version_info.minor}")
    python = bin_ / "python"
    uv("pip", "install", "--python", python, wheel, "pytest", folder=tmp_path)
    dynamic_stack_runs(python, project, clouddb_sandbox)
    plugin_stack_runs(bin_ / "pulumi-resource-clouddb", tmp_path, clouddb_sandbox)
    (tmp_path / "test_other.py").write_text("def test_nothing():\n    pass\n", encoding="utf-8")
    run(python, "-I", "-m", "pytest", "-p", "no:cacheprovider", "test_other.py", folder=tmp_path)
    commands: dict[str, list[str | Path]] = {
        "tools": [bin_ / "clouddb", "--version"],
        "sandbox": [python, "-I", "-c", "import clouddb_tools.sandbox"],
        "policy": [python, "-I", "-c", "import pulumi_clouddb.policy"],
    }
    for extra, command in commands.items():
        done = subprocess.run(list(map(str, command)), cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == (2 if extra == "tools" else 1)
        assert f"pip install 'pulumi-clouddb[{extra}]'" in done.stderr.splitlines()[-1]
        # Follow the message. The package itself, which is on no index, is already installed.
        uv("pip", "install", "--python", python, f"pulumi-clouddb[{extra}]", folder=tmp_path)
        run(*command, folder=tmp_path)


def dynamic_stack_runs(python: Path, project: Path, sandbox: Sandbox) -> None:
    """Run a program with an interpreter, in its processes only."""
    script = Path(__file__).with_name("installed.py")
    run(python, "-I", script, project, json.dumps(dict(sandbox.config)), folder=project.parent)
    assert {"POST", "DELETE"} <= {each.method for each in sandbox.requests}
    assert not sandbox.services


def plugin_stack_runs(plugin: Path, folder: Path, sandbox: Sandbox) -> None:
    """Create, read and delete a service with a process of the plugin."""
    inputs = {"name": "Orders", "provider": "aws", "region": "eu-central-1"}
    with NativePlugin(sandbox.config, folder, command=[str(plugin)]) as process:
        created = process.create("Service", process.check("Service", inputs).inputs)
        assert set(sandbox.services) == {created.id}
        assert process.read("Service", created.id, created.outputs).outputs == created.outputs
        process.delete("Service", created.id, created.outputs)
        assert not sandbox.services
