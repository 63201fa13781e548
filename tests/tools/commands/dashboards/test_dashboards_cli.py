"""`clouddb dashboards`: programs from files, and files from servers and states."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner, Result

from clouddb_tools.commands.exit_codes import DashboardsExit
from clouddb_tools.commands.main import app
from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import FakeEngineStack
from clouddb_tools.testing.stack import stack_config
from support.drawn import board, resource
from support.five import environment
from support.ids import LOGS
from support.sessions import ProviderProcess

CONDITION = 'ServiceName:"checkout" AND SeverityText:error'
COUNT = {"aggFn": "count", "valueExpression": "", "aggCondition": CONDITION, "aggConditionLanguage": "lucene"}
LINE = {"displayType": "line", "source": "Shop events", "where": "", "select": [COUNT, COUNT, COUNT]}


def file(name: str, *configs: dict[str, Any]) -> str:
    """Return a file as the server's page exports it."""
    tiles = [
        {"id": f"t{index}", "x": 0, "y": 6 * index, "w": 12, "h": 6, "config": {"name": f"Tile {index}", **config}}
        for index, config in enumerate(configs)
    ]
    return json.dumps({"version": "0.1.0", "name": name, "tiles": tiles})


def run(*words: str, env: dict[str, str] | None = None) -> Result:
    """Run the command."""
    return CliRunner().invoke(app, ["dashboards", *words], env=env)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    Path("shop.json").write_text(file("Shop", {**LINE, "alert": {"threshold": 1}}), encoding="utf-8")


PYTHON = """\
import pulumi_clouddb as clouddb

shop_events = clouddb.get_source_output(name="Shop events").id
condition = 'ServiceName:"checkout" AND SeverityText:error'

shop = clouddb.Dashboard(
    "shop",
    name="Shop",
    tiles=[
        # warning: tile 'Tile 0', config.alert: alerts are not part of a dashboard; declare an Alert on this tile
        clouddb.TileArgs(
            key="t0",
"""
TYPESCRIPT = """\
import * as clouddb from "@clouddb/pulumi";

const shopEvents = clouddb.getSourceOutput({ name: "Shop events" }).id;
const condition = "ServiceName:\\"checkout\\" AND SeverityText:error";

const shop = new clouddb.Dashboard("shop", {
    name: "Shop",
    tiles: [
        // warning: tile 'Tile 0', config.alert: alerts are not part of a dashboard; declare an Alert on this tile
        {
            key: "t0",
"""


@pytest.mark.parametrize(("language", "start"), [("python", PYTHON), ("typescript", TYPESCRIPT)])
def test_program(language: str, start: str) -> None:
    """Sources are found by name, repeated texts are variables, and losses are comments at their tile."""
    done = run("import", "shop.json", "--language", language)
    assert done.exit_code == DashboardsExit.WRITTEN
    assert done.stdout.startswith(start)
    assert done.stdout.count("checkout") == 1
    assert done.stderr == (
        "warning: shop.json: tile 'Tile 0', config.alert: "
        "alerts are not part of a dashboard; declare an Alert on this tile\n"
    )


def test_constants_of_several_conditions_have_their_first_words() -> None:
    """A number says nothing about a condition."""
    slow = {**COUNT, "aggCondition": "Duration:>1000 AND ServiceName:cart"}
    Path("shop.json").write_text(file("Shop", LINE, {**LINE, "select": [slow] * 3}), encoding="utf-8")
    text = run("import", "shop.json").stdout
    assert f"\ncondition_service_name_checkout_and = {CONDITION!r}\n" in text
    assert '\ncondition_duration_and_service_name = "Duration:>1000 AND ServiceName:cart"\n' in text


