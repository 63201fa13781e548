"""The settings of a sandbox, and its clock."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timezone
from email.utils import formatdate
from typing import Any

from clouddb_tools.release import NEWEST, Release
from pulumi_clouddb.schema.organization import OrganizationTier
from pulumi_clouddb.schema.vocabulary import VocabularyName

PREFIX = "/_sandbox"
"""The path of the control routes."""

LAST_MOMENT = datetime(9999, 1, 1, tzinfo=timezone.utc).timestamp()
"""Limit of the clock: timestamps have years of four digits."""


def checked_seconds(name: str, value: Any, *, above_zero: bool = False) -> float:
    """Return a number of seconds from untrusted input.

    Raises:
        ValueError: It is not a finite number from 0, or above 0.
    """
    number = isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= sys.float_info.max
    if not number or value < 0 or (above_zero and value == 0):
        raise ValueError(f"{name} must be a number {'above 0' if above_zero else 'from 0'}, not {value!r}")
    return float(value)


@dataclass(frozen=True)
class Latency:
    """Duration of each asynchronous step of a service in seconds; a step of 0 s is complete at the next request.

    Attributes:
        provision: From `provisioning` to `running`.
        start: From `starting` or `awaking` to `running`.
        stop: From `stopping` to `stopped`.
        delete: From `terminating` to the removal.
        identity: From the create of a service to the identity of its pipes at Google Cloud.
    """

    provision: float = 0.0
    start: float = 0.0
    stop: float = 0.0
    delete: float = 0.0
    identity: float = 0.0

    def __post_init__(self) -> None:
        """Validate the values here, not when a service first starts or stops."""
        for name, value in vars(self).items():
            checked_seconds(name, value)


@dataclass(frozen=True)
class Settings:
    """The settings of a sandbox.

    Attributes:
        vocabulary: Dialect on the wire: `clickhouse`, that of the vendor's servers, or `neutral`.
        release: Release at the start; the control route `release` changes it, and keeps all objects.
        documented_only: Offer only the documented operations. Services are then ready at once, as no operation could
            report when they are, and `interface_only` is implied.
        interface_only: Return only documented fields: no `state` of services and keys.
        rate_limit: Enforce the published rate limits.
        quantities: Return sizes of pipe replicas as `250m` and `1Gi`, as some servers do.
        versions: Return the version of a dashboard as its ETag, and refuse an update whose If-Match has another one, as
            servers after 2.36 may do.
        quirks: Imitate the quirks of servers: lists have another order (not IP access lists in the clickhouse dialect),
            tiles get defaults, duplicate tags are removed, and alerts on tiles that support none vanish with the next
            update.
        organization_tier: Tier of the organization.
        paid: Whether the organization pays; memory limits are lower otherwise.
        latency: Latency of services.
        data: File that stores all objects; in memory if None.
    """

    vocabulary: VocabularyName = VocabularyName.CLICKHOUSE
    release: Release = NEWEST
    documented_only: bool = False
    interface_only: bool = False
    rate_limit: bool = False
    quantities: bool = False
    versions: bool = False
    quirks: bool = True
    organization_tier: OrganizationTier = OrganizationTier.ENTERPRISE
    paid: bool = True
    latency: Latency = field(default_factory=Latency)
    data: str | None = None

    @property
    def is_clickhouse(self) -> bool:
        """Whether the sandbox imitates the vendor's current servers."""
        return self.vocabulary is VocabularyName.CLICKHOUSE

    def of_dialect(self, neutral: dict[str, Any], clickhouse: dict[str, Any]) -> dict[str, Any]:
        """Return the value for the dialect."""
        return clickhouse if self.is_clickhouse else neutral

    @property
    def shows_state(self) -> bool:
        """Whether services and keys have a `state`, which the interface does not document."""
        return not (self.interface_only or self.documented_only)


class Clock:
    """The clock of a sandbox: the real time, plus the seconds by which it was advanced."""

    def __init__(self, base: Callable[[], float] = time.time) -> None:
        self._base = base
        self._ahead = 0.0
        self._fixed: float | None = None

    def now(self) -> float:
        """Return the time in seconds since 1970."""
        return self._base() + self._ahead if self._fixed is None else self._fixed

    @contextmanager
    def at(self, moment: float) -> Iterator[None]:
        """Set the time to `moment` within a `with` block."""
        before, self._fixed = self._fixed, moment
        try:
            yield
        finally:
            self._fixed = before

    def advance(self, seconds: float) -> None:
        """Advance the clock by `seconds`.

        Raises:
            ValueError: The number is not finite and from 0, or leads beyond the year 9998.
        """
        passed = checked_seconds("advance", seconds)
        if self.now() + passed >= LAST_MOMENT:
            raise ValueError(f"advance must not lead beyond the year 9998, as {seconds!r} does")
        self._ahead += passed

    def moment(self) -> datetime:
        """Return the time in UTC."""
        return datetime.fromtimestamp(self.now(), timezone.utc)

    def stamp(self) -> str:
        """Return the time in the servers' format, with milliseconds."""
        return to_stamp(self.moment())

    def http_date(self) -> str:
        """Return the time in the format of the `Date` header."""
        return formatdate(self.now(), usegmt=True)

    async def sleep(self, seconds: float) -> None:
        """Wait for real seconds; virtual clocks override this."""
        await asyncio.sleep(seconds)


def to_stamp(moment: datetime) -> str:
    """Format a moment as the servers do: UTC, milliseconds, `Z`. A moment without a time zone is UTC."""
    aware = moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)
    return aware.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
