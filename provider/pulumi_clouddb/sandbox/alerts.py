"""Alerts: on tiles and saved searches that are there, listed in pages, with a state of their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pulumi_clouddb.api.collections.alerts import Alerts
from pulumi_clouddb.api.collections.saved_searches import SavedSearches
from pulumi_clouddb.models.alert import AlertArgs, AlertBody
from pulumi_clouddb.models.alert_fields import AlertSource
from pulumi_clouddb.models.tile_config_fields import WITH_ALERTS, ConfigType
from pulumi_clouddb.models.vocabulary import VocabularyName

from . import webhooks
from .bodies import checked
from .ids import is_object_id
from .pages import paged
from .responses import Listing, bad_request
from .served import Served
from .state import SELF_HOSTED, Call, SandboxState
from .store import Document

CALM = {VocabularyName.NEUTRAL: "inactive", VocabularyName.CLICKHOUSE: "OK"}
"""State of an alert that is not raised: as the interface shows it, and as the vendor's servers have it."""

_CLEARED = ("name", "message")
"""What an update clears when it is left out."""

_CLEARED_BY_VENDOR = (*_CLEARED, "note", "numConsecutiveWindows")
"""What the vendor's servers answer as null where it is not set."""

_TARGETS = ("dashboard", "tileId", "savedSearchId", "groupBy")
"""What an update takes out when it is left out."""

_NULLABLE = (*_CLEARED_BY_VENDOR, "dashboardId", "tileId", "savedSearchId", "groupBy", "scheduleStartAt")
_NULLABLE_IN_THE_CLOUD = (*_NULLABLE, "thresholdMax", "scheduleOffsetMinutes")


class ServedAlerts(Served):
    """The alerts of a stack."""

    def list(self, state: SandboxState, call: Call) -> Listing:
        """List the alerts of a stack, in pages."""
        return paged(call, super().list(state, call))

    def fields(self, state: SandboxState, call: Call) -> Document:
        """Return what the body sets, or refuse it, also where what it watches is not there."""
        stack = self.parent(state, call)
        read = self._by_vendor if state.settings.is_clickhouse else self._by_the_interface
        body = read(state, call.body, stack)
        if state.settings.is_clickhouse:
            _require_webhooks(state, stack, body)
        if body.get("source") == AlertSource.SAVED_SEARCH and state.settings.is_clickhouse:
            if state.store.get(SavedSearches.plural(), body["savedSearchId"].lower(), stack) is None:
                raise bad_request("Saved search not found")
            return _record_fields(state, body)
        for name in ("dashboardId", "tileId"):
            if name not in body:
                raise bad_request(f"Body validation failed: {name}: Required")
        if state.settings.is_clickhouse and not is_object_id(body["dashboardId"]):
            raise bad_request("Invalid dashboard ID")
        dashboard = state.store.get("dashboards", body["dashboardId"].lower(), stack)
        if dashboard is None:
            raise bad_request("Dashboard not found")
        if all(tile["id"] != body["tileId"] for tile in dashboard["tiles"]):
            raise bad_request("Tile not found")
        if state.settings.is_clickhouse:
            _may_be_watched(next(tile for tile in dashboard["tiles"] if tile["id"] == body["tileId"]))
        return _record_fields(state, {**body, "dashboardId": dashboard["id"]})

    def _by_the_interface(self, state: SandboxState, given: Any, stack: str) -> Document:  # noqa: ARG002
        return checked(AlertBody, given, nullable=_CLEARED, ruled=AlertBody, context=state.context)

    def _by_vendor(self, state: SandboxState, given: Any, stack: str) -> Document:
        """Return a body as the vendor's servers take it: unknown properties are dropped, the source must be said."""
        managed = {} if stack == SELF_HOSTED else {"serviceId": stack}
        if isinstance(given, dict):
            if given.get("source") is None:
                raise bad_request("Body validation failed: Invalid input")
            nullable = _NULLABLE_IN_THE_CLOUD if managed else _NULLABLE
            said = {name: each for name, each in given.items() if each is not None or name not in nullable}
            given = {**said, **managed}
        body = checked(AlertArgs, given, ruled=AlertArgs, context=state.context, drop_unknown=True)
        body.pop("serviceId", None)
        return body

    def update(self, state: SandboxState, call: Call) -> Document:
        """Replace an alert; a start takes the place of an offset."""
        document = super().update(state, call)
        if document.get("scheduleStartAt") is not None and document.get("scheduleOffsetMinutes"):
            document["scheduleOffsetMinutes"] = 0
            state.store.put(self.kind, document["id"], document)
        return document

    def kept(self, old: Document) -> Document:
        """Return the old alert but for what it watches; the record's fields clear its texts."""
        return {name: value for name, value in old.items() if name not in _TARGETS}

    def add(self, state: SandboxState, parent: str, fields: Document) -> Document:
        """Make the alert with these fields of a body or of the record."""
        fixed = {"state": CALM[state.settings.vocabulary], "team": state.identity.teamId}
        return super().add(state, parent, {**_record_fields(state, fields), **fixed})

    def of_dashboard(self, state: SandboxState, dashboard_id: str) -> Sequence[Document]:
        """Return the alerts on tiles of a dashboard."""
        return [alert for alert in state.store.all(self.kind) if alert.get("dashboard") == dashboard_id]

    def remove_of_search(self, state: SandboxState, search_id: str) -> None:
        """Remove the alerts on a saved search."""
        for alert in state.store.all(self.kind):
            if alert.get("savedSearchId") == search_id:
                self.remove(state, alert["id"])


SERVED = ServedAlerts(Alerts, AlertBody)


def _require_webhooks(state: SandboxState, stack: str, body: Document) -> None:
    for channel in (body.get("channel"), *(body.get("channels") or ())):
        if channel and "webhookId" in channel and not webhooks.SERVED.is_there(state, stack, channel["webhookId"]):
            raise bad_request("Webhook not found")


def _record_fields(state: SandboxState, body: Document) -> Document:
    """Return the fields of the record that a body describes; the dashboard has another name there."""
    names = {"dashboardId": "dashboard"}
    fields = {names.get(name, name): value for name, value in body.items()}
    if not state.settings.is_clickhouse:
        return {"source": AlertSource.TILE.value, **dict.fromkeys(_CLEARED), **fields}
    channels = fields.get("channels") or [fields.get("channel")]
    told: Document = {"silenced": None, "executionErrors": []}
    return {**told, **dict.fromkeys(_CLEARED_BY_VENDOR), **fields, "channel": channels[0], "channels": channels}


def _may_be_watched(tile: Document) -> None:
    """Refuse a tile with raw SQL that no alert can be on; those of a source are only taken away later."""
    config = tile.get("config") or {}
    if config.get("configType") == ConfigType.SQL and config.get("displayType") not in WITH_ALERTS:
        raise bad_request("Alerts on Raw SQL tiles are only supported for Line, Stacked Bar, or Number display types")
