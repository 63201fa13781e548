"""The operations on alerts; both forms, managed and self-hosted, do the same."""

from __future__ import annotations

from typing import Any

from pulumi_clouddb.models.alert import AlertBody
from pulumi_clouddb.models.config import VocabularyName

from .bodies import checked
from .errors import bad_request, not_found
from .observability import checked_id, stack_of
from .state import Call, Listing, SandboxState
from .store import Document

ALERTS = "alerts"

MOST_ON_A_PAGE = 1000
CALM = {VocabularyName.NEUTRAL: "inactive", VocabularyName.CLICKHOUSE: "OK"}
"""State of an alert that is not raised: as the interface shows it, and as the vendor's servers have it."""

_CLEARED = ("name", "message")
"""What an update clears when it is left out."""


def list_all(state: SandboxState, call: Call) -> Listing:
    """List the alerts of a stack; `limit` and `offset` cut a part out."""
    limit, offset = _number(call, "limit", MOST_ON_A_PAGE, least=1), _number(call, "offset", 0, least=0)
    if limit > MOST_ON_A_PAGE:
        raise bad_request(f"Query validation failed: limit: Number must be less than or equal to {MOST_ON_A_PAGE}")
    found = state.listed(call, ALERTS, stack_of(state, call))
    return Listing(found[offset : offset + limit], {"total": len(found), "limit": limit, "offset": offset})


def get(state: SandboxState, call: Call) -> Document:
    """Read one alert."""
    document = state.store.get(ALERTS, checked_id(call.params["alertId"]), stack_of(state, call))
    if document is None:
        raise not_found("Alert")
    return document


def create(state: SandboxState, call: Call) -> Document:
    """Create an alert on a tile that is there."""
    return add(state, stack_of(state, call), _checked(state, call))


def add(state: SandboxState, stack: str, fields: dict[str, Any]) -> Document:
    """Make the alert with these fields of a body or of the record."""
    now = state.clock.stamp()
    document = {
        **dict.fromkeys(_CLEARED),
        **_record_fields(fields),
        "id": state.ids.object_id(),
        "state": CALM[state.settings.vocabulary],
        "team": state.identity.teamId,
        "createdAt": now,
        "updatedAt": now,
    }
    state.store.put(ALERTS, document["id"], document, stack)
    return document


def update(state: SandboxState, call: Call) -> Document:
    """Replace an alert; its state stays."""
    old = get(state, call)
    fields = _checked(state, call)
    document = {**old, **dict.fromkeys(_CLEARED), **fields, "updatedAt": state.clock.stamp()}
    state.store.put(ALERTS, document["id"], document)
    return document


def delete(state: SandboxState, call: Call) -> None:
    """Delete an alert."""
    state.store.delete(ALERTS, get(state, call)["id"])


def of_dashboard(state: SandboxState, dashboard_id: str) -> list[Document]:
    """Return the alerts on tiles of a dashboard."""
    return [alert for alert in state.store.all(ALERTS) if alert["dashboard"] == dashboard_id]


def _checked(state: SandboxState, call: Call) -> dict[str, Any]:
    """Return the fields of the record that a body describes, or refuse it."""
    body = checked(AlertBody, call.body, nullable=_CLEARED)
    for name in ("dashboardId", "tileId"):
        if name not in body:
            raise bad_request(f"Body validation failed: {name}: Required")
    dashboard = state.store.get("dashboards", body["dashboardId"].lower(), stack_of(state, call))
    if dashboard is None:
        raise bad_request("Dashboard not found")
    if all(tile["id"] != body["tileId"] for tile in dashboard["tiles"]):
        raise bad_request("Tile not found")
    return _record_fields({**body, "dashboardId": dashboard["id"]})


def _record_fields(body: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of the record that a body describes; the dashboard has another name there."""
    names = {"dashboardId": "dashboard"}
    fields = {names.get(name, name): value for name, value in body.items()}
    return {"source": AlertBody.model_fields["source"].default, **fields}


def _number(call: Call, name: str, default: int, *, least: int) -> int:
    text = call.query.get(name, str(default))
    if not text.isdecimal() or int(text) < least:
        raise bad_request(f"Query validation failed: {name}: Expected a number of at least {least}")
    return int(text)
