"""Every request, in the order in which they are sent."""

from __future__ import annotations

from .alerts import ALERTS
from .boards import BOARDS
from .odd import ODD
from .others import OTHERS
from .request import Request, Story
from .tiles import TILES
from .world import WORLD

__all__ = ["STORIES", "WORLD"]

STORIES: tuple[Story, ...] = (*TILES, *BOARDS, *ALERTS, *OTHERS, *ODD)


def requests() -> list[Request]:
    """Return the requests of all stories."""
    return [each for story in STORIES for each in story.requests]
