"""The program that makes an observability stack from nothing, on a self-hosted server and in the cloud."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pulumi_clouddb.sandbox import Sandbox
from pulumi_clouddb.testing import CliStack, FakeEngineStack, Stack, stack_config

PROGRAM = Path(__file__).parents[1] / "examples" / "observability"
ENGINES: dict[str, type[Stack]] = {"fake engine": FakeEngineStack, "cli": CliStack}
KINDS = ("services", "connections", "sources", "webhooks", "saved_searches", "dashboards", "alerts")


def everything(sandbox: Sandbox) -> dict[str, set[str]]:
    """Return the ids of all that is there."""
    return {kind: set(sandbox.objects(kind)) for kind in KINDS}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("cloud", [False, True], ids=["self-hosted", "cloud"])
def test_a_stack_from_nothing(engine: str, cloud: bool, tmp_path: Path) -> None:
    """Nothing is copied by hand: one `up` makes all of it, a second one changes nothing, and all of it goes again."""
    if engine == "cli" and not CliStack.available():
        pytest.skip("there is no pulumi on PATH")
    with Sandbox(vocabulary="clickhouse") as sandbox:
        before = everything(sandbox)
        config: dict[str, Any] = {**stack_config(sandbox), "clouddb-observability:cloud": str(cloud).lower()}
        stack = ENGINES[engine](PROGRAM, project="clouddb-observability", config=config, work_dir=tmp_path)
        assert stack.preview().changes == {"create": 8}
        outputs = stack.up().outputs
        made = {kind: ids - before[kind] for kind, ids in everything(sandbox).items()}
        assert len(made["services"]) == int(cloud)
        assert outputs["sourceId"] in made["sources"]
        (alert,) = (each for each in sandbox.alerts.values() if "tileId" in each)
        (search,) = (each for each in sandbox.alerts.values() if "savedSearchId" in each)
        assert {alert["channel"]["webhookId"], search["channel"]["webhookId"]} == {outputs["webhookId"]}
        assert alert["dashboard"] == outputs["dashboardId"]
        assert "Bearer example" not in stack.state_text
        assert stack.preview().no_changes
        assert stack.refresh().no_changes
        stack.set_config("clouddb-observability:threshold", "200")
        assert stack.up().changes["update"] == 1
        assert next(each for each in sandbox.alerts.values() if "tileId" in each)["threshold"] == 200
        stack.destroy()
        assert everything(sandbox) == before
