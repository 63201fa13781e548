"""`clouddb render`: its sources of dashboards, its files, and its errors.

Cases with a stack use the real CLI, if it is on PATH.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from clouddb_tools.commands.exit_codes import RenderExit
from clouddb_tools.commands.main import app
from clouddb_tools.render.objects import Item, from_state, pictures
from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.engine.wire.codec import SECRET_SIGNATURE, SIGNATURE_KEY
from support.checkout import STACK, Checkout
from support.drawn import BOARD, TILES, URN, Values, alert, board, resource
from support.five import environment
from support.ids import CALM, LOGS
from support.pictures import LINE, groups, parsed, texts, tile, tiles
from support.printed import unboxed


def state(*resources: Values) -> Values:
    """Return the output of `pulumi stack export`."""
    return {"version": 3, "deployment": {"resources": list(resources)}}


def run(*words: str, stdin: str = "") -> Result:
    """Run the command."""
    return CliRunner().invoke(app, ["render", *words], input=stdin)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    Path("state.json").write_text(json.dumps(state(board(), alert())), encoding="utf-8")
    Path("later.json").write_text(json.dumps(state(board([*TILES, tile("c")]), alert(threshold=5))), encoding="utf-8")
    Path("bare.json").write_text(json.dumps(state()), encoding="utf-8")
    Path("odd.json").write_text("[1]", encoding="utf-8")
    Path("deep.json").write_text("[" * 100_000, encoding="utf-8")


def drawn(name: str = "x.svg") -> list[str]:
    """Return the texts of a written picture."""
    return texts(parsed(Path(name).read_text(encoding="utf-8")))


# -- state and previews -----------------------------------------------------------------------------------------------


def test_picture_of_a_state_has_alerts_and_server_containers() -> None:
    """An update keeps containers that the program does not declare, so the picture has them."""
    done = run("--state-file", "state.json", "--output", "x.svg")
    assert done.exit_code == RenderExit.WRITTEN, done.output
    root = parsed(Path("x.svg").read_text(encoding="utf-8"))
    assert texts(root)[:3] == ["Shop", "state in state.json", "By hand"]
    assert set(tiles(root)) == {"a", "b"}
    assert "at or above 100, every 5m" in texts(tiles(root)["a"])
    assert not groups(tiles(root)["b"], "alerts")


def test_picture_of_a_state_excludes_replaced_objects() -> None:
    """A replaced object whose deletion is pending shares the URN of its replacement."""
    items = from_state(state(board(delete=True), board([tile("new")])))
    assert [list(each.values["tileIds"]) for each in items] == [["a", "b"]]
    (picture,) = pictures(items).values()
    assert [each.key for each in picture.tiles] == ["new"]


@pytest.mark.parametrize("content", [{}, {"deployment": None}, {"deployment": {"resources": None}}])
def test_empty_state_has_no_dashboards(content: Values) -> None:
    """The output of `pulumi stack export` for a stack that was never deployed."""
    assert from_state(content) == []


def test_alerts_are_drawn_only_on_their_own_dashboard() -> None:
    """Tiles of two dashboards can have the same key."""
    other = {**board(), "urn": URN.format("Dashboard", "other"), "id": "board-2"}
    drawings = pictures(from_state(state(board(), other, alert(dashboard_id="board-2"))))
    assert [[each.key for each in picture.tiles if each.alerts] for picture in drawings.values()] == [[], ["a"]]


SECRETS: dict[str, Any] = {
    "masked": "[secret]",
    "encrypted": {SIGNATURE_KEY: SECRET_SIGNATURE, "ciphertext": "v1:hunter2"},
    "in plain text": {SIGNATURE_KEY: SECRET_SIGNATURE, "plaintext": '"hunter2"'},
}


@pytest.mark.parametrize("suffix", [".svg", ".html"])
@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS)
def test_pictures_mask_secrets_of_a_state(secret: Any, suffix: str) -> None:
    """Also if the file was exported with `--show-secrets`."""
    hidden = tile("a", 0, 0, 12, 5, config={**LINE, "groupBy": secret})
    Path("state.json").write_text(json.dumps(state(board([hidden]))), encoding="utf-8")
    assert run("--state-file", "state.json", "-o", f"x{suffix}").exit_code == 0
    text = Path(f"x{suffix}").read_text(encoding="utf-8")
    assert "[secret]" in text
    assert "hunter2" not in text


# -- the command -------------------------------------------------------------------------------------------------------


def test_state_is_read_from_standard_input() -> None:
    """`pulumi stack export | clouddb render --state-file - -o x.html`."""
    done = run("--state-file", "-", "-o", "deep/in/x.html", stdin=json.dumps(state(board())))
    assert done.exit_code == RenderExit.WRITTEN, done.output
    assert "state in standard input" in Path("deep/in/x.html").read_text(encoding="utf-8")


def test_diff_compares_two_states() -> None:
    """The first one is the state before."""
    assert run("--state-file", "state.json", "--state-file", "later.json", "--diff", "-o", "x.svg").exit_code == 0
    words = drawn()
    assert words[0] == "Before: state in state.json"
    assert {"After: state in later.json", "added: c", "changed: a"} <= set(words)


USAGE: dict[str, tuple[str, str]] = {
    "no output": ("--stack dev", "Missing option '--output'"),
    "another form": ("--stack dev -o x.png", "x.png must end in .svg or .html"),
    "nothing to draw": ("-o x.svg", "no source of dashboards: give --stack, --state-file or --live"),
    "a state without a stack": (
        "--state -o x.svg",
        "--state is the state of a stack: name it with --stack, or a file with --state-file",
    ),
    "two sources": (
        "--state-file state.json --live x -o x.svg",
        "a picture shows one source; with --diff it shows two",
    ),
    "two states": (
        "--state-file state.json --state-file later.json -o x.svg",
        "a picture shows one source; with --diff it shows two",
    ),
    "one state compared": (
        "--state-file state.json --diff -o x.svg",
        "--diff compares two --state-file, or one with --live",
    ),
    "live without a comparison": (
        "--live x --diff -o x.svg",
        "--diff compares live dashboards with a stack or a --state-file: specify one of them",
    ),
    "a state without a comparison": (
        "--stack dev --state --diff -o x.svg",
        "--diff compares the state with live dashboards: specify them with --live",
    ),
    "three sources to compare": (
        "--state-file a --state-file b --live x --diff -o x.svg",
        "--diff compares two --state-file, or one with --live",
    ),
    "two kinds of state": (
        "--stack dev --state --state-file state.json -o x.svg",
        "give --state or --state-file, not both",
    ),
    "a missing state file": (
        "--state-file nowhere.json -o x.svg",
        "nowhere.json cannot be opened: No such file or directory",
    ),
    "no project": ("--stack dev -o x.svg", "contains no Pulumi.yaml: set the project's folder with --cwd"),
}


@pytest.mark.parametrize(("words", "message"), USAGE.values(), ids=USAGE)
def test_wrong_command_line_exits_with_2(words: str, message: str) -> None:
    """Nothing is written."""
    done = run(*words.split())
    assert done.exit_code == RenderExit.USAGE
    assert message in unboxed(done.output)
    assert not list(Path().glob("x.*"))


FAILURES: dict[str, tuple[str, str]] = {
    "not an export": (
        "--state-file odd.json -o x.svg",
        "odd.json is not a state from `pulumi stack export`\nWrite it with `pulumi stack export --file FILE`.",
    ),
    "a deeply nested file": ("--state-file deep.json -o x.svg", "deep.json is not a state from"),
    "no dashboard": (
        "--state-file bare.json -o x.svg",
        "there is no dashboard in state in bare.json\nDeclare one, or choose another source.",
    ),
    "another name": (
        "--state-file state.json --dashboard nope -o x.svg",
        "no dashboard in state in state.json is named 'nope'\nChoose one of shop ('Shop').",
    ),
    "no folder": ("--state-file state.json -o odd.json/x.svg", "odd.json/x.svg cannot be written"),
}


@pytest.mark.parametrize(("words", "message"), FAILURES.values(), ids=FAILURES)
def test_errors_have_advice(words: str, message: str) -> None:
    """In two lines, with exit code 1."""
    done = run(*words.split())
    assert done.exit_code == RenderExit.FAILED
    assert message in done.output
    assert len(done.output.strip().splitlines()) == 2
    assert not list(Path().glob("x.*"))


def test_dashboards_are_selected_by_name_or_resource() -> None:
    """Other dashboards are not drawn."""
    other = {**board(), "urn": URN.format("Dashboard", "other"), "id": "board-2"}
    Path("state.json").write_text(json.dumps(state(board(), other)), encoding="utf-8")
    for name, count in (("other", 1), ("Shop", 2)):
        assert run("--state-file", "state.json", "--dashboard", name, "-o", "x.svg").exit_code == 0
        assert len(groups(parsed(Path("x.svg").read_text(encoding="utf-8")), "dashboard")) == count


# -- live --------------------------------------------------------------------------------------------------------------


@pytest.fixture(params=["clickhouse"])
def sandbox(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sandbox]:
    """A sandbox with its settings in the environment, by default of the vendor's dialect."""
    with Sandbox(vocabulary=request.param) as running:
        for name, value in environment(running).items():
            monkeypatch.setenv(name, value)
        yield running


