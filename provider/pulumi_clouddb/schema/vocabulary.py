"""The dialects of the servers, by their name in the configuration."""

from __future__ import annotations

from .choice import ClosedChoice


class VocabularyName(ClosedChoice, because="it is a setting of this provider"):
    """The dialect of the servers."""

    NEUTRAL = "neutral", "those of the interface"
    CLICKHOUSE = "clickhouse", "the vendor's own names and wider limits"

    @property
    def setting(self) -> str:
        """The setting that selects it, for messages and descriptions."""
        return f"clouddb:vocabulary={self.value}"


NEUTRAL, CLICKHOUSE = VocabularyName.NEUTRAL, VocabularyName.CLICKHOUSE
"""For declarations of one dialect."""

VENDOR_URL = "https://api.clickhouse.cloud"
"""The management API of the vendor."""
