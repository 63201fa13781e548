"""The provider's configuration: stack configuration `clouddb:*`, else the environment, else the defaults."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Final, NamedTuple
from urllib.parse import unquote, urlsplit

from pydantic import BeforeValidator, ConfigDict, StrictStr, ValidationError, ValidationInfo, field_validator
from pydantic.alias_generators import to_snake
from pydantic_core import PydanticCustomError

from .base import Flag, Model, Number, Uuid, names_with, prop
from .check.wording import PLACEHOLDER, UNQUOTED, Form
from .names import nearest
from .organization import BASIC, UNPAID_REPLICA_GB, UNPAID_TOTAL_GB, OrganizationTier
from .values import WireDict, from_text
from .vocabulary import VENDOR_URL, VocabularyName


class RateLimit(NamedTuple):
    """The number of requests of one key or token in a window of time."""

    requests: int
    seconds: float


MANAGEMENT_LIMIT: Final = RateLimit(10, 10.0)
SELF_HOSTED_LIMIT: Final = RateLimit(100, 60.0)


NAMESPACE: Final = "clouddb"
"""The namespace of the settings in a stack's configuration."""

LOOPBACK = ("127.0.0.1", "localhost", "::1")

RETRY_SECONDS, LIMIT_RETRY_SECONDS = 120.0, 900.0
"""The default times for retries: after a failure, and after 429.

Dozens of stacks that share a key with 10 requests in 10 seconds wait for minutes.
"""

MANAGEMENT_PREFIX, SELF_HOSTED_PREFIX = "/v1", "/api/v2"
"""The prefixes of all paths of an API."""

_PRINTABLE = "must be printable ASCII without spaces"
_WEB_ADDRESS = "must be an http or https address such as `https://api.example.com`"


def is_loopback(host: str) -> bool:
    """Return whether a host is `localhost` or a loopback address."""
    try:
        return host in LOOPBACK or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _unquoted(reason: str) -> PydanticCustomError:
    """Return an error that does not quote the value, which may contain a secret."""
    return PydanticCustomError(UNQUOTED, "{reason}", {"reason": reason})


def _printable(value: str, wanted: str = _PRINTABLE) -> None:
    """Reject characters that a header or an address cannot contain; a final line break comes from a file or a pipe."""
    if value.endswith(("\n", "\r")):
        raise _unquoted(f"{wanted}, but ends in a line break")
    for words, pattern in _UNPRINTABLE.items():
        if re.search(pattern, value):
            raise _unquoted(f"{wanted}, but contains {words}")


_UNPRINTABLE = {
    "a line break": r"[\r\n]",
    "a space": " ",
    "a control character": r"[\x00-\x1f\x7f]",
    "a character beyond ASCII": r"[^\x00-\x7f]",
}


def _credential(value: str) -> str:
    if re.fullmatch(PLACEHOLDER, value):
        raise _unquoted("must be the value, and is a placeholder")
    _printable(value)
    return value


def _user_name(value: str) -> str:
    _credential(value)
    if ":" in value:
        raise _unquoted("must not contain a colon: HTTP Basic ends the user name there; is the secret in it, too?")
    return value


def _safe_url(value: str) -> str:
    _printable(value, "must be an address in printable ASCII without spaces")
    if not re.match(r"https?://[^/?#\\]", value, re.IGNORECASE):
        reason = _WEB_ADDRESS.replace("`", "")
        # Plain addresses and words are quoted; anything else may contain credentials.
        raise ValueError(reason) if re.fullmatch(r"[A-Za-z0-9.:/_-]*", value) else _unquoted(reason)
    if "@" in value:
        raise _unquoted(
            "must not contain credentials; they belong in clouddb:keyId, clouddb:keySecret, clouddb:stackToken"
        )
    if match := re.search(r"[^A-Za-z0-9.:/_~%\[\]-]", value):
        name = {"?": "a query", "#": "a fragment", "\\": "a backslash"}.get(
            match[0], "a character that no address needs"
        )
        raise _unquoted(f"must be scheme, host, port and path only, but contains {name}")
    try:
        url = urlsplit(value)
        host, port = url.hostname or "", url.port
    except ValueError:  # of the port, or of an IPv6 address
        raise _unquoted("must have a host name or an address, optionally with a port from 1 to 65535") from None
    if port == 0 or url.netloc.endswith(":"):
        raise _unquoted("must have a port from 1 to 65535, or none")
    if not _is_host(host):
        raise _unquoted("must have a host name or an IP address")
    if not re.fullmatch(r"(?:[^%]|%[0-9A-Fa-f]{2})*", url.path) or {".", ".."} & set(unquote(url.path).split("/")):
        raise _unquoted("must have a path without `.` and `..`, and with % in escapes only")
    if url.scheme == "http" and not is_loopback(host):
        raise ValueError("must be https: plain http would reveal the credentials, and is accepted for loopback only")
    return value.rstrip("/")


