"""What a run will make, how long it takes and what it costs, printed before anything is sent that writes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from .account import Account, Kind
from .lives import Subject

MOST_SERVICES = 2
"""Services, of the smallest size, that exist at the same time at most."""


def lines(account: Account, subjects: Sequence[Subject], front_ends: Sequence[str]) -> Iterator[str]:
    """Yield the lines of the plan."""
    yield f"Server: {account.base_url}, {account.dialect.value} dialect"
    if account.kind is Kind.CLOUD:
        yield f"Organization: {account.organization_id}"
    yield f"Names of all objects contain: {account.run.token}"
    made = Counter(each.resource for each in subjects)
    total = ", ".join(f"{2 * count * len(front_ends)} {resource}" for resource, count in made.items())
    yield f"Makes and deletes, one after the other, with {' and '.join(front_ends)}: {total}"
