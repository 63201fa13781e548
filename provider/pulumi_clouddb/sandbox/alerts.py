"""Alerts: on tiles and saved searches that are there, listed in pages, with a state of their own."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pulumi_clouddb.api.collections.alerts import Alerts
from pulumi_clouddb.api.collections.saved_searches import SavedSearches
from pulumi_clouddb.models.alert import AlertBody
from pulumi_clouddb.models.alert_fields import AlertSource
from pulumi_clouddb.models.tile_config_fields import WITH_ALERTS, ConfigType, DisplayType
from pulumi_clouddb.models.vocabulary import VocabularyName

from . import vendor_alerts, webhooks
from .bodies import checked
from .ids import is_object_id
from .responses import bad_request
from .served import Served
from .state import SELF_HOSTED, Call, SandboxState
from .store import Document

CALM = {VocabularyName.NEUTRAL: "inactive", VocabularyName.CLICKHOUSE: "OK"}
"""State of an alert that is not raised: as the interface shows it, and as the vendor's servers have it."""

_CLEARED = ("name", "message")
"""What an update clears when it is left out."""

_TARGETS = ("dashboard", "tileId", "savedSearchId", "groupBy")
"""What an update takes out when it is left out."""


class ServedAlerts(Served):
    """The alerts of a stack."""

    def fields(self, state: SandboxState, call: Call) -> Document:
        """Return what the body sets, or refuse it, also where what it watches is not there."""
        stack = self.parent(state, call)
        if not state.settings.is_clickhouse:
            body = checked(AlertBody, call.body, nullable=_CLEARED, ruled=AlertBody, context=state.context)
            dashboard = _watched(state, stack, body)[0]
            return _record_fields({**body, "dashboardId": dashboard["id"]})
        body = vendor_alerts.checked(call.body, state.clock.now(), managed=stack != SELF_HOSTED)
        if body["source"] == AlertSource.TILE:
            if not is_object_id(body["dashboardId"]):
                raise bad_request("Invalid dashboard ID")
            dashboard, tile = _watched(state, stack, body)
            _may_be_watched(tile)
            body = {**body, "dashboardId": dashboard["id"]}
        else:
            if not is_object_id(body["savedSearchId"]):
                raise bad_request("Invalid saved search ID")
            if state.store.get(SavedSearches.plural(), body["savedSearchId"].lower(), stack) is None:
                raise bad_request("Saved search not found")
        _require_webhooks(state, stack, body)
        return vendor_alerts.stored(body)

    def kept(self, old: Document) -> Document:
        """Return the old alert but for what it watches; the record's fields clear its texts."""
        return {name: value for name, value in old.items() if name not in _TARGETS}

    def add(self, state: SandboxState, parent: str, fields: Document) -> Document:
        """Make the alert with these fields of a body or of the record."""
        fixed = {"state": CALM[state.settings.vocabulary], "team": state.identity.teamId}
        whole = vendor_alerts.whole(_renamed(fields)) if state.settings.is_clickhouse else _record_fields(fields)
        return super().add(state, parent, {**whole, **fixed})

    def of_dashboard(self, state: SandboxState, dashboard_id: str) -> Sequence[Document]:
        """Return the alerts on tiles of a dashboard."""
        return [alert for alert in state.store.all(self.kind) if alert.get("dashboard") == dashboard_id]

    def remove_of_search(self, state: SandboxState, search_id: str) -> None:
        """Remove the alerts on a saved search."""
        for alert in state.store.all(self.kind):
            if alert.get("savedSearchId") == search_id:
                self.remove(state, alert["id"])


SERVED = ServedAlerts(Alerts, AlertBody)


def _watched(state: SandboxState, stack: str, body: Document) -> tuple[Document, Document]:
    """Return the dashboard and the tile that a body watches, or refuse it."""
    for name in ("dashboardId", "tileId"):
        if name not in body:
            raise bad_request(f"Body validation failed: {name}: Required")
    dashboard = state.store.get("dashboards", body["dashboardId"].lower(), stack)
    if dashboard is None:
        raise bad_request("Dashboard not found")
    tile = next((each for each in dashboard["tiles"] if each["id"] == body["tileId"]), None)
    if tile is None:
        raise bad_request("Tile not found")
    return dashboard, tile


def _require_webhooks(state: SandboxState, stack: str, body: Document) -> None:
    named = [channel.get("webhookId") for channel in (body.get("channels") or [body.get("channel")])]
    if any(each is not None and not is_object_id(each) for each in named):
        raise bad_request("Invalid webhook ID")
    if not all(each is None or webhooks.SERVED.find(state, stack, each) for each in named):
        raise bad_request("Webhook not found")


def _record_fields(body: Document) -> Document:
    """Return the fields of the record that a body describes."""
    return {"source": AlertSource.TILE.value, **dict.fromkeys(_CLEARED), **_renamed(body)}


def _renamed(fields: Document) -> Document:
    """Return fields by their names in the record, in which the dashboard has another one."""
    return {"dashboard" if name == "dashboardId" else name: value for name, value in fields.items()}


def _may_be_watched(tile: Document) -> None:
    """Refuse a tile with raw SQL that no alert can be on; those of a source are only taken away later."""
    config = tile.get("config") or {}
    if config.get("configType") != ConfigType.SQL:
        return
    if config.get("displayType") not in WITH_ALERTS:
        raise bad_request("Alerts on Raw SQL tiles are only supported for Line, Stacked Bar, or Number display types")
    if config.get("displayType") != DisplayType.NUMBER and not _INTERVAL.search(config.get("sqlTemplate", "")):
        raise bad_request(
            "Raw SQL alert query is invalid: SQL used for alerts must include an interval parameter or macro."
        )


_INTERVAL = re.compile(r"intervalSeconds|\$__(timeInterval(_ms)?|interval_s)\b")
"""How raw SQL names the interval."""
