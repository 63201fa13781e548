# Written by hand; the other files of this package are generated.
"""Maps whose keys are the program's own, such as the ids of a dashboard's tiles."""

import difflib
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import pulumi
from pulumi.output import UNKNOWN, Unknown

_TAKEN = "_clouddb_taken_key"
"""The attribute of an output that says by which key it was taken."""

MOST_SHOWN = 12
"""So many keys are shown; of more than these, those that are most like the one that was asked for."""


class KeyedOutput(pulumi.Output[Mapping[str, str]]):
    """A map of which a program takes values by its own keys: `dashboard.tile_ids["errors"]`.

    Args:
        output: The map.
        what: Whose map it is, in words.
        keys: The keys that it will have, as far as the program itself says them; None if some are not known yet. With
            them, a key that is not among them fails in a preview, at the line that asks for it.
    """

    def __init__(self, output: pulumi.Output[Mapping[str, str]], what: str, keys: Collection[str] | None) -> None:
        value: Any = output.future(with_unknowns=True)
        super().__init__(output.resources(), value, output.is_known(), output.is_secret())
        self._what = what
        self._keys: Any = keys

    def __getitem__(self, key: str) -> pulumi.Output[str]:
        """Return the value of a key.

        Raises:
            UnknownKeyError: The map has no such key.
        """
        if self._keys is not None:
            self._look_for(key, self._keys)

        def lift(values: Any) -> Any:
            if isinstance(values, Unknown):
                return UNKNOWN
            self._look_for(key, values)
            return values[key]

        value = self.apply(lift, True)
        vars(value)[_TAKEN] = key
        return value

    def __getattr__(self, name: str) -> Any:
        """Refuse an attribute, which Pulumi would look for in the map when it is known."""
        if name.startswith("_"):
            return super().__getattr__(name)
        raise AttributeError(f"{self._what} is a map: write [{name!r}] in place of .{name}")

    def _look_for(self, key: str, keys: Collection[str]) -> None:
        from pulumi_clouddb.client.errors import UnknownKeyError
        from pulumi_clouddb.schema.names import did_you_mean

        if key in keys:
            return
        shown = list(keys)
        if len(shown) > MOST_SHOWN:
            shown = difflib.get_close_matches(key, shown, MOST_SHOWN, cutoff=0)
        more = f", and {len(keys) - len(shown)} more" if len(keys) > len(shown) else ""
        raise UnknownKeyError(
            f"{self._what} has no {key!r}{did_you_mean(key, keys)}\n"
            f"It has {', '.join(map(repr, shown)) or 'none'}{more}."
        )


def taken_key(value: Any) -> str | None:
    """Return the key by which a program has taken a value of a map, None for any other value."""
    return vars(value).get(_TAKEN) if isinstance(value, pulumi.Output) else None


def keys_of(tiles: Any) -> list[str] | None:
    """Return the keys of the tiles that a program says, None if one of them is not known yet."""
    if not isinstance(tiles, Sequence) or isinstance(tiles, str):
        return None
    keys = [_value(tile, "key") or _value(tile, "name") for tile in tiles]
    return keys if all(isinstance(key, str) for key in keys) else None


def _value(tile: Any, name: str) -> Any:
    return tile.get(name) if isinstance(tile, Mapping) else getattr(tile, name, None)
