"""The vendor's words: the whole mapping as the vendor documents it, both ways, and nothing beside it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulumi_clouddb.client.dialect import DIALECTS
from pulumi_clouddb.client.operation import ServerKind
from pulumi_clouddb.pipes.parts import PipeSettings
from pulumi_clouddb.pipes.scaling import PIPE_SCALING
from pulumi_clouddb.registry import OPERATIONS, RESOURCES
from pulumi_clouddb.schema.base import wire_names
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.vocabulary import VocabularyName
from pulumi_clouddb.services.enums import Region, ServerRegion
from pulumi_clouddb.services.service import SERVICE as OF_SERVICE

NEUTRAL = DIALECTS[VocabularyName.NEUTRAL]
CLICKHOUSE = DIALECTS[VocabularyName.CLICKHOUSE]
ORGANIZATION = "/v1/organizations/{organizationId}"
SERVICE = ORGANIZATION + "/services/{serviceId}"

PATHS = {
    "list_services": ORGANIZATION + "/services",
    "create_service": ORGANIZATION + "/services",
    "get_service": SERVICE,
    "update_service": SERVICE,
    "scale_service": SERVICE + "/replicaScaling",
    "scale_service_total": SERVICE + "/scaling",
    "command_service": SERVICE + "/state",
    "reset_password": SERVICE + "/password",
    "delete_service": SERVICE,
    "list_pipes": SERVICE + "/clickpipes",
    "get_pipe": SERVICE + "/clickpipes/{pipeId}",
    "create_pipe": SERVICE + "/clickpipes",
    "update_pipe": SERVICE + "/clickpipes/{pipeId}",
    "delete_pipe": SERVICE + "/clickpipes/{pipeId}",
    "scale_pipe": SERVICE + "/clickpipes/{pipeId}/scaling",
    "command_pipe": SERVICE + "/clickpipes/{pipeId}/state",
    "get_pipe_settings": SERVICE + "/clickpipes/{pipeId}/settings",
    "set_pipe_settings": SERVICE + "/clickpipes/{pipeId}/settings",
    "list_keys": ORGANIZATION + "/keys",
    "create_key": ORGANIZATION + "/keys",
    "get_key": ORGANIZATION + "/keys/{keyId}",
    "update_key": ORGANIZATION + "/keys/{keyId}",
    "delete_key": ORGANIZATION + "/keys/{keyId}",
    "list_dashboards": SERVICE + "/clickstack/dashboards",
    "create_dashboard": SERVICE + "/clickstack/dashboards",
    "get_dashboard": SERVICE + "/clickstack/dashboards/{dashboardId}",
    "update_dashboard": SERVICE + "/clickstack/dashboards/{dashboardId}",
    "delete_dashboard": SERVICE + "/clickstack/dashboards/{dashboardId}",
    "list_alerts": SERVICE + "/clickstack/alerts",
    "create_alert": SERVICE + "/clickstack/alerts",
    "get_alert": SERVICE + "/clickstack/alerts/{alertId}",
    "update_alert": SERVICE + "/clickstack/alerts/{alertId}",
    "delete_alert": SERVICE + "/clickstack/alerts/{alertId}",
    "list_sources": SERVICE + "/clickstack/sources",
    "discover_pipe_schema": SERVICE + "/clickpipes/schemaDiscovery",
}
"""Each path of the management surface as the vendor documents it; names in braces are not on the wire."""

SETTINGS = {
    "engine_max_threads": "clickhouse_max_threads",
    "engine_max_insert_threads": "clickhouse_max_insert_threads",
    "engine_min_insert_block_size_bytes": "clickhouse_min_insert_block_size_bytes",
    "engine_max_download_threads": "clickhouse_max_download_threads",
    "engine_parallel_distributed_insert_select": "clickhouse_parallel_distributed_insert_select",
    "engine_parallel_view_processing": "clickhouse_parallel_view_processing",
}
"""The settings of pipes whose names differ."""

RECORDS: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "the version of a service": ("Service", {"engineVersion": "25"}, {"clickhouseVersion": "25"}),
    "the version of a created service": (
        "ServiceCreated",
        {"service": {"id": "s", "engineVersion": "25"}, "password": "p"},
        {"service": {"id": "s", "clickhouseVersion": "25"}, "password": "p"},
    ),
    "the settings of a pipe": (
        "Pipe",
        {"settings": dict.fromkeys(SETTINGS, 1)},
        {"settings": dict.fromkeys(SETTINGS.values(), 1)},
    ),
    "the team of an alert": ("Alert", {"team": "t"}, {"teamId": "t"}),
    "the dashboard of an alert": ("Alert", {"dashboard": "d"}, {"dashboardId": "d"}),
}
UNTOUCHED: dict[str, tuple[str, dict[str, Any]]] = {
    "the engine of a table": (
        "Pipe",
        {"destination": {"tableDefinition": {"engine": {"versionColumnId": "v", "columnIds": ["engine_a"]}}}},
    ),
    "a table whose name is a word": ("Pipe", {"destination": {"table": "engine_max_threads", "engine_x": 1}}),
    "settings of Postgres": ("Pipe", {"source": {"postgres": {"settings": {"engine_max_threads": 1}}}}),
    "other settings": ("Pipe", {"settings": {"streaming_max_insert_wait_ms": 1, "object_storage_concurrency": 2}}),
    "values": ("Pipe", {"name": "pipes", "settings": {"object_storage_concurrency": "engine_max_threads"}}),
    "a service of that name": ("Service", {"name": "engineVersion", "id": "stack"}),
    "a key": ("Key", {"engineVersion": "x", "team": "t", "dashboard": "d"}),
    "a dashboard": ("Dashboard", {"name": "team", "tiles": [{"name": "dashboard", "team": "t"}]}),
    "config of a tile": ("Dashboard", {"tiles": [{"config": {"dataSource": "d", "settings": {"engine_a": 1}}}]}),
    "other fields of a pipe": ("Pipe", {"engine_max_threads": 1}),
    "other fields of a service": ("Service", {"engine_max_threads": 1}),
    "other fields of a tile": ("Dashboard", {"tiles": [{"engine_a": 1, "series": [{"engine_b": 2}]}]}),
    "an open record": ("Source", {"team": "t", "engineVersion": "x", "series": [{"dataSource": "d"}]}),
}


def test_paths_are_the_vendor_s() -> None:
    """`pipes` is `clickpipes` and `stack` is `clickstack`; all other segments stay."""
    assert {name: CLICKHOUSE.path(OPERATIONS[name].path) for name in PATHS} == PATHS


def test_no_path_is_forgotten() -> None:
    """Of what stands in no line of the table, the same two segments are renamed, and nothing else."""
    others = [
        each for each in OPERATIONS.values() if each.server_kind is ServerKind.MANAGEMENT and each.name not in PATHS
    ]
    for operation in others:
        assert CLICKHOUSE.path(operation.path) == operation.path.replace("/stack/", "/clickstack/")
    assert not any("/pipes" in operation.path for operation in others)


@pytest.mark.parametrize(("record", "ours", "theirs"), RECORDS.values(), ids=RECORDS)
def test_fields_are_the_vendor_s(record: str, ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    """Each renamed field has the vendor's name on the wire and the interface's here."""
    assert CLICKHOUSE.to_server(record, ours) == theirs
    assert CLICKHOUSE.from_server(record, theirs) == ours
    assert CLICKHOUSE.from_server(record, [theirs, theirs]) == [ours, ours]


@pytest.mark.parametrize(("record", "value"), UNTOUCHED.values(), ids=UNTOUCHED)
def test_nothing_else_is_renamed(record: str, value: dict[str, Any]) -> None:
    """A word is renamed where it is the name of that field, not wherever it occurs."""
    assert CLICKHOUSE.to_server(record, value) == value
    assert CLICKHOUSE.from_server(record, value) == value


def test_every_engine_setting_is_renamed() -> None:
    """The table of settings above is complete."""
    assert {name for name in PipeSettings.model_fields if name.startswith("engine_")} == set(SETTINGS)


def test_what_the_vendor_no_longer_knows_is_not_sent() -> None:
    """`dataSource` of a series is gone: the source is known by its id."""
    sent = CLICKHOUSE.to_server("Dashboard", {"tiles": [{"series": [{"dataSource": "d", "sourceId": "s"}]}]})
    assert sent == {"tiles": [{"series": [{"sourceId": "s"}]}]}


def test_the_interface_s_words_are_the_default() -> None:
    """Without a word in the configuration nothing is translated."""
    for name, operation in OPERATIONS.items():
        assert NEUTRAL.path(operation.path) == operation.path, name
    for record, ours, _ in RECORDS.values():
        assert NEUTRAL.to_server(record, ours) == ours
        assert NEUTRAL.from_server(record, ours) == ours
    assert NEUTRAL.base_url is None
    assert CLICKHOUSE.base_url == "https://api.clickhouse.cloud"


def test_the_wider_limits_hold_for_the_vendor_only() -> None:
    """Pipe replicas go to 40 and the regions are the vendor's, under its vocabulary alone."""
    kinds = [handler.type for handler in RESOURCES.values()]
    assert all(kind.inputs_in(VocabularyName.NEUTRAL) is kind.inputs for kind in kinds)
    wider = {kind for kind in kinds if kind.inputs_in(VocabularyName.CLICKHOUSE) is not kind.inputs}
    assert wider == {OF_SERVICE, PIPE_SCALING}
    ours, theirs = {each.value for each in Region}, {each.value for each in ServerRegion}
    assert ours - theirs == {"me-central-1"}
    assert theirs - ours == {
        "ap-northeast-2",
        "asia-northeast1",
        "ca-central-1",
        "centralus",
        "europe-west2",
        "il-central-1",
    }


