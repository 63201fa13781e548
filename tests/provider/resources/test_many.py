"""Many resources: they respect the published rate limit, and a whole refresh needs one list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from clouddb_tools.sandbox import Latency, Sandbox
from clouddb_tools.testing import FakeEngineStack, stack_config

pytestmark = pytest.mark.slow

SERVICES = """
import pulumi_clouddb as clouddb

for number in range(20):
    clouddb.Service(f"service-{number}", name=f"service {number}", provider="aws", region="us-east-1")
"""

WATCHED = """
import pulumi_clouddb as clouddb

for number in range(100):
    dashboard = clouddb.Dashboard(f"dashboard-{number}", name=f"Dashboard {number}", tiles=[
        clouddb.TileArgs(name="errors", x=0, y=0, w=4, h=2,
            series=[clouddb.SeriesArgs(type="time", agg_fn="count", where="")])])
    clouddb.Alert(f"alert-{number}", name=f"Alert {number}", dashboard_id=dashboard.id,
        tile_id=dashboard.tile_ids["errors"], threshold=number, interval="5m", threshold_type="above",
        channel=clouddb.AlertChannelArgs(type="webhook", webhook_id="65f5e4a3b9e77c001a567890"))
"""
"""A program with 100 dashboards, each with an alert."""


def stack_of(sandbox: Sandbox, program: str, folder: Path, **config: str) -> FakeEngineStack:
    """Return a stack for this sandbox."""
    more = {f"clouddb:{key}": text for key, text in config.items()}
    return FakeEngineStack(program, config={**stack_config(sandbox), **more}, work_dir=folder)


@pytest.fixture
def strict_sandbox() -> Iterator[Sandbox]:
    """Run a server with the published rate limits, on which services take 12 s to start."""
    with Sandbox(vocabulary="neutral", rate_limit=True, latency=Latency(provision=12, stop=2, delete=2)) as sandbox:
        yield sandbox


@pytest.mark.first
@pytest.mark.timeout(400)
def test_twenty_services_under_the_rate_limit(strict_sandbox: Sandbox, tmp_path: Path) -> None:
    """20 services of 12 s each are created and deleted under 10 requests per 10 s; pacing avoids the limit.

    Only the first requests of the second process can exceed it: they do not know what the first process has used.
    """
    stack = stack_of(strict_sandbox, SERVICES, tmp_path, pollIntervalSeconds="5")
    stack.up()
    assert [service["state"] for service in strict_sandbox.services.values()] == ["running"] * 20
    stack.destroy()
    assert strict_sandbox.services == {}
    assert sum(entry.status == 429 for entry in strict_sandbox.requests) <= 4


def test_refresh_of_twenty_services_is_one_list(neutral_sandbox: Sandbox, tmp_path: Path) -> None:
    """A refresh reads each collection once for all resources."""
    stack = stack_of(neutral_sandbox, SERVICES, tmp_path)
    stack.up()
    neutral_sandbox.forget_requests()
    assert stack.refresh().no_changes
    assert [entry.operation for entry in neutral_sandbox.requests] == ["list_services"]


def test_refresh_of_dashboards_and_alerts_is_two_lists(neutral_sandbox: Sandbox, tmp_path: Path) -> None:
    """100 dashboards and 100 alerts need two requests."""
    stack = stack_of(neutral_sandbox, WATCHED, tmp_path)
    stack.up()
    neutral_sandbox.forget_requests()
    assert stack.refresh().no_changes
    assert sorted(str(entry.operation) for entry in neutral_sandbox.requests) == [
        "self_hosted_list_alerts",
        "self_hosted_list_dashboards",
    ]


def test_creating_dashboards_and_alerts_lists_once(neutral_sandbox: Sandbox, tmp_path: Path) -> None:
    """Each create is one request; all share one list of each collection."""
    stack_of(neutral_sandbox, WATCHED.replace("range(100)", "range(12)"), tmp_path).up()
    counts = Counter(str(entry.operation).removeprefix("self_hosted_") for entry in neutral_sandbox.requests)
    assert counts == {"list_dashboards": 1, "create_dashboard": 12, "list_alerts": 1, "create_alert": 12}
