"""Dashboards: tiles keep their ids from update to update, and what the server adds by itself is never drift."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pulumi_clouddb.api.errors import Gone, NotOffered
from pulumi_clouddb.api.operations import stack_operation
from pulumi_clouddb.models.base import wire_names
from pulumi_clouddb.models.dashboard import DASHBOARD, SERVER_FORM, Series, Tile, tile_key
from pulumi_clouddb.models.sendable import storable
from pulumi_clouddb.models.values import UNKNOWN

from .base import Live, ResourceHandler, State
from .creation import CreateRequest, create_once
from .same import as_is
from .session import Session
from .stack import find, located, stack_collection

TILE_FIELDS = tuple(name for name in wire_names(Tile) if name != "key")


def _by_key(tiles: Any) -> Any:
    """Tiles mean the same with their key written out or left to their name."""
    if not isinstance(tiles, list):
        return tiles
    return [as_is({**tile, "key": tile_key(tile)}) if isinstance(tile, Mapping) else tile for tile in tiles]


class DashboardHandler(ResourceHandler):
    """A dashboard of a managed or self-hosted stack."""

    type = DASHBOARD

    def same(self, name: str, old: Any, new: Any) -> bool:
        """Compare by meaning; tiles by their keys."""
        return bool(_by_key(old) == _by_key(new)) if name == "tiles" else super().same(name, old, new)

    def create(self, session: Session, inputs: State) -> tuple[str, State]:
        """Create the dashboard; the ids of its tiles come with the answer."""
        service_id = inputs.get("serviceId")
        collection = stack_collection("list_dashboards", service_id)
        body = self._body(inputs, {})
        request = CreateRequest(
            what=f"dashboard {inputs['name']!r}",
            name=inputs["name"],
            operation=stack_operation("create_dashboard", service_id),
            body=body,
            collection=collection,
            meaning=_evidence,
            shared_look=True,
        )
        created = create_once(session, request)
        record = created.record
        if created.result is None or not isinstance(record.get("tiles"), list):
            record = find(session, "dashboard", service_id, created.id, max_age=0.0) or record
        state = self._state(inputs, record)
        if created.result is None:
            # It may have been sent by an earlier run, for a program that has changed since.
            state = self._put(session, created.id, state, inputs)
        return created.id, state

    def imported(self, session: Session, object_id: str, hints: Mapping[str, Any]) -> tuple[str, Live]:
        """Take over a dashboard as it is; the id of a managed one is `serviceId/ID`."""
        service_id, dashboard_id = located(object_id, hints)
        record = find(session, "dashboard", service_id, dashboard_id)
        if record is None:
            raise self.missing(object_id)
        given = {"serviceId": service_id} if service_id else {}
        tiles: list[State] = []
        for tile in record.get("tiles") or ():
            tiles.append(_with_key(_told(tile), _free_key(tile, {}, tiles)))
        inputs = self.importable(session, given, {**record, "tiles": tiles})
        return dashboard_id, Live(self._state(inputs, record), inputs)

    def foreseen(self, old: Mapping[str, Any] | None, new: Mapping[str, Any]) -> State:
        """Foresee; a tile that is known keeps its id."""
        state = super().foreseen(old, new)
        tiles = [UNKNOWN] if new.get("tiles") is UNKNOWN else new.get("tiles") or []
        keys = [tile_key(tile) if isinstance(tile, Mapping) else UNKNOWN for tile in tiles]
        if old is not None and UNKNOWN not in keys:
            known = _known_ids(old, tiles)
            state["tileIds"] = {key: known.get(key, UNKNOWN) for key in keys}
        return state

    def read(self, session: Session, object_id: str, state: State) -> Live | None:
        """Compare the dashboard with the server's own form of it after the last write, tile by tile."""
        try:
            record = find(session, "dashboard", state.get("serviceId"), object_id)
        except NotOffered:
            return self.unreadable(session, state, "a dashboard")
        if record is None:
            return None
        record = storable(record)
        before = state.get(SERVER_FORM) or {}
        server: State = {}
        for name in ("name", "tags"):
            if as_is(record.get(name)) != as_is(before.get(name)) and name in record:
                server[name] = record[name]
        tiles = _live_tiles(state, before, record)
        if tiles is not None:
            server["tiles"] = tiles
        live = self.live(state, server)
        keyed = {**live.state, "tiles": live.state.get("tiles") or []}
        live.state.update(self._server_side(keyed, record))
        return live

    def update(self, session: Session, object_id: str, old: State, new: State) -> State:
        """Replace the dashboard whole, with the ids of the tiles it has: a tile without its id loses its alerts."""
        return self._put(session, object_id, old, new)

    def delete(self, session: Session, object_id: str, state: State) -> None:
        """Delete the dashboard, and with it the alerts on its tiles."""
        service_id = state.get("serviceId")
        try:
            session.client.call(
                stack_operation("delete_dashboard", service_id), service_id=service_id, dashboard_id=object_id
            )
        except Gone:
            session.reads.drop(stack_collection("list_dashboards", service_id))
            if find(session, "dashboard", service_id, object_id, max_age=0.0) is not None:
                raise
        finally:
            session.reads.drop(stack_collection("list_dashboards", service_id))
            session.reads.drop(stack_collection("list_alerts", service_id))

    def _put(self, session: Session, object_id: str, old: State, new: State) -> State:
        service_id = new.get("serviceId")
        body = self._body(new, _known_ids(old, new["tiles"]))
        for name in self.released(old, new):
            if name == "tags":
                body[name] = []
        record = session.client.call(
            stack_operation("update_dashboard", service_id), body, service_id=service_id, dashboard_id=object_id
        )
        session.reads.drop(stack_collection("list_dashboards", service_id))
        session.reads.drop(stack_collection("list_alerts", service_id))
        if not isinstance(record, dict) or not isinstance(record.get("tiles"), list):
            record = find(session, "dashboard", service_id, object_id, max_age=0.0) or {}
        return self._state(new, record)

    def _body(self, inputs: Mapping[str, Any], tile_ids: Mapping[str, str]) -> State:
        tiles = []
        for tile in inputs["tiles"]:
            sent = {name: tile[name] for name in TILE_FIELDS if tile.get(name) is not None}
            known = tile_ids.get(tile_key(tile))
            tiles.append({"id": known, **sent} if known else sent)
        return {**self.body(inputs), "tiles": tiles}

    def _state(self, inputs: State, record: Mapping[str, Any]) -> State:
        return self.state(inputs, {}, **self._server_side(inputs, record))

    def _server_side(self, inputs: Mapping[str, Any], record: Mapping[str, Any]) -> State:
        """Return the ids of the tiles by key, and the server's own form of the dashboard.

        Servers keep the order of tiles, so the first tile answered is the first one sent.
        """
        answered = [tile for tile in record.get("tiles") or () if isinstance(tile, Mapping)]
        ids = {
            tile_key(tile): str(theirs["id"])
            for tile, theirs in zip(inputs["tiles"], answered, strict=False)
            if theirs.get("id")
        }
        form = {name: storable(record[name]) for name in ("name", "tags", "tiles") if name in record}
        return {"tileIds": ids, SERVER_FORM: form}


