"""What every model is made of: one base class, one way to declare a property, and the field types of the interface."""

from __future__ import annotations

import functools
import ipaddress
import re
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timezone
from enum import Enum
from typing import Annotated, Any, ClassVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    PrivateAttr,
    Strict,
    TypeAdapter,
    ValidationInfo,
)
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from .rules import Rule, in_dialects, wire_case
from .values import UnsendableError, WireDict, WireValues, fault_of, plain_text, whole_number
from .vocabulary import VocabularyName
from .within import Within
from .wording import Form, describe, prose


class Model(BaseModel):
    """Base of all models: snake_case in Python, camelCase on the wire; the wire name is the one users see.

    Attributes:
        RULES: The rules over several of its fields.
        DIALECT: The dialect that alone has such objects, if there is one.
    """

    RULES: ClassVar[tuple[Rule[Any], ...]] = ()
    DIALECT: ClassVar[VocabularyName | None] = None
    model_config = ConfigDict(alias_generator=wire_case, extra="forbid", hide_input_in_errors=True)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: type[BaseModel], handler: GetCoreSchemaHandler, /) -> CoreSchema:
        """Write the descriptions of the fields, then let pydantic build the schema, which copies them.

        Earlier their types are not known yet. A field may come from another model: its words are what `prop` was given.
        """
        for attribute, info in cls.model_fields.items():
            marks = marks_of(cls, attribute)
            if "words" in marks:
                said = [(rule.only, rule.text) for rule in cls.RULES if rule.path == info.alias and rule.text]
                said += [(each.only, each.text) for each in info.metadata if isinstance(each, Within)]
                rules = in_dialects((None if only is cls.DIALECT else only, text) for only, text in said)
                words = " ".join(filter(None, (marks["words"], marks.get("taken_out"))))
                info.description = describe(info, words, rules, marks.get("unset"), _only(marks))
        return handler(source)


class Record(Model):
    """Base of what servers answer: open, since a server may add fields at any time."""

    model_config = ConfigDict(extra="allow", populate_by_name=True)

    _answer: WireValues = PrivateAttr(default_factory=dict)

    @property
    def answer(self) -> WireValues:
        """The record as the server wrote it, in the interface's words, with fields that no model knows."""
        return self._answer

    def keep_answer(self, answer: WireValues) -> None:
        """Keep the record as the server wrote it."""
        self._answer = answer

    def received(self) -> None:
        """Set the fields that follow from others of an answer; called for each thing that was read."""


class NoRecord(Record):
    """Nothing: where state keeps nothing of the server's record as it is, or this provider adds nothing to it."""


@dataclass(frozen=True)
class Compare:
    """How a property is compared; it stands in the metadata of its field.

    Attributes:
        normalize: Returns a value that is equal for all spellings of the same.
        evidence: Returns what of a value tells an object from others, None if nothing does.
        open: Whether a server adds to the objects in it by itself: what a program leaves out of them is the server's.
    """

    normalize: Callable[[object], object]
    evidence: Callable[[object], object]
    open: bool = False


@dataclass(frozen=True)
class Answered:
    """How a field is answered, where it is not as it is asked for; it stands in the metadata of the field.

    Attributes:
        type: Its type in an answer, None for the same without limits.
        only: The dialect whose servers answer it, if others take it, too.
    """

    type: Any = None
    only: VocabularyName | None = None


