"""Alerts of an observability server."""

from __future__ import annotations

from pulumi_clouddb.client.operation import observability
from pulumi_clouddb.client.replaced import ReplacedCollection
from pulumi_clouddb.schema.names import property_names

from .alert import Alert
from .parts import AlertSource


class Alerts(ReplacedCollection[Alert]):
    """The alerts of one server."""

    model = Alert
    id_part = "alert_id"
    not_listed = property_names(Alert, lambda alert: (alert.chart_config,))

    LIST = observability("list_alerts", "GET", "/alerts", "Alert", "list the alerts", hosted=True, per_page=1000)
    CREATE = observability("create_alert", "POST", "/alerts", "Alert", "create the alert", managed=True)
    GET = observability("get_alert", "GET", "/alerts/{alertId}", "Alert", "read the alert", hosted=True)
    UPDATE = observability("update_alert", "PUT", "/alerts/{alertId}", "Alert", "update the alert")
    DELETE = observability("delete_alert", "DELETE", "/alerts/{alertId}", "None", "delete the alert")

    def lacks_inputs(self, listed: Alert) -> bool:
        """Return whether the alert may have a chart of its own: only such alerts are read by their id."""
        return listed.source == AlertSource.INLINE
