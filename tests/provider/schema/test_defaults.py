"""Imports leave out the server's defaults within objects, too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from clouddb_tools.sandbox import Sandbox
from lives.life import fill, own_id
from lives.table import WIRE_LIVES
from lives.wire import WireLife
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.schema.base import identity, wire_names
from pulumi_clouddb.schema.defaults import without_defaults
from support.sessions import ProviderProcess, config_for

TILE = {"name": "a", "x": 0, "y": 0, "w": 6, "h": 3}
COUNT = {"aggFn": "count"}
LUCENE = {"where": "a:1", "whereLanguage": "lucene"}

CONFIGS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "a declared default": ({"asRatio": False, "fillNulls": True}, {}),
    "another value": ({"asRatio": True, "fillNulls": False}, {"asRatio": True, "fillNulls": False}),
    "zero is not false": ({"seriesLimit": 0}, {"seriesLimit": 0}),
    "a default in prose": ({"configType": "sql"}, {"configType": "sql"}),
    "empty texts and lists": ({"groupBy": "", "formulas": []}, {}),
    "the language of an empty text": ({"where": "", "whereLanguage": "lucene"}, {}),
    "the language of a text": (
        {"where": "a:1", "whereLanguage": "lucene"},
        {"where": "a:1", "whereLanguage": "lucene"},
    ),
    "in a list": ({"select": [{**COUNT, "where": "", "valueExpression": ""}]}, {"select": [COUNT]}),
    "all of an object": ({"backgroundChart": {"type": "area"}}, {"backgroundChart": {"type": "area"}}),
    "an unknown property": ({"newer": False, "newest": {}}, {"newer": False, "newest": {}}),
}


@pytest.mark.parametrize(("config", "shorter"), CONFIGS.values(), ids=CONFIGS)
def test_defaults_in_tiles_are_left_out(config: dict[str, Any], shorter: dict[str, Any]) -> None:
    """Whatever means the same if it is left out; properties of newer servers stay."""
    tiles = [{**TILE, "config": {"displayType": "line", **config}}]
    found = without_defaults(RESOURCES["Dashboard"].type.inputs, "tiles", tiles)
    assert found == [{**TILE, "config": {"displayType": "line", **shorter}}]


@pytest.mark.parametrize("which", ["before", "after"])
@pytest.mark.parametrize("life", WIRE_LIVES, ids=str)
def test_left_out_defaults_are_no_difference(life: WireLife, which: str, tmp_path: Path) -> None:
    """After an import a refresh finds no drift; an update with the imported inputs changes nothing on the server."""
    kind, resource = life.life.name, RESOURCES[life.life.name]
    with Sandbox(vocabulary="clickhouse") as sandbox:
        names = life.life.setting(sandbox)
        process = ProviderProcess(config_for(sandbox, pollIntervalSeconds=0.05), tmp_path, sleep=lambda _: None)
        program = resource.check(process, fill(getattr(life, which), names)).inputs
        object_id, _ = process.create(kind, program)
        where = fill(life.where, {**names, "id": object_id})
        importing = ProviderProcess(config_for(sandbox), tmp_path / "other", sleep=lambda _: None)
        found_id, imported = lifecycle.read(importing, resource, where, {}, {})
        assert imported is not None
        checked = resource.check(importing, imported.inputs)
        assert checked.failures == []
        assert lifecycle.diff(importing, resource, found_id, imported.state, checked.inputs).changed == ()
        _, again = lifecycle.read(importing, resource, found_id, imported.state, imported.inputs)
        assert again is not None
        assert again.inputs == imported.inputs
        before = sandbox.objects(life.life.kind).get(own_id(life.life.kind, object_id))
        if kind == "Dashboard":  # whose defaults no comparison adds
            importing.update(kind, found_id, imported.state, {**imported.inputs, "name": "renamed"})
            after = sandbox.objects(life.life.kind)[own_id(life.life.kind, object_id)]
            assert without_times(after) == without_times({**(before or {}), "name": "renamed"})


def without_times(document: dict[str, Any]) -> Any:
    """Return a record without the times of its changes."""
    model = RESOURCES["Dashboard"].type.inputs
    return {n: identity(without_defaults(model, n, v)) for n, v in document.items() if n not in ("updatedAt",)}


@pytest.mark.parametrize("name", RESOURCES)
def test_value_that_clears_an_input_is_no_input_of_an_import(name: str) -> None:
    """An update that takes the input out sends that value, so that a program need not."""
    type_ = RESOURCES[name].type
    clearing = type_.clearing_values(wire_names(type_.inputs))
    assert [each for each, value in clearing.items() if not type_.is_server_default(each, value)] == []