def _is_host(host: str) -> bool:
    if ":" in host:
        try:
            return bool(ipaddress.IPv6Address(host)) and "%" not in host
        except ValueError:
            return False
    labels = host.removesuffix(".").split(".")
    return len(host) <= 253 and all(re.fullmatch(r"[a-z0-9_-]{1,63}", label) for label in labels)


def texts_in(value: object) -> object:
    """Return the texts in a list, also in one as JSON or with commas."""
    parsed = from_text(value)
    return [each.strip() for each in parsed.split(",")] if isinstance(parsed, str) else parsed


Address = Annotated[StrictStr, Form(_safe_url, _WEB_ADDRESS)]
Credential = Annotated[StrictStr, Form(_credential, _PRINTABLE)]
UserName = Annotated[StrictStr, Form(_user_name, f"{_PRINTABLE} and colons")]
FlagText = Annotated[Flag, BeforeValidator(from_text)]
NumberText = Annotated[Number, BeforeValidator(from_text)]
OptionalNumberText = Annotated[Number | None, BeforeValidator(from_text)]
PlacesText = Annotated[list[StrictStr], BeforeValidator(texts_in)]
PathsText = Annotated[dict[str, str], BeforeValidator(from_text)]


class ProviderConfig(Model):
    """How to reach the servers, and how to treat them."""

    model_config = ConfigDict(frozen=True)

    base_url: Address | None = prop(
        f"Address of the management API, without `{MANAGEMENT_PREFIX}`. Plain http is accepted only for loopback.",
        unset=f"{VENDOR_URL}, the vendor's; none with vocabulary `neutral`",
        provider_only=True,
    )
    organization_id: Uuid | None = prop(
        "Id of the organization.",
        unset="that of the key; none with vocabulary `neutral`",
        provider_only=True,
    )
    key_id: UserName | None = prop("Key id: the user name of HTTP Basic for the management API.")
    key_secret: Credential | None = prop("Key secret: the password of HTTP Basic.", secret=True)
    stack_url: Address | None = prop(
        f"Address of a self-hosted observability server, without `{SELF_HOSTED_PREFIX}`; for dashboards and alerts "
        "without serviceId."
    )
    stack_token: Credential | None = prop("Access token of the self-hosted server, sent as Bearer token.", secret=True)
    vocabulary: VocabularyName = prop(
        "Dialect of the servers: the names in requests and responses.",
        unset="`clickhouse`, if `baseUrl` is not set or is the vendor's address; `neutral` with any other `baseUrl`",
        provider_only=True,
        validate_default=True,
    )
    organization_tier: OrganizationTier | None = prop(
        f"Tier of the organization; {BASIC} allows a service with a single replica. Unknown if not set."
    )
    paid: FlagText = prop(
        f"Whether the organization is a paying one; if not, the memory limits are {UNPAID_REPLICA_GB} GB per "
        "replica and "
        f"{UNPAID_TOTAL_GB} GB in all.",
        default=True,
    )
    request_timeout_seconds: NumberText = prop(
        "Seconds that one request may take from connecting to the last byte of the response.",
        default=30,
        ge=1,
        le=600,
    )
    retry_timeout_seconds: OptionalNumberText = prop(
        "Seconds for which a request is retried, whatever it failed with: too many requests, no connection, a lost "
        "response or a gateway's error.",
        unset=f"{LIMIT_RETRY_SECONDS:g} after too many requests, {RETRY_SECONDS:g} after anything else",
        provider_only=True,
        ge=0,
        le=3600,
    )
    poll_interval_seconds: NumberText = prop(
        "Approximate seconds between two polls of a wait. A service that is ready is noticed within one and a half of "
        "these intervals. An update uses a list that is at most this old.",
        default=5,
        ge=0.05,
        le=300,
    )
    pacing: FlagText = prop("Whether requests are delayed to stay within the servers' published limits.", default=True)
    validate_first: FlagText = prop(
        "Whether a check of new and changed webhooks lets the server validate them, where it offers that. "
        "`clouddb ci preview` sets it.",
        default=False,
    )
    preview_only: FlagText = prop(
        "Whether nothing may be created, changed or deleted. A preview then only warns about taken names, and "
        "`pulumi preview --import-file` writes its file.",
        default=False,
    )
    ignore_warnings: PlacesText | None = prop(
        "Places of which nothing is warned, as warnings name them: `Service.ipAccessList[].source`, with all that is "
        "within, or `Service` for all of a resource; as a list, or separated by commas."
    )
    paths: PathsText | None = prop(
        'Paths that differ on your server, by operation, as JSON: `{"list_services": "/v1/…"}`. Each begins with `/` '
        "and has the placeholders of the operation's own path; `{organizationId}` may be left out."
    )

    @property
    def retry_seconds(self) -> float:
        """The time for retries after a failure other than 429."""
        return RETRY_SECONDS if self.retry_timeout_seconds is None else float(self.retry_timeout_seconds)

    @property
    def limit_retry_seconds(self) -> float:
        """The time for retries after 429."""
        return LIMIT_RETRY_SECONDS if self.retry_timeout_seconds is None else float(self.retry_timeout_seconds)

    @field_validator("vocabulary", mode="before")
    @classmethod
    def _of_address(cls, value: object, info: ValidationInfo) -> object:
        """Return the vendor's dialect for the vendor's servers, if none is set; `base_url` is absent if invalid."""
        if value is not None:
            return value
        base_url = info.data.get("base_url")
        of_vendor = base_url is None or _host_of(base_url) == _host_of(VENDOR_URL)
        return VocabularyName.CLICKHOUSE if of_vendor else VocabularyName.NEUTRAL

    @field_validator("base_url", "stack_url")
    @classmethod
    def _without_prefix(cls, value: str | None, info: ValidationInfo) -> str | None:
        name, prefix = _ADDRESSES[info.field_name or ""]
        right = right_address(name, value) if value else None
        if value and _is_of_cloud(name, value):
            raise ValueError(f"must be the address of {_OF_CLOUD[name]}")
        if value and right:
            where = "end with" if value.endswith(prefix) else "continue with"
            raise ValueError(f"must not {where} {prefix}, which every request adds: set it to `{right}`")
        return value


