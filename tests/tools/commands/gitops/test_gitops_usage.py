"""What a plan uses of the organization: quotas that it would pass, and what the services have cost that it touches."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from clouddb_tools.commands.gitops.exit_codes import ExitCode
from clouddb_tools.commands.gitops.markdown import markdown
from clouddb_tools.commands.gitops.report import PropertyChange, Report, ResourceChange
from clouddb_tools.commands.gitops.usage import Organization, add_usage
from clouddb_tools.sandbox import Sandbox
from clouddb_tools.sandbox.organizations import CREDITS_PER_DAY, QUOTAS
from support.checkout import STACK, Checkout
from support.printed import lines_of
from support.sessions import config_for

LIMIT = QUOTAS["services-per-organization"][2]
DAYS = 31
"""Of a report of costs, with its last day."""


@pytest.fixture(scope="module")
def server() -> Iterator[Sandbox]:
    """A server with room for one service."""
    with Sandbox(vocabulary="clickhouse") as sandbox:
        for number in range(LIMIT - 1):
            sandbox.add("services", name=f"service {number}", provider="aws", region="us-east-1")
        yield sandbox


@pytest.fixture
def sandbox(server: Sandbox) -> Sandbox:
    """That server, at which nothing goes wrong."""
    server.clear_faults()
    return server


def change(
    operation: str, name: str = "orders", id_: str = "", type_: str = "clouddb:index:Service", **properties: int
) -> ResourceChange:
    """Return a change of a service."""
    return ResourceChange(
        operation=operation,
        urn=f"urn:{name}",
        type=type_,
        name=name,
        id=id_,
        database=True,
        properties=[PropertyChange(path=path, kind="update", new=new) for path, new in properties.items()],
    )


def usage(sandbox: Sandbox, *changes: ResourceChange) -> Report:
    """Return the report of a preview with these changes."""
    report = Report(command="preview", stack="dev", resources=list(changes))
    add_usage(report, Organization(config_for(sandbox), report))
    return report


PASSED: dict[str, tuple[list[ResourceChange], str]] = {
    "one more fits": ([change("create", "a")], ""),
    "two more do not": (
        [change("create", "a"), change("create", "b")],
        f"Services per organization: {LIMIT - 1} of {LIMIT} are used, and this plan creates 2 more: a, b.",
    ),
    "a deletion makes no room: Pulumi deletes last": (
        [change("create", "a"), change("create", "b"), change("delete", "c")],
        f"Services per organization: {LIMIT - 1} of {LIMIT} are used, and this plan creates 2 more: a, b.",
    ),
    "replicas of one service": (
        [change("update", numReplicas=3, maxReplicas=21)],
        "Replicas per warehouse: the limit is 20, and this plan requires 21 for orders.",
    ),
    "fewer replicas": ([change("update", numReplicas=20)], ""),
}


@pytest.mark.parametrize(("changes", "words"), PASSED.values(), ids=PASSED)
def test_a_quota_that_a_plan_would_pass_is_shown(sandbox: Sandbox, changes: list[ResourceChange], words: str) -> None:
    """First of all, at the terminal and in the comment on a pull request."""
    report = usage(sandbox, *changes)
    for text in (lines_of(report, 200), markdown(report)):
        assert ("would exceed a quota" in text) == bool(words)
        assert words in text


def test_a_service_that_is_touched_has_its_cost_beside_it(sandbox: Sandbox) -> None:
    """Of the last 30 days and today; one whose name changes costs what it cost."""
    first, second, third = list(sandbox.services)[:3]
    renamed = change("update", "c", third)
    renamed.properties = [PropertyChange(path="name", kind="update", old="c", new="d")]
    report = usage(sandbox, change("delete", "a", first), change("update", "b", second, numReplicas=4), renamed)
    assert [each.cost for each in report.resources] == [DAYS * CREDITS_PER_DAY] * 2 + [None]
    for text in (lines_of(report, 200), markdown(report)):
        assert text.count("cost in the last 30 days: 46.5 credits") == 2


@pytest.mark.parametrize(
    ("operation", "words"),
    [
        ("list_quotas", "The quotas of the organization are unknown: could not list the quotas"),
        ("get_usage_cost", "The costs of the organization are unknown: could not read the cost"),
    ],
)
def test_a_key_that_may_not_ask_is_no_reason_to_fail(sandbox: Sandbox, operation: str, words: str) -> None:
    """The report says what is not known, and has the rest."""
    sandbox.fault(operation, "status", status=403)
    report = usage(sandbox, change("update", "a", next(iter(sandbox.services)), maxReplicas=21))
    for text in (lines_of(report, 200), markdown(report)):
        assert words in text
    assert bool(report.quotas) != (report.resources[0].cost is not None)


def test_a_server_that_fails_does_not_hold_up_a_preview(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the time for retries of other requests: the report says what is not known."""
    monkeypatch.setattr("clouddb_tools.commands.gitops.usage.RETRY_SECONDS", 1.0)
    sandbox.fault("list_quotas", "status", status=502, times=1000)
    report = Report(command="preview", stack="dev", resources=[change("create")])
    config = config_for(sandbox).model_copy(update={"retry_timeout_seconds": None})
    began = time.monotonic()
    add_usage(report, Organization(config, report))
    assert time.monotonic() - began < config.retry_seconds / 4
    assert "The quotas of the organization are unknown: could not list the quotas" in report.not_known[0]


def test_nothing_is_asked_that_a_plan_does_not_need(sandbox: Sandbox) -> None:
    """No service changes, or only its name."""
    before = len(sandbox.requests)
    key, renamed = change("create"), change("update")
    key.type = "clouddb:index:ApiKey"
    renamed.properties = [PropertyChange(path="name", kind="update", old="a", new="b")]
    postgres = [change(operation, type_="clouddb:index:PostgresService") for operation in ("create", "replace")]
    usage(sandbox, key, renamed, *postgres)
    usage(sandbox)
    assert len(sandbox.requests) == before


def test_other_servers_have_no_quotas() -> None:
    """They are not asked."""
    with Sandbox() as sandbox:
        report = usage(sandbox, change("create"), change("delete"))
        assert sandbox.requests == []
        assert report.not_known == []


@pytest.mark.cli
def test_policies_judge_what_a_preview_has_asked(server: Sandbox, tmp_path: Path) -> None:
    """The one service fits in the quota, and leaves nothing to others; without a question there is nothing to judge."""
    checkout = Checkout(tmp_path, server)
    (checkout.folder / "levels.json").write_text('{"quota-headroom": "mandatory"}', encoding="utf-8")
    packs = ("--policy-pack", "policies", "--policy-pack-config", "levels.json")
    words = ("preview", "--stack", STACK, *packs)
    forbidden = checkout.ci(*words)
    assert forbidden.returncode == ExitCode.POLICY, forbidden.stdout + forbidden.stderr
    assert f"has {LIMIT - 1} of {LIMIT} in use, and this plan creates 1 more; leave at least 1 free" in forbidden.stdout
    unasked = checkout.ci(*words, "--no-usage")
    assert unasked.returncode == ExitCode.OK, unasked.stdout + unasked.stderr
