"""Dashboards: tiles keep their ids from update to update, and what the server adds by itself is never drift."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pulumi_clouddb.api.collections.dashboards import Dashboards
from pulumi_clouddb.api.errors import UnsupportedOperationError
from pulumi_clouddb.models.base import identity, wire_name, wire_names
from pulumi_clouddb.models.convert import construct, to_wire
from pulumi_clouddb.models.dashboard import (
    DASHBOARD,
    GET_DASHBOARD,
    LIST_DASHBOARDS,
    DashboardArgs,
    DashboardOwn,
    DashboardResponse,
    Series,
    ServerForm,
    Tile,
    TileResponse,
    key_of,
)
from pulumi_clouddb.models.sendable import storable
from pulumi_clouddb.models.values import UNKNOWN, WireValues
from pulumi_clouddb.models.view import if_known, is_complete, known_or, view_of

from .base import Resource
from .creation import CreateRequest, create_once
from .functions import Function, listing
from .ids import located
from .session import Session
from .state import Flat, State
from .unsaid import cleared, unsaid

DashboardState = State[DashboardArgs, ServerForm, DashboardOwn]

TILE_IDS = wire_name(DashboardOwn, "tile_ids")
TILES = wire_name(DashboardArgs, "tiles")
SENT_OF_TILE = tuple(name for name in wire_names(Tile) if name != wire_name(Tile, "key"))


class DashboardResource(Resource[DashboardArgs, ServerForm, DashboardOwn]):
    """A dashboard of a managed or self-hosted server."""

    type = DASHBOARD
    functions = (
        Function(GET_DASHBOARD, lambda api, args: api.of(Dashboards, args.service_id).get(args.dashboard_id).answer),
        Function(
            LIST_DASHBOARDS,
            lambda api, args: listing(
                LIST_DASHBOARDS, (each.answer for each in api.of(Dashboards, args.service_id).list())
            ),
        ),
    )

    def preview_outputs(self, old: WireValues | None, new: WireValues) -> Flat:
        """Return the outputs a preview can know; a tile that is known keeps its id."""
        outputs = super().preview_outputs(old, new)
        with if_known:
            tiles = view_of(DashboardArgs, new).tiles or []
            if old is not None and is_complete(tiles):
                seen = self._seen(old)
                known = _known_ids(seen.own, seen.args, tiles)
                outputs[TILE_IDS] = {key: known.get(key, UNKNOWN) for key in map(key_of, tiles)}
        return outputs

    def create(self, session: Session, args: DashboardArgs) -> tuple[str, DashboardState]:
        """Create the dashboard; the ids of its tiles come with the response."""
        dashboards = session.api.of(Dashboards, args.service_id)
        request = CreateRequest(
            what=f"dashboard {args.name!r}",
            name=str(args.name),
            resource=self.type,
            collection=dashboards,
            body=self._body(args, {}),
            shared_look=True,
        )
        created = create_once(session, request)
        record = created.record
        if created.result is None or not _shows_tiles(record):
            record = dashboards.find(created.id, max_age=0.0) or record
        state = _state(args, record)
        if created.result is None:
            # It may have been sent by an earlier run, for a program that has changed since.
            state = self.update(session, created.id, state, args)
        return created.id, state

    def read(self, session: Session, object_id: str, state: DashboardState) -> DashboardState | None:
        """Compare the dashboard with the server's own form of it after the last write, tile by tile."""
        try:
            record = session.api.of(Dashboards, state.args.service_id).find(object_id)
        except UnsupportedOperationError:
            return self.keep_unread(session, state, "a dashboard")
        if record is None:
            return None
        before, now = state.own.server_form or ServerForm(), _server_form(record)
        theirs, known = to_wire(now), to_wire(before)
        changed = {
            name: value
            for name, value in theirs.items()
            if name != TILES and identity(value) != identity(known.get(name))
        }
        tiles = _live_tiles(state, before, now)
        if tiles is not None:
            changed |= to_wire(DashboardArgs.model_construct(tiles=tiles))
        served = construct(ServerForm, changed)
        args = self.reconciled(state.args, served)
        return State(args, served, _own(args, record))

    def update(self, session: Session, object_id: str, old: DashboardState, args: DashboardArgs) -> DashboardState:
        """Replace the dashboard whole, with the ids of the tiles it has: a tile without its id loses its alerts."""
        dashboards = session.api.of(Dashboards, args.service_id)
        held = dashboards.current(object_id) or construct(DashboardResponse, {})
        takes_more = session.client.dialect.takes_more
        known = _known_ids(old.own, old.args, args.tiles or [])
        body = {
            **unsaid(self.type, held, old.args, args, takes_more=takes_more),
            **self._body(args, known, _unsaid_of_tiles(held, old) if takes_more else {}),
            **cleared(self.type, old.args, args),
        }
        record = dashboards.replace(object_id, body)
        if not _shows_tiles(record):
            record = dashboards.find(object_id, max_age=0.0) or construct(DashboardResponse, {})
        return _state(args, record)

    def delete(self, session: Session, object_id: str, state: DashboardState) -> None:
        """Delete the dashboard, and with it the alerts on its tiles."""
        session.api.of(Dashboards, state.args.service_id).remove(object_id)

    def import_(self, session: Session, object_id: str, hints: DashboardArgs) -> tuple[str, DashboardState]:
        """Take over a dashboard as it is; the id of a managed one is `serviceId/ID`."""
        service_id, dashboard_id = located(object_id, hints.service_id)
        record = session.api.of(Dashboards, service_id).find(dashboard_id)
        if record is None:
            raise self.missing(object_id)
        tiles: list[Tile] = []
        for tile in _tiles(_server_form(record)):
            tiles.append(_described(_newest(tile), _free_key(tile, {}, tiles)))
        reported = {**record.answer, **to_wire(DashboardArgs.model_construct(tiles=tiles))}
        given = DashboardArgs.model_construct(service_id=service_id)
        return dashboard_id, _state(self.importable(session, given, reported), record)

    def _body(self, args: DashboardArgs, tile_ids: Mapping[str, str], more: Mapping[str, Flat] | None = None) -> Flat:
        tiles = []
        for tile in args.tiles or ():
            sent = {name: value for name, value in to_wire(tile, SENT_OF_TILE).items() if value is not None}
            known = tile_ids.get(key_of(tile))
            tiles.append({**(more or {}).get(known, {}), "id": known, **sent} if known else sent)
        return {**self.body(args), TILES: tiles}


