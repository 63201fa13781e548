"""Functions (being written)."""
from dataclasses import dataclass
from pulumi_clouddb.models.resource_type import FunctionType
from pulumi_clouddb.models import alert, dashboard, pipe, service, source

@dataclass(frozen=True)
class Function:
    """A function."""

    type: FunctionType

FUNCTIONS: dict[str, Function] = {t.name: Function(t) for t in (pipe.GET_PIPE, service.GET_SERVICE, service.LIST_SERVICES, alert.GET_ALERT, alert.LIST_ALERTS, dashboard.GET_DASHBOARD, dashboard.LIST_DASHBOARDS, source.LIST_SOURCES)}
