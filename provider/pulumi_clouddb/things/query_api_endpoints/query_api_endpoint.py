"""Query API endpoints: a query of a service that an HTTP request runs."""

from __future__ import annotations

import re
from typing import ClassVar

from pulumi_clouddb.schema.base import Compare, FilledText, Text, Uuid, prop
from pulumi_clouddb.schema.check.rules import API, Rule, rule
from pulumi_clouddb.schema.common import parameters_of
from pulumi_clouddb.schema.equality import as_set
from pulumi_clouddb.schema.names import LIKE, similar
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.thing import Thing, answered, option
from pulumi_clouddb.schema.usual import Origin
from pulumi_clouddb.schema.vendor import (
    LONGEST_SQL,
    NO_CODE,
    FilledDatabaseName,
    FilledSql,
    one_statement,
    typed_parameters,
)
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

USER = "user"
"""The owner type of an endpoint that was made in the console."""


_CONSOLE_ROLES = ("sql_console_read_only", "sql_console_admin")
"""The roles that every service has; others belong to the database."""

_WRITES = re.compile(
    r"\s*(INSERT|ALTER|CREATE|DROP|TRUNCATE|RENAME|DELETE|UPDATE|OPTIMIZE|EXCHANGE|GRANT|REVOKE)\s", re.IGNORECASE
)


def _unfit(endpoint: QueryApiEndpoint) -> str | None:
    """Return the text about a role without its prefix, a misspelt one, or one that cannot do what the query does."""
    roles = endpoint.roles or []
    for role in roles:
        near = similar(role, _CONSOLE_ROLES, 1, LIKE)
        if near and role not in _CONSOLE_ROLES:
            return f": write {near[0]} in place of {role!r}"
    writes = _WRITES.match(NO_CODE.sub(" ", endpoint.sql or ""))
    alone = len(roles) == 1 and roles[0] == _CONSOLE_ROLES[0]
    return f": {writes[1].upper()} needs another than {_CONSOLE_ROLES[0]}" if writes and alone else None


class QueryApiEndpoint(Thing):
    """A query API endpoint (OpenAPI: `PublicQueryApiEndpointRequest`, `PublicQueryApiEndpoint`)."""

    RULES: ClassVar[tuple[Rule[QueryApiEndpoint], ...]] = (
        parameters_of(lambda endpoint: endpoint.sql, lambda endpoint: endpoint.parameters),
        typed_parameters(lambda endpoint: endpoint.sql),
        one_statement(lambda endpoint: endpoint.sql),
        rule(
            lambda endpoint: endpoint.roles,
            f"should be {' or '.join(_CONSOLE_ROLES)}, or a role of the database",
            _unfit,
            warns=True,
            source=API("InstanceServiceQueryApiEndpointsPostRequest.roles"),
        ),
    )

    service_id: Uuid | None = option("Id of the service.", required=True, replaces=True)
    name: FilledText | None = prop("Name of the endpoint.", required=True)
    sql: FilledSql | None = prop("The query, which can contain parameters.", required=True, max_length=LONGEST_SQL)
    database: FilledDatabaseName | None = prop("Database in which the query runs.", required=True)
    parameters: dict[str, Text] | None = prop(
        "Default values of the parameters, by name.", unset={}, taken_out="they have no defaults"
    )
    api_key_ids: list[Uuid] | None = prop(
        "Ids of the API keys that may call it, in any order.", required=True, min_length=1, compare=Compare(as_set)
    )
    roles: list[FilledText] | None = prop(
        "Database roles with which the query runs, such as `sql_console_read_only` or `sql_console_admin`, in any "
        "order.",
        required=True,
        min_length=1,
        compare=Compare(as_set),
    )
    allowed_origins: list[Origin] | None = prop(
        "Origins from which browsers may call it, such as `https://shop.example.com`, in any order.",
        taken_out="no browser may call it",
        compare=Compare(as_set),
    )
    id: Text | None = answered("Id of the endpoint.")
    url: Text | None = answered("Address at which the query runs.")
    owner_type: Text | None = answered("`queryApiEndpoint`, or `user` for an endpoint that was made in the console.")


QUERY_API_ENDPOINT = ResourceType(
    QueryApiEndpoint,
    "An address at which an HTTP request with an API key runs one query of a service. Endpoints that were made in the "
    "console can be read, but not managed.",
    required_outputs=("name", "sql", "database", "apiKeyIds", "roles", "url"),
    state_inputs=("serviceId",),
    only=CLICKHOUSE,
)
