"""Alerts: on tiles that are there, listed in pages, with a state of their own."""

from __future__ import annotations

from collections.abc import Sequence

from pulumi_clouddb.api.collections.alerts import Alerts
from pulumi_clouddb.models.alert import AlertBody
from pulumi_clouddb.models.config import VocabularyName

from .bodies import checked
from .responses import Listing, bad_request
from .served import Served
from .state import Call, SandboxState
from .store import Document

MOST_ON_A_PAGE = 1000
CALM = {VocabularyName.NEUTRAL: "inactive", VocabularyName.CLICKHOUSE: "OK"}
"""State of an alert that is not raised: as the interface shows it, and as the vendor's servers have it."""

_CLEARED = ("name", "message")
"""What an update clears when it is left out."""


class ServedAlerts(Served):
    """The alerts of a stack."""

    def list(self, state: SandboxState, call: Call) -> Listing:
        """List the alerts of a stack; `limit` and `offset` cut a part out."""
        limit, offset = _number(call, "limit", MOST_ON_A_PAGE, least=1), _number(call, "offset", 0, least=0)
        if limit > MOST_ON_A_PAGE:
            raise bad_request(f"Query validation failed: limit: Number must be less than or equal to {MOST_ON_A_PAGE}")
        found = super().list(state, call)
        return Listing(found[offset : offset + limit], {"total": len(found), "limit": limit, "offset": offset})

    def fields(self, state: SandboxState, call: Call) -> Document:
        """Return what the body sets, or refuse it, also where the tile is not there."""
        body = checked(AlertBody, call.body, nullable=_CLEARED)
        for name in ("dashboardId", "tileId"):
            if name not in body:
                raise bad_request(f"Body validation failed: {name}: Required")
        dashboard = state.store.get("dashboards", body["dashboardId"].lower(), self.parent(state, call))
        if dashboard is None:
            raise bad_request("Dashboard not found")
        if all(tile["id"] != body["tileId"] for tile in dashboard["tiles"]):
            raise bad_request("Tile not found")
        return _record_fields({**body, "dashboardId": dashboard["id"]})

    def kept(self, old: Document) -> Document:
        """Return the old alert; only its texts are cleared."""
        return {**old, **dict.fromkeys(_CLEARED)}

    def add(self, state: SandboxState, parent: str, fields: Document) -> Document:
        """Make the alert with these fields of a body or of the record."""
        fixed = {"state": CALM[state.settings.vocabulary], "team": state.identity.teamId}
        return super().add(state, parent, {**dict.fromkeys(_CLEARED), **_record_fields(fields), **fixed})

    def of_dashboard(self, state: SandboxState, dashboard_id: str) -> Sequence[Document]:
        """Return the alerts on tiles of a dashboard."""
        return [alert for alert in state.store.all(self.kind) if alert["dashboard"] == dashboard_id]


SERVED = ServedAlerts(Alerts, AlertBody)


def _record_fields(body: Document) -> Document:
    """Return the fields of the record that a body describes; the dashboard has another name there."""
    names = {"dashboardId": "dashboard"}
    fields = {names.get(name, name): value for name, value in body.items()}
    return {"source": AlertBody.model_fields["source"].default, **fields}


def _number(call: Call, name: str, default: int, *, least: int) -> int:
    text = call.query.get(name, str(default))
    if not text.isdecimal() or int(text) < least:
        raise bad_request(f"Query validation failed: {name}: Expected a number of at least {least}")
    return int(text)
