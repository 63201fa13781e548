"""Saved searches of an observability server."""

from __future__ import annotations

from collections.abc import Collection

from pulumi_clouddb.create.session import Session
from pulumi_clouddb.resource.base import CheckResult
from pulumi_clouddb.resource.functions import get_one
from pulumi_clouddb.resource.observability import ObservabilityResource
from pulumi_clouddb.schema.values import WireValues
from pulumi_clouddb.schema.view import view_of

from .api import SavedSearches
from .saved_search import SAVED_SEARCH, SavedSearch
from .vendor import DIALECTS


class SavedSearchResource(ObservabilityResource[SavedSearch]):
    """A saved search of a managed or self-hosted server."""

    type = SAVED_SEARCH
    collection = SavedSearches
    dialects = DIALECTS
    functions = (get_one(SAVED_SEARCH, SavedSearches),)

    def check(
        self, session: Session, inputs: WireValues, secret: Collection[str] = (), old: WireValues | None = None
    ) -> CheckResult:
        """Return the inputs and all failures; the server may refuse new filters."""
        checked = super().check(session, inputs, secret, old)
        refused = self.dialects.of(session).refused(view_of(SavedSearch, inputs), view_of(SavedSearch, old or {}))
        return CheckResult(checked.inputs, [*checked.failures, *refused])
