"""The provider's configuration: stack configuration `clouddb:*`, else the environment, else the default."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, ConfigDict

from .base import Flag, Model, Number, Text, Uuid, prop

LOOPBACK = ("127.0.0.1", "localhost", "::1")


class VocabularyName(str, Enum):
    """Which words the servers speak."""

    NEUTRAL = "neutral"
    CLICKHOUSE = "clickhouse"


class OrganizationTier(str, Enum):
    """Tier of the organization."""

    BASIC = "BASIC"
    SCALE = "SCALE"
    ENTERPRISE = "ENTERPRISE"


def _safe_url(value: str) -> str:
    url = urlsplit(value)
    if url.scheme not in ("http", "https") or not url.hostname:
        raise ValueError("must be an http or https address such as https://api.example.com")
    if url.username or url.password:
        raise ValueError(
            "must not hold credentials; they belong in clouddb:keyId, clouddb:keySecret, clouddb:stackToken"
        )
    if url.scheme == "http" and url.hostname not in LOOPBACK:
        raise ValueError("must be https: plain http would show the credentials, and is taken for loopback only")
    return value.rstrip("/")


def _from_text(value: Any) -> Any:
    """Stack configuration and the environment carry only text; take the JSON reading of it for numbers and flags."""
    if isinstance(value, str):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value


Address = Annotated[Text, AfterValidator(_safe_url)]
FlagText = Annotated[Flag, BeforeValidator(_from_text)]
NumberText = Annotated[Number, BeforeValidator(_from_text)]
PathsText = Annotated[dict[str, str], BeforeValidator(_from_text)]


class ProviderConfig(Model):
    """How to reach the servers, and how to treat them."""

    model_config = ConfigDict(frozen=True)

    base_url: Address | None = prop(
        "Address of the management surface, without `/v1`. Plain http is taken for loopback only. Default: "
        "https://api.clickhouse.cloud with vocabulary `clickhouse`, none with `neutral`."
    )
    organization_id: Uuid | None = prop("Id (UUID) of the organization that owns everything.")
    key_id: Text | None = prop("Key id: the user name of HTTP Basic on the management surface.")
    key_secret: Text | None = prop("Key secret: the password of HTTP Basic.", secret=True)
    stack_url: Address | None = prop(
        "Address of a self-hosted observability stack, without `/api/v2`; for dashboards and alerts without serviceId."
    )
    stack_token: Text | None = prop("Access token of the self-hosted stack, sent as a Bearer token.", secret=True)
    vocabulary: VocabularyName = prop(
        "Words on the wire: `neutral`, or `clickhouse` for the vendor's own names and wider limits.",
        default=VocabularyName.NEUTRAL,
    )
    organization_tier: OrganizationTier | None = prop(
        "Tier of the organization; BASIC lets a service have a single replica. Unknown if not given."
    )
    paid: FlagText = prop(
        "Whether the organization pays; if not, memory ceilings are 120 GB per replica and 360 GB in all.", default=True
    )
    request_timeout_seconds: NumberText = prop("Seconds that one request may take, 1 to 600.", default=30, ge=1, le=600)
    retry_timeout_seconds: NumberText = prop(
        "Seconds for which a request that is safe to repeat is repeated, 0 to 3600.", default=120, ge=0, le=3600
    )
    poll_interval_seconds: NumberText = prop(
        "Seconds between two looks while waiting for a service, 0.05 to 300.", default=5, ge=0.05, le=300
    )
    pacing: FlagText = prop("Whether requests are held back to stay under the servers' published limits.", default=True)
    paths: PathsText | None = prop(
        'Paths that differ on your server, by operation, as JSON: `{"list_services": "/v1/…"}`.'
    )


def environment_name(name: str) -> str:
    """Return the environment variable that stands in for the configuration key `name`: `keyId` → `CLOUDDB_KEY_ID`."""
    return "CLOUDDB_" + "".join(f"_{letter}" if letter.isupper() else letter.upper() for letter in name)


def gather(stack_config: Callable[[str], Any], environment: Mapping[str, str]) -> dict[str, Any]:
    """Collect the configuration by wire name: the stack's value, else the environment's; empty text counts as none."""
    found: dict[str, Any] = {}
    for info in ProviderConfig.model_fields.values():
        name = str(info.alias)
        value = stack_config(name)
        if value is None or value == "":
            value = environment.get(environment_name(name)) or None
        if value is not None:
            found[name] = value
    return found
