"""Errors about bodies in the wording of zod 3 (`ZodErrorMap`), with which the vendor's observability servers validate.

The limits come from the package's models. Tested by tests/tools/sandbox/test_sandbox_dashboards.py.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from enum import Enum
from typing import Any, cast

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from pulumi_clouddb.schema.annotations import class_in, shape_of
from pulumi_clouddb.schema.base import Model
from pulumi_clouddb.schema.check.findings import broken_within
from pulumi_clouddb.schema.check.rules import RuleContext
from pulumi_clouddb.schema.check.within import typed_in
from pulumi_clouddb.schema.check.wording import OBJECT_ID
from pulumi_clouddb.schema.convert import fields_of
from pulumi_clouddb.schema.javascript import in_units, trim
from pulumi_clouddb.schema.values import Path, WireDict, whole_numbers
from pulumi_clouddb.schema.vocabulary import VocabularyName

from .bodies import known_of
from .ids import is_object_id
from .responses import bad_request
from .store import Document

CONTEXT = RuleContext(vocabulary=VocabularyName.CLICKHOUSE)

_REQUIRED = "Required"
_LIMITS = {
    "greater_than_equal": "Number must be greater than or equal to {ge}",
    "less_than_equal": "Number must be less than or equal to {le}",
    "string_too_short": "String must contain at least {min_length} character(s)",
    "string_too_long": "String must contain at most {max_length} character(s)",
    "too_short": "Array must contain at least {min_length} element(s)",
    "too_long": "Array must contain at most {max_length} element(s)",
}
_TYPES = {
    "string_type": "string",
    "int_type": "number",
    "float_type": "number",
    "bool_type": "boolean",
    "list_type": "array",
    "dict_type": "object",
    "model_type": "object",
}
_DISCRIMINATORS = (("config", "displayType"), ("series", "type"), ("onClick", "type"), ("target", "mode"))
"""Parents and names of the properties by which zod selects the schema of an object."""


def body_errors(model: type[Model], body: WireDict, nullable: Collection[str]) -> list[str]:
    """Return the errors about a body; an empty list if the servers accept it.

    Args:
        model: The model of the body.
        body: The body without the properties that the servers drop.
        nullable: Top-level properties that may be null.
    """
    nulls = dict(_nulls(model, body, nullable))
    wrong = [each for each in _model_errors(model, body) if each["loc"] not in nulls]
    invalid = {*nulls, *(each["loc"] for each in wrong)}
    mistyped = {*nulls, *(each["loc"] for each in wrong if each["type"] in (*_TYPES, "missing"))}
    return [
        *(_line(path, f"Expected {kind}, received null") for path, kind in nulls.items()),
        *map(_in_words, wrong),
        *(_line(at, text) for at, text in _rule_errors(model, body, invalid, mistyped) if at not in nulls),
    ]


def _model_errors(model: type[Model], body: WireDict) -> list[ErrorDetails]:
    """Return the errors of a model, without those about values that the servers accept."""
    try:
        model.model_validate(_in_units(body), context={"vocabulary": VocabularyName.CLICKHOUSE})
    except ValidationError as error:
        return [each for each in error.errors(include_url=False) if not _is_an_id(each) and not _is_blank(each)]
    return []


def _rule_errors(
    model: type[Model], body: WireDict, invalid: set[Path], mistyped: set[Path]
) -> Iterator[tuple[Path, str]]:
    """Yield the broken rules as the servers refuse them; none about values that are invalid in themselves."""
    broken = [(path, rule.refusal) for path, rule, _ in broken_within(model, body, CONTEXT, invalid) if rule.refusal]
    mistyped = mistyped | {path for path, refusal in broken if refusal.text == _REQUIRED}
    for path, refusal in broken:
        if refusal.at == "" and any(each[: len(path)] == path for each in mistyped):
            continue  # zod skips the rules about an object if a property has the wrong type
        if not any(path[: len(each)] == each for each in invalid):
            yield ((*path, *refusal.at.split(".")) if refusal.at else path), refusal.text


def checked(model: type[Model], given: Any, nullable: Collection[str] = ()) -> Document:
    """Return the validated body without the properties that the servers drop.

    Raises:
        HTTPError: The body is invalid; the error lists all reasons.
    """
    kept: Document = known_of(model, object_of(given))
    refuse(body_errors(model, kept, nullable))
    cleaned: Document = whole_numbers(kept)
    return cleaned


def object_of(given: Any) -> Document:
    """Return a body as an object; an absent body is an empty object.

    Raises:
        HTTPError: It is not an object.
    """
    body: Any = {} if given is None else given
    if not isinstance(body, dict):
        refuse([f"Expected object, received {kind_of(body)}"])
    return cast(Document, body)


def trimmed(given: Any) -> Any:
    """Return a body whose name has no white space around it, as the servers read it."""
    if not isinstance(given, dict) or not isinstance(given.get("name"), str):
        return given
    return {**given, "name": trim(given["name"])}


def refuse(errors: Iterable[str]) -> None:
    """Refuse a body if there are errors.

    Raises:
        HTTPError: There are; the error lists all of them.
    """
    if text := "; ".join(errors):
        raise bad_request(f"Body validation failed: {text}")


def _is_an_id(error: ErrorDetails) -> bool:
    """Return whether the model refuses an id that the servers accept: any twelve bytes."""
    value, pattern = error["input"], error.get("ctx", {}).get("pattern")
    return error["type"] == "string_pattern_mismatch" and pattern == OBJECT_ID and is_object_id(value)


def _in_units(value: Any) -> Any:
    """Return a body whose texts are as long as in JavaScript, and without NUL, which only our models refuse."""
    if isinstance(value, str):
        return in_units(value).replace("\0", "\x01")
    if isinstance(value, dict):
        return {name: _in_units(item) for name, item in value.items()}
    return [_in_units(item) for item in value] if isinstance(value, list) else value


def _is_blank(error: ErrorDetails) -> bool:
    """Return whether the model refuses a text of white space only, which the servers accept."""
    value = error["input"]
    return error["type"] == "value_error" and isinstance(value, str) and value != "" and value.strip() == ""


def _line(path: Collection[str | int], words: str) -> str:
    return f"{'.'.join(map(str, path))}: {words}" if path else words


def _in_words(error: ErrorDetails) -> str:
    kind, path, value, limits = error["type"], error["loc"], error["input"], error.get("ctx", {})
    if isinstance(value, str) and kind in ("too_short", "too_long"):
        kind = f"string_{kind}"
    if kind == "missing":
        return _line(path, _REQUIRED)
    if kind == "extra_forbidden":
        return _line(path[:-1], f"Unrecognized key(s) in object: '{path[-1]}'")
    if kind in _LIMITS:
        return _line(path, _LIMITS[kind].format(**limits))
    if kind in _TYPES:
        return _line(path, f"Expected {_TYPES[kind]}, received {kind_of(value)}")
    if kind == "enum":
        return _line(path, _of_enum(path, limits.get("expected", ""), value))
    if kind == "string_pattern_mismatch":
        return _line(path, "Invalid ObjectId" if limits.get("pattern") == OBJECT_ID else "Invalid")
    if kind == "value_error" and value == "":
        return _line(path, _LIMITS["string_too_short"].format(min_length=1))
    return _line(path, "Invalid input")


def _of_enum(path: Path, expected: str, value: Any) -> str:
    allowed = expected.replace(" or ", " | ").replace(", ", " | ")
    named = [part for part in path if isinstance(part, str)][-2:]
    if tuple(named) in _DISCRIMINATORS:
        return f"Invalid discriminator value. Expected {allowed}"
    if isinstance(value, str):
        return f"Invalid enum value. Expected {allowed}, received '{value}'"
    return f"Expected {allowed}, received {kind_of(value)}"


def kind_of(value: Any) -> str:
    """Return the JavaScript type of a value."""
    kinds = {bool: "boolean", int: "number", float: "number", str: "string", list: "array", type(None): "null"}
    return kinds.get(type(value), "object")


def _nulls(
    model: type[BaseModel] | None, value: Any, nullable: Collection[str] = (), path: Path = ()
) -> Iterator[tuple[Path, str]]:
    """Yield the path of each null, with the expected type. Optional properties can be absent, but not null."""
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _nulls(model, item, (), (*path, index))
    elif model is not None and isinstance(value, Mapping):
        inner = {wire: (attribute, nested) for wire, attribute, nested in fields_of(model)}
        for name, item in value.items():
            attribute, nested = inner.get(name, ("", None))
            if attribute and item is None and name not in nullable:
                yield (*path, name), _expected(model.model_fields[attribute].annotation)
            elif attribute:
                nested = nested or typed_in(model.model_fields[attribute].annotation)
                yield from _nulls(nested, item, (), (*path, name))


def _expected(annotation: Any) -> str:
    """Return the JavaScript type of a property."""
    names = {str: "string", bool: "boolean", int: "number", float: "number", list: "array"}
    kind = shape_of(annotation).kind
    if enum := class_in(kind, Enum):
        return " | ".join(repr(each.value) for each in enum)
    return names.get(kind, "object")
