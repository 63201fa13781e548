"""Reverse private endpoints. DNS names are unique within a service."""

from __future__ import annotations

from collections.abc import Iterable

from pulumi_clouddb.schema.base import wire_names
from pulumi_clouddb.schema.names import property_name
from pulumi_clouddb.schema.thing import body_of
from pulumi_clouddb.things.reverse_private_endpoints.api import ReversePrivateEndpoints
from pulumi_clouddb.things.reverse_private_endpoints.reverse_private_endpoint import (
    EndpointStatus,
    ReversePrivateEndpoint,
    ReversePrivateEndpointType,
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
            old = self.get(state, call)
            own, fields = old["id"], {name: fields[name] for name in fields if name == DNS_NAMES}
            _refuse_unknown_targets(old, fields.get(DNS_NAMES) or ())
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
            "dnsTargets": [_target_of(fields)] if fields.get("type") == ReversePrivateEndpointType.VPC_RESOURCE else [],
            STATUS: EndpointStatus.READY,
            DNS_NAMES: [],
        }
        return super().add(state, parent, {**usual, **fields})

    def shown(self, state: SandboxState, document: Document) -> Document:
        """Return the record with the names that are served: those of the endpoint itself, or of one of its targets."""
        targets = {each["id"]: each["internalDnsName"] for each in document["dnsTargets"]}
        targets[None] = next(iter(document["dnsNames"]), None)
        names = [(each["privateDnsName"], targets.get(each.get("targetId"))) for each in document[DNS_NAMES] or ()]
        served = [{"privateDnsName": name, "internalDnsName": target} for name, target in names if target]
        return {**document, "privateDnsMappings": served}


def _target_of(fields: Document) -> Document:
    id_ = fields["vpcResourceConfigurationId"]
    return {"id": id_, "kind": "RESOURCE_CONFIGURATION", "internalDnsName": f"{id_}.vpce.example.com"}


def _refuse_unknown_targets(old: Document, mappings: Iterable[Document]) -> None:
    """Refuse a changed target that the endpoint does not have, once it has some."""
    known = {each["id"] for each in old["dnsTargets"]}
    before = {each["privateDnsName"]: each.get("targetId") for each in old[DNS_NAMES] or ()}
    for each in mappings:
        target = each.get("targetId")
        if known and target not in (None, before.get(each["privateDnsName"]), *known):
            raise bad_request(f"request body.{DNS_NAMES}: targetId {target} is not in dnsTargets")


SERVED = ServedEndpoints(
    ReversePrivateEndpoints,
    description="Endpoint",
    type="VPC_ENDPOINT_SERVICE",
    vpcEndpointServiceName="com.amazonaws.vpce.us-east-1.vpce-svc-12345678901234567",
)
