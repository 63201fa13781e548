"""Dashboards of an observability server."""

from __future__ import annotations

from pulumi_clouddb.alerts.api import Alerts
from pulumi_clouddb.client.collection import Collection
from pulumi_clouddb.client.operation import observability
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

from .dashboard import DashboardResponse


class Dashboards(Collection[DashboardResponse]):
    """The dashboards of one server."""

    model = DashboardResponse
    id_part = "dashboard_id"

    LIST = observability(
        "list_dashboards", "GET", "/dashboards", "Dashboard", "list the dashboards", managed=True, hosted=True
    )
    CREATE = observability("create_dashboard", "POST", "/dashboards", "Dashboard", "create the dashboard")
    GET = observability("get_dashboard", "GET", "/dashboards/{dashboardId}", "Dashboard", "read the dashboard")
    UPDATE = observability("update_dashboard", "PUT", "/dashboards/{dashboardId}", "Dashboard", "update the dashboard")
    DELETE = observability("delete_dashboard", "DELETE", "/dashboards/{dashboardId}", "None", "delete the dashboard")

    VALIDATE = observability(
        "validate_dashboard",
        "POST",
        "/dashboards/validate",
        "None",
        "validate the dashboard",
        only=CLICKHOUSE,
    )

    def invalidate(self) -> None:
        """Forget the shared list, and that of alerts, which go with their tiles."""
        super().invalidate()
        Alerts(self.connection, self.service_id).invalidate()
