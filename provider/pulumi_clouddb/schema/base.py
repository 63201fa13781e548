"""The base class of models, `prop` to declare a property, and the field types."""

from __future__ import annotations

import functools
import ipaddress
import re
import threading
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    PrivateAttr,
    Strict,
    ValidationInfo,
)
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from .check.rules import Rule, wire_case
from .check.within import Suggested, Within
from .check.wording import TAKE_ID, Form, doubted
from .times import LimitError, Moment, parse_timestamp
from .values import UnsendableError, WireDict, WireValues, fault_of, number_of, plain_text, text_of, whole_number
from .vocabulary import VocabularyName

MetadataT = TypeVar("MetadataT")


class Model(BaseModel):
    """Base of all models: snake_case in Python, camelCase on the wire. Messages use wire names.

    Attributes:
        RULES: The rules over several of its fields.
        DIALECT: The only dialect with such objects, if not both have them.
        SERVER_SETS: The properties that only responses have, by wire name, and what to use instead, if there is
            something.
    """

    RULES: ClassVar[tuple[Rule[Any], ...]] = ()
    DIALECT: ClassVar[VocabularyName | None] = None
    SERVER_SETS: ClassVar[Mapping[str, str]] = MappingProxyType({})
    model_config = ConfigDict(alias_generator=wire_case, extra="forbid", hide_input_in_errors=True, defer_build=True)

    @classmethod
    def model_rebuild(cls, **options: Any) -> bool | None:
        """Build the validator, which most commands need of few models: when it is first used, by one thread.

        Pydantic before 2.14 breaks if two threads do so.
        """
        with _building:
            return super().model_rebuild(**options)


_building = threading.RLock()


class Record(Model):
    """Base of responses: open, since a server may add fields at any time."""

    model_config = ConfigDict(extra="allow", populate_by_name=True)

    _answer: WireValues = PrivateAttr(default_factory=dict)

    @property
    def answer(self) -> WireValues:
        """The response in the names of the interface, with unknown fields."""
        return self._answer

    def keep_answer(self, answer: WireValues) -> None:
        """Keep the response."""
        self._answer = answer

    def received(self) -> None:
        """Set the fields that depend on other fields; called for each thing in a response."""


class NoRecord(Record):
    """A record without fields."""


class TextKind(Enum):
    """What a text says, in the metadata of its type; one without a kind names something, such as a host or an id.

    Check warns of blanks and quotes around a name. In other texts these belong to it, or make no difference.
    """

    PROSE = "prose"
    DATA = "data"
    CODE = "code"  # a statement, or code in a language that another property tells
    SQL = "sql"  # a part of a statement
    SQL_TEMPLATE = "the template"
    ROW_TEMPLATE = "the row"

    @property
    def is_code(self) -> bool:
        """Whether servers replace placeholders in it."""
        return self not in (TextKind.PROSE, TextKind.DATA)


class Plain(str):
    """A text that is the default of a server, not a description of one."""


def identity(value: object) -> Any:
    """Return the value without null entries of objects: these are the same as absent ones."""
    if isinstance(value, dict):
        return {key: identity(item) for key, item in value.items() if item is not None}
    if isinstance(value, (list, tuple)):
        return [identity(item) for item in value]
    return value


@dataclass(frozen=True)
class Compare:
    """How a property is compared.

    Attributes:
        normalize: Returns an equal value for all spellings of the same value.
        evidence: Returns the part of a value that identifies an object, None if there is none; by default as
            `normalize`.
        open_objects: Whether servers add fields to the objects in it: these identify no object, and if an update keeps
            what it omits of such an object, the fields that the program leaves out are never a difference.
        digits: Whether a number means the same as its text, also within an object, so that check accepts both.
    """

    normalize: Callable[[object], object] = identity
    evidence: Callable[[object], object] | None = None
    open_objects: bool = False
    digits: bool = False

    def evidence_of(self, value: object) -> object:
        """Return the part of a value that identifies an object."""
        return (self.evidence or self.normalize)(value)


