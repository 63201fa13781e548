"""What can be told on Linux of other systems: line ends of files, and a file that another process has open."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from pulumi_clouddb.create import pending_files

ROOT = Path(__file__).parents[1]
TOOLS = ROOT / "provider" / "clouddb_tools"
WRITERS = sorted(path for folder in ("commands", "render") for path in (TOOLS / folder).rglob("*.py"))
"""The modules that write what is committed, compared or read by other programs."""


def written_texts(path: Path) -> list[ast.Call]:
    """Return the calls of a module that write a text file."""
    calls = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]
    return [call for call in calls if _writes(call)]


def _writes(call: ast.Call) -> bool:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if name == "write_text":
        return True
    if ast.unparse(call.func) == "os.open":  # a file descriptor, for bytes
        return False
    modes = call.args[-1:] if name in ("open", "fdopen") else []
    return any(not isinstance(mode, ast.Constant) or {*str(mode.value)} & {"w", "a"} for mode in modes)


def test_texts_have_the_same_line_ends_everywhere() -> None:
    """Windows would write a carriage return before each line feed."""
    found = [(path, call) for path in WRITERS for call in written_texts(path)]
    assert len(found) >= 4
    assert [
        f"{path.relative_to(ROOT)}:{call.lineno}"
        for path, call in found
        if "newline" not in {keyword.arg for keyword in call.keywords}
    ] == []


@pytest.mark.parametrize("refusals", [1, 2, 3])
def test_a_file_that_another_process_reads_is_replaced_later(
    refusals: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Windows refuses the replacement until the other process has closed the file; a lasting refusal is an error."""
    replaced, tried = Path.replace, []

    def busy(new: Path, path: Path) -> Path:
        tried.append(path)
        if len(tried) <= refusals:
            raise PermissionError(13, "Access is denied")
        return replaced(new, path)

    monkeypatch.setattr(Path, "replace", busy)
    monkeypatch.setattr(pending_files, "ATTEMPTS", 3)
    monkeypatch.setattr(pending_files, "ATTEMPT_SECONDS", 0)
    file = tmp_path / "record.json"
    if refusals < 3:
        pending_files.write_whole(file, "{}")
        assert file.read_text(encoding="utf-8") == "{}"
    else:
        with pytest.raises(PermissionError):
            pending_files.write_whole(file, "{}")