def _state(args: DashboardArgs, record: DashboardResponse) -> DashboardState:
    return State(args, ServerForm(), _own(args, record))


def _own(args: DashboardArgs, record: DashboardResponse) -> DashboardOwn:
    """Return the ids of the tiles by key, and the server's own form of the dashboard.

    Servers keep the order of tiles, so the first tile answered is the first one sent.
    """
    form = _server_form(record)
    answered = [construct(TileResponse, tile) for tile in _tiles(form)]
    pairs = zip(args.tiles or (), answered, strict=False)
    ids = {key_of(tile): str(theirs.id) for tile, theirs in pairs if theirs.id}
    return construct(DashboardOwn, {TILE_IDS: ids, wire_name(DashboardOwn, "server_form"): form}, deep=False)


def _server_form(record: DashboardResponse) -> ServerForm:
    return construct(ServerForm, {name: storable(value) for name, value in record.answer.items()})


def _unsaid_of_tiles(held: DashboardResponse, old: DashboardState) -> dict[str, Flat]:
    """Return what the server holds of each tile, by its id, and no program says, such as its container.

    What a tile shows is the program's, in either form.
    """
    ours = {tile_id: key for key, tile_id in (old.own.tile_ids or {}).items()}
    said = {key_of(tile): set(to_wire(tile)) for tile in old.args.tiles or ()}
    contents = {wire_name(Tile, name) for name in ("series", "config", "as_ratio")}
    more: dict[str, Flat] = {}
    for tile in _tiles(_server_form(held)):
        tile_id = str(construct(TileResponse, tile).id)
        names = tile.keys() - contents - said.get(ours.get(tile_id), set())
        more[tile_id] = {name: tile[name] for name in names if tile[name] is not None}
    return more


