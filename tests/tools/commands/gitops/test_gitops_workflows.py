"""The formats and the security of the workflow files of examples/gitops, and of the project's own."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import metadata
from pathlib import Path
from typing import Any

import pytest

import build_release
from support.workflows import EXPRESSION, GITHUB, GITLAB, github_steps, load, run_script

OWN = sorted((Path(__file__).parents[4] / ".github" / "workflows").glob("*.yml"))
UPDATES = OWN[0].parents[1] / "dependabot.yml"
FORMS = [OWN[0].parents[1] / "ISSUE_TEMPLATE" / f"{form}.yml" for form in ("bug", "feature")]
CHECKS = next(file for file in OWN if file.stem == "checks")
SCHEMAS = {
    "GitHub Actions": (["--builtin-schema", "vendor.github-workflows"], GITHUB),
    "the project's own": (["--builtin-schema", "vendor.github-workflows"], OWN),
    "its updates of actions": (["--builtin-schema", "vendor.dependabot"], [UPDATES]),
    "its issue forms": (["--builtin-schema", "vendor.github-issue-forms"], FORMS),
    "GitLab CI": (["--builtin-schema", "vendor.gitlab-ci", "--data-transform", "gitlab-ci"], [GITLAB]),
}
PINNED = re.compile(r"uses: ([\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+(,.*)?|\./\.github/workflows/\w+\.yml)")


@pytest.mark.parametrize(("options", "files"), SCHEMAS.values(), ids=SCHEMAS)
def test_workflow_files_match_their_schema(options: list[str], files: list[Path]) -> None:
    """check-jsonschema includes the schemas; nothing is downloaded."""
    command = [sys.executable, "-m", "check_jsonschema", *options, *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.skipif(shutil.which("actionlint") is None, reason="there is no actionlint on PATH")
def test_actionlint_finds_no_errors() -> None:
    """It checks expressions and contexts, which schemas do not, and scripts if shellcheck is installed."""
    done = subprocess.run(["actionlint", *map(str, [*GITHUB, *OWN])], capture_output=True, text=True, check=False)  # noqa: S607
    assert done.returncode == 0, done.stdout


def workflows() -> dict[str, dict[str, Any]]:
    """Return GitHub's files by name."""
    return {file.stem: load(file) for file in GITHUB}


@pytest.mark.parametrize("file", [*GITHUB, *OWN], ids=lambda file: file.stem)
def test_actions_are_pinned_to_a_commit(file: Path) -> None:
    """A tag can be moved, a commit cannot; a comment has the version. The project uses only GitHub's own token."""
    text = file.read_text(encoding="utf-8")
    lines = [line.strip().removeprefix("- ") for line in text.splitlines()]
    uses = [line for line in lines if line.startswith("uses:")]
    assert len(uses) >= 3
    for line in uses:
        assert PINNED.fullmatch(line), line
    if file in OWN:
        assert set(re.findall(r"secrets\.(\w+)", text)) <= {"GITHUB_TOKEN"}


@pytest.mark.parametrize("name", workflows())
def test_workflows_have_minimal_permissions(name: str) -> None:
    """Read-only by default, other rights for single jobs, one run at a time, and no credentials in git."""
    workflow = workflows()[name]
    assert all(right == "read" for right in workflow["permissions"].values())
    (job,) = workflow["jobs"].values()
    concurrency = workflow if name == "preview" else job
    assert concurrency["concurrency"]["cancel-in-progress"] is (name == "preview")
    assert "pull_request_target" not in workflow["on"]
    for job in workflow["jobs"].values():
        assert job["timeout-minutes"]
        assert job["environment"]
        writes = {right for right, level in job.get("permissions", {}).items() if level == "write"}
        assert writes == {"preview": {"pull-requests"}, "apply": set(), "drift": {"issues"}}[name]
        checkouts = [step for step in job["steps"] if step.get("uses", "").startswith("actions/checkout@")]
        assert [step["with"]["persist-credentials"] for step in checkouts] == [False]


def test_jobs_that_change_a_stack_are_serialized() -> None:
    """Apply and drift share a group on GitHub; apply, drift and repair share one on GitLab."""
    jobs = [workflows()[name]["jobs"][name] for name in ("apply", "drift")]
    assert {job["concurrency"]["group"] for job in jobs} == {"${{ matrix.folder }}-${{ matrix.stack }}"}
    pipeline = load(GITLAB)
    assert {pipeline[job]["resource_group"] for job in ("apply", "drift", "repair")} == {"$FOLDER/$STACK"}


def test_forks_get_no_secrets() -> None:
    """Pull requests from forks are not previewed."""
    (job,) = workflows()["preview"]["jobs"].values()
    assert "github.event.pull_request.head.repo.full_name == github.repository" in job["if"]
    by_request, by_hand = load(GITLAB)["preview"]["rules"]
    assert "$CI_MERGE_REQUEST_SOURCE_PROJECT_ID == $CI_PROJECT_ID" in by_request["if"]
    assert "$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH" in by_hand["if"]


def test_token_is_only_in_steps_that_use_it() -> None:
    """Installed packages and the program of a branch cannot write comments, or read what the token can."""
    for step in github_steps().values():
        assert ("GH_TOKEN" in step.env) is ("gh " in step.script), step.name


def test_scripts_contain_no_expressions() -> None:
    """External values, such as the name of a branch, are passed to scripts only as variables."""
    for step in github_steps().values():
        assert not EXPRESSION.search(step.script), step.name


