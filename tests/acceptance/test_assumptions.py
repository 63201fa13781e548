"""Every assumption has a probe, and holds on the sandbox."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import httpx
import pytest

import clouddb_tools
import pulumi_clouddb
from acceptance.account import Account, Kind
from acceptance.assumptions import OF_VENDOR, Row, outcome_of, probed, probes_by_name, table_of
from acceptance.bench import Bench, Reply
from acceptance.guard import Ledger, Run
from acceptance.outcome import Differs, Holds, NotProbed
from acceptance.probes import services, unprobed
from acceptance.run import connected
from clouddb_tools.sandbox import Latency, Release, Sandbox
from codegen.assumptions import declared, declared_in
from support.sessions import config_for

pytestmark = pytest.mark.beyond_the_description
"""Probes send what the vendor's description does not have, too."""

NEEDS: dict[str, Any] = {
    "invite": "guest@example.com",
    "kafka": {
        "source": {
            "kafka": {
                "type": "kafka",
                "format": "JSONEachRow",
                "brokers": "kafka.example.com:9092",
                "topics": "clicks",
                "authentication": "PLAIN",
            }
        },
        "credentials": {"username": "probe-user", "password": "probe-password"},
    },
    "postgres_service": {"provider": "aws", "region": "us-east-1", "size": "m6gd.large"},
}
QUIRKS = {"dashboards_are_listed_by_name", "update_deletes_alerts_of_other_kinds"}
"""What the sandbox does only with `quirks`."""

UNPROBED = {name for name, probe in probes_by_name().items() if probe.__module__ == unprobed.__name__}
"""What no run can find out."""

EACH_KIND = pytest.mark.parametrize("kind", list(Kind), ids=lambda each: each.value)


@contextmanager
def account(kind: Kind, vocabulary: str = "clickhouse", **settings: Any) -> Iterator[Account]:
    """Yield an account of a sandbox; its waits advance the sandbox's clock.

    New services are not ready within a wait for the rate limit, during which a probe sees them provisioning.
    """
    with (
        Sandbox(vocabulary=vocabulary, latency=Latency(60, 1, 1, 1), rate_limit=True, **settings) as sandbox,
        connected(kind, config_for(sandbox), Ledger(Run.new())) as connection,
    ):
        yield replace(connection.account, sleep=sandbox.advance)


def test_each_assumption_has_a_probe() -> None:
    """And each probe an assumption; the names are unique."""
    names = [each.name for each in declared()]
    assert sorted({name for name in names if names.count(name) > 1}) == []
    assert sorted({*names} ^ {*probes_by_name()}) == []


def test_all_assumptions_are_found() -> None:
    """No package beside those that are searched declares one."""
    assert {each.name for each in declared_in(pulumi_clouddb, clouddb_tools)} == {each.name for each in declared()}


def test_the_report_names_differences_first() -> None:
    """Each row has the claim, the name of the probe, and the outcome on one line."""
    one, other, third = declared()[:3]
    rows = [Row(one, Holds()), Row(other, NotProbed("none")), Row(third, Differs("a | b\nc"))]
    summary, _, _, _, *table = table_of(rows)
    assert summary == "1 hold, 1 differ, 1 were not probed."
    assert [each.split(" | ")[1] for each in table] == [f"`{each.name}`" for each in (third, other, one)]
    assert table[0].endswith(" | differs: a \\| b c |")


def test_a_lost_response_to_a_deletion_changes_no_outcome() -> None:
    """The end of the run deletes what a probe has left."""
    with (
        Sandbox(vocabulary="clickhouse") as sandbox,
        connected(Kind.OBSERVABILITY, config_for(sandbox), Ledger(Run.new())) as connection,
    ):
        connection.proxy.lose(lambda request: request.method == "DELETE")
        outcome = outcome_of(Bench(connection.account), probes_by_name()["names_are_trimmed"])
        assert not connection.proxy.is_losing
    assert outcome == Holds()


@pytest.mark.slow
@pytest.mark.parametrize("release", Release)
@EACH_KIND
def test_assumptions_hold_on_the_sandbox(kind: Kind, release: Release) -> None:
    """All that can be probed are: an older server lacks some operations."""
    with account(kind, release=release) as probing:
        rows = probed(probing, NEEDS)
    holds = {"holds"} | ({f"not probed: {services.OLDER}"} if release is Release.AUGUST_2026 else set())
    assert {each.name: each.words for each in rows if each.words not in holds and each.name not in UNPROBED} == {}


@pytest.mark.slow
@EACH_KIND
def test_only_quirks_differ_without_quirks(kind: Kind) -> None:
    """All other assumptions hold."""
    with account(kind, quirks=False) as probing:
        rows = probed(probing, NEEDS)
    assert {each.name for each in rows if each.words != "holds"} - UNPROBED == QUIRKS


@pytest.mark.slow
@EACH_KIND
def test_assumptions_about_the_interface_hold_in_its_dialect(kind: Kind) -> None:
    """All others are not probed there."""
    with account(kind, "neutral") as probing:
        rows = probed(probing)
    found = {each.name: each.words for each in rows if each.words != "holds" and OF_VENDOR not in each.words}
    assert found.keys() <= {"pipe_scaling_keeps_what_it_omits"}, found


@pytest.mark.parametrize(
    ("path", "body", "is_own"),
    [
        ("/v1/organizations/a/keys/b", {"error": "NOT_FOUND: Key not found"}, True),
        ("/v1/organizations/a/keys/b", {"code": "NOT_FOUND", "message": "Key not found"}, False),
        ("/v1/organizations/a/keys/b", [], False),
        ("/api/v2/alerts/b", {"message": "Alert not found"}, True),
        ("/api/v2/alerts/b", {"error": "Alert not found"}, False),
    ],
    ids=["of the cloud", "with a code", "a list", "of an observability server", "of another server"],
)
def test_refusal_is_in_the_own_form_if_the_provider_reads_its_words(path: str, body: object, is_own: bool) -> None:
    """The provider takes no other 404 for the end of an object."""
    assert Reply(f"GET {path}", httpx.Response(404, json=body)).refused(404) is is_own


@pytest.mark.parametrize(("error", "reason"), [("no such key", "no such key"), ({"code": 4}, None), (None, None)])
def test_reason_is_a_text(error: object, reason: str | None) -> None:
    """The provider reads no other words, nor can it then tell a 404 of the API from that of a gateway."""
    reply = Reply("GET /v1/organizations", httpx.Response(404, json={"error": error}))
    assert (reply.reason, reply.refused(404), reply.is_unknown) == (reason, reason is not None, reason is None)
