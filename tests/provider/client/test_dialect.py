"""Dialects: all paths and fields that the vendor's API names differently, in both directions, and no others."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulumi_clouddb.client.dialect import DIALECTS, Dialect
from pulumi_clouddb.client.operation import ServerKind
from pulumi_clouddb.registry import OPERATIONS, RESOURCES
from pulumi_clouddb.schema.base import wire_names
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.vocabulary import VocabularyName
from pulumi_clouddb.things.pipes.parts import PipeSettings
from pulumi_clouddb.things.pipes.scaling import PIPE_SCALING
from pulumi_clouddb.things.services.enums import Region, ServerRegion
from pulumi_clouddb.things.services.service import SERVICE as OF_SERVICE

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
    "get_pipe_context": SERVICE + "/clickpipes/context",
}
"""The paths of the management API as the vendor documents them; names in braces are not sent."""

SETTINGS = {
    "engine_max_threads": "clickhouse_max_threads",
    "engine_max_insert_threads": "clickhouse_max_insert_threads",
    "engine_min_insert_block_size_bytes": "clickhouse_min_insert_block_size_bytes",
    "engine_max_download_threads": "clickhouse_max_download_threads",
    "engine_parallel_distributed_insert_select": "clickhouse_parallel_distributed_insert_select",
    "engine_parallel_view_processing": "clickhouse_parallel_view_processing",
}
"""The settings of pipes with different names."""

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
    "a table with the name of a setting": ("Pipe", {"destination": {"table": "engine_max_threads", "engine_x": 1}}),
    "settings of Postgres": ("Pipe", {"source": {"postgres": {"settings": {"engine_max_threads": 1}}}}),
    "other settings": ("Pipe", {"settings": {"streaming_max_insert_wait_ms": 1, "object_storage_concurrency": 2}}),
    "values": ("Pipe", {"name": "pipes", "settings": {"object_storage_concurrency": "engine_max_threads"}}),
    "a service with the name of a field": ("Service", {"name": "engineVersion", "id": "stack"}),
    "a key": ("Key", {"engineVersion": "x", "team": "t", "dashboard": "d"}),
    "a dashboard": ("Dashboard", {"name": "team", "tiles": [{"name": "dashboard", "team": "t"}]}),
    "config of a tile": ("Dashboard", {"tiles": [{"config": {"dataSource": "d", "settings": {"engine_a": 1}}}]}),
    "other fields of a pipe": ("Pipe", {"engine_max_threads": 1}),
    "other fields of a service": ("Service", {"engine_max_threads": 1}),
    "other fields of a tile": ("Dashboard", {"tiles": [{"engine_a": 1, "series": [{"engine_b": 2}]}]}),
    "a source": ("Source", {"team": "t", "engineVersion": "x", "series": [{"dataSource": "d"}]}),
}


def test_paths_match_the_vendors_documentation() -> None:
    """`pipes` becomes `clickpipes` and `stack` becomes `clickstack`; all other segments stay."""
    assert {name: CLICKHOUSE.path(OPERATIONS[name].path) for name in PATHS} == PATHS


def test_other_paths_are_translated_alike() -> None:
    """In paths outside the table, `stack` is renamed and nothing else."""
    others = [
        each for each in OPERATIONS.values() if each.server_kind is ServerKind.MANAGEMENT and each.name not in PATHS
    ]
    for operation in others:
        assert CLICKHOUSE.path(operation.path) == operation.path.replace("/stack/", "/clickstack/")
    assert not any("/pipes" in operation.path for operation in others)


@pytest.mark.parametrize(("record", "neutral", "vendor"), RECORDS.values(), ids=RECORDS)
def test_fields_are_translated_in_both_directions(record: str, neutral: dict[str, Any], vendor: dict[str, Any]) -> None:
    """Each renamed field has the vendor's name on the wire and the neutral name in this package."""
    assert CLICKHOUSE.to_server(record, neutral) == vendor
    assert CLICKHOUSE.from_server(record, vendor) == neutral
    assert CLICKHOUSE.from_server(record, [vendor, vendor]) == [neutral, neutral]


@pytest.mark.parametrize(("record", "value"), UNTOUCHED.values(), ids=UNTOUCHED)
def test_other_fields_are_not_renamed(record: str, value: dict[str, Any]) -> None:
    """Only the field itself is renamed, not the same word in a value or in another place."""
    assert CLICKHOUSE.to_server(record, value) == value
    assert CLICKHOUSE.from_server(record, value) == value


