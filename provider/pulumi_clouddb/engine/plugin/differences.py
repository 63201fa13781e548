"""The detailed differences of state and inputs, as Pulumi displays them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Literal

from pulumi_clouddb.engine.wire.proto import provider_pb2
from pulumi_clouddb.resource.base import AnyResource, DiffResult
from pulumi_clouddb.resource.state import MANAGED
from pulumi_clouddb.schema.base import identity
from pulumi_clouddb.schema.json_types import misfits
from pulumi_clouddb.schema.matching import Pairs, matched
from pulumi_clouddb.schema.values import Path, WireValues, contains_unknown

from .secret_paths import Secrets

Kind = Literal["ADD", "UPDATE", "DELETE"]
Change = tuple[Path, Kind]


def detailed(
    handler: AnyResource,
    difference: DiffResult,
    old: WireValues,
    old_inputs: WireValues,
    new: WireValues,
    secrets: Secrets = frozenset(),
) -> dict[str, provider_pb2.PropertyDiff]:
    """Return the changes by property path such as `ipAccessList[1].source`; no path is within a secret."""
    edited = any(misfits(handler.type.inputs, old_inputs))  # by hand; nothing else reads them
    stored = {name: old[name] for name in old.get(MANAGED, ()) if name in old}
    before = stored if edited else old_inputs or stored
    diffs: dict[str, provider_pb2.PropertyDiff] = {}
    for name in difference.changed:
        given = name in before or name in new
        changes = _input_changes(handler, name, before, new) if given else [((name,), _left(name))]
        for path, kind in changes:
            word = f"{kind}_REPLACE" if name in difference.replaces else kind
            diffs[show(_cut(path, secrets))] = provider_pb2.PropertyDiff(
                kind=provider_pb2.PropertyDiff.Kind.Value(word), inputDiff=given
            )
    return diffs


def show(path: Path) -> str:
    """Write a path for the engine; a key that is not an identifier is quoted."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        elif re.fullmatch(r"[A-Za-z_$][A-Za-z0-9_$]*", part):
            text += f".{part}" if text else part
        else:
            quoted = part.replace("\\", "\\\\").replace('"', '\\"')
            text += f'["{quoted}"]'
    return text


def _cut(path: Path, secrets: Secrets) -> Path:
    """Return a path up to the first secret on it: the names in a secret object are secret, too."""
    return next((path[:length] for length in range(1, len(path)) if path[:length] in secrets), path)


def _left(name: str) -> Kind:
    """Return the kind of change of an output with unfinished work: an error is deleted, a state changes."""
    return "UPDATE" if name == "state" else "DELETE"


def _input_changes(handler: AnyResource, name: str, before: WireValues, new: WireValues) -> list[Change]:
    if name not in before:
        return [((name,), "ADD")]
    if name not in new:
        return [((name,), "DELETE")]
    old_value, new_value = before[name], new[name]
    if isinstance(old_value, list) and isinstance(new_value, list):
        found = list(_list_changes(handler, name, old_value, new_value))
    else:
        found = list(_changes((name,), old_value, new_value))
    return found or [((name,), "UPDATE")]


def _list_changes(handler: AnyResource, name: str, old: list[object], new: list[object]) -> Iterator[Change]:
    """Compare two lists element by element, ignoring the order if the property does."""

    def same(before: object, after: object) -> bool:
        return not contains_unknown([before, after]) and handler.same(name, [before], [after])

    unknown = contains_unknown(old) or contains_unknown(new)
    if unknown or not (handler.same(name, old, old[::-1]) and handler.same(name, new, new[::-1])):
        yield from _elements((name,), old, new, same)
        return
    for index in range(max(len(old), len(new))):
        ours, theirs = old[index : index + 1], new[index : index + 1]
        gone = ours and not _among(handler, name, ours, new)
        come = theirs and not _among(handler, name, theirs, old)
        if not handler.same(name, ours, theirs):
            yield from _entry((name, index), ours[0] if gone else None, theirs[0] if come else None)


def _among(handler: AnyResource, name: str, one: list[object], others: list[object]) -> bool:
    return any(handler.same(name, one, [other]) for other in others)


def _changes(path: Path, old: object, new: object) -> Iterator[Change]:
    """Yield the deepest paths at which two values differ."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in {**old, **new}:
            yield from _entry((*path, key), old.get(key), new.get(key))
    elif isinstance(old, list) and isinstance(new, list):
        yield from _elements(path, old, new, lambda *_: False)
    elif contains_unknown(new) or identity(old) != identity(new):
        yield path, "UPDATE"


def _elements(
    path: Path, old: list[object], new: list[object], same: Callable[[object, object], bool]
) -> Iterator[Change]:
    """Yield the changes between two ordered lists.

    The engine reads the old and the new value of a path at the same index (pkg/engine/detailedDiff.go), and shows no
    further changes of an added or deleted index (pkg/backend/display/object_diff.go).
    """
    pairs = matched(old, new)
    gone, come = _unpaired(pairs)
    found: dict[Path, Kind] = {}
    for place in sorted(gone | come):
        ours, theirs = old[place] if place in gone else None, new[place] if place in come else None
        found.update(_entry((place,), ours, theirs))
    shared = set(range(min(len(old), len(new)))) - gone - come
    kept = ((before, after) for before, after in pairs if before is not None and after is not None)
    for before, after in kept:
        if same(old[before], new[after]):
            continue
        for inner, kind in _changes((), old[before], new[after]):
            at, shown = _shown((inner, kind), before, after, shared, after >= len(old))
            found[at] = "UPDATE" if at in found and at[0] in shared else shown
    yield from (((*path, *at), kind) for at, kind in found.items() if len(at) == 1 or at[:1] not in found)


def _unpaired(pairs: Pairs) -> tuple[set[int], set[int]]:
    """Return the indexes of the removed elements in the old list, and of the added ones in the new list."""
    gone = {before for before, after in pairs if before is not None and after is None}
    return gone, {after for before, after in pairs if after is not None and before is None}


def _shown(change: Change, before: int, after: int, shared: Collection[int], is_new: bool) -> Change:
    """Return the path and kind of change to show for a change within an element.

    Args:
        change: The change, by its path within the element.
        before: The index of the element in the old list.
        after: Its index in the new list.
        shared: The indexes of both lists; for a moved element, Pulumi shows the value of another element beside it.
        is_new: Whether the index `after` does not exist in the old list.
    """
    inner, kind = change
    if before == after:
        return (after, *inner), kind
    if after in shared and kind != "DELETE":
        return (after, *inner), "ADD"
    if before in shared and kind != "ADD":
        return (before, *inner), "DELETE"
    return (after,), "ADD" if is_new else "UPDATE"


def _entry(path: Path, old: object, new: object) -> Iterator[Change]:
    if old is None and new is None:
        return
    if old is None or new is None:
        yield path, "ADD" if old is None else "DELETE"
        return
    yield from _changes(path, old, new)
