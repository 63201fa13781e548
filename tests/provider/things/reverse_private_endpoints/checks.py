"""Rows of reverse private endpoints: the targets of private names."""

from __future__ import annotations

from typing import Any

from support.rows import UUID, Row, Usual

SERVICE = {"type": "VPC_ENDPOINT_SERVICE", "vpcEndpointServiceName": "com.amazonaws.vpce.us-east-1.vpce-svc-1"}
RESOURCE = {
    "type": "VPC_RESOURCE",
    "vpcResourceConfigurationId": "rcfg-1",
    "vpcResourceShareArn": "arn:aws:ram:us-east-1:123456789012:resource-share/1",
}
ENDPOINT = Usual("ReversePrivateEndpoint", {"serviceId": UUID, "description": "Kafka"})


def names(**target: str) -> dict[str, Any]:
    """Return a mapping of a private name."""
    return {"customPrivateDnsMappings": [{"privateDnsName": "db", **target}]}


CASES: list[Row] = [
    ENDPOINT.rule(
        {**SERVICE, **names()},
        {**SERVICE, **names(targetId="rcfg-1")},
        "customPrivateDnsMappings must have targetId for type `VPC_RESOURCE` only",
    ),
    ENDPOINT.rule(
        {**RESOURCE, **names(targetId="rcfg-1")},
        {**RESOURCE, **names(targetId="vpce-1a2b3c4d")},
        "customPrivateDnsMappings[0].targetId must be the id of a resource configuration, which begins with rcfg-",
    ),
]
