"""Checks the responses of the servers: organization, clock, rate limit and dialect."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from pulumi_clouddb.client.caller import with_names
from pulumi_clouddb.client.diagnosis import Exchange
from pulumi_clouddb.client.errors import RateLimitError, UnauthorizedError
from pulumi_clouddb.client.responses import seconds_until_reset
from pulumi_clouddb.schema.config import MANAGEMENT_LIMIT
from pulumi_clouddb.schema.secrets.redaction import redact
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE, VocabularyName

from .finding import Finding, error, note, ok, warning
from .servers import Management, SelfHosted, Server
from .situation import Situation

CLOCK_SECONDS = 60
"""The largest clock difference that is accepted: times such as `expireAt` are compared with the local clock."""

FEW_LEFT = 0.1
"""Warn when no more than this share of a limit remains."""

_LIMIT, _REMAINING = "ratelimit-limit", "ratelimit-remaining"


def check_organization(situation: Situation) -> Iterator[Finding]:
    """Yield whether the key belongs to the configured organization, or else to which one it belongs."""
    given = situation.config.organization_id
    for server in situation.servers:
        if not isinstance(server, Management) or not server.responded:
            continue
        listed = [each for each in server.organizations.result or [] if isinstance(each, dict)]
        own = {str(each.get("id")): str(each.get("name")) for each in listed if each.get("id")}
        if given is None:
            yield from _found(situation, server, own)
        elif own and given not in own:
            text = f"clouddb:organizationId {given} is not the organization of the key, which is {with_names(own)}"
            yield error("wrong-organization", text, "Set it:", situation.to_set("organizationId", next(iter(own))))
        elif server.blames_organization:
            message = redact(str(getattr(server.decisive.error, "message", server.decisive.error)))
            text = f"clouddb:organizationId {given}: the server does not find this organization of the key ({message})"
            fix = "Set the id of the key's organization:"
            yield error("wrong-organization", text, fix, situation.to_set("organizationId"))
        elif server.decisive.error is None:
            key = f"the key {server.owner.name}" if server.owner.name else "the key"
            yield ok("organization", f"clouddb:organizationId {given} is the organization of {key}")


def _found(situation: Situation, server: Management, listed: dict[str, str]) -> Iterator[Finding]:
    """Yield the organization of the key, for a configuration without one; other checks report a rejected key."""
    owner, rejected = server.owner, isinstance(server.caller and server.caller.error, UnauthorizedError)
    named = {id_: name or listed.get(id_, "") for id_, name in owner.all_organizations.items()}
    if len(named) == 1:
        yield ok("organization", f"the key {owner.name} belongs to the organization {with_names(named)}")
    elif named:
        text = f"clouddb:organizationId is not set, and the key belongs to several organizations: {with_names(named)}"
        fix = situation.to_set("organizationId", next(iter(named)))
        yield error("several-organizations", text, "Set one of them:", fix)
    elif not rejected:
        text = "clouddb:organizationId is not set, and the server does not return the organization of the key"
        fix = situation.to_set("organizationId", next(iter(listed), None))
        yield error("unknown-organization", text, "Set it:", fix)


def check_clock(situation: Situation) -> Iterator[Finding]:
    """Yield whether this machine's clock agrees with the servers."""
    for server in situation.servers:
        ahead = server.decisive.seconds_ahead
        if ahead is None:
            continue
        if abs(ahead) <= CLOCK_SECONDS:
            yield ok("clock", f"the clock of this machine and that of clouddb:{server.setting} agree")
            continue
        direction = "behind" if ahead > 0 else "ahead of"
        text = f"the clock of this machine is {_duration(abs(ahead))} {direction} that of clouddb:{server.setting}"
        yield error(
            "clock", text, "Set the clock, or synchronize it over the network:", "sudo timedatectl set-ntp true"
        )


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
            text = f"{where} rejects further requests with this key for {wait} s"
            fix = "Wait, and use separate keys for programs that run at the same time:"
            yield error("limit-reached", text, fix, f"sleep {wait}")
            continue
        if (limited := server.exchanges.limited(exchange.operation.server_kind)) is not None:
            text = f"{where} rejects further requests with this key for {_wait(limited)} s; the checks are incomplete"
            yield warning("limit-met", text, "Run the checks again after that time:", f"sleep {_wait(limited)}")
            continue
        limit, remaining = (_number(exchange.headers.get(name, "")) for name in (_LIMIT, _REMAINING))
        if limit is None or remaining is None:
            if server.accepts and isinstance(server, Management):
                yield ok("limit", f"{where} accepts requests; it does not report how many remain")
            continue
        reset = ceil(seconds_until_reset(exchange.headers) or 0)
        text = f"{where} accepts {remaining} more of {limit} requests with this key for {reset} s"
        if remaining <= limit * FEW_LEFT:
            yield warning("limit-near", text, "Wait until then:", f"sleep {reset + 1}")
        else:
            yield ok("limit", text)


def _wait(limited: Exchange) -> int:
    """Return the seconds until a server that returned 429 accepts requests again, rounded up."""
    return ceil(getattr(limited.error, "retry_after", None) or MANAGEMENT_LIMIT[1])


def _number(text: str) -> int | None:
    try:
        return int(text)
    except ValueError:
        return None


def check_dialect(situation: Situation) -> Iterator[Finding]:
    """Yield the dialect of each server, and its version if it reports one."""
    configured = situation.config.vocabulary
    for server in situation.servers:
        if not server.responded or isinstance(server.decisive.error, RateLimitError):
            continue
        vendors = server.is_vendors
        if vendors is None:
            text = f"the dialect of clouddb:{server.setting} cannot be determined; {configured.value} is used"
            yield note("dialect", text)
            continue
        actual = CLICKHOUSE if vendors else VocabularyName.NEUTRAL
        text = f"clouddb:{server.setting} is {_kind(server, vendors)} with the dialect {actual.value}"
        if actual is configured:
            yield ok("dialect", text)
        else:
            fix = f"Set the dialect, which is {configured.value} now:"
            yield error("dialect", text, fix, situation.to_set("vocabulary", actual.value))


def _kind(server: Server, vendors: bool) -> str:
    if isinstance(server, SelfHosted):
        version = f" {server.version}" if vendors and server.version else ""
        return f"a self-hosted observability server{version}{' of the vendor' if vendors else ''}"
    return f"a management API{' of the vendor' if vendors else ''}"
