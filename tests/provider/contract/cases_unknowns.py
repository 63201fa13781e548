"""Unknown values in a preview, at every place of every resource's inputs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from clouddb_tools.testing import UNKNOWN
from lives.life import Inputs
from lives.table import WIRE_LIVES

from .case import Case, Step
from .cases_lives import SAME_CODE
from .differences import PREVIEWS
from .steps import check, diff, has, preview_create, preview_update


def with_unknowns(value: Any) -> Iterator[Any]:
    """Yield copies of a value, each with another part unknown."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for place, part in parts:
        for other in (UNKNOWN, *with_unknowns(part)):
            yield {**value, place: other} if isinstance(value, dict) else [*value[:place], other, *value[place + 1 :]]


def steps(inputs: Inputs) -> Iterator[Step]:
    """Yield the requests of a preview."""
    yield check(inputs, failures=[])
    yield diff(inputs)
    yield preview_create(inputs)
    yield preview_update(inputs)


CASES = [
    Case(
        f"{life}: only unknown inputs are unknown",
        life.life.name,
        (has(life.before), *(step for inputs in with_unknowns(life.after) for step in steps(inputs))),
        server=life.life.server,
        setting=life.life.setting,
        differs=frozenset({PREVIEWS}),
        sends=(),
        warns=None if life.before.keys() - life.after.keys() else (),  # about removed inputs
        slow=life.name in SAME_CODE,
    )
    for life in WIRE_LIVES
]
