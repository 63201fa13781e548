"""Operations of the vendor's servers that identify the server and the key."""

from __future__ import annotations

from pulumi_clouddb.schema.config import SELF_HOSTED_PREFIX
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

from .operation import ORGANIZATION, Operation, ServerKind

ORGANIZATIONS = Operation(
    "list_organizations",
    "GET",
    ORGANIZATION.rpartition("/")[0],
    "Organization",
    "list the organizations",
    only=CLICKHOUSE,
)
"""The one organization that the key belongs to (OpenAPI: `organizationGetList`)."""

WHO_AM_I = Operation(
    "who_am_i", "GET", SELF_HOSTED_PREFIX, "User", "get the user of the token", server_kind=ServerKind.SELF_HOSTED
)
"""The user of the token; the response has no envelope (routers/external-api/v2/index.ts)."""

HEALTH = Operation("health", "GET", "/health", "Health", "get the version", server_kind=ServerKind.SELF_HOSTED)
"""The version; the request needs no token, and the response has no envelope (routers/api/root.ts)."""