def prop(
    words: str,
    *,
    secret: bool = False,
    replaces: bool = False,
    provider_only: bool = False,
    api: str | None = None,
    default: object = None,
    unset: object = None,
    required: bool = False,
    deprecated: str | None = None,
    copies: tuple[str, ...] = (),
    groups: tuple[str, ...] = (),
    compare: Callable[[object], object] | None = None,
    evidence: Callable[[object], object] | None = None,
    open_objects: bool = False,
    only: VocabularyName | None = None,
    within: Within | None = None,
    listed: type[Enum] | None = None,
    clears: object = ...,
    taken_out: str = "",
    answer: str = "",
    answer_type: Any = None,
    answer_only: VocabularyName | None = None,
    output: str = "",
    later: bool = False,
    apart: bool = False,
    **constraints: Any,
) -> Any:
    """Declare a property once: its meaning, limits, default, secrecy and whether changing it replaces the object.

    Args:
        words: What it means, its unit, what the server does with it. The description adds what follows from the
            declaration: the form of its type, the values of its enum, limits, rules and default.
        secret: The value is encrypted in state and absent from logs and messages.
        replaces: The servers offer no way to change it on a living object.
        provider_only: Steers this provider and is never sent.
        api: The field of the API it stands for, where the name differs.
        default: Filled in by check when the user leaves it out.
        unset: What holds when it is left out and check fills nothing in; a text is prose.
        required: Check refuses an object without it.
        deprecated: Why, and what to use; the property stays accepted with this warning.
        copies: Wire names of the inputs that an output repeats or is derived from: it is secret if one of them is.
        groups: The updates of the API that take it; see `names_in`.
        compare: Returns a value that is equal for all spellings of the same; by default each value means itself.
        evidence: Returns what of a value tells an object from others, None if nothing does; by default as `compare`.
        open_objects: A server adds to the objects in it by itself: what a program leaves out of them is no difference.
        only: The dialect whose servers have it; check refuses it in the other.
        within: Limits that the servers of one dialect have, and the interface has not.
        listed: The values that type checkers and editors know of a text whose values are no enum of the interface; by
            default those of `within`.
        clears: What an update sends to clear it, where servers keep a property that a request leaves out.
        taken_out: What an update does that no longer has it, in words that go on from "Taken out again,".
        answer: What it means in an answer, where the words for programs do not fit.
        answer_type: Its type in an answer, where that is another one than the same without limits.
        answer_only: The dialect whose servers alone answer it, where the others take it, too.
        output: What it means in state, where that has what was answered beside what a program says.
        later: No create takes it: an update sends it once the object is there.
        apart: It is answered by an operation of its own, not with the object.
        constraints: Limits that pydantic's `Field` knows (`ge`, `le`, `multiple_of`, `max_length` …).
    """
    marks: WireDict = {
        "words": words,
        "taken_out": f"Taken out again, {taken_out}." if taken_out else "",
        "only": only,
        "server_default": [] if unset is None or provider_only or type(unset) is str else [_plain(unset)],
        "unset": _in_words(unset, provider_only),
        "secret": secret,
        "replaces": replaces,
        "provider_only": provider_only,
        "api": api,
        "copies": list(copies),
        "groups": list(groups),
        "listed": getattr(listed or (within and within.values), "__name__", None),
        "clears": None if clears is ... else [clears],
        "answer": answer,
        "output": output,
        "later": later,
        "apart": apart,
    }
    field: Any = Field(
        default=... if required else default,
        deprecated=deprecated,
        repr=not secret,
        json_schema_extra={"clouddb": {name: mark for name, mark in marks.items() if mark}},
        **constraints,
    )
    field.metadata += [*_how_compared(compare, evidence, open_objects), *_where_known(only, within)]
    if answer_type is not None or answer_only:
        field.metadata.append(Answered(answer_type, answer_only))
    return field


def _how_compared(
    compare: Callable[[object], object] | None, evidence: Callable[[object], object] | None, open_objects: bool
) -> Iterator[Compare]:
    if compare or evidence or open_objects:
        normalize = compare or identity
        yield Compare(normalize, evidence or normalize, open_objects)


def _where_known(only: VocabularyName | None, within: Within | None) -> Iterator[object]:
    if only:
        yield BeforeValidator(functools.partial(_in_dialect, only))
    if within:
        yield within


def _only(marks: WireDict) -> str:
    return f"Only with `{marks['only'].setting}`." if "only" in marks else ""


def _in_words(unset: object, provider_only: bool) -> str:
    """Return what holds where a property is left out, for its description."""
    return "" if unset is None else f"{'Default' if provider_only else 'Server default'}: {prose(unset)}."


def _plain(value: object) -> object:
    return value.value if isinstance(value, Enum) else value


def _in_dialect(only: VocabularyName, value: object, info: ValidationInfo) -> object:
    vocabulary = (info.context or {}).get("vocabulary", only)
    if value is not None and vocabulary is not only:
        raise PydanticCustomError("other_dialect", "{setting}", {"setting": only.setting})
    return value


def identity(value: object) -> Any:
    """Return the value; absent entries of objects and null ones are the same."""
    if isinstance(value, dict):
        return {key: identity(item) for key, item in value.items() if item is not None}
    if isinstance(value, (list, tuple)):
        return [identity(item) for item in value]
    return value


def marks_of(model: type[BaseModel], attribute: str) -> WireDict:
    """Return the marks that `prop` left on one attribute of `model`."""
    extra = model.model_fields[attribute].json_schema_extra
    marks = extra.get("clouddb") if isinstance(extra, dict) else None
    return dict(marks) if isinstance(marks, dict) else {}


