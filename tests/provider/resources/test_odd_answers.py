"""Values of undocumented types in a response: no object is lost, and the error names the value."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pulumi_clouddb.client.errors import InvalidResponseError
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.resource.lifecycle import ReadResult
from support.ids import LOGS
from support.scripted import Response, Scripted, error, ok
from support.sessions import ProviderProcess, config_of

OBJECT_ID = "0" * 24
ODD: list[Any] = [[], {"more": 1}, 5, True, -1.5]


def read(server: Scripted, folder: Path, kind: str, state: Any = None) -> ReadResult | None:
    """Read an object of the vendor's server; without state, import it."""
    config = config_of(baseUrl=server.url, stackUrl=server.url, vocabulary="clickhouse")
    process = ProviderProcess(config, folder)
    try:
        return lifecycle.read(process, RESOURCES[kind], OBJECT_ID, state or {}, {})[1]
    finally:
        process.client.close()


def hosted(record: Any) -> Scripted:
    """Return a self-hosted server with one object."""
    return Scripted(Response(200, {"data": [record]}))


PARTS = {"PrivateEndpoint": "privateEndpoints", "ByocInfrastructure": "byocConfig"}


@pytest.mark.parametrize("value", [5, True, "text", {"id": OBJECT_ID}], ids=repr)
@pytest.mark.parametrize(("kind", "name"), PARTS.items())
def test_organization_without_the_list_does_not_mean_deleted(
    kind: str, name: str, value: object, tmp_path: Path
) -> None:
    """A refresh keeps its objects in state; null in place of the list means that there are none."""
    state = {"id": OBJECT_ID, "__managed": []}
    first = [error(404)] if kind == "ByocInfrastructure" else []  # an older server, which reads none by its id
    refused = pytest.raises(InvalidResponseError, match=f"returned {name} that is not a list")
    with Scripted(*first, ok({"id": "o", name: value})) as server, refused:
        read(server, tmp_path, kind, state)
    with Scripted(*first, ok({"id": "o", name: None}), *first) as server:
        assert read(server, tmp_path, kind, state) is None


@pytest.mark.parametrize("record", [{"name": "a"}, {"id": None}, {"id": ""}, {"id": 5}, "text", None], ids=repr)
@pytest.mark.parametrize("kind", [*PARTS, "Webhook", "StackInvitation"])
def test_record_without_an_id_makes_a_list_unusable(kind: str, record: object, tmp_path: Path) -> None:
    """These objects are read by list only, and that record may be one of them: a refresh keeps all in state."""
    listed: list[Any] = [{"id": "1" * 24}, record]
    answer = ok({"id": "o", PARTS[kind]: listed}) if kind in PARTS else Response(200, {"data": listed})
    with Scripted(answer) as server, pytest.raises(InvalidResponseError, match="returned a record without an id"):
        read(server, tmp_path, kind, {"id": OBJECT_ID, "__managed": []})


@pytest.mark.parametrize(("tags", "live_tags"), [([], []), (["a"], None)], ids=repr)
def test_null_for_an_empty_list_is_no_drift(tags: object, live_tags: object, tmp_path: Path) -> None:
    """For a list with elements it is drift."""
    state = {"id": OBJECT_ID, "name": "n", "tags": tags, "__managed": ["name", "tags"]}
    with hosted({"id": OBJECT_ID, "name": "n", "tags": None}) as server:
        result = read(server, tmp_path, "SavedSearch", state)
    assert result is not None
    assert result.inputs.get("tags") == live_tags


@pytest.mark.parametrize("value", ODD, ids=repr)
@pytest.mark.parametrize("name", ["id", "name"])
def test_tile_with_an_id_or_name_that_is_not_text(name: str, value: Any, tmp_path: Path) -> None:
    """The dashboard is imported and refreshed; two such tiles stay two. An import omits tiles without a text name."""
    tile = {"name": "a", "x": 0, "y": 0, "w": 4, "h": 3, "config": {"displayType": "search", "sourceId": LOGS}}
    board = {"id": OBJECT_ID, "name": "x", "tiles": [{**tile, "id": "1" * 24}, {**tile, "id": "2" * 24}]}
    odd = {**board, "tiles": [{**each, name: value} for each in board["tiles"]]}  # type: ignore[dict-item]
    with hosted(board) as server:
        before = read(server, tmp_path, "Dashboard")
        assert before is not None
    with hosted(odd) as server:
        imported, refreshed = read(server, tmp_path, "Dashboard"), read(server, tmp_path, "Dashboard", before.state)
    assert imported is not None
    assert refreshed is not None
    assert len(refreshed.inputs["tiles"]) == 2
    left_out = [each.name for each in imported.left_out]
    assert (len(imported.inputs.get("tiles", [])), left_out) == ((0, ["tiles"]) if name == "name" else (2, []))


def test_alert_with_channels_that_are_not_a_list(tmp_path: Path) -> None:
    """It is imported without channels."""
    with hosted({"id": OBJECT_ID, "name": "x", "threshold": 1, "channels": 5}) as server:
        imported = read(server, tmp_path, "Alert")
    assert imported is not None
    assert imported.inputs["name"] == "x"