in_both_dialects = pytest.mark.parametrize("sandbox", ["neutral", "clickhouse"], indirect=True)
SERIES = [{"type": "time", "sourceId": LOGS, "aggFn": "count", "where": "", "groupBy": []}]


def created(sandbox: Sandbox, name: str) -> Values:
    """Create a dashboard with an alert on the self-hosted server."""
    place = {"name": "Errors", "x": 0, "y": 0, "w": 12, "h": 5}
    with sandbox.self_hosted() as hosted:
        made: Values = hosted.post("/dashboards", json={"name": name, "tiles": [{**place, "series": SERIES}]}).json()
        watched = {"dashboardId": made["data"]["id"], "tileId": made["data"]["tiles"][0]["id"], "source": "tile"}
        raised = {"threshold": 7, "thresholdType": "above", "interval": "5m", "name": "Many"}
        response = hosted.post("/alerts", json={**watched, **raised, "channel": {"type": "webhook", "webhookId": CALM}})
        assert response.status_code == 200, response.text
    return dict(made["data"])


@in_both_dialects
def test_live_dashboard_is_drawn_by_id_or_name(sandbox: Sandbox) -> None:
    """With the alerts of its server; only GET requests are sent."""
    made = created(sandbox, "Shop")
    sandbox.forget_requests()
    for name in (made["id"], "Shop"):
        done = run("--live", name, "-o", "x.svg")
        assert done.exit_code == RenderExit.WRITTEN, done.output
        assert {"Shop", "Errors", "at or above 7, every 5m"} <= set(drawn())
    assert {each.method for each in sandbox.requests} == {"GET"}


