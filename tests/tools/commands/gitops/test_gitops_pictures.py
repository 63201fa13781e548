"""`clouddb ci preview --pictures`: the files, and their entries in the report.

test_render_cli tests a real preview with the CLI.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from pulumi.automation.events import EngineEvent
from typer.testing import CliRunner

from clouddb_tools.commands.gitops.errors import CommandFailedError
from clouddb_tools.commands.gitops.events import Collector
from clouddb_tools.commands.gitops.exit_codes import ExitCode
from clouddb_tools.commands.gitops.markdown import markdown
from clouddb_tools.commands.gitops.pictures import Gallery, clear, draw
from clouddb_tools.commands.gitops.preview import preview
from clouddb_tools.commands.gitops.project import Project, Run
from clouddb_tools.commands.gitops.report import DrawnDashboard, Report
from clouddb_tools.commands.main import app
from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.schema.config import ProviderConfig
from support.ids import LOGS
from support.pictures import LINE, parsed, texts, tile
from support.printed import unboxed
from support.sessions import config_for

URN = "urn:pulumi:dev::shop::clouddb:index:{}::{}"
SECRET = "correct-horse-battery"
Values = dict[str, Any]


class Stack(Project):
    """A stack with known secrets, without a CLI."""

    def __init__(
        self,
        secrets: frozenset[str] | None = frozenset({SECRET}),
        stack: str = "dev",
        settings: Mapping[str, str] = MappingProxyType({}),
        run: Run | None = None,
    ) -> None:
        self.stack, self.name, self.folder = stack, "shop", Path()
        self._secrets, self._settings, self._previewed = secrets, dict(settings), run

    def settings(self) -> dict[str, str]:
        """Return the settings; without any, no server is checked."""
        return self._settings

    def preview(self, *_: object, **__: object) -> Run:
        """Return the given result, or fail as a program does."""
        return self._previewed or Run(False, Collector(), "the program failed")

    def secrets(self) -> frozenset[str]:
        """Return the secrets, or fail as the CLI does."""
        if self._secrets is None:
            raise CommandFailedError("stack 'dev' cannot be read")
        return self._secrets


def step(name: str, old: Values | None, new: Values | None, kind: str = "Dashboard") -> EngineEvent:
    """Return the event of one step."""
    urn, token = URN.format(kind, name), f"clouddb:index:{kind}"
    state = {"type": token, "urn": urn, "custom": True, "id": f"id-{name}", "parent": "", "provider": ""}
    sides = {
        side: {**state, "inputs": inputs, "outputs": inputs} if inputs is not None else None
        for side, inputs in (("old", old), ("new", new))
    }
    operation = "create" if old is None else "delete" if new is None else "same" if old == new else "update"
    metadata = {"op": operation, "urn": urn, "type": token, "provider": "", **sides}
    return EngineEvent.from_json({"sequence": 1, "timestamp": 1, "resourcePreEvent": {"metadata": metadata}})


def drawn(
    folder: Path,
    *events: EngineEvent,
    stack: Project | None = None,
    url: str = "",
    config: ProviderConfig | None = None,
) -> Report:
    """Draw a preview of these events, and return its report."""
    collector = Collector()
    for event in events:
        collector(event)
    plan = folder / "plan.json"
    plan.write_text(json.dumps({"resourcePlans": {}}), encoding="utf-8")
    report = Report(command="preview", stack="dev")
    project, gallery = stack or Stack(), Gallery(folder / "pics", url)
    report.messages += clear(project, gallery)
    draw(project, Run(True, collector), plan, gallery, report, config or ProviderConfig())
    return report


def board(name: str = "Shop", *tiles: Values) -> Values:
    """Return the inputs of a dashboard."""
    return {"name": name, "tiles": list(tiles) or [tile("a", 0, 0, 12, 5)]}


def test_sources_that_the_stack_does_not_create_have_their_names(sandbox: Sandbox, tmp_path: Path) -> None:
    """One request returns them, and a list that fails is a warning; a source of the stack needs no request."""
    shown = tile("a", 0, 0, 12, 5, config={**LINE, "sourceId": LOGS})
    events = step("new", None, board("A", shown)), step("more", None, board("B", shown))
    config = config_for(sandbox, retryTimeoutSeconds=0)

    assert drawn(tmp_path, *events, config=config).messages == []
    assert "line · Logs" in texts(parsed((tmp_path / "pics" / "new.svg").read_text(encoding="utf-8")))
    assert [entry.operation for entry in sandbox.requests] == ["self_hosted_list_sources"]

    sandbox.fault("self_hosted_list_sources", "status", status=403)
    (warning,) = drawn(tmp_path, *events, config=config).messages
    assert warning.text.startswith("The pictures show the ids of data sources, not their names: could not list")
    assert f"line · {LOGS}" in texts(parsed((tmp_path / "pics" / "new.svg").read_text(encoding="utf-8")))

    sandbox.forget_requests()
    assert drawn(tmp_path, step("new", None, board("A", tile("b")))).messages == []
    assert sandbox.requests == []


def test_each_changed_dashboard_gets_a_file(tmp_path: Path) -> None:
    """One page shows all of them; unchanged dashboards get none."""
    report = drawn(
        tmp_path,
        step("new", None, board("A")),
        step("gone", board("B"), None),
        step("same", board("C"), board("C")),
        step("other", board("D"), board("D", tile("b"))),
    )
    assert sorted(each.name for each in (tmp_path / "pics").iterdir()) == [
        "gone.svg",
        "index.html",
        "new.svg",
        "other.svg",
    ]
    assert {each.resource: each.summary for each in report.pictures} == {
        "new": "The dashboard is added.",
        "gone": "The dashboard is removed, with its alerts.",
        "other": "1 tile added, 1 tile removed.",
    }
    for each in report.pictures:
        assert texts(parsed(Path(each.file).read_text(encoding="utf-8")))
    assert not report.messages


def test_preview_without_changes_removes_earlier_pictures(tmp_path: Path) -> None:
    """An old page could be mistaken for this preview's."""
    drawn(tmp_path, step("new", None, board()))
    assert (tmp_path / "pics" / "index.html").exists()
    assert drawn(tmp_path, step("new", board(), board())).pictures == []
    assert not (tmp_path / "pics" / "index.html").exists()


