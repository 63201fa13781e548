"""Import of an object by the program that made it: nothing is replaced, and what it does not set is left out."""

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
    "ApiKey": {"keyId", "ipAccessList", "state", "roles"},  # an import adopts a key, so that the program names it
    "PipeScaling": {"replicas", "concurrency", "replicaCpuMillicores", "replicaMemoryGb"},  # all are its state
    "Pipe": {"scaling", "settings"},  # a server reports sizes that nobody has chosen
    "PrivateEndpoint": {"cloudProvider", "region"},  # its service, which has them, is not part of it
    "PostgresService": {"postgresVersion"},  # that of the server, which changes
    "Invitation": {"assignedRoleIds", "role"},  # two forms of one list
}
"""What an import names beside the program, each with the reason. Removing it sends nothing."""


@pytest.mark.parametrize("which", ["before", "after"])
@pytest.mark.parametrize("life", WIRE_LIVES, ids=str)
def test_the_program_that_made_it_imports_it(life: WireLife, which: str, tmp_path: Path) -> None:
    """The next preview removes nothing that the import has added, with the exceptions of a table."""
    kind, resource = life.life.name, RESOURCES[life.life.name]
    with Sandbox(vocabulary="clickhouse") as sandbox:
        config = config_for(sandbox, pollIntervalSeconds=0.05)
        names = life.life.setting(sandbox)
        process = ProviderProcess(config, tmp_path)
        program = resource.check(process, fill(life.before if which == "before" else life.after, names)).inputs
        object_id, _ = process.create(kind, program)
        where = fill(life.where, {**names, "id": object_id})
        importing = ProviderProcess(config, tmp_path / "other")
        own_id, found = lifecycle.read(importing, resource, where, {}, {})
        assert found is not None
        difference = lifecycle.diff(importing, resource, own_id, found.state, program)
        assert {name for name in difference.changed if name not in program} <= MORE.get(kind, set())
        assert {*difference.replaces} <= ({"keyId"} if kind == "ApiKey" else set())