def test_program_in_yaml() -> None:
    """Sources are results of functions."""
    done = run("import", "shop.json", "--language", "yaml")
    program = yaml.safe_load(done.stdout)
    find = {"function": "clouddb:getSource", "arguments": {"name": "Shop events"}}
    assert program["variables"] == {"shopEvents": {"fn::invoke": find}, "condition": CONDITION}
    (tile,) = program["resources"]["shop"]["properties"]["tiles"]
    assert tile["config"]["sourceId"] == "${shopEvents.id}"
    assert tile["config"]["select"][0]["where"] == "${condition}"


def test_program_in_python_runs(sandbox: Sandbox, tmp_path: Path) -> None:
    """It makes the dashboard of the file, with the source of that name."""
    source = sandbox.add("sources", name="Shop events")["id"]
    done = run("import", "shop.json", "-o", "program.py")
    assert done.stdout == ""
    program = Path("program.py").read_text(encoding="utf-8")
    stack = FakeEngineStack(program, config=stack_config(sandbox), work_dir=tmp_path / "work")
    stack.up()
    (made,) = sandbox.objects("dashboards").values()
    config = made["tiles"][0]["config"]
    assert (config["sourceId"], config["select"][0]["where"]) == (source, CONDITION)
    assert stack.preview().no_changes


def test_folder_with_a_tile_that_would_show_other_data() -> None:
    """All files are in one program; the tile is left out, above its dashboard is why, and the exit code tells it."""
    Path("all").mkdir()
    Path("all/a.json").write_text(file("Shop", LINE), encoding="utf-8")
    Path("all/b.json").write_text(file("Shop", {**LINE, "having": "a > 1"}, LINE), encoding="utf-8")
    done = run("import", "all", "--service", "11111111-2222-4333-8444-555555555555")
    assert done.exit_code == DashboardsExit.LOST
    fault = "tile 'Tile 0', config.having: the API has none for displayType line"
    assert f"# error: {fault}\nb_shop = clouddb.Dashboard(" in done.stdout
    assert 'a_shop = clouddb.Dashboard(\n    "a-shop",\n    service_id="11111111-' in done.stdout
    assert 'get_source_output(name="Shop events", service_id="11111111-' in done.stdout
    assert f"error: all/b.json: {fault}" in done.stderr


def test_placeholder_of_a_template_is_named() -> None:
    """Nobody has a source of that name; a file without one has no warning."""
    Path("all").mkdir()
    Path("all/a.json").write_text(file("Shop", {**LINE, "source": "{{TRACES_SOURCE_ID}}"}), encoding="utf-8")
    Path("all/b.json").write_text(file("Other", LINE), encoding="utf-8")
    done = run("import", "all")
    assert done.exit_code == DashboardsExit.WRITTEN
    (warning,) = done.stderr.splitlines()
    assert warning.startswith("warning: all/a.json: source '{{TRACES_SOURCE_ID}}': it is a placeholder")


FAILURES = {
    "no dashboard": ("grafana.json", "Grafana"),
    "no dashboard in a folder": ("several", "several/bad.json: the file of a dashboard: it is not JSON"),
    "an empty folder": ("empty", "there is no .json file"),
    "no text": ("binary.json", "binary.json cannot be read: it is not a text in UTF-8"),
}


@pytest.mark.parametrize("case", FAILURES)
def test_nothing_is_written(case: str) -> None:
    """The message names the file or the fault."""
    Path("empty").mkdir()
    Path("several").mkdir()
    Path("several/bad.json").write_text("{", encoding="utf-8")
    Path("several/good.json").write_text(file("Shop", LINE), encoding="utf-8")
    Path("grafana.json").write_text('{"panels": []}', encoding="utf-8")
    Path("binary.json").write_bytes(b"\xff")
    path, fault = FAILURES[case]
    done = run("import", path, "-o", "out.py")
    assert done.exit_code == DashboardsExit.FAILED
    assert fault in done.stderr
    assert not Path("out.py").exists()


# -- export ------------------------------------------------------------------------------------------------------------


