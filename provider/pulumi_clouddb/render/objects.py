"""Dashboards and alerts, from where they are: an exported state, the steps of a preview, or records of a server.

Wherever it comes from, an `Item` holds what the program says, completed by what only the server holds, as an update
would send it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from pulumi_clouddb.alerts.alert import ALERT, Alert
from pulumi_clouddb.connections.connection import CONNECTION
from pulumi_clouddb.dashboards.dashboard import DASHBOARD, SERVER_FORM, Dashboard
from pulumi_clouddb.dashboards.matching import tile_key
from pulumi_clouddb.dashboards.tile import Tile
from pulumi_clouddb.engine.wire import urns
from pulumi_clouddb.engine.wire.codec import read
from pulumi_clouddb.engine.wire.messages import shown
from pulumi_clouddb.engine.wire.secret import strip
from pulumi_clouddb.resource.state import MANAGED, whole_copies
from pulumi_clouddb.schema.convert import parse, to_wire
from pulumi_clouddb.schema.names import NAME, property_name, property_names
from pulumi_clouddb.schema.values import UNKNOWN
from pulumi_clouddb.sources.source import SOURCE

from .picture import AlertMark, Picture, alert_mark, picture_of
from .words import text

KINDS = {
    token: each.name for each in (DASHBOARD, ALERT, SOURCE, CONNECTION) for token in (each.token, each.dynamic_token)
}
"""The resources that a picture shows, by the types that a state names them by."""

NAMED = (SOURCE.name, CONNECTION.name)
"""What tiles have the ids of, and a picture the names."""

TILES = property_name(Dashboard, lambda board: board.tiles)
TILE_IDS = property_name(Dashboard, lambda own: own.tile_ids)
TILE_ID, DASHBOARD_ID = property_names(Alert, lambda alert: (alert.tile_id, alert.dashboard_id))
KEPT = property_names(Tile, lambda tile: (tile.container_id, tile.tab_id))
"""What an update sends back of a tile where the program does not say it."""


@dataclass(frozen=True)
class Item:
    """A resource or an object of a server.

    Attributes:
        kind: The Pulumi name of its resource.
        name: The name of its resource, or its id.
        id: Its id on the server; empty as long as it has none.
        urn: The URN of its resource; empty for an object of a server.
        values: Its properties by wire name.
        depends: The URNs that each property is made from.
        held: State as Pulumi keeps it; empty where it has none.
        taken: The keys of the properties that the program has taken by a key.
    """

    kind: str
    name: str
    id: str
    values: Mapping[str, Any]
    urn: str = ""
    depends: Mapping[str, Sequence[str]] = field(default_factory=dict)
    held: Mapping[str, Any] = field(default_factory=dict)
    taken: Mapping[str, str] = field(default_factory=dict)


def from_state(deployment: Mapping[str, Any]) -> list[Item]:
    """Return the items of a state as `pulumi stack export` writes it, with or without its envelope."""
    inner = deployment.get("deployment", deployment)
    resources = inner.get("resources") if isinstance(inner, Mapping) else None
    return [item for each in resources or () if (item := side(each, each)) and not each.get("delete")]


def from_records(kind: str, records: Iterable[Mapping[str, Any]]) -> list[Item]:
    """Return the items of the records of one kind, as a server holds them."""
    form = Alert if kind == ALERT.name else None
    found = []
    for each in records:
        values = to_wire(parse(form, each)) if form else each
        object_id = str(values.get("id"))
        found.append(Item(kind, object_id, object_id, values))
    return found


Step = tuple[Mapping[str, Any], Mapping[str, Any]]
"""Both sides of what a preview plans for a resource, each with `urn`, `type`, `id`, `inputs` and `outputs`."""


def from_steps(
    steps: Iterable[Step],
    depends: Mapping[str, Mapping[str, Sequence[str]]],
    taken: Mapping[str, Mapping[str, str]] | None = None,
) -> tuple[list[Item], list[Item]]:
    """Return the items before and after an update.

    Args:
        steps: What the engine shows, one for each resource; a side that is not there is empty.
        depends: By URN, what each property is made from.
        taken: By URN, the keys by which the program has taken values of maps, as far as it tells.
    """
    before: list[Item] = []
    after: list[Item] = []
    for old, new in steps:
        if old and (item := side(old, old)):
            before.append(item)
        if new and (item := side(new, old or new)):
            known = (taken or {}).get(item.urn, {})
            after.append(replace(item, depends=depends.get(item.urn, {}), taken=known))
    return before, after


def side(state: Mapping[str, Any], held: Mapping[str, Any]) -> Item | None:
    """Return one side of a step, None where no picture shows such a resource.

    Args:
        state: The side, with `urn`, `type`, `inputs` and `outputs`.
        held: The side before the update, whose outputs are what the server holds.
    """
    kind = KINDS.get(str(state.get("type")))
    if kind is None:
        return None
    urn = str(state.get("urn") or held.get("urn") or "")
    said, outputs = _properties(state.get("inputs")), _properties(held.get("outputs"))
    new = _properties(state.get("outputs"))
    values = {**_unsaid(outputs), **(said or new)}
    if TILE_IDS in new and isinstance(new[TILE_IDS], Mapping):
        values[TILE_IDS] = new[TILE_IDS]
    elif TILE_IDS in outputs:
        values[TILE_IDS] = outputs[TILE_IDS]
    object_id = read(state.get("id")) or held.get("id") or ""
    object_id = object_id if isinstance(object_id, str) else ""  # not known before it is created
    return Item(kind, urns.name(urn), object_id, completed(values, outputs), urn, held=outputs)


def _properties(values: Any) -> dict[str, Any]:
    found = read(values or {})
    return found if isinstance(found, dict) else {}


def _unsaid(outputs: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a server holds and no program says."""
    managed = outputs.get(MANAGED)
    if not isinstance(managed, list):
        return {}
    return {name: value for name, value in outputs.items() if name not in managed and not name.startswith("__")}


