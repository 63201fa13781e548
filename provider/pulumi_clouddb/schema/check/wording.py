"""The words of limits and forms, for the description of a property and for the failure of a value."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from pydantic import AfterValidator, ValidationInfo
from pydantic_core import ErrorDetails, PydanticCustomError

from pulumi_clouddb.schema.secrets.spellings import without_credentials
from pulumi_clouddb.schema.vocabulary import VocabularyName

ValueT = TypeVar("ValueT", str, int, float)

DOUBTED: Final = "doubted"
"""The type of the error about a value that a server may accept and hardly anybody means: check warns of it."""

REFUSED: Final = "A server that does not know it refuses it."
LATER: Final = "The server accepts it; its use fails later."
"""What servers do with a value of which check warns, where that is known and the reason does not say it."""

UNQUOTED: Final = "unquoted"
"""The type of a validator's error that must not quote the value, since it may contain a secret."""

OBJECT_ID: Final = "^[0-9a-fA-F]{24}$"
AN_ID: Final = "an id of 24 hexadecimal digits"
TAKE_ID: Final = "; take the output id of its resource, or what `clouddb find NAME` prints"
"""The id of an object of an observability server: its form, in words, and the advice about every id."""

PLACEHOLDER: Final = r"(?:\w+ )?(?:<[^<>]*>|\$?\{[^{}\"]*\}|\$\([^()]*\)|\[secret\])"
"""What stands for a value in documents, in shells, and in what Pulumi prints."""

UUID_FORM: Final = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"

VPC_ENDPOINT: Final = "vpce-(?:[0-9a-f]{8}|[0-9a-f]{17})"
"""The id of a VPC endpoint of AWS; the vendor's command line takes no other."""

A_FULL_HOUR: Final = "^([01][0-9]|2[0-3]):[0-5][0-9]$"

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
    OBJECT_ID: f"must be {AN_ID}",
    "^[0-9a-fA-F]{40}$": "must be 40 hexadecimal digits",
    A_FULL_HOUR: "must be a full hour as HH:MM, such as 07:00",
    "^[A-Za-z][A-Za-z0-9_]*$": "must be a letter, followed by letters, digits and underscores",
    "^[a-zA-Z][a-zA-Z0-9_]*$": "must be a letter, followed by letters, digits and underscores",
    "^[^@ ]+@[^@ ]+[.][A-Za-z]{2,}$": "must be an email address, without blanks",
    "^[A-Za-z0-9+/]{43}=$": "must be a SHA-256 hash in Base64, 44 characters that end in =",
    "^[a-zA-Z0-9_]+$": "must be letters, digits and underscores only",
    "^[a-zA-Z0-9._-]+$": "must be letters, digits, dots, hyphens and underscores only",
}
"""The words of a failure in place of a pattern."""


@dataclass(frozen=True)
class Form(AfterValidator):
    """The form of a text: `func` raises ValueError for any other text.

    Attributes:
        words: The form in words, such as "must be a UUID".
    """

    words: str = ""


def kind_of(error: ErrorDetails) -> str:
    """Return the type of the error; for a text of a custom type, pydantic reports a length as that of a list."""
    of_text = isinstance(error["input"], str) and error["type"] in ("too_long", "too_short")
    return f"string_{error['type']}" if of_text else error["type"]


@functools.cache
def constraint_of(kind: str) -> str:
    """Return the name of the constraint of an error: `ge` for `greater_than_equal`."""
    return LIMITS[kind].partition("{")[2].partition("}")[0]


def limits_in(metadata: Iterable[object]) -> dict[str, Any]:
    """Return the limits in the metadata of a field by the name of the constraint, such as `ge`."""
    names = [constraint_of(kind) for kind in LIMITS]
    limits = ((name, getattr(each, name, None)) for each in metadata for name in names)
    return {name: limit for name, limit in limits if limit is not None}


def doubted(
    words: str, usual: Callable[[ValueT], object], only: VocabularyName | None = None, advice: str = "", then: str = ""
) -> AfterValidator:
    """Return a validator of values: check warns of those that differ from their usual form.

    Args:
        words: The usual form, such as "should be a host name".
        usual: Returns a value in that form; an empty text if it cannot be known.
        only: The dialect with this form, if not both have it.
        advice: What to do if the usual form of a value cannot be known.
        then: What servers do with another value, such as `LATER`; empty if that is not known, or the words say it.
    """

    def validate(value: ValueT, info: ValidationInfo) -> ValueT:
        context = info.context or {}
        if DOUBTED in context and only in (None, context["vocabulary"]) and value != (meant := usual(value)):
            quotable = meant and (not isinstance(value, str) or without_credentials(value) == value)
            suggestion = f"; did you mean {meant}?" if quotable else advice
            raise PydanticCustomError(DOUBTED, "{words}", {"words": words, "suggestion": suggestion, "then": then})
        return value

    return AfterValidator(validate)


def matching(pattern: str) -> Callable[[str], str]:
    """Return a function that returns a text that matches a pattern as a whole, and an empty one for any other."""
    form = re.compile(pattern)
    return lambda value: value if form.fullmatch(value) else ""
