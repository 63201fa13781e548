"""Regions of the organization's own cloud account that the vendor prepares for services."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from typing import ClassVar

from pulumi_clouddb.schema.base import Compare, FilledText, Flag, Region, Text, names_with, prop, wire_names
from pulumi_clouddb.schema.check.rules import API, OURS, PAGE, Rule, Source, name_of, rule
from pulumi_clouddb.schema.check.wording import UUID_FORM
from pulumi_clouddb.schema.choice import OpenChoice
from pulumi_clouddb.schema.common import AWS, AZURE, GCP, cloud_of, formed_by
from pulumi_clouddb.schema.equality import as_set
from pulumi_clouddb.schema.names import property_name, property_names
from pulumi_clouddb.schema.provisioned import Provisioned
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.thing import answered, asked, body_of, option
from pulumi_clouddb.schema.usual import PrivateNetwork
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

MOST_TAGS = 50


class ByocState:
    """The states of an infrastructure."""

    PROVISIONING = "infra-provisioning"
    READY = "infra-ready"
    DEGRADED = "infra-degraded"
    UPGRADING = "infra-upgrading"
    TERMINATING = "infra-terminating"
    TERMINATED = "infra-terminated"


class AvailabilityZone(OpenChoice):
    """The letter at the end of an availability zone's name."""

    A = "a"
    B = "b"
    C = "c"
    D = "d"
    E = "e"
    F = "f"


def _no_network(infrastructure: ByocInfrastructure) -> str | None:
    given = infrastructure.vpc_cidr_range
    if given is None:
        return None
    try:
        network = str(ipaddress.ip_network(given, strict=False))
    except ValueError:
        return f", not {given!r}"
    if "/" in given and (network == given or "." in given.partition("/")[2]):
        return None
    return f", not {given!r}" + (f"; did you mean {network}?" if "/" in given else "")


def _odd_size(each: ByocInfrastructure) -> bool:
    """Whether AWS has no VPC of this size."""
    if each.vpc_cidr_range is None or cloud_of(each.region_id) != AWS or _no_network(each):
        return False
    is_mask = "." in each.vpc_cidr_range.partition("/")[2]
    return is_mask or not 16 <= ipaddress.ip_network(each.vpc_cidr_range).prefixlen <= 28


Read = Callable[["ByocInfrastructure"], object]


def _create(read: Read) -> Source:
    """Return the place of a field in the description of a create."""
    return API(f"ByocInfrastructurePostRequest.{name_of(read)}")


_PSC = API("ByocInfrastructurePatchRequest.gcpPscSubnetId")


def _only_on(read: Read, *clouds: str, source: Source | None = None) -> Rule[ByocInfrastructure]:
    """Return the rule that a field is for some clouds only."""

    def broken(each: ByocInfrastructure) -> bool:
        return read(each) is not None and cloud_of(each.region_id) not in (None, *clouds)

    return rule(read, f"is for regions of {' and '.join(clouds)} only", broken, source=source or _create(read))


_PROJECT = r"([a-z0-9.-]+:)?[a-z][a-z0-9-]{4,28}[a-z0-9]"


def _formed(read: Read, text: str, **forms: str) -> Rule[ByocInfrastructure]:
    """Return the rule that ids have the form of their cloud."""
    return formed_by(lambda each: cloud_of(each.region_id), read, text, forms, _create(read))


def _of_own_vpc(read: Read) -> Rule[ByocInfrastructure]:
    """Return the rule that a field needs the user's own VPC."""
    return rule(read, "needs vpcId", lambda each: each.vpc_id is None, given=read, source=_create(read))


def _subnets(each: ByocInfrastructure, most: int, cloud: str) -> bool:
    subnets = each.private_subnet_ids
    return subnets is not None and cloud_of(each.region_id) == cloud and not 1 <= len(subnets) <= most


def _in_both(each: ByocInfrastructure) -> str | None:
    both = sorted({*(each.private_subnet_ids or ())} & {*(each.public_subnet_ids or ())})
    return f", not {both[0]!r}" if both else None