@dataclass(frozen=True)
class Answer:
    """How a property differs in responses and in state.

    Attributes:
        words: What it means in a response, if the words of the request do not fit.
        type: Its type in a response; None for the same type without limits.
        only: The dialect whose servers return it, if not all do.
        absent: What it means that a response lacks it, as a value: an absent output is unknown in each preview. None
            if that means nothing.
        apart: Whether an operation of its own returns it.
        output: What it means in state, if state has the response beside the input.
        instead: For a property that only servers set: what a program uses in its place, to follow "remove it".
    """

    words: str = ""
    type: Any = None
    only: VocabularyName | None = None
    absent: object = None
    apart: bool = False
    output: str = ""
    instead: str = ""


def prop(
    words: str,
    *,
    secret: bool = False,
    replaces: bool = False,
    provider_only: bool = False,
    api: str | None = None,
    unset: object = None,
    with_text: str | tuple[str, str] = "",
    required: bool = False,
    copies: tuple[str, ...] = (),
    groups: tuple[str, ...] = (),
    compare: Compare | None = None,
    only: VocabularyName | None = None,
    within: Within | Suggested | None = None,
    grows: bool = False,
    clears: object = ...,
    taken_out: str = "",
    answer: Answer | None = None,
    later: bool = False,
    **more: Any,
) -> Any:
    """Declare a property.

    Args:
        words: What it means, its unit, what the server does with it. The description adds the form of its type, the
            values of its enum, limits, rules and default.
        secret: Whether the value is encrypted in state and masked in logs and messages.
        replaces: Whether a change replaces the object: no request changes it in place.
        provider_only: Whether it is an option of this provider, which is never sent.
        api: The field of the API, if its name differs.
        unset: The server's default: a value, or text.
        with_text: Wire name of the text whose language it is. With that text, or with a second property if there are
            two names, a request always contains it, if necessary as `unset`.
        required: Whether check rejects an object without it.
        copies: Wire names of the inputs that an output repeats or is derived from: it is secret if one of them is.
        groups: The updates of the API that accept it; see `names_in`.
        compare: How it is compared, if not value by value.
        only: The dialect whose servers have it; check rejects it in the other.
        within: Limits of one dialect, or values that type checkers and editors suggest for a text, as they do those of
            a dialect.
        grows: Whether the vendor may change its limits: in the dialect `clickhouse`, check only warns of other numbers
            above zero.
        clears: The value that clears it in an update, if leaving it out does not.
        taken_out: What an update without it does, to follow "If removed,".
        answer: How it differs in responses and in state, if it does.
        later: Whether no create accepts it: an update sends it once the object exists.
        more: Arguments of pydantic's `Field`: limits (`ge`, `le`, `multiple_of`, `max_length` …), the `default` that
            check fills in, and `deprecated`, which says why, and what to use: the property remains valid, with this
            warning.
    """
    text, sent_with = (with_text, with_text) if isinstance(with_text, str) else with_text
    extras: WireDict = {
        "words": words,
        "taken_out": taken_out,
        "only": only,
        "unset": None if unset is None else [unset],
        "with_text": text,
        "sent_with": sent_with,
        "secret": secret,
        "replaces": replaces,
        "provider_only": provider_only,
        "api": api,
        "copies": list(copies),
        "groups": list(groups),
        "listed": getattr(getattr(within, "values", None), "__name__", None),
        "grows": grows,
        "clears": None if clears is ... else [clears],
        "later": later,
    }
    field: Any = Field(
        repr=not secret,
        json_schema_extra={"clouddb": {name: value for name, value in extras.items() if value}},
        **{"default": ... if required else None, **more},
    )
    in_dialect = BeforeValidator(functools.partial(_in_dialect, only)) if only else None
    field.metadata.extend(each for each in (compare, in_dialect, within, answer) if each is not None)
    return field


def _in_dialect(only: VocabularyName, value: object, info: ValidationInfo) -> object:
    vocabulary = (info.context or {}).get("vocabulary", only)
    if value is not None and vocabulary is not only:
        raise PydanticCustomError("other_dialect", "{setting}", {"setting": only.setting})
    return value


def extras_of(model: type[BaseModel], attribute: str) -> WireDict:
    """Return the extras of a property: the arguments of its `prop` that are not empty."""
    extra = model.model_fields[attribute].json_schema_extra
    extras = extra.get("clouddb") if isinstance(extra, dict) else None
    return dict(extras) if isinstance(extras, dict) else {}


def in_metadata(model: type[BaseModel], kind: type[MetadataT]) -> dict[str, MetadataT]:
    """Return by attribute the declarations of one kind, such as `Compare`, of the properties that have one."""
    return {
        attribute: each
        for attribute, info in model.model_fields.items()
        for each in info.metadata
        if isinstance(each, kind)
    }


