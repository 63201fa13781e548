"""Reverse private endpoints of a service."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypedDict

from description.exchange import collection
from description.notation import Uuid


class Name(TypedDict, total=False):
    """A DNS name."""

    privateDnsName: str


class Update(TypedDict, total=False):
    customPrivateDnsMappings: list[Name]


class Create(Update, total=False):
    description: Annotated[str, Field(max_length=255)]
    type: Literal["VPC_ENDPOINT_SERVICE", "VPC_RESOURCE", "MSK_MULTI_VPC", "GCP_PSC_SERVICE_ATTACHMENT"]
    vpcEndpointServiceName: str | None
    vpcResourceConfigurationId: str | None
    vpcResourceShareArn: str | None
    mskClusterArn: str | None
    mskAuthentication: Literal["SASL_IAM", "SASL_SCRAM"] | None
    gcpServiceAttachment: str | None


class Endpoint(Create, total=False):
    id: Uuid
    serviceId: Uuid
    endpointId: str
    dnsNames: list[str]
    privateDnsNames: list[str]
    status: Literal[
        "Unknown", "Provisioning", "Deleting", "Ready", "Failed", "PendingAcceptance", "Rejected", "Expired"
    ]


EXCHANGES = collection("reverse_private_endpoint", "reverse_private_endpoints", Create, Update, Endpoint)
