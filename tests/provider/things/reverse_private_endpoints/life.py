"""Lives of reverse private endpoints."""

from __future__ import annotations

from lives.life import Life, a_service
from lives.wire import WireLife

_KAFKA = """service_id=service_id, description='Kafka', type='VPC_ENDPOINT_SERVICE',
        vpc_endpoint_service_name='com.amazonaws.vpce.us-east-1.vpce-svc-1'"""

ENDPOINT = Life(
    name="ReversePrivateEndpoint",
    kind="reverse_private_endpoints",
    setting=a_service,
    before=_KAFKA,
    after=f"""{_KAFKA}, custom_private_dns_mappings=[
        clouddb.CustomPrivateDnsMappingArgs(private_dns_name='*.kafka.example.com')]""",
    updated=frozenset({"customPrivateDnsMappings"}),
    drift=lambda sandbox, id_: sandbox.change("reverse_private_endpoints", id_, customPrivateDnsMappings=[]),
    drifted=frozenset({"customPrivateDnsMappings"}),
    as_wanted=lambda endpoint: (
        (endpoint["description"], endpoint["status"], endpoint["customPrivateDnsMappings"])
        == ("Kafka", "Ready", [{"privateDnsName": "*.kafka.example.com"}])
    ),
)
LIVES = {"reverse private endpoint": ENDPOINT}

FILES = {
    "serviceId": "$service_id",
    "description": "Files",
    "type": "VPC_RESOURCE",
    "vpcResourceConfigurationId": "rcfg-1",
    "vpcResourceShareArn": "arn:aws:ram:us-east-1:1:resource-share/1",
}

WIRE_LIVES = [
    WireLife(
        "reverse private endpoint",
        ENDPOINT,
        operations=(
            "create_reverse_private_endpoint",
            "update_reverse_private_endpoint",
            "delete_reverse_private_endpoint",
            "list_reverse_private_endpoints",
        ),
        before=FILES,
        after={**FILES, "customPrivateDnsMappings": [{"privateDnsName": "files.example.com"}]},
        details={"customPrivateDnsMappings": "ADD"},
        left_alone=frozenset({"serviceId", "description"}),
    )
]

OF_NO_INPUT = frozenset({"id", "endpointId", "dnsNames", "privateDnsNames", "status", "lastError"})
"""Outputs that tell nothing of an input."""
