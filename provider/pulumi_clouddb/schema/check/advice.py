"""What to write in place of an invalid value, as the end of its failure."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import reduce
from itertools import takewhile
from operator import getitem
from typing import Any, Final

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from pulumi_clouddb.schema.annotations import shape_of
from pulumi_clouddb.schema.base import A_UUID, Model, extras, wire_names
from pulumi_clouddb.schema.names import did_you_mean
from pulumi_clouddb.schema.secrets.spellings import MASK, without_credentials
from pulumi_clouddb.schema.values import Path, WireValues, whole_numbers
from pulumi_clouddb.schema.vocabulary import VocabularyName

from .open_lists import enum_at, field_at, model_at
from .rules import wire_case
from .texts import kinds_in
from .within import object_in
from .wording import A_FULL_HOUR, DOUBTED, OBJECT_ID, TAKE_ID, UNQUOTED, UUID_FORM

HOLDS: dict[str, Callable[[Any, float], bool]] = {
    "greater_than_equal": lambda value, limit: value >= limit,
    "less_than_equal": lambda value, limit: value <= limit,
    "multiple_of": lambda value, limit: value % limit == 0,
    "string_too_long": lambda value, limit: not isinstance(value, str) or len(value) <= limit,
}


def similar_name(model: type[BaseModel], path: Path, beside: Collection[str] = ()) -> str:
    """Suggest a name for a property that does not exist, none of those `beside` it, or what to do about a server's."""
    *outer, name = [part for part in path if isinstance(part, str)]
    inner = model_at(model, outer)
    if inner and issubclass(inner, Model) and name in inner.SERVER_SETS:
        return f": only the server sets it. Remove it{inner.SERVER_SETS[name]}"
    if inner is None:
        return ""
    known = wire_names(inner)
    if near := did_you_mean(name, (each for each in known if each not in beside)):
        return near
    if outer and _has_object(model, wire_case(name)):
        return f": move it out of {'.'.join(outer)}, to the resource itself"
    place = min(_places(inner, wire_case(name)), key=len, default="")
    if place:
        return f"; did you mean {place}?"
    return f"{_HAS}{', '.join(known)}" if outer and len(known) <= _FEW else ""


def _has_object(model: type[BaseModel], name: str) -> bool:
    """Return whether a property has objects, such as `credentials`: a `name` is nearly everywhere."""
    return any(info.alias == name and object_in(info.annotation) for info in model.model_fields.values())


_ORGANIZATION_ID = "organizationId"
"""The only id of an object that is no resource."""

_HAS: Final = "; it has "
_NEWER: Final = "; remove it, or take a newer version of this package, if servers have it"

_FEW = 6
"""The names of all properties of an object are suggested if it has no more than these."""


def _places(model: type[BaseModel], name: str, depth: int = 2) -> Iterator[str]:
    """Yield the paths at which the objects within an object have a property, such as `config.where`."""
    for info in model.model_fields.values():
        inner = object_in(info.annotation)
        if inner is None or not depth:
            continue
        path = f"{info.alias}[]" if shape_of(info.annotation).kind is list else str(info.alias)
        if name in wire_names(inner):
            yield f"{path}.{name}"
        yield from (f"{path}.{each}" for each in _places(inner, name, depth - 1))


def value_to_write(
    model: type[BaseModel], error: ErrorDetails, hidden: bool, vocabulary: VocabularyName | None, inputs: WireValues
) -> str:
    """Suggest the name or the value that is probably meant, if it is valid, or else what to write or to do."""
    if error["type"] == "extra_forbidden":
        around: Any = reduce(getitem, error["loc"][:-1], inputs)  # type: ignore[arg-type]
        near = similar_name(model, error["loc"], around)
        return near if near and not near.startswith(_HAS) else near + _NEWER
    if error["type"] == "missing":
        words = [] if hidden else [each.value for each in enum_at(model, error["loc"]) or ()]
        return f": write {' or '.join(words)}" if 0 < len(words) <= _FEW else ""
    meant = "" if hidden else value_meant(model, error, vocabulary)
    return meant or _form_to_write(model, error, hidden)


