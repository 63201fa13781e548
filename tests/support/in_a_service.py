"""A program with a service, and with one object of each kind that can be in it."""

from __future__ import annotations

from typing import Any

from clouddb_tools.commands.export.statements import Ref, Step
from clouddb_tools.sandbox import Sandbox
from lives.life import Inputs
from lives.table import LIVES
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource.base import SERVICE_ID
from pulumi_clouddb.schema.base import wire_names
from support.ids import CALM, CONNECTION, LOGS

SERVICE = Step("orders", "Service", {"name": "Orders", "provider": "aws", "region": "eu-central-1"})

KINDS = frozenset(name for name, each in RESOURCES.items() if SERVICE_ID in wire_names(each.type.inputs))
"""The resources that can be in a service."""

_TILE = {
    "key": "errors",
    "name": "Errors",
    "config": {
        "displayType": "line",
        "sourceId": LOGS,
        "select": [{"aggFn": "count", "where": "", "whereLanguage": "lucene"}],
    },
}
_SPANS = {
    "name": "Spans",
    "kind": "trace",
    "connection": CONNECTION,
    "from": {"databaseName": "shop", "tableName": "spans"},
    **{f"{name}Expression": name for name in ("timestampValue", "duration", "traceId", "spanId", "parentSpanId")},
    **{f"{name}Expression": name for name in ("spanName", "spanKind", "defaultTableSelect")},
    "durationPrecision": 9,
}


def _of(name: str, kind: str, life: str, **names: Any) -> Step:
    """Return the object of a life, with references in place of its ids."""
    return Step(name, kind, {each: names.get(str(value), value) for each, value in LIVES[life].before.items()})


def steps(sandbox: Sandbox, service: Step = SERVICE) -> list[Step]:
    """Return the program; what is in the service refers to it, to each other, and to a key and a function outside."""
    of_service: Inputs = {SERVICE_ID: Ref(f"{service.variable}.id")}
    ids = {"$service_id": of_service[SERVICE_ID]}
    key = str(sandbox.add("keys", name="Reader")["key"]["id"])
    LIVES["attachment of a function"].setting(sandbox)
    endpoint = {**LIVES["query API endpoint"].before, **of_service, "apiKeyIds": [key]}
    rule = {
        "threshold": 100,
        "thresholdType": "above",
        "interval": "5m",
        "channel": {"type": "webhook", "webhookId": CALM},
    }
    return [
        service,
        _of("clicks", "Pipe", "pipe of a stream", **ids),
        _of("tables", "Pipe", "pipe of a database", **ids),
        Step("scaling", "PipeScaling", {**of_service, "pipeId": Ref("clicks.id"), "replicas": 2}),
        Step(
            "cdc",
            "PipeCdcScaling",
            {SERVICE_ID: Ref("tables.serviceId"), "replicaCpuMillicores": 2000, "replicaMemoryGb": 8},
        ),
        _of("link", "ReversePrivateEndpoint", "reverse private endpoint", **ids),
        _of("bastion", "PipeSshKey", "SSH key of pipes", **ids),
        Step("endpoint", "PrivateEndpoint", {**of_service, "endpointId": "vpce-1", "description": "Office"}),
        Step("attached", "UdfAttachment", {**of_service, "functionName": "thrice", "version": 1}),
        _of("query", "SavedQuery", "saved query", **ids),
        Step("api", "QueryApiEndpoint", endpoint),
        Step("board", "Dashboard", {**of_service, "name": "Shop", "tiles": [_TILE]}),
        Step(
            "alert",
            "Alert",
            {**of_service, **rule, "dashboardId": Ref("board.id"), "tileId": Ref("board.tileIds", "errors")},
        ),
        Step(
            "search", "SavedSearch", {**of_service, "name": "Errors", "sourceId": LOGS, "where": "", "tags": ["shop"]}
        ),
        _of("role", "StackRole", "stack role", **ids),
        _of("chat", "Webhook", "managed webhook", **ids),
        Step("spans", "Source", {**of_service, **_SPANS}),
        Step("links", "SourceLinks", {**of_service, "sourceId": Ref("spans.id"), "logSourceId": LOGS}),
    ]
