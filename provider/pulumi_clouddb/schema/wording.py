"""The words of limits: each is said once, for the description of a property and for the failure that breaks it."""

from __future__ import annotations

import re
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
"""What a constraint says, by the error that pydantic raises where it is broken."""

PATTERNS: Final[dict[str, str]] = {
    "^[0-9a-fA-F]{24}$": "must be an id of 24 hexadecimal digits, such as the output id of a resource",
    "^[0-9a-fA-F]{40}$": "must be 40 hexadecimal digits",
    "^([01][0-9]|2[0-3]):[0-5][0-9]$": "must be a time such as 07:30",
    "^[A-Za-z0-9+/]{43}=$": "must be a SHA-256 hash in Base64, 44 characters that end in =",
    "^[a-zA-Z0-9_]+$": "must be letters, digits and underscores only",
    "^[a-zA-Z0-9._-]+$": "must be letters, digits, dots, hyphens and underscores only",
}
"""What a failure says in place of a pattern."""

MOST_VALUES = 5
"""Values of an enum that a description lists; a longer list stands at the type alone."""


@dataclass(frozen=True)
class Form(AfterValidator):
    """The form of a text: `func` refuses every other text.

    Attributes:
        words: The form in words, such as "must be a UUID".
    """

    words: str = ""


def describe(info: FieldInfo, words: str, rules: Iterable[str], unset: str | None, only: str | None) -> str:
    """Return the whole description of a property: what was written by hand, then what follows from its declaration.

    Args:
        info: Its type, constraints and default.
        words: The part written by hand.
        rules: What the rules over several fields say of it.
        unset: The sentence on what holds where it is left out and check fills nothing in.
        only: The sentence on where it can be given.
    """
    sentences = [words, *_of_type(info), *_of_limits(info), *map(sentence, rules)]
    if info.default is not None and info.default is not PydanticUndefined:
        unset = f"Default: {_shown(info.default)}."
    return " ".join([*sentences, *filter(None, (unset, only))])


def prose(value: object) -> str:
    """Return a value as a description shows it; a text is prose already."""
    return value if type(value) is str else _shown(value)


def sentence(rule: str) -> str:
    """Return words such as "must be a UUID" as a sentence."""
    return f"{rule[0].upper()}{rule[1:]}."


def _of_type(info: FieldInfo) -> Iterator[str]:
    for part, in_list in _parts(info.annotation, info.metadata):
        if isinstance(part, Form):
            yield sentence(f"each {part.words}" if in_list else part.words)
        elif isinstance(part, type) and issubclass(part, Enum) and len(part) <= MOST_VALUES:
            values = ", ".join(
                _shown(value) + (f" ({value.meaning})" if isinstance(value, Choice) and value.meaning else "")
                for value in part
            )
            yield f"{'Each is one' if in_list else 'One'} of {values}."


def _parts(annotation: object, metadata: Iterable[object] = (), in_list: bool = False) -> Iterator[tuple[object, bool]]:
    """Yield what a type is made of, and whether it is about the elements of a list."""
    yield from ((part, in_list) for part in metadata)
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        yield from _parts(arguments[0], arguments[1:], in_list)
    elif origin in (Union, UnionType):
        for argument in arguments:
            yield from _parts(argument, in_list=in_list)
    elif origin is list:
        yield list, in_list
        yield from _parts(arguments[0], in_list=True)
    else:
        yield annotation, in_list


def _of_limits(info: FieldInfo) -> Iterator[str]:
    is_list = (list, False) in _parts(info.annotation)
    said = []
    for kind, phrase in LIMITS.items():
        constraint = constraint_of(kind)
        if constraint.endswith("_length") and kind.startswith("string_") is is_list:
            continue
        limits = (getattr(each, constraint, None) for each in info.metadata)
        said += [_phrase(phrase, constraint, limit) for limit in limits if limit is not None]
    for verb, phrases in groupby(said, lambda each: each[: each.index(" ", len("must "))]):
        *first, last = (each.removeprefix(f"{verb} ") for each in phrases)
        yield sentence(f"{verb} {', '.join(first)} and {last}" if first else f"{verb} {last}")


def limits_in_words(limits: Mapping[str, object], of_list: bool = False) -> str:
    """Return limits such as `{"ge": 0, "le": 23}` in words: "must be at least 0 and at most 23"."""
    said = [
        _phrase(phrase, name, limits[name])
        for kind, phrase in LIMITS.items()
        if (name := constraint_of(kind)) in limits
        and not (name.endswith("_length") and kind.startswith("string_") is of_list)
    ]
    first, *others = said
    return " and ".join([first, *(each.removeprefix("must be ").removeprefix("must have ") for each in others)])


def constraint_of(kind: str) -> str:
    """Return the name of the constraint that an error is about: `ge` for `greater_than_equal`."""
    return LIMITS[kind].partition("{")[2].partition("}")[0]


def _phrase(phrase: str, constraint: str, limit: object) -> str:
    words = phrase.format_map({constraint: f"`{limit}`" if constraint == "pattern" else whole_numbers(limit)})
    return re.sub(r"\(s\)", "" if limit == 1 else "s", words)


def _shown(value: object) -> str:
    if isinstance(value, str):
        return f"`{value.value if isinstance(value, Enum) else value}`"
    return str(value).lower() if isinstance(value, bool) else str(whole_numbers(value))
