"""The operations on alerts; both forms, managed and self-hosted, do the same."""

from __future__ import annotations

from typing import Any

from pulumi_clouddb.models.alert import AlertBody
from pulumi_clouddb.models.config import VocabularyName

from .bodies import checked
from .errors import bad_request, not_found
from .stack import checked_id, stack_of
from .store import Document
from .world import Call, Listing, World

ALERTS = "alerts"

MOST_ON_A_PAGE = 1000
CALM = {VocabularyName.NEUTRAL: "inactive", VocabularyName.CLICKHOUSE: "OK"}
"""State of an alert that is not raised: as the interface shows it, and as the vendor's servers have it."""

_CLEARED = ("name", "message")
"""What an update clears when it is left out."""


def list_all(world: World, call: Call) -> Listing:
    """List the alerts of a stack; `limit` and `offset` cut a part out."""
    limit, offset = _number(call, "limit", MOST_ON_A_PAGE, least=1), _number(call, "offset", 0, least=0)
    if limit > MOST_ON_A_PAGE:
        raise bad_request(f"Query validation failed: limit: Number must be less than or equal to {MOST_ON_A_PAGE}")
    found = world.listed(call, ALERTS, stack_of(world, call))
    return Listing(found[offset : offset + limit], {"total": len(found), "limit": limit, "offset": offset})


def get(world: World, call: Call) -> Document:
    """Read one alert."""
    document = world.store.get(ALERTS, checked_id(call.params["alertId"]), stack_of(world, call))
    if document is None:
        raise not_found("Alert")
    return document


def create(world: World, call: Call) -> Document:
    """Create an alert on a tile that is there."""
    return add(world, stack_of(world, call), _checked(world, call))


def add(world: World, stack: str, fields: dict[str, Any]) -> Document:
    """Make the alert with these fields of a body or of the record."""
    now = world.clock.stamp()
    document = {
        **dict.fromkeys(_CLEARED),
        **_record_fields(fields),
        "id": world.ids.object_id(),
        "state": CALM[world.settings.vocabulary],
        "team": world.identity.teamId,
        "createdAt": now,
        "updatedAt": now,
    }
    world.store.put(ALERTS, document["id"], document, stack)
    return document


def update(world: World, call: Call) -> Document:
    """Replace an alert; its state stays."""
    old = get(world, call)
    fields = _checked(world, call)
    document = {**old, **dict.fromkeys(_CLEARED), **fields, "updatedAt": world.clock.stamp()}
    world.store.put(ALERTS, document["id"], document)
    return document


def delete(world: World, call: Call) -> None:
    """Delete an alert."""
    world.store.delete(ALERTS, get(world, call)["id"])


def of_dashboard(world: World, dashboard_id: str) -> list[Document]:
    """Return the alerts on tiles of a dashboard."""
    return [alert for alert in world.store.all(ALERTS) if alert["dashboard"] == dashboard_id]


def _checked(world: World, call: Call) -> dict[str, Any]:
    """Return the fields of the record that a body describes, or refuse it."""
    body = checked(AlertBody, call.body, nullable=_CLEARED)
    for name in ("dashboardId", "tileId"):
        if name not in body:
            raise bad_request(f"Body validation failed: {name}: Required")
    dashboard = world.store.get("dashboards", body["dashboardId"].lower(), stack_of(world, call))
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
