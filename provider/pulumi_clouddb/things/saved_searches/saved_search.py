"""Saved searches: a named query of a data source."""

from __future__ import annotations

from typing import Annotated

from pulumi_clouddb.schema.base import Code, Compare, FilledSqlPart, FilledText, Model, SqlPart, Text, prop
from pulumi_clouddb.schema.equality import trimmed
from pulumi_clouddb.schema.observability import MOST_TAGS, FilterKind, OnStack, SearchLanguage, StackId, Tag, with_kind
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.thing import answered
from pulumi_clouddb.schema.vendor import AN_ORDER

LONGEST_CONDITION = 8192
MOST_FILTERS = 100


class SavedSearchFilter(Model):
    """A filter that is pinned in the sidebar."""

    type: FilterKind | None = prop("Kind of filter.", unset=FilterKind.SQL)
    condition: FilledSqlPart | None = prop("The predicate.", required=True, max_length=LONGEST_CONDITION)


class SavedSearch(OnStack):
    """A saved search (OpenAPI: `SavedSearchInput`, `SavedSearch`)."""

    id: Text | None = answered("Id of the object.")
    team_id: Text | None = answered("Id of the team that owns it.")
    created_at: Text | None = answered("When it was created (ISO-8601).")
    name: FilledText | None = prop("Name of the search.", required=True, max_length=1024, compare=Compare(trimmed))
    source_id: StackId | None = prop("Id of the data source; getSource finds it by name.", required=True)
    select: SqlPart | None = prop(
        "Columns to show, separated by commas; empty for the default of the source.", max_length=4096
    )
    where: Code | None = prop("Condition; empty for all.", max_length=8192)
    where_language: SearchLanguage | None = prop(
        "Language of the condition.", unset=SearchLanguage.LUCENE, with_text="where"
    )
    order_by: Annotated[SqlPart, AN_ORDER] | None = prop(
        "Order of the rows; empty for the default of the source.", max_length=1024
    )
    tags: list[Tag] | None = prop("Labels.", max_length=MOST_TAGS)
    filters: list[SavedSearchFilter] | None = prop(
        "Filters that are pinned in the sidebar.", max_length=MOST_FILTERS, compare=Compare(with_kind)
    )
    updated_at: Text | None = answered("When it was last changed (ISO-8601).")


SAVED_SEARCH = ResourceType(
    SavedSearch,
    "A named search of a data source.",
    required_outputs=("name", "sourceId"),
    state_inputs=("serviceId",),
)
