"""Checks what the answers of the servers tell: organization, clock, rate limit and dialect."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from pulumi_clouddb.client.errors import RateLimitError
from pulumi_clouddb.client.exchange import Exchange
from pulumi_clouddb.schema.config import MANAGEMENT_LIMIT
from pulumi_clouddb.schema.redaction import redact
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE, VocabularyName

from .finding import Finding, error, note, ok, warning
from .servers import Management, SelfHosted, Server
from .situation import Situation

CLOCK_SECONDS = 60
"""A clock that is further off is a finding: moments such as `expireAt` are compared with it."""

FEW_LEFT = 0.1
"""A warning is given when no more than this share of a limit remains."""

_LIMIT, _REMAINING, _RESET = "ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"


def check_organization(situation: Situation) -> Iterator[Finding]:
    """Yield whether the organization is that of the key."""
    given = situation.config.organization_id
    for server in situation.servers:
        if not isinstance(server, Management) or not server.responded:
            continue
        listed = [each for each in server.organizations.result or [] if isinstance(each, dict)]
        own = {str(each.get("id")): str(each.get("name")) for each in listed if each.get("id")}
        if own and given not in own:
            text = f"clouddb:organizationId {given} is not the organization of the key, which is {_list(own)}"
            yield error("wrong-organization", text, "Set it:", situation.to_set("organizationId", next(iter(own))))
        elif server.blames_organization:
            said = redact(_said(server.decisive.error))
            text = f"clouddb:organizationId {given}: the server knows no such organization of this key ({said})"
            yield error(
                "wrong-organization", text, "Set the id of the key's organization:", situation.to_set("organizationId")
            )
        elif server.decisive.error is None:
            yield ok("organization", f"clouddb:organizationId {given} is the organization of the key")


def _list(organizations: dict[str, str]) -> str:
    return ", ".join(f"{name} ({id_})" for id_, name in organizations.items())


def _said(refused: object) -> str:
    return str(getattr(refused, "message", refused))


def check_clock(situation: Situation) -> Iterator[Finding]:
    """Yield whether this machine's clock shows the time of the servers."""
    for server in situation.servers:
        ahead = server.decisive.seconds_ahead
        if ahead is None:
            continue
        if abs(ahead) <= CLOCK_SECONDS:
            yield ok("clock", f"the clock of this machine and that of clouddb:{server.setting} agree")
            continue
        direction = "behind" if ahead > 0 else "ahead of"
        text = f"the clock of this machine is {_duration(abs(ahead))} {direction} that of clouddb:{server.setting}"
        yield error("clock", text, "Set the clock, or let the network set it:", "sudo timedatectl set-ntp true")


def _duration(seconds: float) -> str:
    minutes, hours = round(seconds / 60), round(seconds / 3600)
    return f"{minutes} minutes" if minutes < 120 else f"{hours} hours"


def check_limit(situation: Situation) -> Iterator[Finding]:
    """Yield how many requests the limit still allows."""
    for server in situation.servers:
        exchange = server.decisive
        where = f"clouddb:{server.setting}"
        if isinstance(exchange.error, RateLimitError):
            wait = _wait(exchange)
            text = f"{where} accepts no more requests of this key for {wait} s"
            fix = "Wait, and give programs that run at the same time keys of their own:"
            yield error("limit-reached", text, fix, f"sleep {wait}")
            continue
        if (limited := server.exchanges.limited(exchange.operation.server_kind)) is not None:
            text = f"{where} accepts no more requests of this key for {_wait(limited)} s, so that not all was examined"
            yield warning("limit-met", text, "Examine it once more after that time:", f"sleep {_wait(limited)}")
            continue
        limit, remaining, reset = (_number(exchange.headers.get(name, "")) for name in (_LIMIT, _REMAINING, _RESET))
        if limit is None or remaining is None:
            if server.accepts and isinstance(server, Management):
                yield ok("limit", f"{where} accepts requests; it does not tell how many more")
            continue
        left = f"{where} accepts {remaining} more requests of {limit} of this key for {reset or 0} s"
        if remaining <= limit * FEW_LEFT:
            yield warning("limit-near", left, "Wait until then:", f"sleep {(reset or 0) + 1}")
        else:
            yield ok("limit", left)


def _wait(limited: Exchange) -> int:
    """Return the whole seconds after which a server that answered 429 accepts requests again."""
    return ceil(getattr(limited.error, "retry_after", None) or MANAGEMENT_LIMIT[1])


def _number(text: str) -> int | None:
    return int(text) if text.strip().isdigit() else None


def check_dialect(situation: Situation) -> Iterator[Finding]:
    """Yield which words each server really speaks, and its version where it tells."""
    configured = situation.config.vocabulary
    for server in situation.servers:
        if not server.responded or isinstance(server.decisive.error, RateLimitError):
            continue
        vendors = server.is_vendors
        if vendors is None:
            text = f"clouddb:{server.setting} does not show which dialect it speaks; it is used as {configured.value}"
            yield note("dialect", text)
            continue
        spoken = CLICKHOUSE if vendors else VocabularyName.NEUTRAL
        text = f"clouddb:{server.setting} is {_kind(server, vendors)} and speaks {spoken.value}"
        if spoken is configured:
            yield ok("dialect", text)
        else:
            fix = f"Set the dialect, which is {configured.value} now:"
            yield error("dialect", text, fix, situation.to_set("vocabulary", spoken.value))


def _kind(server: Server, vendors: bool) -> str:
    if isinstance(server, SelfHosted):
        version = server.version if vendors else None
        told = f" {version}" if version else ""
        return f"a self-hosted observability server{told}{' of the vendor' if vendors else ''}"
    return f"a management API{' of the vendor' if vendors else ''}"
