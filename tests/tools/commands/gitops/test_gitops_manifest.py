"""The manifest of a plan: which later changes make the plan invalid."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath
from typing import Any

import pytest

from clouddb_tools.commands.gitops.apply import PlanError, load_manifest
from clouddb_tools.commands.gitops.plan_manifest import (
    POLICY_PROFILE,
    PackManifest,
    PlanManifest,
    changes_since,
    commit_of,
    digest_file,
    digest_folder,
    manifest_file,
    read_environment,
    relative_path,
    state_digests,
)

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="there is no git on PATH")
MANIFEST = PlanManifest(
    project="shop",
    stack="dev",
    created="2027-01-31T00:00:00+00:00",
    commit="a" * 40,
    program="1" * 64,
    configuration={"shop:replicas": "3", "clouddb:keySecret": {"secret": True}},
    environment={"CLOUDDB_BASE_URL": "https://api.example.com"},
    state={"urn:pulumi:dev::shop::clouddb:index:Service::orders": "2" * 64},
    policies=[PackManifest(path="policies", digest="3" * 64)],
)
URN = next(iter(MANIFEST.state))

MOVED: dict[str, tuple[dict[str, Any], list[str]]] = {
    "nothing": ({}, []),
    "another commit of the same files": ({"commit": "b" * 40}, []),
    "the time": ({"created": "2027-02-01T00:00:00+00:00"}, []),
    "the program": ({"program": "9" * 64}, ["program: 111111111111 at commit aaaaaaaaaaaa → 999999999999"]),
    "a value of the configuration": (
        {"configuration": {**MANIFEST.configuration, "shop:replicas": "4"}},
        ["configuration shop:replicas: 3 → 4"],
    ),
    "a removed secret": (
        {"configuration": {"shop:replicas": "3"}},
        ["configuration clouddb:keySecret: a secret → not set"],
    ),
    "a newly encrypted value": (
        {"configuration": {**MANIFEST.configuration, "shop:replicas": {"secret": True}}},
        ["configuration shop:replicas: in plain text → a secret"],
    ),
    "a credential newly in plain text": (
        {"configuration": {**MANIFEST.configuration, "clouddb:keySecret": "s3cret"}},
        ["configuration clouddb:keySecret: a secret → in plain text"],
    ),
    "the server's address": (
        {"environment": {"CLOUDDB_BASE_URL": "https://other.example.com"}},
        ["environment CLOUDDB_BASE_URL: https://api.example.com → https://other.example.com"],
    ),
    "a resource of the state": ({"state": {URN: "9" * 64}}, ["state of orders: unchanged → changed"]),
    "a removed resource": ({"state": {}}, ["state of orders: unchanged → removed from the state"]),
    "an added resource": (
        {"state": {**MANIFEST.state, f"{URN}2": "9" * 64}},
        ["state of orders2: not in the state → in the state"],
    ),
    "a policy pack": (
        {"policies": [PackManifest(path="policies", digest="9" * 64)]},
        [f"policy pack policies: {'3' * 64} → {'9' * 64}"],
    ),
}


@pytest.mark.parametrize(("change", "expected"), MOVED.values(), ids=MOVED)
def test_changes_since_the_plan_are_listed(change: dict[str, Any], expected: list[str]) -> None:
    """One line for each change, with the planned and the current value."""
    changes = changes_since(MANIFEST, PlanManifest.model_validate({**MANIFEST.model_dump(), **change}))
    lines = [f"{each.what}: {each.planned} → {each.now}" for each in changes]
    assert [line.removesuffix(f" at commit {'a' * 12}") for line in lines] == expected


def test_manifest_contains_no_credentials() -> None:
    """Credentials are removed when a manifest is written, and when one of an earlier version is read."""
    manifests = [
        PlanManifest.model_validate({**MANIFEST.model_dump(), "configuration": {"clouddb:stackToken": value}})
        for value in ("s3cret-one", "s3cret-two")
    ]
    assert not any("s3cret" in each.model_dump_json() for each in manifests)
    assert changes_since(*manifests) == []


# -- the program's files -----------------------------------------------------------------------------------------------

Edit = Callable[[Path], object]


def write(name: str, text: str = "changed") -> Edit:
    """Return an edit that writes a file."""

    def edit(folder: Path) -> None:
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    return edit


def git(folder: Path, *words: str) -> None:
    """Run git in a folder."""
    author = ["-c", "user.name=Tester", "-c", "user.email=tester@example.com", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", "-C", str(folder), *author, *words], check=True, capture_output=True)  # noqa: S607


def amend(folder: Path) -> None:
    """Create another commit with the same files."""
    git(folder, "commit", "--quiet", "--amend", "--message", "squashed")


EDITS: dict[str, tuple[Edit, bool, bool]] = {
    "the program": (write("__main__.py"), True, True),
    "a module of it": (write("lib/parts.py"), True, True),
    "the project's settings": (write("Pulumi.yaml"), True, True),
    "a deleted file": (lambda folder: (folder / "lib" / "parts.py").unlink(), True, True),
    "a stack's configuration": (write("Pulumi.dev.yaml"), False, False),
    "a file that the run writes": (write("report.md"), False, False),
    "compiled Python": (write("lib/__pycache__/parts.pyc"), False, False),
    "an environment": (write("env/pyvenv.cfg"), False, False),
    "a file that git does not track": (write("notes.txt"), False, True),
    "a commit of the same files": (amend, False, False),
}


@needs_git
@pytest.mark.parametrize(("edit", "moves", "moves_outside_git"), EDITS.values(), ids=EDITS)
@pytest.mark.parametrize("tracked", [True, False], ids=["in a repository", "outside a repository"])
def test_digest_covers_the_files_of_the_program(
    edit: Edit, moves: bool, moves_outside_git: bool, tracked: bool, tmp_path: Path
) -> None:
    """In a repository the tracked files with uncommitted edits, elsewhere all files except generated ones."""
    for name in ("__main__.py", "lib/parts.py", "Pulumi.yaml", "Pulumi.dev.yaml"):
        write(name, name)(tmp_path)
    if tracked:
        git(tmp_path, "init", "--quiet")
        git(tmp_path, "add", "--all")
        git(tmp_path, "commit", "--quiet", "--message", "first")
    elif edit is amend:
        pytest.skip("there are no commits outside a repository")
    report = [tmp_path / "report.md"]
    before = digest_folder(tmp_path, report)
    edit(tmp_path)
    assert (digest_folder(tmp_path, report) != before) is (moves if tracked else moves_outside_git)


@needs_git
def test_digest_of_a_project_excludes_other_folders(tmp_path: Path) -> None:
    """Other folders of a repository can change without effect on a plan."""
    for name in ("shop/__main__.py", "other/__main__.py"):
        write(name)(tmp_path)
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--quiet", "--message", "first")
    assert len(commit_of(tmp_path / "shop")) == 40
    before = digest_folder(tmp_path / "shop")
    write("other/__main__.py", "else")(tmp_path)
    assert digest_folder(tmp_path / "shop") == before


@needs_git
def test_digest_supports_file_names_that_are_not_utf_8(tmp_path: Path) -> None:
    """Old archives have such names; the digest is equal in a repository and outside."""
    file = tmp_path / os.fsdecode("Gr\xf6\xdfe.txt".encode("latin-1"))
    file.write_text("1")
    outside = digest_folder(tmp_path)
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", "--all")
    assert digest_folder(tmp_path) == outside
    file.write_text("2")
    assert digest_folder(tmp_path) != outside


# -- the state ---------------------------------------------------------------------------------------------------------


def entry(**changes: Any) -> dict[str, Any]:
    """Return a resource as in state."""
    secret = {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "ciphertext": "v1:abc"}
    return {"urn": URN, "id": "1", "outputs": {"name": "Orders", "password": secret}, "modified": "today", **changes}


STATES: dict[str, tuple[dict[str, Any], bool]] = {
    "the same": (entry(), False),
    "secrets encrypted anew": (
        entry(outputs={"name": "Orders", "password": {**entry()["outputs"]["password"], "ciphertext": "v1:xyz"}}),
        False,
    ),
    "times and places in the source": (entry(modified="later", created="c", sourcePosition="x", stackTrace=[]), False),
    "an output": (entry(outputs={**entry()["outputs"], "name": "Other"}), True),
    "the id": (entry(id="2"), True),
    "a secret that became plain text": (entry(outputs={"name": "Orders", "password": "open"}), True),
    "protection": (entry(protect=True), True),
}


@pytest.mark.parametrize(("now", "moves"), STATES.values(), ids=STATES)
def test_state_digest_ignores_new_encryption_and_times(now: dict[str, Any], moves: bool) -> None:
    """An update without changes encrypts every secret again."""
    before, after = (state_digests({"resources": [each]}) for each in (entry(), now))
    assert (before != after) is moves


def test_state_digest_covers_all_entries_of_a_urn() -> None:
    """A replaced resource whose deletion is pending shares the URN of its replacement."""
    both = state_digests({"resources": [entry(id="0", delete=True), entry()]})
    assert both != state_digests({"resources": [entry()]})
    assert both != state_digests({"resources": [entry(id="9", delete=True), entry()]})


# -- the environment ---------------------------------------------------------------------------------------------------


def test_manifest_excludes_credentials_of_the_environment() -> None:
    """A preview can use a read-only key, but must use the same servers."""
    variables = {
        "CLOUDDB_BASE_URL": "https://api.example.com",
        "CLOUDDB_KEY_ID": "id",
        "CLOUDDB_KEY_SECRET": "secret",
        "CLOUDDB_STACK_TOKEN": "token",
        "CLOUDDB_VOCABULARY": "",
        "CLOUDDB_POLICY_PROFILE": "strict",
        "HOME": "/",
    }
    assert read_environment(variables) == {
        "CLOUDDB_BASE_URL": "https://api.example.com",
        "CLOUDDB_POLICY_PROFILE": "strict",
    }


def test_variable_of_the_profile_is_that_of_the_policy_pack() -> None:
    """It is defined twice, because the pack's package is optional."""
    pytest.importorskip("pulumi_policy", reason="the policy packages are not installed")
    from pulumi_clouddb.policy.pack import PROFILE_VARIABLE

    assert POLICY_PROFILE == PROFILE_VARIABLE


