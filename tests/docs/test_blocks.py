"""Every block of code in README and docs/ is run or checked, in new pages as well; exceptions give a reason."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from acceptance.needs import Needs
from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import FakeEngineStack, stack_config
from pulumi_clouddb import policy
from pulumi_clouddb.policy.rules import RULES
from support.declared import mistakes
from support.read_python import read_python
from support.read_typescript import read_typescript
from support.read_yaml import read_yaml
from support.schema import SCHEMA
from support.sdk import GO, JAVA, MAVEN_COMPILE, go_project, java_project

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")] + sorted(
    (ROOT / "docs").rglob("*.md")
)

FENCED = re.compile(
    r"^(?P<pad> *)(?P<mark>`{3,})(?P<language>\w*)\n(?P<text>.*?)^ *(?P=mark) *$", re.DOTALL | re.MULTILINE
)
INDENTED = re.compile(r"(?<=\n\n)((?:    [^\n]*\n|\n(?=    ))+)")
IN_A_LIST = re.compile(r"^([-*]|\d+\.) ")

OUTPUT = "what a command prints"
UNCHECKED = {
    ("CONTRIBUTING.md", "runbook_url: Text | None = only_there("): "a line of a class of this package",
    ("docs/architecture.md", "provider/pulumi_clouddb/    "): "a drawing",
    ("docs/doctor.md", "error   settings:"): OUTPUT,
    ("docs/finding.md", "Tile 'Errors per minute'"): f"{OUTPUT}; test_finding.py compares it",
    (
        "docs/native-plugin.md",
        "resources:\n  reader:",
    ): "a part of a program: an explicit provider, and its key elsewhere",
    ("docs/policy-checks.md", "[mandatory] [severity: critical]"): OUTPUT,
    ("docs/tour.md", "Sandbox: http://127.0.0.1"): f"{OUTPUT}; test_demo.py looks at each step of it",
    ("docs/troubleshooting.md", "CloudDBError   "): "a drawing; it is generated",
    ("docs/troubleshooting.md", "could not "): f"{OUTPUT}; the errors themselves wrote it, as `make generated` checks",
}
"""For each block that is not run, by page and beginning, the reason."""

COMMANDS = (
    *(
        "cd ",
        "clouddb ",
        "CLOUDDB_PREVIEW_ONLY=true pulumi ",
        "curl ",
        "export ACCEPTANCE_ORGANIZATION=",
        "export CLOUDDB_",
        "export PULUMI_BACKEND_URL=",
        "export PULUMI_CONFIG_PASSPHRASE=",
        "export SELF_SERVICE_TOKENS=",
        "go mod ",
        "kubectl apply ",
        "make ",
        "npm ",
        "tar -xzf ",
    ),
    *("pip install ", "pulumi ", "python3 -m venv ", "PYTHONPATH=", "source ", "terraform ", "uvicorn app:app "),
)
"""Beginnings of lines in blocks of commands. test_commands.py checks commands of `clouddb` and make."""

PULUMI: dict[str, set[str]] = {
    "config": set(),
    "config set": {"--path", "--secret", "--stack"},
    "destroy": {"--skip-preview", "--target", "--yes"},
    "import": {"--file", "--generate-code", "--out"},
    "login": {"--local"},
    "install": {"--no-plugins"},
    "new": set(),
    "package add": set(),
    "package get-schema": set(),
    "plugin install": {"--file", "--server"},
    "preview": {
        "--diff",
        "--import-file",
        "--policy-pack",
        "--policy-pack-config",
        "--refresh",
        "--save-plan",
        "--stack",
    },
    "refresh": {"--clear-pending-creates", "--stack", "--yes"},
    "stack": {"--show-ids", "--show-urns"},
    "stack change-secrets-provider": {"--stack"},
    "stack export": {"--file"},
    "stack import": {"--file"},
    "stack init": set(),
    "stack output": {"--show-secrets"},
    "state delete": set(),
    "state move": {"--dest", "--source"},
    "state taint": set(),
    "state untaint": set(),
    "state unprotect": set(),
    "up": {
        "--debug",
        "--parallel",
        "--refresh",
        "--replace",
        "--skip-preview",
        "--stack",
        "--target",
        "--target-dependents",
        "--target-replace",
        "--yes",
    },
    "cancel": {"--yes"},
}
"""The commands of Pulumi's CLI that pages name, and their options."""