def test_live_tile_of_raw_sql_shows_its_connection(sandbox: Sandbox) -> None:
    """Connections are only listed if a tile needs one."""
    with sandbox.self_hosted() as hosted:
        fields = {"name": "Main", "host": "http://db.example.com:8123", "username": "reader", "password": "secret-1"}
        connection = hosted.post("/connections", json=fields).json()["data"]["id"]
        config = {"displayType": "table", "configType": "sql", "connectionId": connection, "sqlTemplate": "SELECT 1"}
        tile = {"name": "Rows", "x": 0, "y": 0, "w": 12, "h": 5, "config": config}
        assert hosted.post("/dashboards", json={"name": "Shop", "tiles": [tile]}).status_code == 200
    assert run("--live", "Shop", "-o", "x.svg").exit_code == RenderExit.WRITTEN
    assert "table · raw SQL on connection Main" in drawn()
    created(sandbox, "Plain")
    sandbox.forget_requests()
    assert run("--live", "Plain", "-o", "x.svg").exit_code == RenderExit.WRITTEN
    assert not [each.path for each in sandbox.requests if "connections" in each.path]


@in_both_dialects
def test_live_dashboard_of_a_service_is_drawn(sandbox: Sandbox) -> None:
    """It is addressed as SERVICE_ID/ID or SERVICE_ID/NAME."""
    service = sandbox.add("services", name="orders")
    place = {"name": "Errors", "x": 0, "y": 0, "w": 12, "h": 5}
    made = sandbox.add("dashboards", serviceId=service["id"], name="Of it", tiles=[{**place, "series": SERIES}])
    for name in (made["id"], "Of it"):
        done = run("--live", f"{service['id']}/{name}", "-o", "x.svg")
        assert done.exit_code == RenderExit.WRITTEN, done.output
        assert {"Of it", "Errors"} <= set(drawn())


