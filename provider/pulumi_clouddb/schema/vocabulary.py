"""Which words the servers speak: the dialects, by the name that the configuration gives."""

from __future__ import annotations

from .choice import Choice


class VocabularyName(Choice):
    """Which words the servers speak."""

    NEUTRAL = "neutral", "those of the interface"
    CLICKHOUSE = "clickhouse", "the vendor's own names and wider limits"

    @property
    def setting(self) -> str:
        """The configuration that chooses it, for messages and descriptions."""
        return f"clouddb:vocabulary={self.value}"


CLICKHOUSE = VocabularyName.CLICKHOUSE
"""For what is declared of one dialect."""
