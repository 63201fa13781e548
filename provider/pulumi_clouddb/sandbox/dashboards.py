"""The operations on dashboards; both forms, managed and self-hosted, do the same."""

from __future__ import annotations

from typing import Any

from pulumi_clouddb.models.base import Text, prop, wire_names
from pulumi_clouddb.models.check import Failure
from pulumi_clouddb.models.dashboard import DashboardBody, Tile

from . import alerts
from .bodies import checked, part_of
from .dashboard_record import WATCHABLE, kind_of, record_of
from .errors import HTTPError, InvalidBodyError
from .stack import checked_id, stack_of
from .store import Document
from .world import Call, World

DASHBOARDS = "dashboards"

_TILE = part_of(
    Tile,
    set(wire_names(Tile)) - {"key"},  # keys are the provider's own; they are never sent
    id=(Text | None, prop("Id of the tile, as the server gave it; on creation it is without effect.")),
)


class _Body(DashboardBody):
    """What the server takes: name and tiles are required, tiles may have ids."""

    tiles: list[_TILE] | None = prop("Tiles, in order.", required=True)  # type: ignore[valid-type]


def list_all(world: World, call: Call) -> list[Document]:
    """List the dashboards of a stack, in falling order of their names, as the vendor's servers do."""
    found = world.listed(call, DASHBOARDS, stack_of(world, call))
    return sorted(found, key=lambda document: str(document["name"]), reverse=True) if world.settings.habits else found


def get(world: World, call: Call) -> Document:
    """Read one dashboard."""
    id_ = checked_id(call.params["dashboardId"])
    document = world.store.get(DASHBOARDS, id_, stack_of(world, call))
    if document is None:
        raise missing()
    return document


def missing() -> HTTPError:
    """There is no such dashboard; the vendor's self-hosted server says so in plain text."""
    return HTTPError(404, "Not Found", plain=True)


def create(world: World, call: Call) -> Document:
    """Create a dashboard; ids of tiles that came with it are replaced."""
    stack = stack_of(world, call)
    return add(world, stack, _checked(world, call.body))


def add(world: World, stack: str, body: dict[str, Any]) -> Document:
    """Make the dashboard that a body describes."""
    document = record_of(world, world.ids.object_id(), body)
    world.store.put(DASHBOARDS, document["id"], document, stack)
    return document


def update(world: World, call: Call) -> Document:
    """Replace a dashboard; only tags stay when left out.

    A tile keeps its id only when the dashboard has it already. Alerts of tiles that are gone, or that got another id,
    or that cannot raise any, are deleted without a word, as the vendor's servers do.
    """
    old = get(world, call)
    body = _checked(world, call.body)
    document = record_of(world, old["id"], body, [tile["id"] for tile in old["tiles"]], old["tags"])
    world.store.put(DASHBOARDS, document["id"], document)
    for alert in alerts.of_dashboard(world, document["id"]):
        if not any(tile["id"] == alert["tileId"] and _keeps_alerts(world, tile) for tile in document["tiles"]):
            world.store.delete(alerts.ALERTS, alert["id"])
    return document


def delete(world: World, call: Call) -> None:
    """Delete a dashboard with its alerts; one that is not there is no error, as with the vendor's servers."""
    id_ = checked_id(call.params["dashboardId"])
    if world.store.get(DASHBOARDS, id_, stack_of(world, call)):
        remove(world, id_)


def remove(world: World, id_: str) -> bool:
    """Remove a dashboard with its alerts; tell whether there was one."""
    for alert in alerts.of_dashboard(world, id_):
        world.store.delete(alerts.ALERTS, alert["id"])
    return world.store.delete(DASHBOARDS, id_)


def _keeps_alerts(world: World, tile: dict[str, Any]) -> bool:
    kind = kind_of(tile)
    return kind is None or kind in WATCHABLE or not world.settings.habits


def _checked(world: World, body: Any) -> dict[str, Any]:
    # Words that the server no longer knows are dropped here, as by the server.
    checked_body = checked(_Body, world.vocabulary.from_server("Dashboard", body))
    failures = []
    for index, tile in enumerate(checked_body["tiles"]):
        if "series" in tile and "config" in tile:
            failures.append(Failure(f"tiles[{index}]", "must have series or config, not both"))
    if failures:
        raise InvalidBodyError(failures)
    return checked_body
