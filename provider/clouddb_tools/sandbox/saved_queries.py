"""Saved queries of a service. Those that were saved in the console cannot be changed."""

from __future__ import annotations

from pulumi_clouddb.things.saved_queries.api import SavedQueries

from .owners import OWNER, ServedWithOwner
from .state import SandboxState
from .store import Document


class ServedSavedQueries(ServedWithOwner):
    """The saved queries of a service; one that is added with the owner `user` was saved in the console."""

    def shown(self, state: SandboxState, document: Document) -> Document:
        """Return a query as responses show it: without its owner."""
        return {name: value for name, value in document.items() if name != OWNER}


SERVED = ServedSavedQueries(SavedQueries, name="Query", sql="SELECT 1", database="default", parameters={})
