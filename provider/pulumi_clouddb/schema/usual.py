"""Types of values of which check warns in an unusual form, such as a number in another unit: servers may accept it."""

from __future__ import annotations

import base64
import ipaddress
import re
from contextlib import suppress
from datetime import datetime, timezone
from typing import Annotated, Final

from pydantic import AfterValidator

from .base import IN_MINUTES, Data, FilledData, FilledText, OptionalTimestamp, Region, Text, Timestamp, Whole
from .check.wording import UUID_FORM, VPC_ENDPOINT, doubted, matching
from .times import parse_timestamp
from .vocabulary import CLICKHOUSE

WholeMinutes = Annotated[Whole, IN_MINUTES]


def _time(value: str) -> str:
    """Return a date-time, also for the seconds or milliseconds since 1970."""
    if re.fullmatch(r"1\d{9}(\d{3})?", value):
        return datetime.fromtimestamp(int(value[:10]), timezone.utc).strftime("%Y-%m-%dT%H:%M")
    try:
        parse_timestamp(value)
    except ValueError:
        return ""
    return value


StartTime = Annotated[Text, doubted("should be a date-time such as 2027-01-31T08:00", _time)]


def _past(value: str) -> str:
    return value if parse_timestamp(value) <= datetime.now(timezone.utc) else ""


PastTime = Annotated[Timestamp, doubted("should be in the past", _past)]

_FIXED = doubted(
    "should be a fixed text rather than the time of each run",
    matching(r"(?s)(?!.*\d:\d\d\.\d{6}(?!\d)|\d{10}\.\d+\Z).*"),
)


Expiry = Annotated[OptionalTimestamp, _FIXED]

Rotation = Annotated[
    Text,
    _FIXED,
    doubted(
        "should be another text for each rotation, and is no schedule",
        matching(
            r"(?i)(?!.*\b(every|daily|weekly|monthly|quarterly|yearly)\b|\d+ ?(h|d|w|hours?|days?|weeks?|months?)\Z).*"
        ),
    ),
]
"""A text whose change rotates; of a period, nothing would ever follow."""


def _endpoint(value: str) -> str:
    """Return the id alone in the ARN of an endpoint; nothing for the name of a service, or the path of a rule."""
    other = re.match(r"com\.amazonaws\.|vpce-svc-|projects/|https://www\.googleapis\.com/", value)
    alone = value.rpartition(":vpc-endpoint/")[2]
    trimmed = alone.strip()
    several = re.search(r"[\s,;]", trimmed) and "<" not in trimmed
    unlike = several or (trimmed.startswith("vpce-") and not re.fullmatch(VPC_ENDPOINT, trimmed))
    return "" if other or unlike else alone


EndpointId = Annotated[
    FilledText,
    doubted("should be the id of an endpoint, such as vpce-0a1b2c3d4e5f6a7b8, and not that of its service", _endpoint),
]
EndpointServiceName = Annotated[
    FilledText,
    doubted(
        "should be the name of an endpoint service, com.amazonaws.vpce.REGION.vpce-svc-…, and not an endpoint",
        matching(r"(?!vpce-|arn:).*"),
    ),
]


def _origin(value: str) -> str:
    found = re.match(r"(?:([a-z][a-z0-9+.-]*)://)?([^/?#\s]+)", value)
    return "" if "*" in value else f"{found[1] or 'https'}://{found[2]}" if found else value


_EACH_ORIGIN = "; name each website that may call it"
Origin = Annotated[
    Text, doubted("should be an origin such as https://shop.example.com, without a path", _origin, advice=_EACH_ORIGIN)
]


def _with_commas(value: str) -> str:
    return ",".join(re.split(r"[\s,;]+", value.strip())) if re.search(r";|[^,\s]\s+[^,\s]", value) else value


_COMMAS = doubted("should have commas between its elements", _with_commas)
Listed = Annotated[Text, _COMMAS]
FilledListed = Annotated[FilledText, _COMMAS]
"""A text with several elements, separated by commas."""


def _domains(value: str) -> str:
    return "" if "*" in value else re.sub(r"(?<=[^/:\s,])/[^,\s]*", "", value)


Domains = Annotated[
    Listed, doubted("should be domains such as shop.example.com, without paths", _domains, advice=_EACH_ORIGIN)
]

KeyId = Annotated[
    FilledText,
    doubted(
        "should be the id of an API key, the output id of an ApiKey rather than its accessKeyId",
        matching(UUID_FORM),
        CLICKHOUSE,
    ),
]


