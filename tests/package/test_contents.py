"""The wheel has the package and nothing else; the sdist has what the wheel is built from."""

from __future__ import annotations

import tarfile
from email.parser import Parser
from pathlib import Path
from zipfile import ZipFile

from support.schema import SCHEMA

ROOT = Path(__file__).parents[2]
PACKAGE = {
    path.relative_to(ROOT / "provider").as_posix()
    for path in (ROOT / "provider" / "pulumi_clouddb").rglob("*")
    if path.is_file() and "__pycache__" not in path.parts
}
BESIDE = {
    *("CHANGELOG.md", "LICENSE", "MANIFEST.in", "PKG-INFO", "README.md", "pyproject.toml", "setup.cfg", "setup.py"),
    *("provider/PulumiPlugin.yaml", "provider/pulumi-resource-clouddb"),
}
"""What the sdist has beside the package. The first two of provider/ make a plugin of this folder."""


def test_the_wheel(wheel: Path) -> None:
    """Each file of the package is in it, the schema and the marker of types among them."""
    with ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert names == PACKAGE
    assert {"pulumi_clouddb/py.typed", "pulumi_clouddb/engine/plugin/schema.json"} <= names


def test_the_sdist(dist: Path) -> None:
    """Neither tests nor documentation, examples or tools."""
    (sdist,) = dist.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        paths = [
            Path(member.name).relative_to(sdist.name.removesuffix(".tar.gz")) for member in archive if member.isfile()
        ]
    names = {path.as_posix() for path in paths if "pulumi_clouddb.egg-info" not in path.parts}
    assert names == BESIDE | {f"provider/{name}" for name in PACKAGE}


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
    assert {"policy", "sandbox"} <= set(declared.get_all("Provides-Extra", []))
    assert {"clouddb", "pulumi-resource-clouddb"} <= {line.partition(" =")[0] for line in programs.splitlines()}
