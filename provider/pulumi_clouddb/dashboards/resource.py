"""Dashboards: tiles keep their ids from update to update, and what the server adds by itself is never drift."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pulumi_clouddb.alerts.api import Alerts
from pulumi_clouddb.client.errors import ApiError, UnsupportedOperationError
from pulumi_clouddb.client.operation import ServerKind
from pulumi_clouddb.create.create_request import CreateRequest
from pulumi_clouddb.create.creation import create_once
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.resource.base import CheckResult, Resource
from pulumi_clouddb.resource.functions import Function, listing
from pulumi_clouddb.resource.ids import located
from pulumi_clouddb.resource.observability import server_of
from pulumi_clouddb.resource.program_words import in_program_words
from pulumi_clouddb.resource.state import Flat, State
from pulumi_clouddb.resource.unsaid import cleared, unsaid
from pulumi_clouddb.schema.base import identity, names_marked, wire_names
from pulumi_clouddb.schema.check import failures_of
from pulumi_clouddb.schema.convert import construct, to_wire
from pulumi_clouddb.schema.names import ID, property_name, property_names
from pulumi_clouddb.schema.rules import RuleContext
from pulumi_clouddb.schema.sendable import storable
from pulumi_clouddb.schema.thing import body_of
from pulumi_clouddb.schema.unknown_names import unknown_names
from pulumi_clouddb.schema.values import UNKNOWN, WireDict, WireValues, show_path
from pulumi_clouddb.schema.view import if_known, is_complete, known_or, view_of
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

from .api import Dashboards
from .dashboard import (
    DASHBOARD,
    FORM,
    GET_DASHBOARD,
    LIST_DASHBOARDS,
    Dashboard,
)
from .parts import (
    AS_RATIO,
    CONFIG,
    CONTAINERS,
    FILTERS,
    SERIES_OF_TILE,
    TILES,
    dropped,
    losing_alerts,
    of_language,
    sent_containers,
    sent_filters,
    unsaid_of_tile,
    with_languages,
    without,
    without_ids,
)
from .tile import Series, Tile, key_of
from .tile_config import TileConfig

DashboardState = State[Dashboard, Dashboard]

TILE_IDS, SERVER_FORM = property_names(Dashboard, lambda board: (board.tile_ids, board.server_form))
KEY = property_name(Tile, lambda tile: tile.key)
SENT_OF_TILE = wire_names(body_of(Tile))
CONTENTS = frozenset({CONFIG, SERIES_OF_TILE, AS_RATIO})
"""What says what a tile shows; a server may answer another of them than it was sent."""


class DashboardResource(Resource[Dashboard, Dashboard]):
    """A dashboard of a managed or self-hosted server."""

    type = DASHBOARD
    collection = Dashboards
    functions = (
        Function(GET_DASHBOARD, lambda api, args: api.of(Dashboards, args.service_id).get(args.dashboard_id).answer),
        Function(
            LIST_DASHBOARDS,
            lambda api, args: listing(
                LIST_DASHBOARDS, api.of(Dashboards, args.service_id), shown=lambda each: each.answer
            ),
        ),
    )

    def check(
        self, session: Session, inputs: WireValues, secret: Collection[str] = (), old: WireValues | None = None
    ) -> CheckResult:
        """Judge the inputs, and name what of a tile's config this package does not know: a server may be newer."""
        if session.client.dialect.takes_more and TILES not in secret:
            tiles = inputs.get(TILES)
            for index, tile in enumerate(tiles if isinstance(tiles, list) else ()):
                config = tile.get(CONFIG) if isinstance(tile, Mapping) else None
                for path in unknown_names(TileConfig, config, (TILES, index, CONFIG)):
                    session.warn(
                        f"Dashboard.{show_path(path)} is not a property that this package knows; it is sent as it is. "
                        "Check its spelling: a server that does not know it either drops it."
                    )
        return super().check(session, inputs, secret, old)

    def server_kind(self, inputs: WireValues) -> ServerKind:
        """Return which server holds a dashboard of these inputs."""
        return server_of(inputs)

    def preview_outputs(self, old: WireValues | None, new: WireValues) -> Flat:
        """Return the outputs a preview can know; a tile that is known keeps its id."""
        outputs = super().preview_outputs(old, new)
        with if_known:
            tiles = view_of(Dashboard, new).tiles or []
            if old is not None and is_complete(tiles):
                seen = self._seen(old)
                known = _known_ids(seen.actual, seen.wanted, tiles)
                outputs[TILE_IDS] = {key: known.get(key, UNKNOWN) for key in map(key_of, tiles)}
        return outputs

    def create(self, session: Session, wanted: Dashboard) -> tuple[str, DashboardState]:
        """Create the dashboard; the ids of its tiles come with the response."""
        dashboards = session.api.of(Dashboards, wanted.service_id)
        request = CreateRequest(
            what=f"dashboard {wanted.name!r}",
            name=str(wanted.name),
            resource=self.type,
            collection=dashboards,
            body={**self.body(wanted), TILES: _sent_tiles(session, wanted, {}, {}, None)},
            shared_look=True,
        )
        created = create_once(session, request)
        record = created.record
        if created.result is None or not _shows_tiles(record):
            record = dashboards.find(created.id, max_age=0.0) or record
        state = _state(_as_kept(session, wanted, record), record)
        if created.result is None:
            # It may have been sent by an earlier run, for a program that has changed since.
            state = self.update(session, created.id, state, wanted)
        return created.id, state

    def read(self, session: Session, object_id: str, state: DashboardState) -> DashboardState | None:
        """Compare the dashboard with its form on the server after the last write, tile by tile."""
        try:
            record = session.api.of(Dashboards, state.wanted.service_id).find(object_id)
        except UnsupportedOperationError:
            return self.keep_unread(session, state, "a dashboard")
        if record is None:
            return None
        known, theirs, ours = state.actual.server_form or {}, _server_form(record), to_wire(state.wanted)
        changed = {}
        for name in {**known, **theirs}:
            value = theirs.get(name)
            if name != TILES and identity(value) != identity(known.get(name)):
                shown = in_program_words(ours.get(name), known.get(name), value)
                changed[name] = without_ids(shown) if name == FILTERS else shown
        tiles = _live_tiles(state, known, theirs)
        if tiles is not None:
            changed |= to_wire(Dashboard.model_construct(tiles=tiles))
        served = construct(Dashboard, changed, deep=False)
        wanted = self.reconciled(state.wanted, served)
        actual = _actual(wanted, record, served)
        actual.imported = state.actual.imported
        return State(wanted, actual)

    def update(self, session: Session, object_id: str, old: DashboardState, wanted: Dashboard) -> DashboardState:
        """Replace the dashboard whole, with the ids of the tiles it has: a tile without its id loses its alerts."""
        dashboards = session.api.of(Dashboards, wanted.service_id)
        held = dashboards.current(object_id) or construct(Dashboard, {})
        takes_more = session.client.dialect.takes_more
        body = {
            **_without_refused(unsaid(self.type, held, old.wanted, wanted, takes_more=takes_more)),
            **self.body(wanted),
            **cleared(self.type, old.wanted, wanted),
        }
        if takes_more:
            before = to_wire(old.wanted)
            if wanted.filters is not None:
                body[FILTERS] = sent_filters(body[FILTERS], held.answer.get(FILTERS), before.get(FILTERS))
            if wanted.containers is not None:
                theirs = held.answer.get(CONTAINERS)
                body[CONTAINERS] = sent_containers(body[CONTAINERS], theirs, before.get(CONTAINERS))
            body = of_language(body)
        known = _known_ids(old.actual, old.wanted, wanted.tiles or [])
        more = _unsaid_of_tiles(held, old) if takes_more else {}
        body[TILES] = _sent_tiles(session, wanted, known, more, body.get(CONTAINERS))
        if takes_more:
            self._name_lost_alerts(session, object_id, wanted, held, body)
            if old.actual.imported:
                session.warn(f"This update replaces the tiles of dashboard {wanted.name!r}, which {_MADE_ELSEWHERE}")
        record = dashboards.replace(object_id, body)
        if not _shows_tiles(record):
            record = dashboards.find(object_id, max_age=0.0) or construct(Dashboard, {})
        return _state(_as_kept(session, wanted, record), record)

    def _name_lost_alerts(
        self, session: Session, object_id: str, wanted: Dashboard, held: Dashboard, body: Flat
    ) -> None:
        """Warn about the alerts that the server will delete, whoever created them."""
        losing = losing_alerts(_tiles(_server_form(held)), body[TILES])
        if not losing:
            return
        try:
            alerts = session.api.of(Alerts, wanted.service_id).listed()
        except ApiError:
            return  # the update does not depend on it
        lost = [each for each in alerts if each.tile_id in losing and each.dashboard in (None, object_id)]
        if lost:
            names = ", ".join(f"{each.name!r} ({each.id}) on tile {losing[str(each.tile_id)]!r}" for each in lost)
            session.warn(
                f"Updating dashboard {wanted.name!r} deletes alerts, since their tiles go or are turned into a kind "
                f"that has none: {names}. An alert that is still wanted needs another tile."
            )

    def delete(self, session: Session, object_id: str, state: DashboardState) -> None:
        """Delete the dashboard, and with it the alerts on its tiles."""
        session.api.of(Dashboards, state.wanted.service_id).remove(object_id)

    def import_(self, session: Session, object_id: str, hints: Dashboard) -> tuple[str, DashboardState]:
        """Take over a dashboard as it is; the id of a managed one is `serviceId/ID`."""
        service_id, dashboard_id = located(object_id, hints.service_id)
        record = session.api.of(Dashboards, service_id).find(dashboard_id)
        if record is None:
            raise self.missing(object_id)
        tiles: list[Tile] = []
        for tile in _tiles(_server_form(record)):
            tiles.append(_described(_newest(tile), _free_key(tile, {}, tiles)))
        form = {name: value for name, value in record.answer.items() if name not in _LEFT_OUT_IF_EMPTY or value}
        reported = {**form, **to_wire(Dashboard.model_construct(tiles=tiles))}
        if FILTERS in reported:
            reported[FILTERS] = without_ids(reported[FILTERS])
        given = Dashboard.model_construct(service_id=service_id)
        wanted, left_out = self.importable(session, given, reported)
        state = replace(_state(wanted, record), left_out=left_out)
        if session.client.dialect.takes_more:
            state.actual.imported = True
            session.warn(f"The next update of an imported dashboard replaces tiles that {_MADE_ELSEWHERE}")
        return dashboard_id, state


