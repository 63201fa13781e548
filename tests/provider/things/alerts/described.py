"""Alerts."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import Required, TypedDict

from description.exchange import both_forms, collection
from description.notation import CLOUD, SELF_HOSTED, Moment


class WebhookChannel(TypedDict, total=False):
    type: Required[Literal["webhook"]]
    webhookId: Required[str]
    webhookService: Annotated[str | None, CLOUD]
    slackChannelId: Annotated[str | None, CLOUD]
    severity: Annotated[Literal["critical", "error", "warning", "info"] | None, CLOUD]


class EmailChannel(TypedDict, total=False):
    type: Required[Literal["email"]]
    emailRecipients: Required[Annotated[list[str], CLOUD]]


Channel = Annotated[WebhookChannel | EmailChannel, Field(discriminator="type")]


class Change(TypedDict, total=False):
    dashboardId: str | None
    tileId: str | None
    savedSearchId: str | None
    groupBy: str | None
    threshold: Required[float]
    thresholdMax: float | None
    interval: Required[Literal["1m", "5m", "15m", "30m", "1h", "6h", "12h", "1d"]]
    scheduleOffsetMinutes: Annotated[int, Field(ge=0)] | None
    scheduleStartAt: Moment | None
    source: Literal["saved_search", "tile"]
    thresholdType: Required[
        Literal["above", "below", "above_exclusive", "below_or_equal", "equal", "not_equal", "between", "not_between"]
    ]
    channel: Channel
    channels: Annotated[list[Channel], Field(min_length=1, max_length=10), SELF_HOSTED]
    name: str | None
    message: str | None
    note: Annotated[str, Field(min_length=1, max_length=4096)] | None
    numConsecutiveWindows: Annotated[int, Field(ge=1)] | None


class Silence(TypedDict, total=False):
    by: str | None
    at: Moment
    until: Moment


class ExecutionError(TypedDict, total=False):
    """An error of an alert's evaluation."""

    timestamp: Required[Moment]
    type: Required[Literal["QUERY_ERROR", "QUERY_TIMEOUT", "WEBHOOK_ERROR", "INVALID_ALERT", "UNKNOWN"]]
    message: Required[str]


class Alert(Change, total=False):
    id: str
    state: Literal["ALERT", "OK", "INSUFFICIENT_DATA", "DISABLED", "PENDING"]
    teamId: str
    silenced: Silence | None
    executionErrors: list[ExecutionError] | None
    createdAt: Moment | None
    updatedAt: Moment | None


EXCHANGES = both_forms(collection("alert", "alerts", Change, Change, Alert, 1000))
