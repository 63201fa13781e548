"""The server's form of a dashboard, which state keeps after each write: drift is what differs from it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pulumi_clouddb.resource.state import State
from pulumi_clouddb.schema.base import identity, wire_names
from pulumi_clouddb.schema.convert import construct, to_wire
from pulumi_clouddb.schema.matching import tile_key
from pulumi_clouddb.schema.names import ID, NAME, property_name
from pulumi_clouddb.schema.thing import body_of
from pulumi_clouddb.schema.values import WireDict, WireValues, mapped, number_of, objects, storable, text_of
from pulumi_clouddb.schema.view import known_or

from .dashboard import FORM, Dashboard
from .tile import Series, Tile, key_of
from .tile_config_fields import TileConfigFields
from .tile_parts import SelectItem

TILES = property_name(Dashboard, lambda board: board.tiles)
FILTERS = property_name(Dashboard, lambda board: board.filters)
CONTAINERS = property_name(Dashboard, lambda board: board.containers)
_FILTER_VALUES = property_name(Dashboard, lambda board: board.saved_filter_values)
KEY = property_name(Tile, lambda tile: tile.key)
CONFIG = property_name(Tile, lambda tile: tile.config)
SERIES_OF_TILE = property_name(Tile, lambda tile: tile.series)
AS_RATIO = property_name(Tile, lambda tile: tile.as_ratio)
_SELECT = property_name(TileConfigFields, lambda config: config.select)
_WHERE = property_name(SelectItem, lambda item: item.where)
_LANGUAGE = property_name(SelectItem, lambda item: item.where_language)
CONTENTS = frozenset({CONFIG, SERIES_OF_TILE, AS_RATIO})
"""The properties that define what a tile shows; a server may return another of them than it received."""

_SENT = wire_names(body_of(Tile))
_EMPTY = frozenset({FILTERS, CONTAINERS, _FILTER_VALUES})
"""The properties that servers return empty where a dashboard has none."""


# -- the server's form -------------------------------------------------------------------------------------------------


def form_of(record: Dashboard) -> WireDict:
    """Return a dashboard as the server returned it, without empty properties."""
    answer = record.answer
    shown = {name: answer[name] for name in FORM if answer.get(name) is not None}
    return {name: storable(value) for name, value in shown.items() if value or name not in _EMPTY}


def shows_tiles(record: Dashboard) -> bool:
    """Return whether a response has the tiles, with their ids."""
    return isinstance(record.answer.get(TILES), list)


def tiles_of(form: WireValues) -> list[WireValues]:
    """Return the tiles of a dashboard in the server's form."""
    return objects(form.get(TILES))


def without_ids(filters: object) -> object:
    """Return filters without the ids that the server assigns: programs have none."""
    if not isinstance(filters, list):
        return filters
    return [{name: value for name, value in each.items() if name != ID} for each in objects(filters)]


def sent_tile(tile: Tile) -> WireDict:
    """Return a tile as it is sent: without its key."""
    return {name: value for name, value in to_wire(tile, _SENT).items() if value is not None}


def leaves_out_languages(board: Dashboard) -> bool:
    """Return whether a selected value has a condition without its language; servers complete it everywhere else."""
    configs = known_or([], lambda: [tile.config for tile in board.tiles or ()])
    items = [item for config in configs if isinstance(config, Mapping) for item in objects(config.get(_SELECT))]
    return any(item.get(_WHERE) and item.get(_LANGUAGE) is None for item in items)


# -- drift -------------------------------------------------------------------------------------------------------------


def drift(state: State[Dashboard], now: WireDict) -> Dashboard:
    """Return the properties that somebody has changed since the last write, in the program's form."""
    before, program = state.actual.server_form or {}, to_wire(state.wanted)
    others = [name for name in {**before, **now} if name != TILES]
    names = [name for name in others if _meaning(before.get(name)) != _meaning(now.get(name))]
    changed = {name: _in_program_form(program.get(name), before.get(name), now.get(name)) for name in names}
    if FILTERS in changed:
        changed[FILTERS] = without_ids(changed[FILTERS])
    if _meaning(tiles_of(before)) != _meaning(tiles_of(now)):
        changed[TILES] = _tiles_in_program_form(state, before, now)
    return construct(Dashboard, changed, deep=False)


def as_program(record: Dashboard) -> WireDict:
    """Return an imported dashboard in a program's form, by wire name."""
    tiles: list[WireDict] = []
    for tile in tiles_of(form_of(record)):
        tiles.append(_with_key(_newest(tile), _free_key(tile, (), tiles)))
    shown = {name: value for name, value in record.answer.items() if value or name not in _EMPTY}
    filters = {FILTERS: without_ids(shown[FILTERS])} if FILTERS in shown else {}
    return {**shown, **filters, TILES: tiles}


