"""Reverse private endpoints, through which pipes of a service reach sources in a private network."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, ClassVar

from pulumi_clouddb.schema.base import Compare, FilledHostName, FilledProse, FilledText, Record, Text, Uuid, prop
from pulumi_clouddb.schema.check.rules import API, OURS, Rule, rule, wire_case
from pulumi_clouddb.schema.check.wording import doubted, matching
from pulumi_clouddb.schema.choice import OpenChoice
from pulumi_clouddb.schema.equality import as_set
from pulumi_clouddb.schema.provisioned import Provisioned
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.thing import Part, answered
from pulumi_clouddb.schema.usual import EndpointServiceName, arn_of
from pulumi_clouddb.schema.vendor import repeated
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE


class ReversePrivateEndpointType(OpenChoice):
    """Targets of reverse private endpoints."""

    VPC_ENDPOINT_SERVICE = "VPC_ENDPOINT_SERVICE", "an endpoint service of AWS"
    VPC_RESOURCE = "VPC_RESOURCE", "a VPC resource of AWS"
    MSK_MULTI_VPC = "MSK_MULTI_VPC", "a cluster of Amazon MSK with multi-VPC connectivity"
    GCP_PSC_SERVICE_ATTACHMENT = "GCP_PSC_SERVICE_ATTACHMENT", "a service attachment of Google Cloud, in preview"


class MskAuthentication(OpenChoice):
    """Authentication methods of an Amazon MSK cluster."""

    SASL_IAM = "SASL_IAM", "a role of AWS"
    SASL_SCRAM = "SASL_SCRAM", "user name and password"


class EndpointStatus:
    """The states that matter for a wait; servers may report others."""

    PROVISIONING = "Provisioning"
    DELETING = "Deleting"
    READY = "Ready"
    UNUSABLE = frozenset({"Failed", "Rejected", "Expired"})


ConfigurationId = Annotated[FilledText, doubted("should be the id of a configuration, rcfg-…", matching("rcfg-.+"))]
ShareArn = Annotated[FilledText, arn_of("a resource share, arn:aws:ram:…:resource-share/…", "ram:.*:resource-share/.+")]
ClusterArn = Annotated[FilledText, arn_of("a cluster, arn:aws:kafka:…:cluster/…", "kafka:.*:cluster/.+")]
_ATTACHMENT = matching("projects/.+/regions/.+/serviceAttachments/.+")
Attachment = Annotated[FilledText, doubted("should be projects/…/regions/…/serviceAttachments/… alone", _ATTACHMENT)]

NEEDS: Mapping[str, tuple[str, ...]] = {
    "VPC_ENDPOINT_SERVICE": ("vpc_endpoint_service_name",),
    "VPC_RESOURCE": ("vpc_resource_configuration_id", "vpc_resource_share_arn"),
    "MSK_MULTI_VPC": ("msk_cluster_arn", "msk_authentication"),
    "GCP_PSC_SERVICE_ATTACHMENT": ("gcp_service_attachment",),
}
"""The attributes that each type requires."""


def _lacks(endpoint: ReversePrivateEndpoint) -> str | None:
    missing = [name for name in NEEDS.get(str(endpoint.type), ()) if getattr(endpoint, name) is None]
    return f"; missing: {', '.join(map(wire_case, missing))}" if missing else None


def _of_another_type(endpoint: ReversePrivateEndpoint) -> str | None:
    if str(endpoint.type) not in NEEDS:
        return None
    others = [name for type_, names in NEEDS.items() for name in names if type_ != endpoint.type]
    foreign = [wire_case(name) for name in others if getattr(endpoint, name) is not None]
    return f": remove {', '.join(foreign)}" if foreign else None


def _targets_elsewhere(endpoint: ReversePrivateEndpoint) -> bool:
    mappings = endpoint.custom_private_dns_mappings or ()
    with_target = any(each.target_id is not None for each in mappings)
    return with_target and endpoint.type != ReversePrivateEndpointType.VPC_RESOURCE


_NAMES = API("CreateReversePrivateEndpoint.customPrivateDnsMappings")


class CustomPrivateDnsMapping(Part):
    """A DNS name of a reverse private endpoint."""

    RULES: ClassVar[tuple[Rule[CustomPrivateDnsMapping], ...]] = (
        rule(
            lambda mapping: mapping.target_id,
            "must be the id of a resource configuration, which begins with rcfg-",
            lambda mapping: not (mapping.target_id or "rcfg-").startswith("rcfg-"),
            source=API("CustomPrivateDnsMapping.targetId"),
        ),
        rule(
            lambda each: each.private_dns_name,
            "should have a wildcard only in front, such as `*.example.com`, and no dot at its end",
            lambda each: re.search(r".\*|\A\*[^.]|\.\Z", each.private_dns_name or ""),
            warns=True,
            source=_NAMES,
        ),
    )

    private_dns_name: FilledHostName | None = prop(
        "Name, or wildcard such as `*.example.com`. It must be unique in the service.", required=True
    )
    target_id: FilledText | None = prop(
        "Id of the resource configuration that the name leads to, of an endpoint of type `VPC_RESOURCE`: one of "
        "`dnsTargets`, once the endpoint has some. Until it is one of them, the name is not served."
    )


class PrivateDnsMapping(Record):
    """A DNS name that is served."""

    private_dns_name: Text | None = prop("Name by which pipes reach the source.")
    internal_dns_name: Text | None = prop("Name that it leads to.")


class DnsTarget(Record):
    """A target of DNS names."""

    id: Text | None = prop("Id of the resource configuration, for `targetId` of a mapping.")
    kind: Text | None = prop("Kind of the target, such as `RESOURCE_CONFIGURATION`.")
    internal_dns_name: Text | None = prop("Name of the target.")


class ReversePrivateEndpoint(Provisioned):
    """A reverse private endpoint (OpenAPI: `CreateReversePrivateEndpoint`, `ReversePrivateEndpoint`)."""

    RULES: ClassVar[tuple[Rule[ReversePrivateEndpoint], ...]] = (
        rule(
            lambda each: each.type,
            "needs the properties that identify its target",
            _lacks,
            source=API("CreateReversePrivateEndpoint"),
        ),
        rule(
            lambda each: each.custom_private_dns_mappings,
            "is not for type `MSK_MULTI_VPC`",
            lambda each: (
                each.type == ReversePrivateEndpointType.MSK_MULTI_VPC and bool(each.custom_private_dns_mappings)
            ),
            source=_NAMES,
        ),
        rule(
            lambda each: each.custom_private_dns_mappings,
            "must have targetId for type `VPC_RESOURCE` only",
            _targets_elsewhere,
            source=API("CustomPrivateDnsMapping.targetId"),
        ),
        rule(
            lambda each: each.type,
            "should be that of all properties that identify a target",
            _of_another_type,
            warns=True,
            source=OURS,
        ),
        rule(
            lambda endpoint: endpoint.custom_private_dns_mappings,
            "should have each name once",
            lambda endpoint: repeated(each.private_dns_name for each in endpoint.custom_private_dns_mappings or ()),
            warns=True,
            source=_NAMES,
        ),
    )
    READY = "it is provisioned, or deleted"
    UNREADY = "Why it cannot be used; absent if it can be, or is not accepted yet."

    service_id: Uuid | None = prop(
        "Id of the service whose pipes use it.", required=True, replaces=True, provider_only=True
    )
    description: FilledProse | None = prop(
        "Purpose; it also distinguishes endpoints.", required=True, replaces=True, max_length=255
    )
    type: ReversePrivateEndpointType | None = prop("Kind of the target.", required=True, replaces=True)
    vpc_endpoint_service_name: EndpointServiceName | None = prop("Name of the VPC endpoint service.", replaces=True)
    vpc_resource_configuration_id: ConfigurationId | None = prop("Id of the VPC resource configuration.", replaces=True)
    vpc_resource_share_arn: ShareArn | None = prop("ARN of the VPC resource share.", replaces=True)
    msk_cluster_arn: ClusterArn | None = prop("ARN of the MSK cluster.", replaces=True)
    msk_authentication: MskAuthentication | None = prop("Authentication at the MSK cluster.", replaces=True)
    gcp_service_attachment: Attachment | None = prop(
        "URI of the service attachment, `projects/…/regions/…/serviceAttachments/…`.", replaces=True
    )
    custom_private_dns_mappings: list[CustomPrivateDnsMapping] | None = prop(
        "DNS names by which pipes reach the source, in any order. On AWS they are in preview: ask the vendor to "
        "enable them for a service. On Google Cloud, every service has them.",
        compare=Compare(as_set),
        taken_out="they are removed",
        clears=[],
    )
    id: Text | None = answered("Id of the reverse private endpoint, for `reversePrivateEndpointIds` of pipes.")
    endpoint_id: Text | None = answered("Id of the endpoint at the cloud provider, which its owner may have to accept.")
    dns_names: list[Text] | None = answered("Internal DNS names.")
    private_dns_names: list[Text] | None = answered("Private DNS names.")
    private_dns_mappings: list[PrivateDnsMapping] | None = answered("DNS names that are served, with their targets.")
    dns_targets: list[DnsTarget] | None = answered("Targets that DNS names can have.")
    status: Text | None = answered(
        "State as the server names it; `PendingAcceptance` waits for the owner of the source."
    )


REVERSE_PRIVATE_ENDPOINT = ResourceType(
    ReversePrivateEndpoint,
    "A reverse private endpoint, through which pipes of a service reach a source in a private network. A create waits "
    "until it is provisioned; the owner of the source may have to accept it. Only its DNS names can change in place.",
    required_outputs=("serviceId", "description", "type"),
    state_inputs=("serviceId",),
    only=CLICKHOUSE,
)
