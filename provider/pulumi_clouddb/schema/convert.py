"""Conversion between wire values (plain JSON by wire name) and models."""

from __future__ import annotations

import functools
from collections.abc import Collection, Mapping
from enum import Enum
from typing import Any, TypeVar, cast

from pydantic import BaseModel, ValidationError

from .annotations import model_in, parts_of
from .base import Answer, Record, extras, in_metadata, wire_name
from .thing import Thing, answer_of
from .times import Moment, stamp_of
from .values import WireDict, WireValues
from .vocabulary import VocabularyName

ModelT = TypeVar("ModelT", bound=BaseModel)
RecordT = TypeVar("RecordT", bound=Record)

_SCALARS = frozenset({str, int, float, bool})


def construct(model: type[ModelT], values: WireValues, *, deep: bool = True) -> ModelT:
    """Return a model of values without validation; unknown names are dropped.

    So state of an older version, and unknown values in a preview, are not errors. Objects within become models only if
    `deep` is true; if not, they keep unknown names.
    """
    given = {
        attribute: _constructed(nested if deep else None, values[wire])
        for wire, attribute, nested in fields_of(model)
        if wire in values
    }
    made: ModelT = _empty(model).model_copy(update=given)
    return made


def to_wire(model: BaseModel, only: Collection[str] | None = None) -> WireDict:
    """Return the fields that are set, by wire name, all or `only` some; without unknown fields of the server."""
    values, given = vars(model), model.model_fields_set  # reading a deprecated attribute would warn
    return {
        wire: plain(values[attribute])
        for wire, attribute, _ in fields_of(type(model))
        if attribute in given and (only is None or wire in only)
    }


def to_body(model: BaseModel, only: Collection[str] | None = None) -> WireDict:
    """Return the fields that are set as they are sent, by wire name: times in the form of the servers."""
    body: WireDict = with_stamps(type(model), to_wire(model, only))
    return body


def with_stamps(model: type[BaseModel], value: object) -> Any:
    """Return values of a model with all its times, at any depth, in the form that is sent."""
    times = times_of(model)
    if not times:
        return value
    if isinstance(value, Mapping):
        return {name: _stamped(times.get(name), item) if name in times else item for name, item in value.items()}
    return [with_stamps(model, item) for item in value] if isinstance(value, list) else value


def _stamped(model: type[BaseModel] | None, value: object) -> object:
    return stamp_of(value) if model is None else with_stamps(model, value)


@functools.lru_cache(maxsize=256)
def times_of(model: type[BaseModel]) -> Mapping[str, type[BaseModel] | None]:
    """Return the fields with times by wire name: None for a time, or the model of the objects with times."""
    times: dict[str, type[BaseModel] | None] = {}
    for wire, attribute, nested in fields_of(model):
        if any(isinstance(each, Moment) for each in parts_of(model.model_fields[attribute].annotation)):
            times[wire] = None
        elif nested is not None and nested is not model and times_of(nested):
            times[wire] = nested
    return times


def plain(value: object) -> object:
    """Return a value of a model as plain JSON."""
    if value is None or type(value) in _SCALARS:  # most values; the other checks are slower
        return value
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, BaseModel):
        return {**to_wire(value), **{name: plain(item) for name, item in (value.model_extra or {}).items()}}
    return value.value if isinstance(value, Enum) else value


def parse(model: type[RecordT], answered: WireValues, vocabulary: VocabularyName | None = None) -> RecordT:
    """Return the record of a response; fields of the wrong type, or of another dialect, are dropped."""
    read = answer_of(model)
    others = {name for name, only in extras(read, "only").items() if vocabulary and only is not vocabulary}
    absent = {name: value for name, value in _absent(read).items() if name not in others}
    values = {**absent, **{name: value for name, value in answered.items() if name not in others}}
    for _ in range(len(values) + 1):
        try:
            parsed = read.model_validate(values, extra="allow")
            break
        except ValidationError as error:
            misfits = {location[0] for item in error.errors() if (location := item["loc"])}
            values = {name: value for name, value in values.items() if name not in misfits}
    else:
        parsed = read.model_construct()
    record = cast(RecordT, _thing(model, parsed) if issubclass(model, Thing) else parsed)
    record.keep_answer(answered)
    return record


@functools.lru_cache(maxsize=256)
def _absent(model: type[Record]) -> WireValues:
    """Return, by wire name, the values of properties whose absence from a response has a meaning."""
    answers = in_metadata(model, Answer)
    return {wire_name(model, each): answer.absent for each, answer in answers.items() if answer.absent is not None}


def _thing(model: type[Thing], parsed: Record) -> Thing:
    """Return a parsed response as a value of the thing."""
    values = {**(parsed.model_extra or {}), **vars(parsed)}  # an unknown field may have the name of an attribute
    thing = model.model_construct(parsed.model_fields_set, **{**_required(model), **values})
    thing.received()
    return thing


@functools.lru_cache(maxsize=256)
def fields_of(model: type[BaseModel]) -> tuple[tuple[str, str, type[BaseModel] | None], ...]:
    """Return each field of a model: its wire name, its attribute, and the model of the objects in it, if any."""
    return tuple(
        (wire_name(model, attribute), attribute, model_in(info.annotation))
        for attribute, info in model.model_fields.items()
    )


@functools.lru_cache(maxsize=256)
def _empty(model: type[ModelT]) -> ModelT:
    """Return a model without values, to be copied: that is faster than creating one."""
    return model.model_construct(_fields_set=set(), **_required(model))


@functools.lru_cache(maxsize=256)
def _required(model: type[BaseModel]) -> Mapping[str, None]:
    """Return None for each required field: an object that is not validated may lack it."""
    return {attribute: None for attribute, info in model.model_fields.items() if info.is_required()}


def _constructed(model: type[BaseModel] | None, value: object) -> object:
    if model is None:
        return value
    if isinstance(value, dict):
        return construct(model, value)
    return [_constructed(model, item) for item in value] if isinstance(value, list) else value
