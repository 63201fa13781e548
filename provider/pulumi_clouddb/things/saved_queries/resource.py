"""Saved queries of a service."""

from __future__ import annotations

from pulumi_clouddb.resource.base import SERVICE_ID
from pulumi_clouddb.resource.functions import get_one, list_all
from pulumi_clouddb.resource.replaced import ReplacedResource
from pulumi_clouddb.schema.names import NAME

from .api import SavedQueries
from .saved_query import SAVED_QUERY, SavedQuery


class SavedQueryResource(ReplacedResource[SavedQuery]):
    """A saved query of a service."""

    type = SAVED_QUERY
    collection = SavedQueries
    unique_by = (SERVICE_ID, NAME)
    functions = (get_one(SAVED_QUERY, SavedQueries), list_all(SAVED_QUERY, SavedQueries, by_name=True))