@pytest.mark.parametrize("stack", ["dev", "a--b---c", "org/shop/dev"])
def test_only_pictures_of_an_earlier_run_are_removed(tmp_path: Path, stack: str) -> None:
    """The first line of a file identifies its stack; files of other stacks and other files remain."""
    folder = tmp_path / "pics"
    drawn(tmp_path, step("foreign", None, board()), stack=Stack(stack="other"))
    drawn(tmp_path, step("old", None, board()), step("both", None, board()), stack=Stack(stack=stack))
    old = (folder / "old.svg").read_text(encoding="utf-8")
    parsed(old)
    first, _, rest = old.partition("\n")
    others = {
        "by hand.svg": "<svg/>",
        "empty.svg": "",
        "binary.svg": "\x00" * 5000,
        "below.svg": f"<svg>\n{first}\n{rest}",
        "old.svg.txt": old,
        "old.png": old,
    }
    for name, text in others.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "folder.svg").mkdir()
    report = drawn(tmp_path, step("both", None, board()), stack=Stack(stack=stack))
    assert not report.messages
    assert {each.name for each in folder.iterdir()} == {
        *(others.keys() | {"folder.svg", "foreign.svg", "both.svg", "index.html"})
    }
    assert all((folder / name).read_text(encoding="utf-8") == text for name, text in others.items())


def test_another_index_page_is_not_removed(tmp_path: Path) -> None:
    """Unless there are pictures, which need a page of that name."""
    page = tmp_path / "pics" / "index.html"
    page.parent.mkdir()
    page.write_text("<!doctype html>\n<p>Mine</p>\n", encoding="utf-8")
    drawn(tmp_path, step("new", board(), board()))
    assert page.read_text(encoding="utf-8") == "<!doctype html>\n<p>Mine</p>\n"


def test_failed_preview_removes_earlier_pictures(tmp_path: Path) -> None:
    """They could be mistaken for its own."""
    drawn(tmp_path, step("new", None, board()))
    report, code = preview(Stack(), gallery=Gallery(tmp_path / "pics"))
    assert (code, [each.text for each in report.messages]) == (ExitCode.FAILED, ["the program failed"])
    assert list((tmp_path / "pics").iterdir()) == []


def test_blocked_preview_reports_costs_quotas_and_pictures(sandbox: Sandbox, tmp_path: Path) -> None:
    """A reviewer needs them most then. Pulumi saves no plan; the report names what only a plan contains."""
    sandbox.add("services", name="Orders", provider="aws", region="us-east-1")
    policy = {"color": "never", "message": "", "policyName": "p", "policyPackName": "pack", "policyPackVersion": "1"}
    events = Collector()
    events(step("orders", {"numReplicas": 3}, {"numReplicas": 21}, "Service"))
    events(step("shop", None, board()))
    levels = {"enforcementLevel": "mandatory", "policyPackVersionTag": "1"}
    events(EngineEvent.from_json({"sequence": 1, "timestamp": 1, "policyEvent": {**policy, **levels}}))
    stack = Stack(settings=sandbox.config, run=Run(False, events))
    report, code = preview(stack, gallery=Gallery(tmp_path / "pics"))
    assert code is ExitCode.POLICY
    assert [(each.name, each.cost is not None) for each in report.resources] == [("orders", True), ("shop", False)]
    assert [each.planned for each in report.quotas] == [21]
    assert [each.resource for each in report.pictures] == ["shop"]
    (unknown,) = report.not_known
    assert "alerts on new tiles" in unknown


