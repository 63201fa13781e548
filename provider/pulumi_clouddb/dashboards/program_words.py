"""How drift is shown: in the program's own words where the server's have not changed since the last write."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pulumi_clouddb.schema.base import identity
from pulumi_clouddb.schema.names import ID


def in_program_words(ours: object, before: object, now: object, *, whole: bool = False) -> Any:
    """Return a value as a program would have to say it now; what is as it was before stays in the program's words.

    Args:
        ours: What the program says.
        before: What the server answered to the last write.
        now: What it answers now.
        whole: Whether objects are the program's as a whole, so that properties which somebody adds are shown, too.
    """
    if identity(before) == identity(now):
        return ours
    if isinstance(ours, Mapping) and isinstance(before, Mapping) and isinstance(now, Mapping):
        said = {}
        for name in [*ours, *(now if whole else ())]:
            if name in now or name in before:
                said[name] = in_program_words(ours.get(name), before.get(name), now.get(name), whole=whole)
            else:
                said[name] = ours[name]  # the server never shows it
        return {name: value for name, value in said.items() if value is not None}
    if isinstance(ours, list) and isinstance(before, list) and isinstance(now, list):
        return _list_in_program_words(ours, before, now, whole)
    return now


def _list_in_program_words(ours: list[object], before: list[object], now: list[object], whole: bool) -> list[object]:
    """Return a list; its objects are known by their ids where they have some, else by their places."""
    if len(ours) != len(before):
        return now
    ids = [_id_of(each) for each in before]
    if None in ids or len(set(ids)) < len(ids):
        if len(before) != len(now):
            return now
        return [in_program_words(*each, whole=whole) for each in zip(ours, before, now, strict=True)]
    known = {key: (mine, theirs) for key, mine, theirs in zip(ids, ours, before, strict=True)}
    return [
        in_program_words(*known[_id_of(each)], each, whole=whole) if _id_of(each) in known else each for each in now
    ]


def _id_of(value: object) -> str | None:
    return value.get(ID) if isinstance(value, Mapping) else None
