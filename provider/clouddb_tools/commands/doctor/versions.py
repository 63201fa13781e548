"""Checks the versions of this package, Python, Pulumi's SDK and CLI, and the plugin on PATH."""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import subprocess
import sysconfig
from collections.abc import Iterator, Sequence
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion, Version

from pulumi_clouddb.schema._version import VERSION

from .finding import Finding, error, note, ok, warning
from .situation import Situation

PACKAGE, PLUGIN = "pulumi-clouddb", "pulumi-resource-clouddb"

COMMAND_SECONDS = 20
"""Timeout of a command that prints its version."""

INSTALL_PULUMI = "https://www.pulumi.com/docs/install/"


def check_versions(situation: Situation) -> Iterator[Finding]:
    """Yield the versions of Python, Pulumi's SDK and its CLI, and whether this package supports them."""
    yield ok("version", f"{PACKAGE} {VERSION}")
    yield from _python()
    yield from _sdk()
    yield from _cli(situation)


def _python() -> Iterator[Finding]:
    running, wanted = platform.python_version(), metadata.metadata(PACKAGE)["Requires-Python"]
    if Version(running) in SpecifierSet(wanted, prereleases=True):
        yield ok("python", f"Python {running}")
    else:
        text = f"{PACKAGE} does not support Python {running} ({wanted})"
        yield error("python", text, "Install the package in an environment with a supported Python.")


def _sdk() -> Iterator[Finding]:
    installed, wanted = metadata.version("pulumi"), _wanted("pulumi")
    if wanted.contains(installed, prereleases=True):
        yield ok("sdk", f"Pulumi's SDK for Python {installed}")
    else:
        text = f"Pulumi's SDK for Python is {installed}, and {PACKAGE} needs {wanted}"
        yield error("sdk", text, "Install a supported version:", f"pip install {shlex.quote(f'pulumi{wanted}')}")


def _wanted(name: str) -> SpecifierSet:
    requirements = map(Requirement, metadata.requires(PACKAGE) or ())
    return next((each.specifier for each in requirements if each.name == name), SpecifierSet())


def _cli(situation: Situation) -> Iterator[Finding]:
    found = shutil.which("pulumi", path=situation.environment.get("PATH"))
    if found is None:
        usual = Path.home() / ".pulumi" / "bin"
        folder = str(usual) if (usual / "pulumi").is_file() else "YOUR_PULUMI_FOLDER"
        text = "the pulumi CLI is not on PATH"
        fix = f"Install the CLI, and put its folder on PATH ({INSTALL_PULUMI}):"
        yield error("cli", text, fix, _first_on_path(folder))
        return
    printed = _printed_version(situation, [found, "version"])
    try:
        version = Version(printed)
    except InvalidVersion:
        text = f"{found} does not print its version: {printed or 'the output is empty'}"
        fix = f"Reinstall it, and put its folder on PATH ({INSTALL_PULUMI}):"
        yield error("cli", text, fix, _first_on_path("YOUR_PULUMI_FOLDER"))
        return
    sdk = Version(metadata.version("pulumi"))
    if version.major == sdk.major:
        yield ok("cli", f"pulumi CLI {version}")
    else:
        text = f"the pulumi CLI {found} is {version}, and Pulumi's SDK for Python is {sdk}"
        fix = f"Install a CLI of version {sdk.major} ({INSTALL_PULUMI}), and put its folder first on PATH:"
        yield error("cli", text, fix, _first_on_path("YOUR_PULUMI_FOLDER"))


def check_plugin(situation: Situation) -> Iterator[Finding]:
    """Yield which plugin the engine finds on PATH, and whether its version is that of this package."""
    found = _on_path(situation)
    own = Path(sysconfig.get_path("scripts"))
    put_first = _first_on_path(str(own) if (own / PLUGIN).is_file() else "YOUR_PLUGIN_FOLDER")
    if not found:
        text = f"{PLUGIN} is not on PATH; programs with the Python classes do not need it"
        yield note("no-plugin", text, "For the native plugin, put its folder on PATH:", put_first)
        return
    versions = {path: _printed_version(situation, [str(path), "--version"]) for path in found}
    first, *others = found
    if versions[first] == VERSION:
        yield ok("plugin", f"{first} {VERSION}")
    else:
        text = f"the engine uses {first}, version {versions[first] or 'unknown'}; this package is {VERSION}"
        yield error("plugin-version", text, "Put the plugin of this package first on PATH:", put_first)
    for other in others:
        if versions[other] != VERSION:
            text = f"{other}, version {versions[other] or 'unknown'}, is on PATH after {first}"
            yield warning("two-plugins", text, "Remove it, so that no other shell uses it:", _removal(other))


def _on_path(situation: Situation) -> Sequence[Path]:
    """Return the plugins on PATH, in its order."""
    found: dict[Path, Path] = {}
    for folder in situation.environment.get("PATH", "").split(os.pathsep):
        path = shutil.which(PLUGIN, path=folder) if folder else None
        if path:
            found.setdefault(Path(path).resolve(), Path(path))
    return list(found.values())


def _first_on_path(folder: str) -> str:
    return f'export PATH="{folder}{os.pathsep}$PATH"'


def _removal(plugin: Path) -> str:
    """Return the command that removes a plugin, in a Python environment together with its package."""
    python = plugin.with_name("python")
    if python.exists():
        return f"{shlex.quote(str(python))} -m pip uninstall --yes {PACKAGE}"
    return f"rm {shlex.quote(str(plugin))}"


def _printed_version(situation: Situation, command: list[str]) -> str:
    """Return the version that a command prints, without a leading `v`; an empty text if it fails or hangs."""
    try:
        done = subprocess.run(  # noqa: S603 (the engine runs the same file from PATH)
            command,
            env=dict(situation.environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=COMMAND_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError, UnicodeError):
        return ""
    first = next(iter(done.stdout.split()), "")
    return first.removeprefix("v")[:40]
