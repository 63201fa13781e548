"""A resource is one declaration: a folder, its examples and a line; a part that is missing is named."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MEMO = ROOT / "tests" / "data" / "memo"
FOLDER = "provider/pulumi_clouddb/memos"
PARTS = {
    "memo": f"{FOLDER}/memo.py",
    "api": f"{FOLDER}/api.py",
    "resource": f"{FOLDER}/resource.py",
    "examples": "tools/codegen/examples/memo.py",
}
REGISTRY = "provider/pulumi_clouddb/registry.py"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the package, its generator and the pages with tables, in which a memo is declared."""
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
    for folder in ("provider", "tools", "docs"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=ignored)
    for file in ("pyproject.toml", "README.md", "schema.json"):
        shutil.copy(ROOT / file, tmp_path / file)
    (tmp_path / FOLDER).mkdir()
    (tmp_path / FOLDER / "__init__.py").touch()
    for part, place in PARTS.items():
        shutil.copy(MEMO / f"{part}.py", tmp_path / place)
    registry = (tmp_path / REGISTRY).read_text(encoding="utf-8")
    registry = registry.replace("        AlertResource(),\n", "        AlertResource(),\n        MemoResource(),\n")
    line = "from pulumi_clouddb.pipes.resource"
    registry = registry.replace(line, f"from pulumi_clouddb.memos.resource import MemoResource\n{line}")
    (tmp_path / REGISTRY).write_text(registry, encoding="utf-8")
    return tmp_path


def run(copy: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python with the copy in place of the package."""
    places = [copy / "provider", copy / "tools", ROOT / "tests"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, places))}
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, check=False)


def generate(copy: Path) -> subprocess.CompletedProcess[str]:
    """Run the generator of the copy."""
    return run(copy, "-m", "codegen")


def test_a_resource_goes_the_whole_way(copy: Path) -> None:
    """Schema, class, page, sandbox, both front ends and policies know it."""
    done = generate(copy)
    assert done.returncode == 0, done.stderr
    schema = json.loads((copy / "schema.json").read_text(encoding="utf-8"))
    assert "clouddb:index:Memo" in schema["resources"]
    assert "clouddb:index:getMemo" in schema["functions"]
    assert "## getMemo" in (copy / "docs/reference/functions.md").read_text(encoding="utf-8")
    page = (copy / "docs/reference/memo.md").read_text(encoding="utf-8")
    assert "Title of the memo. Must not be empty. Must have at most 20 characters." in page
    assert "pulumi import" in page
    lived = run(copy, str(MEMO / "life.py"), str(copy))
    assert lived.stdout == "lived\n", lived.stderr


MISSING = {
    "its example": ("examples", '"Memo": (', '"Mem": (', "Memo has no example"),
    "the example of its function": ("examples", '"getMemo": (', '"getMem": (', "getMemo has no example"),
    "its type under the usual name": ("memo", "MEMO = Res", "TYPE = Res", "MEMO"),
    "the operation that deletes it": ("api", "    DELETE = ", "    OTHER = ", "Memos has no DELETE"),
    "the body of its requests": (
        "api",
        "    body = body_of(Memo)\n",
        "",
        "their collection must have a `body`, or sandbox",
    ),
    "what handles it": ("resource", "    collection = Memos\n", "", "MemoResource has no collection"),
}


@pytest.mark.parametrize(("part", "there", "instead", "told"), MISSING.values(), ids=MISSING)
def test_a_part_that_is_missing_is_named(part: str, there: str, instead: str, told: str, copy: Path) -> None:
    """By the generator, or at the latest where the sandbox starts."""
    file = copy / PARTS[part]
    text = file.read_text(encoding="utf-8")
    assert there in text
    file.write_text(text.replace(there, instead), encoding="utf-8")
    generated = generate(copy)
    errors = generated.stderr or run(copy, "-c", "import pulumi_clouddb.sandbox.handlers").stderr
    assert told in errors.splitlines()[-1]
