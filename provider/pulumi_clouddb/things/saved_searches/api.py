"""Saved searches of an observability server."""

from __future__ import annotations

from pulumi_clouddb.client.operation import observability
from pulumi_clouddb.client.replaced import ReplacedCollection
from pulumi_clouddb.schema.thing import body_of

from .saved_search import SavedSearch

PATH = "/saved-searches"
ONE = PATH + "/{savedSearchId}"


class SavedSearches(ReplacedCollection[SavedSearch]):
    """The saved searches of one server."""

    model = SavedSearch
    body = body_of(SavedSearch)
    id_part = "saved_search_id"

    LIST = observability("list_saved_searches", "GET", PATH, "SavedSearch", "list the saved searches", per_page=1000)
    CREATE = observability("create_saved_search", "POST", PATH, "SavedSearch", "create the saved search")
    GET = observability("get_saved_search", "GET", ONE, "SavedSearch", "read the saved search")
    UPDATE = observability("update_saved_search", "PUT", ONE, "SavedSearch", "update the saved search")
    DELETE = observability("delete_saved_search", "DELETE", ONE, "None", "delete the saved search")
