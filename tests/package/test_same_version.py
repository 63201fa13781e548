"""The version of a release: it is in setup.py, and everything else agrees."""

from __future__ import annotations

import re
import runpy
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import pulumi_clouddb as clouddb
from clouddb_tools.commands.main import app
from pulumi_clouddb.client.client import Client
from pulumi_clouddb.engine.plugin.__main__ import main
from pulumi_clouddb.registry import OPERATIONS
from support.schema import SCHEMA
from support.scripted import Scripted, ok
from support.sessions import config_of

ROOT = Path(__file__).parents[2]
IN_TEXTS = re.compile(
    r"@v(\d[\w.]*\d)|releases/download/v([\d.]+)/|pulumi_clouddb-([\d.]+)-py3"
    r"|resource clouddb v([\d.]+) |pulumi-resource-clouddb-v([\d.]+)-|clouddb@(\d[\d.]*\d)"
    r"|pulumi-clouddb (\d+\.\d+\.\d+)"
)
"""Where pages name the version of this package."""


@pytest.fixture(scope="module")
def declared() -> str:
    """Return the version in setup.py."""
    found: dict[str, Any] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("setuptools.setup", found.update)
        runpy.run_path(str(ROOT / "setup.py"))
    return str(found["version"])


def sent() -> str:
    """Return the `User-Agent` of a request."""
    with Scripted(ok([])) as server:
        Client(config_of(baseUrl=server.url)).call(OPERATIONS["list_services"])
        return server.received[0].headers["user-agent"].removeprefix("pulumi-clouddb/")


def of_changes() -> str:
    """Return the newest version in the changelog."""
    found = re.search(r"^## (\d\S*[^\s,])", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert found
    return found[1]


PLACES: dict[str, Callable[[], str]] = {
    "the installed package": lambda: version("pulumi-clouddb"),
    "the schema, and so the SDKs": lambda: str(SCHEMA["version"]),
    "pulumi_clouddb": lambda: clouddb.__version__,
    "clouddb --version": lambda: CliRunner().invoke(app, ["--version"]).output.split()[1],
    "User-Agent": sent,
    "the changelog": of_changes,
}


@pytest.mark.parametrize("place", PLACES)
def test_version_is_that_of_setup(place: str, declared: str) -> None:
    """The generated ones follow `make generate`; the changelog is written by hand."""
    assert PLACES[place]() == declared


def test_plugin_prints_the_version(declared: str, capsys: pytest.CaptureFixture[str]) -> None:
    """tests/provider/engine/test_versions.py asks the running plugin."""
    main(["--version"])
    assert capsys.readouterr().out == f"{declared}\n"


def test_sdks_ask_for_the_version_of_the_schema() -> None:
    """An SDK asks for the plugin of its own version; Java has no other way."""
    languages = SCHEMA["language"]
    assert {name for name, each in languages.items() if not each.get("respectSchemaVersion")} == {"java"}


def test_pages_name_the_version(declared: str) -> None:
    """Commands on the pages install this release."""
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    named = {
        (page.name, found)
        for page in pages
        for groups in IN_TEXTS.findall(page.read_text(encoding="utf-8"))
        for found in filter(None, groups)
    }
    assert {name for name, found in named if found != declared} == set()
    assert {name for name, _ in named} >= {"README.md", "getting-started.md", "native-plugin.md"}