class ByocInfrastructure(Provisioned):
    """An infrastructure (OpenAPI: `ByocInfrastructurePostRequest`, `ByocInfrastructureDetails`, `ByocConfig`)."""

    RULES: ClassVar[tuple[Rule[ByocInfrastructure], ...]] = (
        rule(
            lambda each: each.vpc_cidr_range,
            "must be a network such as `10.0.0.0/16`",
            _no_network,
            source=API("ByocInfrastructurePostRequest.vpcCidrRange"),
        ),
        rule(
            lambda each: each.vpc_cidr_range,
            "should be a network of /16 to /28 in regions of aws",
            _odd_size,
            warns=True,
            source=PAGE("https://docs.aws.amazon.com/vpc/latest/userguide/vpc-cidr-blocks.html"),
        ),
        rule(
            lambda each: each.public_subnet_ids,
            "should be others than privateSubnetIds",
            _in_both,
            warns=True,
            source=OURS,
        ),
        _formed(
            lambda each: each.account_id,
            "should be 12 digits on aws, the id of a project on gcp, and a UUID on azure",
            **{AWS: "[0-9]{12}", GCP: _PROJECT, AZURE: UUID_FORM},
        ),
        _formed(lambda each: each.gcp_shared_vpc_host_project_id, "should be the id of a project", gcp=_PROJECT),
        _formed(lambda each: each.tenant_id, "should be a UUID", azure=UUID_FORM),
        _formed(lambda each: each.service_principal_client_id, "should be a UUID", azure=UUID_FORM),
        _formed(lambda each: each.vpc_id, "should be the id of a VPC, vpc-…, on aws", aws=r"vpc-\w+"),
        _formed(
            lambda each: each.private_subnet_ids, "should have ids of subnets, subnet-…, on aws", aws=r"subnet-\w+"
        ),
        _formed(lambda each: each.public_subnet_ids, "should have ids of subnets, subnet-…, on aws", aws=r"subnet-\w+"),
        rule(
            lambda each: each.vpc_cidr_range,
            "must be left out with vpcId, whose network it is",
            lambda _: True,
            given=lambda each: (each.vpc_cidr_range, each.vpc_id),
            source=API("ByocInfrastructurePostRequest.vpcCidrRange"),
        ),
        rule(
            lambda each: each.vpc_id,
            "needs privateSubnetIds",
            lambda each: each.private_subnet_ids is None,
            given=lambda each: each.vpc_id,
            source=API("ByocInfrastructurePostRequest.vpcId"),
        ),
        _only_on(lambda each: each.vpc_id, AWS, GCP),
        _of_own_vpc(lambda each: each.private_subnet_ids),
        rule(
            lambda each: each.private_subnet_ids,
            "must have at most 6 entries in regions of aws",
            lambda each: _subnets(each, 6, AWS),
            source=API("ByocInfrastructurePostRequest.privateSubnetIds"),
        ),
        rule(
            lambda each: each.private_subnet_ids,
            "must have exactly one entry in regions of gcp",
            lambda each: _subnets(each, 1, GCP),
            source=API("ByocInfrastructurePostRequest.privateSubnetIds"),
        ),
        _of_own_vpc(lambda each: each.public_subnet_ids),
        _only_on(lambda each: each.public_subnet_ids, AWS),
        _of_own_vpc(lambda each: each.gcp_pod_cidr_range_names),
        _only_on(lambda each: each.gcp_pod_cidr_range_names, GCP),
        _of_own_vpc(lambda each: each.gcp_shared_vpc_host_project_id),
        _only_on(lambda each: each.gcp_shared_vpc_host_project_id, GCP),
        _only_on(lambda each: each.external_id, AWS),
        _only_on(lambda each: each.tenant_id, AZURE),
        _only_on(lambda each: each.service_principal_client_id, AZURE),
        rule(
            lambda each: each.gcp_psc_subnet_id,
            "needs enablePrivateLink",
            lambda each: not each.enable_private_link,
            given=lambda each: each.gcp_psc_subnet_id,
            source=_PSC,
        ),
        _only_on(lambda each: each.gcp_psc_subnet_id, GCP, source=_PSC),
    )
    LAST = ("skip_preflight_validation", *Provisioned.LAST)
    READY = "it is ready, or is gone"
    UNREADY = "Why it cannot be used; absent if it can."

    region_id: Region | None = prop("Region in which services can then be created.", required=True, replaces=True)
    account_id: FilledText | None = prop(
        "Id of the cloud account: an AWS account, a GCP project or an Azure subscription. Required for a new "
        "infrastructure; servers before autumn 2026 do not return it.",
        replaces=True,
    )
    external_id: FilledText | None = asked(
        "AWS only: the external id in the trust policy of the vendor's management role. No server returns it.",
        replaces=True,
    )
    tenant_id: FilledText | None = asked(
        "Azure only, and required there for a new infrastructure: the Entra tenant of the subscription. No server "
        "returns it.",
        replaces=True,
    )
    service_principal_client_id: FilledText | None = asked(
        "Azure only, and required there for a new infrastructure: the client id of the service principal with which "
        "the vendor manages the infrastructure. No server returns it.",
        replaces=True,
    )
    availability_zone_suffixes: list[AvailabilityZone] | None = asked(
        "Letters of the availability zones, in any order. No server returns them.",
        replaces=True,
        compare=Compare(as_set),
    )
    vpc_cidr_range: PrivateNetwork | None = prop(
        "Network of the VPC that the vendor creates. Servers before autumn 2026 do not return it.", replaces=True
    )
    vpc_id: FilledText | None = prop(
        "AWS and GCP only: id or name of a VPC of your own to use instead of a new one.", replaces=True
    )
    private_subnet_ids: list[FilledText] | None = prop(
        "Ids or names of the private subnets of your own VPC, in any order.",
        replaces=True,
        min_length=1,
        compare=Compare(as_set),
    )
    public_subnet_ids: list[FilledText] | None = asked(
        "Ids of the public subnets of your own VPC, in any order. No server returns them.",
        replaces=True,
        max_length=6,
        compare=Compare(as_set),
    )
    gcp_pod_cidr_range_names: list[FilledText] | None = prop(
        "Names of the secondary ranges of the subnet that pods use, in any order; by default all of them.",
        replaces=True,
        compare=Compare(as_set),
    )
    gcp_shared_vpc_host_project_id: FilledText | None = prop(
        "Project that owns a shared VPC, if it is not `accountId`.", replaces=True
    )
    display_name: FilledText | None = prop("Display name.")
    tags: dict[str, Text] | None = prop(
        "Tags of the infrastructure, by key.",
        taken_out="they are removed",
        clears={},
        max_length=MOST_TAGS,
    )
    enable_private_link: Flag | None = prop(
        "Whether services can be reached over private links. The server refuses to disable it while a service of the "
        "organization has private endpoints. Like the next three, it is sent once the infrastructure is ready.",
        later=True,
    )
    enable_private_load_balancer: Flag | None = prop("Whether there is an internal load balancer.", later=True)
    enable_public_load_balancer: Flag | None = prop("Whether there is a load balancer for the internet.", later=True)
    gcp_psc_subnet_id: FilledText | None = prop(
        "GCP with your own VPC only: name of the subnet for Private Service Connect.", later=True
    )
    skip_preflight_validation: Flag | None = option(
        "Whether a create does not validate permissions and quotas in the cloud account before.", unset=False
    )
    id: Text | None = answered("Id of the infrastructure, for `byocId` of a service.")
    state: Text | None = answered("State, such as `infra-provisioning`, `infra-ready` or `infra-degraded`.")
    account_name: Text | None = answered("Name of the account.")
    cloud_provider: Text | None = answered("Cloud provider of the region.")
    is_byo_vpc: Flag | None = answered("Whether it is in a VPC of your own.")
    vpc_availability_zone_list: list[Text] | None = answered("Availability zones of the VPC.", copies=("regionId",))
    byo_vpc_id: Text | None = answered("The VPC, if it is your own.", copies=("vpcId",))
    byo_vpc_private_subnet_ids: list[Text] | None = answered(
        "The private subnets of your own VPC.", copies=("privateSubnetIds",)
    )
    byo_vpc_pod_cidr_range_names: list[Text] | None = answered(
        "The ranges of pods in your own VPC.", copies=("gcpPodCidrRangeNames",)
    )
    byo_vpc_shared_vpc_host_project_id: Text | None = answered(
        "The project that owns your own shared VPC.", copies=("gcpSharedVpcHostProjectId",)
    )

    def received(self) -> None:
        """Set the properties of the user's own VPC under their names in requests."""
        self.vpc_id = self.byo_vpc_id
        self.private_subnet_ids = self.byo_vpc_private_subnet_ids
        self.gcp_pod_cidr_range_names = self.byo_vpc_pod_cidr_range_names
        self.gcp_shared_vpc_host_project_id = self.byo_vpc_shared_vpc_host_project_id


