"""Saved searches: their alerts go with them."""

from __future__ import annotations

from typing import Any

from pulumi_clouddb.api.collections.saved_searches import SavedSearches

from . import alerts, sources
from .pages import paged
from .responses import bad_request
from .served import Served
from .state import Call, SandboxState
from .store import Document


class ServedSavedSearches(Served):
    """The saved searches of a stack."""

    def list(self, state: SandboxState, call: Call) -> Any:
        """List the saved searches; the vendor's servers do so in pages."""
        found = super().list(state, call)
        return paged(call, found) if state.settings.is_clickhouse else found

    def fields(self, state: SandboxState, call: Call) -> Document:
        """Return what the body sets, or refuse it; the vendor's servers ask for a source that is there."""
        body = super().fields(state, call)
        there = sources.SERVED.is_there(state, self.parent(state, call), body["sourceId"])
        if state.settings.is_clickhouse and not there:
            raise bad_request("sourceId must be an existing source id")
        return body

    def remove(self, state: SandboxState, id_: str) -> None:
        """Remove a saved search with its alerts."""
        alerts.SERVED.remove_of_search(state, id_)
        super().remove(state, id_)


SERVED = ServedSavedSearches(SavedSearches)
