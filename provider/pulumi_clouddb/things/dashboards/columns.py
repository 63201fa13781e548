"""The columns of tiles, which programs and state of earlier versions have as a text in `select`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pulumi_clouddb.schema.values import WireDict

from .tile_config_fields import BUILDER

COLUMNS = "columns"
SELECT = "select"


def has_text(tile: object) -> bool:
    """Return whether a tile has its columns in `select`."""
    config = tile.get("config") if isinstance(tile, Mapping) else None
    if not isinstance(config, Mapping) or not isinstance(config.get(SELECT), str):
        return False
    return COLUMNS not in config and SELECT not in BUILDER.get(str(config.get("displayType")), ())


def with_columns(tiles: Any) -> Any:
    """Return tiles with their columns under `columns`."""
    if not isinstance(tiles, list) or not any(map(has_text, tiles)):
        return tiles
    return [_with_columns(tile) if has_text(tile) else tile for tile in tiles]


def _with_columns(tile: WireDict) -> WireDict:
    config = {COLUMNS if name == SELECT else name: value for name, value in tile["config"].items()}
    return {**tile, "config": config}
