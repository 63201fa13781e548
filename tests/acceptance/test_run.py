"""The acceptance run against a sandbox."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import httpx
import pytest

from acceptance import plan, report
from acceptance.account import UNNAMED_RESET, Kind, reset_of
from acceptance.guard import Ledger, Request, Run
from acceptance.lives import Played, subjects_of
from acceptance.needs import NOTHING, Needs
from acceptance.observed import Observed
from acceptance.proxy import Exchange
from acceptance.run import Connected, WrongAccountError, check_owner, clean_up, connected, new_ledger, play, sweep
from acceptance.subject import Step
from clouddb_tools.sandbox import Sandbox
from clouddb_tools.sandbox.seed import KINDS
from pulumi_clouddb.registry import OPERATIONS
from support.sessions import ORGANIZATION, config_for

from .given import with_member

HOOK = {"service": "generic", "url": "https://events.example.com/pager"}


def ledger_of(kind: Kind, sandbox: Sandbox, folder: Path, needs: Needs = NOTHING) -> Ledger:
    """Return the ledger of a new run against a sandbox."""
    return new_ledger(kind, config_for(sandbox), sandbox.organization_id, needs, folder)


@pytest.fixture(params=list(Kind), ids=lambda each: each.value)
def connection(request: pytest.FixtureRequest, sandbox: Sandbox, tmp_path: Path) -> Iterator[Connected]:
    """A run that is connected to a sandbox."""
    with connected(request.param, config_for(sandbox), ledger_of(request.param, sandbox, tmp_path)) as connection:
        yield connection


def objects(sandbox: Sandbox) -> dict[str, Any]:
    """Return all objects, without the time at which the key was used."""
    found = {kind: sandbox.objects(kind) for kind in KINDS}
    return {kind: {id_: {**each, "usedAt": None} for id_, each in some.items()} for kind, some in found.items()}


def test_lives_pass_and_leave_nothing(connection: Connected, sandbox: Sandbox) -> None:
    """A life passes in both front ends, its requests are labelled and reported, and its objects are deleted."""
    before = objects(sandbox)
    exchanges: list[Exchange] = []
    observed = Observed()
    connection.proxy.listeners += [exchanges.append, observed]
    account = connection.account
    name = "role" if account.kind is Kind.CLOUD else "webhook with everything"
    lives = play(connection, [each for each in subjects_of(account.kind) if each.name == name], show=lambda _: None)
    assert [(each.front_end, each.problems) for each in lives if not each.passed] == []
    assert [each.front_end for each in lives] == ["dynamic", "plugin"]
    assert clean_up(connection) == []
    assert objects(sandbox) == before
    assert connection.proxy.refused == []
    assert sum(each.lost for each in exchanges) == len(lives)
    assert all(": " in each.who or each.who in ("world", "sweep") for each in exchanges)
    assert connection.ledger.file is not None
    assert not connection.ledger.file.exists()
    assert observed.requests == len(exchanges)
    text = "\n".join(report.lines(account, lives, observed, {"Assumptions": ["None."]}, [], date(2026, 11, 26)))
    assert f"| {name} | ✓ | ✓ |" in text
    assert "### Assumptions\n\nNone.\n" in text
    assert "### Problems" not in text


def test_report_names_problems_and_no_credentials(connection: Connected) -> None:
    """Each problem is in the report with object, front end and step, and no text has the credentials."""
    account = connection.account
    (subject, *_) = subjects_of(account.kind)
    secret = account.credentials[-1]
    failed = Played(subject, "plugin", {Step.CREATE: [], Step.PREVIEW: [f"shows\n{secret}"]})
    skipped = Played(subject, "dynamic", skipped="no broker")
    text = "\n".join(report.lines(account, [failed, skipped], Observed(), {}, ["a: not deleted"], date(2026, 11, 26)))
    text = report.without_credentials(text, account)
    assert f"| {subject.name} | ✓ | ✗ plugin |" in text
    assert f"- {subject.name}, plugin, clean preview: shows ***" in text
    assert f"### Skipped\n\n- {subject.name}: no broker\n" in text
    assert "### Left on the server\n\n- a: not deleted" in text
    assert secret not in text


def test_lagging_list_and_the_limit_are_reported(sandbox: Sandbox, tmp_path: Path) -> None:
    """Lists without a new object are counted with the time until one has it, and so are responses with 429."""
    sandbox.fault("list_keys", "rate_limit", reset=0)
    observed = Observed()
    slept: list[float] = []
    ledger = ledger_of(Kind.CLOUD, sandbox, tmp_path)
    with connected(Kind.CLOUD, config_for(sandbox), ledger) as connection:
        connection.proxy.listeners.append(observed)
        account = replace(connection.account, sleep=slept.append)
        path = account.path(OPERATIONS["list_keys"])
        account.raw("POST", path, {"name": account.run.name("ci"), "roles": ["developer"]})
        sandbox.fault("list_keys", "lag", times=2, wait=60)
        for _ in range(3):
            assert account.raw("GET", path).is_success
        clean_up(connection)
    assert [misses > 0 for misses, _ in observed.lags["keys"]] == [True]
    assert observed.limited == len(slept) == 1
    assert observed.headers


def test_late_lists_and_settings_of_the_shell_reach_no_other_server(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A life whose object no list shows for a while says so, sends nothing made from nothing, and ends clean."""
    before = objects(sandbox)
    sandbox.fault("list_webhooks", "lag", times=1000, wait=3)
    (subject,) = (each for each in subjects_of(Kind.CLOUD) if each.resource == "Webhook")
    with Sandbox(vocabulary="clickhouse") as other:
        monkeypatch.setenv("CLOUDDB_STACK_URL", other.stack_url)
        monkeypatch.setenv("CLOUDDB_STACK_TOKEN", "stack-token")
        with connected(Kind.CLOUD, config_for(sandbox), ledger_of(Kind.CLOUD, sandbox, tmp_path)) as connection:
            lives = play(connection, [subject], show=lambda _: None, front_ends=["plugin"])
            assert clean_up(connection) == []
        assert other.requests == []
    assert connection.proxy.refused == []
    assert {line.partition(" for ")[0] for each in lives for some in each.problems.values() for line in some} == {
        "a refresh does not find the object"
    }
    assert Step.DELETE in lives[0].problems
    assert objects(sandbox) == before