# -- the files ---------------------------------------------------------------------------------------------------------


def saved(folder: Path) -> Path:
    """Write a plan with its manifest."""
    plan = folder / "plan.json"
    plan.write_text("{}", encoding="utf-8")
    manifest = MANIFEST.model_copy(update={"plan": digest_file(plan)})
    manifest_file(plan).write_text(manifest.model_dump_json(by_alias=True), encoding="utf-8")
    return plan


OTHER_VERSION = MANIFEST.model_copy(update={"version": 2}).model_dump_json(by_alias=True)
BROKEN: dict[str, tuple[Callable[[Path], object], str]] = {
    "no plan": (lambda plan: plan.unlink(), "plan.json does not exist. `clouddb ci preview --save-plan"),
    "no manifest": (lambda plan: manifest_file(plan).unlink(), "manifest.json does not exist. `clouddb ci preview"),
    "a changed plan": (lambda plan: plan.write_text("{ }"), "it was changed or replaced"),
    "another file in place of the manifest": (
        lambda plan: manifest_file(plan).write_text("[]"),
        "is not a manifest from `clouddb ci preview",
    ),
    "a manifest of another version": (
        lambda plan: manifest_file(plan).write_text(OTHER_VERSION),
        r"was written by another version of clouddb \(format 2\): preview again",
    ),
    "a manifest of another stack": (
        lambda plan: manifest_file(plan).write_text(manifest_file(plan).read_text().replace('"dev"', '"test"')),
        "is a plan of stack 'test', not of 'dev': preview that stack",
    ),
}


