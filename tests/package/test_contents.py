"""The wheel has only the two packages; the sdist has the files of the repository."""

from __future__ import annotations

import json
import os
import re
import runpy
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable
from dataclasses import dataclass
from email.parser import Parser
from importlib.metadata import metadata
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from build_release import PLATFORMS, SUMS
from released_schema import released
from support.schema import SCHEMA

ROOT = Path(__file__).parents[2]
PACKAGES = {
    path.relative_to(ROOT / "provider").as_posix()
    for package in ("pulumi_clouddb", "clouddb_tools")
    for path in (ROOT / "provider" / package).rglob("*")
    if path.is_file() and "__pycache__" not in path.parts
}


RELATIVE = re.compile(r"\]\((?!https?:)[^)]*\)")
"""A link to a file that a package index does not have."""


@pytest.mark.slow
def test_wheel_has_all_files(wheel: Path) -> None:
    """It has all files of the packages, including the schema and py.typed, and the pages of `clouddb help`."""
    with ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    pages = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert names == PACKAGES | {f"clouddb_tools/manual/{page}" for page in pages}
    assert {"pulumi_clouddb/py.typed", "clouddb_tools/py.typed", "pulumi_clouddb/engine/plugin/schema.json"} <= names


@pytest.fixture(scope="session")
def unpacked(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the sdist."""
    (sdist,) = dist.glob("pulumi_clouddb-*.tar.gz")
    folder = tmp_path_factory.mktemp("sdist")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    return folder / sdist.name.removesuffix(".tar.gz")


@pytest.mark.slow
@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="git is asked for the files of the repository")
def test_sdist_has_the_files_of_the_repository(unpacked: Path) -> None:
    """It has all of them, since they test each other, and nothing else."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    packed = {path.relative_to(unpacked).as_posix() for path in unpacked.rglob("*") if path.is_file()}
    made = {path for path in packed if path in ("PKG-INFO", "setup.cfg") or ".egg-info/" in path}
    assert packed - made == {path for path in done.stdout.split("\0") if path and (ROOT / path).exists()}


@pytest.mark.slow
def test_build_depends_on_the_commit_alone(
    dist: Path, checkout: Path, unpacked: Path, build: Callable[..., Path], tmp_path: Path
) -> None:
    """Another clone of another day and umask gives the same bytes; the wheel of the sdist, which has no git, too."""
    clone = shutil.copytree(checkout, tmp_path / "clone")
    for path in clone.rglob("*"):
        os.utime(path, (1, 1))
        path.chmod(path.stat().st_mode & 0o700)
    sums = (dist / SUMS).read_text(encoding="utf-8")
    another = build(clone, tmp_path / "again", 0o077, SOURCE_DATE_EPOCH="1767225600", TZ="Asia/Tokyo")
    assert (another / SUMS).read_text(encoding="utf-8") == sums
    (wheel,), (again,) = (folder.glob("*.whl") for folder in (dist, build(unpacked, tmp_path / "from sdist")))
    assert again.read_bytes() == wheel.read_bytes()
    assert {each.name for each in dist.iterdir()} == {SUMS, *re.findall(r"^[0-9a-f]{64}  (.+)$", sums, re.MULTILINE)}


@dataclass(frozen=True)
class Content:
    """What is in a file of a release.

    Attributes:
        has: Files that it must have.
        lacks: What no path of a file in it may contain.
        largest: Its maximum size in megabytes.
    """

    has: tuple[str, ...]
    lacks: tuple[str, ...]
    largest: float


CACHES = ("__pycache__", ".pyc", "_cache/", ".hypothesis", ".git/", "node_modules", ".egg-info/PKG", "Pulumi.dev.yaml")
CONTENTS = {
    "pulumi_clouddb-*.whl": Content(
        (
            *("pulumi_clouddb/py.typed", "clouddb_tools/py.typed", "pulumi_clouddb/pulumi-plugin.json"),
            *("pulumi_clouddb/engine/plugin/schema.json", "clouddb_tools/manual/getting-started.md"),
        ),
        (*CACHES, "tests/", "/test_", "benchmarks/", "examples/", "codegen/"),
        2.5,
    ),
    "pulumi_clouddb-*.tar.gz": Content(
        ("setup.py", "schema.json", "LICENSE", "provider/pulumi_clouddb/py.typed", "tests/conftest.py"), CACHES[:-3], 4
    ),
    "pulumi-resource-clouddb-*.tar.gz": Content(
        ("PulumiPlugin.yaml", "__main__.py", "requirements.txt"), (*CACHES, "tests"), 2.5
    ),
}


def names_in(file: Path) -> list[str]:
    """Return the paths of the files in a wheel or an archive."""
    if file.suffix == ".whl":
        with ZipFile(file) as wheel:
            return wheel.namelist()
    with tarfile.open(file) as archive:
        return archive.getnames()


@pytest.mark.slow
@pytest.mark.parametrize("pattern", CONTENTS)
def test_contents_of_a_release(pattern: str, dist: Path) -> None:
    """Each file has what its users need, no tests and no caches where they are of no use, and stays small."""
    content = CONTENTS[pattern]
    files = [*dist.glob(pattern)]
    for file in files:
        names = names_in(file)
        assert [each for each in content.has if not any(f"/{name}".endswith(f"/{each}") for name in names)] == []
        assert [each for each in names if any(part in each for part in content.lacks)] == []
        assert file.stat().st_size < content.largest * 1e6
    assert files


@pytest.mark.slow
def test_every_platform_has_the_archive_of_the_plugin(dist: Path) -> None:
    """It has the name that the CLI requests from a server, and the same content."""
    version = SCHEMA["version"]
    archives = [dist / f"pulumi-resource-clouddb-v{version}-{platform}.tar.gz" for platform in PLATFORMS]
    assert sorted(dist.glob("pulumi-resource-*")) == archives
    assert len({each.read_bytes() for each in archives}) == 1


@pytest.mark.slow
def test_every_file_of_a_release_has_its_contents(dist: Path) -> None:
    """No file is in dist/ that the table does not know."""
    known = {file.name for pattern in CONTENTS for file in dist.glob(pattern)}
    assert {each.name for each in dist.iterdir()} == {*known, SUMS}


@pytest.mark.slow
def test_sdist_can_test_itself(unpacked: Path) -> None:
    """All of its tests can be collected, and one that reads files of every kind passes."""
    env = {**os.environ, "PYTHONPATH": str(unpacked / "provider")}
    for words in (["--collect-only"], ["tests/test_layering.py", "tests/test_imports.py"]):
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words]
        done = subprocess.run(command, cwd=unpacked, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr


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
    assert RELATIVE.findall(str(declared.get_payload())) == []
    assert {"policy", "sandbox"} <= set(declared.get_all("Provides-Extra", []))
    assert {"clouddb", "pulumi-resource-clouddb"} <= {line.partition(" =")[0] for line in programs.splitlines()}


def test_any_later_python_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Poetry adds no package with an upper bound to a project that has none; what we need has none either."""
    declared: dict[str, Any] = {}
    monkeypatch.setattr("setuptools.setup", declared.update)
    runpy.run_path(str(ROOT / "setup.py"))
    requirements = [*declared["install_requires"], *declared["extras_require"]["sandbox"]]
    needed = {Requirement(each).name for each in requirements}
    allowed = {name: metadata(name)["Requires-Python"] for name in needed if name != "typing-extensions"}
    bounds = {**allowed, "pulumi-clouddb": declared["python_requires"]}
    assert {name for name, bound in bounds.items() if "3.99" not in SpecifierSet(bound or "")} == set()


def test_release_names_its_repository() -> None:
    """setup.py declares the address of the repository, and its README leads there."""
    url = "https://github.com/acme/pulumi-clouddb"
    printed = "lambda **arguments: print(arguments['project_urls']['Issues'], arguments['long_description'])"
    program = f"import runpy, setuptools; setuptools.setup = {printed}; runpy.run_path('setup.py')"
    command = [sys.executable, "-c", program]
    environment = {**os.environ, "REPOSITORY_URL": url, "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.startswith(f"{url}/issues ")
    assert RELATIVE.findall(done.stdout) == []
    release = f"v{SCHEMA['version']}"
    pages = set(re.findall(rf"\]\({url}/blob/{release}/([^)#]+)", done.stdout))
    pictures = set(re.findall(rf"!\[[^]]*\]\({url}/raw/{release}/([^)]+)", done.stdout))
    assert len(pages) >= 20
    assert pictures
    assert [path for path in pages | pictures if not (ROOT / path).exists()] == []


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
    assert schema["resources"].keys() == SCHEMA["resources"].keys()


@pytest.mark.parametrize(
    ("url", "npm", "go"),
    [
        ("", "@clouddb/pulumi", "example.com/pulumi-clouddb/sdk/go/clouddb"),
        ("https://github.com/Acme/databases", "@acme/databases", "github.com/Acme/databases/sdk/go/clouddb"),
        ("https://git.acme.com/a/b/databases", "@a/databases", "git.acme.com/a/b/databases/sdk/go/clouddb"),
    ],
)
def test_sdks_of_a_release_have_names_of_its_owner(url: str, npm: str, go: str) -> None:
    """The names of a checkout belong to nobody: `example.com` is reserved, and the npm scope is not registered."""
    schema = released(SCHEMA, url)
    assert schema["language"]["nodejs"]["packageName"] == npm
    text = json.dumps(schema)
    assert set(re.findall(r'"([\w./-]+/sdk/go/clouddb)\\"', text)) == {go}
    assert set(re.findall(r"@[\w-]+/[\w-]+", text)) == {npm, "@pulumi/pulumi"}
