"""The releases of the vendor's servers that a sandbox can imitate."""

from __future__ import annotations

from enum import Enum


class Release(str, Enum):
    """A release of the vendor's servers, named by its month.

    It determines the form of responses that the vendor has changed, and of the settings of the engine in requests.
    """

    AUGUST_2026 = "2026-08"
    OCTOBER_2026 = "2026-10"


NEWEST = Release.OCTOBER_2026