@pytest.mark.parametrize(("spoil", "message"), BROKEN.values(), ids=BROKEN)
def test_plan_without_a_valid_manifest_is_rejected(
    spoil: Callable[[Path], object], message: str, tmp_path: Path
) -> None:
    """The error has the file, and the command that writes it."""
    plan = saved(tmp_path)
    assert load_manifest(plan, "dev").stack == "dev"
    spoil(plan)
    with pytest.raises(PlanError, match=message):
        load_manifest(plan, "dev")


@pytest.mark.parametrize(
    ("path", "folder", "expected"),
    [
        (PurePosixPath("/work/shop/policies"), PurePosixPath("/work/shop"), "policies"),
        (PurePosixPath("/work/policies/pack"), PurePosixPath("/work/shop"), "../policies/pack"),
        (PureWindowsPath(r"C:\work\policies\pack"), PureWindowsPath(r"C:\work\shop"), "../policies/pack"),
        (PureWindowsPath(r"D:\policies"), PureWindowsPath(r"C:\work\shop"), "D:/policies"),
    ],
    ids=["below", "beside", "on Windows", "on another drive"],
)
def test_paths_are_the_same_on_every_system(path: PurePath, folder: PurePath, expected: str) -> None:
    """A plan that was made on Windows names its policy packs as Linux does."""
    assert relative_path(path, folder) == expected