_MADE_ELSEWHERE = (
    "this package did not make: PromQL tiles, and what only the page of the server can set (conditions of a whole "
    "chart, groups given as a list, colour rules by text, granularity, colours of series), are not shown to any client "
    "and are then deleted. Duplicate the dashboard in the page first if it has any of these."
)


def _without_refused(more: WireDict) -> WireDict:
    """Return what a replacement sends along, without what the server answers, and does not take back.

    Its page makes filter values of other kinds, which its API refuses, and keeps where they are left out
    (tests/dashboards/test_dashboards_of_the_page.py). What it clears where it is left out is always sent.
    """
    shown = {**more, FILTERS: without_ids(more[FILTERS])} if FILTERS in more else more
    failures = failures_of(body_of(Dashboard), shown, RuleContext(vocabulary=CLICKHOUSE))
    refused = {each.name for each in failures} & set(names_marked(body_of(Dashboard), "clears"))
    return {name: value for name, value in more.items() if name not in refused}


_LEFT_OUT_IF_EMPTY = property_names(
    Dashboard, lambda board: (board.filters, board.saved_filter_values, board.containers)
)
"""What servers answer empty where a dashboard has none."""


def _sent_tiles(
    session: Session, wanted: Dashboard, tile_ids: Mapping[str, str], held: Mapping[str, Flat], containers: object
) -> list[Flat]:
    """Return tiles as they are sent: with the ids that they have, and what only the server knows of them."""
    tiles = []
    for tile in wanted.tiles or ():
        sent = {name: value for name, value in to_wire(tile, SENT_OF_TILE).items() if value is not None}
        sent = with_languages(sent) if session.client.dialect.takes_more else sent
        known = tile_ids.get(key_of(tile))
        more = unsaid_of_tile(held.get(known, {}), sent, containers) if known else {}
        tiles.append({**more, ID: known, **sent} if known else sent)
    return tiles


