"""Common mistakes in tests of programs: an error reports them before the program runs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from clouddb_tools.testing import FakeEngineStack, Secret

PROJECTS: dict[str, tuple[Mapping[str, str], type[Exception], str]] = {
    "no Pulumi.yaml": ({"__main__.py": ""}, FileNotFoundError, "project contains no Pulumi.yaml"),
    "an empty Pulumi.yaml": ({"Pulumi.yaml": ""}, ValueError, "Pulumi.yaml does not set `name`"),
    "no name": ({"Pulumi.yaml": "runtime: python"}, ValueError, "Pulumi.yaml does not set `name`"),
    "not YAML": ({"Pulumi.yaml": "name: [x"}, ValueError, "Pulumi.yaml cannot be read: while parsing"),
    "another language": (
        {"Pulumi.yaml": "name: x\nruntime: {name: nodejs}"},
        ValueError,
        "only Python programs, not those of runtime nodejs",
    ),
    "no program": ({"Pulumi.yaml": "name: x\nruntime: python"}, FileNotFoundError, "contains no __main__.py"),
    "no main": (
        {"Pulumi.yaml": "name: x\nruntime: python\nmain: app.py"},
        FileNotFoundError,
        "the program .*app.py does not exist",
    ),
}


@pytest.mark.parametrize(("files", "kind", "error"), PROJECTS.values(), ids=PROJECTS)
def test_folder_without_a_python_project_is_rejected(
    files: Mapping[str, str], kind: type[Exception], error: str, tmp_path: Path
) -> None:
    """The error names the file."""
    folder = tmp_path / "project"
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text)
    with pytest.raises(kind, match=error):
        FakeEngineStack(folder, work_dir=tmp_path / "work")


@pytest.mark.parametrize("kind", [str, Path])
def test_misspelt_folder_is_not_run_as_a_program(kind: type[str | Path], tmp_path: Path) -> None:
    """The text of a program must contain a line break, so that a path is not run as a program."""
    with pytest.raises(FileNotFoundError, match=r"'tests/progam' is not a folder; the text of a program has a line"):
        FakeEngineStack(kind("tests/progam"), work_dir=tmp_path)


@pytest.mark.parametrize("value", [3, True, None, {"a": 1}, Secret(3)], ids=repr)
def test_configuration_values_must_be_text(value: Any, tmp_path: Path) -> None:
    """As in the CLI; the error has the key, but not the value, which can be secret."""
    with pytest.raises(TypeError, match=r"^the configuration value of replicas must be text, not \w+$"):
        FakeEngineStack("", config={"replicas": value}, work_dir=tmp_path)


def test_work_folder_can_be_text(tmp_path: Path) -> None:
    """os.path and tempfile return text."""
    stack = FakeEngineStack("import pulumi\n", work_dir=str(tmp_path / "work"))
    assert stack.work_dir == tmp_path / "work"
