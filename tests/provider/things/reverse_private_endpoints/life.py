"""Lives of reverse private endpoints."""

from __future__ import annotations

from lives.life import Life, a_service
from lives.wire import wire_life

_KAFKA = {
    "serviceId": "$service_id",
    "description": "Kafka",
    "type": "VPC_ENDPOINT_SERVICE",
    "vpcEndpointServiceName": "com.amazonaws.vpce.us-east-1.vpce-svc-1",
}
_FILES = {
    "serviceId": "$service_id",
    "description": "Files",
    "type": "VPC_RESOURCE",
    "vpcResourceConfigurationId": "rcfg-1",
    "vpcResourceShareArn": "arn:aws:ram:us-east-1:1:resource-share/1",
}

ENDPOINT = Life(
    "ReversePrivateEndpoint",
    before=_KAFKA,
    after={**_KAFKA, "customPrivateDnsMappings": [{"privateDnsName": "*.kafka.example.com"}]},
    drift={"customPrivateDnsMappings": []},
    other={"vpcResourceConfigurationId": "mine"},
    setting=a_service,
)
LIVES = {"reverse private endpoint": ENDPOINT}

WIRE_LIVES = [
    wire_life(
        "reverse private endpoint",
        ENDPOINT,
        _FILES,
        {**_FILES, "customPrivateDnsMappings": [{"privateDnsName": "files.example.com", "targetId": "rcfg-1"}]},
    )
]

OF_NO_INPUT = frozenset(
    {"endpointId", "dnsNames", "privateDnsNames", "privateDnsMappings", "dnsTargets", "status", "lastError"}
)
"""Outputs that copy no input."""
