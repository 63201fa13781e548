"""Saved queries of a service."""

from __future__ import annotations

from pulumi_clouddb.resource.functions import get_one, list_all
from pulumi_clouddb.resource.replaced import ReplacedResource

from .api import SavedQueries
from .saved_query import SAVED_QUERY, SavedQuery


class SavedQueryResource(ReplacedResource[SavedQuery]):
    """A saved query of a service."""

    type = SAVED_QUERY
    collection = SavedQueries
    functions = (get_one(SAVED_QUERY, SavedQueries), list_all(SAVED_QUERY, SavedQueries, by_name=True))
