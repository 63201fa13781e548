"""The wheel has only the two packages; the sdist has the files from which the wheel is built."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
from email.parser import Parser
from pathlib import Path
from zipfile import ZipFile

import pytest

from released_schema import released
from support.schema import SCHEMA

ROOT = Path(__file__).parents[2]
PACKAGES = {
    path.relative_to(ROOT / "provider").as_posix()
    for package in ("pulumi_clouddb", "clouddb_tools")
    for path in (ROOT / "provider" / package).rglob("*")
    if path.is_file() and "__pycache__" not in path.parts
}
BESIDE = {
    *("CHANGELOG.md", "LICENSE", "MANIFEST.in", "PKG-INFO", "README.md", "pyproject.toml", "setup.cfg", "setup.py"),
    *("provider/PulumiPlugin.yaml", "provider/pulumi-resource-clouddb"),
}
"""Other files of the sdist. The first two of provider/ turn this folder into a plugin."""


@pytest.mark.slow
def test_wheel_has_all_files(wheel: Path) -> None:
    """It has all files of the packages, including the schema and py.typed."""
    with ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert names == PACKAGES
    assert {"pulumi_clouddb/py.typed", "clouddb_tools/py.typed", "pulumi_clouddb/engine/plugin/schema.json"} <= names


@pytest.mark.slow
def test_sdist_has_only_sources(dist: Path) -> None:
    """It has no tests, documentation, examples or tools."""
    (sdist,) = dist.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        paths = [
            Path(member.name).relative_to(sdist.name.removesuffix(".tar.gz")) for member in archive if member.isfile()
        ]
    names = {path.as_posix() for path in paths if "pulumi_clouddb.egg-info" not in path.parts}
    assert names == BESIDE | {f"provider/{name}" for name in PACKAGES}


@pytest.mark.slow
def test_metadata_of_the_wheel(wheel: Path) -> None:
    """Package and schema have the same version; types, license, programs and extras are declared."""
    with ZipFile(wheel) as archive:
        (metadata, programs) = (
            next(archive.read(name).decode() for name in archive.namelist() if name.endswith(f".dist-info/{file}"))
            for file in ("METADATA", "entry_points.txt")
        )
    declared = Parser().parsestr(metadata)
    assert (declared["Name"], declared["Version"]) == ("pulumi-clouddb", SCHEMA["version"])
    assert declared["License-Expression"] == SCHEMA["license"]
    assert "Typing :: Typed" in declared.get_all("Classifier", [])
    assert declared.get_all("Project-URL") is None  # a checkout may be of a fork
    assert {"policy", "sandbox"} <= set(declared.get_all("Provides-Extra", []))
    assert {"clouddb", "pulumi-resource-clouddb"} <= {line.partition(" =")[0] for line in programs.splitlines()}


def test_release_names_its_repository() -> None:
    """setup.py declares the address of the repository; without one it declares no project URLs."""
    environment = {**os.environ, "REPOSITORY_URL": "https://github.com/acme/pulumi-clouddb"}
    printed = "lambda **arguments: print(arguments['project_urls']['Issues'])"
    program = f"import runpy, setuptools; setuptools.setup = {printed}; runpy.run_path('setup.py')"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "https://github.com/acme/pulumi-clouddb/issues"


@pytest.mark.parametrize(
    ("url", "plugin"),
    [
        ("", None),
        ("https://git.example.com/acme/pulumi-clouddb", None),
        ("https://github.com/acme/pulumi-clouddb", "github://api.github.com/acme/pulumi-clouddb"),
    ],
)
def test_sdks_of_a_release_name_the_download_url(url: str, plugin: str | None) -> None:
    """They download it if its releases are on GitHub; otherwise users install it."""
    schema = released(SCHEMA, url)
    assert schema.get("repository") == (url or None)
    assert schema.get("pluginDownloadURL") == plugin
    assert schema["resources"] == SCHEMA["resources"]
