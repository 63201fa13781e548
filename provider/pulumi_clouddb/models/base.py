"""What every model is made of: one base class, one way to declare a property, and the field types of the interface."""

from __future__ import annotations

import functools
import ipaddress
import re
import uuid
from collections.abc import Callable
from datetime import datetime, timezone
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, Strict, TypeAdapter
from pydantic.alias_generators import to_camel

from .sendable import PLAIN_TEXT, fault_of, is_plain
from .values import show_path


class Model(BaseModel):
    """Base of all models: snake_case in Python, camelCase on the wire; the wire name is the one users see."""

    model_config = ConfigDict(alias_generator=to_camel, extra="forbid", hide_input_in_errors=True)


class Record(Model):
    """Base of what servers answer: open, since a server may add fields at any time."""

    model_config = ConfigDict(extra="allow", populate_by_name=True)


def prop(
    description: str,
    *,
    secret: bool = False,
    replaces: bool = False,
    option: bool = False,
    api: str | None = None,
    default: Any = None,
    required: bool = False,
    deprecated: str | None = None,
    copies: tuple[str, ...] = (),
    **constraints: Any,
) -> Any:
    """Declare a property once: its meaning, limits, default, secrecy and whether changing it replaces the object.

    Args:
        description: What it means, with unit, limit and default in words.
        secret: The value is encrypted in state and absent from logs and messages.
        replaces: The servers offer no way to change it on a living object.
        option: Steers this provider and is never sent.
        api: The field of the API it stands for, where the name differs.
        default: Filled in by check when the user leaves it out.
        required: Check refuses an object without it.
        deprecated: Why, and what to use; the property stays accepted with this warning.
        copies: Wire names of the inputs that an output repeats or is derived from: it is secret if one of them is.
        constraints: Limits that pydantic's `Field` knows (`ge`, `le`, `multiple_of`, `max_length` …).
    """
    marks: dict[str, Any] = {
        "secret": secret,
        "replaces": replaces,
        "option": option,
        "api": api,
        "copies": list(copies),
    }
    return Field(
        default=... if required else default,
        description=description,
        deprecated=deprecated,
        repr=not secret,
        json_schema_extra={"clouddb": {name: mark for name, mark in marks.items() if mark}},
        **constraints,
    )


def marks_of(model: type[BaseModel], attribute: str) -> dict[str, Any]:
    """Return the marks that `prop` left on one attribute of `model`."""
    extra = model.model_fields[attribute].json_schema_extra
    marks = extra.get("clouddb") if isinstance(extra, dict) else None
    return dict(marks) if isinstance(marks, dict) else {}


@functools.lru_cache(maxsize=256)
def names_marked(model: type[BaseModel], mark: str) -> tuple[str, ...]:
    """Return the wire names of the top-level properties of `model` that carry `mark`, in order of declaration."""
    return tuple(
        wire_name(model, attribute) for attribute in model.model_fields if marks_of(model, attribute).get(mark)
    )


def wire_name(model: type[BaseModel], attribute: str) -> str:
    """Return the name that `attribute` of `model` has on the wire."""
    return model.model_fields[attribute].alias or attribute


@functools.lru_cache(maxsize=256)
def wire_names(model: type[BaseModel]) -> tuple[str, ...]:
    """Return the wire names of all properties of `model`, in order of declaration."""
    return tuple(wire_name(model, attribute) for attribute in model.model_fields)


def _whole(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


class LimitError(ValueError):
    """A limit that a value of the right form breaks, in words for the user."""


def _rule(message: str, test: Callable[[str], object]) -> AfterValidator:
    """A string rule: `test` raises ValueError where the string breaks it, and the user reads `message`.

    Of a LimitError, the user reads its own words.
    """

    def validate(value: str) -> str:
        try:
            test(value)
        except LimitError:
            raise
        except ValueError:
            raise ValueError(message) from None
        return value

    return AfterValidator(validate)


def _not_blank(value: str) -> None:
    if not value.strip():
        raise ValueError


_datetime = TypeAdapter(datetime)


def parse_timestamp(value: str) -> datetime:
    """Return the moment that an ISO-8601 date-time string names.

    Raises:
        LimitError: It lies outside the years that a date-time in UTC can have.
        ValueError: The text is no such string.
    """
    if "T" not in value.upper() and " " not in value:
        raise ValueError(value)
    time = _datetime.validate_python(value)
    try:
        time.replace(tzinfo=time.tzinfo or timezone.utc).astimezone(timezone.utc)
    except OverflowError:
        raise LimitError("must be within the years 1 to 9999 in UTC") from None
    return time


@functools.lru_cache(maxsize=1024)
def parse_network(source: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
    """Return the addresses that the source of an access list names: an IP address or a range.

    Raises:
        ValueError: The text is neither.
    """
    return ipaddress.ip_network(source, strict=False)


def _optional_timestamp(value: str) -> None:
    if value:
        parse_timestamp(value)


def _matches(pattern: str) -> Callable[[str], None]:
    def test(value: str) -> None:
        if not re.fullmatch(pattern, value):
            raise ValueError(value)

    return test


def _plain_text(value: str) -> None:
    if not is_plain(value):
        raise ValueError


def _sendable(value: dict[str, Any]) -> dict[str, Any]:
    fault = fault_of(value)
    if fault is not None:
        path, rule = fault
        raise ValueError(f"{rule} (at {show_path(path)})" if path else rule)
    return value


Text = Annotated[str, Strict(), _rule(PLAIN_TEXT, _plain_text)]
ServiceName = Annotated[Text, _rule("must hold only letters, digits and spaces", _matches("[A-Za-z0-9 ]*"))]
Duration = Annotated[Text, _rule("must be a number with a unit such as 5m or 1h", _matches("[1-9][0-9]*[a-zA-Z]+"))]
FilledText = Annotated[Text, _rule("must not be empty", _not_blank)]
Whole = Annotated[int, Strict(), BeforeValidator(_whole)]
Number = Annotated[float, Strict(), Field(allow_inf_nan=False)]
JsonObject = Annotated[dict[str, Any], AfterValidator(_sendable)]
Flag = Annotated[bool, Strict()]
Uuid = Annotated[Text, _rule("must be a UUID", uuid.UUID), Field(json_schema_extra={"format": "uuid"})]
Timestamp = Annotated[Text, _rule("must be an ISO-8601 date-time such as 2027-01-31T00:00:00Z", parse_timestamp)]
OptionalTimestamp = Annotated[
    Text, _rule("must be an ISO-8601 date-time such as 2027-01-31T00:00:00Z, or empty", _optional_timestamp)
]
Address = Annotated[
    Text,
    _rule(
        "must be an IP address or a range in CIDR notation such as 203.0.113.0/24",
        parse_network,
    ),
]