def _shows_tiles(record: DashboardResponse) -> bool:
    return isinstance(record.answer.get(TILES), list)


def _tiles(form: ServerForm) -> list[WireValues]:
    return [tile for tile in form.tiles or () if isinstance(tile, Mapping)]


def _known_ids(own: DashboardOwn, old: DashboardArgs, tiles: Sequence[Tile]) -> dict[Any, str]:
    """Return the ids of the tiles that state knows, by their keys in the new inputs.

    A tile that gets its first key, or loses it, stays the same tile: it is known by its name. Where several tiles could
    be meant, none is.
    """
    ids: dict[Any, str] = own.tile_ids or {}
    keys = {key_of(tile) for tile in tiles}
    gone = [tile for tile in old.tiles or () if key_of(tile) in ids.keys() - keys]
    come = [tile for tile in tiles if key_of(tile) not in ids]
    known = {key: tile_id for key, tile_id in ids.items() if key in keys}
    for tile in come:
        before = [each for each in gone if _is_renamed(each, tile, ids)]
        if len(before) == 1 and sum(_is_renamed(before[0], each, ids) for each in come) == 1:
            known[key_of(tile)] = ids[key_of(before[0])]
    return known


def _is_renamed(old: Tile, new: Tile, ids: Mapping[str, str]) -> bool:
    """Tell whether two tiles may differ in their keys only because one of them has no key of its own.

    The key that an import gives to the second tile of a name is no key of its own either.
    """
    key = key_of(old)
    made_up = key in (old.name, f"{old.name} {ids[key]}")
    same_name = old.name is not None and known_or(False, lambda: new.name == old.name)
    return same_name and (made_up or key_of(new) == old.name)


def _live_tiles(state: DashboardState, before: ServerForm, now: ServerForm) -> list[Tile] | None:
    """Return the tiles as inputs that describe the server's, or None when nothing has changed there.

    A tile that is as it was keeps the user's words; one that has changed, or is new, is shown in the server's.
    """
    theirs = _tiles(now)
    if identity(theirs) == identity(list(before.tiles or ())):
        return None
    known = {construct(TileResponse, tile).id: tile for tile in _tiles(before)}
    key_by_id = {tile_id: key for key, tile_id in (state.own.tile_ids or {}).items()}
    ours = {key_of(tile): tile for tile in state.args.tiles or ()}
    live: list[Tile] = []
    for tile in theirs:
        tile_id = construct(TileResponse, tile).id
        key = key_by_id.get(str(tile_id))
        if key in ours and identity(tile) == identity(known.get(tile_id)):
            live.append(ours[key])
        else:
            live.append(_described(construct(Tile, tile, deep=False), key or _free_key(tile, ours, live)))
    return live


def _newest(tile: WireValues) -> Tile:
    """Return a tile as an input that describes the server's; of config and series, the newer form."""
    told = construct(Tile, tile)
    if told.config is not None:
        told.series = None
    elif told.series is not None:
        told.series = [construct(Series, identity(to_wire(each))) for each in told.series]
    return told


def _described(tile: Tile, key: str) -> Tile:
    """Return a tile with its key, if that is not its name."""
    told = {name: value for name, value in to_wire(tile, SENT_OF_TILE).items() if value is not None}
    return construct(Tile, told if tile.name == key else {wire_name(Tile, "key"): key, **told}, deep=False)


def _free_key(tile: WireValues, ours: Iterable[Any], live: Sequence[Tile]) -> str:
    shown = construct(TileResponse, tile)
    name = shown.name or "tile"
    taken = {*ours, *map(key_of, live)}
    return str(name) if name not in taken else f"{name} {shown.id}"