def _as_kept(session: Session, wanted: Dashboard, record: Dashboard) -> Dashboard:
    """Return the arguments without what the server has dropped of the configs of tiles, and warn of that."""
    if not session.client.dialect.takes_more:
        return wanted
    tiles, changed = list(wanted.tiles or ()), False
    for index, (said, theirs) in enumerate(zip(wanted.tiles or (), _tiles(_server_form(record)), strict=False)):
        config = said.config
        lost = sorted(dropped(config, theirs.get(CONFIG)), key=str, reverse=True) if config else []
        for path in lost:
            place = show_path((TILES, index, CONFIG, *path))
            session.warn(f"The server has dropped {place} of dashboard {wanted.name!r}: take it out of the program.")
            config = without(config, path)
        if lost:
            tiles[index], changed = construct(Tile, {**to_wire(tiles[index]), CONFIG: config}), True
    return construct(Dashboard, {**to_wire(wanted), TILES: [to_wire(each) for each in tiles]}) if changed else wanted


def _state(wanted: Dashboard, record: Dashboard) -> DashboardState:
    return State(wanted, _actual(wanted, record, construct(Dashboard, {})))


def _actual(wanted: Dashboard, record: Dashboard, changed: Dashboard) -> Dashboard:
    """Return what somebody else has changed, the ids of the tiles by key, and the server's own form of the dashboard.

    Servers keep the order of tiles, so the first tile answered is the first one sent.
    """
    form = _server_form(record)
    answered = [construct(Tile, tile) for tile in _tiles(form)]
    pairs = zip(wanted.tiles or (), answered, strict=False)
    ids = {key_of(tile): str(theirs.id) for tile, theirs in pairs if theirs.id}
    return construct(Dashboard, {**to_wire(changed), TILE_IDS: ids, SERVER_FORM: form}, deep=False)


