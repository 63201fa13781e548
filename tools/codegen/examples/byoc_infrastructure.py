"""Examples of infrastructures in accounts of one's own."""

from __future__ import annotations

from clouddb_tools.commands.export.statements import Ref, Step

from .example import Example, Examples

_OURS = Step(
    "ours",
    "ByocInfrastructure",
    {
        "regionId": "us-east-1",
        "accountId": "123456789012",
        "availabilityZoneSuffixes": ["a", "b", "c"],
        "vpcCidrRange": "10.0.0.0/16",
        "displayName": "Shop",
        "tags": {"team": "shop"},
        "enablePublicLoadBalancer": True,
    },
)
_OWN_NETWORK = Step(
    "ours",
    "ByocInfrastructure",
    {
        "regionId": "europe-west4",
        "accountId": "shop-production",
        "vpcId": "shop",
        "privateSubnetIds": ["shop-europe-west4"],
        "displayName": "Shop",
        "enablePrivateLink": True,
        "gcpPscSubnetId": "shop-psc",
    },
)
_ID = {"byocInfrastructureId": "6c1f2b3a-4d5e-4f60-8a7b-9c0d1e2f3a44"}

EXAMPLES: Examples = {
    "ByocInfrastructure": (
        Example("Bring your own cloud account", [_OURS], {"byocId": Ref("ours.id")}),
        Example("Use your own network, with private links", [_OWN_NETWORK], {"byocId": Ref("ours.id")}),
    ),
    "getByocInfrastructure": (
        Example(
            "Read an infrastructure",
            [Step("found", "getByocInfrastructure", _ID)],
            {"zones": Ref("found.vpcAvailabilityZoneList")},
        ),
    ),
    "listByocInfrastructures": (
        Example(
            "List the infrastructures",
            [Step("found", "listByocInfrastructures", {})],
            {"infrastructures": Ref("found.byocInfrastructures")},
        ),
    ),
    "getByocPrivateEndpointConfig": (
        Example(
            "Read how private endpoints reach an infrastructure",
            [Step("found", "getByocPrivateEndpointConfig", _ID)],
            {"endpoint": Ref("found.endpointName")},
        ),
    ),
}
