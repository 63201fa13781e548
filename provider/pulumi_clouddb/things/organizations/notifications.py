"""What the organization reports to others: types of notifications, and targets of Prometheus."""

from __future__ import annotations

from pulumi_clouddb.schema.base import Flag, Model, Record, Text, prop
from pulumi_clouddb.schema.resource_type import NoArguments, list_function


class NotificationType(Record):
    """A type of notification (OpenAPI: `NotificationType`)."""

    name: Text | None = prop("Stable name of the type, such as `service_backup_failed`.")
    title: Text | None = prop("Title for people.")
    description: Text | None = prop("What it reports.")
    category: Text | None = prop("Category, such as `billing`, `service`, `clickpipe` or `postgres`.")
    severity: Text | None = prop("Severity: `info`, `warning` or `critical`.")
    resource_type: Text | None = prop("Kind of the object that it is about, such as `service` or `organization`.")
    is_configurable: Flag | None = prop("Whether the default of its delivery can be changed.")
    is_available: Flag | None = prop("Whether the key has the permission that it requires.")


class PrometheusTarget(Record):
    """A group of targets, in the form of Prometheus's discovery over HTTP."""

    targets: list[Text] | None = prop("Hosts to scrape.")
    labels: dict[str, Text] | None = prop("Labels of the targets, such as `clickhouse_service_id`.")


class GetPrometheusTargetsArgs(Model):
    """Arguments of getPrometheusTargets."""

    filtered_metrics: Flag | None = prop(
        "Whether the targets return only the most important metrics.", unset=True, api="filtered_metrics"
    )


LIST_NOTIFICATION_TYPES = list_function(
    "listNotificationTypes",
    "Lists the types of notifications that the organization can receive.",
    NoArguments,
    "notification_types",
    NotificationType,
    "The types.",
)
GET_PROMETHEUS_TARGETS = list_function(
    "getPrometheusTargets",
    "Reads the targets from which Prometheus scrapes the metrics of the organization, for a file of its discovery.",
    GetPrometheusTargetsArgs,
    "target_groups",
    PrometheusTarget,
    "The targets, one entry for each service.",
)
