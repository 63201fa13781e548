"""The ids that servers give to tiles: state keeps them by the keys of tiles, and an update sends them back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from pulumi_clouddb.schema.names import ID
from pulumi_clouddb.schema.values import WireDict
from pulumi_clouddb.schema.view import known_or

from .dashboard import Dashboard
from .drift import tiles_of
from .tile import Tile, key_of


def actual_of(wanted: Dashboard, form: WireDict, changed: Dashboard | None = None) -> Dashboard:
    """Return the dashboard for state: the drift, the ids of the tiles by key, and the server's form."""
    pairs = zip(wanted.tiles or (), tiles_of(form), strict=False)
    ids = {key_of(tile): str(shown[ID]) for tile, shown in pairs if shown.get(ID)}
    actual = changed or Dashboard.model_construct()
    return actual.model_copy(update={"tile_ids": ids, "server_form": form})


def known_ids(ids: Mapping[Any, str], before: Sequence[Tile], now: Sequence[Tile]) -> dict[Any, str]:
    """Return the ids of the tiles in state, by their keys in the new inputs.

    A tile that gets its first key, or loses it, stays the same tile: its name identifies it, if only one tile
    has that name.
    """
    keys = {key_of(tile) for tile in now}
    gone = [tile for tile in before if key_of(tile) in ids.keys() - keys]
    new = [tile for tile in now if key_of(tile) not in ids]
    pairs = [(old, tile) for old in gone for tile in new if _is_renamed(old, tile, ids)]
    matches = Counter(id(tile) for pair in pairs for tile in pair)
    renamed = {key_of(tile): ids[key_of(old)] for old, tile in pairs if matches[id(old)] == matches[id(tile)] == 1}
    return {**{key: tile_id for key, tile_id in ids.items() if key in keys}, **renamed}


def _is_renamed(old: Tile, new: Tile, ids: Mapping[Any, str]) -> bool:
    """Return whether two tiles of one name may be the same: at most one of them has a key of its own.

    The key that an import gives to the second tile of a name does not count as its own.
    """
    key = key_of(old)
    made_up = key in (old.name, f"{old.name} {ids[key]}")
    same_name = old.name is not None and known_or(False, lambda: new.name == old.name)
    return same_name and (made_up or key_of(new) == old.name)
