"""Dashboards and alerts from an exported state, from the steps of a preview, or from records of a server.

An `Item` contains the inputs of the program and the properties that only the server has, as an update would send them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from pulumi_clouddb.engine.wire import urns
from pulumi_clouddb.engine.wire.codec import read
from pulumi_clouddb.engine.wire.messages import shown
from pulumi_clouddb.engine.wire.secret import strip
from pulumi_clouddb.resource.state import MANAGED, unpacked
from pulumi_clouddb.schema.convert import parse, to_wire
from pulumi_clouddb.schema.matching import tile_key
from pulumi_clouddb.schema.names import ID, NAME, property_name, property_names
from pulumi_clouddb.schema.values import UNKNOWN
from pulumi_clouddb.things.alerts.alert import ALERT, Alert
from pulumi_clouddb.things.connections.connection import CONNECTION
from pulumi_clouddb.things.dashboards.columns import with_columns
from pulumi_clouddb.things.dashboards.dashboard import DASHBOARD, Dashboard
from pulumi_clouddb.things.dashboards.packing import SERVER_FORM
from pulumi_clouddb.things.dashboards.tile import Tile
from pulumi_clouddb.things.sources.source import SOURCE

from .picture import AlertMark, Picture, alert_mark, picture_of
from .words import text

KINDS = {
    token: each.name for each in (DASHBOARD, ALERT, SOURCE, CONNECTION) for token in (each.token, each.dynamic_token)
}
"""The resources that a picture shows, by their types in state."""

NAMED = (SOURCE.name, CONNECTION.name)
"""The resources whose ids tiles contain, and whose names a picture shows."""

TILES = property_name(Dashboard, lambda board: board.tiles)
TILE_IDS = property_name(Dashboard, lambda board: board.tile_ids)
TILE_ID = property_name(Alert, lambda alert: alert.tile_id)
DASHBOARD_ID = property_name(Alert, lambda alert: alert.dashboard_id)
KEPT = property_names(Tile, lambda tile: (tile.container_id, tile.tab_id))
"""The properties of a tile that an update keeps if the program does not set them."""


@dataclass(frozen=True)
class Item:
    """A resource, or an object on a server.

    Attributes:
        kind: The name of its resource type.
        name: The name of its resource, or its id.
        id: Its id on the server; empty if it has none yet.
        values: Its properties by wire name.
        urn: The URN of its resource; empty for an object on a server.
        depends: The URNs of the resources that each property depends on.
        state: Its outputs in state; empty if it is not in state.
        map_keys: For each property that the program read from a map output, the key.
    """

    kind: str
    name: str
    id: str
    values: Mapping[str, Any]
    urn: str = ""
    depends: Mapping[str, Sequence[str]] = field(default_factory=dict)
    state: Mapping[str, Any] = field(default_factory=dict)
    map_keys: Mapping[str, str] = field(default_factory=dict)

    @property
    def identity(self) -> str:
        """Its URN, or else its id."""
        return self.urn or self.id


def from_state(deployment: Mapping[str, Any]) -> list[Item]:
    """Return the items in a state from `pulumi stack export`, with or without its envelope."""
    inner = deployment.get("deployment", deployment)
    resources = inner.get("resources") if isinstance(inner, Mapping) else None
    return [item for each in resources or () if (item := _item(each, each)) and not each.get("delete")]


def from_records(kind: str, records: Iterable[Mapping[str, Any]]) -> list[Item]:
    """Return the items of a server's records of one kind."""
    items = []
    for record in records:
        values = to_wire(parse(Alert, record)) if kind == ALERT.name else record
        object_id = str(values.get(ID))
        items.append(Item(kind, object_id, object_id, values))
    return items


Step = tuple[Mapping[str, Any], Mapping[str, Any]]
"""A resource before and after a preview, each with `urn`, `type`, `id`, `inputs` and `outputs`, or empty."""


