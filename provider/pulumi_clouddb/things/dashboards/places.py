"""The places of tiles that a program does not place itself: computed by check from the inputs alone."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pulumi_clouddb.schema.names import ID
from pulumi_clouddb.schema.values import UNKNOWN, WireDict, WireValues, is_number, objects

from .drift import CONFIG, CONTAINERS, SERIES_OF_TILE, TILES
from .layout import CONTAINER_ID, TAB_ID, TABS, H, Place, Size, W, X, Y, place_of
from .tile import COLUMNS, SERIES_TYPE
from .tile_config_fields import DISPLAY_TYPE, SIZES, USUAL_SIZE


def placed(inputs: WireValues) -> WireValues:
    """Return the inputs of a dashboard with x, y, w and h of all tiles.

    What depends on an unknown value stays unknown, so that an update keeps to the plan of its preview. A tile with x
    and without y, or the reverse, is left as it is: check refuses it.
    """
    tiles = inputs.get(TILES)
    if not isinstance(tiles, list) or not any(map(_is_incomplete, tiles)):
        return inputs
    complete = [_with_size(tile) if isinstance(tile, Mapping) else tile for tile in tiles]
    first_tabs = {str(each.get(ID)): _first_id(each.get(TABS)) for each in objects(inputs.get(CONTAINERS))}
    grids = [_grid_of(tile, first_tabs) for tile in complete]
    for grid in dict.fromkeys(grids):
        inside = [index for index, each in enumerate(grids) if each == grid]
        known = None not in grids  # a tile of an unknown grid could be in each of them
        positions = _positions_in([complete[index] for index in inside]) if known else _UNKNOWN_POSITIONS
        flowing = [index for index in inside if _flows(complete[index])]
        for index, (x, y) in zip(flowing, positions, strict=False):
            complete[index] = {**complete[index], X: x, Y: y}
    return {**inputs, TILES: complete}


def _positions_in(tiles: Sequence[Any]) -> Iterator[_Position]:
    """Return the positions of those tiles of a grid that have none of their own."""
    fixed = [place_of(each) for each in tiles if not _flows(each)]
    return _positions(fixed, [_size_of(each) for each in tiles if _flows(each)])


def _is_incomplete(tile: object) -> bool:
    return isinstance(tile, Mapping) and any(tile.get(name) is None for name in (X, Y, W, H))


def _flows(tile: object) -> bool:
    """Return whether a tile has no position of its own."""
    return isinstance(tile, Mapping) and tile.get(X) is None and tile.get(Y) is None


def _with_size(tile: WireValues) -> WireDict:
    """Return a tile with its width and height."""
    kind = _kind_of(tile)
    usual = (UNKNOWN, UNKNOWN) if kind is UNKNOWN else SIZES.get(str(kind), USUAL_SIZE)
    given = {name: value for name, value in tile.items() if value is not None}
    return {**dict(zip((W, H), usual, strict=True)), **given}


def _kind_of(tile: WireValues) -> object:
    """Return the display type of a tile, or the type of its series; unknown if that is not known yet."""
    config, series = tile.get(CONFIG), tile.get(SERIES_OF_TILE)
    first = series[0] if isinstance(series, list) and series else series
    of_config = config.get(DISPLAY_TYPE) if isinstance(config, Mapping) else config
    of_series = first.get(SERIES_TYPE) if isinstance(first, Mapping) else first
    return of_series if config is None else of_config


def _grid_of(tile: object, first_tabs: Mapping[str, str | None]) -> tuple[str | None, str | None] | None:
    """Return container and tab of a tile; None if they are not known. A tile without a tab is in the first one."""
    if not isinstance(tile, Mapping):
        return None
    container, tab = tile.get(CONTAINER_ID), tile.get(TAB_ID)
    if not all(each is None or isinstance(each, str) for each in (container, tab)):
        return None
    return container, first_tabs.get(container or "") if tab is None else tab


def _first_id(tabs: object) -> str | None:
    return next((str(each.get(ID)) for each in objects(tabs)), None)


def _size_of(tile: WireValues) -> Size | None:
    w, h = tile[W], tile[H]
    return Size(w, h) if is_number(w) and is_number(h) else None


_Position = tuple[object, object]
_UNKNOWN_POSITIONS: Iterable[_Position] = itertools.repeat((UNKNOWN, UNKNOWN))


def _positions(fixed: list[Place | None], sizes: Iterable[Size | None]) -> Iterator[_Position]:
    """Yield the positions of the tiles of a grid that have none, in their order; None is a tile not known yet."""
    known = [each for each in fixed if each is not None]
    if len(known) == len(fixed):
        placeable = _until_none(sizes)
        yield from _in_free_places(known, placeable) if known else _in_reading_order(placeable)
    yield from _UNKNOWN_POSITIONS


def _until_none(sizes: Iterable[Size | None]) -> Iterator[Size]:
    for size in sizes:
        if size is None:
            return
        yield size


def _in_reading_order(sizes: Iterable[Size]) -> Iterator[_Position]:
    """Yield positions from left to right; a new row begins below the highest tile of the last one."""
    x: float = 0
    y: float = 0
    height: float = 0
    for size in sizes:
        if x + size.w > COLUMNS:
            x, y, height = 0, y + height, 0
        yield x, y
        x, height = x + size.w, max(height, size.h)


def _in_free_places(fixed: list[Place], sizes: Iterable[Size]) -> Iterator[_Position]:
    """Yield the positions that the server's page gives to new tiles (calculateNextTilePosition of HyperDX).

    That is right of all tiles in the first row that has room, or below all tiles. Other than on the page, a row has
    room only if the new tile overlaps none below it, which the page would move.
    """
    taken = [*fixed]
    for size in sizes:
        place = Place(size.w, size.h, 0, max(each.bottom for each in taken))
        for y in sorted({each.y for each in taken}):
            x = max(each.x + each.w for each in taken if each.y <= y < each.bottom)
            beside = Place(size.w, size.h, x, y)
            if x + size.w <= COLUMNS and not any(map(beside.meets, taken)):
                place = beside
                break
        taken.append(place)
        yield place.x, place.y
