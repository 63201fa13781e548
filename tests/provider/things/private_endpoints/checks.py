"""Rows of private endpoints."""

from __future__ import annotations

from support.rows import UUID, Row, Usual

ENDPOINT = Usual("PrivateEndpoint", {"serviceId": UUID, "endpointId": "vpce-0a1b2c3d4e5f6a7b8"})
CASES: list[Row] = [
    ENDPOINT.rule(
        {"serviceId": None, "cloudProvider": "aws", "region": "us-east-1"},
        {"serviceId": None, "cloudProvider": "aws"},
        "serviceId or both cloudProvider and region are needed",
    )
]
