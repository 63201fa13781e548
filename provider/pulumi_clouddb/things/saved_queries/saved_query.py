"""Saved queries: a named SQL text of a service."""

from __future__ import annotations

from typing import ClassVar

from pulumi_clouddb.schema.base import FilledText, Text, Uuid, prop
from pulumi_clouddb.schema.check.rules import Rule
from pulumi_clouddb.schema.common import parameters_of
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.thing import Thing, answered, option
from pulumi_clouddb.schema.vendor import LONGEST_SQL, DatabaseName, Sql, typed_parameters
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE


class SavedQuery(Thing):
    """A saved query (OpenAPI: `PublicSavedQueryRequest`, `PublicSavedQuery`)."""

    RULES: ClassVar[tuple[Rule[SavedQuery], ...]] = (
        parameters_of(lambda query: query.sql, lambda query: query.parameters),
        typed_parameters(lambda query: query.sql),
    )

    service_id: Uuid | None = option("Id of the service.", required=True, replaces=True)
    name: FilledText | None = prop("Name of the query, unique in the service.", required=True)
    sql: Sql | None = prop("The query, which can contain parameters.", required=True, max_length=LONGEST_SQL)
    database: DatabaseName | None = prop("Database in which it runs.", required=True)
    parameters: dict[str, Text] | None = prop(
        "Default values of the parameters, by name.", unset={}, taken_out="they have no defaults"
    )
    id: Text | None = answered("Id of the query.")


SAVED_QUERY = ResourceType(
    SavedQuery,
    "A query that is saved in a service, for the SQL console. Servers refuse updates and deletions of queries that "
    "somebody saved in the console.",
    required_outputs=("name", "sql", "database"),
    state_inputs=("serviceId",),
    only=CLICKHOUSE,
)