RESETS: dict[str, tuple[dict[str, str], float]] = {
    "seconds": ({"x-ratelimit-reset": "6.5"}, 7.5),
    "none": ({}, UNNAMED_RESET),
    "two points": ({"x-ratelimit-reset": "1.2.3"}, UNNAMED_RESET),
    "a far time": ({"ratelimit-reset": "4000000000"}, 121),
    "a past date": ({"retry-after": "Wed, 21 Oct 2020 07:28:00 GMT"}, UNNAMED_RESET),
}


@pytest.mark.parametrize(("headers", "seconds"), RESETS.values(), ids=RESETS)
def test_wait_for_the_limit_is_bounded(headers: dict[str, str], seconds: float) -> None:
    """In whatever form a server names its end."""
    assert reset_of(httpx.Response(429, headers=headers)) == seconds


def test_plan_says_what_it_makes_and_costs(sandbox: Sandbox, tmp_path: Path) -> None:
    """Before anything is sent that writes, the plan has the objects, the time, the services and the price."""
    for tier, price in (("BASIC", "at most about $"), (None, "not known")):
        config = config_for(sandbox, organizationTier=tier)
        with connected(Kind.CLOUD, config, ledger_of(Kind.CLOUD, sandbox, tmp_path)) as connection:
            text = "\n".join(plan.lines(connection.account, subjects_of(Kind.CLOUD), NOTHING, ("dynamic", "plugin")))
        assert sandbox.organization_id in text
        assert "at most 2 services at once" in text
        assert f"Cost: {price}" in text
        assert "Skips invitation: the file of needs does not have `invite`" in text
        needs = with_member(sandbox)
        for name, announced in (("Service", False), ("PostgresService", True)):
            played = [each for each in subjects_of(Kind.CLOUD) if each.resource == name]
            lines = [*plan.lines(connection.account, played, needs, ("plugin",))]
            assert any("Postgres services" in each for each in lines) is announced
    assert all(each.method == "GET" for each in sandbox.requests)