@dataclass(frozen=True)
class Block:
    """A block of code of a page."""

    page: str
    number: int
    language: str
    text: str

    @property
    def id(self) -> str:
        """The id of its test."""
        return f"{self.page}-{self.number}-{self.language or 'commands'}"

    @property
    def unchecked(self) -> tuple[str, str] | None:
        """The entry of `UNCHECKED` that matches it."""
        found = ((page, start) for page, start in UNCHECKED if page == self.page and self.text.startswith(start))
        return next(found, None)


def blocks_of(path: Path) -> Iterator[Block]:
    """Yield the blocks of a page: fenced ones, and those that are indented outside of a list."""
    text, page = path.read_text(encoding="utf-8"), path.relative_to(ROOT).as_posix()
    found = [(each.start(), each["language"], textwrap.dedent(each["text"])) for each in FENCED.finditer(text)]
    rest = FENCED.sub(lambda each: each["pad"] + "x" * (len(each[0]) - len(each["pad"])), text)
    for each in INDENTED.finditer(rest):
        before = [line for line in rest[: each.start()].splitlines() if line and not line.startswith(" ")]
        if not IN_A_LIST.match(before[-1]):
            found.append((each.start(), "", textwrap.dedent(each[0])))
    for number, (_, language, content) in enumerate(sorted(found), 1):
        yield Block(page, number, language, content)


BLOCKS = [block for path in PAGES for block in blocks_of(path)]

PLAYED = {
    "docs/dashboards-from-files.md": "test_dashboards_from_files.py",
    "docs/on-fire.md": "test_on_fire.py",
    "docs/restoring.md": "test_restoring.py",
}
"""Pages whose programs need objects or files that another test creates; it also compares their outputs."""

WHOLE = [
    block
    for block in BLOCKS
    if block.language == "python" and block.text.removeprefix("# __main__.py\n").startswith("import pulumi\n")
    if not block.page.startswith("docs/reference/")
    and block.page not in PLAYED
    and "pulumi_clouddb_native" not in block.text
]
"""Complete programs of guides that need nothing else. tests/provider/sdk runs the programs of the reference."""


def chosen(*languages: str) -> pytest.MarkDecorator:
    """Return the blocks in some languages, as parameters of a test."""
    some = [block for block in BLOCKS if block.language in languages and not block.unchecked]
    return pytest.mark.parametrize("block", some, ids=[block.id for block in some])


def test_blocks_are_in_checked_languages() -> None:
    """A block in another language needs its own test or an entry in `UNCHECKED`."""
    compared = {block.id for block in BLOCKS if block.page in PLAYED and block.language == "text"}
    others = (
        {block.id for block in BLOCKS if not block.unchecked}
        - compared
        - {
            block.id
            for block in BLOCKS
            if block.language in ("", "go", "java", "json", "python", "sh", "typescript", "yaml")
        }
    )
    assert others == set()


def test_unchecked_entries_match_a_block() -> None:
    """Each entry of `UNCHECKED` matches a block."""
    assert {block.unchecked for block in BLOCKS} - {None} == UNCHECKED.keys()


@GO
def test_go(tmp_path: Path) -> None:
    """Each program is formatted as by gofmt and compiles with the SDK that Pulumi generates from schema.json."""
    programs = [block for block in BLOCKS if block.language == "go"]
    module = go_project(tmp_path)
    for block in programs:
        file = module / "blocks" / re.sub(r"\W", "_", block.id) / "main.go"
        file.parent.mkdir(parents=True)
        file.write_text(block.text, encoding="utf-8")
    for command in (["gofmt", "-d", "."], ["go", "vet", "./..."]):
        done = subprocess.run(command, cwd=module, capture_output=True, text=True, check=False)
        assert (done.stdout, done.stderr, done.returncode) == ("", "", 0), command