def value_meant(model: type[BaseModel], error: ErrorDetails, vocabulary: VocabularyName | None) -> str:
    """Suggest the first reading of a value that is valid; a text with credentials, or a long one, is not repeated."""
    if error["type"] not in ("extra_forbidden", UNQUOTED):
        for each in _readings(error["input"]):
            text = quoted(each, secret=False)
            if MASK not in text and not text.endswith(_CUT) and _is_valid(model, error["loc"], each, vocabulary):
                return f"; did you mean {text}?"
    return ""


_AROUND: Final = "\"'`<>{}$"
"""What people leave around a value that they copy, or put in the place of a placeholder, at both ends."""

_IDS: Final = re.compile(rf"{UUID_FORM}|(?<![0-9a-fA-F])[0-9a-fA-F]{{24}}")

_WORD: Final = re.compile(r"[\w-]+")
_NUMBER: Final = re.compile(r"-?\d{1,15}(\.\d{1,9})?")
_WITH_UNIT: Final = re.compile(rf"\s*{_NUMBER.pattern}\s*([A-Za-z]+|%)\s*")

_LONGEST: Final = 1_000
"""Longer texts and lists have no reading."""


def _readings(given: object) -> Iterator[object]:
    """Return what a person may have meant by a value in another form, the likeliest first."""
    if isinstance(given, (int, float)):
        return _of_number(given)
    if not isinstance(given, (str, list, Mapping)) or len(given) > _LONGEST:
        return iter(())
    if isinstance(given, str):
        return _of_text(given)
    return _of_list(given) if isinstance(given, list) else _of_object(given)


def _of_text(given: str) -> Iterator[object]:
    if without_credentials(given) != given:
        return
    text = given.strip()
    text = text.strip(f"{_AROUND} ") if text[:1] in _AROUND and text[-1:] in _AROUND else text
    hyphens = text.replace("_", "-")
    yield from (text, hyphens, *_IDS.findall(hyphens))
    if _WORD.fullmatch(text):
        yield text.lower()
    if match := _NUMBER.fullmatch(text):
        yield float(text) if match[1] else int(text)
    yield [each.strip() for each in text.split(",")]


def _of_number(given: float) -> Iterator[object]:
    if given < -1:  # which often means that there is no limit
        yield -given


def _of_list(given: list[Any]) -> Iterator[object]:
    for name, value in _PAIRS:
        if given and all(isinstance(each, Mapping) and {*each} == {name, value} for each in given):
            yield {str(each[name]): each[value] for each in given}
    if len(given) == 1:
        yield given[0]
    if given and all(isinstance(each, str) for each in given):
        yield ",".join(given)


def _of_object(given: WireValues) -> Iterator[object]:
    if {*given} <= _NAMING and len(given) == 1:
        yield from given.values()
    yield [*given.values()] if all(name.isdigit() for name in given) else [given]
    yield from ([dict(zip(names, pair, strict=True)) for pair in given.items()] for names in _PAIRS)


_NAMING: Final = frozenset({"id", "name", "value"})
"""The only property of an object that stands for it."""

_PAIRS: Final = (("key", "value"), ("name", "value"))
"""The properties of the elements of a list that says the same as an object."""


def _is_valid(model: type[BaseModel], path: Path, value: object, vocabulary: VocabularyName | None) -> bool:
    """Return whether a value at a path breaks no limit, and is not doubted."""
    owner, attribute = field_at(model, path)
    if owner is None:
        return False
    for _ in takewhile(lambda part: isinstance(part, int), reversed(path)):
        value = [value]
    name = str(owner.model_fields[attribute].alias)
    try:
        owner.model_validate({name: value}, context={"vocabulary": vocabulary, DOUBTED: True})
    except ValidationError as error:
        return all(each["loc"][0] != name for each in error.errors(include_url=False, include_context=False))
    return True