@in_both_dialects
def test_diff_compares_a_state_with_live_dashboards(sandbox: Sandbox) -> None:
    """By the ids of objects; other dashboards of the state are not drawn."""
    made = created(sandbox, "Shop")
    place = {"name": "Errors", "x": 0, "y": 0, "w": 12, "h": 5}
    inputs = {"name": "Shop", "tiles": [{**place, "series": SERIES}, {**place, "name": "Gone by hand"}]}
    managed = resource(BOARD, inputs, {"__managed": ["name", "tiles"]}, id_=made["id"])
    other = resource(URN.format("Dashboard", "other"), {"name": "Other", "tiles": []}, id_="other")
    Path("state.json").write_text(json.dumps(state(managed, other)), encoding="utf-8")
    done = run("--state-file", "state.json", "--live", made["id"], "--diff", "-o", "x.svg")
    assert done.exit_code == RenderExit.WRITTEN, done.output
    words = drawn()
    assert {"Before: state in state.json", "After: live", "dashboard shop", "removed: Gone by hand"} <= set(words)
    assert "Other" not in words


def test_ambiguous_names_of_live_dashboards_are_reported(sandbox: Sandbox) -> None:
    """The message has the ids, or for an unknown name all names."""
    ids = [created(sandbox, "Shop")["id"] for _ in range(2)]
    done = run("--live", "Shop", "-o", "x.svg")
    assert done.exit_code == RenderExit.FAILED
    assert "2 dashboards are named 'Shop'\nName one by its id: " in done.output
    assert all(each in done.output for each in ids)
    missing = run("--live", "Store", "-o", "x.svg")
    assert missing.exit_code == RenderExit.FAILED
    assert "no dashboard has the id or the name 'Store'\nThere are 'Shop'." in missing.output


def test_picture_without_permission_to_read_alerts_has_a_warning(sandbox: Sandbox) -> None:
    """The picture is drawn without alerts."""
    created(sandbox, "Shop")
    sandbox.fault("self_hosted_list_alerts", "status", status=403, times=None)
    done = run("--live", "Shop", "-o", "x.svg")
    assert done.exit_code == RenderExit.WRITTEN, done.output
    assert "warning: The picture is drawn without alerts" in done.output
    assert "Errors" in drawn()


