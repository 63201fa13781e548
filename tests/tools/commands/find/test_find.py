"""`clouddb find`: objects of the servers by id, name and link, and the stacks that manage them."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from clouddb_tools.commands.exit_codes import FindExit, ImportFileExit
from clouddb_tools.commands.find.query import TILE, query_of
from clouddb_tools.commands.main import app
from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing.cli_stack import CliStack
from clouddb_tools.testing.stack import stack_config
from pulumi_clouddb.schema.vocabulary import VocabularyName
from support import fake_stacks
from support.drawn import URN, resource
from support.five import environment
from support.ids import LOGS

PAGE = "https://observability.example.com/hyperdx"
COUNT = {"aggFn": "count", "where": "", "whereLanguage": "lucene"}
CHART = {"displayType": "line", "sourceId": LOGS, "select": [COUNT]}
SERIES = [{"type": "time", "aggFn": "count", "sourceId": LOGS, "where": "", "groupBy": []}]


@dataclass
class Place:
    """A sandbox with objects of a service and of the self-hosted server.

    Attributes:
        sandbox: The servers.
        ids: The ids of the objects, by words for them.
    """

    sandbox: Sandbox
    ids: dict[str, str] = field(default_factory=dict)

    def find(self, *words: str, stdin: str = "", **env: str) -> Result:
        """Run the command; words in braces are replaced by ids."""
        given = [word.format_map(self.ids) if "{" in word else word for word in words]
        variables = {**environment(self.sandbox), "COLUMNS": "400", **env}
        return CliRunner().invoke(app, ["find", *given], input=stdin, env=variables)

    def found(self, *words: str) -> list[dict[str, Any]]:
        """Return what the command finds."""
        done = self.find(*words, "--json")
        assert done.exit_code == FindExit.FOUND, done.output
        matches: list[dict[str, Any]] = json.loads(done.stdout)["matches"]
        return matches


def board(name: str, vocabulary: VocabularyName, **more: Any) -> dict[str, Any]:
    """Return a dashboard with one tile."""
    shown = {"config": CHART} if vocabulary is VocabularyName.CLICKHOUSE else {"series": SERIES}
    return {"name": name, "tiles": [{"name": f"{name} errors", "x": 0, "y": 0, "w": 8, "h": 3, **shown}], **more}


@pytest.fixture(scope="module", params=list(VocabularyName))
def place(request: pytest.FixtureRequest) -> Iterator[Place]:
    """The same objects in both dialects."""
    with Sandbox(vocabulary=request.param) as sandbox:
        place = Place(sandbox)
        service = sandbox.add("services", name="Orders", provider="aws", region="us-east-1")["id"]
        place.ids |= {"service": service, "pipe": sandbox.add_pipe(service, name="clicks")["id"]}
        place.ids["key"] = sandbox.add_key(name="Scraper")["key"]["id"]
        for word, more in (("cloud", {"serviceId": service}), ("hosted", {})):
            made = sandbox.add("dashboards", **board(f"Shop {word}", request.param, **more))
            tile = made["tiles"][0]["id"]
            alert = {"dashboardId": made["id"], "tileId": tile, "threshold": 1, **more}
            place.ids |= {f"{word}_board": made["id"], f"{word}_tile": tile}
            place.ids[f"{word}_alert"] = sandbox.add("alerts", name=f"Too many ({word})", **alert)["id"]
        yield place


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


FINDS: dict[str, tuple[tuple[str, ...], list[str]]] = {
    "the id of a service": (("{service}",), ["service"]),
    "the id of a pipe": (("{pipe}",), ["pipe"]),
    "the import id of a pipe": (("{service}/{pipe}",), ["pipe"]),
    "the id of a key": (("{key}",), ["key"]),
    "the id of an alert of a service": (("{cloud_alert}",), ["cloud_alert"]),
    "the id of an alert of a self-hosted server": (("{hosted_alert}",), ["hosted_alert"]),
    "the id of a dashboard": (("{cloud_board}",), ["cloud_board"]),
    "the id of a tile, with its alert": (("{hosted_tile}",), ["hosted_tile", "hosted_alert"]),
    "a part of a name": (("CRAPE",), ["key"]),
    "a part of several names": (("too MANY",), ["cloud_alert", "hosted_alert"]),
    "the name of a tile": (("shop cloud errors",), ["cloud_tile"]),
    "a name and a resource": (("scr", "--kind", "apikey"), ["key"]),
    "a name and a service": (("shop", "--service", "{service}", "--kind", "Dashboard"), ["cloud_board", "cloud_tile"]),
    "a link to a service": (("https://console.example.com/services/{service}/settings?tab=1",), ["service"]),
    "a link to a dashboard": ((f"{PAGE}/dashboards/{{hosted_board}}?from=1&to=2",), ["hosted_board"]),
    "a link to an alert": (("/alerts/{hosted_alert}",), ["hosted_alert"]),
    "the link of a notification": (
        (f"<{PAGE}/dashboards/{{hosted_board}}?from=1&granularity=5+minute&to=2&highlightedTileId={{hosted_tile}}>",),
        ["hosted_tile", "hosted_alert"],
    ),
}


@pytest.mark.parametrize("case", FINDS)
def test_object_is_found(place: Place, case: str) -> None:
    """By its id, by a part of its name, and by an address of a page; the alerts of a tile come with it."""
    words, expected = FINDS[case]
    assert [each["id"] for each in place.found(*words)] == [place.ids[each] for each in expected]


@pytest.mark.parametrize("place", [VocabularyName.CLICKHOUSE], indirect=True)
def test_alert_of_a_notification(place: Place) -> None:
    """The link leads to the tile: the answer has the tile, its dashboard, the alert, and the page."""
    link = f"{PAGE}/dashboards/{{hosted_board}}?from=1&to=2&highlightedTileId={{hosted_tile}}"
    done = place.find(link)
    ids = place.ids
    tile, shop = f"Tile 'Shop hosted errors' ({ids['hosted_tile']})", f"Dashboard 'Shop hosted' ({ids['hosted_board']})"
    page = f"{PAGE}/dashboards/{ids['hosted_board']}?highlightedTileId={ids['hosted_tile']}"
    unread = "  stack    not known: no state was read; name one with --stack, --all-stacks or --state-file"
    assert done.stdout.splitlines() == [
        tile,
        f"  in       {shop}",
        "  of       the self-hosted server",
        f"  page     {page}",
        unread,
        "",
        f"Alert 'Too many (hosted)' ({ids['hosted_alert']})",
        "  of       the self-hosted server",
        f"  watches  {tile} in {shop}",
        f"  page     {page}",
        unread,
    ]


@pytest.mark.parametrize("place", [VocabularyName.CLICKHOUSE], indirect=True)
def test_alert_of_a_saved_search(place: Place) -> None:
    """The link of its notification leads to the search."""
    search = place.sandbox.add("saved_searches", name="Timeouts", sourceId=LOGS)["id"]
    alert = place.sandbox.add("alerts", name="Timeouts", source="saved_search", savedSearchId=search, threshold=1)["id"]
    found = place.found(f"{PAGE}/search/{search}?from=1&to=2&isLive=false")
    assert [(each["kind"], each["id"]) for each in found] == [("SavedSearch", search), ("Alert", alert)]
    assert found[1]["watches"]["id"] == search
    assert {each["page"] for each in found} == {f"{PAGE}/search/{search}"}


@pytest.mark.parametrize("place", [VocabularyName.CLICKHOUSE], indirect=True)
@pytest.mark.parametrize(("url", "page"), [("/api", ""), ("", None)])
def test_page_is_shown_as_far_as_it_is_known(place: Place, url: str, page: str | None) -> None:
    """The address of the page is that of its API without `/api`; of another address only the path is known."""
    address = place.sandbox.config["clouddb:stackUrl"]
    done = place.find("{hosted_board}", CLOUDDB_STACK_URL=f"{address}{url}")
    path = f"/dashboards/{place.ids['hosted_board']}"
    shown = f"{address}{path}" if page is not None else f"{path} after the address of the server's page"
    if done.exit_code == FindExit.FOUND:
        assert f"  page     {shown}\n" in done.stdout
    else:  # the sandbox has no page that forwards requests to its API
        assert page is not None


def test_one_request_for_each_list(place: Place) -> None:
    """An id ends the search, after the lists that probably have it; a name is looked for in every list, once."""
    place.sandbox.forget_requests()
    place.find("/alerts/{hosted_alert}")
    assert place.sandbox.count() == 3  # services, alerts, and the dashboards for the name of the tile
    place.sandbox.forget_requests()
    place.find("o")
    requests = Counter(each.path for each in place.sandbox.requests)
    organization = requests.pop(f"/v1/organizations/{place.sandbox.config['clouddb:organizationId']}", 0)
    assert organization <= 2  # it has its settings, and its infrastructures
    assert len(requests) > 5
    assert set(requests.values()) == {1}
    assert {each.method for each in place.sandbox.requests} == {"GET"}


def test_nothing_is_found(place: Place) -> None:
    """Similar names, and what was searched."""
    done = place.find("Scrapper")
    assert done.exit_code == FindExit.NOT_FOUND
    assert "'Scrapper' was found in the organization, the self-hosted server, service 'Orders'\n" in done.stderr
    assert "Similar names: 'Scraper'.\n" in done.stderr


def test_list_that_fails_is_not_an_absence(place: Place) -> None:
    """A warning names it; the other lists are searched."""
    place.sandbox.fault("list_keys", "status", status=403, text="keys are secret", times=9)
    for operation in ("alerts", "dashboards"):
        place.sandbox.fault(f"self_hosted_list_{operation}", "status", status=401, text="no such token", times=9)
    try:
        done, other = place.find("Scraper"), place.find("{cloud_alert}")
    finally:
        place.sandbox.clear_faults()
    assert done.exit_code == FindExit.NOT_FOUND
    assert "warning: not searched: ApiKey of the organization: not listed: " in done.stderr
    assert "warning: not searched: all objects of the self-hosted server: not listed: " in done.stderr
    assert "was found in the organization, service 'Orders', as far as that was searched\n" in done.stderr
    assert other.exit_code == FindExit.FOUND


def test_server_that_refuses_the_key(place: Place) -> None:
    """The other server is searched."""
    done = place.find("{hosted_alert}", CLOUDDB_KEY_SECRET="wrong")
    assert done.exit_code == FindExit.FOUND
    assert "warning: not searched: all objects of the organization: not listed: " in done.stderr


# -- states ------------------------------------------------------------------------------------------------------------


def state(*resources: dict[str, Any]) -> str:
    """Return the output of `pulumi stack export`."""
    return json.dumps({"version": 3, "deployment": {"resources": list(resources)}})


def managed(place: Place, stack: str = "dev", kind: str = "clouddb:index:{}") -> str:
    """Return a state that manages the dashboard and the alert of the self-hosted server, and the pipe."""
    ids, urn = place.ids, f"urn:pulumi:{stack}::shop::{kind}::{{}}"
    where = {"serviceId": ids["service"]}
    return state(
        resource(
            urn.format("Dashboard", "shop"),
            {"name": "Shop"},
            {"tileIds": {"errors": ids["hosted_tile"]}},
            id_=ids["hosted_board"],
        ),
        resource(urn.format("Alert", "errors"), {"name": "Errors"}, {"alertId": ids["hosted_alert"]}, id_="replaced"),
        resource(urn.format("PipeScaling", "clicks"), where, id_=f"{ids['service']}/{ids['pipe']}"),
        resource(urn.format("Service", "old"), {"name": "Gone"}, id_="gone", delete=True),
        {"urn": f"urn:pulumi:{stack}::shop::pulumi:pulumi:Stack::shop-dev", "type": "pulumi:pulumi:Stack"},
    )


@pytest.mark.parametrize("kind", ["clouddb:index:{}", "pulumi-python:dynamic/clouddb:{}"])
def test_stack_and_urn_are_shown(place: Place, kind: str) -> None:
    """Of the plugin and of dynamic resources; a tile has the key of the program, and a part the URN of its resource."""
    Path("state.json").write_text(managed(place, kind=kind), encoding="utf-8")
    for which, name, resource_kind in (
        ("hosted_alert", "errors", "Alert"),
        ("hosted_board", "shop", "Dashboard"),
        ("hosted_tile", "shop", "Dashboard"),
        ("pipe", "clicks", "PipeScaling"),
    ):
        done = place.find(f"{{{which}}}", "--state-file", "state.json")
        urn = f"urn:pulumi:dev::shop::{kind.format(resource_kind)}::{name}"
        assert f"  stack    state.json\n  URN      {urn}\n" in done.stdout
        assert ("  key      'errors'\n" in done.stdout) is (which == "hosted_tile")


def test_name_of_a_resource_is_found(place: Place) -> None:
    """Also if the object has another name."""
    Path("state.json").write_text(managed(place), encoding="utf-8")
    assert [each["id"] for each in place.found("clicks", "--state-file", "state.json")] == [place.ids["pipe"]]
    (alert,) = place.found("errors", "--kind", "Alert", "--state-file", "state.json")
    assert (alert["id"], alert["name"]) == (place.ids["hosted_alert"], "Too many (hosted)")


def test_object_of_two_stacks(place: Place) -> None:
    """Both are shown, from a file and from standard input."""
    Path("dev.json").write_text(managed(place), encoding="utf-8")
    done = place.find("{hosted_board}", "--state-file", "dev.json", "--state-file", "-", stdin=managed(place, "prod"))
    assert [line.split()[1] for line in done.stdout.splitlines() if line.startswith("  stack ")] == [
        "dev.json",
        "standard",
    ]
    assert done.stdout.count("  URN ") == 2


def test_object_that_the_next_up_deletes(place: Place) -> None:
    """A replacement has left it: the stack, the URN and the deletion are shown, and no command that imports it."""
    urn = URN.format("ApiKey", "scraper")
    left, new = ({"id_": place.ids["key"], "delete": True}, {"id_": "new"})
    Path("state.json").write_text(
        state(*(resource(urn, {"name": "Scraper"}, **each) for each in (new, left))), encoding="utf-8"
    )
    done = place.find("{key}", "--state-file", "state.json")
    assert f"  stack    state.json\n  URN      {urn}\n  deleted  by the next `pulumi up`" in done.stdout
    assert "import" not in done.stdout
    (match,) = place.found("{key}", "--state-file", "state.json")
    assert (match["managedBy"][0]["pendingDeletion"], match["import"]) == (True, [])
    assert f"{urn} (deleted by the next" in " ".join(place.find("scraper", "--state-file", "state.json").stdout.split())


def test_unmanaged_object_has_commands_that_import_it(place: Place) -> None:
    """They work: the one for the Python classes is run here."""
    Path("state.json").write_text(state(), encoding="utf-8")
    done = place.find("{cloud_board}", "--state-file", "state.json")
    whole = f"{place.ids['service']}/{place.ids['cloud_board']}"
    assert "  stack    none of state.json\n" in done.stdout
    assert f"  import   pulumi import clouddb:index:Dashboard shop-cloud {whole}\n" in done.stdout
    (line,) = (each for each in done.stdout.splitlines() if "import-file" in each)
    words = shlex.split(line)[2:]
    imported = CliRunner().invoke(app, words, env=environment(place.sandbox))
    assert imported.exit_code == ImportFileExit.WRITTEN, imported.output


def test_object_that_only_a_state_has(place: Place) -> None:
    """It is no absence: the stack still has it, and the list tells whether a server has it."""
    lost = resource(URN.format("Alert", "pager"), {"name": "Pager"}, id_="a" * 24)
    Path("state.json").write_text(state(lost), encoding="utf-8")
    assert "  of       no server lists it\n" in place.find("pager", "--state-file", "state.json").stdout
    done = place.find("pager", "--state-file", "state.json", CLOUDDB_STACK_URL="", CLOUDDB_KEY_ID="")
    assert "  of       not known: its server was not asked, or did not answer\n" in done.stdout
    assert "warning: not searched: all objects of servers: neither clouddb:organizationId" in done.stderr
    assert f"  URN      {URN.format('Alert', 'pager')}\n" in done.stdout


def test_link_without_a_server_leads_to_the_resource_of_its_dashboard(place: Place) -> None:
    """The state has the id of the dashboard; the warning says how to get an answer of the server, too."""
    board = resource(URN.format("Dashboard", "shop"), {"name": "Shop"}, id_="b" * 24)
    Path("state.json").write_text(state(board), encoding="utf-8")
    link = f"https://observability.example.com/dashboards/{'b' * 24}?highlightedTileId={'c' * 24}"
    done = place.find(link, "--state-file", "state.json", CLOUDDB_STACK_URL="", CLOUDDB_KEY_ID="")
    assert f"  URN      {URN.format('Dashboard', 'shop')}\n" in done.stdout
    assert "pass --stack NAME" in done.stderr


@pytest.fixture
def cli(place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pulumi CLI with the stack `dev`, and one of another project."""
    fake_stacks.install(tmp_path, {"dev": json.loads(managed(place)), "other/locked": None})
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")