def from_steps(
    steps: Iterable[Step],
    depends: Mapping[str, Mapping[str, Sequence[str]]],
    map_keys: Mapping[str, Mapping[str, str]] | None = None,
) -> tuple[list[Item], list[Item]]:
    """Return the items before and after an update.

    Args:
        steps: The steps of a preview, one for each resource.
        depends: By URN, the URNs that each property depends on.
        map_keys: By URN, the keys of the properties that the program read from a map output, as far as they are known.
    """
    before: list[Item] = []
    after: list[Item] = []
    for old, new in steps:
        if old and (item := _item(old, old)):
            before.append(item)
        if new and (item := _item(new, old or new)):
            known = (map_keys or {}).get(item.urn, {})
            after.append(replace(item, depends=depends.get(item.urn, {}), map_keys=known))
    return before, after


def _item(resource: Mapping[str, Any], old: Mapping[str, Any]) -> Item | None:
    """Return the item of a resource; None if pictures do not show its type.

    Args:
        resource: The resource before or after the update.
        old: The resource before the update; its outputs contain the last response of the server.
    """
    kind = KINDS.get(str(resource.get("type")))
    if kind is None:
        return None
    urn = str(resource.get("urn") or old.get("urn") or "")
    inputs, outputs = _properties(resource.get("inputs")), _properties(resource.get("outputs"))
    state = _properties(old.get("outputs"))
    values = {**_unmanaged(state), **(inputs or outputs)}
    values |= {TILES: with_columns(values[TILES])} if TILES in values else {}
    if isinstance(outputs.get(TILE_IDS), Mapping):
        values[TILE_IDS] = outputs[TILE_IDS]
    elif TILE_IDS in state:
        values[TILE_IDS] = state[TILE_IDS]
    object_id = read(resource.get("id")) or old.get("id") or ""
    object_id = object_id if isinstance(object_id, str) else ""  # unknown before the create
    return Item(kind, urns.name(urn), object_id, with_server_containers(values, state), urn, state=state)


def _properties(values: Any) -> dict[str, Any]:
    properties = read(values or {})
    return properties if isinstance(properties, dict) else {}


