"""docs/finding.md: the output that it shows is that of the command."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from clouddb_tools.commands.main import app
from clouddb_tools.sandbox import Sandbox
from support import fake_stacks
from support.drawn import resource
from support.five import environment
from support.ids import LOGS

TEXT = (Path(__file__).parents[2] / "docs" / "finding.md").read_text(encoding="utf-8")
(SHOWN,) = re.findall(r"```text\n(.*?)```", TEXT, re.DOTALL)
BOARD, TILE, ALERT = (f"6717a3f2c0de5b0012ab34d{number}" for number in (1, 2, 3))
LINK = f"https://observability.example.com/dashboards/{BOARD}?from=1&granularity=5+minute&to=2&highlightedTileId={TILE}"


def test_output_of_the_page(sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The ids are those of the sandbox; the stack has the dashboard, and not the alert."""
    config = {"displayType": "line", "sourceId": LOGS, "select": [{"aggFn": "count", "where": ""}]}
    tile = {"name": "Errors per minute", "x": 0, "y": 0, "w": 12, "h": 4, "config": config}
    board = sandbox.add("dashboards", name="Shop", tiles=[tile])
    ids = {BOARD: board["id"], TILE: board["tiles"][0]["id"]}
    watched = {"dashboardId": ids[BOARD], "tileId": ids[TILE], "threshold": 1}
    ids[ALERT] = sandbox.add("alerts", name="Too many errors", **watched)["id"]
    urn = "urn:pulumi:production::shop::clouddb:index:Dashboard::overview"
    overview = resource(urn, {"name": "Shop"}, {"tileIds": {"errors": ids[TILE]}}, id_=ids[BOARD])
    fake_stacks.install(tmp_path, {"production": {"deployment": {"resources": [overview]}}})
    (tmp_path / "Pulumi.yaml").write_text("name: shop\nruntime: python\n", encoding="utf-8")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.chdir(tmp_path)

    def in_sandbox(text: str) -> str:
        return re.sub("|".join(ids), lambda found: ids[found[0]], text)

    done = CliRunner().invoke(app, ["find", in_sandbox(LINK)], env=environment(sandbox))
    assert done.output == in_sandbox(SHOWN)
    for line in re.findall(r"import +(clouddb .*)", done.output):
        assert CliRunner().invoke(app, shlex.split(line)[1:], env=environment(sandbox)).exit_code == 0
