"""Dashboards on a server, with their alerts and the names of their sources."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pulumi_clouddb.client.collection import Collection
from pulumi_clouddb.client.errors import (
    ClientError,
    CloudDBError,
    ConfigError,
    ResourceError,
    UnauthorizedError,
    first_line,
)
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.resource.plain import service_and_id
from pulumi_clouddb.schema.convert import to_wire
from pulumi_clouddb.schema.values import UNKNOWN
from pulumi_clouddb.schema.view import raw_of, view_of
from pulumi_clouddb.things.alerts.alert import ALERT
from pulumi_clouddb.things.alerts.api import Alerts
from pulumi_clouddb.things.connections.api import Connections
from pulumi_clouddb.things.connections.connection import CONNECTION
from pulumi_clouddb.things.dashboards.api import Dashboards
from pulumi_clouddb.things.dashboards.dashboard import DASHBOARD, Dashboard
from pulumi_clouddb.things.dashboards.tile import Tile
from pulumi_clouddb.things.dashboards.tile_config import TileConfig
from pulumi_clouddb.things.sources.api import Sources
from pulumi_clouddb.things.sources.source import SOURCE

from .objects import Item, from_records, with_server_containers
from .words import objects

NOT_READABLE = (UnauthorizedError, ClientError)
"""Errors of a list without which a picture lacks alerts or names, but can be drawn."""


def read_dashboards(session: Session, names: Iterable[str], known: Iterable[Item]) -> list[Item]:
    """Return dashboards with the alerts, sources and connections of their servers.

    Args:
        session: The server.
        names: The dashboards: `ID`, `SERVICE_ID/ID`, or a name in place of the id.
        known: The items of a stack; an object that is one of them gets its name.

    Raises:
        CloudDBError: A dashboard cannot be read.
    """
    by_id = {each.id: each for each in known if each.id}
    places = [_locate(session, name) for name in names]
    items = [_dashboard(session, service_id, object_id, by_id.get(object_id)) for service_id, object_id in places]
    with_connections = any(_has_connection(each) for each in items)
    for service_id in dict.fromkeys(service_id for service_id, _ in places):
        items += _related(session, service_id, by_id, with_connections)
    return items


def named_sources(session: Session, items: Sequence[Item]) -> list[Item]:
    """Return the data sources of dashboards that are not among the items; warn if a server does not list them.

    State and previews have the ids of sources that the program found by name, but not the names. The request is sent
    only if such an id is known.
    """
    known = {each.id for each in items if each.kind == SOURCE.name}
    by_service: dict[str | None, set[str]] = {}
    for each in items:
        service_id = raw_of(view_of(Dashboard, each.values), "service_id") if each.kind == DASHBOARD.name else UNKNOWN
        if service_id is None or isinstance(service_id, str):
            by_service.setdefault(service_id, set()).update(set(_source_ids(each)) - known)
    found: list[Item] = []
    for service_id, ids in by_service.items():
        if ids:
            try:
                records = (session.api.of(Sources, service_id).records() or {}).values()
            except ConfigError:
                continue  # a preview needs no server
            except CloudDBError as error:
                session.warn(f"The pictures show the ids of data sources, not their names: {first_line(error)}")
                continue
            found += [each for each in from_records(SOURCE.name, map(to_wire, records)) if each.id in ids]
    return found


def _source_ids(dashboard: Item) -> Iterator[str]:
    """Yield the known ids of the data sources of a dashboard's tiles and filters."""
    view = view_of(Dashboard, dashboard.values)
    parts = [*objects(raw_of(view, "filters"))]
    for tile in (view_of(Tile, each) for each in objects(raw_of(view, "tiles"))):
        parts += [*objects([raw_of(tile, "config")]), *objects(raw_of(tile, "series"))]
    for part in parts:  # each has the id under the same name
        if isinstance(source_id := raw_of(view_of(TileConfig, part), "source_id"), str):
            yield source_id


def _locate(session: Session, name: str) -> tuple[str | None, str]:
    """Return the service and the id of a dashboard.

    Raises:
        ResourceError: There is no dashboard of that name, or there are several.
    """
    service_id, given = service_and_id(name, None)
    records = [*(session.api.of(Dashboards, service_id).records() or {}).values()]
    if any(each.id == given for each in records):
        return service_id, given
    ids = [each.id or "" for each in records if each.name == given]
    if len(ids) > 1:
        raise ResourceError(f"{len(ids)} dashboards are named {given!r}", f"Name one by its id: {', '.join(ids)}.")
    if not ids and records:
        names = ", ".join(sorted({repr(each.name) for each in records}))
        raise ResourceError(f"no dashboard has the id or the name {given!r}", f"There are {names}.")
    return service_id, ids[0] if ids else given


def _dashboard(session: Session, service_id: str | None, object_id: str, known: Item | None) -> Item:
    resource = RESOURCES[DASHBOARD.name]
    state: Mapping[str, Any] = known.state if known else {}
    import_id = f"{service_id}/{object_id}" if service_id and not state else object_id
    _, result = lifecycle.read(session, resource, import_id, state, {})
    if result is None:
        raise resource.missing(import_id)
    outputs = {name: value for name, value in result.state.items() if not name.startswith("__")}
    values = with_server_containers({**outputs, **result.inputs}, result.state)
    return Item(DASHBOARD.name, known.name if known else object_id, object_id, values, state=result.state)


def _has_connection(dashboard: Item) -> bool:
    """Return whether a tile of a dashboard contains the id of a connection."""
    tiles = view_of(Dashboard, dashboard.values).tiles or ()
    configs = (raw_of(tile, "config") for tile in tiles)
    return any(raw_of(view_of(TileConfig, each), "connection_id") for each in configs if isinstance(each, Mapping))


def _related(
    session: Session, service_id: str | None, known: Mapping[str, Item], with_connections: bool
) -> Iterator[Item]:
    """Yield the alerts, the sources and perhaps the connections of a server; warn if one of the lists fails."""
    collections: dict[str, type[Collection[Any]]] = {ALERT.name: Alerts, SOURCE.name: Sources}
    if with_connections:
        collections[CONNECTION.name] = Connections
    for kind, collection in collections.items():
        try:
            records = (session.api.of(collection, service_id).records() or {}).values()
        except NOT_READABLE as error:
            session.warn(f"The picture is drawn without {collection.plural()}: {error}")
            continue
        for item in from_records(kind, map(to_wire, records)):
            yield replace(item, name=known[item.id].name) if item.id in known else item
