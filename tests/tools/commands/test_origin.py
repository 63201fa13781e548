"""The requirement that installs this package elsewhere, from the metadata of its origin.

tests/package/test_requirements.py installs such requirements.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from typer.testing import CliRunner

from clouddb_tools.commands.main import app
from clouddb_tools.commands.origin import installed_from
from support.schema import SCHEMA

VERSION = SCHEMA["version"]
COMMIT = "0123456789abcdef0123456789abcdef01234567"
SHA = "ab" * 32
WHEEL = f"pulumi_clouddb-{VERSION}-py3-none-any.whl"
GIT = {"vcs_info": {"vcs": "git", "requested_revision": "main", "commit_id": COMMIT}}
ARCHIVE: Mapping[str, Any] = {"archive_info": {"hash": f"sha256={SHA}", "hashes": {"sha256": SHA}}}
AT = "pulumi-clouddb[policy] @ "

URLS: dict[str, tuple[dict[str, Any], str, bool]] = {
    "a repository": (
        {"url": "https://git.example.com/o/n.git", **GIT},
        f"git+https://git.example.com/o/n.git@{COMMIT}",
        True,
    ),
    "a folder of a repository": (
        {"url": "https://git.example.com/o/n", "subdirectory": "python", **GIT},
        f"git+https://git.example.com/o/n@{COMMIT}#subdirectory=python",
        True,
    ),
    "a repository by ssh": (
        {"url": "ssh://git@git.example.com/o/n.git", **GIT},
        f"git+ssh://git@git.example.com/o/n.git@{COMMIT}",
        True,
    ),
    "ssh with a password": (
        {"url": "ssh://me:opensesame@git.example.com/o/n", **GIT},
        f"git+ssh://me@git.example.com/o/n@{COMMIT}",
        False,
    ),
    "a repository with a token": (
        {"url": "https://opensesame@git.example.com/o/n", **GIT},
        f"git+https://git.example.com/o/n@{COMMIT}",
        False,
    ),
    "a repository with user and password": (
        {"url": "https://me:opensesame@git.example.com:8443/o/n", **GIT},
        f"git+https://git.example.com:8443/o/n@{COMMIT}",
        False,
    ),
    "a password with an at sign": (
        {"url": "https://me:open@sesame@git.example.com/o/n", **GIT},
        f"git+https://git.example.com/o/n@{COMMIT}",
        False,
    ),
    "variables for user and password": (
        {"url": "https://${USER}:${TOKEN}@git.example.com/o/n", **GIT},
        f"git+https://${{USER}}:${{TOKEN}}@git.example.com/o/n@{COMMIT}",
        True,
    ),
    "a variable beside a password": (
        {"url": "https://${USER}:opensesame@git.example.com/o/n", **GIT},
        f"git+https://git.example.com/o/n@{COMMIT}",
        False,
    ),
    "a wheel of a release": (
        {"url": f"https://git.example.com/releases/{WHEEL}", **ARCHIVE},
        f"https://git.example.com/releases/{WHEEL}#sha256={SHA}",
        True,
    ),
    "a wheel without a hash": (
        {"url": f"https://git.example.com/{WHEEL}", "archive_info": {}},
        f"https://git.example.com/{WHEEL}",
        True,
    ),
    "a wheel behind a signed URL": (
        {"url": f"https://me:opensesame@s3.example.com/{WHEEL}?X-Signature=opensesame#opensesame", **ARCHIVE},
        f"https://s3.example.com/{WHEEL}#sha256={SHA}",
        False,
    ),
}
"""The content of direct_url.json, the URL of the requirement, and whether it is complete."""

Installed = Callable[..., None]


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installed:
    """Return a function that puts metadata of this package, as written by an installer, first on the path."""

    def write(direct_url: Any = None, **files: str) -> None:
        folder = tmp_path / "site-packages" / f"pulumi_clouddb-{VERSION}.dist-info"
        folder.mkdir(parents=True)
        texts = {"METADATA": f"Name: pulumi-clouddb\nVersion: {VERSION}\nProvides-Extra: policy\n", **files}
        if direct_url is not None:
            texts["direct_url.json"] = direct_url if isinstance(direct_url, str) else json.dumps(direct_url)
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8")
        monkeypatch.syspath_prepend(folder.parent)

    return write


@pytest.mark.parametrize(("direct_url", "line", "whole"), URLS.values(), ids=URLS)
def test_requirement_has_a_url_without_credentials(
    direct_url: dict[str, Any], line: str, whole: bool, installed: Installed
) -> None:
    """Pip can parse the line, and the file states if credentials were removed."""
    installed(direct_url)
    found = installed_from(["policy"])
    assert found.line == AT + line
    assert Requirement(found.line).url == line
    assert "opensesame" not in found.text + found.advice
    assert ("is left out of this URL" in found.text) is not whole
    assert ("is left out of this URL" in found.advice) is not whole


def test_requirement_of_a_local_repository_has_a_hint(installed: Installed) -> None:
    """The line works only on machines with the same folder."""
    installed({"url": "file:///srv/n.git", **GIT})
    found = installed_from()
    assert found.line == f"pulumi-clouddb @ git+file:///srv/n.git@{COMMIT}"
    assert "Only machines that have this folder can install it." in found.text


def test_requirement_from_an_index_has_the_version(installed: Installed) -> None:
    """Without direct_url.json, the package is from an index."""
    installed(INSTALLER="pip\n")
    assert installed_from().text == f"pulumi-clouddb=={VERSION}\n"
    assert installed_from(["policy", "sandbox"]).text == f"pulumi-clouddb[policy,sandbox]=={VERSION}\n"


@pytest.mark.parametrize("exists", [True, False])
def test_requirement_of_a_local_wheel_is_relative(exists: bool, installed: Installed, tmp_path: Path) -> None:
    """The folder of the wheel, which other machines do not have, is in no file."""
    wheel = tmp_path / "my wheels" / WHEEL
    wheel.parent.mkdir()
    if exists:
        wheel.write_bytes(b"")
    installed({"url": wheel.as_uri(), **ARCHIVE})
    found = installed_from(["policy"])
    assert found.text == f"# Keep {WHEEL} beside this file, in the repository.\n./{WHEEL}[policy]\n"
    assert found.file == (wheel if exists else None)
    assert str(wheel) in found.advice
    assert ("does not exist any more" in found.advice) is not exists


FOLDERS: dict[str, tuple[Any, str]] = {
    "an editable checkout": ({"url": "file:///srv/my%20clone", "dir_info": {"editable": True}}, "'/srv/my clone'"),
    "a checkout": ({"url": "file:///srv/clone", "dir_info": {}}, "/srv/clone"),
    "a checkout on PYTHONPATH": (None, "FOLDER"),
    "a broken file": ("{", "FOLDER"),
    "a URL of two lines": ({"url": f"https://example.com/{WHEEL}\n-r other.txt", **ARCHIVE}, "FOLDER"),
}


@pytest.mark.parametrize(("direct_url", "folder"), FOLDERS.values(), ids=FOLDERS)
def test_requirement_of_a_folder_explains_the_alternatives(direct_url: Any, folder: str, installed: Installed) -> None:
    """The file and the message contain advice. The name alone would install any package of that name from an index."""
    installed(direct_url)
    found = installed_from(["policy"])
    comment, line = found.text.rsplit("\n", 2)[:2]
    assert line == f"./{WHEEL}[policy]"
    assert "was installed from a folder" in comment
    assert "pulumi-clouddb[policy] @ git+https://HOST/OWNER/NAME@COMMIT" in comment
    assert all(each.startswith("# ") for each in comment.splitlines())
    assert "/srv" not in found.text
    assert f"pip wheel --no-deps --wheel-dir . {folder}" in found.advice
    assert shlex.split(folder)


def test_requirement_prints_the_file_and_the_advice_separately(installed: Installed, tmp_path: Path) -> None:
    """Standard output is a requirements.txt, and the advice goes to standard error."""
    wheel = tmp_path / WHEEL
    wheel.write_bytes(b"")
    installed({"url": wheel.as_uri(), **ARCHIVE})
    done = CliRunner().invoke(app, ["requirement", "--extra", "policy"])
    assert done.exit_code == 0
    assert done.stdout == installed_from(["policy"]).text
    assert done.stderr == f"Copy {wheel} beside requirements.txt.\n"


def test_requirement_rejects_an_unknown_extra() -> None:
    """Pip would only warn about it."""
    done = CliRunner().invoke(app, ["requirement", "--extra", "polcy"], env={"COLUMNS": "200"})
    assert done.exit_code == 2
    assert "polcy: the extras are tools, policy, sandbox, bucket" in done.output
