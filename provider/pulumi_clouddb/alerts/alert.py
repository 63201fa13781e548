"""Alerts: a threshold on a tile or a saved search, checked at an interval, told to channels."""

from __future__ import annotations

from typing import Any

from pydantic import AliasChoices, model_validator

from pulumi_clouddb.schema.base import FilledText, Model, Number, Record, Text, Uuid, prop
from pulumi_clouddb.schema.observability import MANAGED_FORM, ListArgs, ObservabilityArgs
from pulumi_clouddb.schema.resource_type import FunctionType, ResourceType
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

from .fields import AlertFields
from .rules import RULES


class AlertBody(AlertFields):
    """The body of *Create alert*."""

    RULES = RULES


class AlertArgs(ObservabilityArgs, AlertBody):
    """What a program may say about an alert."""


def _either(name: str, newer: str, description: str, copies: tuple[str, ...] = ()) -> Any:
    return prop(description, copies=copies, validation_alias=AliasChoices(name, newer))


class AlertChannelResponse(Record):
    """Where the notification goes, as the server answers it."""

    type: Text | None = prop("Kind of channel; `webhook` occurs.")
    webhook_id: Text | None = prop("Id of the webhook.")
    email_recipients: list[Text] | None = prop("Who gets mail.", only=CLICKHOUSE)
    webhook_service: Text | None = prop("Service behind the webhook.", only=CLICKHOUSE)
    slack_channel_id: Text | None = prop("Channel of a Slack webhook.", only=CLICKHOUSE)
    severity: Text | None = prop("Severity that a PagerDuty webhook tells.", only=CLICKHOUSE)


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


class AlertResponse(Record):
    """The alert as the server answers it; newer servers write `dashboardId` and `teamId`."""

    id: Text | None = prop("Id of the alert.")
    name: Text | None = prop("Name of the alert.")
    message: Text | None = prop("Text of the notification.")
    threshold: Number | None = prop("Value that the tile is compared with.")
    interval: Text | None = prop("How often it is checked.")
    threshold_type: Text | None = prop("Which side of the threshold raises it.")
    source: Text | None = prop("What is watched.")
    state: Text | None = prop("State in the server's words, such as `active` or `inactive`, `ALERT` or `OK`.")
    channel: AlertChannelResponse | None = prop("Where the notification goes, the first of all channels.")
    channels: list[AlertChannelResponse] | None = prop("Where the notification goes, all of them.", only=CLICKHOUSE)
    note: Text | None = prop("Text for the people on call.", only=CLICKHOUSE)
    num_consecutive_windows: Number | None = prop(
        "In so many intervals in a row the condition has to be met.", only=CLICKHOUSE
    )
    threshold_max: Number | None = prop("Upper bound of a range.", only=CLICKHOUSE)
    saved_search_id: Text | None = prop("Id of the saved search it watches.", only=CLICKHOUSE)
    group_by: Text | None = prop("Rows are counted per value of this SQL expression.", only=CLICKHOUSE)
    schedule_offset_minutes: Number | None = prop(
        "Minutes after the boundary of the interval at which it is checked.", only=CLICKHOUSE
    )
    schedule_start_at: Text | None = prop("Moment from which the intervals count (ISO-8601).", only=CLICKHOUSE)
    silenced: AlertSilence | None = prop("Who silenced it, and until when; absent while it is not.", only=CLICKHOUSE)
    execution_errors: list[AlertExecutionError] | None = prop(
        "What went wrong when it was checked last.", only=CLICKHOUSE
    )
    team: Text | None = _either("team", "teamId", "Id of the team that owns it.")
    tile_id: Text | None = prop("Id of the tile it watches.")
    dashboard: Text | None = _either(
        "dashboard", "dashboardId", "Id of the dashboard that holds the tile.", copies=("dashboardId",)
    )
    created_at: Text | None = prop("When it was created (ISO-8601).")
    updated_at: Text | None = prop("When it was changed last (ISO-8601).")


class AlertRecord(AlertResponse):
    """The alert as state keeps it, with the dashboard under its name in requests, too."""

    dashboard_id: Text | None = prop("Id of the dashboard that holds the tile.")

    @model_validator(mode="after")
    def _name_dashboard(self) -> AlertRecord:
        if "dashboard" in self.model_fields_set:
            self.dashboard_id = self.dashboard
        return self


class AlertOwn(Record):
    """What this provider adds to the state of an alert."""

    alert_id: Text | None = prop(
        "Id of the alert on the server. It is the resource's id, until the alert goes with its tile and is made again.",
        api="id",
    )


class AlertState(AlertOwn, AlertArgs, AlertResponse):
    """What Pulumi keeps of an alert: the inputs as given, and what the server made of them."""


ALERT = ResourceType(
    name="Alert",
    description="An alert on a tile of a dashboard or on a saved search. It goes with what it watches: deleting either "
    "is enough.",
    inputs=AlertArgs,
    record=AlertRecord,
    own=AlertOwn,
    state=AlertState,
    required_outputs=("threshold", "interval", "thresholdType", "channel", "source", "alertId"),
    state_inputs=("serviceId",),
)


class GetAlertArgs(Model):
    """Arguments of getAlert."""

    alert_id: FilledText = prop("Id of the alert.", required=True)
    service_id: Uuid | None = prop(MANAGED_FORM)


class AlertList(Record):
    """Answer of listAlerts."""

    alerts: list[AlertResponse] = prop("The alerts, in the server's order.", required=True)


GET_ALERT = FunctionType("getAlert", "Reads one alert by its id.", GetAlertArgs, AlertResponse)
LIST_ALERTS = FunctionType("listAlerts", "Lists the alerts of a stack.", ListArgs, AlertList)
