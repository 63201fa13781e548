"""The workflow files of examples/gitops in a repository with two projects, one of them with two stacks.

Each step runs in each folder for each stack, with fakes of `clouddb` and `gh`; test_gitops_path.py runs the steps of
one stack with the real `clouddb`.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import support
from support.workflows import GITHUB, GITLAB, GitHub, GitLab, github_steps, gitlab_scripts, load

pytestmark = pytest.mark.skipif(
    not all(map(shutil.which, ("git", "bash", "curl", "tar"))), reason="not on PATH: git, bash, curl or tar"
)

STACKS = [("databases/orders", "staging"), ("databases/orders", "production"), (".", "production")]
PLANNED = "steps.files.outputs.plan"
NOTE = {"CI_MERGE_REQUEST_IID": "7", "NOTE_TOKEN": "note-token"}


class Monorepo:
    """The repository, and the data of the fakes."""

    def __init__(self, base: Path) -> None:
        self.root, self.store = base / "repository", base / "gh"
        bin_ = base / "bin"
        for each in (self.root, self.store, bin_):
            each.mkdir()
        for name in ("gh", "clouddb"):
            (fake,) = (Path(each) / f"fake_{name}.py" for each in support.__path__)
            (bin_ / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" "{fake}" "$@"\n', encoding="utf-8")
        # tests/package/test_requirements.py tests the installation.
        (bin_ / "pulumi").write_text('#!/bin/sh\n[ "$*" = "install --no-plugins" ]\n', encoding="utf-8")
        (bin_ / "python").write_text(
            f'#!/bin/sh\n[ "$*" = "-m pip install --requirement requirements.txt" ] && exec test -f requirements.txt\n'
            '[ "$*" = "-m venv .venv" ] && mkdir -p .venv/bin && echo VIRTUAL_ENV=.venv > .venv/bin/activate && exit\n'
            f'exec "{sys.executable}" "$@"\n',
            encoding="utf-8",
        )
        for each in bin_.iterdir():
            each.chmod(0o755)
        inherited = {name: text for name, text in os.environ.items() if not name.startswith(("GITHUB_", "CI_"))}
        self.env = {
            **inherited,
            "PATH": f"{bin_}{os.pathsep}{os.environ['PATH']}",
            "GH_STORE": str(self.store),
            "GITHUB_REPOSITORY": "example/shop",
            "GITHUB_WORKFLOW": "Apply",
        }
        for folder, name in {".": "shop", "databases/orders": "orders"}.items():
            self.write(f"{folder}/Pulumi.yaml", f"name: {name}\n")
            self.write(f"{folder}/requirements.txt", "")
            self.write(f"{folder}/policies/PulumiPolicy.yaml", "runtime: python\n")
        self.write(".gitignore", ".venv/\nplan/\npreview/\n*.gz\n*.md\n*.json\n*.drifted\n")
        self.git("init", "--quiet", "--initial-branch", "main")
        self.commit("Add the projects")

    def write(self, name: str, text: str) -> None:
        """Write a file of the repository."""
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text, encoding="utf-8")

    def commit(self, message: str) -> None:
        """Commit everything."""
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", message)

    def git(self, *words: str) -> str:
        """Run git."""
        author = ("-c", "user.name=Tester", "-c", "user.email=tester@example.com", "-c", "commit.gpgsign=false")
        done = subprocess.run(["git", *author, *words], cwd=self.root, capture_output=True, text=True, check=True)  # noqa: S607
        return done.stdout.strip()

    def changes(self) -> set[str]:
        """Return the files that differ from the commit, also those that git ignores, but for the environment."""
        status = self.git("status", "--porcelain", "--ignored", "--untracked-files=all")
        return {line.split(maxsplit=1)[1] for line in status.splitlines() if ".venv/" not in line}

    def stored(self, kind: str) -> dict[str, str]:
        """Return the data of the fake `gh`."""
        file = self.store / f"{kind}.json"
        return dict(json.loads(file.read_text(encoding="utf-8"))) if file.exists() else {}

    def store_texts(self, kind: str, **texts: str) -> None:
        """Set the texts that the fake `gh` returns."""
        (self.store / f"{kind}.json").write_text(json.dumps(texts), encoding="utf-8")


@pytest.fixture
def monorepo(tmp_path: Path) -> Monorepo:
    """A repository with a project in its root folder, and another one in a subfolder."""
    return Monorepo(tmp_path)


class Stack(GitHub):
    """The jobs of one stack."""

    def __init__(self, monorepo: Monorepo, folder: str, stack: str, before: str = "") -> None:
        contexts = {"matrix.folder": folder, "matrix.stack": stack, "github.token": "token"}
        contexts |= {"github.event_name": "pull_request", "github.event.pull_request.number": "7"}
        contexts |= {"github.event.before": before, "vars.PULUMI_BACKEND_URL": "file:///backend"}
        secrets = ("PULUMI_CONFIG_PASSPHRASE", "CLOUDDB_KEY_ID", "CLOUDDB_KEY_SECRET")
        contexts |= {f"secrets.{name}": "secret" for name in secrets}
        super().__init__(monorepo.root, monorepo.env, contexts)
        self.store, self.scratch = monorepo.store, monorepo.store.parent

    def steps(self, file: str, *omitted: str) -> None:
        """Run the steps of a workflow, which must succeed; without a plan, skip the steps that need one."""
        for (of, name), step in github_steps().items():
            planned = self.contexts.get(PLANNED) or PLANNED not in step.condition
            if of == file and name not in omitted and planned:
                done = self.run(file, name, self.scratch)
                assert done.code == 0, f"{name}: {done.printed}"
        if file == "preview" and self.contexts.get(PLANNED):
            self.upload(self.store)


def test_each_stack_has_its_own_plan_comment_and_issue(monorepo: Monorepo) -> None:
    """The second run updates comments and issues of the first, each for the correct stack."""
    for version in ("1", "2"):
        monorepo.write("README.txt", version)
        monorepo.write("databases/orders/__main__.py", version)
        monorepo.commit("Change both projects")
        for folder, stack in STACKS:
            Stack(monorepo, folder, stack).steps("preview")
    named = [text.splitlines()[0] for text in monorepo.stored("comments").values()]
    assert named == [
        "<!-- clouddb ci preview orders/staging -->",
        "<!-- clouddb ci preview orders/production -->",
        "<!-- clouddb ci preview shop/production -->",
    ]
    assert len(list((monorepo.store / "artifacts").iterdir())) == 2 * len(STACKS)
    ran = set()
    for folder, stack in STACKS:
        runner = Stack(monorepo, folder, stack)
        runner.steps("apply")
        ran |= runner.ran
    for folder, stack in STACKS:
        (monorepo.root / folder / f"{stack}.drifted").touch()
        runner = Stack(monorepo, folder, stack)
        assert runner.run("drift", "Look", runner.scratch).code == 6
        runner.steps("drift", "Look", "Repair", "Close the issue")
    assert list(monorepo.stored("issues")) == [f"Drift of {folder} {stack}" for folder, stack in STACKS]
    Stack(monorepo, *STACKS[1]).steps("drift", "Look", "Open or update an issue")
    assert list(monorepo.stored("issues")) == [f"Drift of {folder} {stack}" for folder, stack in (STACKS[0], STACKS[2])]


APPLIED = {"no run": "", "a failed run": "failure", "a cancelled run": "cancelled"}


@pytest.mark.parametrize("ended", [*APPLIED.values(), "success"], ids=[*APPLIED, "a successful run"])
def test_push_skips_an_unchanged_project_only_after_a_successful_apply(ended: str, monorepo: Monorepo) -> None:
    """The next push applies the changes of a cancelled or failed job."""
    before = monorepo.git("rev-parse", "HEAD")
    monorepo.write("README.txt", "changed")
    monorepo.commit("Change the other project")
    if ended:
        monorepo.store_texts("runs", **{before: "1001"})
        monorepo.store_texts("jobs", **{"Apply databases/orders production": ended})
    runner = Stack(monorepo, "databases/orders", "production", before)
    done = runner.run("apply", "Look for changes", runner.scratch)
    assert (done.code, bool(done.outputs)) == (0, ended != "success"), done.printed
    changed = Stack(monorepo, ".", "production", before)
    assert changed.run("apply", "Look for changes", changed.scratch).outputs


def test_pull_request_skips_unchanged_projects(monorepo: Monorepo) -> None:
    """Their job succeeds, because a branch can require it; a manual run always previews."""
    monorepo.write("databases/orders/__main__.py", "changed")
    monorepo.commit("Change a project")
    for folder, changed in {"databases/orders": True, "databases/orders/policies": False}.items():
        runner = Stack(monorepo, folder, "production")
        assert bool(runner.run("preview", "Look for changes", runner.scratch).outputs) is changed
        runner.contexts["github.event_name"] = "workflow_dispatch"
        assert runner.run("preview", "Look for changes", runner.scratch).outputs


def test_steps_after_the_check_for_changes_depend_on_it() -> None:
    """Including steps with actions."""
    for file in GITHUB:
        if file.stem == "drift":
            continue
        (job,) = load(file)["jobs"].values()
        (look,) = (number for number, step in enumerate(job["steps"]) if step.get("id") == "files")
        assert all(PLANNED in step["if"] for step in job["steps"][look + 1 :])


def test_stacks_are_equal_in_the_three_workflows() -> None:
    """Otherwise a planned stack would not be applied."""
    matrices = [job["strategy"]["matrix"] for file in GITHUB for job in load(file)["jobs"].values()]
    assert len(matrices) == 3
    assert matrices[0] == matrices[1] == matrices[2]


FORGED = {
    "__main__.py": "print('forged')",
    "policies/PulumiPolicy.yaml": "runtime: forged",
    "plan/plan.json": "forged",
}
"""What a job of a pull request can publish as a plan."""
ORDERS = {"FOLDER": "databases/orders", "STACK": "production"}
REPORTS = {"applied.md", "applied.json"}


def test_forged_artifact_changes_no_file_of_the_merged_program(monorepo: Monorepo) -> None:
    """The apply reads the plan outside the checkout, and nothing else of the artifact."""
    runner = Stack(monorepo, *ORDERS.values())
    runner.steps("preview")
    (artifact,) = (monorepo.store / "artifacts").iterdir()
    for name, text in FORGED.items():
        (artifact / name).parent.mkdir(exist_ok=True)
        (artifact / name).write_text(text, encoding="utf-8")
    monorepo.git("clean", "-ffdxq")
    runner.steps("apply")
    assert monorepo.changes() == {f"{ORDERS['FOLDER']}/{name}" for name in REPORTS}


@pytest.fixture
def gitlab(monorepo: Monorepo) -> Iterator[GitLab]:
    """A runner with the jobs of one stack; variables select another one."""
    with GitLab(monorepo.root, monorepo.env, {}) as gitlab:
        yield gitlab


def test_each_stack_has_its_own_package_and_note_on_gitlab(monorepo: Monorepo, gitlab: GitLab) -> None:
    """The second run updates them; apply, drift and repair use the correct ones."""
    before = monorepo.git("rev-parse", "HEAD")
    monorepo.write("README.txt", "changed")
    monorepo.write("databases/orders/__main__.py", "changed")
    monorepo.commit("Change both projects")
    for _ in range(2):
        for folder, stack in STACKS:
            matrix = {"FOLDER": folder, "STACK": stack, "CI_MERGE_REQUEST_DIFF_BASE_SHA": before}
            for section in ("script", "after_script"):
                done = gitlab.run("preview", section, **matrix, **NOTE)
                assert done.code == 0, done.printed
    assert len(gitlab.packages) == 2 * len(gitlab.notes) == 2 * len(STACKS)
    for folder, stack in STACKS:
        matrix = {"FOLDER": folder, "STACK": stack, "CI_COMMIT_BEFORE_SHA": before}
        assert gitlab.run("apply", **matrix).code == 0
        project = "shop" if folder == "." else "orders"
        assert f"apply {project}/{stack} " in (monorepo.root / "applied.md").read_text(encoding="utf-8")
        (monorepo.root / folder / f"{stack}.drifted").touch()
        assert gitlab.run("drift", **matrix).code == 6
        assert gitlab.run("repair", **matrix).code == 0
    assert gitlab.ran == set(gitlab_scripts())
    for job in ("preview", "apply", "drift", "repair"):
        for path in load(GITLAB)[job]["artifacts"]["paths"]:
            assert (monorepo.root / path).exists()


def test_forged_package_changes_no_file_of_the_merged_program(monorepo: Monorepo, gitlab: GitLab) -> None:
    """The apply reads the plan and its manifest by name outside the checkout, and unpacks nothing."""
    assert gitlab.run("preview", **ORDERS).code == 0
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w:gz") as forged:
        for name, text in FORGED.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text)
            forged.addfile(entry, io.BytesIO(text.encode()))
        link = tarfile.TarInfo("requirements.txt")
        link.type, link.linkname = tarfile.SYMTYPE, "__main__.py"
        forged.addfile(link)
    gitlab.packages |= dict.fromkeys(gitlab.packages, archive.getvalue())
    monorepo.git("clean", "-ffdxq")
    gitlab.run("apply", **ORDERS)
    assert monorepo.changes() <= REPORTS


def test_unchanged_project_is_skipped_on_gitlab(monorepo: Monorepo, gitlab: GitLab) -> None:
    """It is neither previewed nor applied, and its jobs succeed."""
    before = monorepo.git("rev-parse", "HEAD")
    monorepo.write("README.txt", "changed")
    monorepo.commit("Change the other project")
    for job, variable in {"preview": "CI_MERGE_REQUEST_DIFF_BASE_SHA", "apply": "CI_COMMIT_BEFORE_SHA"}.items():
        done = gitlab.run(job, **ORDERS, **{variable: before})
        assert done.code == 0, done.printed
        assert "changes no file of this project" in done.printed
    assert gitlab.packages == {}
