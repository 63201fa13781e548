"""Alerts: a threshold on a tile, checked at an interval, told to a channel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import AliasChoices, model_validator

from .base import Duration, FilledText, Model, Number, Record, Text, Uuid, prop
from .observability import MANAGED_FORM, ObservabilityArgs
from .resource_type import FunctionType, ResourceType


class AlertChannel(Model):
    """Where the notification goes."""

    type: FilledText = prop("Kind of channel; `webhook` occurs.", required=True)
    webhook_id: FilledText | None = prop("Id of the webhook, for type `webhook`.")


def _kind_and_id(channel: Any) -> Any:
    """Return what of a channel comes back as it was sent: servers add to it by themselves."""
    return {key: channel.get(key) for key in ("type", "webhookId")} if isinstance(channel, Mapping) else channel


class AlertBody(Model):
    """The body of *Create alert*, field by field."""

    dashboard_id: FilledText | None = prop("Id of the dashboard that holds the tile.")
    tile_id: FilledText | None = prop("Id of the tile to watch; see the dashboard's `tileIds`.")
    threshold: Number | None = prop("Value that the tile is compared with.", required=True)
    interval: Duration | None = prop("How often it is checked.", required=True)
    source: FilledText | None = prop("What is watched.", default="tile")
    threshold_type: FilledText | None = prop("Which side of the threshold raises it; `above` occurs.", required=True)
    channel: AlertChannel | None = prop("Where the notification goes.", required=True, evidence=_kind_and_id)
    name: FilledText | None = prop("Name of the alert. Taken out again, it is cleared.")
    message: FilledText | None = prop("Text of the notification. Taken out again, it is cleared.")


class AlertArgs(ObservabilityArgs, AlertBody):
    """What a program may say about an alert."""


def _either(name: str, newer: str, description: str, copies: tuple[str, ...] = ()) -> Any:
    return prop(description, copies=copies, validation_alias=AliasChoices(name, newer))


class AlertResponse(Record):
    """The alert as the server answers it; newer servers write `dashboardId` and `teamId`."""

    id: Text | None = prop("Id of the alert.")
    name: Text | None = prop("Name of the alert.")
    message: Text | None = prop("Text of the notification.")
    threshold: Number | None = prop("Value that the tile is compared with.")
    interval: Text | None = prop("How often it is checked.")
    threshold_type: Text | None = prop("Which side of the threshold raises it.")
    source: Text | None = prop("What is watched.")
    state: Text | None = prop("State in the server's words, such as `active` or `inactive`.")
    channel: AlertChannel | None = prop("Where the notification goes.")
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
    description="An alert on a tile of a dashboard. It goes with its tile: deleting either is enough.",
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


class ListAlertsArgs(Model):
    """Arguments of listAlerts."""

    service_id: Uuid | None = prop(MANAGED_FORM)


class AlertList(Record):
    """Answer of listAlerts."""

    alerts: list[AlertResponse] = prop("The alerts, in the server's order.", required=True)


GET_ALERT = FunctionType("getAlert", "Reads one alert by its id.", GetAlertArgs, AlertResponse)
LIST_ALERTS = FunctionType("listAlerts", "Lists the alerts of a stack.", ListAlertsArgs, AlertList)
