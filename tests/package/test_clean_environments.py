"""The wheel in new environments: each supported Python with the newest and the lowest dependencies."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from shutil import which

import pytest
from uv import find_uv_bin

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
    assert f" {SCHEMA['version']} " in run(bin_ / "clouddb", "--version", folder=tmp_path)
    assert run(bin_ / "pulumi-resource-clouddb", "--version", folder=tmp_path).strip() == SCHEMA["version"]
    script = Path(__file__).with_name("installed.py")
    assert run(bin_ / "python", "-I", script, project, folder=tmp_path).endswith("used\n")


def test_wheel_works_without_extras(wheel: Path, tmp_path: Path) -> None:
    """Programs and `clouddb` need no extra; modules that need one name it."""
    bin_ = environment(tmp_path, f"{sys.version_info.major}.{sys.version_info.minor}")
    uv("pip", "install", "--python", bin_ / "python", wheel, folder=tmp_path)
    assert f" {SCHEMA['version']} " in run(bin_ / "clouddb", "--version", folder=tmp_path)
    run(bin_ / "python", "-I", "-c", "import pulumi_clouddb; pulumi_clouddb.Service", folder=tmp_path)
    for extra, module in {"sandbox": "clouddb_tools.sandbox", "policy": "pulumi_clouddb.policy"}.items():
        command = [str(bin_ / "python"), "-I", "-c", f"import {module}"]
        printed = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False).stderr
        assert f"pip install 'pulumi-clouddb[{extra}]'" in printed
        # Follow the message. The package itself, which is on no index, is already installed.
        uv("pip", "install", "--python", bin_ / "python", f"pulumi-clouddb[{extra}]", folder=tmp_path)
        run(*command, folder=tmp_path)
