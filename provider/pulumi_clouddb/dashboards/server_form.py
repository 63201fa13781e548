"""The server's own form of a dashboard, which state keeps after each write: drift is what differs from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pulumi_clouddb.resource.state import State
from pulumi_clouddb.schema.base import identity, wire_names
from pulumi_clouddb.schema.convert import construct, to_wire
from pulumi_clouddb.schema.names import ID, NAME, property_name, property_names
from pulumi_clouddb.schema.thing import body_of
from pulumi_clouddb.schema.values import WireDict, WireValues, storable
from pulumi_clouddb.schema.view import known_or

from .dashboard import FORM, Dashboard
from .matching import tile_key
from .program_words import in_program_words
from .tile import Series, Tile, key_of

TILES, FILTERS, CONTAINERS, _FILTER_VALUES = property_names(
    Dashboard, lambda board: (board.tiles, board.filters, board.containers, board.saved_filter_values)
)
KEY = property_name(Tile, lambda tile: tile.key)
CONFIG, SERIES_OF_TILE, AS_RATIO = property_names(Tile, lambda tile: (tile.config, tile.series, tile.as_ratio))
CONTENTS = frozenset({CONFIG, SERIES_OF_TILE, AS_RATIO})
"""What says what a tile shows; a server may answer another of them than it was sent."""

_SENT = wire_names(body_of(Tile))
_EMPTY = frozenset({FILTERS, CONTAINERS, _FILTER_VALUES})
"""What servers answer empty where a dashboard has none."""


def form_of(record: Dashboard) -> WireDict:
    """Return a dashboard as the server has answered it, without what says that there is nothing."""
    answer = record.answer
    shown = {name: answer[name] for name in FORM if answer.get(name) is not None}
    return {name: storable(value) for name, value in shown.items() if value or name not in _EMPTY}


def shows_tiles(record: Dashboard) -> bool:
    """Return whether an answer has the tiles, and with them their ids."""
    return isinstance(record.answer.get(TILES), list)


def tiles_of(form: WireValues) -> list[WireValues]:
    """Return the tiles of a dashboard in the server's form."""
    return objects(form.get(TILES))


def objects(values: object) -> list[WireValues]:
    """Return the objects of a list, none where there is no list."""
    return [each for each in values if isinstance(each, Mapping)] if isinstance(values, list) else []


def sent_tile(tile: Tile) -> WireDict:
    """Return a tile as it is sent: without its key."""
    return {name: value for name, value in to_wire(tile, _SENT).items() if value is not None}


def actual_of(wanted: Dashboard, form: WireDict, changed: Dashboard | None = None) -> Dashboard:
    """Return the dashboard for state: what somebody else has changed, the ids of the tiles by key, the server's form.

    Servers keep the order of tiles, so the first tile answered is the first one sent.
    """
    pairs = zip(wanted.tiles or (), tiles_of(form), strict=False)
    ids = {key_of(tile): str(theirs[ID]) for tile, theirs in pairs if theirs.get(ID)}
    actual = changed or Dashboard.model_construct()
    return actual.model_copy(update={"tile_ids": ids, "server_form": form})


def known_ids(ids: Mapping[Any, str], before: Sequence[Tile], now: Sequence[Tile]) -> dict[Any, str]:
    """Return the ids of the tiles that state knows, by their keys in the new inputs.

    A tile that gets its first key, or loses it, stays the same tile: it is known by its name. Where several tiles could
    be meant, none is.

    Args:
        ids: The ids in state, by the keys of that time.
        before: The tiles of the last update.
        now: The tiles of the new inputs.
    """
    keys = {key_of(tile) for tile in now}
    gone = [tile for tile in before if key_of(tile) in ids.keys() - keys]
    new = [tile for tile in now if key_of(tile) not in ids]
    known = {key: tile_id for key, tile_id in ids.items() if key in keys}
    return {**known, **{key_of(tile): ids[key_of(old)] for old, tile in _renamed(gone, new, ids)}}


def _renamed(gone: Sequence[Tile], new: Sequence[Tile], ids: Mapping[Any, str]) -> list[tuple[Tile, Tile]]:
    """Return each tile that is gone with the new one that alone can be the same."""
    pairs = [(old, tile) for old in gone for tile in new if _is_renamed(old, tile, ids)]
    olds, news = Counter(id(old) for old, _ in pairs), Counter(id(tile) for _, tile in pairs)
    return [(old, tile) for old, tile in pairs if olds[id(old)] == news[id(tile)] == 1]


