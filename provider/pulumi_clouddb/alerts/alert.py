"""Alerts: a threshold on a tile or a saved search, checked at an interval, told to channels."""

from __future__ import annotations

from typing import Any

from pydantic import AliasChoices

from pulumi_clouddb.schema.base import Record, Text, prop
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.thing import answered, ours
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

from .fields import AlertFields
from .rules import RULES


def _either(name: str, newer: str, description: str, copies: tuple[str, ...] = ()) -> Any:
    return answered(description, copies=copies, validation_alias=AliasChoices(name, newer))


class AlertExecutionError(Record):
    """What went wrong when the alert was checked last (openapi: `AlertExecutionError`)."""

    timestamp: Text | None = prop("When it happened (ISO-8601).")
    type: Text | None = prop("Kind of the error, such as `QUERY_ERROR`.")
    message: Text | None = prop("The error in the server's words.")


class AlertSilence(Record):
    """Who silenced the alert, and until when (openapi: `AlertSilenced`)."""

    by: Text | None = prop("Id of the user who silenced it.")
    at: Text | None = prop("Since when (ISO-8601).")
    until: Text | None = prop("Until when (ISO-8601).")


class Alert(AlertFields):
    """An alert on a tile of a dashboard or on a saved search; newer servers answer `dashboardId` and `teamId`."""

    RULES = RULES

    id: Text | None = answered("Id of the alert.")
    state: Text | None = answered("State in the server's words, such as `active` or `inactive`, `ALERT` or `OK`.")
    silenced: AlertSilence | None = answered(
        "Who silenced it, and until when; absent while it is not.", only=CLICKHOUSE
    )
    execution_errors: list[AlertExecutionError] | None = answered(
        "What went wrong when it was checked last.", only=CLICKHOUSE
    )
    team: Text | None = _either("team", "teamId", "Id of the team that owns it.")
    dashboard: Text | None = _either(
        "dashboard", "dashboardId", "Id of the dashboard that holds the tile.", copies=("dashboardId",)
    )
    created_at: Text | None = answered("When it was created (ISO-8601).")
    updated_at: Text | None = answered("When it was changed last (ISO-8601).")
    alert_id: Text | None = ours(
        "Id of the alert on the server. It is the resource's id, until the alert goes with its tile and is made again.",
        api="id",
    )

    def received(self) -> None:
        """Set the dashboard under its name in requests, too."""
        if "dashboard" in self.model_fields_set:
            self.dashboard_id = self.dashboard


ALERT = ResourceType.of(
    Alert,
    "An alert on a tile of a dashboard or on a saved search. It goes with what it watches: deleting either is enough.",
    required_outputs=("threshold", "interval", "thresholdType", "channel", "source", "alertId"),
    state_inputs=("serviceId",),
)
