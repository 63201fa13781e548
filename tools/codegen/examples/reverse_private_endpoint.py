"""Examples of reverse private endpoints."""

from __future__ import annotations

from clouddb_tools.commands.export.statements import Ref, Step

from .example import SERVICE_ID, Example, Examples

ENDPOINT_ID = "4f1d2c3b-5a69-4788-9c0d-1e2f3a4b5c66"

_CLUSTER = Step(
    "kafka",
    "ReversePrivateEndpoint",
    {
        "serviceId": SERVICE_ID,
        "description": "Kafka of the shop",
        "type": "VPC_ENDPOINT_SERVICE",
        "vpcEndpointServiceName": "com.amazonaws.vpce.us-east-1.vpce-svc-12345678901234567",
        "customPrivateDnsMappings": [{"privateDnsName": "*.kafka.example.com"}],
    },
)

EXAMPLES: Examples = {
    "ReversePrivateEndpoint": (
        Example("Reach brokers in a private network", [_CLUSTER], {"endpointToAccept": Ref("kafka.endpointId")}),
    ),
    "getReversePrivateEndpoint": (
        Example(
            "Read an endpoint",
            [
                Step(
                    "endpoint",
                    "getReversePrivateEndpoint",
                    {"serviceId": SERVICE_ID, "reversePrivateEndpointId": ENDPOINT_ID},
                )
            ],
            {"status": Ref("endpoint.status")},
        ),
    ),
    "listReversePrivateEndpoints": (
        Example(
            "List the endpoints of a service",
            [Step("found", "listReversePrivateEndpoints", {"serviceId": SERVICE_ID})],
            {"endpoints": Ref("found.reversePrivateEndpoints")},
        ),
    ),
}