def _unmanaged(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return the properties in state that the program does not set."""
    managed = state.get(MANAGED)
    if not isinstance(managed, list):
        return {}
    return {name: value for name, value in state.items() if name not in managed and not name.startswith("__")}


def with_server_containers(values: Mapping[str, Any], state: Mapping[str, Any]) -> dict[str, Any]:
    """Return a dashboard whose tiles have the containers and tabs of the server, if the program does not set them."""
    server_form: Any = None
    with suppress(ValueError):  # users may have edited the state
        server_form = unpacked(DASHBOARD, state)[1].get(SERVER_FORM)
    tiles, ids = values.get(TILES), values.get(TILE_IDS)
    server_tiles = server_form.get(TILES) if isinstance(server_form, Mapping) else None
    if not (isinstance(server_tiles, list) and isinstance(ids, Mapping) and isinstance(tiles, list)):
        return dict(values)
    by_id = {each.get(ID): each for each in server_tiles if isinstance(each, Mapping)}

    completed = []
    for tile in tiles:
        server_tile = by_id.get(ids.get(str(tile_key(tile)))) if isinstance(tile, Mapping) else None
        if server_tile:
            kept = {name: server_tile[name] for name in KEPT if name in server_tile}
            completed.append({**kept, **tile})
        else:
            completed.append(tile)
    return {**values, TILES: completed}


def redacted(items: Iterable[Item], redact: Callable[[str], str]) -> list[Item]:
    """Return items with every text redacted."""

    def redact_all(value: Any) -> Any:
        if isinstance(value, str):
            return redact(value)
        if isinstance(value, Mapping):
            return {name: redact_all(inner) for name, inner in value.items()}
        return [redact_all(inner) for inner in value] if isinstance(value, list) else value

    return [replace(each, values=redact_all(each.values)) for each in items]


# -- pictures ----------------------------------------------------------------------------------------------------------


def pictures(items: Iterable[Item], before: Iterable[Item] = (), *, by_id: bool = False) -> dict[str, Picture]:
    """Return the pictures of all dashboards by URN, or by id if there is no URN.

    Args:
        items: Dashboards, alerts, sources and connections.
        before: The same before the update; an alert whose tile is unknown in the preview is drawn on its old one.
        by_id: Return them by id where it is known, to compare them with objects on a server.
    """
    all_items = list(items)
    old_items = {each.urn: each for each in before if each.urn}
    dashboards = [each for each in all_items if each.kind == DASHBOARD.name]
    sources = {each.id: text(shown(each.values.get(NAME))) for each in all_items if each.kind in NAMED and each.id}
    marks = _marks([each for each in all_items if each.kind == ALERT.name], old_items, dashboards)
    return {
        (each.id if by_id and each.id else each.identity): picture_of(
            each.name, each.values, marks[each.identity], sources
        )
        for each in dashboards
    }


def _marks(
    alerts: Iterable[Item], old_items: Mapping[str, Item], dashboards: Sequence[Item]
) -> dict[str, dict[str, list[AlertMark]]]:
    """Return the marks of alerts by dashboard and tile."""
    marks: dict[str, dict[str, list[AlertMark]]] = {each.identity: {} for each in dashboards}
    for alert in alerts:
        old = old_items.get(alert.urn)
        dashboard = _dashboard_of(alert, old, dashboards)
        if dashboard is not None:
            on_tiles = marks[dashboard.identity]
            on_tiles.setdefault(_tile_key_of(alert, old, dashboard), []).append(alert_mark(alert.name, alert.values))
    return marks


def _dashboard_of(alert: Item, old: Item | None, dashboards: Sequence[Item]) -> Item | None:
    """Return the dashboard of an alert: by its id, or if that is unknown, by dependency or by the old id."""
    dashboard_id = strip(alert.values.get(DASHBOARD_ID))
    if isinstance(dashboard_id, str):
        return next((each for each in dashboards if each.id == dashboard_id != ""), None)
    old_id = strip(old.values.get(DASHBOARD_ID)) if old else None
    urns_of_alert = alert.depends.get(DASHBOARD_ID) or alert.depends.get(TILE_ID) or ()
    return next((each for each in dashboards if each.urn in urns_of_alert or (each.id and each.id == old_id)), None)


def _tile_key_of(alert: Item, old: Item | None, dashboard: Item) -> str:
    """Return the key of an alert's tile; empty if it is unknown."""
    keys = _keys_by_id(dashboard.values)
    tile_id = strip(alert.values.get(TILE_ID))
    if isinstance(tile_id, str):
        return keys.get(tile_id, "")
    if TILE_ID in alert.map_keys:
        return alert.map_keys[TILE_ID]
    if dashboard.urn in alert.depends.get(TILE_ID, ()) and (new := _new_tiles(dashboard.values)):
        return new[0] if len(new) == 1 else ""
    old_id = strip(old.values.get(TILE_ID)) if old else None
    return keys.get(old_id, "") if isinstance(old_id, str) else ""


def _new_tiles(dashboard: Mapping[str, Any]) -> list[str]:
    """Return the keys of the tiles whose ids are unknown while others are known; all keys of a new dashboard."""
    ids, tiles = dashboard.get(TILE_IDS), dashboard.get(TILES)
    if not isinstance(tiles, list):
        return []
    keys = [str(tile_key(each)) if isinstance(each, Mapping) else "" for each in tiles]
    return [key for key in keys if not isinstance(ids, Mapping) or ids.get(key) is UNKNOWN]


def _keys_by_id(dashboard: Mapping[str, Any]) -> dict[str, str]:
    """Return the keys of a dashboard's tiles by id."""
    ids, tiles = dashboard.get(TILE_IDS), dashboard.get(TILES)
    if isinstance(ids, Mapping):
        return {str(strip(value)): str(key) for key, value in ids.items()}
    if not isinstance(tiles, list):
        return {}
    return {str(each.get(ID)): str(tile_key(each)) for each in tiles if isinstance(each, Mapping)}
