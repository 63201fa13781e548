"""Import of an object into the program that created it replaces nothing and reports no removed properties."""

from __future__ import annotations

from pathlib import Path

import pytest

from clouddb_tools.sandbox import Sandbox
from lives.life import fill
from lives.table import WIRE_LIVES
from lives.wire import WireLife
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from support.sessions import ProviderProcess, config_for

MORE = {
    "ApiKey": {"keyId", "ipAccessList", "state", "roles"},  # an import adopts a key, so the program must name it
    "PipeScaling": {"replicas", "concurrency", "replicaCpuMillicores", "replicaMemoryGb"},  # state contains all
    "Pipe": {"scaling", "settings"},  # a server returns default sizes
    "PrivateEndpoint": {"cloudProvider", "region"},  # they belong to its service
    "PostgresService": {"postgresVersion"},  # the server's version, which changes
    "Invitation": {"assignedRoleIds", "role"},  # two forms of one list
    "ByocInfrastructure": {"enablePrivateLink", "enablePrivateLoadBalancer"},  # every infrastructure has them
    "SourceLinks": {"sessionSourceId"},  # the source had this link before the program
}
"""Properties that an import contains in addition to the program, each with the reason. Removing them sends nothing."""


@pytest.mark.parametrize("which", ["before", "after"])
@pytest.mark.parametrize("life", WIRE_LIVES, ids=str)
def test_import_into_the_creating_program(life: WireLife, which: str, tmp_path: Path) -> None:
    """The next preview removes nothing that the import added, except for the properties in MORE."""
    kind, resource = life.life.name, RESOURCES[life.life.name]
    with Sandbox(vocabulary="clickhouse") as sandbox:
        config = config_for(sandbox, pollIntervalSeconds=0.05)
        names = life.life.setting(sandbox)
        process = ProviderProcess(config, tmp_path)
        program = resource.check(process, fill(life.before if which == "before" else life.after, names)).inputs
        object_id, _ = process.create(kind, program)
        where = fill(life.where, {**names, "id": object_id})
        importing = ProviderProcess(config, tmp_path / "other")
        own_id, imported = lifecycle.read(importing, resource, where, {}, {})
        assert imported is not None
        difference = lifecycle.diff(importing, resource, own_id, imported.state, program)
        assert {name for name in difference.changed if name not in program} <= MORE.get(kind, set())
        assert {*difference.replaces} <= ({"keyId"} if kind == "ApiKey" else set())
