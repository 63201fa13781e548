"""The one registry: a new resource or function is one line here."""

from __future__ import annotations

from .alert import AlertResource
from .api_key import ApiKeyResource
from .base import AnyResource
from .dashboard import DashboardResource
from .functions import FUNCTIONS as FUNCTIONS
from .pipe_scaling import PipeScalingResource
from .service import ServiceResource

RESOURCES: dict[str, AnyResource] = {
    resource.type.name: resource
    for resource in (
        ServiceResource(),
        PipeScalingResource(),
        ApiKeyResource(),
        DashboardResource(),
        AlertResource(),
    )
}
"""What handles each resource, by its Pulumi name."""
