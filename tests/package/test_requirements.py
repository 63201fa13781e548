"""The requirements of `clouddb requirement` and `clouddb export` can be installed where this package is missing.

Its dependencies come from the test's own environment: nothing is downloaded.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from pathlib import Path

import pytest
from uv import find_uv_bin

from clouddb_tools.sandbox import Sandbox
from support.exported import environment as settings
from support.schema import SCHEMA

pytestmark = [pytest.mark.slow, pytest.mark.skipif(shutil.which("git") is None, reason="there is no git on PATH")]


class Environment:
    """A virtual environment with the dependencies of this package, without the package itself."""

    def __init__(self, folder: Path, variables: Mapping[str, str]) -> None:
        subprocess.run(
            [find_uv_bin(), "venv", "--quiet", "--no-project", "--offline", "--python", sys.executable, str(folder)],
            check=True,
        )
        self.bin = folder / "bin"
        self._pip = [sys.executable, "-m", "pip", "--python", str(self.bin / "python")]
        # Without isolation a build uses setuptools from there, too.
        off = {"PIP_NO_DEPS": "1", "PIP_NO_BUILD_ISOLATION": "0", "PIP_NO_INDEX": "1", "PIP_NO_CACHE_DIR": "1"}
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "PYTHON"))}
        self._env = {**inherited, **off, "PIP_DISABLE_PIP_VERSION_CHECK": "1", **variables}
        needed = folder / "needed"
        needed.mkdir()
        for each in Path(sysconfig.get_path("purelib")).iterdir():
            if "pulumi_clouddb" not in each.name:
                (needed / each.name).symlink_to(each)
        (site,) = folder.glob("lib/python*/site-packages")
        (site / "needed.pth").write_text(f"{needed}\n", encoding="utf-8")

    def pip(self, *words: str | Path, folder: Path) -> None:
        """Run pip in a folder; it must succeed."""
        self._run([*self._pip, *map(str, words)], folder)

    def clouddb(self, *words: str, folder: Path, **env: str) -> tuple[str, str]:
        """Run `clouddb` in a folder, and return its standard output and standard error."""
        done = self._run([str(self.bin / "clouddb"), *words], folder, **env)
        return done.stdout, done.stderr

    def _run(self, command: list[str], folder: Path, **env: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            command, cwd=folder, env={**self._env, **env}, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done


def is_installed(here: Environment, there: Environment, project: Path) -> str:
    """Install the requirement of `here` in `there`, which then prints the same requirement, and return it."""
    text, advice = here.clouddb("requirement", "--extra", "policy", folder=project)
    (project / "requirements.txt").write_text(text, encoding="utf-8")
    if "pip wheel " in advice:
        here.pip(*shlex.split(advice.split("pip ")[1].splitlines()[0]), folder=project)
    elif advice.startswith("Copy "):
        shutil.copy(shlex.split(advice)[1], project)
    there.pip("install", "--requirement", "requirements.txt", folder=project)
    assert f" {SCHEMA['version']} " in there.clouddb("--version", folder=project)[0]
    again = there.clouddb("requirement", "--extra", "policy", folder=project)[0]
    assert again.splitlines()[-1] == text.splitlines()[-1]
    return text


@pytest.mark.parametrize("origin", ["a wheel", "a release", "a tag", "an index", "a checkout", "an editable checkout"])
def test_requirement_can_be_installed(origin: str, checkout: Path, wheel: Path, served: str, tmp_path: Path) -> None:
    """This holds for all origins of the package; a folder of wheels replaces an index."""
    origins: dict[str, list[str | Path]] = {
        "a wheel": [wheel],
        "a release": [f"{served}/{wheel.name}"],
        "a tag": [f"pulumi-clouddb[sandbox] @ git+{served}/pulumi-clouddb.git@v{SCHEMA['version']}"],
        "an index": ["pulumi-clouddb"],
        "a checkout": [checkout],
        "an editable checkout": ["--editable", checkout],
    }
    variables = {"PIP_FIND_LINKS": str(wheel.parent)} if origin == "an index" else {}
    here, there = (Environment(tmp_path / name, variables) for name in ("here", "there"))
    project = tmp_path / "project"
    project.mkdir()
    here.pip("install", *origins[origin], folder=tmp_path)
    written = is_installed(here, there, project)
    assert str(tmp_path) not in written


def test_exported_project_can_be_installed(wheel: Path, clouddb_sandbox: Sandbox, tmp_path: Path) -> None:
    """The project contains the wheel from which `clouddb export` was installed."""
    clouddb_sandbox.add("services", name="Orders", provider="aws", region="us-east-1")
    here, there = (Environment(tmp_path / name, {}) for name in ("here", "there"))
    here.pip("install", wheel, folder=tmp_path)
    printed = here.clouddb("export", "--output", "shop", folder=tmp_path, **settings(clouddb_sandbox))[1]
    assert {"requirements.txt", ".gitignore", wheel.name, "import.json"} <= {*re.split(r"[ ,:\n]+", printed)}
    there.pip("install", "--requirement", "requirements.txt", folder=tmp_path / "shop")
    assert f" {SCHEMA['version']} " in there.clouddb("--version", folder=tmp_path)[0]
