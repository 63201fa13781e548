"""Values of open lists, of which check only warns: newer ones may be right."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import Enum

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from pulumi_clouddb.schema.annotations import class_in
from pulumi_clouddb.schema.base import extras_of
from pulumi_clouddb.schema.choice import OpenChoice
from pulumi_clouddb.schema.names import similar
from pulumi_clouddb.schema.values import WireValues
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

from .rules import RuleContext
from .within import Within, object_in
from .wording import DOUBTED

MOST_NAMED = 12
"""A warning without similar values lists so many known values."""

_ALIKE = 0.5
"""The least similarity of the known values that a warning names: these are often short."""

_FEW, _ALIKE_OF_FEW = 3, 0.6
"""Of so few known values all are named, unless one is more alike: `earliest` is not `from_latest`."""

_SIZES = frozenset({"greater_than_equal", "less_than_equal", "multiple_of"})


def is_of_open_list(model: type[BaseModel], error: ErrorDetails, context: RuleContext | None) -> bool:
    """Return whether the vendor may accept a value that a model rejects."""
    kind, value = error["type"], error["input"]
    if context is None or kind == DOUBTED or context.vocabulary is not CLICKHOUSE:
        return kind == DOUBTED
    if kind == "enum":
        enum = enum_at(model, error["loc"])
        return isinstance(value, str) and enum is not None and issubclass(enum, OpenChoice)
    owner, attribute = field_at(model, error["loc"])
    return kind in _SIZES and owner is not None and bool(extras_of(owner, attribute).get("grows")) and value > 0


def known_values(model: type[BaseModel], error: ErrorDetails, inputs: WireValues) -> str:
    """Return the end of a warning of an unknown word: the most similar known ones, or all if they are few."""
    owner, attribute = field_at(model, error["loc"])
    if owner is not None and owner.model_fields[attribute].deprecated:
        return ""  # the warning of that says what to do
    enum = enum_at(model, error["loc"])
    known = [each.value for each in enum or () if not isinstance(each, OpenChoice) or each.fits(inputs)]
    near = (
        _spelt_otherwise(str(error["input"]), known)
        or _nearest_durations(str(error["input"]), known)
        or similar(str(error["input"]), known, 3, _ALIKE if len(known) > _FEW else _ALIKE_OF_FEW)
    )
    if near:
        return f"; did you mean {' or '.join(near)}?"
    others = " and others" if len(known) > MOST_NAMED else ""
    return f"; known values are {', '.join(known[:MOST_NAMED])}{others}"


def _spelt_otherwise(given: str, known: Iterable[str]) -> list[str]:
    """Return the known word that differs only in letter case, blanks, hyphens and underscores."""
    return [each for each in known if _letters(each) == _letters(given)]


def _letters(word: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", word.lower()).strip("-")


def _nearest_durations(given: str, known: Iterable[str]) -> list[str]:
    """Return the known duration of the same length, or else the next shorter and longer one; none for other words."""
    lengths = {each: length for each in known if (length := _seconds(each))}
    length = _seconds(given)
    if not length:
        return []
    shorter = max((each for each in lengths if lengths[each] <= length), key=lengths.__getitem__, default=None)
    longer = min((each for each in lengths if lengths[each] >= length), key=lengths.__getitem__, default=None)
    return [*dict.fromkeys(each for each in (shorter, longer) if each is not None)]


def _seconds(duration: str) -> int | None:
    match = re.fullmatch(r"(\d{1,9})([smhdw])", duration)
    return int(match[1]) * _SECONDS[match[2]] if match else None


_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}


def enum_at(model: type[BaseModel], path: Iterable[str | int]) -> type[Enum] | None:
    """Return the enum of the value at a path, if it has one."""
    owner, attribute = field_at(model, path)
    if owner is None:
        return None
    info: FieldInfo = owner.model_fields[attribute]
    values = (each.values for each in info.metadata if isinstance(each, Within))
    return next(filter(None, values), None) or class_in(info.annotation, Enum)


def model_at(model: type[BaseModel], path: Iterable[str | int]) -> type[BaseModel] | None:
    """Return the model of the objects at a path, or None if there is none."""
    for part in path:
        if isinstance(part, int):
            continue
        info = next((info for info in model.model_fields.values() if info.alias == part), None)
        inner = info and (object_in(info.annotation))
        if inner is None:
            return None
        model = inner
    return model


def field_at(model: type[BaseModel], path: Iterable[str | int]) -> tuple[type[BaseModel] | None, str]:
    """Return the field at a path, as the model that declares it and its attribute; no model if there is none."""
    *outer, name = [part for part in path if isinstance(part, str)] or [""]
    owner = model_at(model, outer)
    if owner is not None:
        for attribute, info in owner.model_fields.items():
            if info.alias == name:
                return owner, attribute
    return None, ""
