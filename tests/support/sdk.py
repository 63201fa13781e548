"""The SDKs for Python, Go and Java that Pulumi generates from schema.json."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from .schema import SCHEMA

ROOT = Path(__file__).parents[2]
SDK = "pulumi_clouddb_native"


def generate_sdk(folder: Path) -> Path:
    """Generate it as a folder for PYTHONPATH, with the metadata that installing it would leave."""
    environment = {**os.environ, "PULUMI_HOME": str(folder / "home"), "PULUMI_SKIP_UPDATE_CHECK": "true"}
    command = ["pulumi", "package", "gen-sdk", str(ROOT / "schema.json"), "--language", "python", "--out", str(folder)]
    subprocess.run(command, env=environment, check=True, capture_output=True)
    metadata = folder / "python" / f"{SDK}-{SCHEMA['version']}.dist-info" / "METADATA"
    metadata.parent.mkdir()
    metadata.write_text(f"Metadata-Version: 2.1\nName: {SDK}\nVersion: {SCHEMA['version']}\n", encoding="utf-8")
    return folder / "python"


def missing_for_go() -> str:
    """Return what is not there to compile a program in Go, or nothing."""
    absent = [name for name in ("pulumi", "pulumi-language-go", "go") if not shutil.which(name)]
    return f"there is no {absent[0]} on PATH" if absent else ""


def go_project(folder: Path) -> Path:
    """Copy the example in Go, and generate its SDK as the example says; return its folder."""
    program = shutil.copytree(
        ROOT / "examples" / "go", folder / "examples" / "go", ignore=shutil.ignore_patterns("sdks")
    )
    (folder / "provider").symlink_to(ROOT / "provider")
    sums = {file: (program / file).read_text(encoding="utf-8") for file in ("go.mod", "go.sum")}
    environment = {**os.environ, "PULUMI_HOME": str(folder / "home"), "PULUMI_SKIP_UPDATE_CHECK": "true"}
    command = ["pulumi", "package", "add", str(ROOT / "schema.json")]
    subprocess.run(command, cwd=program, env=environment, check=True, capture_output=True)
    assert {file: (program / file).read_text(encoding="utf-8") for file in sums} == sums, "the command changed them"
    return program


def missing_for_java() -> str:
    """Return what is not there to compile a program in Java, or nothing."""
    absent = [name for name in ("pulumi", "pulumi-language-java", "javac", "mvn") if not shutil.which(name)]
    return f"there is no {absent[0]} on PATH" if absent else ""


def java_project(folder: Path) -> Path:
    """Copy the example in Java, and generate its SDK as the example says; return its folder."""
    program = shutil.copytree(
        ROOT / "examples" / "java", folder / "examples" / "java", ignore=shutil.ignore_patterns("sdks", "target")
    )
    (folder / "provider").symlink_to(ROOT / "provider")
    environment = {**os.environ, "PULUMI_HOME": str(folder / "home"), "PULUMI_SKIP_UPDATE_CHECK": "true"}
    command = ["pulumi", "package", "add", str(ROOT / "schema.json")]
    _with_maven(command, program, environment)
    _with_maven(MAVEN_COMPILE, program, environment)
    return program


MAVEN_COMPILE = ["mvn", "-q", "-B", "compile", "exec:java", "-Dexec.skip"]
"""Compiles, and resolves what a run needs, too."""
_NO_REGISTRY = re.compile(r"[Cc]ould not transfer|failed to transfer|in offline mode")


def _with_maven(command: list[str], folder: Path, environment: dict[str, str]) -> None:
    """Run a command in which Maven compiles; skip the test if Maven's registry cannot be reached."""
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    output = done.stdout + done.stderr
    if done.returncode and _NO_REGISTRY.search(output):
        pytest.skip("Maven can't get its dependencies: its registry does not respond")
    assert done.returncode == 0, output
