"""`make demo` on both engines, and its behaviour if the CLI cannot be installed."""

from __future__ import annotations

import importlib
import os
import re
import shutil
import subprocess
import sys
import time
import uuid
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from clouddb_tools.testing import CliStack, FakeEngineStack

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
STEPS = (
    "pulumi preview",
    "pulumi up",
    "pulumi preview, again",
    "Behind its back",
    "An update in place",
    "Bad input",
    "pulumi destroy",
)
RUN = "CLOUDDB_DEMO_RUN"
needs_proc = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="processes are not shown in /proc")


def path_without_pulumi() -> str:
    """Return PATH without the folders that contain a pulumi."""
    folders = os.environ["PATH"].split(os.pathsep)
    return os.pathsep.join(folder for folder in folders if not (Path(folder) / "pulumi").exists())


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Copy the demo's files from the checkout: other tests write to it, and it may have an installed CLI."""
    for name in ("demo", "quickstart"):
        shutil.copytree(ROOT / "examples" / name, tmp_path / "examples" / name)
    shutil.copy(ROOT / "Pulumi.yaml", tmp_path)
    return tmp_path


def files(folder: Path) -> set[Path]:
    """Return the files of a folder except compiled modules."""
    return {file for file in folder.rglob("*") if "__pycache__" not in file.parts}


def ended(mark: str) -> bool:
    """Wait for up to 10 s for killed processes to end, and return whether none is left."""
    for _ in range(100):
        if not running(mark):
            return True
        time.sleep(0.1)
    return False


def running(mark: str) -> list[str]:
    """Return the ids of the processes with `mark` in their environment."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):  # processes of other users, and ended ones
            if mark.encode() in entry.read_bytes():
                found.append(entry.parent.name)
    return found


def run_demo(checkout: Path, path: str, mark: str) -> subprocess.CompletedProcess[str]:
    """Run the demo as the Makefile does, without a download."""
    return subprocess.run(
        [sys.executable, "-m", "examples.demo"],
        cwd=checkout,
        env={**os.environ, "CI": "true", "PATH": path, RUN: mark, "COLUMNS": "100"},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


@needs_proc
@pytest.mark.parametrize("engine", ["fake engine", pytest.param("cli", marks=pytest.mark.cli)])
def test_demo(engine: str, checkout: Path) -> None:
    """It prints all steps, asks no questions where no answer is needed, and leaves no files behind."""
    before, mark = files(checkout), uuid.uuid4().hex
    done = run_demo(checkout, os.environ["PATH"] if engine == "cli" else path_without_pulumi(), mark)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    assert ("fake engine" in done.stdout.splitlines()[1]) == (engine == "fake engine")
    for number, title in enumerate(STEPS, 1):
        assert f"{number}. {title}\n" in done.stdout
    calls = {title: row(done.stdout, title) for title in (*STEPS, "All")}
    assert calls["pulumi preview"] == (1, 0, 1)
    assert calls["pulumi preview, again"] == (2, 0, 2)  # the names that it looks up
    assert calls["Bad input"][1] == 0
    assert calls["An update in place"] == (2, 1, 3)
    assert calls["All"] == tuple(sum(calls[title][index] for title in STEPS) for index in range(3))
    for line in ("+ Service shop", "~ Service shop: ipAccessList", "~ PipeScaling events: replicas", "- Service shop"):
        assert line in done.stdout
    assert re.search(r"password +\[secret\]", done.stdout)
    assert re.search(r"reportsKeySecret +\[secret\]", done.stdout)
    refused = [line for line in done.stdout.splitlines() if line.startswith("   x ")]
    named = [line.split()[1] for line in refused]
    assert named == ["ip_access_list[0].source", "num_replicas", "min_replica_memory_gb"]
    assert "CHECK FAILED" not in done.stdout
    assert "All checks passed in" in done.stdout
    assert ended(mark)
    assert files(checkout) == before


def row(text: str, title: str) -> tuple[int, ...]:
    """Return the reads, writes and calls in one row of the table."""
    found = re.search(rf"│ {re.escape(title)} +│ +(\d+) +│ +(\d+) +│ +(\d+) +│", text)
    assert found, f"the table has no line {title!r}"
    return tuple(map(int, found.groups()))


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """The demo's search for an engine, without a pulumi on PATH and with its own folder."""
    monkeypatch.syspath_prepend(ROOT)
    monkeypatch.setenv("PATH", path_without_pulumi())
    for name in ("CI", "CLOUDDB_OFFLINE"):
        monkeypatch.delenv(name, raising=False)
    module = importlib.import_module("examples.demo.engine")
    monkeypatch.setattr(module, "FOLDER", tmp_path / "cli")
    return module


