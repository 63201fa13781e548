"""The key that the provider itself uses: a change can take away what its next requests need."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime, timedelta, timezone

from pulumi_clouddb.create.session import Session
from pulumi_clouddb.schema.base import parse_network
from pulumi_clouddb.schema.common import IpAccessEntry
from pulumi_clouddb.schema.times import parse_timestamp
from pulumi_clouddb.schema.view import if_known, is_complete

from .api import SUFFIX_LETTERS
from .api_key import ApiKey, KeyState

SOON = timedelta(days=1)
"""A key that expires within this time may expire during a run."""


def warnings_of_own_key(session: Session, before: ApiKey, wanted: ApiKey) -> Iterator[str]:
    """Yield a warning if the provider uses the key, and the inputs take away what its next requests need."""
    own = session.config.key_id or ""
    with if_known:
        if not own or (before.access_key_id or before.key_suffix) not in (own, own[-SUFFIX_LETTERS:]):
            return
        which = "is the key" if before.access_key_id else "is probably the key (its id ends in the same characters)"
        now = datetime.fromtimestamp(session.runtime.time(), timezone.utc)
        if taken := [*_taken_away(before, wanted, now)]:
            yield (
                f"API key {before.name!r} {which} that this provider uses (clouddb:keyId), and the program "
                f"{' and '.join(taken)}: later requests may be refused.\n"
                "Set another key as clouddb:keyId first, or leave this one as it is."
            )


def _taken_away(before: ApiKey, wanted: ApiKey, now: datetime) -> Iterator[str]:
    """Yield what the inputs take away from a key, as predicates."""
    with if_known:
        if wanted.state == KeyState.DISABLED != before.state:
            yield "disables it"
    with if_known:
        yield from _lost_roles(before.roles, wanted.roles)
    with if_known:
        yield from _lost_roles(before.assigned_role_ids, wanted.assigned_role_ids)
    with if_known, suppress(ValueError):
        if wanted.ip_access_list is not None and is_complete(wanted.ip_access_list):
            allowed = [*_ranges(wanted.ip_access_list)]
            if not all(_is_in(allowed, each) for each in _ranges(before.ip_access_list or ())):
                yield "takes addresses from its ipAccessList"
    with if_known, suppress(ValueError):
        expiry = wanted.expire_at
        if expiry and expiry != before.expire_at and parse_timestamp(expiry) < now + SOON:
            yield f"lets it expire at {expiry}"
    with if_known:
        if wanted.rotation != before.rotation:
            yield "replaces it"


def _lost_roles(before: Sequence[str] | None, wanted: Sequence[str] | None) -> Iterator[str]:
    if before and wanted and is_complete(wanted) and (lost := {*map(str, before)}.difference(map(str, wanted))):
        yield f"takes away its role {', '.join(sorted(lost))}"


def _ranges(entries: Iterable[IpAccessEntry]) -> Iterator[tuple[int, int, int]]:
    """Yield the version of each network, with its first and its last address."""
    for entry in entries:
        network = parse_network(entry.source)
        yield network.version, int(network.network_address), int(network.broadcast_address)


def _is_in(allowed: Iterable[tuple[int, int, int]], one: tuple[int, int, int]) -> bool:
    version, first, last = one
    return any(each == version and start <= first and last <= end for each, start, end in allowed)
