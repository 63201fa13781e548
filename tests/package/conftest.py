"""The files of a release, built once for each worker."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from uv import find_uv_bin

from support.schema import SCHEMA

ROOT = Path(__file__).parents[2]
MADE = (
    *(".git", ".venv", ".cache", ".*_cache", ".hypothesis", ".coverage*", ".pulumi-cli", "Pulumi.*.yaml"),
    *("__pycache__", "*.egg-info", "node_modules", "sdks", "target", "venv", "package-lock.json", "build", "dist"),
)
"""Files of a checkout that are not in the repository; setuptools includes files that an old egg-info names."""


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the repository's files."""
    folder = tmp_path_factory.mktemp("checkout") / "pulumi-clouddb"
    shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(*MADE))
    return folder


@pytest.fixture(scope="session")
def dist(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the files of a release, as by `make dist`."""
    return built(checkout, tmp_path_factory.mktemp("dist"), SOURCE_DATE_EPOCH="1767225600")


def built(checkout: Path, folder: Path, umask: int = 0o022, **environment: str) -> Path:
    """Build the files of a release into a folder, and return it."""
    command = [sys.executable, "tools/build_release.py", str(folder)]
    subprocess.run(command, cwd=checkout, env={**os.environ, **environment}, umask=umask, check=True)
    return folder


@pytest.fixture(scope="session")
def build() -> Callable[..., Path]:
    """Return what builds the files of a release again."""
    return built


@pytest.fixture(scope="session")
def wheel(dist: Path) -> Path:
    """Return the wheel."""
    (found,) = dist.glob("*.whl")
    return found


@pytest.fixture(scope="session")
def sdk(checkout: Path) -> Callable[[str], Path]:
    """Return what makes the archive of the SDK of a language, as by `make sdks`, and returns its path."""

    @functools.cache
    def made(language: str) -> Path:
        command = ["make", "-o", "env", "sdks", f"LANGUAGES={language}", f"BIN={Path(sys.executable).parent}"]
        inherited = {name: value for name, value in os.environ.items() if name != "MAKEFLAGS"}
        subprocess.run(command, cwd=checkout, env={**inherited, "SOURCE_DATE_EPOCH": "1767225600"}, check=True)
        return checkout / "dist" / f"pulumi-clouddb-sdk-{language}.tar.gz"

    return made


@pytest.fixture(scope="session")
def registry(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Skip the test if the package registry cannot be reached; the test installs packages as a user does."""
    wanted = tmp_path_factory.mktemp("registry") / "requirements.in"
    wanted.write_text("packaging\n", encoding="utf-8")
    command = [find_uv_bin(), "pip", "compile", "--quiet", "--no-cache", "--python", sys.executable, str(wanted)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("the package registry cannot be reached")


@pytest.fixture(scope="session")
def served(checkout: Path, dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Return the address of a file server with the repository and the files of a release."""
    folder = tmp_path_factory.mktemp("served")
    shutil.copytree(dist, folder, dirs_exist_ok=True)
    author = ("-c", "user.name=Tester", "-c", "user.email=tester@example.com", "-c", "commit.gpgsign=false")

    def git(*words: str | Path, where: Path) -> None:
        subprocess.run(["git", *author, *map(str, words)], cwd=where, check=True)  # noqa: S607

    shutil.copytree(checkout, folder / "work")
    git("init", "--quiet", where=folder / "work")
    git("add", "--all", "--force", where=folder / "work")
    git("commit", "--quiet", "--message", "Release", where=folder / "work")
    git("tag", f"v{SCHEMA['version']}", where=folder / "work")
    git("clone", "--quiet", "--bare", folder / "work", folder / "pulumi-clouddb.git", where=folder)
    git("update-server-info", where=folder / "pulumi-clouddb.git")

    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(folder)))
    Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
