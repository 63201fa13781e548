"""How a sandbox behaves: every switch, with its default."""

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

from pulumi_clouddb.schema.organization import OrganizationTier
from pulumi_clouddb.schema.vocabulary import VocabularyName

LAST_MOMENT = datetime(9999, 1, 1, tzinfo=timezone.utc).timestamp()
"""How far the clock can be advanced: times are written with four digits of the year."""


def checked_seconds(name: str, value: Any, *, above_zero: bool = False) -> float:
    """Return a number of seconds, which may come from anybody.

    Raises:
        ValueError: It is no finite number from 0, or above 0.
    """
    number = isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= sys.float_info.max
    if not number or value < 0 or (above_zero and value == 0):
        raise ValueError(f"{name} must be a number {'above 0' if above_zero else 'from 0'}, not {value!r}")
    return float(value)


@dataclass(frozen=True)
class Latency:
    """Seconds that each asynchronous step of a service takes; 0 is done by the time of the next request.

    Attributes:
        provision: From provisioning to running.
        start: From starting or awaking to running.
        stop: From stopping to stopped.
        delete: From terminating to gone.
    """

    provision: float = 0.0
    start: float = 0.0
    stop: float = 0.0
    delete: float = 0.0

    def __post_init__(self) -> None:
        """Refuse what would fail only when a service starts or stops."""
        for name, value in vars(self).items():
            checked_seconds(name, value)


@dataclass(frozen=True)
class Settings:
    """The switches of a sandbox.

    Attributes:
        vocabulary: Words on the wire, `neutral` or `clickhouse`.
        documented_only: Offer only the operations that the interface documents. Services then start ready, as nothing
            could say when they are, and `interface_only` is implied.
        interface_only: Records carry exactly the interface's fields: no `state` of services and keys.
        rate_limit: Hold callers to the limits that the vendor publishes.
        quantities: Answer the size of pipe replicas as `250m` and `1Gi`, as some servers do.
        quirks: The quirks of the vendor's servers that trip clients: lists come back in another order, defaults are
            added to tiles, tags lose their doubles, alerts on tiles that cannot raise any vanish with the next update.
        organization_tier: Tier of the organization.
        paid: Whether the organization pays; memory ceilings are lower when not.
        latency: How long services take.
        data: File that keeps everything; in memory when None.
    """

    vocabulary: VocabularyName = VocabularyName.NEUTRAL
    documented_only: bool = False
    interface_only: bool = False
    rate_limit: bool = False
    quantities: bool = False
    quirks: bool = True
    organization_tier: OrganizationTier = OrganizationTier.ENTERPRISE
    paid: bool = True
    latency: Latency = field(default_factory=Latency)
    data: str | None = None

    @property
    def is_clickhouse(self) -> bool:
        """Whether the server is the vendor's own of today, which takes tags of services and hashes of keys."""
        return self.vocabulary is VocabularyName.CLICKHOUSE

    def of_dialect(self, neutral: dict[str, Any], clickhouse: dict[str, Any]) -> dict[str, Any]:
        """Return what one of the two kinds of servers has."""
        return clickhouse if self.is_clickhouse else neutral

    @property
    def shows_state(self) -> bool:
        """Whether services and keys report a state, which the interface does not show."""
        return not (self.interface_only or self.documented_only)


class Clock:
    """The time the sandbox lives in: the real one, plus what was added to it by hand."""

    def __init__(self, base: Callable[[], float] = time.time) -> None:
        self._base = base
        self._ahead = 0.0
        self._held: float | None = None

    def now(self) -> float:
        """Return the time in seconds since 1970."""
        return self._base() + self._ahead if self._held is None else self._held

    @contextmanager
    def at(self, moment: float) -> Iterator[None]:
        """Let it be another moment for the length of a `with` block."""
        before, self._held = self._held, moment
        try:
            yield
        finally:
            self._held = before

    def advance(self, seconds: float) -> None:
        """Let `seconds` pass at once.

        Raises:
            ValueError: They are no finite number from 0, or lead beyond the year 9998.
        """
        passed = checked_seconds("advance", seconds)
        if self.now() + passed >= LAST_MOMENT:
            raise ValueError(f"advance must not lead beyond the year 9998, as {seconds!r} does")
        self._ahead += passed

    def moment(self) -> datetime:
        """Return the time in UTC."""
        return datetime.fromtimestamp(self.now(), timezone.utc)

    def stamp(self) -> str:
        """Return the time as the servers write it, with milliseconds."""
        return to_stamp(self.moment())

    def http_date(self) -> str:
        """Return the time as the `Date` header has it, in whole seconds."""
        return formatdate(self.now(), usegmt=True)

    async def sleep(self, seconds: float) -> None:
        """Wait so many real seconds; a clock that is driven by hand waits in its own time instead."""
        await asyncio.sleep(seconds)


def to_stamp(moment: datetime) -> str:
    """Write a moment as the servers do: UTC, milliseconds, `Z`. A moment without a zone counts as UTC."""
    aware = moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)
    return aware.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
