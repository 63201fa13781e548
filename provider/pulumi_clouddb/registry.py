"""The one registry: a new resource is one line here."""

from __future__ import annotations

from itertools import chain
from typing import Any

from pulumi_clouddb.alerts.resource import AlertResource
from pulumi_clouddb.client.operation import Operation
from pulumi_clouddb.connections.resource import ConnectionResource
from pulumi_clouddb.dashboards.resource import DashboardResource
from pulumi_clouddb.keys.resource import ApiKeyResource
from pulumi_clouddb.pipes.resource import PipeScalingResource
from pulumi_clouddb.resource.base import AnyResource
from pulumi_clouddb.resource.functions import Function
from pulumi_clouddb.saved_searches.resource import SavedSearchResource
from pulumi_clouddb.services.resource import ServiceResource
from pulumi_clouddb.sources.resource import SourceResource
from pulumi_clouddb.webhooks.resource import WebhookResource

RESOURCES: dict[str, AnyResource] = {
    resource.type.name: resource
    for resource in (
        ServiceResource(),
        PipeScalingResource(),
        ApiKeyResource(),
        DashboardResource(),
        AlertResource(),
        SavedSearchResource(),
        WebhookResource(),
        SourceResource(),
        ConnectionResource(),
    )
}
"""What handles each resource, by its Pulumi name."""

FUNCTIONS: dict[str, Function[Any]] = {
    function.type.name: function for function in chain.from_iterable(each.functions for each in RESOURCES.values())
}
"""What answers each function, by its Pulumi name."""

COLLECTIONS = tuple(sorted({each.collection for each in RESOURCES.values()}, key=lambda each: each.__name__))
"""What servers hold, a collection for each thing."""

OPERATIONS: dict[str, Operation] = {
    operation.name: operation for collection in COLLECTIONS for operation in collection.operations()
}
"""All operations by name, by which `clouddb:paths` overrides their paths."""
