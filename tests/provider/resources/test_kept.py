"""A server that keeps its own value of a property: no drift, one update each time the program changes, a warning."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.sandbox.store import Store
from lives.life import fill
from lives.table import WIRE_LIVES
from pulumi_clouddb.schema.additions import KEPT
from pulumi_clouddb.schema.values import WireDict
from support.sessions import ProviderProcess, config_for

pytestmark = pytest.mark.beyond_the_description

(QUERY,) = [life for life in WIRE_LIVES if life.life.name == "SavedQuery"]
OWN, OTHERS = "SELECT 0", "SELECT 9"
WARNING = "The server keeps its own sql of "


@pytest.fixture
def own(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the one value that the server stores as `sql`, whatever is sent."""
    values, put = [OWN], Store.put

    def stored(store: Store, kind: str, id_: str, document: dict[str, Any], parent: str = "") -> None:
        if kind == QUERY.life.kind:
            document["sql"] = values[0]  # the same object is the response
        put(store, kind, id_, document, parent)

    monkeypatch.setattr(Store, "put", stored)
    return values


def test_value_that_the_server_keeps_is_no_drift(own: list[str], tmp_path: Path) -> None:
    """Until it is another one than the last write has brought; state of earlier versions has recorded none."""
    with Sandbox(vocabulary="clickhouse") as sandbox:
        process = ProviderProcess(config_for(sandbox), tmp_path, sleep=lambda _: None)
        first = fill(QUERY.before, QUERY.life.setting(sandbox))
        second = {**first, "sql": "SELECT {day:Date}"}

        def read(state: WireDict, inputs: WireDict, *changes: str) -> WireDict:
            process.api.lists.clear()
            found = process.read("SavedQuery", id_, state).state
            assert process.changes("SavedQuery", found, inputs) == changes
            return found

        id_, state = process.create("SavedQuery", first)
        for _ in range(3):
            state = read(state, first)
        earlier = read({name: value for name, value in state.items() if name != KEPT}, first, "sql")
        state = process.update("SavedQuery", id_, earlier, first)
        state = read(read(state, first), second, "sql")
        state = process.update("SavedQuery", id_, state, second)
        state = read(read(state, second), second)
        own[:] = [OTHERS]
        sandbox.change(QUERY.life.kind, id_.split("/")[-1], name=first["name"])
        read(state, second, "sql")
        assert [WARNING in each for each in process.warnings] == [True], process.warnings