def completed(values: Mapping[str, Any], held: Mapping[str, Any]) -> dict[str, Any]:
    """Return a dashboard whose tiles are in the containers that the server has them in, unless the program says."""
    form: Any = None
    with suppress(ValueError):  # state may have been edited by hand
        form = whole_copies(DASHBOARD, held).get(SERVER_FORM)
    tiles, ids = values.get(TILES), values.get(TILE_IDS)
    served = form.get(TILES) if isinstance(form, Mapping) else None
    if not (isinstance(served, list) and isinstance(ids, Mapping) and isinstance(tiles, list)):
        return dict(values)
    places = {each.get("id"): each for each in served if isinstance(each, Mapping)}
    filled = []
    for tile in tiles:
        if isinstance(tile, Mapping) and (there := places.get(ids.get(str(tile_key(tile))))):
            filled.append({**{part: there[part] for part in KEPT if part in there}, **tile})
        else:
            filled.append(tile)
    return {**values, TILES: filled}


def redacted(items: Iterable[Item], redact: Callable[[str], str]) -> list[Item]:
    """Return items in which every text has gone through `redact`."""

    def through(value: Any) -> Any:
        if isinstance(value, str):
            return redact(value)
        if isinstance(value, Mapping):
            return {name: through(inner) for name, inner in value.items()}
        return [through(inner) for inner in value] if isinstance(value, list) else value

    return [replace(each, values=through(each.values)) for each in items]


# -- which alert is on which tile --------------------------------------------------------------------------------------


def pictures(items: Iterable[Item], before: Iterable[Item] = (), *, by_id: bool = False) -> dict[str, Picture]:
    """Return the pictures of all dashboards among the items, by their URN, or their id where they have none.

    Args:
        items: Dashboards, alerts, sources and connections.
        before: The same before the update: where a preview does not know the tile of an alert, it is the one so far.
        by_id: Whether they are by their id where they have one, to compare them with objects of a server.
    """
    found, earlier = list(items), list(before)
    dashboards = [each for each in found if each.kind == DASHBOARD.name]
    sources = {each.id: text(shown(each.values.get(NAME))) for each in found if each.kind in NAMED and each.id}
    marks: dict[str, dict[str, list[AlertMark]]] = {}
    for alert in (each for each in found if each.kind == ALERT.name):
        was = next((each for each in earlier if each.urn and each.urn == alert.urn), None)
        dashboard = _watched(alert, was, dashboards)
        if dashboard is not None:
            key = _key(alert, was, dashboard)
            marks.setdefault(identity(dashboard), {}).setdefault(key, []).append(alert_mark(alert.name, alert.values))
    return {
        (each.id if by_id and each.id else identity(each)): picture_of(
            each.name, each.values, marks.get(identity(each), {}), sources
        )
        for each in dashboards
    }


def identity(item: Item) -> str:
    """Return what an item is known by."""
    return item.urn or item.id


def _watched(alert: Item, was: Item | None, dashboards: Sequence[Item]) -> Item | None:
    """Return the dashboard of an alert."""
    ids = [strip(each.values.get(DASHBOARD_ID)) for each in (alert, was) if each is not None]
    urns_of_alert = alert.depends.get(DASHBOARD_ID) or alert.depends.get(TILE_ID) or ()
    for each in dashboards:
        if isinstance(ids[0], str) and ids[0] == each.id != "":
            return each
        if not isinstance(ids[0], str) and (each.urn in urns_of_alert or (each.id and each.id in ids)):
            return each
    return None


def _key(alert: Item, was: Item | None, dashboard: Item) -> str:
    """Return the key of an alert's tile, the empty one where it is not known."""
    ids = keys_by_id(dashboard.values)
    given, before = (strip(each.values.get(TILE_ID)) if each else None for each in (alert, was))
    if isinstance(given, str):
        return ids.get(given, "")
    if TILE_ID in alert.taken:
        return alert.taken[TILE_ID]
    new = _new_tiles(dashboard.values) if dashboard.urn in alert.depends.get(TILE_ID, ()) else []
    if new:
        return new[0] if len(new) == 1 else ""
    return ids.get(before, "") if isinstance(before, str) else ""


def _new_tiles(dashboard: Mapping[str, Any]) -> list[str]:
    """Return the keys of the tiles whose ids a preview does not know, although it knows those of the others.

    Of a dashboard that is created it knows none.
    """
    ids, tiles = dashboard.get(TILE_IDS), dashboard.get(TILES)
    if not isinstance(tiles, list):
        return []
    keys = [str(tile_key(each)) if isinstance(each, Mapping) else "" for each in tiles]
    return [key for key in keys if not isinstance(ids, Mapping) or ids.get(key) is UNKNOWN]


def keys_by_id(dashboard: Mapping[str, Any]) -> dict[str, str]:
    """Return the keys of a dashboard's tiles by their ids."""
    ids = dashboard.get(TILE_IDS)
    if isinstance(ids, Mapping):
        return {str(strip(value)): str(key) for key, value in ids.items()}
    tiles = dashboard.get(TILES)
    if not isinstance(tiles, list):
        return {}
    return {str(each.get("id")): str(tile_key(each)) for each in tiles if isinstance(each, Mapping)}