def _form_to_write(model: type[BaseModel], error: ErrorDetails, hidden: bool) -> str:
    """Suggest the form of a value in place of a text, an object or a list, where another of these is expected."""
    kind, given, inner = error["type"], error["input"], model_at(model, error["loc"])
    if kind == "list_type" and isinstance(given, (str, Mapping)):
        return f"; write [{_object_form(inner)}]" if inner else "; write ['…', '…']"
    if kind in ("int_type", "float_type") and isinstance(given, str) and not hidden:
        return "; write a number without a unit" if _WITH_UNIT.fullmatch(given) else ""
    if isinstance(given, list) and given and inner is None:
        return _without_list(model, error)
    if kind in ("dict_type", "model_type") and isinstance(given, (str, list)) and inner is not None:
        is_element = isinstance(error["loc"][-1], int)
        return _object_to_write(given, inner, is_element=is_element, hidden=hidden)
    return _text_to_write(model, error, hidden)


def _text_to_write(model: type[BaseModel], error: ErrorDetails, hidden: bool) -> str:
    """Suggest an id in place of another text, a name in place of an id, or JSON in place of an object."""
    given, context, name = error["input"], error.get("ctx", {}), error["loc"][-1]
    owner, _ = field_at(model, error["loc"])
    if error["type"] == "string_type" and isinstance(given, Mapping) and owner and name in kinds_in(owner):
        return "; write the object as JSON in a text"
    if hidden or error["loc"][0] == _ORGANIZATION_ID:
        return ""
    if str(context.get("error")) == A_UUID or context.get("pattern") == OBJECT_ID:
        return TAKE_ID
    pattern, text = context.get("pattern"), given if isinstance(given, str) else quoted(given, hidden)
    if pattern == A_FULL_HOUR and (hour := re.fullmatch(r"(\d|[01]\d|2[0-4])(:\d\d){0,2}Z?", text)):
        return f"; did you mean {int(hour[1]) % 24:02}:00?"
    return "; it is an id: write the name" if pattern and re.fullmatch("[0-9a-fA-F-]{36}", text) else ""


def _object_to_write(given: str | list[Any], model: type[BaseModel], *, is_element: bool, hidden: bool) -> str:
    """Suggest an object in place of a text or a list."""
    if isinstance(given, str):
        required = _required_names(model)
        if given.lstrip()[:1] == "{":
            return "; it is JSON as text: write the object itself"
        if len(required) == 1 and is_element and not hidden:
            text = quoted({required[0]: given}, secret=False)
            return f"; write {_object_form(model)}" if text.endswith(_CUT) else f"; did you mean {text}?"
        if given in wire_names(model):
            return f"; write {{{given}: …}}"
    return f"; write {_object_form(model)}"


def _without_list(model: type[BaseModel], error: ErrorDetails) -> str:
    """Suggest a map, or a text, in place of a list."""
    *outer, name = (each for each in error["loc"] if isinstance(each, str))
    owner = model_at(model, outer)
    words = str(extras(owner, "words").get(name, "")) if owner else ""
    if error["type"] == "string_type":
        return "; write one text with commas" if "separated by commas" in words else "; write it without the brackets"
    return "; write {'NAME': VALUE}, with an entry for each element" if error["type"] == "dict_type" else ""


def _object_form(model: type[BaseModel]) -> str:
    """Return the form of an object: its required properties; with fewer than two of these, its first two."""
    required = _required_names(model)
    names = required if len(required) > 1 else [*dict.fromkeys([*required, *wire_names(model)])][:2]
    return f"{{{', '.join(f'{name}: …' for name in names)}}}"


def _required_names(model: type[BaseModel]) -> list[str]:
    return [str(info.alias) for info in model.model_fields.values() if info.is_required()]


def quoted(value: object, secret: bool) -> str:
    """Return a value as a message quotes it: short, without credentials, and no secret one."""
    if secret:
        return "the secret value given"
    try:
        text = without_credentials(repr(whole_numbers(value)))
    except (RecursionError, ValueError):  # nested too deeply, or more than 4300 digits
        return _UNQUOTABLE
    return text if len(text) <= 80 else f"{text[:77]}{_ELLIPSIS}"


_ELLIPSIS: Final = "..."
_UNQUOTABLE: Final = "the value given"
_CUT: Final = (_ELLIPSIS, _UNQUOTABLE)