def in_response(model: type[BaseModel], attribute: str) -> Answer:
    """Return how a property differs in responses and in state."""
    return _answers_of(model).get(attribute, _SAME)


_SAME = Answer()


@functools.lru_cache(maxsize=256)
def _answers_of(model: type[BaseModel]) -> Mapping[str, Answer]:
    return in_metadata(model, Answer)


@functools.lru_cache(maxsize=256)
def extras(model: type[BaseModel], name: str) -> WireValues:
    """Return the values of an extra by wire name, in order of declaration, without the properties that lack it."""
    values = {wire_name(model, attribute): extras_of(model, attribute).get(name) for attribute in model.model_fields}
    return {wire: value for wire, value in values.items() if value}


def names_with(model: type[BaseModel], name: str) -> tuple[str, ...]:
    """Return the wire names of the properties with an extra, in order of declaration."""
    return tuple(extras(model, name))


def names_in(model: type[BaseModel], group: str) -> tuple[str, ...]:
    """Return the wire names of the properties that one update of the API accepts, in order of declaration."""
    return tuple(name for name, groups in extras(model, "groups").items() if group in groups)


def wire_name(model: type[BaseModel], attribute: str) -> str:
    """Return the wire name of an attribute."""
    return model.model_fields[attribute].alias or attribute


@functools.lru_cache(maxsize=256)
def wire_names(model: type[BaseModel]) -> tuple[str, ...]:
    """Return the wire names of all properties, in order of declaration."""
    return tuple(wire_name(model, attribute) for attribute in model.model_fields)


def _form(words: str, test: Callable[[str], object], kind: type[Form] = Form) -> Form:
    """Return the form of the strings for which `test` raises no ValueError."""

    def validate(value: str) -> str:
        try:
            test(value)
        except LimitError:
            raise
        except ValueError:
            raise ValueError(words.replace("`", "")) from None
        return value

    return kind(validate, words)


