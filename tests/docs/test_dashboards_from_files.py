"""The programs of docs/dashboards-from-files.md: a file becomes a dashboard."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import CliStack, FakeEngineStack, stack_config
from pulumi_clouddb.registry import FUNCTIONS
from support.read_typescript import read_typescript
from support.sessions import ProviderProcess

PAGE = Path(__file__).parents[2] / "docs" / "dashboards-from-files.md"
TEXT = PAGE.read_text(encoding="utf-8")


def block(language: str, number: int = 0) -> str:
    """Return a block of code of the page."""
    return str(re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)[number])


def test_programs_of_the_page_run(sandbox: Sandbox, tmp_path: Path) -> None:
    """The source of the file is found by its name, or is one of the program; afterwards nothing differs."""
    connection = sandbox.add("connections", name="ClickHouse")["id"]
    project = tmp_path / "shop"
    project.mkdir()
    (project / "Pulumi.yaml").write_text("name: shop\nruntime: python\n", encoding="utf-8")
    (project / "shop.json").write_text(block("json"), encoding="utf-8")
    programs = [block("python", number).replace("65f5e4a3b9e77c001a901234", connection) for number in (0, 1)]
    (project / "__main__.py").write_text(programs[0], encoding="utf-8")
    stack = FakeEngineStack(project, config=stack_config(sandbox), work_dir=tmp_path / "work")
    used = []
    for program in programs:
        (project / "__main__.py").write_text(program, encoding="utf-8")
        stack.up()
        (board,) = sandbox.objects("dashboards").values()
        used.append(sandbox.objects("sources")[board["tiles"][0]["config"]["sourceId"]]["name"])
        assert stack.preview().no_changes
    assert used == ["Logs", "Logs of the shop"]


def test_programs_in_other_languages_use_each_part(process: ProviderProcess) -> None:
    """They have the same inputs as the result of the function has outputs."""
    result = FUNCTIONS["readDashboardExport"].call(process, {"text": block("json")})
    assert result["unsupported"] == []
    parts = result.keys() - {"unsupported"}
    (board,) = read_typescript(block("typescript")).resources.values()
    assert board.properties.keys() == parts
    properties = yaml.safe_load(block("yaml"))["resources"]["shop"]["properties"]
    assert properties == {name: f"${{file.{name}}}" for name in parts}


@pytest.mark.cli
def test_program_in_yaml_runs(sandbox: Sandbox, tmp_path: Path) -> None:
    """Pulumi's YAML accepts the types of the result as inputs of a Dashboard."""
    project = tmp_path / "shop"
    project.mkdir()
    (project / "Pulumi.yaml").write_text(f"name: shop\nruntime: yaml\n{block('yaml')}", encoding="utf-8")
    (project / "shop.json").write_text(block("json"), encoding="utf-8")
    stack = CliStack(project, config=stack_config(sandbox), work_dir=tmp_path / "work")
    stack.up()
    (board,) = sandbox.objects("dashboards").values()
    assert sandbox.objects("sources")[board["tiles"][0]["config"]["sourceId"]]["name"] == "Logs"
    stack.refresh()
    assert stack.preview().no_changes
