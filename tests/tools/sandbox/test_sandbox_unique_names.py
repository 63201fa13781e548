"""The sandbox rejects a second object where a resource declares that its name is unique."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.sandbox.app import make_state
from clouddb_tools.sandbox.served import Served
from clouddb_tools.sandbox.settings import Settings
from clouddb_tools.sandbox.state import Call
from lives.life import fill
from lives.table import WIRE_LIVES
from lives.wire import WireLife
from pulumi_clouddb.client.operation import ServerKind
from pulumi_clouddb.registry import OPERATIONS, RESOURCES
from pulumi_clouddb.resource.databases import DatabaseResource
from pulumi_clouddb.schema.vocabulary import VocabularyName
from pulumi_clouddb.things.saved_queries.api import SavedQueries
from support.sessions import ProviderProcess, config_for

UNIQUE = {
    wire.name: wire
    for wire in WIRE_LIVES
    if RESOURCES[wire.life.name].unique_by and not isinstance(RESOURCES[wire.life.name], DatabaseResource)
}
"""The lives with a unique name; of databases, servers accept several with one name."""


@pytest.mark.parametrize("wire", UNIQUE.values(), ids=UNIQUE)
def test_second_object_of_a_name_is_rejected(wire: WireLife, tmp_path: Path) -> None:
    """The same request creates no second object; a resource without this needs a module in clouddb_tools/sandbox."""
    create, kind = OPERATIONS[wire.operations[0]], wire.life.kind
    with Sandbox(**wire.life.server) as sandbox:
        names = wire.life.setting(sandbox)
        ProviderProcess(config_for(sandbox), tmp_path).create(wire.life.name, fill(wire.before, names))
        objects = {*sandbox.objects(kind)}
        request = next(each for each in sandbox.requests if each.operation == create.name)
        hosted = create.server_kind is ServerKind.SELF_HOSTED
        with sandbox.self_hosted() if hosted else sandbox.management() as http:
            http.request(request.method, http.base_url.copy_with(path=request.path), json=request.body)
        assert {*sandbox.objects(kind)} == objects


@pytest.mark.parametrize(("method", "taken"), [("POST", True), ("PUT", False), ("PATCH", False)])
def test_object_does_not_take_its_own_name(method: str, taken: bool) -> None:
    """A replacement and a change may repeat it, and a change may leave it out."""
    state = make_state(Settings(vocabulary=VocabularyName.CLICKHOUSE))
    saved_queries = Served(SavedQueries)
    operation = replace(SavedQueries.UPDATE.managed, method=method)
    service = str(state.ids.uuid())
    state.store.put("services", service, {"id": service})
    saved_queries.add(state, service, {"id": "q", "name": "Orders"})
    call = Call(operation, {"serviceId": service, "savedQueryId": "q"})
    assert saved_queries.is_taken(state, call, {"name": "Orders"}, "name") is taken
    assert not saved_queries.is_taken(state, call, {}, "name")
