"""The generator: every generated file is in step with the models."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from codegen import __main__ as codegen
from codegen.schema import build_schema
from pulumi_clouddb.resources.registry import FUNCTIONS, RESOURCES

SCHEMA = build_schema()
RESOURCE_TYPES = [handler.type for handler in RESOURCES.values()]
FUNCTION_TYPES = [function.type for function in FUNCTIONS.values()]


def test_everything_generated_is_in_step_with_the_models() -> None:
    """Compare schema.json, classes and pages with what the generator writes today."""
    assert codegen.stale_files(codegen.ROOT) == []
    assert codegen.main(["--check"]) == 0


def test_stale_files_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit with 1 where one file is old and the others are missing; writing mends both."""
    monkeypatch.setattr(codegen, "ROOT", tmp_path)
    (tmp_path / "schema.json").write_text("{}")
    assert codegen.main(["--check"]) == 1
    errors = capsys.readouterr().err
    assert "stale: schema.json; run make generate" in errors
    assert "stale: provider/pulumi_clouddb/sdk/service.py" in errors
    assert codegen.main([]) == 0
    assert codegen.main(["--check"]) == 0


def test_no_file_of_an_old_resource_is_left() -> None:
    """Every class and page in the repository is one that is written today, or written by hand and says so."""
    wanted = set(codegen.generated_files())
    for path in [*codegen.ROOT.glob("provider/pulumi_clouddb/sdk/*.py"), *codegen.ROOT.glob("docs/reference/*")]:
        if path.relative_to(codegen.ROOT).as_posix() not in wanted:
            assert path.read_text().startswith("# Written by hand"), path


def test_two_runs_write_the_same() -> None:
    """Build everything twice."""
    assert codegen.generated_files() == codegen.generated_files()


def test_a_page_for_each_resource() -> None:
    """Each property is on the page of its resource, each function on theirs, each key on the configuration's."""
    pages = codegen.generated_files()
    for resource in RESOURCE_TYPES:
        page = pages[f"docs/reference/{resource.snake_name}.md"]
        spec = SCHEMA["resources"][resource.token]
        names = {*spec["inputProperties"], *resource.output_only} - {"id"}
        assert {name for name in names if f"| `{name}`" not in page} == set()
        anchors = {heading.lower() for heading in re.findall(r"^#+ (\w+)$", page, re.MULTILINE)}
        assert set(re.findall(r"\]\(#(\w+)\)", page)) <= anchors
    assert all(f"## {function.name}\n" in pages["docs/reference/functions.md"] for function in FUNCTION_TYPES)
    keys = pages["docs/reference/configuration.md"]
    assert all(f"`clouddb:{name}`" in keys for name in SCHEMA["config"]["variables"])