def _brokers(value: str) -> str:
    addresses = re.sub(r"[\w+]+://", "", value)
    return addresses if re.fullmatch(r"[^,]+:\d+\s*(,[^,]+:\d+\s*)*", addresses) else ""


Brokers = Annotated[
    FilledText,
    doubted("should be hosts with their ports, separated by commas, such as b1.example.com:9092", _brokers),
]
Topics = Annotated[
    FilledListed,
    doubted("should be names of topics, without wildcards, separated by commas", matching(r"[\w.,\s-]+")),
]


def arn_of(kind: str, form: str) -> AfterValidator:
    """Return the doubt about a text that is not the ARN of one kind of object."""
    return doubted(f"should be the ARN of {kind}", matching(rf"(arn:[\w-]+:{form})?"))


def _role(value: str) -> str:
    """Return the ARN of a role, also for its session."""
    role = re.sub(r"\Aarn:([\w-]+):sts::(\d+):assumed-role/([^/]+)(/.*)?\Z", r"arn:\1:iam::\2:role/\3", value)
    return role if re.fullmatch(r"(arn:[\w-]+:iam::\d*:role/.+)?", role) else ""


_ROLE = doubted("should be the ARN of a role, such as arn:aws:iam::123456789012:role/NAME", _role)
RoleArn = Annotated[Text, _ROLE]
FilledRoleArn = Annotated[FilledText, _ROLE]


def _last_part(value: str) -> str:
    return re.split("[:/]", value)[-1]


NameAlone = Annotated[FilledText, doubted("should be a name without the ARN or the address before it", _last_part)]


AwsRegion = Annotated[Region, doubted("should be a region of AWS, such as us-east-1", matching(r"[a-z]+(-[a-z]+)+-\d"))]


_CERTIFICATES = doubted(
    "should be the whole text of certificates in PEM, with its lines",
    matching(r"(?s)|[^{<]*-----BEGIN (TRUSTED )?CERTIFICATE-----\s.*-----END (TRUSTED )?CERTIFICATE-----[^}>]*"),
)
Certificates = Annotated[Data, _CERTIFICATES]
FilledCertificates = Annotated[FilledData, _CERTIFICATES]
_KEY_IN_PEM = matching(r"(?s).*-----BEGIN (?!ENC)[A-Z ]*PRIVATE KEY-----\s(?!Proc-Type).*")
PrivateKey = Annotated[FilledData, doubted("should be the whole text of an unencrypted key in PEM", _KEY_IN_PEM)]
_NO_SESSION = matching(r"(?!ASIA|arn:|[A-Za-z0-9/+]{40}\Z).*")
AccessKeyId = Annotated[
    FilledText, doubted("should be the id, and not the secret, of a key without session token", _NO_SESSION)
]


def _key_file(value: str) -> str:
    """Return the base64 of a file; none for the file itself, its path, and the file of a person's login."""
    with suppress(ValueError):
        if b"authorized_user" in base64.b64decode(value):
            return ""
    return value if not re.match(r"(?s)\s*\{|.*\.json\Z", value) else ""


ServiceAccountKey = Annotated[
    FilledText,
    doubted("should be the base64 of a service account's key file", _key_file),
]

_NAMES_OF_TYPES: Final = (
    "String FixedString UUID Array Tuple Map Nullable LowCardinality Nested Variant Dynamic BFloat16 Float32 Float64 "
    "Int16 Int32 Int64 Int128 Int256 UInt8 UInt16 UInt32 UInt64 UInt128 UInt256 IPv4 IPv6 AggregateFunction "
    "SimpleAggregateFunction Point Ring LineString MultiLineString Polygon MultiPolygon Nothing QBit"
)
"""The names of types whose case is significant, without Int8: by `int8`, people mean that of Postgres, too."""
_TYPES: Final = {each.lower(): each for each in _NAMES_OF_TYPES.split()}
_NAME_OF_TYPE: Final = re.compile(r"(?<![\w`.])[^\W\d]\w*(?=\s*(?:[(),]|$))")


def _type(value: str) -> str:
    """Return a type in the case of its names; an empty text if its brackets do not match."""
    if re.search("['`]", value):
        return value
    return _NAME_OF_TYPE.sub(lambda word: _TYPES.get(word[0].lower(), word[0]), value) if _is_closed(value) else ""


def _is_closed(value: str) -> bool:
    return value.count("(") == value.count(")") and "[" not in value


ClickHouseType = Annotated[
    FilledText, doubted("should be a type of ClickHouse, whose case is significant", _type, CLICKHOUSE)
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
    doubted("should be a private network such as 10.0.0.0/16, or it hides addresses of the internet", _private),
]
