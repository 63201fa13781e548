"""Models that several resources share."""

from __future__ import annotations

from .base import Address, Model, Text, prop


class IpAccessEntry(Model):
    """One address, or range of addresses, that may connect."""

    source: Address = prop("Who is let in.", required=True)
    description: Text | None = prop("Free text that says whose address this is.")