def _tiles_in_program_form(state: State[Dashboard], before: WireValues, now: WireValues) -> list[WireDict]:
    """Return the server's tiles as inputs: unchanged ones as the program has them, others as the server has them."""
    known = {str(tile.get(ID)): tile for tile in tiles_of(before)}
    key_by_id = {tile_id: key for key, tile_id in (state.actual.tile_ids or {}).items()}
    program = {key_of(tile): tile for tile in state.wanted.tiles or ()}
    tiles: list[WireDict] = []
    for tile in tiles_of(now):
        tile_id = str(tile.get(ID))
        key = key_by_id.get(tile_id)
        mine, old = program.get(key), known.get(tile_id)
        if mine is not None and _meaning(tile) == _meaning(old):
            tiles.append(to_wire(mine))
        else:
            shown = tile if mine is None or old is None else _tile_in_program_form(sent_tile(mine), old, tile)
            tiles.append(_with_key(shown, key or _free_key(tile, program, tiles)))
    return tiles


def _tile_in_program_form(program: WireValues, before: WireValues, now: WireValues) -> WireValues:
    """Return a changed tile: its changed properties as the server has them, the others as the program has them."""
    shown: WireDict = _in_program_form(program, before, now)
    content = _in_program_form(program.get(CONFIG), before.get(CONFIG), now.get(CONFIG), whole=True)
    if content is None:
        return shown
    place = {name: value for name, value in shown.items() if name not in CONTENTS}
    return {**place, CONFIG: content}


def _in_program_form(program: object, before: object, now: object, *, whole: bool = False) -> Any:
    """Return the current value of a property; what has not changed since the last write keeps the program's form.

    `before` is the server's response to that write; if `whole`, properties that somebody has added count, too.
    """
    if _meaning(before) == _meaning(now):
        return program
    if isinstance(program, Mapping) and isinstance(before, Mapping) and isinstance(now, Mapping):
        current = {}
        for name in [*program, *(now if whole else ())]:
            if name in now or name in before:
                current[name] = _in_program_form(program.get(name), before.get(name), now.get(name), whole=whole)
            else:
                current[name] = program[name]  # the server never returns it
        return {name: value for name, value in current.items() if value is not None}
    if isinstance(program, list) and isinstance(before, list) and isinstance(now, list):
        return _list_in_program_form(program, before, now, whole)
    return number_of(now) if isinstance(program, (int, float)) else now


def _list_in_program_form(program: list[object], before: list[object], now: list[object], whole: bool) -> list[object]:
    """Return the current list; objects are matched by their ids, or by their places if they have none."""
    if len(program) != len(before):
        return now
    ids = [_id_of(each) for each in before]
    if None in ids or len(set(ids)) < len(ids):
        if len(before) != len(now):
            return now
        return [_in_program_form(*each, whole=whole) for each in zip(program, before, now, strict=True)]
    known = {key: (mine, old) for key, mine, old in zip(ids, program, before, strict=True)}
    return [
        _in_program_form(*known[_id_of(each)], each, whole=whole) if _id_of(each) in known else each for each in now
    ]


def _id_of(value: object) -> str | None:
    found = value.get(ID) if isinstance(value, Mapping) else None
    return found if isinstance(found, str) else None


def _newest(tile: WireValues) -> WireValues:
    """Return a tile with its config or, if it has none, with the properties of its series that have a value."""
    series = tile.get(SERIES_OF_TILE)
    if tile.get(CONFIG) is not None or series is None:
        return {**tile, SERIES_OF_TILE: None}
    return {**tile, SERIES_OF_TILE: [_meaning(to_wire(construct(Series, each))) for each in objects(series)]}


def _with_key(tile: WireValues, key: str) -> WireDict:
    """Return a tile with its key, if that is not its name."""
    sent = {name: tile[name] for name in _SENT if tile.get(name) is not None}
    return sent if tile.get(NAME) == key else {KEY: key, **sent}


def _free_key(tile: WireValues, program: Iterable[object], tiles: Sequence[WireDict]) -> str:
    name = str(tile.get(NAME) or "tile")
    return name if name not in {*program, *map(tile_key, tiles)} else f"{name} {tile.get(ID)}"


def _meaning(value: object) -> object:
    """Return an equal value for a number and its text: a server can return either."""
    return mapped(text_of, identity(value))
