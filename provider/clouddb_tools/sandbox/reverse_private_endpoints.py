"""Reverse private endpoints. DNS names are unique within a service."""

from __future__ import annotations

from pulumi_clouddb.schema.base import wire_names
from pulumi_clouddb.schema.names import property_name
from pulumi_clouddb.schema.thing import body_of
from pulumi_clouddb.things.reverse_private_endpoints.api import ReversePrivateEndpoints
from pulumi_clouddb.things.reverse_private_endpoints.reverse_private_endpoint import (
    EndpointStatus,
    ReversePrivateEndpoint,
)

from .faults import FaultKind
from .lifecycle import GONE, begin
from .pipes import require_running
from .responses import bad_request
from .served import Served
from .state import Call, SandboxState
from .store import Document

STATUS = property_name(ReversePrivateEndpoint, lambda endpoint: endpoint.status)
DNS_NAMES = property_name(ReversePrivateEndpoint, lambda endpoint: endpoint.custom_private_dns_mappings)


class ServedEndpoints(Served):
    """The reverse private endpoints of a service."""

    def create(self, state: SandboxState, call: Call) -> Document:
        """Create an endpoint, which takes a while."""
        require_running(state, self.parent(state, call), "reverse private endpoint creation")
        document = super().create(state, call)
        fails = state.faults.consume(call.operation.name, (FaultKind.FAILED,), state.clock.now(), document)
        outcome = "Failed" if fails else EndpointStatus.READY
        begin(state, document, EndpointStatus.PROVISIONING, outcome, state.latency.start, self.kind, STATUS)
        return document

    def delete(self, state: SandboxState, call: Call) -> None:
        """Delete an endpoint, which takes a while."""
        document = self.get(state, call)
        begin(state, document, EndpointStatus.DELETING, GONE, state.latency.delete, self.kind, STATUS)

    def fields(self, state: SandboxState, call: Call) -> Document:
        """Return the validated fields; an update ignores all but DNS names."""
        fields = super().fields(state, call)
        own = None
        if call.operation.method == "PATCH":
            own, fields = self.get(state, call)["id"], {name: fields[name] for name in fields if name == DNS_NAMES}
        others = [each for each in state.store.all(self.kind, self.parent(state, call)) if each["id"] != own]
        taken = {each["privateDnsName"] for endpoint in others for each in endpoint[DNS_NAMES] or ()}
        for each in fields.get(DNS_NAMES) or ():
            if each["privateDnsName"] in taken:
                raise bad_request(f"request body.{DNS_NAMES}: {each['privateDnsName']} is already used in this service")
        return fields

    def add(self, state: SandboxState, parent: str, fields: Document) -> Document:
        """Add an endpoint with the values that its cloud provider assigns."""
        endpoint_id = f"vpce-{state.ids.object_id()}"
        usual: Document = {
            **dict.fromkeys(wire_names(body_of(ReversePrivateEndpoint))),
            "serviceId": parent,
            "endpointId": endpoint_id,
            "dnsNames": [f"{endpoint_id}.vpce.example.com"],
            "privateDnsNames": [],
            STATUS: EndpointStatus.READY,
            DNS_NAMES: [],
        }
        return super().add(state, parent, {**usual, **fields})


SERVED = ServedEndpoints(
    ReversePrivateEndpoints,
    description="Endpoint",
    type="VPC_ENDPOINT_SERVICE",
    vpcEndpointServiceName="com.amazonaws.vpce.us-east-1.vpce-svc-12345678901234567",
)
