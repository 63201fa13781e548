"""What a run will make, how long it takes and what it costs, printed before anything is sent that writes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from pulumi_clouddb.schema.config import MANAGEMENT_LIMIT, SELF_HOSTED_LIMIT
from pulumi_clouddb.schema.organization import OrganizationTier

from .account import Account, Kind
from .needs import Needs
from .subject import Subject
from .world import SMALLEST_GB, replicas_of

MOST_SERVICES = 2
"""Services, of the smallest size, that exist at the same time at most: the shared one, and that of one life."""

REQUESTS = 60
"""Requests of one life with one front end, about."""

SERVICE_MINUTES = 25
"""Minutes that the service of a life exists, about: it is created twice, scaled and restarted."""

PROBES_MINUTES = 20
"""Minutes for the assumptions, about."""

UNIT_DOLLARS = {OrganizationTier.BASIC: 0.22, OrganizationTier.SCALE: 0.30, OrganizationTier.ENTERPRISE: 0.39}
"""The price of 8 GB of one replica for an hour, in AWS us-east-1: clickhouse.com/pricing, September 2026."""

DEAREST = 1.3
"""The prices of other regions are up to this many times higher (AWS ap-northeast-1)."""

WITHOUT_PRICE = ("PostgresService", "ByocInfrastructure", "Pipe")
"""Resources with a price of their own that the plan does not know."""

BORROWS = ("member", "organization_settings", "private_endpoint")
"""The needs of lives that change objects of others, and restore them."""


def lines(
    account: Account, subjects: Sequence[Subject], needs: Needs, front_ends: Sequence[str], *, assumptions: bool = False
) -> Iterator[str]:
    """Yield the lines of the plan."""
    played = [each for each in subjects if needs.has(each.need) and each.is_known_in(account.dialect)]
    yield f"Server: {account.base_url}, {account.dialect.value} dialect"
    if account.kind is Kind.CLOUD:
        yield f"Organization: {account.organization_id}"
    yield f"Names of all objects contain: {account.run.token}"
    made = Counter(each.resource for each in played)
    yield f"Plays with {' and '.join(front_ends)}: " + ", ".join(f"{n} {resource}" for resource, n in made.items())
    if assumptions:
        yield "Probes the assumptions about the server, with objects of its own"
    for each in subjects:
        if not needs.has(each.need):
            yield f"Skips {each.name}: the file of needs does not have `{each.need}`"
    yield f"Takes about {_minutes(account, played, len(front_ends)):.0f} minutes"
    if account.kind is Kind.CLOUD:
        yield from _cost(account, played, needs, len(front_ends))
    if borrowed := [each.name for each in played if each.need in BORROWS]:
        yield f"Changes and restores what it did not make: {', '.join(borrowed)}"


def _minutes(account: Account, subjects: Sequence[Subject], front_ends: int) -> float:
    limit = MANAGEMENT_LIMIT if account.kind is Kind.CLOUD else SELF_HOSTED_LIMIT
    sent = REQUESTS * len(subjects) * front_ends * limit.seconds / limit.requests / 60
    services = sum(each.resource in ("Service", "PostgresService") for each in subjects)
    return PROBES_MINUTES + sent + services * front_ends * SERVICE_MINUTES


def _cost(account: Account, subjects: Sequence[Subject], needs: Needs, front_ends: int) -> Iterator[str]:
    """Yield the lines about services and their price."""
    replicas, hours = replicas_of(account, needs), _minutes(account, subjects, front_ends) / 60
    size = f"{replicas} x {SMALLEST_GB} GB in {needs.place.provider} {needs.place.region}"
    yield f"Has at most {MOST_SERVICES} services at once, of {size}; their life scales one a step up"
    if any(each.resource == "PostgresService" for each in subjects):
        yield f"Has at most {MOST_SERVICES} Postgres services at once, too"
    tier = account.config.organization_tier
    if tier is None:
        yield "Cost: not known, as clouddb:organizationTier (CLOUDDB_ORGANIZATION_TIER) is not set"
    else:
        most = MOST_SERVICES * (replicas + 1) * 1.5 * UNIT_DOLLARS[tier] * hours
        yield f"Cost: at most about ${most:.2f}, up to {DEAREST} times as much in other regions (vendor's price list)"
    if unknown := [each.name for each in subjects if each.resource in WITHOUT_PRICE]:
        yield f"Cost of {', '.join(unknown)}: not known; see the vendor's price list"