@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=DIALECTS)
def test_columns_of_a_tile_are_a_text_on_the_wire(dialect: Dialect) -> None:
    """Servers have one field for them and for the values of a chart."""
    chart = {"config": {"select": [{"aggFn": "count"}]}}
    ours = {"tiles": [{"config": {"columns": "Body"}}, chart]}
    theirs = {"tiles": [{"config": {"select": "Body"}}, chart]}
    assert dialect.to_server("Dashboard", ours) == theirs
    assert dialect.from_server("Dashboard", theirs) == ours


def test_every_engine_setting_is_renamed() -> None:
    """The table of settings above is complete."""
    assert {name for name in PipeSettings.model_fields if name.startswith("engine_")} == set(SETTINGS)


def test_removed_fields_are_not_sent() -> None:
    """The vendor's API no longer has `dataSource` in a series: `sourceId` names the source."""
    sent = CLICKHOUSE.to_server("Dashboard", {"tiles": [{"series": [{"dataSource": "d", "sourceId": "s"}]}]})
    assert sent == {"tiles": [{"series": [{"sourceId": "s"}]}]}


def test_neutral_dialect_translates_nothing() -> None:
    """It is the default, and has no default address."""
    for name, operation in OPERATIONS.items():
        assert NEUTRAL.path(operation.path) == operation.path, name
    for record, neutral, _ in RECORDS.values():
        assert NEUTRAL.to_server(record, neutral) == neutral
        assert NEUTRAL.from_server(record, neutral) == neutral
    assert NEUTRAL.base_url is None
    assert CLICKHOUSE.base_url == "https://api.clickhouse.cloud"


def test_wider_limits_apply_to_the_vendor_only() -> None:
    """Up to 40 replicas of a pipe and the vendor's regions are accepted in the clickhouse dialect only."""
    kinds = [handler.type for handler in RESOURCES.values()]
    assert all(kind.inputs_in(VocabularyName.NEUTRAL) is kind.inputs for kind in kinds)
    wider = {kind for kind in kinds if kind.inputs_in(VocabularyName.CLICKHOUSE) is not kind.inputs}
    assert wider == {OF_SERVICE, PIPE_SCALING}
    neutral, vendor = {each.value for each in Region}, {each.value for each in ServerRegion}
    assert neutral - vendor == {"me-central-1"}
    assert vendor - neutral == {
        "ap-northeast-2",
        "asia-northeast1",
        "ca-central-1",
        "centralus",
        "europe-west2",
        "il-central-1",
    }


@pytest.mark.parametrize("kind", [OF_SERVICE, PIPE_SCALING], ids=["Service", "PipeScaling"])
def test_wider_models_have_the_same_fields(kind: ResourceType) -> None:
    """Only limits differ; names, their order and secrets are the same."""
    assert wire_names(kind.inputs_in(VocabularyName.CLICKHOUSE)) == wire_names(kind.inputs)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=5,
)


def record(*names: str, **inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Generate records with some of these fields, under their neutral names."""
    return st.fixed_dictionaries({}, optional={**dict.fromkeys(names, VALUES), **inner})


SERVICES = record("id", "name", "engineVersion", "endpoints")
SERIES = record("sourceId", "aggFn", "groupBy")
RECORDS_BY_NAME = {
    "Service": SERVICES,
    "ServiceCreated": record("password", service=SERVICES),
    "Pipe": record("id", "destination", "source", settings=record(*PipeSettings.model_fields)),
    "Key": record("id", "name", "roles", "team"),
    "Alert": record("id", "team", "dashboard", "tileId", "channel"),
    "Dashboard": record("name", "tags", tiles=st.lists(record("id", "config", series=st.lists(SERIES)), max_size=3)),
    "Source": st.dictionaries(st.text(max_size=8), VALUES, max_size=4),
}


@given(data=st.data(), name=st.sampled_from(sorted(RECORDS_BY_NAME)))
def test_translation_round_trip_changes_nothing(data: st.DataObject, name: str) -> None:
    """Translating a record to the server's names and back returns the same record."""
    value = data.draw(RECORDS_BY_NAME[name])
    for dialect in DIALECTS.values():
        assert dialect.from_server(name, dialect.to_server(name, value)) == value