def test_preview_warns_if_pictures_cannot_be_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The preview continues."""
    drawn(tmp_path, step("new", None, board()))

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "unlink", refuse)
    (message,) = clear(Stack(), Gallery(tmp_path / "pics"))
    assert message.severity == "warning"
    assert message.text == (
        f"Pictures of an earlier preview in {tmp_path / 'pics'} could not be removed: Permission denied. Remove them."
    )


def test_changed_alert_redraws_its_dashboard(tmp_path: Path) -> None:
    """The new threshold is drawn, even if the dashboard is unchanged."""
    watched = {"dashboardId": "id-shop", "tileId": "id-a", "thresholdType": "above", "interval": "5m"}
    shop = {**board(), "tileIds": {"a": "id-a"}}
    old, new = ({**watched, "threshold": threshold} for threshold in (5, 9))
    report = drawn(tmp_path, step("shop", shop, shop), step("many", old, new, "Alert"))
    assert [each.summary for each in report.pictures] == ["1 tile changed."]
    assert {"at or above 5, every 5m", "at or above 9, every 5m"} <= set(
        texts(parsed((tmp_path / "pics" / "shop.svg").read_text(encoding="utf-8")))
    )


NAMES = ["a b", "a/b", "../up", "A-B", "index", "..", "é", "x" * 20, "con", "NUL.txt"]


def test_every_name_gets_its_own_file_in_the_folder(tmp_path: Path) -> None:
    """Also on case-insensitive file systems, and on Windows, which reserves the names of devices."""
    report = drawn(tmp_path, *(step(name, None, board(name)) for name in NAMES))
    files = [Path(each.file) for each in report.pictures]
    assert len({file.name.lower() for file in files}) == len(NAMES)
    assert {file.parent for file in files} == {tmp_path / "pics"}
    assert all(file.is_file() for file in files)
    assert not {file.name.partition(".")[0].lower() for file in files} & {"con", "nul"}


def test_pictures_contain_no_secrets_of_the_stack(tmp_path: Path) -> None:
    """At any place in a program, whether marked or not; names of files are names of resources."""
    hidden = tile(SECRET, 0, 0, 12, 5, config={"displayType": "markdown", "markdown": f"<b>{SECRET}</b>"})
    drawn(tmp_path, step("shop", board(SECRET), board(SECRET, hidden)))
    for file in (tmp_path / "pics").iterdir():
        text = file.read_text(encoding="utf-8")
        assert SECRET not in text
        assert "[secret]" in text


PREVENTED: dict[str, tuple[Project, bool, str]] = {
    "secrets cannot be read": (Stack(None), False, "No pictures were drawn: stack 'dev' cannot be read"),
    "the folder cannot be created": (Stack(), True, "Choose another folder with --pictures."),
}


@pytest.mark.parametrize(("stack", "blocked", "words"), PREVENTED.values(), ids=PREVENTED)
def test_failure_to_draw_is_a_warning(tmp_path: Path, stack: Project, blocked: bool, words: str) -> None:
    """The preview does not fail, and no picture is written without a search for secrets."""
    if blocked:
        (tmp_path / "pics").write_text("", encoding="utf-8")
    report = drawn(tmp_path, step("new", None, board()), stack=stack)
    (message,) = report.messages
    assert message.severity == "warning"
    assert words in message.text
    assert report.pictures == []
    assert not (tmp_path / "pics").is_dir()


# -- in the report -----------------------------------------------------------------------------------------------------

SHOP = DrawnDashboard(resource="sh*op", name='Sh"<op>', summary="1 tile changed.", file="pics/sh-op.svg")


def test_report_names_the_file_or_shows_the_picture(tmp_path: Path) -> None:
    """It shows pictures at the address where the folder is published; names are escaped."""
    report = Report(command="preview", stack="dev", pictures=[SHOP])
    assert "- <code>sh&#42;op</code>: 1 tile changed. Picture: <code>pics/sh-op.svg</code>" in markdown(report)
    published = SHOP.model_copy(update={"url": 'https://example.com/a"b/sh-op.svg'})
    shown = markdown(Report(command="preview", stack="dev", pictures=[published]))
    address = "https&#58;//example.com/a&quot;b/sh-op.svg"
    assert f'<a href="{address}"><img alt="Sh&quot;&lt;op&gt;, before and after" src="{address}"></a>' in shown
    made = drawn(tmp_path, step("new", None, board()), url="https://example.com/x/")
    assert made.pictures[0].url == "https://example.com/x/new.svg"


WRONG_URLS: dict[str, tuple[list[str], str]] = {
    "without a folder": (
        ["--pictures-url", "https://example.com/x"],
        "set the folder with --pictures, too",
    ),
    "of another scheme": (
        ["--pictures", "pics", "--pictures-url", "javascript:alert(1)"],
        "javascript:alert(1) is not an http or https address",
    ),
}


@pytest.mark.parametrize(("words", "message"), WRONG_URLS.values(), ids=WRONG_URLS)
def test_invalid_address_of_pictures_is_rejected(words: list[str], message: str) -> None:
    """Before the preview runs."""
    done = CliRunner().invoke(app, ["ci", "preview", "--stack", "dev", *words], env={"COLUMNS": "200"})
    assert done.exit_code == ExitCode.USAGE
    assert message in unboxed(done.output)