def test_sweep_deletes_what_was_left(sandbox: Sandbox, tmp_path: Path) -> None:
    """It deletes what the ledger has, and what a create without a response made, and nothing else."""
    config = config_for(sandbox)
    sandbox.add_key(name="of others", roles=["developer"])
    before = objects(sandbox)
    with connected(Kind.CLOUD, config, ledger_of(Kind.CLOUD, sandbox, tmp_path)) as connection:
        account, run = connection.account, connection.ledger.run
        connection.ledger.begins()
        path = f"/v1/organizations/{account.organization_id}/keys"
        for name in ("known", "only about to be made"):
            account.raw("POST", path, {"name": run.name(name), "roles": ["developer"]}).raise_for_status()
    assert connection.ledger.file is not None
    lines = connection.ledger.file.read_text().splitlines()
    connection.ledger.file.write_text("\n".join(lines[:-1]))
    swept = list(sweep(Kind.CLOUD, config, sandbox.organization_id, tmp_path))
    assert [each.rpartition(": ")[2] for each in swept] == ["deleted", "deleted"]
    assert objects(sandbox) == before
    assert list(sweep(Kind.CLOUD, config, sandbox.organization_id, tmp_path)) == []


def test_write_to_an_object_of_others_does_not_arrive(connection: Connected, sandbox: Sandbox) -> None:
    """The proxy refuses it, and the server never sees it."""
    sandbox.forget_requests()
    response = connection.account.raw("DELETE", "/api/v2/webhooks/theirs")
    assert not response.is_success
    assert sandbox.requests == []
    assert len(connection.proxy.refused) == 1


def test_credentials_of_another_organization_are_refused(connection: Connected) -> None:
    """The id that the caller names must be that of the organization, or of the team, of the credentials."""
    with pytest.raises(WrongAccountError, match=ORGANIZATION):
        check_owner(connection.account, ORGANIZATION)


def test_key_of_another_organization_is_refused(sandbox: Sandbox) -> None:
    """A configured id does not prove that the key belongs to the organization."""
    config = config_for(sandbox, organizationId=ORGANIZATION)
    with connected(Kind.CLOUD, config, Ledger(Run.new())) as connection, pytest.raises(WrongAccountError):
        check_owner(connection.account, ORGANIZATION)


def test_lost_response_reaches_listeners_and_the_ledger(connection: Connected) -> None:
    """The client sees a connection that is reset; the run knows what the server made."""
    account = connection.account
    path = f"/v1/organizations/{account.organization_id}/keys"
    body: Any = {"name": account.run.name("ci"), "roles": ["developer"]}
    if account.kind is Kind.OBSERVABILITY:
        path, body = "/api/v2/webhooks", {**HOOK, "name": account.run.name("Pager")}
    connection.proxy.lose(lambda request: request.path == path)
    with pytest.raises(httpx.HTTPError):
        account.raw("POST", path, body)
    assert len(connection.ledger.made) == 1
    assert not connection.ledger.pending
    assert not connection.proxy.is_losing


def test_request_is_forwarded_as_it_was_sent(sandbox: Sandbox) -> None:
    """Method, query and body arrive, and status, headers and body return."""
    with connected(Kind.OBSERVABILITY, config_for(sandbox), Ledger(Run.new())) as connection:
        seen: list[Exchange] = []
        connection.proxy.listeners.append(seen.append)
        response = connection.account.raw("GET", "/api/v2/alerts?limit=1", who="a probe")
    assert response.json()["meta"]["limit"] == 1
    (exchange,) = seen
    assert (exchange.method, exchange.path, exchange.query) == ("GET", "/api/v2/alerts", "limit=1")
    assert (exchange.status, exchange.response_body, exchange.who) == (200, response.json(), "a probe")
    assert not Request("GET", "/").writes
