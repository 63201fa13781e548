"""The wheel has the two packages and nothing else; the sdist has what the wheel is built from."""

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
"""What the sdist has beside the packages. The first two of provider/ make a plugin of this folder."""


@pytest.mark.slow
def test_the_wheel(wheel: Path) -> None:
    """Each file of the packages is in it, the schema and the marker of types among them."""
    with ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert names == PACKAGES
    assert {"pulumi_clouddb/py.typed", "clouddb_tools/py.typed", "pulumi_clouddb/engine/plugin/schema.json"} <= names


@pytest.mark.slow
def test_the_sdist(dist: Path) -> None:
    """Neither tests nor documentation, examples or tools."""
    (sdist,) = dist.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        paths = [
            Path(member.name).relative_to(sdist.name.removesuffix(".tar.gz")) for member in archive if member.isfile()
        ]
    names = {path.as_posix() for path in paths if "pulumi_clouddb.egg-info" not in path.parts}
    assert names == BESIDE | {f"provider/{name}" for name in PACKAGES}


@pytest.mark.slow
def test_the_metadata(wheel: Path) -> None:
    """Package and schema have one version; the types, the license, the programs and the extras are declared."""
    with ZipFile(wheel) as archive:
        (metadata, programs) = (
            next(archive.read(name).decode() for name in archive.namelist() if name.endswith(f".dist-info/{file}"))
            for file in ("METADATA", "entry_points.txt")
        )
    declared = Parser().parsestr(metadata)
    assert (declared["Name"], declared["Version"]) == ("pulumi-clouddb", SCHEMA["version"])
    assert declared["License-Expression"] == SCHEMA["license"]
    assert "Typing :: Typed" in declared.get_all("Classifier", [])
    assert declared.get_all("Project-URL") is None  # a checkout may be of any copy
    assert {"policy", "sandbox"} <= set(declared.get_all("Provides-Extra", []))
    assert {"clouddb", "pulumi-resource-clouddb"} <= {line.partition(" =")[0] for line in programs.splitlines()}


def test_a_release_says_where_it_comes_from() -> None:
    """What setup.py says is what the wheel has; without the address it says none."""
    environment = {**os.environ, "REPOSITORY_URL": "https://github.com/acme/pulumi-clouddb"}
    said = "lambda **said: print(said['project_urls']['Issues'])"
    program = f"import runpy, setuptools; setuptools.setup = {said}; runpy.run_path('setup.py')"
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
def test_sdks_of_a_release_find_the_plugin(url: str, plugin: str | None) -> None:
    """Where its releases are on GitHub; elsewhere it is installed by hand."""
    schema = released(SCHEMA, url)
    assert schema.get("repository") == (url or None)
    assert schema.get("pluginDownloadURL") == plugin
    assert schema["resources"] == SCHEMA["resources"]
