"""The one registry: a new resource is one line here."""

from __future__ import annotations

from itertools import chain
from typing import Any

from .alert import AlertResource
from .api_key import ApiKeyResource
from .base import AnyResource
from .connection import ConnectionResource
from .dashboard import DashboardResource
from .functions import Function
from .pipe_scaling import PipeScalingResource
from .saved_search import SavedSearchResource
from .service import ServiceResource
from .source import SourceResource
from .webhook import WebhookResource

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
