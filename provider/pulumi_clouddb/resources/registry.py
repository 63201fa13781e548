"""The one registry: a new resource or function is one line here."""

from __future__ import annotations

from .alert import AlertHandler
from .api_key import ApiKeyHandler
from .base import ResourceHandler
from .dashboard import DashboardHandler
from .functions import FUNCTIONS as FUNCTIONS
from .pipe_scaling import PipeScalingHandler
from .service import ServiceHandler

RESOURCES: dict[str, ResourceHandler] = {
    handler.type.name: handler
    for handler in (
        ServiceHandler(),
        PipeScalingHandler(),
        ApiKeyHandler(),
        DashboardHandler(),
        AlertHandler(),
    )
}
"""What handles each resource, by its Pulumi name."""