def test_server_error_is_reported(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """No picture is written."""
    monkeypatch.setenv("CLOUDDB_RETRY_TIMEOUT_SECONDS", "0")
    sandbox.fault("self_hosted_list_dashboards", "status", status=500, times=None)
    done = run("--live", "Shop", "-o", "x.svg")
    assert done.exit_code == RenderExit.FAILED
    assert done.output.startswith("error: ")
    assert not Path("x.svg").exists()


# -- with the real CLI -------------------------------------------------------------------------------------------------

PROGRAM = f"""
import pulumi
import pulumi_clouddb as clouddb

config = pulumi.Config()
query = [{{"agg_fn": "count"}}]
line = {{"display_type": "line", "source_id": "{LOGS}", "select": query, "group_by": config.get("group") or "Region"}}
zones = {{**line, "group_by": "Zone"}}
board = clouddb.Dashboard(
    "shop",
    name="Shop",
    tiles=[
        clouddb.TileArgs(name="Errors", x=0, y=0, w=12, h=5, config=line),
        clouddb.TileArgs(name=config.get("title") or "Zones", x=12, y=0, w=12, h=5, config=zones),
    ],
)
clouddb.Alert(
    "errors",
    dashboard_id=board.id,
    tile_id=board.tile_ids["Errors"],
    threshold=config.get_int("limit") or 100,
    threshold_type="above",
    interval="5m",
    channel=clouddb.AlertChannelArgs(type="webhook", webhook_id="{CALM}"),
)
"""
LEAKED = "correct-horse-battery"


@pytest.mark.first
@pytest.mark.cli("git")
def test_stack_is_drawn_from_preview_state_and_live_objects(tmp_path: Path) -> None:
    """Before its creation, in the report of a change, and after a change in the console."""
    with Sandbox(vocabulary="clickhouse") as sandbox:
        checkout = Checkout(tmp_path, sandbox, PROGRAM)

        def render(*words: str) -> tuple[subprocess.CompletedProcess[str], list[str]]:
            options = ["--stack", STACK, "-o", "x.svg", *words]
            command = [sys.executable, "-m", "clouddb_tools.commands", "render", *options]
            done = subprocess.run(
                command, cwd=checkout.folder, env=dict(checkout.env), capture_output=True, text=True, check=False
            )
            file = checkout.folder / "x.svg"
            return done, drawn(str(file)) if done.returncode == 0 else []

        _, new = render("--diff")
        assert {"After: preview of stack production", "The dashboard is added.", "Errors", "Zones"} <= set(new)
        assert "at or above 100, every 5m" in new
        assert "errors: at or above 100, every 5m" not in new
        checkout.pulumi("up", "--yes", "--skip-preview", "--stack", STACK)
        done, words = render("--live", "Shop")
        assert "Errors" in words
        assert "warning" not in done.stderr  # the state knows it, so nothing is imported

        # The program uses a secret without marking it.
        plain = ("--plaintext", "group=Country", "--plaintext", "limit=5")
        checkout.pulumi("config", "set-all", *plain, "--secret", f"title={LEAKED}", "--stack", STACK)
        done = checkout.ci("preview", "--stack", STACK, "--pictures", "pics", "--report-json", "report.json")
        assert done.returncode == 0, done.stderr
        report = checkout.report()
        summary = "1 tile changed, 1 tile added, 1 tile removed."
        assert report["version"] == 1
        assert report["pictures"] == [
            {"resource": "shop", "name": "Shop", "summary": summary, "file": "pics/shop.svg", "url": ""}
        ]
        change = drawn(str(checkout.folder / "pics" / "shop.svg"))
        assert {"config.groupBy: Region → Country", "at or above 5, every 5m", "added: [secret]"} <= set(change)
        written = [each.read_text(encoding="utf-8") for each in (checkout.folder / "pics").iterdir()]
        assert len(written) == 2
        assert not [each for each in written if LEAKED in each]

        (live,) = sandbox.dashboards.values()
        sandbox.change("dashboards", live["id"], name="By hand")
        _, drift = render("--state", "--live", live["id"], "--diff")
        assert {"After: live", "name: Shop → By hand"} <= set(drift)
        assert not [each for each in drift if each.startswith(("changed: ", "moved: "))]

        checkout.write("raise SystemExit('no program')")
        done, _ = render()
        assert done.returncode == 1
        assert "the preview of stack 'production' failed, nothing was drawn" in done.stderr


def test_items_are_identified_by_urn_or_id() -> None:
    """Resources by URN, objects of a server by id."""
    made = [Item("Dashboard", "x", "id-1", {"name": "A", "tiles": []}, urn="urn:x"), Item("Dashboard", "y", "id-2", {})]
    assert list(pictures(made)) == ["urn:x", "id-2"]
    assert list(pictures(made, by_id=True)) == ["id-1", "id-2"]