def _server_form(record: Dashboard) -> WireDict:
    """Return a dashboard as the server has answered it, without what says that there is nothing."""
    said = {name: record.answer.get(name) for name in FORM if record.answer.get(name) is not None}
    return {name: storable(value) for name, value in said.items() if value or name not in _LEFT_OUT_IF_EMPTY}


def _unsaid_of_tiles(held: Dashboard, old: DashboardState) -> dict[str, Flat]:
    """Return what the server holds of each tile, by its id, and no program says, such as its container.

    What a tile shows is the program's, in either form.
    """
    ours = {tile_id: key for key, tile_id in (old.actual.tile_ids or {}).items()}
    said = {key_of(tile): set(to_wire(tile)) for tile in old.wanted.tiles or ()}
    more: dict[str, Flat] = {}
    for tile in _tiles(_server_form(held)):
        tile_id = str(construct(Tile, tile).id)
        names = tile.keys() - CONTENTS - said.get(ours.get(tile_id), set())
        more[tile_id] = {name: tile[name] for name in names if tile[name] is not None}
    return more


def _shows_tiles(record: Dashboard) -> bool:
    return isinstance(record.answer.get(TILES), list)


def _tiles(form: WireValues) -> list[WireValues]:
    return [tile for tile in form.get(TILES) or () if isinstance(tile, Mapping)]


def _known_ids(own: Dashboard, old: Dashboard, tiles: Sequence[Tile]) -> dict[Any, str]:
    """Return the ids of the tiles that state knows, by their keys in the new inputs.

    A tile that gets its first key, or loses it, stays the same tile: it is known by its name. Where several tiles could
    be meant, none is.
    """
    ids: dict[Any, str] = own.tile_ids or {}
    keys = {key_of(tile) for tile in tiles}
    gone = [tile for tile in old.tiles or () if key_of(tile) in ids.keys() - keys]
    come = [tile for tile in tiles if key_of(tile) not in ids]
    known = {key: tile_id for key, tile_id in ids.items() if key in keys}
    return {**known, **_renamed(gone, come, ids)}


