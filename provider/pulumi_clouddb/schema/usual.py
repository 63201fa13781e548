"""Types of values of which check warns in an unusual form, such as a number in another unit: servers may accept it."""

from __future__ import annotations

import ipaddress
import re
from datetime import datetime, timezone
from typing import Annotated, Final

from .base import IN_MINUTES, FilledText, OptionalTimestamp, Text, Timestamp, Whole
from .times import parse_timestamp
from .vocabulary import CLICKHOUSE
from .wording import UUID_FORM, doubted, matching


def _milliseconds(value: int) -> int:
    """Return milliseconds; fewer than 100, in which no process starts, are probably seconds."""
    return value * 1000 if value < 100 else value


def _seconds(value: int) -> int:
    """Return seconds; thousands that are no whole hours are probably milliseconds."""
    return value // 1000 if value >= 5000 and value % 1000 == 0 and value % 3600 else value


def _since_1970(value: int) -> int:
    """Return seconds since 1970; those of the year 5138 and later are probably milliseconds."""
    return value // 1000 if value >= 10**11 else value


def _mebibytes(value: int) -> int:
    """Return MiB; multiples of 1024 over 64 GiB are probably KiB, and fewer than 16, in which nothing runs, GiB."""
    if value < 16:
        return value * 1024
    return value // 1024 if value > 64 * 1024 and value % 1024 == 0 else value


WholeMinutes = Annotated[Whole, IN_MINUTES]
Milliseconds = Annotated[Whole, doubted("must be in milliseconds", _milliseconds)]
Seconds = Annotated[Whole, doubted("must be in seconds", _seconds)]
SecondsSince1970 = Annotated[Whole, doubted("must be in seconds", _since_1970)]
Mebibytes = Annotated[Whole, doubted("must be in MiB", _mebibytes)]


def _time(value: str) -> str:
    try:
        parse_timestamp(value)
    except ValueError:
        return ""
    return value


StartTime = Annotated[Text, doubted("must be a date-time such as 2027-01-31T08:00", _time)]


def _past(value: str) -> str:
    return value if parse_timestamp(value) <= datetime.now(timezone.utc) else ""


PastTime = Annotated[Timestamp, doubted("must be in the past", _past)]

_FIXED = doubted(
    "must be a fixed text rather than the time of each run",
    matching(r"(?s)(?!.*\d:\d\d\.\d{6}(?!\d)|\d{10}\.\d+\Z).*"),
)


def _in_a_lifetime(value: str) -> str:
    """Return a time within 50 years; the last one of a century stands for never."""
    year = parse_timestamp(value).year if value else 0
    return value if year % 100 == 99 or year <= datetime.now(timezone.utc).year + 50 else ""


Expiry = Annotated[
    OptionalTimestamp,
    _FIXED,
    doubted("must be within 50 years", _in_a_lifetime, advice="; leave it out for one that never expires"),
]

Rotation = Annotated[
    Text,
    _FIXED,
    doubted(
        "must be another text for each rotation, and is no schedule",
        matching(
            r"(?i)(?!.*\b(every|daily|weekly|monthly|quarterly|yearly)\b|\d+ ?(h|d|w|hours?|days?|weeks?|months?)\Z).*"
        ),
    ),
]
"""A text whose change rotates; of a period, nothing would ever follow."""


def _endpoint(value: str) -> str:
    """Return the id alone in the ARN of an endpoint; nothing for the name of a service, or the path of a rule."""
    other = re.match(r"com\.amazonaws\.|vpce-svc-|projects/|https://www\.googleapis\.com/", value)
    return "" if other else value.rpartition(":vpc-endpoint/")[2]


EndpointId = Annotated[
    FilledText,
    doubted("must be the id of an endpoint, such as vpce-0a1b2c3d4e5f6a7b8, and not that of its service", _endpoint),
]
EndpointServiceName = Annotated[
    FilledText,
    doubted(
        "must be the name of an endpoint service, com.amazonaws.vpce.REGION.vpce-svc-…, and not an endpoint",
        matching(r"(?!vpce-(?!svc-)).*"),
    ),
]