def _is_renamed(old: Tile, new: Tile, ids: Mapping[Any, str]) -> bool:
    """Return whether two tiles may differ in their keys only because one of them has no key of its own.

    The key that an import gives to the second tile of a name is no key of its own either.
    """
    key = key_of(old)
    made_up = key in (old.name, f"{old.name} {ids[key]}")
    same_name = old.name is not None and known_or(False, lambda: new.name == old.name)
    return same_name and (made_up or key_of(new) == old.name)


def drift(state: State[Dashboard, Dashboard], now: WireDict) -> Dashboard:
    """Return what somebody has changed since the last write, as a program would say it.

    Args:
        state: The dashboard in state.
        now: The server's form of today.
    """
    before, ours = state.actual.server_form or {}, to_wire(state.wanted)
    others = [name for name in {**before, **now} if name != TILES]
    names = [name for name in others if identity(before.get(name)) != identity(now.get(name))]
    changed = {name: in_program_words(ours.get(name), before.get(name), now.get(name)) for name in names}
    if FILTERS in changed:
        changed[FILTERS] = without_ids(changed[FILTERS])
    if identity(tiles_of(before)) != identity(tiles_of(now)):
        changed[TILES] = _live_tiles(state, before, now)
    return construct(Dashboard, changed, deep=False)


def as_program(record: Dashboard) -> WireDict:
    """Return a dashboard that no program has managed as one would say it, by wire name."""
    tiles: list[WireDict] = []
    for tile in tiles_of(form_of(record)):
        tiles.append(_described(_newest(tile), _free_key(tile, (), tiles)))
    shown = {name: value for name, value in record.answer.items() if value or name not in _EMPTY}
    filters = {FILTERS: without_ids(shown[FILTERS])} if FILTERS in shown else {}
    return {**shown, **filters, TILES: tiles}


def without_ids(filters: object) -> object:
    """Return filters without the ids that the server has given them, as programs say them."""
    if not isinstance(filters, list):
        return filters
    return [{name: value for name, value in each.items() if name != ID} for each in objects(filters)]


def _live_tiles(state: State[Dashboard, Dashboard], before: WireValues, now: WireValues) -> list[WireDict]:
    """Return the tiles as inputs that describe the server's.

    A tile that is as it was keeps the user's words; one that has changed, or is new, is shown in the server's.
    """
    known = {tile.get(ID): tile for tile in tiles_of(before)}
    key_by_id = {tile_id: key for key, tile_id in (state.actual.tile_ids or {}).items()}
    ours = {key_of(tile): tile for tile in state.wanted.tiles or ()}
    live: list[WireDict] = []
    for tile in tiles_of(now):
        key = key_by_id.get(str(tile.get(ID)))
        mine, old = ours.get(key), known.get(tile.get(ID))
        if mine is not None and identity(tile) == identity(old):
            live.append(to_wire(mine))
        else:
            shown = tile if mine is None or old is None else _in_program_words(sent_tile(mine), old, tile)
            live.append(_described(shown, key or _free_key(tile, ours, live)))
    return live


def _in_program_words(ours: WireValues, before: WireValues, now: WireValues) -> WireValues:
    """Return a tile that somebody has changed: properties that have changed are shown in the server's words."""
    shown: WireDict = in_program_words(ours, before, now)
    content = in_program_words(ours.get(CONFIG), before.get(CONFIG), now.get(CONFIG), whole=True)
    if content is None:
        return shown
    # Newer servers answer series as config.
    place = {name: value for name, value in shown.items() if name not in CONTENTS}
    return {**place, CONFIG: content}


def _newest(tile: WireValues) -> WireValues:
    """Return a tile with its config or, where it has none, with those properties of its series that have a value."""
    series = tile.get(SERIES_OF_TILE)
    if tile.get(CONFIG) is not None or series is None:
        return {**tile, SERIES_OF_TILE: None}
    return {**tile, SERIES_OF_TILE: [identity(to_wire(construct(Series, each))) for each in objects(series)]}


def _described(tile: WireValues, key: str) -> WireDict:
    """Return a tile with its key, if that is not its name."""
    sent = {name: tile[name] for name in _SENT if tile.get(name) is not None}
    return sent if tile.get(NAME) == key else {KEY: key, **sent}


def _free_key(tile: WireValues, ours: Iterable[object], live: Sequence[WireDict]) -> str:
    name = tile.get(NAME) or "tile"
    return str(name) if name not in {*ours, *map(tile_key, live)} else f"{name} {tile.get(ID)}"
