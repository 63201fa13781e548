"""Ids of another environment: the preview of a new resource says that the server does not find them."""

from __future__ import annotations

from pathlib import Path

import pytest

from clouddb_tools.sandbox import Sandbox
from lives.life import fill
from lives.table import WIRE_LIVES
from lives.wire import WireLife
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.schema.values import WireDict
from support.ids import CALM, LOGS
from support.rows import UUID
from support.sessions import ProviderProcess, config_for

IN_SERVICES = {
    wire.name: wire
    for wire in WIRE_LIVES
    if "serviceId" in wire.before and RESOURCES[wire.life.name].collection.LIST.managed.is_of_service
    if wire.life.name != "PipeCdcScaling"  # its 404 also means that the service has no database pipes
}


def previewed(run: ProviderProcess, kind: str, inputs: WireDict) -> list[str]:
    """Check a new resource, which must pass; return the warnings of the run."""
    session = run.for_resource(f"urn:pulumi:dev::shop::clouddb:index:{kind}::it")
    assert lifecycle.check(session, RESOURCES[kind], inputs).failures == []
    return run.warnings


@pytest.mark.parametrize("wire", IN_SERVICES.values(), ids=IN_SERVICES)
def test_service_of_another_environment(wire: WireLife, tmp_path: Path) -> None:
    """The server's 404 to a list says so; a fault of the server, or a service that this run knows, says nothing."""
    kind = wire.life.name
    with Sandbox(**wire.life.server) as sandbox:
        inputs = fill(wire.before, wire.life.setting(sandbox))
        elsewhere = {**inputs, "serviceId": UUID}
        assert previewed(ProviderProcess(config_for(sandbox), tmp_path), kind, inputs) == []
        (warning,) = previewed(ProviderProcess(config_for(sandbox), tmp_path), kind, elsewhere)
        assert warning.startswith(f"{kind} 'it' is for service {UUID}, which the server does not find: it may belong")
        known = ProviderProcess(config_for(sandbox), tmp_path)
        known.run.stored("urn", UUID)
        assert previewed(known, kind, elsewhere) == []


ALERT: WireDict = {
    "name": "Errors",
    "threshold": 5,
    "thresholdType": "above",
    "interval": "5m",
    "channel": {"type": "webhook", "webhookId": CALM},
}
CHART = {"displayType": "line", "sourceId": LOGS, "select": [{"aggFn": "count"}]}


def test_tile_of_another_environment(sandbox: Sandbox, tmp_path: Path) -> None:
    """The alert's dashboard, or its tile, is not on this server."""
    tiles = [{"name": "Errors", "x": 0, "y": 0, "w": 12, "h": 4, "config": CHART}]
    board = sandbox.add("dashboards", name="Shop", tiles=tiles)
    here, elsewhere = {"dashboardId": board["id"], "tileId": board["tiles"][0]["id"]}, "6b08ccf4690c99606839ff26"
    for changed in ({"tileId": elsewhere}, {"dashboardId": elsewhere}):
        watched = {**ALERT, **here, **changed}
        (warning,) = previewed(ProviderProcess(config_for(sandbox), tmp_path), "Alert", watched)
        assert "and the server shows no such tile: it may belong to another environment" in warning
    assert previewed(ProviderProcess(config_for(sandbox), tmp_path), "Alert", {**ALERT, **here}) == []
    lost = ProviderProcess(config_for(sandbox), tmp_path)
    sandbox.fault("self_hosted_list_dashboards", "status", status=403, times=9)
    assert previewed(lost, "Alert", {**ALERT, **here, "tileId": elsewhere}) == []
