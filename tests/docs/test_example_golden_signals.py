"""The program that watches the four golden signals of each application."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import FakeEngineStack, Stack, stack_config
from support.engines import ENGINES

pytestmark = pytest.mark.slow

EXAMPLE = Path(__file__).parents[2] / "examples" / "golden-signals"
SIGNALS = {"latency": ("above", 500), "traffic": ("below", 1), "errors": ("above", 0.01), "processor": ("above", 0.9)}
"""For each signal, the tile of its alert and the default threshold."""


def watched(sandbox: Sandbox) -> dict[str, tuple[str, float]]:
    """Return the alerts by name; each is on the tile of its name."""
    (dashboard,) = sandbox.dashboards.values()
    tiles = {tile["id"]: tile["name"] for tile in dashboard["tiles"]}
    assert sorted(tiles.values()) == sorted(alert["name"] for alert in sandbox.alerts.values())
    assert all(tiles[alert["tileId"]] == alert["name"] for alert in sandbox.alerts.values())
    return {each["name"]: (each["thresholdType"], each["threshold"]) for each in sandbox.alerts.values()}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("cloud", [False, True], ids=["self-hosted", "cloud"])
def test_each_application_is_watched(engine: type[Stack], cloud: bool, tmp_path: Path, sandbox: Sandbox) -> None:
    """Each signal has a tile and an alert; a new application adds a row, and the others keep their alerts."""
    config = stack_config(sandbox)
    if cloud:
        service = sandbox.add("services", name="Shop", provider="aws", region="eu-central-1")
        config["clouddb-golden-signals:serviceId"] = service["id"]
    stack = engine(EXAMPLE, project="clouddb-golden-signals", config=config, work_dir=tmp_path)
    assert stack.up().changes["create"] == 11
    usual = {f"{name}: {signal}": each for name in ("checkout", "cart") for signal, each in SIGNALS.items()}
    own = {"checkout: latency": ("above", 800), "cart: errors": ("above", 0.02)}
    assert watched(sandbox) == {**usual, **own}
    assert stack.preview().no_changes
    assert stack.refresh().no_changes

    before = set(sandbox.alerts)
    applications = {"payments": {"leastRequests": "5"}, "checkout": {"latencyMs": 800}, "cart": {"errorRate": 0.02}}
    stack.set_config("applications", json.dumps(applications))
    stack.up()
    assert before < set(sandbox.alerts)
    more = {f"payments: {signal}": each for signal, each in SIGNALS.items()}
    assert watched(sandbox) == {**usual, **own, **more, "payments: traffic": ("below", 5)}
    stack.destroy()
    assert (sandbox.alerts, sandbox.dashboards) == ({}, {})


def test_missing_source_is_named(tmp_path: Path, sandbox: Sandbox) -> None:
    """No alert without a source is created."""
    (traces,) = (each for each in sandbox.objects("sources").values() if each["name"] == "Traces")
    sandbox.change("sources", traces["id"], name="Spans")
    stack = FakeEngineStack(EXAMPLE, config=stack_config(sandbox), work_dir=tmp_path)
    failed = stack.up(expect_failure=True)
    assert any("'Traces'" in each and "data source" in each for each in [*failed.errors, *failed.stdout])
    assert sandbox.dashboards == {}


def test_misspelt_objective_is_named(tmp_path: Path, sandbox: Sandbox) -> None:
    """The message lists the existing ones, and no request is sent."""
    stack = FakeEngineStack(EXAMPLE, config=stack_config(sandbox), work_dir=tmp_path)
    stack.set_config("applications", json.dumps({"cart": {"latency": 300}}))
    failed = stack.up(expect_failure=True)
    assert any("cart has latency; there are latencyMs, " in each for each in [*failed.errors, *failed.stdout])
    assert [each.method for each in sandbox.requests if each.method != "GET"] == []
