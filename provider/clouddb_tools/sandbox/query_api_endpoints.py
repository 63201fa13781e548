"""Query API endpoints of a service; those that were made in the console cannot be changed."""

from __future__ import annotations

from pulumi_clouddb.things.query_api_endpoints.api import QueryApiEndpoints

from .owners import OWNER, ServedWithOwner
from .state import Call, SandboxState
from .store import Document


class ServedQueryApiEndpoints(ServedWithOwner):
    """The query API endpoints of a service; one that is added with the owner `user` was made in the console."""

    def fields(self, state: SandboxState, call: Call) -> Document:
        """Return the validated fields, with defaults."""
        return {"allowedOrigins": [], **super().fields(state, call)}

    def add(self, state: SandboxState, parent: str, fields: Document) -> Document:
        """Add an endpoint with its owner."""
        return super().add(state, parent, {OWNER: "queryApiEndpoint", **fields})

    def kept(self, old: Document) -> Document:
        """Return the fields that a replacement keeps."""
        return {**super().kept(old), OWNER: old[OWNER]}

    def shown(self, state: SandboxState, document: Document) -> Document:
        """Return an endpoint with its address."""
        return {**document, "url": f"https://queries.example.com/run/{document['id']}"}


SERVED = ServedQueryApiEndpoints(
    QueryApiEndpoints,
    name="Endpoint",
    sql="SELECT 1",
    database="default",
    parameters={},
    apiKeyIds=["3b8f5c1e-6d2a-4f7b-8c90-1a2b3c4d5e6f"],
    roles=["sql_console_read_only"],
    allowedOrigins=[],
)
