"""Comparison of two pictures of a dashboard: which tiles are added, changed, moved or removed, and how."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pulumi_clouddb.engine.wire.messages import NOT_YET
from pulumi_clouddb.schema.matching import element_names
from pulumi_clouddb.schema.names import property_names
from pulumi_clouddb.things.dashboards.tile import Tile

from .picture import AlertMark, Picture, TilePicture
from .words import text

ADDED, CHANGED, REMOVED, MOVED = "added", "changed", "removed", "moved"

_COMPARED_SEPARATELY = frozenset(property_names(Tile, lambda tile: (tile.key, tile.x, tile.y, tile.w, tile.h)))
"""Properties of a tile that are not compared as such: the key identifies the tile, and another place is a move."""


@dataclass(frozen=True)
class PropertyDifference:
    """The old and the new value of a property; empty if there is none."""

    path: str
    old: str
    new: str

    @property
    def words(self) -> str:
        """The difference on one line."""
        if not self.old:
            return f"{self.path}: {self.new} (new)"
        return f"{self.path}: {self.old} → {self.new}" if self.new else f"{self.path}: {self.old} (gone)"


@dataclass(frozen=True)
class TileDifference:
    """The difference between two pictures of a tile.

    Attributes:
        key: The key of the tile.
        name: Its name.
        kind: One of the badges of `style.CHANGES`.
        words: The badge as text, such as `changed, moved`.
        properties: The properties that differ; empty for an added or removed tile.
    """

    key: str
    name: str
    kind: str
    words: str
    properties: tuple[PropertyDifference, ...] = ()


@dataclass(frozen=True)
class Comparison:
    """A dashboard before and after, None if it does not exist, and the differences."""

    before: Picture | None
    after: Picture | None
    tiles: tuple[TileDifference, ...]
    properties: tuple[PropertyDifference, ...]

    @property
    def name(self) -> str:
        """The name of the dashboard."""
        picture = self.after or self.before
        return picture.name if picture else ""

    @property
    def resource(self) -> str:
        """The name of its resource."""
        picture = self.after or self.before
        return picture.resource if picture else ""

    @property
    def changes(self) -> bool:
        """Whether anything differs."""
        return bool(self.tiles or self.properties or self.before is None or self.after is None)

    @property
    def headline(self) -> str:
        """A summary of the differences on one line."""
        if self.before is None:
            return "The dashboard is added."
        if self.after is None:
            return "The dashboard is removed, with its alerts."
        parts = [
            f"{count} {'tile' if count == 1 else 'tiles'} {words.replace(', ', ' and ')}"
            for words, count in Counter(each.words for each in self.tiles).items()
        ]
        if self.properties:
            count = len(self.properties)
            parts.append(f"{count} {'property' if count == 1 else 'properties'} of the dashboard changed")
        return f"{', '.join(parts)}." if parts else "Nothing changes."


def compare_all(before: Mapping[str, Picture], after: Mapping[str, Picture]) -> list[Comparison]:
    """Compare two sets of dashboards by key; those that exist only before are last."""
    return [compare(before.get(key), after.get(key)) for key in dict.fromkeys([*after, *before])]


def compare(before: Picture | None, after: Picture | None) -> Comparison:
    """Compare two pictures of a dashboard; keys identify the tiles."""
    old = {tile.key: tile for tile in before.tiles} if before else {}
    new = {tile.key: tile for tile in after.tiles} if after else {}
    tiles = [each for tile in new.values() if (each := _compare_tile(old.get(tile.key), tile))]
    tiles += [TileDifference(key, tile.name, REMOVED, REMOVED) for key, tile in old.items() if key not in new]
    properties: tuple[PropertyDifference, ...] = ()
    if before and after:
        properties = tuple(differences(_dashboard_properties(before), _dashboard_properties(after)))
    return Comparison(before, after, tuple(tiles), properties)


def _compare_tile(old: TilePicture | None, new: TilePicture) -> TileDifference | None:
    if old is None:
        return TileDifference(new.key, new.name, ADDED, ADDED)
    properties = list(differences(_tile_properties(old), _tile_properties(new)))
    badges = [CHANGED] if properties else []
    if old.place != new.place:
        badges.append(MOVED)
        properties.append(PropertyDifference("place", _place(old), _place(new)))
    return TileDifference(new.key, new.name, badges[0], ", ".join(badges), tuple(properties)) if badges else None


def _place(tile: TilePicture) -> str:
    x, y, w, h = (NOT_YET if side is None else f"{side:g}" for side in tile.place)
    return f"column {x}, row {y}, {w} wide, {h} high"


def _tile_properties(tile: TilePicture) -> dict[str, Any]:
    properties = {name: value for name, value in tile.values.items() if name not in _COMPARED_SEPARATELY}
    return {**properties, **_alert_properties(tile.alerts)}


def _dashboard_properties(picture: Picture) -> dict[str, Any]:
    return {**picture.values, **_alert_properties(picture.unplaced)}


def _alert_properties(alerts: Sequence[AlertMark]) -> dict[str, str]:
    """Return the alerts by name, as one text if several have the same name: names of alerts are not unique."""
    by_name: dict[str, list[str]] = {}
    for each in alerts:
        by_name.setdefault(f"alert {each.name}", []).append(", ".join([each.label, *each.channels]))
    return {name: "; ".join(found) for name, found in by_name.items()}


def differences(old: Any, new: Any, path: str = "") -> Iterator[PropertyDifference]:
    """Yield the innermost differences of two values; an object or list that is added or removed is one difference."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for name in dict.fromkeys([*old, *new]):
            yield from differences(old.get(name), new.get(name), f"{path}.{name}" if path else name)
    elif isinstance(old, list) and isinstance(new, list):
        old_elements, new_elements = _by_name(old, new)
        for name in dict.fromkeys([*old_elements, *new_elements]):
            yield from differences(old_elements.get(name), new_elements.get(name), f"{path}[{name}]")
    elif type(old) is not type(new) or old != new:
        yield PropertyDifference(path, _text(old), _text(new))


def _by_name(*lists: Sequence[Any]) -> tuple[Mapping[Any, Any], ...]:
    """Return the elements of each list by key, id or name, or by index if one has no unique one."""
    names = element_names(*lists)
    if names is None:
        return tuple(dict(enumerate(items)) for items in lists)
    return tuple(dict(zip(own, items, strict=True)) for own, items in zip(names, lists, strict=True))


def _text(value: Any) -> str:
    return '""' if value == "" else text(value)
