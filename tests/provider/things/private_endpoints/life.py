"""Lives of private endpoints: only what steers the provider changes in place."""

from __future__ import annotations

from lives.life import Life, a_service
from lives.wire import WireLife

_OFFICE = "endpoint_id='vpce-1', description='Office', cloud_provider='aws', region='us-east-1'"

ENDPOINT = Life(
    name="PrivateEndpoint",
    kind="private_endpoints",
    setting=a_service,
    before=_OFFICE,
    after=f"{_OFFICE}, service_id=service_id",
    updated=frozenset({"serviceId"}),
    drift=None,
    drifted=frozenset(),
    as_wanted=lambda endpoint: (endpoint["id"], endpoint["description"]) == ("vpce-1", "Office"),
)
LIVES = {"private endpoint": ENDPOINT}

OFFICE = {"endpointId": "vpce-1", "description": "Office"}
PLACE = {"cloudProvider": "aws", "region": "us-east-1"}

WIRE_LIVES = [
    WireLife(
        "private endpoint",
        ENDPOINT,
        operations=("create_private_endpoint", "get_organization", "update_organization", "get_organization"),
        before={**OFFICE, "serviceId": "$service_id"},
        after={**OFFICE, **PLACE, "serviceId": "$service_id"},
        details={"cloudProvider": "ADD", "region": "ADD"},
        left_alone=frozenset({"endpointId", "description"}),
        extra=frozenset({"serviceId"}),
    )
]

OF_NO_INPUT = frozenset({"id"})
"""Outputs that tell nothing of an input."""
