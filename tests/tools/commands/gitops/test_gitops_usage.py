"""The usage of a plan: quotas that it would exceed, and the costs of the services that it changes."""

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
"""Days of a cost report, including the last one."""


@pytest.fixture(scope="module")
def server() -> Iterator[Sandbox]:
    """A server with room for one service."""
    with Sandbox(vocabulary="clickhouse") as sandbox:
        for number in range(LIMIT - 1):
            sandbox.add("services", name=f"service {number}", provider="aws", region="us-east-1")
        yield sandbox


@pytest.fixture
def sandbox(server: Sandbox) -> Sandbox:
    """The server without faults."""
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
def test_report_shows_exceeded_quotas(sandbox: Sandbox, changes: list[ResourceChange], words: str) -> None:
    """In the terminal and in the comment on a pull request."""
    report = usage(sandbox, *changes)
    for text in (lines_of(report, 200), markdown(report)):
        assert ("would exceed a quota" in text) == bool(words)
        assert words in text


def test_report_shows_costs_of_changed_services(sandbox: Sandbox) -> None:
    """The costs of the last 30 days and today; a renamed service has none, because its cost does not change."""
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
def test_preview_continues_without_permission_to_read_usage(sandbox: Sandbox, operation: str, words: str) -> None:
    """The report states which values are unknown, and has the others."""
    sandbox.fault(operation, "status", status=403)
    report = usage(sandbox, change("update", "a", next(iter(sandbox.services)), maxReplicas=21))
    for text in (lines_of(report, 200), markdown(report)):
        assert words in text
    assert bool(report.quotas) != (report.resources[0].cost is not None)


def test_failing_server_does_not_delay_a_preview(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """Retries of usage are shorter than those of other requests; the report states which values are unknown."""
    monkeypatch.setattr("clouddb_tools.commands.gitops.usage.RETRY_SECONDS", 1.0)
    sandbox.fault("list_quotas", "status", status=502, times=1000)
    report = Report(command="preview", stack="dev", resources=[change("create")])
    config = config_for(sandbox).model_copy(update={"retry_timeout_seconds": None})
    began = time.monotonic()
    add_usage(report, Organization(config, report))
    assert time.monotonic() - began < config.retry_seconds / 4
    assert "The quotas of the organization are unknown: could not list the quotas" in report.not_known[0]


def test_usage_is_read_only_if_a_plan_needs_it(sandbox: Sandbox) -> None:
    """No requests if no service changes, or only its name."""
    before = len(sandbox.requests)
    key, renamed = change("create"), change("update")
    key.type = "clouddb:index:ApiKey"
    renamed.properties = [PropertyChange(path="name", kind="update", old="a", new="b")]
    postgres = [change(operation, type_="clouddb:index:PostgresService") for operation in ("create", "replace")]
    usage(sandbox, key, renamed, *postgres)
    usage(sandbox)
    assert len(sandbox.requests) == before


def test_usage_is_not_read_in_the_neutral_dialect() -> None:
    """Servers of the interface have no quotas and costs."""
    with Sandbox(vocabulary="neutral") as sandbox:
        report = usage(sandbox, change("create"), change("delete"))
        assert sandbox.requests == []
        assert report.not_known == []


@pytest.mark.cli
def test_policies_check_the_usage_of_a_preview(server: Sandbox, tmp_path: Path) -> None:
    """A service uses the last of the quota, which violates the policy; with --no-usage, the policy has no data."""
    checkout = Checkout(tmp_path, server)
    (checkout.folder / "levels.json").write_text('{"quota-headroom": "mandatory"}', encoding="utf-8")
    packs = ("--policy-pack", "policies", "--policy-pack-config", "levels.json")
    words = ("preview", "--stack", STACK, *packs)
    forbidden = checkout.ci(*words)
    assert forbidden.returncode == ExitCode.POLICY, forbidden.stdout + forbidden.stderr
    assert f"has {LIMIT - 1} of {LIMIT} in use, and this plan creates 1 more; leave at least 1 free" in forbidden.stdout
    without_usage = checkout.ci(*words, "--no-usage")
    assert without_usage.returncode == ExitCode.OK, without_usage.stdout + without_usage.stderr