_OF_CLOUD: Final = {
    "baseUrl": f"an API: set it to `{VENDOR_URL}`",
    "stackUrl": "a self-hosted server: remove it, and give the resources the serviceId of their service",
}
"""What to write in place of an address of the vendor's cloud that is none of its API, which serves both."""


def _is_of_cloud(name: str, value: str) -> bool:
    host = f".{_host_of(value)}"
    return host.endswith((".clickhouse.cloud", ".clickhouse.com")) and not (host[:5] == ".api." and name == "baseUrl")


CREDENTIALS: Final = frozenset(f"{NAMESPACE}:{name}" for name in names_with(ProviderConfig, "secret"))
"""The keys of the credentials in a stack's configuration."""

_ADDRESSES = {"base_url": ("baseUrl", MANAGEMENT_PREFIX), "stack_url": ("stackUrl", SELF_HOSTED_PREFIX)}
"""The addresses by attribute: the wire name, and the prefix that every request adds."""


def right_address(name: str, value: str) -> str | None:
    """Return the correct address for an invalid value of a setting, or None if it cannot be derived."""
    prefix = dict(_ADDRESSES.values()).get(name)
    if prefix is None:
        return None
    # The prefix, and the path of an operation if it was copied from a request.
    right = re.sub(rf"{prefix}(/organizations(/.*)?|/(dashboards|alerts|sources|team)(/.*)?)?/*$", "", value.strip())
    if re.match(r"http://", right, re.IGNORECASE) and not is_loopback(_host_of(right)):
        right = f"https{right[4:]}"
    try:
        right = _safe_url(right)
    except ValueError:
        return None
    return right if right != value.rstrip("/") else None


def right_value(name: str, value: str) -> str | None:
    """Return the correct text for an invalid value of a setting, or None if it cannot be derived.

    That is an address, a word in its own case, or the number of seconds in a duration such as `2m`.
    """
    if address := right_address(name, value):
        return address
    likely = [value.lower(), value.upper()]
    duration = re.fullmatch(r"(\d{1,4}) ?([smh])[a-z]*", value.strip().lower())
    if duration and name.endswith("Seconds"):
        likely.append(str(int(duration[1]) * _SECONDS[duration[2]]))
    return next((each for each in likely if each != value and _is_valid(name, each)), None)


_SECONDS = {"s": 1, "m": 60, "h": 3600}


def _is_valid(name: str, value: str) -> bool:
    try:
        ProviderConfig.model_validate({name: value})
    except ValidationError:
        return False
    return True


def _host_of(value: str) -> str:
    try:
        return urlsplit(value).hostname or ""
    except ValueError:
        return ""


def environment_name(name: str) -> str:
    """Return the environment variable for a setting: `CLOUDDB_KEY_ID` for `keyId`."""
    return f"CLOUDDB_{to_snake(name).upper()}"


def misspelt(names: Iterable[str]) -> dict[str, str]:
    """Return the misspelt names of settings, each with the correct name.

    The engine also passes the options of a provider (`version`, `pluginDownloadURL`, `__internal`).
    """
    settings = [str(info.alias) for info in ProviderConfig.model_fields.values()]
    unknown = (name for name in names if name not in settings and not name.startswith("__"))
    return {name: near for name in unknown if (near := nearest(name, settings))}


def gather(stack_config: Callable[[str], object], environment: Mapping[str, str]) -> WireDict:
    """Return the settings by wire name, from the stack or else from the environment; an empty text is not set."""
    settings: WireDict = {}
    for info in ProviderConfig.model_fields.values():
        name = str(info.alias)
        value = stack_config(name)
        if value is None or value == "":
            value = environment.get(environment_name(name)) or None
        if value is not None:
            settings[name] = value
    return settings
