"""A sweep among objects of others: what is proven to be the run's goes, what may be is named, and the rest stays."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator, Mapping
from itertools import permutations
from pathlib import Path
from typing import Any

import httpx
import pytest

from acceptance.account import Kind, result_of
from acceptance.guard import Ledger
from acceptance.needs import NOTHING, Needs
from acceptance.parts import Part, Patient
from acceptance.proxy import Exchange
from acceptance.run import connected, new_ledger, send, sweep
from acceptance.sweep import CASES, NOT_DONE, Facts
from clouddb_tools.sandbox import Sandbox
from clouddb_tools.sandbox.roles import system_role
from pulumi_clouddb.create.verdicts import decide
from real_server import play
from support.sessions import config_for

from .given import with_member
from .test_others import differences, objects

pytestmark = pytest.mark.beyond_the_description

VIEW = {"allowDeny": "ALLOW", "permissions": ["control-plane:service:view"], "resources": ["instance/*"]}

ROWS = {
    "body and time are those of the request": Facts(has_name=False),
    "its body is that of the request": Facts(created_in_time=False),
    "it has the name or the tag of the run": Facts(is_as_sent=False),
    "it was created when a run did that needs no names": Facts(is_as_sent=False, has_name=False, needs_no_name=True),
    "nothing connects it with the request": Facts(is_as_sent=False, has_name=False),
}


@pytest.mark.parametrize("name", [each.name for each in CASES])
def test_case(name: str) -> None:
    """The row of this name decides about these facts."""
    assert decide(CASES, ROWS[name]).name == name


class Killed(BaseException):
    """Raised in place of the end of a run's process."""


class Runs:
    """The runs on one server, and their sweeps.

    Args:
        folder: The folder of the ledgers.
    """

    def __init__(self, kind: Kind, sandbox: Sandbox, folder: Path) -> None:
        self.kind, self.sandbox, self.folder, self.config = kind, sandbox, folder, config_for(sandbox)

    def new(self, needs: Needs = NOTHING, folder: str = "") -> Ledger:
        """Return the ledger of a new run."""
        return new_ledger(self.kind, self.config, self.sandbox.organization_id, needs, self.folder / folder)

    def sweep(self, folder: str = "") -> list[str]:
        """Sweep, and return the lines about objects that are left."""
        lines = list(sweep(self.kind, self.config, self.sandbox.organization_id, self.folder / folder))
        return [each for each in lines if NOT_DONE in each]


def forget_last_line(ledger: Ledger) -> None:
    """Let a run have died before it recorded the last response."""
    assert ledger.file is not None
    lines = ledger.file.read_text().splitlines()
    ledger.file.write_text("\n".join(lines[:-1]) + "\n")


def role(name: str, **more: Any) -> dict[str, Any]:
    """Return the body of a role."""
    return {"name": name, "actors": [], "policies": [VIEW], **more}


@pytest.mark.parametrize("arrived", [True, False])
def test_names_like_those_of_a_run_are_no_proof(strangers: Sandbox, tmp_path: Path, arrived: bool) -> None:
    """A colleague's copies have the token, or the whole name, or the whole body: they are named, and stay."""
    runs = Runs(Kind.CLOUD, strangers, tmp_path)
    ledger = runs.new()
    with connected(Kind.CLOUD, runs.config, ledger) as connection:
        account = connection.account
        ledger.begins()
        path, name = f"/v1/organizations/{account.organization_id}/roles", ledger.run.name("Reader")
        account.raw("GET", path)
        before = objects(strangers)
        account.raw("POST", path, role(name)).raise_for_status()
    forget_last_line(ledger)
    if not arrived:
        (made,) = objects(strangers)["roles"].keys() - before["roles"].keys()
        strangers.remove("roles", made)
    copies = [strangers.add("roles", **role(f"Copy of {name}"))]
    copies += [strangers.add("roles", **role(name, policies=[{**VIEW, "allowDeny": "DENY"}]))]
    strangers.advance(3600)
    copies += [strangers.add("roles", **role(name))]
    for number in range(5):
        strangers.add("roles", **role(f"Production {number}"))
    expected = objects(strangers)
    if arrived:
        (made,) = [id_ for id_, each in expected["roles"].items() if each["name"] == name and id_ not in ids(copies)]
        del expected["roles"][made]
    named = runs.sweep()
    assert differences(expected, objects(strangers)) == []
    assert len(named) == (0 if arrived else len(copies))
    assert all(any(each["id"] in line for line in named) for each in copies if not arrived)
    assert bool(list(tmp_path.glob("*.jsonl"))) == (not arrived)


def ids(records: list[dict[str, Any]]) -> set[str]:
    """Return the ids of records."""
    return {each["id"] for each in records}


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    """A sandbox of the vendor's dialect, which has roles and members."""
    with Sandbox(vocabulary="clickhouse") as sandbox:
        yield sandbox


@pytest.fixture
def team() -> Iterator[Sandbox]:
    """A sandbox whose self-hosted server has no objects."""
    with Sandbox(vocabulary="clickhouse") as sandbox:
        with sandbox.self_hosted() as http:
            play.empty(http)
        yield sandbox


def colleagues_work(team: Sandbox, word: str) -> dict[str, Any]:
    """Create dashboards and webhooks of others, and return what the server has of each kind."""
    before = objects(team)
    for number in range(5):
        team.add("dashboards", name=f"{word} {number}", tiles=[])
        team.add("webhooks", name=f"{word} {number}", service="generic", url=f"https://example.com/{word}/{number}")
    after = objects(team)
    return {kind: {i: some[i] for i in some if i not in before[kind]} for kind, some in after.items()}


