"""The request and the response of each operation in the clickhouse dialect, by its name in `registry.OPERATIONS`."""

from __future__ import annotations

from support.things import modules

from .exchange import Exchange

EXCHANGES: dict[str, Exchange] = {
    name: exchange for module in modules("described") for name, exchange in getattr(module, "EXCHANGES", {}).items()
}
"""Those in `described.py` of each thing's folder."""
