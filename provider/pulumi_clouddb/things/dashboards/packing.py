"""The form in which state stores the last response of a dashboard: its difference from the inputs.

It repeats every tile, so storing it whole would double the state of a dashboard.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pulumi_clouddb.schema.matching import tile_key
from pulumi_clouddb.schema.names import ID
from pulumi_clouddb.schema.resource_type import Packing
from pulumi_clouddb.schema.values import WireDict, WireValues

from .columns import with_columns

SERVER_FORM: Final = "__served"
"""The name in state of the last response, with which drift is found."""

OLDER_FORM: Final = "__server"
"""Its name in older state, which has the whole response."""


@dataclass(frozen=True)
class ServerFormPacking(Packing):
    """Stores the server's form as its difference from the inputs."""

    def pack(self, inputs: WireValues, outputs: WireDict) -> WireDict:
        """Replace the server's form by its difference from the inputs."""
        form = outputs.get(SERVER_FORM)
        return outputs if form is None else {**outputs, SERVER_FORM: difference(self._base(inputs, outputs), form)}

    def unpack(self, inputs: WireDict, outputs: WireDict) -> tuple[WireDict, WireDict]:
        """Replace the difference by the server's form; state of earlier versions has columns as a text in `select`.

        Raises:
            ValueError: State was edited by hand, and the difference does not fit the inputs.
        """
        unpacked = {name: value for name, value in outputs.items() if name != OLDER_FORM}
        if OLDER_FORM in outputs:
            unpacked[SERVER_FORM] = outputs[OLDER_FORM]
        change = outputs.get(SERVER_FORM)
        if change is not None:
            try:
                unpacked[SERVER_FORM] = applied(self._base(inputs, outputs), change)
            except ValueError as error:
                raise ValueError(f"{SERVER_FORM} does not fit the inputs: {error}") from None
        form = unpacked.get(SERVER_FORM)
        if isinstance(form, Mapping):
            unpacked[SERVER_FORM] = _with_columns(form)
        return _with_columns(inputs), _with_columns(unpacked)

    def _base(self, inputs: WireValues, outputs: WireValues) -> WireDict:
        """Return the inputs in the form of a response, in which tiles have ids and no keys."""
        base = {name: inputs[name] for name in self.copies[SERVER_FORM] if name in inputs}
        tiles, ids = base.get("tiles"), outputs.get("tileIds")
        if not isinstance(tiles, list) or not isinstance(ids, Mapping):
            return base
        answered_tiles = [
            {ID: ids.get(str(tile_key(tile))), **{name: value for name, value in tile.items() if name != "key"}}
            for tile in tiles
            if isinstance(tile, Mapping)
        ]
        return {**base, "tiles": answered_tiles}


def _with_columns(values: WireValues) -> WireDict:
    return {name: with_columns(value) if name == "tiles" else value for name, value in values.items()}


NOTHING: Final = object()
"""The value of an entry that does not exist."""

EACH: Final = "*"
"""The place, in the difference of a list, of the change that most elements have in common."""


def difference(base: object, value: object) -> object:
    """Return the difference of `value` from `base`; an empty object if they are equal."""
    if isinstance(base, dict) and isinstance(value, dict):
        names = {**base, **value}
        return _without_equal({name: difference(base.get(name, NOTHING), value.get(name, NOTHING)) for name in names})
    if isinstance(base, list) and isinstance(value, list) and len(base) == len(value):
        return _shared({str(place): difference(*pair) for place, pair in enumerate(zip(base, value, strict=True))})
    if value is NOTHING:
        return []
    # True equals 1 in Python, but not in JSON.
    return {} if base == value and isinstance(base, bool) == isinstance(value, bool) else [value]


def _without_equal(changes: Mapping[str, object]) -> WireDict:
    return {place: change for place, change in changes.items() if change != {}}


def _shared(changes: Mapping[str, object]) -> WireDict:
    """Return the changes of the elements of a list; a common one, such as a server's defaults, is stored once."""
    changed = _without_equal(changes)
    if len(changed) < 2:
        return changed
    texts = {place: json.dumps(change, sort_keys=True) for place, change in changes.items()}
    ((text, count),) = Counter(texts.values()).most_common(1)
    if count < 2 or text == "{}":
        return changed
    return {EACH: json.loads(text), **{place: change for place, change in changes.items() if texts[place] != text}}


def applied(base: object, change: object) -> object:
    """Return `base` with a difference applied.

    Raises:
        ValueError: The difference does not fit the value.
    """
    if isinstance(change, list):
        if len(change) > 1:
            raise ValueError(f"a list of {len(change)} values")
        return change[0] if change else NOTHING
    if not isinstance(change, dict):
        raise ValueError(f"{type(change).__name__}, not an object or a list")
    if not change:
        return base
    if isinstance(base, dict):
        places = {name: applied(base.get(name, NOTHING), change.get(name, {})) for name in {**base, **change}}
        return {name: value for name, value in places.items() if value is not NOTHING}
    if not isinstance(base, list) or not {*change} <= {EACH, *map(str, range(len(base)))}:
        raise ValueError(f"no {', '.join(change)} in what it differs from")
    return [applied(each, change.get(str(place), change.get(EACH, {}))) for place, each in enumerate(base)]