@pytest.mark.slow
@pytest.mark.parametrize("at", [2, 20])
@pytest.mark.parametrize("part", list(Part))
def test_killed_raw_requests_take_nothing_along(
    team: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: Part, at: int
) -> None:
    """Objects that others create on the server during the run, and before the sweep, stay."""
    runs, initial = Runs(Kind.OBSERVABILITY, team, tmp_path), ids_of(objects(team))
    with connected(Kind.OBSERVABILITY, runs.config, runs.new()) as connection:
        theirs: list[dict[str, Any]] = []

        def work(exchange: Exchange) -> None:
            if exchange.method == "POST" and not theirs:
                theirs.append(colleagues_work(team, "Staging"))

        connection.proxy.listeners.append(work)
        die_at(at, monkeypatch)
        with pytest.raises(Killed):
            send(connection, part, count=60)
    own = ids_of(objects(team)) - ids_of(theirs[0]) - initial
    theirs.append(colleagues_work(team, "Production"))
    named = runs.sweep()
    left = objects(team)
    expected = {kind: {**theirs[0][kind], **theirs[1][kind]} for kind in left}
    assert {kind: {i: left[kind].get(i) for i in some} for kind, some in expected.items()} == expected
    assert own
    assert [each for each in own & ids_of(left) if not any(each in line for line in named)] == []


def ids_of(found: Mapping[str, Mapping[str, Any]]) -> set[str]:
    """Return the ids of objects of all kinds."""
    return {id_ for some in found.values() for id_ in some}


def die_at(number: int, patch: pytest.MonkeyPatch) -> None:
    """Let a run that sends raw requests die before it records the response to a create."""
    answered, sent, count = Ledger.answered, Patient.send, itertools.count(1)
    is_dead = threading.Event()

    def answer(self: Ledger, *arguments: Any) -> None:
        if next(count) == number:
            is_dead.set()
        if not is_dead.is_set():
            answered(self, *arguments)

    def send_one(self: Patient, request: httpx.Request, **options: Any) -> httpx.Response:
        response = sent(self, request, **options)
        if is_dead.is_set():
            raise Killed
        return response

    patch.setattr(Ledger, "answered", answer)
    patch.setattr(Patient, "send", send_one)


# -- several runs --------------------------------------------------------------------------------------------------


def aborted(runs: Runs, needs: Needs, folder: str) -> None:
    """Play a run that gives a member a role of its own, renames the organization, and dies."""
    ledger = runs.new(needs, folder)
    with connected(Kind.CLOUD, runs.config, ledger) as connection:
        account = connection.account
        ledger.begins()
        here = f"/v1/organizations/{account.organization_id}"
        made = result_of(account.raw("POST", f"{here}/roles", role(account.run.name("Reader"))))
        for path, body in changes(needs, made["id"], ledger.run.token).items():
            account.raw("PATCH", f"{here}{path}", body).raise_for_status()


def changes(needs: Needs, role_id: str, name: str) -> dict[str, Any]:
    """Return the bodies by path that give the member a role, and the organization a name."""
    return {f"/members/{needs.member}": {"assignedRoleIds": [role_id]}, "": {"name": name}}


def borrowed(sandbox: Sandbox, needs: Needs) -> Any:
    """Return the roles of the member, and the name of the organization."""
    with sandbox.management() as http:
        member = http.get(f"members/{needs.member}").json()["result"]
        name = http.get("").json()["result"]["name"]
    return [each["roleId"] for each in member["assignedRoles"]], name


@pytest.mark.parametrize("count", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_one_sweep_restores_what_the_first_run_found(strangers: Sandbox, tmp_path: Path, count: int) -> None:
    """Ledgers are swept newest first, whatever their names."""
    needs, runs = with_member(strangers), Runs(Kind.CLOUD, strangers, tmp_path)
    before, found = objects(strangers), borrowed(strangers, needs)
    for _ in range(count):
        aborted(runs, needs, "")
    assert borrowed(strangers, needs) != found
    assert runs.sweep() == []
    assert differences(before, objects(strangers)) == []


ORDERS = [order for count in (2, 3) for order in permutations(range(count))]


@pytest.mark.slow
@pytest.mark.parametrize("order", ORDERS, ids=lambda each: "".join(map(str, each)))
def test_sweeps_in_any_order_restore_or_name(sandbox: Sandbox, tmp_path: Path, order: tuple[int, ...]) -> None:
    """On machines of their own, a sweep restores only what its run has set; it names what is otherwise."""
    needs, runs = with_member(sandbox), Runs(Kind.CLOUD, sandbox, tmp_path)
    found = borrowed(sandbox, needs)
    for number in sorted(order):
        aborted(runs, needs, str(number))
    named = [line for _ in order for number in order for line in runs.sweep(str(number))]
    is_newest_first = list(order) == sorted(order, reverse=True)
    assert (named == []) == is_newest_first
    assert all("not restored" in line for line in named)
    assert (borrowed(sandbox, needs) == found) >= is_newest_first


def test_change_by_somebody_else_is_not_restored(sandbox: Sandbox, tmp_path: Path) -> None:
    """After an aborted run, somebody repairs the member by hand: that stays, and is named until the ledger is gone."""
    needs, runs = with_member(sandbox), Runs(Kind.CLOUD, sandbox, tmp_path)
    aborted(runs, needs, "")
    with sandbox.management() as http:
        for path, body in changes(needs, system_role("admin"), "Shop").items():
            http.patch(path, json=body).raise_for_status()
    now = borrowed(sandbox, needs)
    named = runs.sweep()
    assert [("not restored" in each, str(tmp_path) in each) for each in named] == [(True, True)] * 2
    assert borrowed(sandbox, needs) == now