def installer(monkeypatch: pytest.MonkeyPatch, engine: Any, tmp_path: Path, text: str) -> None:
    """Replace the installer."""
    script = tmp_path / "installer.py"
    script.write_text(text, encoding="utf-8")
    monkeypatch.setattr(engine, "INSTALLER", script)


@pytest.mark.parametrize("variable", ["CI", "CLOUDDB_OFFLINE"])
def test_download_can_be_disabled(variable: str, engine: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """With either variable set, the installer is not started."""
    installer(monkeypatch, engine, tmp_path, "import pathlib, sys; pathlib.Path(sys.argv[1]).mkdir()")
    monkeypatch.setenv(variable, "1")
    found = engine.find_engine(lambda _: pytest.fail("the installer was started"))
    assert found.stack is FakeEngineStack
    assert f"not downloaded as {variable} is set" in found.description
    assert not engine.FOLDER.exists()


@needs_proc
def test_silent_installer_is_killed(engine: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An installer that does not answer is killed with all its children, and leaves no files."""
    mark = uuid.uuid4().hex
    monkeypatch.setenv(RUN, mark)
    folder = tmp_path / "cli"
    script = f"mkdir {folder}; touch {folder}/half; sleep 60 & sleep 60"
    started = time.monotonic()
    problem = engine.install([shutil.which("sh") or "sh", "-c", script], folder, answer_seconds=0.5)
    assert problem == "get.pulumi.com did not answer within 0.5 s"
    assert time.monotonic() - started < 10
    assert ended(mark)
    assert not folder.exists()


@pytest.mark.parametrize(
    ("script", "problem"),
    [
        ("exit 1", "get.pulumi.com is not reachable"),
        ("echo answered; exit 3", "the installer ended with status 3"),
        ("echo answered; sleep 60", "the installation was not done after 0.5 s"),
    ],
)
def test_failed_installation_is_reported(script: str, problem: str, engine: Any, tmp_path: Path) -> None:
    """Each failure is reported."""
    command = [shutil.which("sh") or "sh", "-c", script]
    assert engine.install(command, tmp_path / "cli", install_seconds=0.5) == problem


def test_installed_cli_is_used(engine: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The installed CLI is put on PATH, and the next run uses it without a question."""
    installer(monkeypatch, engine, tmp_path, INSTALLS)
    lines: list[str] = []
    found = engine.find_engine(lines.append)
    assert found.stack is CliStack
    assert found.description == "Engine: the pulumi CLI, installed into cli (v3.999.0)"
    assert len(lines) == 1
    monkeypatch.setenv("PATH", path_without_pulumi())
    installer(monkeypatch, engine, tmp_path, "raise SystemExit(1)")
    again = engine.find_engine(lambda _: pytest.fail("the installer was started"))
    assert again.description == "Engine: the pulumi CLI in cli (v3.999.0)"


INSTALLS = """
import pathlib, sys
print("answered", flush=True)
folder = pathlib.Path(sys.argv[1], "bin")
folder.mkdir(parents=True)
for name in ("pulumi", "pulumi-language-python", "pulumi-resource-pulumi-python"):
    (folder / name).write_text("#!/bin/sh\\necho v3.999.0\\n")
    (folder / name).chmod(0o755)
"""


def test_failed_check_fails_the_demo(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """If a step is replaced, the demo prints the failed check and exits with status 1."""
    monkeypatch.syspath_prepend(ROOT)
    monkeypatch.setenv("CI", "true")
    monkeypatch.setenv("PATH", path_without_pulumi())
    demo = importlib.import_module("examples.demo.__main__")
    monkeypatch.setattr(demo.Story, "run", demo.Story.second_preview)
    assert demo.main() == 1
    assert "CHECK FAILED: a second preview has nothing to do" in capsys.readouterr().out
