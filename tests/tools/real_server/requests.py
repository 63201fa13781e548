"""All requests, in the order in which they are sent."""

from __future__ import annotations

from .alerts import ALERTS
from .boards import BOARDS
from .odd import ODD
from .others import OTHERS
from .request import Request, Scenario
from .tiles import TILES
from .world import WORLD

__all__ = ["SCENARIOS", "WORLD"]

SCENARIOS: tuple[Scenario, ...] = (*TILES, *BOARDS, *ALERTS, *OTHERS, *ODD)


def requests() -> list[Request]:
    """Return the requests of all scenarios."""
    return [each for scenario in SCENARIOS for each in scenario.requests]