def test_dashboard_of_a_server(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The file has names, and gives the same dashboard again."""
    source = sandbox.add("sources", name="Shop events")["id"]
    config = {"displayType": "line", "sourceId": source, "select": [{"aggFn": "count", "where": "a"}]}
    tile = {"key": "t", "name": "Lines", "x": 0, "y": 0, "w": 12, "h": 6, "config": config}
    process.create("Dashboard", {"name": "Shop", "tags": ["a"], "tiles": [tile]})
    done = run("export", "--live", "Shop", "-o", "out/shop.json", env=environment(sandbox))
    assert done.exit_code == DashboardsExit.WRITTEN
    assert done.stderr.endswith("Wrote out/shop.json.\n")
    assert done.stderr.count("conditions of a whole chart") == 1  # the API does not return them
    content = json.loads(Path("out/shop.json").read_text(encoding="utf-8"))
    assert (content["version"], content["name"], content["tags"]) == ("0.1.0", "Shop", ["a"])
    assert content["tiles"][0]["config"]["source"] == "Shop events"
    again = run("import", "out/shop.json")
    assert again.stderr == ""
    assert 'where="a"' in again.stdout


def test_dashboards_of_a_state_share_the_lists_of_the_server(sandbox: Sandbox) -> None:
    """Several dashboards cost one list of sources."""
    source = sandbox.add("sources", name="Shop events")["id"]
    config = {"displayType": "line", "sourceId": source, "select": [{"aggFn": "count"}]}
    tile = {"name": "Lines", "x": 0, "y": 0, "w": 12, "h": 6, "config": config}
    resources = [{**board([tile]), "urn": f"urn:pulumi:dev::shop::clouddb:index:Dashboard::{name}"} for name in "ab"]
    state = {"version": 3, "deployment": {"resources": resources}}
    Path("state.json").write_text(json.dumps(state), encoding="utf-8")
    sandbox.forget_requests()
    done = run("export", "--state-file", "state.json", "-o", "out", env=environment(sandbox))
    assert done.exit_code == DashboardsExit.WRITTEN
    for path in Path("out").glob("*.json"):
        assert json.loads(path.read_text(encoding="utf-8"))["tiles"][0]["config"]["source"] == "Shop events"
    assert len([*Path("out").glob("*.json")]) == 2
    assert [each.operation for each in sandbox.requests] == ["self_hosted_list_sources"]


def test_dashboards_of_a_state() -> None:
    """A source of the stack has its name; without a server, another one has its id, with a warning."""
    config = {"displayType": "line", "sourceId": LOGS, "select": [{"aggFn": "count"}]}
    tile = {"name": "Lines", "x": 0, "y": 0, "w": 12, "h": 6, "config": config}
    resources = [board([tile])]
    state = {"version": 3, "deployment": {"resources": resources}}
    Path("state.json").write_text(json.dumps(state), encoding="utf-8")
    done = run("export", "--state-file", "state.json", "-o", "out")
    assert done.exit_code == DashboardsExit.WRITTEN
    assert f"the name of the source {LOGS} is unknown" in done.stderr
    urn = "urn:pulumi:dev::shop::clouddb:index:Source::logs"
    resources.append(resource(urn, {"name": "Logs of the shop"}, id_=LOGS))
    Path("state.json").write_text(json.dumps(state), encoding="utf-8")
    done = run("export", "--state-file", "state.json", "-o", "out")
    (written,) = Path("out").glob("*.json")
    assert done.stderr == f"Wrote {written}.\n"
    assert json.loads(written.read_text(encoding="utf-8"))["tiles"][0]["config"]["source"] == "Logs of the shop"


def test_export_of_an_unknown_dashboard() -> None:
    """The message has the known names."""
    state = {"version": 3, "deployment": {"resources": [board([])]}}
    Path("state.json").write_text(json.dumps(state), encoding="utf-8")
    done = run("export", "other", "--state-file", "state.json")
    assert done.exit_code == DashboardsExit.FAILED
    assert "is named 'other'\nChoose one of" in done.stderr
