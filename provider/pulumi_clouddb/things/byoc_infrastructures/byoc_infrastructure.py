"""Regions of the organization's own cloud account that the vendor prepares for services."""

from __future__ import annotations

import ipaddress

from pulumi_clouddb.schema.base import Compare, FilledText, Text, prop
from pulumi_clouddb.schema.choice import OpenChoice
from pulumi_clouddb.schema.equality import as_set
from pulumi_clouddb.schema.names import property_names
from pulumi_clouddb.schema.provisioned import Provisioned
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.rules import Rule, RuleContext
from pulumi_clouddb.schema.thing import answered, asked
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE


class ByocState:
    """The states of an infrastructure."""

    PROVISIONING = "infra-provisioning"
    READY = "infra-ready"
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


def _no_network(infrastructure: ByocInfrastructure, _: RuleContext) -> bool:
    try:
        ipaddress.ip_network(infrastructure.vpc_cidr_range or "10.0.0.0/16")
    except ValueError:
        return True
    return "/" not in (infrastructure.vpc_cidr_range or "/")


class ByocInfrastructure(Provisioned):
    """An infrastructure (OpenAPI: `ByocInfrastructurePostRequest`, `ByocConfig`)."""

    OPTION_RULES = (Rule(lambda each: each.vpc_cidr_range, _no_network, "must be a network such as `10.0.0.0/16`"),)
    READY = "it is ready, or is gone"
    UNREADY = "Why it cannot be used; absent if it can."

    region_id: FilledText | None = prop("Region in which services can then be created.", required=True, replaces=True)
    account_id: FilledText | None = asked(
        "Id of the cloud account. Required for a new infrastructure; no server returns it.", replaces=True
    )
    availability_zone_suffixes: list[AvailabilityZone] | None = asked(
        "Letters of the availability zones, in any order. No server returns them.",
        replaces=True,
        compare=Compare(as_set),
    )
    vpc_cidr_range: FilledText | None = asked("Network of the VPC. No server returns it.", replaces=True)
    display_name: FilledText | None = prop("Display name.")
    id: Text | None = answered("Id of the infrastructure, for `byocId` of a service.")
    state: Text | None = answered("State: `infra-provisioning` or `infra-ready`.")
    account_name: Text | None = answered("Name of the account.")
    cloud_provider: Text | None = answered("Cloud provider of the region.")


NEVER_ANSWERED = property_names(
    ByocInfrastructure, lambda each: (each.account_id, each.availability_zone_suffixes, each.vpc_cidr_range)
)

BYOC_INFRASTRUCTURE = ResourceType(
    ByocInfrastructure,
    "A region of a cloud account of your own (BYOC) that the vendor prepares for services. A create waits until it "
    "is ready, for which the account may have to grant permissions. Only its name can change in place.",
    required_outputs=("regionId", "state"),
    import_id="INFRASTRUCTURE_ID",
    only=CLICKHOUSE,
)