@JAVA
def test_java(tmp_path: Path) -> None:
    """Each program compiles with the SDK that Pulumi generates from schema.json."""
    programs = [block for block in BLOCKS if block.language == "java"]
    project = java_project(tmp_path)
    for number, block in enumerate(programs):  # all classes have the same name, so each gets its own package
        file = project / "src/main/java/blocks" / f"block{number}" / "App.java"
        file.parent.mkdir(parents=True)
        file.write_text(f"package blocks.block{number}; // {block.id}\n{block.text}", encoding="utf-8")
    done = subprocess.run(MAVEN_COMPILE, cwd=project, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert len(list((project / "target/classes/blocks").rglob("App.class"))) == len(programs) > 0


@chosen("python")
def test_python(block: Block, monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs use existing resources, properties and outputs; policy packs start; all other code compiles."""
    code = compile(block.text, block.id, "exec")
    if "clouddb.policy" in block.text:
        started: list[object] = []
        monkeypatch.setattr(policy, "start", lambda **given: started.append(policy.policies(**given)))
        exec(code, {})  # noqa: S102 - one of our pages
        assert started or "assert violations(" in block.text  # the test of a rule
    elif (
        block not in WHOLE
        and block.page not in PLAYED
        and "def test_" not in block.text
        and "import pulumi_clouddb" in block.text
    ):
        assert mistakes(read_python(block.text), SCHEMA) == []
    elif "clouddb.sandbox" in block.text and "def test_" not in block.text:
        exec(code, {})  # noqa: S102 - one of our pages


@pytest.mark.slow
@pytest.mark.parametrize("block", WHOLE, ids=[block.id for block in WHOLE])
def test_complete_programs_run(block: Block, tmp_path: Path, sandbox: Sandbox) -> None:
    """The program of a guide runs from preview to destroy, and a preview after `up` has no changes."""
    stack = FakeEngineStack(
        block.text.replace("deletion_protection=True", "deletion_protection=False"),
        config=stack_config(sandbox),
        work_dir=tmp_path,
    )
    stack.up()
    assert stack.preview().no_changes
    stack.destroy()
    assert sandbox.services == {}


@chosen("typescript")
def test_typescript(block: Block) -> None:
    """All names in it are in the schema."""
    assert mistakes(read_typescript(block.text), SCHEMA) == []


@chosen("yaml")
def test_yaml(block: Block) -> None:
    """Programs match the schema, seed files create their objects, and project settings are Pulumi's."""
    content: dict[str, Any] = yaml.safe_load(block.text)
    if content.keys() & {"resources", "variables"}:
        assert mistakes(read_yaml(block.text), SCHEMA) == []
    elif block.page == "docs/acceptance.md":
        assert Needs.model_validate(content).model_fields_set == {*Needs.model_fields}
    elif "services" in content:
        with Sandbox() as sandbox:
            sandbox.seed(content)
            assert len(sandbox.services) == len(content["services"])
    elif steps := content.get("steps", content.get("preview")):  # of a pipeline: GitHub's jobs, GitLab's job
        runs = steps["script"] if "script" in steps else [each["run"] for each in steps if "run" in each]
        commands = [line for run in runs for line in run.splitlines()]
        assert commands
        assert all(command.startswith(COMMANDS) for command in commands)
    else:
        assert content.keys() <= {"name", "runtime", "plugins"}


@chosen("json")
def test_json(block: Block) -> None:
    """It is valid JSON, and the configuration of a policy pack names existing rules and settings."""
    content: dict[str, Any] = json.loads(block.text)
    if block.page == "docs/policy-checks.md":
        known = {rule.name: rule for rule in RULES}
        for name, setting in content.items():
            settings = {"enforcementLevel", "exceptions", *known[name].schema({})}
            assert isinstance(setting, str) or setting.keys() <= settings


@chosen("", "sh")
def test_commands(block: Block) -> None:
    """Each line is a command that this page may name, and Pulumi's commands have existing options."""
    for line in block.text.replace("\\\n", " ").splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            assert line.startswith(COMMANDS), line


def pulumi_commands() -> Iterator[tuple[str, list[str]]]:
    """Yield each command of Pulumi that a page names, in a block or in a line, with its words."""
    for path in PAGES:
        text = path.read_text(encoding="utf-8")
        lines = "\n".join(block.text for block in blocks_of(path)).replace("\\\n", " ").splitlines()
        for line in [*lines, *re.findall(r"`([^`\n]+)`", FENCED.sub("", text))]:
            for part in re.split(r" \| | && ", line.strip().partition("  #")[0]):
                if part.startswith("pulumi ") and not part.startswith("pulumi …"):  # the heading of an error
                    yield path.name, shlex.split(part.partition(" #")[0].replace("…", "X"))[1:]


def test_commands_of_pulumi_exist() -> None:
    """Their options in pages exist, too."""
    for page, words in pulumi_commands():
        name = next((each for each in (" ".join(words[:2]), words[0]) if each in PULUMI), None)
        assert name, f"{page}: pulumi {' '.join(words)}"
        options = {word.partition("=")[0] for word in words if word.startswith("--")}
        assert options <= PULUMI[name], f"{page}: pulumi {' '.join(words)}"


@pytest.mark.cli
@pytest.mark.parametrize("name", PULUMI)
def test_cli_has_the_named_commands(name: str) -> None:
    """Only where the CLI is installed."""
    command = [shutil.which("pulumi") or "pulumi", *name.split(), "--help"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert {option for option in PULUMI[name] if option not in done.stdout} == set()
