"""The sandbox rejects a second object where a resource declares that its name is unique."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.sandbox.app import make_state
from clouddb_tools.sandbox.responses import HTTPError
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


UPDATES: dict[str, tuple[str, dict[str, str], bool]] = {
    "a replacement that repeats its own": ("PUT", {"name": "Orders", "database": "shop", "sql": "SELECT 1"}, True),
    "a replacement by those of another": ("PUT", {"name": "Orders", "database": "logs", "sql": "SELECT 1"}, False),
    "a change of another field": ("PATCH", {"sql": "SELECT 2"}, True),
    "a change of one of them to that of another": ("PATCH", {"database": "logs"}, False),
    "a change of both": ("PATCH", {"database": "logs", "name": "Returns"}, True),
}


@pytest.mark.parametrize(("method", "body", "accepted"), UPDATES.values(), ids=UPDATES)
def test_update_does_not_take_the_values_of_another(
    method: str, body: dict[str, str], accepted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A change keeps what it leaves out, so one field of two is enough."""
    monkeypatch.setattr(SavedQueries, "unique_by", ("name", "database"))
    state = make_state(Settings(vocabulary=VocabularyName.CLICKHOUSE))
    queries, service = Served(SavedQueries), str(state.ids.uuid())
    state.store.put("services", service, {"id": service})
    for id_, database in (("q", "shop"), ("other", "logs")):
        queries.add(state, service, {"id": id_, "name": "Orders", "database": database, "sql": "SELECT 1"})
    call = Call(
        replace(SavedQueries.UPDATE.managed, method=method), {"serviceId": service, "savedQueryId": "q"}, body=body
    )
    if accepted:
        assert queries.update(state, call).items() >= body.items()
    else:
        with pytest.raises(HTTPError) as refusal:
            queries.update(state, call)
        assert refusal.value.text == "A saved query with this name and database already exists"
