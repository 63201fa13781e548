"""Two pictures of the same dashboard compared: which tiles were added, changed, moved and removed, and how."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pulumi_clouddb.dashboards.matching import element_names
from pulumi_clouddb.dashboards.tile import Tile
from pulumi_clouddb.engine.wire.messages import NOT_YET
from pulumi_clouddb.schema.names import property_names

from .picture import AlertMark, Picture, TilePicture
from .words import text

ADDED, CHANGED, REMOVED, MOVED = "added", "changed", "removed", "moved"

_ELSEWHERE = frozenset(property_names(Tile, lambda tile: (tile.key, tile.x, tile.y, tile.w, tile.h)))
"""What is compared by itself: a tile is known by its key, and where it is counts as a move."""


@dataclass(frozen=True)
class PropertyDifference:
    """A property with what it was and what it is; nothing stands for what is not there."""

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
    """What happens to a tile.

    Attributes:
        key: The key of the tile.
        name: Its name.
        kind: One of the marks of `style.MARKS`.
        words: The mark in words, such as `changed, moved`.
        properties: What differs; of an added or removed tile nothing is listed.
    """

    key: str
    name: str
    kind: str
    words: str
    properties: tuple[PropertyDifference, ...] = ()


@dataclass(frozen=True)
class Comparison:
    """A dashboard before and after; None where it is not there."""

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
        """What happens, in one line."""
        if self.before is None:
            return "The dashboard is added."
        if self.after is None:
            return "The dashboard is removed, with its alerts."
        parts = [
            f"{count} {'tile' if count == 1 else 'tiles'} {words.replace(', ', ' and ')}"
            for words in dict.fromkeys(each.words for each in self.tiles)
            if (count := sum(each.words == words for each in self.tiles))
        ]
        if self.properties:
            count = len(self.properties)
            parts.append(f"{count} {'property' if count == 1 else 'properties'} of the dashboard changed")
        return f"{', '.join(parts)}." if parts else "Nothing changes."


def compare(before: Picture | None, after: Picture | None) -> Comparison:
    """Compare two pictures of a dashboard; tiles are the same if their keys are."""
    old = {tile.key: tile for tile in before.tiles} if before else {}
    new = {tile.key: tile for tile in after.tiles} if after else {}
    found = [each for tile in new.values() if (each := _tile(old.get(tile.key), tile))]
    found += [TileDifference(key, tile.name, REMOVED, REMOVED) for key, tile in old.items() if key not in new]
    own: tuple[PropertyDifference, ...] = ()
    if before and after:
        own = tuple(differences(_of_dashboard(before), _of_dashboard(after)))
    return Comparison(before, after, tuple(found), own)


def compare_all(before: Mapping[str, Picture], after: Mapping[str, Picture]) -> list[Comparison]:
    """Compare the dashboards of two places, those of the second one first."""
    keys = [*after, *(key for key in before if key not in after)]
    return [compare(before.get(key), after.get(key)) for key in keys]


def _tile(old: TilePicture | None, new: TilePicture) -> TileDifference | None:
    if old is None:
        return TileDifference(new.key, new.name, ADDED, ADDED)
    properties = list(differences(_of_tile(old), _of_tile(new)))
    words = [CHANGED] if properties else []
    if old.place != new.place:
        words.append(MOVED)
        properties.append(PropertyDifference("place", _place(old), _place(new)))
    return TileDifference(new.key, new.name, words[0], ", ".join(words), tuple(properties)) if words else None


def _place(tile: TilePicture) -> str:
    x, y, w, h = (NOT_YET if side is None else f"{side:g}" for side in tile.place)
    return f"column {x}, row {y}, {w} wide, {h} high"


def _of_tile(tile: TilePicture) -> dict[str, Any]:
    said = {name: value for name, value in tile.values.items() if name not in _ELSEWHERE}
    return {**said, **_of_alerts(tile.alerts)}


def _of_dashboard(picture: Picture) -> dict[str, Any]:
    return {**picture.values, **_of_alerts(picture.strays)}


def _of_alerts(alerts: Sequence[AlertMark]) -> dict[str, str]:
    return {f"alert {each.name}": ", ".join([each.label, *each.channels]) for each in alerts}


def differences(old: Any, new: Any, path: str = "") -> Iterator[PropertyDifference]:
    """Yield the smallest parts that differ; what is new or gone as a whole is one part."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for name in dict.fromkeys([*old, *new]):
            yield from differences(old.get(name), new.get(name), f"{path}.{name}" if path else name)
    elif isinstance(old, list) and isinstance(new, list):
        mine, other = _by_name(old, new)
        for name in dict.fromkeys([*mine, *other]):
            yield from differences(mine.get(name), other.get(name), f"{path}[{name}]")
    elif type(old) is not type(new) or old != new:
        yield PropertyDifference(path, _text(old), _text(new))


def _by_name(*lists: Sequence[Any]) -> tuple[Mapping[Any, Any], ...]:
    """Return the elements of lists by what they are known by, else by their places."""
    names = element_names(*lists)
    if names is None:
        return tuple(dict(enumerate(items)) for items in lists)
    return tuple(dict(zip(named, items, strict=True)) for named, items in zip(names, lists, strict=True))


def _text(value: Any) -> str:
    return '""' if value == "" else text(value)
