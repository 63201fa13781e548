"""The changes between two versions of a description."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from .facts import Facts
from .places import Fact, Place, Said, places

ADDED, REMOVED, CHANGED = "added", "removed", "changed"

Difference = tuple[str, str, str, str]
"""Kind of the change, what has changed, value before, value after."""

SETS = ("member", "status", "content", "permission")
"""Keywords of which a place can have several values."""

VARIANT = "variant"


@dataclass(frozen=True)
class Change:
    """A change, with all places that it concerns.

    Attributes:
        kind: `added`, `removed` or `changed`.
        what: `operation`, `property`, `member`, `required`, `maximum` and other keywords of a schema.
        before: The value before; empty if there was none.
        after: The value now; empty if there is none.
        places: The places, the same one in each operation that uses the schema.
        origin: The named schema that contains it, with the path in it.
    """

    kind: str
    what: str
    before: str
    after: str
    places: tuple[Place, ...]
    origin: str = ""

    def __str__(self) -> str:
        """Return the change in words, without its place."""
        if self.what == "member":
            return f"{self.kind} value {self.before or self.after}"
        if self.kind == CHANGED:
            return f"{self.what} {self.before} -> {self.after}"
        value = self.before or self.after
        return f"{self.kind} {self.what}" + (f" {value}" if value not in ("", "true") else "")


def changes(before: Facts, after: Facts) -> list[Change]:
    """Return the changes from one version to another, each once, whatever number of operations it concerns."""
    found: dict[tuple[str, Difference], list[Place]] = defaultdict(list)
    for place, origin, difference in _changes(places(before), places(after)):
        found[origin, difference].append(place)
    return [Change(*difference, tuple(where), origin) for (origin, difference), where in found.items()]


def _changes(before: Mapping[Place, Said], after: Mapping[Place, Said]) -> Iterator[tuple[Place, str, Difference]]:
    """Yield each change with its place and the schema that it is from."""
    moved = {*_in_variants(before, after), *((old, new) for new, old in _in_variants(after, before))}
    known = {place for pair in moved for place in pair}
    for kind, here, there in ((REMOVED, before, after), (ADDED, after, before)):
        for place in here.keys() - there.keys() - known:
            facts, origin = here[place].facts, here[place].origin
            if place.part == "operation" or place.around in there:
                yield place, origin, _whole(kind, _what(place), here[place].word)
            elif place.around.is_variant and place.around.around in there:  # its fields, and its word
                yield place, origin, _whole(kind, _what(place))
                yield from ((place, origin, each) for each in _word(kind, facts))
    for old, new in ((place, place) for place in before.keys() & after.keys()):
        for change in _of_place(before[old].facts, after[new].facts):
            yield new, after[new].origin, change
    yield from _of_moved(moved, before, after)


def _in_variants(whole: Mapping[Place, Said], varied: Mapping[Place, Said]) -> Iterator[tuple[Place, Place]]:
    """Yield each place of an object that has several types on the other side only, with its place in each of them."""
    for place in varied.keys() - whole.keys():
        for number, step in enumerate(place.steps):
            plain = replace(place, steps=place.steps[:number] + place.steps[number + 1 :])
            if step.startswith("<") and number + 1 < len(place.steps) and plain in whole and plain not in varied:
                yield plain, place


def _of_moved(
    moved: Iterable[tuple[Place, Place]], before: Mapping[Place, Said], after: Mapping[Place, Said]
) -> Iterator[tuple[Place, str, Difference]]:
    """Yield the changes of fields that are now in variants, or no longer: a value that any of them has is not gone."""
    members: dict[Place, set[Fact]] = defaultdict(set)
    for old, new in moved:
        members[old] |= _members(after[new])
        members[new] |= _members(before[old])
    for old, new in moved:
        others = (_members(before[old]) & members[old]) | (_members(after[new]) & members[new])
        for change in _of_place(before[old].facts | others, after[new].facts | others):
            yield new, after[new].origin, change


def _members(said: Said) -> set[Fact]:
    return {(word, value) for word, value in said.facts if word == "member"}


def _whole(kind: str, what: str, value: str = "") -> Difference:
    """Return the change of everything in a place."""
    return (kind, what, value, "") if kind == REMOVED else (kind, what, "", value)


def _word(kind: str, facts: frozenset[Fact]) -> Iterator[Difference]:
    """Yield the change of the only value of a field, by which a variant is known."""
    words = [value for word, value in facts if word == "member"]
    if len(words) == 1:
        yield _whole(kind, "member", words[0])


def _what(place: Place) -> str:
    if place.part not in ("request", "response"):
        return place.part
    return VARIANT if place.is_variant else "property"


def _of_place(before: frozenset[Fact], after: frozenset[Fact]) -> Iterator[Difference]:
    gone, new = before - after, after - before
    values = dict(new)
    for word, value in sorted(gone):
        if word in SETS or word not in values:
            yield REMOVED, word, value, ""
        else:
            yield CHANGED, word, value, values[word]
    changed = {word for word, _ in gone if word not in SETS}
    yield from ((ADDED, word, "", value) for word, value in sorted(new) if word not in changed)
