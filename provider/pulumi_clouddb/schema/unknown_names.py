"""What of an open object no model knows: a server newer than this package may, or it is a mistake."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel

from .convert import fields_of
from .values import Path


def unknown_names(model: type[BaseModel], value: object, path: Path = ()) -> Iterator[Path]:
    """Yield the path of each property in an object, or in a list of objects, that its model does not have."""
    if isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            yield from unknown_names(model, item, (*path, index))
    elif isinstance(value, dict):
        inner = {wire: nested for wire, _, nested in fields_of(model)}
        for name, item in value.items():
            if name not in inner:
                yield (*path, name)
            elif nested := inner[name]:
                yield from unknown_names(nested, item, (*path, name))
