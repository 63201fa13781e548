"""From pull request to production: the workflow files of examples/gitops, run against the sandbox.

Every command in the files runs with the real CLI. GitHub and GitLab are fakes: `gh` is support/fake_gh.py, GitLab's
packages and notes are a small server on loopback, and the test itself runs the `uses:` steps.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clouddb_tools.commands.gitops.exit_codes import ExitCode
from clouddb_tools.sandbox import Sandbox
from support.checkout import PROGRAM, STACK, Checkout
from support.workflows import Done, GitHub, GitLab, github_steps, gitlab_scripts

OPEN = PROGRAM.replace("203.0.113.0/24", "0.0.0.0/0")
RULE = "service-no-open-access"
FOLDER = "databases/orders"

pytestmark = [pytest.mark.cli("git", "bash", "curl", "tar"), pytest.mark.first]


@pytest.fixture
def checkout(clouddb_sandbox: Sandbox, tmp_path: Path) -> Checkout:
    """A repository with a project in a folder, whose program opens the database to all addresses; not deployed."""
    return Checkout(tmp_path, clouddb_sandbox, OPEN, FOLDER)


def the_service(sandbox: Sandbox) -> dict[str, Any]:
    """Return the only service."""
    (service,) = sandbox.services.values()
    return service


class TestGitHub:
    """The three workflows in order."""

    @pytest.fixture
    def github(self, checkout: Checkout) -> GitHub:
        """The runner, with the contexts that the files use."""
        names = ("PULUMI_CONFIG_PASSPHRASE", "PULUMI_BACKEND_URL")
        contexts = {
            "matrix.folder": FOLDER,
            "matrix.stack": STACK,
            "github.event_name": "pull_request",
            "github.event.before": "",
            "github.token": "token",
            "github.event.pull_request.number": "7",
            f"vars.{names[1]}": checkout.env[names[1]],
            f"secrets.{names[0]}": checkout.env[names[0]],
            "secrets.CLOUDDB_KEY_ID": checkout.sandbox.config["clouddb:keyId"],
            "secrets.CLOUDDB_KEY_SECRET": checkout.sandbox.config["clouddb:keySecret"],
        }
        return GitHub(checkout.root, checkout.env, contexts)

    def test_from_pull_request_to_production(self, checkout: Checkout, github: GitHub, tmp_path: Path) -> None:
        """A blocked preview, its fix, a squash merge and an apply; then drift, an issue and a repair."""
        sandbox = checkout.sandbox
        printed: list[str] = []

        def step(file: str, name: str) -> Done:
            done = github.run(file, name, tmp_path)
            printed.append(done.printed)
            return done

        for file in ("preview", "apply", "drift"):
            assert step(file, "Install").code == 0

        # A pull request that opens the IP list.
        blocked = step("preview", "Preview")
        assert blocked.code == ExitCode.POLICY, blocked.printed
        assert not (checkout.folder / "plan" / "plan.json").exists()
        assert step("preview", "Comment").code == 0
        comment = stored(checkout, "comments")["1"]
        assert RULE in comment
        assert "replace it with the networks that connect" in comment

        # The same pull request, fixed.
        checkout.write(PROGRAM)
        checkout.commit("Name the office's network")
        assert step("preview", "Preview").code == 0
        assert step("preview", "Comment").code == 0
        (comment,) = stored(checkout, "comments").values()
        assert "2 to create" in comment
        assert RULE not in comment
        assert sandbox.services == {}
        assert step("preview", "Look for changes").code == 0
        github.upload(checkout.store)
        shutil.rmtree(checkout.folder / "plan")

        # Merged as a squash: another commit of the same files.
        checkout.git("commit", "--quiet", "--amend", "--message", "Add the shop (#7)")
        assert step("apply", "Look for changes").code == 0
        assert step("apply", "Fetch the plan").code == 0
        applied = step("apply", "Apply")
        assert applied.code == 0, applied.printed
        assert [entry["source"] for entry in the_service(sandbox)["ipAccessList"]] == ["203.0.113.0/24"]

        # The same plan again, which was made for an older state.
        again = step("apply", "Apply")
        assert again.code == ExitCode.MOVED
        assert "state of orders" in again.printed

        # The service is changed in the console.
        sandbox.change("services", the_service(sandbox)["id"], numReplicas=1)
        look = step("drift", "Look")
        assert look.code == ExitCode.DRIFT
        assert "numReplicas: 3 → 1" in look.printed
        for command in ("create", "edit"):  # the second run updates the issue of the first
            assert step("drift", "Open or update an issue").code == 0
            assert f'["issue", "{command}"' in (checkout.store / "calls.jsonl").read_text(encoding="utf-8")
        assert "numReplicas" in stored(checkout, "issues")[f"Drift of {FOLDER} {STACK}"]
        repaired = step("drift", "Repair")
        assert repaired.code == 0, repaired.printed
        assert the_service(sandbox)["numReplicas"] == 3
        assert step("drift", "Close the issue").code == 0
        assert stored(checkout, "issues") == {}

        # A merge without a preview.
        checkout.write(PROGRAM.replace("num_replicas=3", "num_replicas=4"))
        checkout.commit("Push past the preview")
        assert step("apply", "Look for changes").code == 0
        unplanned = step("apply", "Fetch the plan")
        assert unplanned.code == 1
        assert "No preview has planned these files" in unplanned.printed

        assert github.ran == set(github_steps())
        assert_no_secrets(checkout, printed)


class TestGitLab:
    """The pipeline file, job by job."""

    @pytest.fixture
    def gitlab(self, checkout: Checkout) -> Iterator[GitLab]:
        """The runner, with the parts of GitLab's API that the jobs use."""
        with GitLab(checkout.root, checkout.env, {"FOLDER": FOLDER, "STACK": STACK}) as gitlab:
            yield gitlab

    def test_from_merge_request_to_production(self, checkout: Checkout, gitlab: GitLab) -> None:
        """A blocked preview, its fix and an apply; then drift and a repair."""
        sandbox = checkout.sandbox
        merge_request = {"CI_MERGE_REQUEST_IID": "7", "NOTE_TOKEN": "note-token"}
        printed: list[str] = []

        def run(job: str, section: str = "script", **variables: str) -> Done:
            done = gitlab.run(job, section, **variables)
            printed.append(done.printed)
            return done

        blocked = run("preview")
        assert blocked.code == ExitCode.POLICY, blocked.printed
        noted = run("preview", "after_script", **merge_request)
        assert noted.code == 0, noted.printed
        assert RULE in gitlab.notes[1]
        assert gitlab.packages == {}

        checkout.write(PROGRAM)
        checkout.commit("Name the office's network")
        planned = run("preview")
        assert planned.code == 0, planned.printed
        run("preview", "after_script", **merge_request)
        assert list(gitlab.notes) == [1]  # one note, updated
        assert RULE not in gitlab.notes[1]
        assert [package.rpartition("/")[2] for package in gitlab.packages] == [
            f"{STACK}.plan.json",
            f"{STACK}.plan.json.manifest.json",
        ]
        checkout.git("commit", "--quiet", "--amend", "--message", "Squashed")
        applied = run("apply")
        assert applied.code == 0, applied.printed
        sandbox.change("services", the_service(sandbox)["id"], numReplicas=1)
        assert run("drift").code == ExitCode.DRIFT
        repaired = run("repair")
        assert repaired.code == 0, repaired.printed
        assert the_service(sandbox)["numReplicas"] == 3

        gitlab.packages.clear()
        assert "No preview has planned these files" in run("apply").printed

        assert gitlab.ran == set(gitlab_scripts())
        assert_no_secrets(checkout, printed)


def stored(checkout: Checkout, kind: str) -> dict[str, str]:
    """Return the comments by id, or the issues by title."""
    return dict(json.loads((checkout.store / f"{kind}.json").read_text(encoding="utf-8")))


def assert_no_secrets(checkout: Checkout, printed: list[str]) -> None:
    """Check that no secret is in the output, in reports, in comments or in plans."""
    files = [file for suffix in ("*.md", "*.json", "*.jsonl") for file in checkout.base.rglob(suffix)]
    written = {file.name: file.read_text(encoding="utf-8") for file in files if "backend" not in file.parts}
    assert {"report.md", "report.json", "plan.json", "plan.json.manifest.json", "drift.md"} <= written.keys()
    for name, secret in checkout.secrets.items():
        assert len(secret) > 8
        for text in [*printed, *written.values()]:
            assert secret not in text, name
