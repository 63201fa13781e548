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
ADD_PACKAGE = ["pulumi", "package", "add", str(ROOT / "schema.json")]

GO = pytest.mark.cli("pulumi-language-go", "go")
JAVA = pytest.mark.cli("pulumi-language-java", "javac", "mvn")
TYPESCRIPT = pytest.mark.cli("pulumi-language-nodejs", "node")
YAML = pytest.mark.cli("pulumi-language-yaml")


def generate_sdk(folder: Path) -> Path:
    """Generate the Python SDK as a folder for PYTHONPATH, with the metadata of an installed package."""
    command = ["pulumi", "package", "gen-sdk", str(ROOT / "schema.json"), "--language", "python", "--out", str(folder)]
    subprocess.run(command, env=_environment(folder), check=True, capture_output=True)
    metadata = folder / "python" / f"{SDK}-{SCHEMA['version']}.dist-info" / "METADATA"
    metadata.parent.mkdir()
    metadata.write_text(f"Metadata-Version: 2.1\nName: {SDK}\nVersion: {SCHEMA['version']}\n", encoding="utf-8")
    return folder / "python"


def typescript_packages() -> Path:
    """Return the packages of the TypeScript example, including the SDK; skip the test if they are not installed."""
    packages = ROOT / "examples" / "typescript" / "node_modules"
    if not (packages / "@clouddb").exists():
        pytest.skip("examples/typescript has no node_modules: run `pulumi package add ../../schema.json` there")
    return packages


def go_project(folder: Path) -> Path:
    """Copy the Go example, and generate its SDK by the example's instructions; return its folder."""
    program = _copied("go", folder)
    sums = {file: (program / file).read_text(encoding="utf-8") for file in ("go.mod", "go.sum")}
    subprocess.run(ADD_PACKAGE, cwd=program, env=_environment(folder), check=True, capture_output=True)
    assert {file: (program / file).read_text(encoding="utf-8") for file in sums} == sums, "the command changed them"
    return program


def java_project(folder: Path) -> Path:
    """Copy the Java example, and generate its SDK by the example's instructions; return its folder."""
    program = _copied("java", folder)
    for command in (ADD_PACKAGE, MAVEN_COMPILE):
        _with_maven(command, program, _environment(folder))
    return program


MAVEN_COMPILE = ["mvn", "-q", "-B", "compile", "exec:java", "-Dexec.skip"]
"""Compiles, and also downloads the dependencies of a run."""
_NO_REGISTRY = re.compile(r"[Cc]ould not transfer|failed to transfer|in offline mode")


def _with_maven(command: list[str], folder: Path, environment: dict[str, str]) -> None:
    """Run a command that calls Maven; skip the test if Maven's registry cannot be reached."""
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    output = done.stdout + done.stderr
    if done.returncode and _NO_REGISTRY.search(output):
        pytest.skip("Maven can't get its dependencies: its registry does not respond")
    assert done.returncode == 0, output


def _copied(language: str, folder: Path) -> Path:
    """Copy an example without generated files, beside a link to the plugin's folder; return its folder."""
    (folder / "provider").symlink_to(ROOT / "provider")
    generated = shutil.ignore_patterns("sdks", "target")
    return shutil.copytree(ROOT / "examples" / language, folder / "examples" / language, ignore=generated)


def _environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "PULUMI_HOME": str(folder / "home"), "PULUMI_SKIP_UPDATE_CHECK": "true"}
