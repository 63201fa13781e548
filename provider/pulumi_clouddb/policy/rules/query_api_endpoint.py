"""Rules about query API endpoints: from where browsers may call them, and with which role they query."""

from __future__ import annotations

from pulumi_policy import Severity

from pulumi_clouddb.policy.rule import Context, Finding, Findings, Settings, rule, shown, without_role
from pulumi_clouddb.schema.view import path_of
from pulumi_clouddb.things.query_api_endpoints.query_api_endpoint import QUERY_API_ENDPOINT, QueryApiEndpoint
from pulumi_clouddb.things.services.enums import QueryRole

ANY_ORIGIN = "*"


@rule(
    QUERY_API_ENDPOINT,
    "query-endpoint-no-any-origin",
    "A query API endpoint is not open to every website.",
    severity=Severity.HIGH,
    comply="List the origins of your own websites in allowedOrigins, or omit it if no browser calls the endpoint.",
    tags=("network", "security"),
    control="SC-7 Boundary Protection",
)
def query_endpoint_no_any_origin(endpoint: QueryApiEndpoint, _: Context[Settings]) -> Findings:
    """Check the origins."""
    if ANY_ORIGIN in (endpoint.allowed_origins or ()):
        found = f"contains {shown(ANY_ORIGIN)}"
        yield Finding(path_of(endpoint, "allowed_origins"), found, "list the origins of your websites")


@rule(
    QUERY_API_ENDPOINT,
    "query-endpoint-no-admin",
    "A query API endpoint does not query with the role of an administrator.",
    severity=Severity.HIGH,
    comply="Assign the endpoint a database role that can read what its query needs.",
    tags=("least-privilege", "security"),
    control="AC-6 Least Privilege",
)
def query_endpoint_no_admin(endpoint: QueryApiEndpoint, _: Context[Settings]) -> Findings:
    """Check the roles."""
    admin = QueryRole.SQL_CONSOLE_ADMIN.value
    if admin in (endpoint.roles or ()):
        better = f"use {QueryRole.SQL_CONSOLE_READ_ONLY.value}, or a role of your own"
        yield Finding(path_of(endpoint, "roles"), f"contains {shown(admin)}", better)


query_endpoint_no_admin.fix(without_role(QueryRole.SQL_CONSOLE_ADMIN.value))