@pytest.mark.usefixtures("cli")
def test_stacks_of_the_project_are_searched(place: Place, tmp_path: Path) -> None:
    """Those of other projects with --all-stacks; one that cannot be read is named."""
    assert "not known" in place.find("{hosted_alert}").stdout
    (tmp_path / "Pulumi.yaml").write_text("name: shop\nruntime: python\n", encoding="utf-8")
    done = place.find("{hosted_alert}")
    assert "  stack    dev\n  URN      urn:pulumi:dev::shop::clouddb:index:Alert::errors\n" in done.stdout
    assert done.stderr == ""
    every = place.find("{service}", "--all-stacks")
    assert "  stack    none of dev\n" in every.stdout
    assert "warning: not searched: the state of stack 'other/locked' cannot be read: no passphrase\n" in every.stderr


def test_no_cli(place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The servers are searched, and a warning says what was not."""
    monkeypatch.setenv("PATH", str(tmp_path))
    done = place.find("{service}", "--all-stacks")
    assert done.exit_code == FindExit.FOUND
    assert done.stderr == "warning: not searched: reading stacks needs the pulumi CLI, which is not on PATH\n"


PROGRAM = f"""
import pulumi_clouddb as clouddb

tile = clouddb.TileArgs(name="Errors", x=0, y=0, w=8, h=3, config={CHART!r})
shop = clouddb.Dashboard("shop", name="Shop", tiles=[tile])
clouddb.Alert(
    "errors",
    name="Errors",
    dashboard_id=shop.id,
    tile_id=shop.tile_ids["Errors"],
    threshold=1,
    threshold_type="above",
    interval="5m",
    channel=clouddb.AlertChannelArgs(type="webhook", webhook_id="{{webhook}}"),
)
"""


@pytest.mark.cli
def test_stack_of_the_real_cli(sandbox: Sandbox, tmp_path: Path) -> None:
    """From the link of a notification to the URN."""
    from support.ids import CALM

    stack = CliStack(PROGRAM.replace("{webhook}", CALM), config=stack_config(sandbox), work_dir=tmp_path / "work")
    stack.up()
    (made,) = (each for each in sandbox.dashboards.values() if each["name"] == "Shop")
    link = f"{PAGE}/dashboards/{made['id']}?highlightedTileId={made['tiles'][0]['id']}"
    env = {**stack.environment, **environment(sandbox)}
    words = [sys.executable, "-m", "clouddb_tools.commands", "find", link, "--all-stacks", "--json"]
    done = subprocess.run(words, env=env, capture_output=True, encoding="utf-8", check=True)
    tile, alert = json.loads(done.stdout)["matches"]
    assert tile["managedBy"][0]["tileKey"] == "Errors"
    assert alert["managedBy"][0]["urn"].endswith("clouddb:Alert::errors")


# -- the command line --------------------------------------------------------------------------------------------------


QUERIES = {
    "a name": ("Orders", (), ""),
    "an id": ("0" * 24, (), ""),
    "a page": ("http://x/dashboards/abc?from=1", ("1", "dashboards", "abc"), "Dashboard"),
    "a tile": ("http://x/dashboards/abc?highlightedTileId=t&to=1", ("1", "dashboards", "abc", "t"), TILE),
    "a search": ("/search/abc", ("search", "abc"), "SavedSearch"),
}


@pytest.mark.parametrize(("text", "words", "kind"), QUERIES.values(), ids=QUERIES)
def test_query(text: str, words: tuple[str, ...], kind: str) -> None:
    """A link has the most specific id last."""
    query = query_of(text)
    assert (query.words, query.kind) == (words, kind)


WRONG = {
    "an empty text": ([" "], "it is empty"),
    "an unknown resource": (["x", "--kind", "Alarm"], "the resources are"),
    "two choices of stacks": (["x", "--stack", "dev", "--all-stacks"], "not both"),
    "no state": (["x", "--state-file", "missing.json"], "cannot be opened"),
}


@pytest.mark.parametrize(("words", "message"), WRONG.values(), ids=WRONG)
def test_wrong_command_line(words: list[str], message: str) -> None:
    """The message names the mistake."""
    done = CliRunner().invoke(app, ["find", *words], env={"COLUMNS": "200"})
    assert done.exit_code == FindExit.USAGE, done.output
    assert message in done.output


def test_file_that_is_no_state(place: Place) -> None:
    """Nothing is searched."""
    Path("odd.json").write_text("[1]", encoding="utf-8")
    done = place.find("x", "--state-file", "odd.json")
    assert done.exit_code == FindExit.NOT_FOUND
    assert "error: odd.json is not a state from `pulumi stack export`" in done.stderr