def _known_ids(old: Mapping[str, Any], tiles: Sequence[Mapping[str, Any]]) -> dict[Any, str]:
    """Return the ids of the tiles that state knows, by their keys in the new inputs.

    A tile that gets its first key, or loses it, stays the same tile: it is known by its name. Where several tiles could
    be meant, none is.
    """
    ids: dict[Any, str] = old.get("tileIds") or {}
    keys = {tile_key(tile) for tile in tiles}
    gone = [tile for tile in old.get("tiles") or () if tile_key(tile) in ids.keys() - keys]
    come = [tile for tile in tiles if tile_key(tile) not in ids]
    known = {key: tile_id for key, tile_id in ids.items() if key in keys}
    for tile in come:
        before = [each for each in gone if _is_renamed(each, tile, ids)]
        if len(before) == 1 and sum(_is_renamed(before[0], each, ids) for each in come) == 1:
            known[tile_key(tile)] = ids[tile_key(before[0])]
    return known


def _is_renamed(old: Mapping[str, Any], new: Mapping[str, Any], ids: Mapping[str, str]) -> bool:
    """Tell whether two tiles may differ in their keys only because one of them has no key of its own.

    The key that an import gives to the second tile of a name is no key of its own either.
    """
    name, key = old.get("name"), tile_key(old)
    made_up = key in (name, f"{name} {ids[key]}")
    return name is not None and new.get("name") == name and (made_up or tile_key(new) == name)


def _live_tiles(state: Mapping[str, Any], before: Mapping[str, Any], record: Mapping[str, Any]) -> list[State] | None:
    """Return the tiles as inputs that describe the server's, or None when nothing has changed there.

    A tile that is as it was keeps the user's words; one that has changed, or is new, is told in the server's.
    """
    theirs = [tile for tile in record.get("tiles") or () if isinstance(tile, Mapping)]
    known = {tile.get("id"): tile for tile in before.get("tiles") or ()}
    if as_is(theirs) == as_is(list(before.get("tiles") or ())):
        return None
    key_of = {tile_id: key for key, tile_id in (state.get("tileIds") or {}).items()}
    ours = {tile_key(tile): tile for tile in state.get("tiles") or ()}
    live: list[State] = []
    for tile in theirs:
        key = key_of.get(tile.get("id"))
        if key in ours and as_is(tile) == as_is(known.get(tile.get("id"))):
            live.append(ours[key])
            continue
        told = {name: tile[name] for name in TILE_FIELDS if tile.get(name) is not None}
        live.append(_with_key(told, key or _free_key(tile, ours, live)))
    return live


def _told(tile: Mapping[str, Any]) -> State:
    """Return a tile as an input that describes the server's; of config and series, the newer form."""
    told = {name: tile[name] for name in TILE_FIELDS if tile.get(name) is not None}
    if "config" in told:
        told.pop("series", None)
    if isinstance(told.get("series"), list):
        fields = wire_names(Series)
        told["series"] = [
            {name: each[name] for name in fields if each.get(name) is not None} for each in told["series"]
        ]
    return told


def _with_key(tile: State, key: str) -> State:
    return tile if tile.get("name") == key else {"key": key, **tile}


def _free_key(tile: Mapping[str, Any], ours: Mapping[Any, Any], live: list[State]) -> str:
    name = tile.get("name") or "tile"
    taken = {*ours, *map(tile_key, live)}
    return str(name) if name not in taken else f"{name} {tile.get('id')}"


def _evidence(name: str, value: Any) -> Any:
    """Return what of a property tells this dashboard from others.

    Of tiles, their names and places: what they show comes back in other words (`config` for `series`, with defaults).
    """
    if name == "tiles" and isinstance(value, list):
        return [{key: tile.get(key) for key in ("name", "x", "y", "w", "h")} for tile in value]
    return value