@pytest.mark.parametrize("kind", [OF_SERVICE, PIPE_SCALING], ids=["Service", "PipeScaling"])
def test_wider_models_have_the_same_fields(kind: ResourceType) -> None:
    """Only limits differ: names, order and secrets are the interface's."""
    assert wire_names(kind.inputs_in(VocabularyName.CLICKHOUSE)) == wire_names(kind.inputs)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=5,
)


def record(*names: str, **inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Any record with some of these fields, whose names are the interface's."""
    return st.fixed_dictionaries({}, optional={**dict.fromkeys(names, VALUES), **inner})


SERVICES = record("id", "name", "engineVersion", "endpoints")
SERIES = record("sourceId", "aggFn", "groupBy")
WORDS = {
    "Service": SERVICES,
    "ServiceCreated": record("password", service=SERVICES),
    "Pipe": record("id", "destination", "source", settings=record(*PipeSettings.model_fields)),
    "Key": record("id", "name", "roles", "team"),
    "Alert": record("id", "team", "dashboard", "tileId", "channel"),
    "Dashboard": record("name", "tags", tiles=st.lists(record("id", "config", series=st.lists(SERIES)), max_size=3)),
    "Source": st.dictionaries(st.text(max_size=8), VALUES, max_size=4),
}


@given(data=st.data(), name=st.sampled_from(sorted(WORDS)))
def test_what_goes_out_comes_back(data: st.DataObject, name: str) -> None:
    """Translating there and back changes nothing, whatever the values are."""
    value = data.draw(WORDS[name])
    for vocabulary in DIALECTS.values():
        assert vocabulary.from_server(name, vocabulary.to_server(name, value)) == value
