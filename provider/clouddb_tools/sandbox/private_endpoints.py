"""Private endpoints: a service registers them, and the organization lists and removes them."""

from __future__ import annotations

from collections.abc import Iterator

from pulumi_clouddb.schema.base import FilledText, Model, Text, prop
from pulumi_clouddb.things.private_endpoints.api import PrivateEndpoints

from .lifecycle import SERVICES
from .responses import bad_request, not_found
from .served import Handler, Served
from .state import Call, SandboxState
from .store import Document

ENDPOINTS, ATTACHED = "privateEndpoints", "privateEndpointIds"


class NewEndpoint(Model):
    """Body of a create."""

    id: FilledText = prop("Id of the endpoint.", required=True)
    description: Text | None = prop("What it is for.")


class ServedPrivateEndpoints(Served):
    """The private endpoints; the organization handles all operations but create."""

    def handlers(self) -> Iterator[tuple[str, Handler]]:
        """Yield the handler of create."""
        yield from ((name, each) for name, each in super().handlers() if name == PrivateEndpoints.CREATE.managed.name)

    def create(self, state: SandboxState, call: Call) -> Document:
        """Register an endpoint and attach it to the service."""
        service = state.store.get(SERVICES, call.stack.lower())
        if service is None:
            raise not_found("Service")
        body = self.checked(state, NewEndpoint, call.body)
        document = add_endpoint(state, {**body, "cloudProvider": service["provider"], "region": service["region"]})
        state.store.put(SERVICES, service["id"], {**service, ATTACHED: [*service[ATTACHED], document["id"]]})
        return document

    def add(self, state: SandboxState, parent: str, fields: Document) -> Document:
        """Add an endpoint; `endpointId` is its id."""
        own = fields.pop("endpointId", None) or f"vpce-{state.ids.object_id()}"
        place = {"cloudProvider": "aws", "region": "us-east-1"}
        return add_endpoint(state, {"id": own, **place, **fields})

    def remove(self, state: SandboxState, id_: str) -> None:
        """Remove an endpoint, also from the services it is attached to."""
        state.store.delete(self.kind, id_)
        for service in state.store.all(SERVICES):
            if id_ in service[ATTACHED]:
                others = [each for each in service[ATTACHED] if each != id_]
                state.store.put(SERVICES, service["id"], {**service, ATTACHED: others})


SERVED = ServedPrivateEndpoints(PrivateEndpoints, NewEndpoint)


def add_endpoint(state: SandboxState, fields: Document) -> Document:
    """Register an endpoint, or refuse an id that is registered already."""
    document: Document = {"description": "", **{name: value for name, value in fields.items() if value is not None}}
    if state.store.get(SERVED.kind, document["id"]):
        raise bad_request(f"Private endpoint {document['id']} already exists")
    state.store.put(SERVED.kind, document["id"], document)
    return document
