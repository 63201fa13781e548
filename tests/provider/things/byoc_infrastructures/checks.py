"""Check cases of an infrastructure: the properties of each cloud, and of a network of one's own."""

from __future__ import annotations

from support.rows import UUID, Row, Usual

USUAL = {"regionId": "us-east-1", "accountId": "123456789012"}
BYOC = Usual("ByocInfrastructure", USUAL)
_GOOGLE = {"regionId": "us-east1", "accountId": "shop-prod"}
_AZURE = {"regionId": "eastus2", "accountId": UUID}
_OWN = {"vpcId": "vpc-1", "privateSubnetIds": ["subnet-1"]}
_GOOGLE_OWN = {**_GOOGLE, **_OWN}
_SIX = [f"subnet-{number}" for number in range(6)]
_LATER = {"regionId": "mars-1"}
"""A region whose cloud is not known: the server decides."""

NETWORK = [
    BYOC.rule(
        _OWN, {**_OWN, "vpcCidrRange": "10.0.0.0/16"}, "vpcCidrRange must be left out with vpcId, whose network it is"
    ),
    BYOC.rule(
        {"vpcCidrRange": "10.0.0.0/16"},
        {"vpcCidrRange": "10.0.0.1/16"},
        "vpcCidrRange must be a network such as `10.0.0.0/16`, not '10.0.0.1/16'; did you mean 10.0.0.0/16?",
    ),
    BYOC.rule({"vpcCidrRange": "10.0.0.0/16"}, {"vpcCidrRange": "10.0.0.0"}, "vpcCidrRange must be a network such as"),
    BYOC.rule(_OWN, {"vpcId": "vpc-1"}, "vpcId needs privateSubnetIds"),
    BYOC.rule(
        {**_OWN, "privateSubnetIds": _SIX},
        {**_OWN, "privateSubnetIds": [*_SIX, "subnet-g"]},
        "privateSubnetIds must have at most 6 entries in regions of aws",
    ),
    BYOC.rule(
        _GOOGLE_OWN,
        {**_GOOGLE_OWN, "privateSubnetIds": _SIX[:2]},
        "privateSubnetIds must have exactly one entry in regions of gcp",
    ),
]
OF_OWN_NETWORK = [
    BYOC.rule({**own, **_OWN, **value}, {**own, **value}, f"{name} needs vpcId")
    for own, value in (
        (USUAL, {"publicSubnetIds": ["subnet-9"]}),
        (_GOOGLE, {"gcpPodCidrRangeNames": ["pods"]}),
        (_GOOGLE, {"gcpSharedVpcHostProjectId": "shop-host"}),
    )
    for name in value
]
OF_A_CLOUD = [
    BYOC.rule({**right, **value}, {**wrong, **value}, f"{name} is for regions of {cloud} only")
    for name, value, right, wrong, cloud in (
        ("externalId", {"externalId": "x"}, USUAL, _GOOGLE, "aws"),
        ("tenantId", {"tenantId": UUID}, _AZURE, USUAL, "azure"),
        ("servicePrincipalClientId", {"servicePrincipalClientId": UUID}, _AZURE, USUAL, "azure"),
        ("vpcId", _OWN, _GOOGLE, _AZURE, "aws and gcp"),
        ("publicSubnetIds", {**_OWN, "publicSubnetIds": ["subnet-9"]}, USUAL, _GOOGLE, "aws"),
        ("gcpPodCidrRangeNames", {**_OWN, "gcpPodCidrRangeNames": ["a"]}, _GOOGLE, USUAL, "gcp"),
        ("gcpSharedVpcHostProjectId", {**_OWN, "gcpSharedVpcHostProjectId": "shop-host"}, _GOOGLE, USUAL, "gcp"),
        ("gcpPscSubnetId", {"enablePrivateLink": True, "gcpPscSubnetId": "a"}, _LATER, USUAL, "gcp"),
    )
]
LINKS = [
    BYOC.rule(
        {**_GOOGLE, "enablePrivateLink": True, "gcpPscSubnetId": "psc"},
        {**_GOOGLE, "gcpPscSubnetId": "psc"},
        "gcpPscSubnetId needs enablePrivateLink",
    )
]
TOO_MANY = {f"k{number}": "v" for number in range(51)}
TAGS = [
    BYOC.rule(
        {"tags": {f"k{number}": "v" for number in range(50)}},
        {"tags": TOO_MANY},
        "tags must have at most 50 elements, not {'k0': 'v', 'k1': 'v', 'k2': 'v', 'k3': 'v', 'k4': 'v', 'k5': 'v', "
        "'k6': 'v',...",
    )
]

SUBNETS = [
    BYOC.warned(
        {**_OWN, "publicSubnetIds": ["subnet-9"]},
        {**_OWN, "publicSubnetIds": ["eu-central-1a"]},
        "publicSubnetIds should have ids of subnets, subnet-…, on aws, not 'eu-central-1a'",
    ),
    BYOC.rule(_OWN, {"privateSubnetIds": ["subnet-1"]}, "privateSubnetIds needs vpcId"),
]

CASES: list[Row] = [*SUBNETS, *NETWORK, *OF_OWN_NETWORK, *OF_A_CLOUD, *LINKS, *TAGS]
