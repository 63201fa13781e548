"""Saved queries of a service."""

from __future__ import annotations

from pulumi_clouddb.client.operation import SERVICE, of_vendor
from pulumi_clouddb.client.replaced import ReplacedCollection
from pulumi_clouddb.schema.assumptions import AUTUMN
from pulumi_clouddb.schema.names import NAME, property_names
from pulumi_clouddb.schema.thing import body_of

from .saved_query import SavedQuery

PATH = SERVICE + "/saved-queries"
ONE = PATH + "/{savedQueryId}"
PER_PAGE = 100

_QUERY, _WORDS = "SavedQuery", "the saved query"


class SavedQueries(ReplacedCollection[SavedQuery]):
    """The saved queries of one service."""

    model = SavedQuery
    body = body_of(SavedQuery)
    id_part = "saved_query_id"
    unique_by = (NAME,)
    not_listed = property_names(SavedQuery, lambda query: (query.sql, query.parameters))
    source = AUTUMN

    LIST = of_vendor("list_saved_queries", "GET", PATH, _QUERY, "list the saved queries", per_page=PER_PAGE)
    CREATE = of_vendor("create_saved_query", "POST", PATH, _QUERY, f"create {_WORDS}", status=201)
    GET = of_vendor("get_saved_query", "GET", ONE, _QUERY, f"read {_WORDS}")
    UPDATE = of_vendor("update_saved_query", "PUT", ONE, _QUERY, f"update {_WORDS}")
    DELETE = of_vendor("delete_saved_query", "DELETE", ONE, "None", f"delete {_WORDS}")