@functools.lru_cache(maxsize=256)
def marked(model: type[BaseModel], mark: str) -> WireValues:
    """Return what the top-level properties of `model` that carry `mark` have of it, in order of declaration."""
    marks = {wire_name(model, attribute): marks_of(model, attribute).get(mark) for attribute in model.model_fields}
    return {name: value for name, value in marks.items() if value}


def names_marked(model: type[BaseModel], mark: str) -> tuple[str, ...]:
    """Return the wire names of the top-level properties of `model` that carry `mark`, in order of declaration."""
    return tuple(marked(model, mark))


def names_in(model: type[BaseModel], group: str) -> tuple[str, ...]:
    """Return the wire names of the properties of `model` that one update of the API takes, in order of declaration."""
    return tuple(name for name, groups in marked(model, "groups").items() if group in groups)


def wire_name(model: type[BaseModel], attribute: str) -> str:
    """Return the name that `attribute` of `model` has on the wire."""
    return model.model_fields[attribute].alias or attribute


@functools.lru_cache(maxsize=256)
def wire_names(model: type[BaseModel]) -> tuple[str, ...]:
    """Return the wire names of all properties of `model`, in order of declaration."""
    return tuple(wire_name(model, attribute) for attribute in model.model_fields)


class LimitError(ValueError):
    """A limit that a value of the right form breaks, in words for the user."""


def _form(words: str, test: Callable[[str], object]) -> Form:
    """Return the form of the strings that pass `test`, which raises ValueError; a LimitError has words of its own."""

    def validate(value: str) -> str:
        try:
            test(value)
        except LimitError:
            raise
        except ValueError:
            raise ValueError(words.replace("`", "")) from None
        return value

    return Form(validate, words)


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


def _date(value: str) -> None:
    datetime.strptime(value, "%Y-%m-%d")  # a day has no zone
    if len(value) != len("2027-01-31"):
        raise ValueError(value)


def _optional_timestamp(value: str) -> None:
    if value:
        parse_timestamp(value)


def _matches(pattern: str) -> Callable[[str], None]:
    def test(value: str) -> None:
        if not re.fullmatch(pattern, value):
            raise ValueError(value)

    return test


def _has(*patterns: str) -> Callable[[str], None]:
    def test(value: str) -> None:
        if not all(re.search(each, value) for each in patterns):
            raise ValueError

    return test


class _Storable:
    """Validates a text as `plain_text` does, without a call for each: answers have many."""

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Refuse NUL characters; where there is a pattern, pydantic refuses lone surrogates, too."""
        return core_schema.str_schema(strict=True, pattern="^[^\\x00]*$")


def _sendable(value: WireDict) -> WireDict:
    fault = fault_of(value)
    if fault is not None:
        path, rule = fault
        raise UnsendableError(rule, path)
    return value


Text = Annotated[str, Strict(), AfterValidator(plain_text)]
AnsweredText = Annotated[str, _Storable()]
ServiceName = Annotated[Text, _form("must hold only letters, digits and spaces", _matches("[A-Za-z0-9 ]*"))]
Duration = Annotated[Text, _form("must be a number with a unit such as `5m` or `1h`", _matches("[1-9][0-9]*[a-zA-Z]+"))]
StrongText = Annotated[
    Text, _form("must have a lowercase letter, an uppercase letter and a digit", _has("[a-z]", "[A-Z]", "[0-9]"))
]
FilledText = Annotated[Text, _form("must not be empty", _not_blank)]
Whole = Annotated[int, Strict(), BeforeValidator(whole_number)]
Number = Annotated[float, Strict(), Field(allow_inf_nan=False)]
JsonObject = Annotated[WireDict, AfterValidator(_sendable)]
Flag = Annotated[bool, Strict()]
Uuid = Annotated[Text, _form("must be a UUID", uuid.UUID), Field(json_schema_extra={"format": "uuid"})]
Timestamp = Annotated[Text, _form("must be an ISO-8601 date-time such as `2027-01-31T00:00:00Z`", parse_timestamp)]
Date = Annotated[Text, _form("must be a date such as `2027-01-31`", _date)]
OptionalTimestamp = Annotated[
    Text, _form("must be an ISO-8601 date-time such as `2027-01-31T00:00:00Z`, or empty", _optional_timestamp)
]
Address = Annotated[
    Text, _form("must be an IP address or a range in CIDR notation such as `203.0.113.0/24`", parse_network)
]
