"""The files of a release, built once for each worker."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from uv import find_uv_bin

ROOT = Path(__file__).parents[2]
MADE = (".*", "__pycache__", "*.egg-info", "node_modules", "build", "dist")
"""Files of a checkout that are not in the repository; setuptools includes files that an old egg-info names."""


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the repository's files."""
    folder = tmp_path_factory.mktemp("checkout") / "pulumi-clouddb"
    shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(*MADE))
    return folder


@pytest.fixture(scope="session")
def dist(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the sdist and the wheel built from it, as by `make dist`."""
    folder = tmp_path_factory.mktemp("dist")
    command = [find_uv_bin(), "build", "--quiet", "--offline", "--no-build-isolation", "--python", sys.executable]
    subprocess.run([*command, "--out-dir", str(folder), str(checkout)], check=True)
    return folder


@pytest.fixture(scope="session")
def wheel(dist: Path) -> Path:
    """Return the wheel."""
    (found,) = dist.glob("*.whl")
    return found


@pytest.fixture(scope="session")
def registry(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Skip the test if the package registry cannot be reached; the test installs packages as a user does."""
    wanted = tmp_path_factory.mktemp("registry") / "requirements.in"
    wanted.write_text("packaging\n", encoding="utf-8")
    command = [find_uv_bin(), "pip", "compile", "--quiet", "--no-cache", "--python", sys.executable, str(wanted)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("the package registry cannot be reached")