def test_project_is_checked_with_every_supported_python() -> None:
    """The matrix has the versions of the package's classifiers, and each runs .ci/run."""
    job = load(CHECKS)["jobs"]["checks"]
    classifiers = metadata("pulumi-clouddb").get_all("Classifier", [])
    supported = [each.rpartition(" ")[2] for each in classifiers if each.startswith("Programming Language ::")]
    assert job["strategy"]["matrix"]["python"] == supported
    assert [step["run"] for step in job["steps"] if "run" in step] == [".ci/run"]


def test_release_requires_all_checks() -> None:
    """Nothing is built for a tag whose checks fail; developers can run all commands except the release itself."""
    workflow = load(CHECKS.with_name("release.yml"))
    assert workflow["on"] == {"push": {"tags": ["v*"]}}
    assert "workflow_call" in load(CHECKS)["on"]
    assert workflow["jobs"]["checks"]["uses"].endswith("/checks.yml")
    assert workflow["jobs"]["release"]["needs"] == "checks"
    commands = [step["run"].split()[:2] for step in workflow["jobs"]["release"]["steps"] if "run" in step]
    assert commands == [["make", "dist"], ["make", "sbom"], ["make", "sdks"], ["gh", "release"]]


def test_release_has_the_checksum_of_each_file(tmp_path: Path) -> None:
    """`sha256sum --check SHA256SUMS` finds a file that was replaced."""
    *_, release = load(CHECKS.with_name("release.yml"))["jobs"]["release"]["steps"]
    (dist := tmp_path / "dist").mkdir()
    files = [dist / "a.whl", dist / "a.tar.gz"]
    for file in files:
        file.write_text(file.name, encoding="utf-8")
    build_release.write_sums(dist)
    gh = 'gh() { shift 3; printf "%s\\n" "$@" > published; }\n'
    assert (
        run_script(gh + release["run"], tmp_path, {"PATH": os.environ["PATH"], "GITHUB_REF_NAME": "v1"}, "-e").code == 0
    )
    published = (tmp_path / "published").read_text(encoding="utf-8").split()
    assert {"dist/a.whl", "dist/a.tar.gz", "dist/SHA256SUMS"} <= set(published)
    check = ["sha256sum", "--check", "--strict", "SHA256SUMS"]
    assert subprocess.run(check, cwd=dist, capture_output=True, check=False).returncode == 0
    for file in files:
        text = file.read_text(encoding="utf-8")
        file.write_text("replaced", encoding="utf-8")
        assert subprocess.run(check, cwd=dist, capture_output=True, check=False).returncode == 1
        file.write_text(text, encoding="utf-8")


def test_pinned_actions_are_updated() -> None:
    """Dependabot scans .github/workflows for `/`, and the files of another folder itself."""
    (update,) = load(UPDATES)["updates"]
    root = UPDATES.parents[1]
    scanned = {root / (folder.strip("/") or ".github/workflows") for folder in update["directories"]}
    assert scanned == {file.parent for file in [*OWN, *GITHUB]}


def test_site_is_published_only_from_main() -> None:
    """Pull requests build it; only the publishing job has write permissions, and it runs no code of the project."""
    workflow = load(CHECKS.with_name("docs.yml"))
    build, publish = workflow["jobs"]["build"], workflow["jobs"]["publish"]
    assert [step["run"] for step in build["steps"] if "run" in step] == ["make docs PYTHON=python"]
    assert publish["if"] == "github.ref == 'refs/heads/main'"
    assert workflow["permissions"] == {"contents": "read"}
    assert "permissions" not in build
    assert publish["permissions"] == {"pages": "write", "id-token": "write"}
    assert not [step for step in publish["steps"] if "run" in step]


COMPARED = {
    "no change": ("echo 'no change'", "", ["label create"]),
    "no change any more": ("echo 'no change'", "7", ["label create", "issue close"]),
    "a change": ("echo 'added property'; exit 2", "", ["label create", "issue create"]),
    "another change": ("echo 'added property'; exit 2", "7", ["label create", "issue edit"]),
    "a page that is no description": ("echo 'cannot be read' >&2; exit 2", "", None),
}
"""What `make description` prints and returns, the number of an open issue, and the calls of `gh`; None if it fails."""


@pytest.mark.parametrize("case", COMPARED)
def test_new_description_of_the_vendor_opens_an_issue(case: str, tmp_path: Path) -> None:
    """The issue is open while the description differs from the kept facts; `make` and `gh` are fakes."""
    make, issue, calls = COMPARED[case]
    (job,) = load(CHECKS.with_name("description.yml"))["jobs"].values()
    compare, settle = (step["run"] for step in job["steps"] if "name" in step)
    (programs := tmp_path / "bin").mkdir()
    listed = f'case "$1 $2" in "issue list") echo {issue};; *) echo "$1 $2" >> called;; esac'
    for name, script in (("make", make), ("gh", listed)):
        (programs / name).write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        (programs / name).chmod(0o755)
    env = {"PATH": f"{programs}:{os.environ['PATH']}", "GITHUB_REPOSITORY": "owner/name", "RUN": "https://run"}
    done = run_script(compare, tmp_path, {**env, "ADDRESS": "https://api", "GITHUB_OUTPUT": "output"}, "-e")
    assert done.code == (calls is None)
    if calls is None:
        return
    changed = (tmp_path / "output").read_text(encoding="utf-8").strip().removeprefix("changed=")
    assert run_script(settle, tmp_path, {**env, "TITLE": "t", "CHANGED": changed}, "-e").code == 0
    assert (tmp_path / "called").read_text(encoding="utf-8").splitlines() == calls
    assert changed == "false" or "    added property" in (tmp_path / "issue.md").read_text(encoding="utf-8")
