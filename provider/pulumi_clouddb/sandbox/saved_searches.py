"""Saved searches: their alerts go with them."""

from __future__ import annotations

from pulumi_clouddb.api.collections.saved_searches import SavedSearches

from . import alerts
from .served import Served
from .state import SandboxState


class ServedSavedSearches(Served):
    """The saved searches of a stack."""

    def remove(self, state: SandboxState, id_: str) -> None:
        """Remove a saved search with its alerts."""
        alerts.SERVED.remove_of_search(state, id_)
        super().remove(state, id_)


SERVED = ServedSavedSearches(SavedSearches)