def _renamed(gone: Sequence[Tile], come: Sequence[Tile], ids: Mapping[Any, str]) -> dict[Any, str]:
    """Return the ids of the new tiles that can only be one certain old tile each."""
    pairs = [(before, tile) for before in gone for tile in come if _is_renamed(before, tile, ids)]
    old_ones, new_ones = Counter(id(before) for before, _ in pairs), Counter(id(tile) for _, tile in pairs)
    return {
        key_of(tile): ids[key_of(before)]
        for before, tile in pairs
        if old_ones[id(before)] == 1 and new_ones[id(tile)] == 1
    }


def _is_renamed(old: Tile, new: Tile, ids: Mapping[str, str]) -> bool:
    """Return whether two tiles may differ in their keys only because one of them has no key of its own.

    The key that an import gives to the second tile of a name is no key of its own either.
    """
    key = key_of(old)
    made_up = key in (old.name, f"{old.name} {ids[key]}")
    same_name = old.name is not None and known_or(False, lambda: new.name == old.name)
    return same_name and (made_up or key_of(new) == old.name)


def _live_tiles(state: DashboardState, before: WireValues, now: WireValues) -> list[Tile] | None:
    """Return the tiles as inputs that describe the server's, or None when nothing has changed there.

    A tile that is as it was keeps the user's words; one that has changed, or is new, is shown in the server's.
    """
    theirs = _tiles(now)
    if identity(theirs) == identity(list(before.get(TILES) or ())):
        return None
    known = {construct(Tile, tile).id: tile for tile in _tiles(before)}
    key_by_id = {tile_id: key for key, tile_id in (state.actual.tile_ids or {}).items()}
    ours = {key_of(tile): tile for tile in state.wanted.tiles or ()}
    live: list[Tile] = []
    for tile in theirs:
        tile_id = construct(Tile, tile).id
        key = key_by_id.get(str(tile_id))
        if key in ours and identity(tile) == identity(known.get(tile_id)):
            live.append(ours[key])
        else:
            mine = ours.get(key)
            shown = _tile_in_program_words(mine, known.get(tile_id), tile) if mine is not None else tile
            live.append(_described(construct(Tile, shown, deep=False), key or _free_key(tile, ours, live)))
    return live


def _tile_in_program_words(ours: Tile, before: WireValues | None, now: WireValues) -> WireValues:
    """Return a tile that somebody has changed: properties that have changed are shown in the server's words."""
    if before is None:
        return now
    mine = {name: value for name, value in to_wire(ours, SENT_OF_TILE).items() if value is not None}
    shown: Flat = in_program_words(mine, before, now)
    content = in_program_words(mine.get(CONFIG), before.get(CONFIG), now.get(CONFIG), whole=True)
    if content is None:
        return shown
    # Newer servers answer series as config.
    place = {name: value for name, value in shown.items() if name not in CONTENTS}
    return {**place, CONFIG: content}


def _newest(tile: WireValues) -> Tile:
    """Return a tile as an input that describes the server's; of config and series, the newer form."""
    wire = construct(Tile, tile)
    if wire.config is not None:
        wire.series = None
    elif wire.series is not None:
        wire.series = [construct(Series, identity(to_wire(each))) for each in wire.series]
    return wire


def _described(tile: Tile, key: str) -> Tile:
    """Return a tile with its key, if that is not its name."""
    wire = {name: value for name, value in to_wire(tile, SENT_OF_TILE).items() if value is not None}
    return construct(Tile, wire if tile.name == key else {KEY: key, **wire}, deep=False)


def _free_key(tile: WireValues, ours: Iterable[object], live: Sequence[Tile]) -> str:
    shown = construct(Tile, tile)
    name = shown.name or "tile"
    taken = {*ours, *map(key_of, live)}
    return str(name) if name not in taken else f"{name} {shown.id}"
