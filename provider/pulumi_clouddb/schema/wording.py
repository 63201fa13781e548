"""The words of limits, for the description of a property and for the failure of a value."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from itertools import groupby
from types import UnionType
from typing import Annotated, Final, Union, get_args, get_origin

from pydantic import AfterValidator
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from .choice import Choice
from .values import whole_numbers

LIMITS: Final[dict[str, str]] = {
    "greater_than": "must be greater than {gt}",
    "greater_than_equal": "must be at least {ge}",
    "less_than": "must be less than {lt}",
    "less_than_equal": "must be at most {le}",
    "multiple_of": "must be a multiple of {multiple_of}",
    "string_too_short": "must have at least {min_length} character(s)",
    "string_too_long": "must have at most {max_length} characters",
    "string_pattern_mismatch": "must match {pattern}",
    "too_short": "must have at least {min_length} element(s)",
    "too_long": "must have at most {max_length} elements",
}
"""The words of each constraint, by the type of pydantic's error."""

PATTERNS: Final[dict[str, str]] = {
    "^[0-9a-fA-F]{24}$": "must be an id of 24 hexadecimal digits, such as the output id of a resource",
    "^[0-9a-fA-F]{40}$": "must be 40 hexadecimal digits",
    "^([01][0-9]|2[0-3]):[0-5][0-9]$": "must be a time such as 07:30",
    "^[A-Za-z0-9+/]{43}=$": "must be a SHA-256 hash in Base64, 44 characters that end in =",
    "^[a-zA-Z0-9_]+$": "must be letters, digits and underscores only",
    "^[a-zA-Z0-9._-]+$": "must be letters, digits, dots, hyphens and underscores only",
}
"""The words of a failure in place of a pattern."""

MOST_VALUES = 5
"""A description lists at most this many values of an enum; the type lists all of them."""


@dataclass(frozen=True)
class Form(AfterValidator):
    """The form of a text: `func` raises ValueError for any other text.

    Attributes:
        words: The form in words, such as "must be a UUID".
    """

    words: str = ""


def describe(info: FieldInfo, words: str, rules: Iterable[str], unset: str | None, only: str | None) -> str:
    """Return the description of a property: the text written by hand, and sentences for the rest of its declaration.

    Args:
        info: Its type, constraints and default.
        words: The text written by hand.
        rules: The texts of the rules for it.
        unset: The sentence about the server's default.
        only: The sentence about its dialect.
    """
    sentences = [words, *_of_type(info), *_of_limits(info), *map(sentence, rules)]
    if info.default is not None and info.default is not PydanticUndefined:
        unset = f"Default: {_shown(info.default)}."
    return " ".join([*sentences, *filter(None, (unset, only))])


def prose(value: object) -> str:
    """Return a value as in a description; a text stays as it is."""
    return value if type(value) is str else _shown(value)


def sentence(rule: str) -> str:
    """Return words such as "must be a UUID" as a sentence."""
    return f"{rule[0].upper()}{rule[1:]}."


def _of_type(info: FieldInfo) -> Iterator[str]:
    for part, in_list in parts_of(info.annotation, info.metadata):
        if isinstance(part, Form):
            yield sentence(f"each {part.words}" if in_list else part.words)
        elif isinstance(part, type) and issubclass(part, Enum) and len(part) <= MOST_VALUES:
            values = ", ".join(
                _shown(value) + (f" ({value.meaning})" if isinstance(value, Choice) and value.meaning else "")
                for value in part
            )
            yield f"{'Each is one' if in_list else 'One'} of {values}."


def parts_of(
    annotation: object, metadata: Iterable[object] = (), in_list: bool = False
) -> Iterator[tuple[object, bool]]:
    """Yield the parts of a type, and whether each is about the elements of a list."""
    yield from ((part, in_list) for part in metadata)
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        yield from parts_of(arguments[0], arguments[1:], in_list)
    elif origin in (Union, UnionType):
        for argument in arguments:
            yield from parts_of(argument, in_list=in_list)
    elif origin is list:
        yield list, in_list
        yield from parts_of(arguments[0], in_list=True)
    else:
        yield annotation, in_list


def _of_limits(info: FieldInfo) -> Iterator[str]:
    limits = {
        name: limit
        for name in map(constraint_of, LIMITS)
        for each in info.metadata
        if (limit := getattr(each, name, None)) is not None
    }
    if not limits:
        return
    phrases = _phrases(limits, of_list=(list, False) in parts_of(info.annotation))
    for verb, group in groupby(phrases, lambda phrase: phrase[: phrase.index(" ", len("must "))]):
        *first, last = (each.removeprefix(f"{verb} ") for each in group)
        yield sentence(f"{verb} {', '.join(first)} and {last}" if first else f"{verb} {last}")


def limits_in_words(limits: Mapping[str, object], of_list: bool = False) -> str:
    """Return limits such as `{"ge": 0, "le": 23}` in words: "must be at least 0 and at most 23"."""
    first, *others = _phrases(limits, of_list)
    return " and ".join([first, *(each.removeprefix("must be ").removeprefix("must have ") for each in others)])


def _phrases(limits: Mapping[str, object], of_list: bool) -> Iterator[str]:
    """Yield the words of each limit; a length is that of a list or of a text."""
    for kind, phrase in LIMITS.items():
        name = constraint_of(kind)
        if name in limits and not (name.endswith("_length") and kind.startswith("string_") is of_list):
            limit = limits[name]
            words = phrase.format_map({name: f"`{limit}`" if name == "pattern" else whole_numbers(limit)})
            yield words.replace("(s)", "" if limit == 1 else "s")


@functools.cache
def constraint_of(kind: str) -> str:
    """Return the name of the constraint of an error: `ge` for `greater_than_equal`."""
    return LIMITS[kind].partition("{")[2].partition("}")[0]


def _shown(value: object) -> str:
    if isinstance(value, str):
        return f"`{value.value if isinstance(value, Enum) else value}`"
    return str(value).lower() if isinstance(value, bool) else str(whole_numbers(value))
