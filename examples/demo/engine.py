"""Find an engine: the `pulumi` CLI on PATH, the CLI in this project's own folder, or the fake engine."""

from __future__ import annotations

import os
import select
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from clouddb_tools.testing import CliStack, FakeEngineStack, Stack

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / ".pulumi-cli"
INSTALLER = Path(__file__).with_name("install_cli.py")
ANSWER_SECONDS = 5.0
INSTALL_SECONDS = 300.0
NOT_TRIED = ("CI", "CLOUDDB_OFFLINE")
"""Environment variables that forbid the download."""


@dataclass(frozen=True)
class Engine:
    """An engine, and one line that describes it."""

    stack: type[Stack]
    description: str


def find_engine(say: Callable[[str], None]) -> Engine:
    """Return the CLI if there is one or it can be installed, else the fake engine; `say` announces a download."""
    if CliStack.available():
        return Engine(CliStack, f"Engine: the pulumi CLI on PATH {_version()}".rstrip())
    if _in_folder():
        return Engine(CliStack, f"Engine: the pulumi CLI in {FOLDER.name} {_version()}".rstrip())
    variable = next((name for name in NOT_TRIED if os.environ.get(name)), None)
    if variable:
        return _fake_engine(f"not downloaded as {variable} is set")
    say("There is no pulumi CLI on PATH: asking get.pulumi.com for its installer ...")
    problem = install([sys.executable, str(INSTALLER), str(FOLDER)], FOLDER)
    if problem is None and _in_folder():
        return Engine(CliStack, f"Engine: the pulumi CLI, installed into {FOLDER.name} {_version()}".rstrip())
    return _fake_engine(problem or "the installer brought no CLI")


def install(
    command: Sequence[str],
    folder: Path,
    *,
    answer_seconds: float = ANSWER_SECONDS,
    install_seconds: float = INSTALL_SECONDS,
) -> str | None:
    """Run an installer that prints a line when the download server responds; return the problem, or None.

    A failed attempt leaves neither a process nor `folder`.
    """
    process = subprocess.Popen(  # noqa: S603 - our own script
        list(command),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        problem = _follow(process, answer_seconds, install_seconds)
    finally:
        _end(process)
    if problem:
        shutil.rmtree(folder, ignore_errors=True)
    return problem


def _follow(process: subprocess.Popen[bytes], answer_seconds: float, install_seconds: float) -> str | None:
    assert process.stdout is not None  # noqa: S101 - opened as a pipe above
    answered, _, _ = select.select([process.stdout], [], [], answer_seconds)
    if not answered:
        return f"get.pulumi.com did not answer within {answer_seconds:g} s"
    if not process.stdout.readline():
        return "get.pulumi.com is not reachable"
    try:
        code = process.wait(install_seconds)
    except subprocess.TimeoutExpired:
        return f"the installation was not done after {install_seconds:g} s"
    return f"the installer ended with status {code}" if code else None


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the installer and its child processes."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    if process.stdout is not None:
        process.stdout.close()


def _in_folder() -> bool:
    """Put the project's own CLI on PATH, if it exists, and return whether it can be used."""
    programs = FOLDER / "bin"
    if not (programs / "pulumi").is_file():
        return False
    os.environ["PATH"] = f"{programs}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    return CliStack.available()


def _version() -> str:
    done = subprocess.run(
        ["pulumi", "version"],  # noqa: S607 - the CLI on PATH is intended
        env={**os.environ, "PULUMI_SKIP_UPDATE_CHECK": "true"},
        capture_output=True,
        text=True,
        check=False,
    )
    return f"({done.stdout.strip()})" if done.stdout.strip() else ""


def _fake_engine(reason: str) -> Engine:
    return Engine(
        FakeEngineStack,
        f"Engine: the fake engine of clouddb_tools.testing; there is no pulumi CLI here ({reason})",
    )
