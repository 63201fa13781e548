"""Messages suggest the value that is meant, if it is valid."""

from __future__ import annotations

from typing import Any

import pytest

from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.schema.check.findings import findings_of
from pulumi_clouddb.schema.check.rules import RuleContext
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

ID = "11111111-2222-4333-8444-555555555555"
CHART = {"displayType": "line", "sourceId": "65f5e4a3b9e77c001a567801", "select": [{"aggFn": "count"}]}
NEWER = "; remove it, or take a newer version of this package, if servers have it"
MEANT: dict[str, tuple[str, dict[str, Any], str]] = {
    "an id with a blank": ("PipeScaling", {"pipeId": f"{ID} "}, f"did you mean {ID!r}?"),
    "an id with underscores": ("PipeScaling", {"pipeId": ID.replace("-", "_")}, f"did you mean {ID!r}?"),
    "an id within a path": ("PipeScaling", {"pipeId": f"pipes/{ID}"}, f"did you mean {ID!r}?"),
    "a number as text": ("PipeScaling", {"replicas": "2"}, "did you mean 2?"),
    "a sign": ("PipeScaling", {"replicaCpuMillicores": -500}, "did you mean 500?"),
    "a number in a list": ("PipeScaling", {"replicas": [2]}, "did you mean 2?"),
    "a word in a list": ("ApiKey", {"state": ["enabled"]}, "did you mean 'enabled'?"),
    "a word in upper case": ("ApiKey", {"state": "ENABLED"}, "did you mean enabled?"),
    "a word in an object": ("ApiKey", {"state": {"name": "enabled"}}, "did you mean 'enabled'?"),
    "texts by number": ("Dashboard", {"tags": {"0": "shop", "1": "new"}}, "did you mean ['shop', 'new']?"),
    "a list of names and values": (
        "PostgresService",
        {"pgConfig": [{"name": "max_connections", "value": "100"}]},
        "did you mean {'max_connections': '100'}?",
    ),
    "a required word": ("Service", {"endpoints": [{"enabled": True}]}, "is required: write mysql"),
    "a name in an object that is sent as it is": (
        "Alert",
        {"source": "inline", "chartConfig": {**CHART, "fitYaxisToData": True}},
        "did you mean fitYAxisToData?",
    ),
}
NOT_MEANT: dict[str, tuple[str, dict[str, Any]]] = {
    "no limit": ("PipeScaling", {"replicas": -1}),
    "a positive number that is invalid, too": ("PipeScaling", {"replicas": -500}),
    "a text without an id": ("PipeScaling", {"pipeId": "my-pipe"}),
    "an address with a token": ("PipeScaling", {"pipeId": f"https://user:{ID}@example.com"}),
}


def reasons(resource: str, inputs: dict[str, Any]) -> list[str]:
    """Return what check says of the given properties."""
    found = findings_of(RESOURCES[resource].type.inputs_in(CLICKHOUSE), inputs, RuleContext(vocabulary=CLICKHOUSE))
    return [each.reason for each in (*found.failures, *found.warnings) if each.name in inputs]


@pytest.mark.parametrize(("resource", "inputs", "suggestion"), MEANT.values(), ids=MEANT)
def test_value_that_is_meant(resource: str, inputs: dict[str, Any], suggestion: str) -> None:
    """The suggestion ends the message."""
    assert [each.endswith(suggestion) for each in reasons(resource, inputs)] == [True]


@pytest.mark.parametrize(("resource", "inputs"), NOT_MEANT.values(), ids=NOT_MEANT)
def test_no_value_is_suggested(resource: str, inputs: dict[str, Any]) -> None:
    """Nothing is suggested that is invalid, means something else, or is a secret."""
    assert ["did you mean" in each for each in reasons(resource, inputs)] == [False]


MYSQL = {"host": "db.example.com", "port": 3306, "settings": {"replicationMode": "cdc"}}
MAPPING = {"sourceSchemaName": "shop", "sourceTable": "orders", "targetTable": "orders"}
SAID: dict[str, tuple[str, dict[str, Any], list[str]]] = {
    "quotes of a column": (
        "Pipe",
        {"source": {"mysql": {**MYSQL, "tableMappings": [{**MAPPING, "partitionByExpr": "`kind`"}]}}},
        [],
    ),
    "quotes around a comment": (
        "Dashboard",
        {"tiles": [{"name": "T", "x": 0, "y": 0, "w": 6, "h": 3, "config": {**CHART, "comment": "'in quotes'"}}]},
        ["is not known to this version, which sends it as it is: a server that does not know it ignores it"],
    ),
    "a size between two that are none of a BYOC region": (
        "Service",
        {"byocId": ID, "minReplicaMemoryGb": 50, "maxReplicaMemoryGb": 172},
        [
            "should be a multiple of 4, not 50, as far as this version knows",
            "should be one of 48, 116, 172, 232 when byocId is given, not 50",
        ],
    ),
    "a variable that a message has not": (
        "Alert",
        {"message": "More than {{limit}}"},
        [
            (
                "should write variables as {{value}}; there are value, group, attributes, alert, dashboard, "
                "savedSearch, "
                "source, startTime, endTime, granularity, isGroupedAlert, not 'More than {{limit}}'"
            )
        ],
    ),
    "a region of no cloud": (
        "Service",
        {"provider": "azure", "region": "germanywest"},
        ["is 'germanywest', which this version does not know; did you mean germanywestcentral?"],
    ),
    "a table with a dot": ("Source", {"from": {"databaseName": "shop", "tableName": "otel_logs.v2"}}, []),
    "a time zone of a schedule": (
        "Service",
        {"scalingSchedule": {"entries": [], "timezone": "UTC"}},
        [
            "must have at least 1 element(s), not []",
            f"is not supported here; it has entries{NEWER}",
        ],
    ),
    "a tier that is gone": ("Service", {"tier": "prod"}, ["is 'prod', which this version does not know"]),
}


@pytest.mark.parametrize(("resource", "inputs", "said"), SAID.values(), ids=SAID)
def test_advice_leads_out(resource: str, inputs: dict[str, Any], said: list[str]) -> None:
    """Nothing is said of what is fine, and what is said of the rest leads to no further complaint."""
    assert reasons(resource, inputs) == said
