"""Dashboards as they are on a server, with their alerts and the names of their sources."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from pulumi_clouddb.alerts.alert import ALERT
from pulumi_clouddb.alerts.api import Alerts
from pulumi_clouddb.client.collection import Collection
from pulumi_clouddb.client.errors import ClientError, ResourceError, UnauthorizedError
from pulumi_clouddb.connections.api import Connections
from pulumi_clouddb.connections.connection import CONNECTION
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.dashboards.api import Dashboards
from pulumi_clouddb.dashboards.dashboard import DASHBOARD, Dashboard
from pulumi_clouddb.dashboards.tile_config import TileConfig
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.resource.ids import located
from pulumi_clouddb.schema.convert import to_wire
from pulumi_clouddb.schema.view import raw_of, view_of
from pulumi_clouddb.sources.api import Sources
from pulumi_clouddb.sources.source import SOURCE

from .objects import Item, completed, from_records

NOT_READ = (UnauthorizedError, ClientError)
"""Errors that leave a picture without alerts or names, and are no reason to draw none."""


def read_dashboards(session: Session, wanted: Iterable[str], known: Iterable[Item]) -> list[Item]:
    """Return dashboards with the alerts and sources beside them; nothing is written to the server.

    Args:
        session: The server.
        wanted: Each `ID`, `SERVICE_ID/ID`, or a name in place of the id.
        known: Items of a stack, which the same objects of the server are named after and compared with.

    Raises:
        CloudDBError: A dashboard cannot be read.
    """
    ours = {each.id: each for each in known if each.id}
    found: list[Item] = []
    servers: dict[str | None, None] = {}
    for each in wanted:
        service_id, object_id = _located(session, each)
        found.append(_dashboard(session, service_id, object_id, ours.get(object_id)))
        servers[service_id] = None
    on_connections = any(_has_sql(each) for each in found)
    for service_id in servers:
        found += _beside(session, service_id, ours, on_connections)
    return found


def _located(session: Session, wanted: str) -> tuple[str | None, str]:
    """Return the service and the id of a dashboard.

    Raises:
        ResourceError: There is none, or there are several of that name.
    """
    service_id, given = located(wanted, None)
    records = session.api.of(Dashboards, service_id).listed()
    if any(each.id == given for each in records):
        return service_id, given
    ids = [each.id or "" for each in records if each.name == given]
    if len(ids) > 1:
        raise ResourceError(f"{len(ids)} dashboards are named {given!r}", f"Name one by its id: {', '.join(ids)}.")
    if not ids and records:
        names = ", ".join(sorted({repr(each.name) for each in records}))
        raise ResourceError(f"no dashboard has the id or the name {given!r}", f"There are {names}.")
    return service_id, ids[0] if ids else given


def _dashboard(session: Session, service_id: str | None, object_id: str, ours: Item | None) -> Item:
    resource = RESOURCES[DASHBOARD.name]
    held: Mapping[str, Any] = ours.held if ours else {}
    written = f"{service_id}/{object_id}" if service_id and not held else object_id
    _, result = lifecycle.read(session, resource, written, held, {})
    if result is None:
        raise resource.missing(written)
    unsaid = {name: value for name, value in result.state.items() if not name.startswith("__")}
    values = completed({**unsaid, **result.inputs}, result.state)
    return Item(DASHBOARD.name, ours.name if ours else object_id, object_id, values, held=result.state)


def _has_sql(dashboard: Item) -> bool:
    """Return whether a tile of a dashboard names a connection."""
    tiles = view_of(Dashboard, dashboard.values).tiles or ()
    configs = (raw_of(tile, "config") for tile in tiles)
    return any(raw_of(view_of(TileConfig, each), "connection_id") for each in configs if isinstance(each, Mapping))


def _beside(session: Session, service_id: str | None, ours: Mapping[str, Item], on_connections: bool) -> Iterable[Item]:
    """Yield alerts, sources and, if a tile is on one, connections; if a server tells none, the picture has none."""
    collections: dict[str, type[Collection[Any]]] = {ALERT.name: Alerts, SOURCE.name: Sources}
    collections |= {CONNECTION.name: Connections} if on_connections else {}
    for kind, collection in collections.items():
        try:
            records = session.api.of(collection, service_id).listed()
        except NOT_READ as error:
            session.warn(f"{collection.plural()} are left out: {error}")
            continue
        for item in from_records(kind, map(to_wire, records)):
            yield replace(item, name=ours[item.id].name) if item.id in ours else item