def _origin(value: str) -> str:
    found = re.match(r"(?:([a-z][a-z0-9+.-]*)://)?([^/?#\s]+)", value)
    return "" if "*" in value else f"{found[1] or 'https'}://{found[2]}" if found else value


_EACH_ORIGIN = "; name each website that may call it"
Origin = Annotated[
    Text, doubted("must be an origin such as https://shop.example.com, without a path", _origin, advice=_EACH_ORIGIN)
]


def _with_commas(value: str) -> str:
    return ",".join(re.split(r"[\s,;]+", value.strip())) if re.search(r";|[^,\s]\s+[^,\s]", value) else value


_COMMAS = doubted("must have commas between its elements", _with_commas)
Listed = Annotated[Text, _COMMAS]
FilledListed = Annotated[FilledText, _COMMAS]
"""A text with several elements, separated by commas."""


def _domains(value: str) -> str:
    return "" if "*" in value else re.sub(r"(?<=[^/:\s,])/[^,\s]*", "", value)


Domains = Annotated[
    Listed, doubted("must be domains such as shop.example.com, without paths", _domains, advice=_EACH_ORIGIN)
]

KeyId = Annotated[
    FilledText,
    doubted(
        "must be the id of an API key, the output id of an ApiKey rather than its accessKeyId",
        matching(UUID_FORM),
        CLICKHOUSE,
    ),
]


def _brokers(value: str) -> str:
    addresses = re.sub(r"[\w+]+://", "", value)
    return addresses if re.fullmatch(r"[^,]+:\d+\s*(,[^,]+:\d+\s*)*", addresses) else ""


Brokers = Annotated[
    FilledText,
    doubted("must be hosts with their ports, separated by commas, such as b1.example.com:9092", _brokers),
]


_CASED: Final = (
    "String FixedString UUID Array Tuple Map Nullable LowCardinality Nested Variant Dynamic BFloat16 Float32 Float64 "
    "Int8 Int16 Int32 Int64 Int128 Int256 UInt8 UInt16 UInt32 UInt64 UInt128 UInt256 IPv4 IPv6 "
    "AggregateFunction SimpleAggregateFunction"
)
_TYPES: Final = {each.lower(): each for each in _CASED.split()} | {"str": "String", "long": "Int64", "jsonb": "JSON"}
_INCOMPLETE: Final = ("array", "nullable", "map", "lowcardinality", "fixedstring", "number", "object", "list", "dict")
"""Types that need others in brackets, and those of other languages."""
_OF_PYTHON: Final = {"int": "Int64", "float": "Float64", "bytes": "String"}


def _type(value: str) -> str:
    """Return a type whose names are spelt as ClickHouse does; names of elements and texts in it stay."""
    if "'" in value or "[" in value:
        return value if "'" in value else ""  # list[int] of Python
    if value.lower() in _INCOMPLETE:
        return ""
    return re.sub(r"(?<![\w`.])\w+(?=\s*(?:[(),]|$))", lambda word: _TYPES.get(word[0].lower(), word[0]), value)


ClickHouseType = Annotated[
    FilledText, doubted("must be a type of ClickHouse, whose case is significant", _type, CLICKHOUSE)
]

ArgumentType = Annotated[
    ClickHouseType,
    doubted("must be a type of ClickHouse, not of Python", lambda value: _OF_PYTHON.get(value, value), CLICKHOUSE),
]

_SHARED: Final = ipaddress.IPv4Network("100.64.0.0/10")
"""Addresses that belong to nobody, as private ones do (RFC 6598)."""


def _private(value: str) -> str:
    try:
        network = ipaddress.ip_network(value)
    except ValueError:
        return value
    shared = isinstance(network, ipaddress.IPv4Network) and network.subnet_of(_SHARED)
    return value if network.is_private or shared else ""


PrivateNetwork = Annotated[
    FilledText,
    doubted("must be a private network such as 10.0.0.0/16, or it hides addresses of the internet", _private),
]
