"""Objects of a service that the API cannot change if somebody made them in the console."""

from __future__ import annotations

from pulumi_clouddb.schema.names import property_name
from pulumi_clouddb.things.query_api_endpoints.query_api_endpoint import USER, QueryApiEndpoint

from .responses import conflict
from .served import Served
from .state import Call, SandboxState
from .store import Document

OWNER = property_name(QueryApiEndpoint, lambda endpoint: endpoint.owner_type)


class ServedWithOwner(Served):
    """Queries with parameters; one with the owner `user` was made in the console."""

    strict = True

    def fields(self, state: SandboxState, call: Call) -> Document:
        """Return the validated fields, with defaults."""
        return {"parameters": {}, **super().fields(state, call)}

    def update(self, state: SandboxState, call: Call) -> Document:
        """Replace an object, unless it was made in the console."""
        self._refuse_of_user(state, call)
        return super().update(state, call)

    def delete(self, state: SandboxState, call: Call) -> None:
        """Delete an object, unless it was made in the console."""
        self._refuse_of_user(state, call)
        super().delete(state, call)

    def _refuse_of_user(self, state: SandboxState, call: Call) -> None:
        if self.get(state, call).get(OWNER) == USER:
            raise conflict(f"{self.record} is not managed by this API")
