"""Saved queries of a service."""

from __future__ import annotations

from pulumi_clouddb.client.collection import Collection
from pulumi_clouddb.client.operation import SERVICE, of_vendor
from pulumi_clouddb.schema.assumptions import CLOUD_ONLY, Assumption
from pulumi_clouddb.schema.names import property_names
from pulumi_clouddb.schema.thing import body_of

from .saved_query import SavedQuery

PATH = SERVICE + "/saved-queries"
ONE = PATH + "/{savedQueryId}"
PER_PAGE = 100

_QUERY, _WORDS = "SavedQuery", "the saved query"
_AUTUMN = "the vendor's description of autumn 2026"

SAVED_QUERIES_ARE_LISTED_WITHOUT_SQL = Assumption(
    "The list of saved queries lacks their SQL and their parameters.", _AUTUMN, CLOUD_ONLY
)
SAVED_QUERY_NAMES_ARE_UNIQUE = Assumption(
    "A second saved query of one name is refused with 409, in a create and in an update.", _AUTUMN, CLOUD_ONLY
)
SAVED_QUERY_UPDATE_REPLACES = Assumption(
    "An update of a saved query removes the parameters that it omits.", _AUTUMN, CLOUD_ONLY
)


class SavedQueries(Collection[SavedQuery]):
    """The saved queries of one service."""

    model = SavedQuery
    body = body_of(SavedQuery)
    id_part = "saved_query_id"
    not_listed = property_names(SavedQuery, lambda query: (query.sql, query.parameters))

    LIST = of_vendor("list_saved_queries", "GET", PATH, _QUERY, "list the saved queries", per_page=PER_PAGE)
    CREATE = of_vendor("create_saved_query", "POST", PATH, _QUERY, f"create {_WORDS}", status=201)
    GET = of_vendor("get_saved_query", "GET", ONE, _QUERY, f"read {_WORDS}")
    UPDATE = of_vendor("update_saved_query", "PUT", ONE, _QUERY, f"update {_WORDS}")
    DELETE = of_vendor("delete_saved_query", "DELETE", ONE, "None", f"delete {_WORDS}")