OF_DETAILS = property_names(
    ByocInfrastructure,
    lambda each: (
        *(each.account_id, each.vpc_cidr_range, each.vpc_id, each.private_subnet_ids),
        *(each.gcp_pod_cidr_range_names, each.gcp_shared_vpc_host_project_id, each.tags, each.enable_private_link),
        *(each.enable_private_load_balancer, each.enable_public_load_balancer, each.gcp_psc_subnet_id),
        *(each.is_byo_vpc, each.vpc_availability_zone_list, each.byo_vpc_id, each.byo_vpc_private_subnet_ids),
        *(each.byo_vpc_pod_cidr_range_names, each.byo_vpc_shared_vpc_host_project_id),
    ),
)
"""The properties that the record of the organization leaves out."""

NEVER_ANSWERED = property_names(
    ByocInfrastructure,
    lambda each: (
        *(each.external_id, each.tenant_id, each.service_principal_client_id),
        *(each.availability_zone_suffixes, each.public_subnet_ids),
    ),
)
AT_ONCE, LATER = wire_names(body_of(ByocInfrastructure)), names_with(ByocInfrastructure, "later")
"""The properties that a create takes, and those that only an update takes, by wire name."""
IS_BYO_VPC = property_name(ByocInfrastructure, lambda each: each.is_byo_vpc)

BYOC_INFRASTRUCTURE = ResourceType(
    ByocInfrastructure,
    "A region of your own cloud account (BYOC: bring your own cloud) that the vendor prepares for services. A create "
    "validates the account first, and waits until the infrastructure is ready, which takes 30 to 60 minutes. Names, "
    "tags, load balancers and private links can change in place.",
    required_outputs=("regionId", "state"),
    import_id="INFRASTRUCTURE_ID",
    only=CLICKHOUSE,
)
