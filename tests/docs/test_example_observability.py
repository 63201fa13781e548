"""The program that sets up a new observability server, self-hosted and in the cloud."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import Secret, Stack, stack_config
from support.engines import ENGINES

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "examples" / "observability"
PROJECT = "clouddb-observability"
SECRET = "canary-of-the-terminal"
"""The values that a user enters where the guide asks for them."""
KINDS = ("services", "connections", "sources", "webhooks", "saved_searches", "dashboards", "alerts")


def everything(sandbox: Sandbox) -> dict[str, set[str]]:
    """Return the ids of all objects."""
    return {kind: set(sandbox.objects(kind)) for kind in KINDS}


def configured(cloud: bool) -> dict[str, str | Secret]:
    """Return the configuration that the guide of the server lists, for each stack and for this program."""
    guide = (ROOT / "docs" / ("real-cloud.md" if cloud else "self-hosted.md")).read_text(encoding="utf-8")
    lines = re.findall(r"^ +pulumi config set (--secret )?(\S+)(?: ([^\s#]+))?", guide, re.MULTILINE)
    assert all(bool(secret) is not bool(value) for secret, _, value in lines)  # the CLI asks for a secret
    return {key if ":" in key else f"{PROJECT}:{key}": value or Secret(SECRET) for _, key, value in lines}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("cloud", [False, True], ids=["self-hosted", "cloud"])
def test_observability_server_is_set_up_with_one_program(
    engine: type[Stack], cloud: bool, tmp_path: Path, sandbox: Sandbox
) -> None:
    """One `up` creates all objects without copied values, a second one changes none, and `destroy` deletes all."""
    before = everything(sandbox)
    needed = {"clouddb:pollIntervalSeconds", "clouddb:pacing"}
    values = configured(cloud)
    served = stack_config(sandbox)
    config: dict[str, Any] = {**values, **{key: served[key] for key in served if key in needed | values.keys()}}
    if cloud:
        # Without the address it would be the vendor's, and the dialect, too.
        config |= {"clouddb:baseUrl": sandbox.url, "clouddb:vocabulary": "clickhouse"}
    stack = engine(PROGRAM, project=PROJECT, config=config, work_dir=tmp_path)
    assert stack.preview().changes == {"create": 8}
    outputs = stack.up().outputs
    made = {kind: ids - before[kind] for kind, ids in everything(sandbox).items()}
    assert len(made["services"]) == int(cloud)
    assert outputs["sourceId"] in made["sources"]
    (alert,) = (each for each in sandbox.alerts.values() if "tileId" in each)
    (search,) = (each for each in sandbox.alerts.values() if "savedSearchId" in each)
    assert {alert["channel"]["webhookId"], search["channel"]["webhookId"]} == {outputs["webhookId"]}
    assert alert["dashboard"] == outputs["dashboardId"]
    assert sandbox.objects("webhooks")[outputs["webhookId"]]["headers"] == {
        "Authorization": SECRET if cloud else "Bearer example"
    }
    assert SECRET not in stack.state_text
    assert "Bearer example" not in stack.state_text
    if cloud:
        (service,) = (sandbox.services[id_] for id_ in made["services"])
        assert [entry["source"] for entry in service["ipAccessList"]] == ["198.51.100.0/24"]
        assert sandbox.objects("webhooks")[outputs["webhookId"]]["url"] == "https://hooks.example.com/shop"
    else:
        (connection,) = (sandbox.objects("connections")[id_] for id_ in made["connections"])
        assert (connection["host"], connection["username"]) == ("https://database.example.com:8443", "otel")
    assert stack.preview().no_changes
    assert stack.refresh().no_changes
    stack.set_config("clouddb-observability:threshold", "200")
    assert stack.up().changes["update"] == 1
    assert next(each for each in sandbox.alerts.values() if "tileId" in each)["threshold"] == 200
    stack.destroy()
    assert everything(sandbox) == before