@functools.lru_cache(maxsize=1024)
def parse_network(source: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
    """Return the network of an IP address or range in an access list.

    Raises:
        ValueError: The text is neither.
    """
    if "%" in source:  # the name of an interface, which may contain anything
        raise ValueError(source)
    return ipaddress.ip_network(source, strict=False)


def _address(value: str) -> None:
    parse_network(value)
    if not re.fullmatch(r"[^/]+(/\d+)?", value):  # ipaddress also accepts a mask such as 255.255.255.0
        raise ValueError(value)


def _from_first(value: str) -> str:
    """Return the two that a range may mean that does not begin with its first address: the address, or the range."""
    network, address = parse_network(value), value.partition("/")[0]
    return value if ipaddress.ip_address(address) == network.network_address else f"{address} or {network}"


def anywhere(value: str) -> str:
    """Return the range of all addresses for the address that begins it, which no client has."""
    return f"{value}/0" if "/" not in value and parse_network(value).network_address.is_unspecified else value


def _host(value: str) -> str:
    """Return the host in an address."""
    if re.fullmatch(r"[^/:@]*|[0-9A-Fa-f:.]+", value):
        return value
    authority = (value.partition("://")[2] or value).partition("/")[0]
    return authority.rpartition("@")[2].partition(":")[0]


def _region(value: str) -> str:
    """Return a region in the spelling of all clouds; that of a zone such as us-east-1a or us-east1-b."""
    return re.sub(r"\A([a-z]+(?:-[a-z]+)+-?\d+)-?[a-f]\Z", r"\1", re.sub("[_ ]", "-", value.strip().lower()))


def _date(value: str) -> None:
    datetime.strptime(value, "%Y-%m-%d")  # a date has no time zone
    if len(value) != len("2027-01-31"):
        raise ValueError(value)


def _matches(*patterns: str) -> Callable[[str], None]:
    def test(value: str) -> None:
        if not all(re.search(each, value) for each in patterns):
            raise ValueError(value)

    return test


class _Storable:
    """Validates a text like `plain_text`, but in pydantic-core: responses have many texts. A number is its text."""

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Reject NUL characters; with a pattern, pydantic also rejects lone surrogates."""
        return core_schema.str_schema(strict=False, coerce_numbers_to_str=True, pattern="^[^\\x00]*$")


def _sendable(value: WireDict) -> WireDict:
    fault = fault_of(value)
    if fault is not None:
        path, rule = fault
        raise UnsendableError(rule, path)
    return value


def _minutes(value: float) -> object:
    """Return minutes; more than 12 hours are probably seconds, unless they are a day."""
    if value <= 12 * 60 or value == 24 * 60:
        return value
    return "" if value % 60 else int(value // 60)


def _mailbox(value: str) -> str:
    """Return an email address alone; an empty text if the domain has no dot."""
    bare = re.sub(r"\.(con|cmo|vom|ocm|comm)\Z", ".com", value.removeprefix("mailto:").strip("<>,;.'\""))
    return bare if re.fullmatch(r"[^<>,;:()@]+@([\w-]+\.)+[\w-]{2,}", bare) else ""


A_HOST = doubted("should be a host name without protocol, port and path", _host)
IN_MINUTES = doubted("should be in minutes", _minutes)
A_UUID = "must be a UUID"
A_TIME = "must be an ISO-8601 date-time such as `2027-01-31T00:00:00Z`, in UTC unless it has an offset"

Text = Annotated[str, Strict(), AfterValidator(plain_text)]
AnsweredText = Annotated[str, _Storable()]
FilledText = Annotated[Text, _form("must not be empty", _matches(r"\S"))]
Prose = Annotated[Text, TextKind.PROSE]
FilledProse = Annotated[FilledText, TextKind.PROSE]
Data = Annotated[Text, TextKind.DATA]
FilledData = Annotated[FilledText, TextKind.DATA]
Code = Annotated[Text, TextKind.CODE]
FilledCode = Annotated[FilledText, TextKind.CODE]
SqlPart = Annotated[Text, TextKind.SQL]
FilledSqlPart = Annotated[FilledText, TextKind.SQL]
SqlTemplate = Annotated[Text, TextKind.SQL_TEMPLATE]
ServiceName = Annotated[Text, _form("must contain only letters, digits and spaces", _matches(r"\A[A-Za-z0-9 ]*\Z"))]
Duration = Annotated[
    Text, _form("must be a number with a unit such as `5m` or `1h`", _matches(r"\A[1-9][0-9]*[a-zA-Z]+\Z"))
]
StrongText = Annotated[
    Text, _form("must have a lowercase letter, an uppercase letter and a digit", _matches("[a-z]", "[A-Z]", "[0-9]"))
]
HostName = Annotated[
    Text,
    _form("must not be empty, and must not contain blanks", _matches(r"\A\S+\Z")),
    A_HOST,
]
FilledHostName = Annotated[FilledText, A_HOST]
Region = Annotated[FilledText, doubted("should be a region such as us-east-1", _region)]
Email = Annotated[
    Text,
    _form("must be an email address, without blanks", _matches(r"\A[^@\s]+@[^@\s]+\Z")),
    doubted("should be an email address alone, such as name@example.com", _mailbox),
]
Whole = Annotated[int, Strict(), BeforeValidator(whole_number)]
Number = Annotated[float, Strict(), Field(allow_inf_nan=False)]
Minutes = Annotated[Number, IN_MINUTES]
JsonObject = Annotated[WireDict, AfterValidator(_sendable)]
AnsweredWhole = Annotated[Whole, BeforeValidator(number_of)]
AnsweredNumber = Annotated[Number, BeforeValidator(number_of)]
AnsweredTexts = Annotated[WireDict, AfterValidator(text_of)]
Flag = Annotated[bool, Strict()]
Uuid = Annotated[
    Text,
    _form(A_UUID, uuid.UUID),
    doubted("should be the id of an object", lambda value: value if {*value} - {*"0-"} else "", advice=TAKE_ID),
    Field(json_schema_extra={"format": "uuid"}),
]
Timestamp = Annotated[Text, _form(A_TIME, parse_timestamp, Moment)]
Date = Annotated[Text, _form("must be a date such as `2027-01-31`", _date)]
OptionalTimestamp = Annotated[
    Text,
    _form(f"{A_TIME}, or empty", lambda text: text and parse_timestamp(text), Moment),
]
Address = Annotated[
    Text,
    _form("must be an IP address or a range in CIDR notation such as `203.0.113.0/24`", _address),
    doubted("should be a single address, or begin with the first address of its range", _from_first),
    doubted("should be an address that a client can have, or a range", anywhere),
]
