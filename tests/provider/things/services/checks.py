"""Check cases of a service: valid and invalid inputs for each limit and rule of the interface."""

from __future__ import annotations

from support.rows import CIDR, IDS, UUID, Row

from .vendor_checks import SERVICE, SERVICES

SIZES = "must be one of 48, 116, 172, 232 when byocId is given"
LETTERS = "name must contain only letters, digits and spaces"
LONG = "new_orders" * 6
SOURCE = f"ipAccessList[0].source {CIDR}"
FIRST = (
    "numReplicas must be at least 2 for the first service of a warehouse, not 1; "
    "set dataWarehouseId, or set clouddb:organizationTier to BASIC"
)
REGIONS = (
    "ap-northeast-1 ap-south-1 ap-southeast-1 ap-southeast-2 eu-central-1 eu-west-1 eu-west-2 me-central-1 us-east-1 "
    "us-east-2 us-west-2 us-east1 us-central1 europe-west4 asia-southeast1 eastus eastus2 westus3 germanywestcentral"
)
TIERS = (
    "development production dedicated_high_mem dedicated_high_cpu dedicated_standard dedicated_standard_n2d_standard_4 "
    "dedicated_standard_n2d_standard_8 dedicated_standard_n2d_standard_32 dedicated_standard_n2d_standard_128 "
    "dedicated_standard_n2d_standard_32_16SSD dedicated_standard_n2d_standard_64_24SSD"
)
PROFILES = (
    "v1-default v1-highmem-xs v1-highmem-s v1-highmem-m v1-highmem-l v1-highmem-xl v1-highcpu-s v1-highcpu-m "
    "v1-highcpu-l v1-highcpu-xl"
)

NAME = [
    SERVICE.rule({"name": "n" * 50}, {"name": "n" * 51}, "name must have at most 50 characters but has 51"),
    SERVICE.rule({"name": "n"}, {"name": ""}, "name must have at least 1 character(s), not ''"),
    SERVICE.rule({}, {"name": None}, "name is required"),
    *(
        SERVICE.rule({"name": "Orders 2 EU"}, {"name": name}, f"{LETTERS}, not {name!r}")
        for name in ("or-ders", "or.ders", "or_ders", "Öl")
    ),
    SERVICE.rule(
        {}, {"name": LONG}, f"{LETTERS}, not {LONG!r}", f"name must have at most 50 characters but has {len(LONG)}"
    ),
]

RANGES = [
    *SERVICE.limits("minTotalMemoryGb", 24, 1068, 12, 1080),
    *SERVICE.limits("maxTotalMemoryGb", 24, 1068, 12, 1080),
    *SERVICE.limits("minReplicaMemoryGb", 8, 356, 4, 360),
    *SERVICE.limits("maxReplicaMemoryGb", 8, 356, 4, 360),
    SERVICE.limits("numReplicas", 2, 20, 1, 21)[1],
    SERVICE.rule(
        {"idleTimeoutMinutes": 5}, {"idleTimeoutMinutes": 4.5}, "idleTimeoutMinutes must be at least 5, not 4.5"
    ),
    SERVICE.rule(
        {"waitTimeoutMinutes": 0}, {"waitTimeoutMinutes": -1}, "waitTimeoutMinutes must be at least 0, not -1"
    ),
    *(
        SERVICE.rule({name: good}, {name: bad}, f"{name} must be a multiple of {step}, not {bad}")
        for name, step, good, bad in (
            ("minTotalMemoryGb", 12, 36, 38),
            ("maxTotalMemoryGb", 12, 36, 40),
            ("minReplicaMemoryGb", 4, 12, 14),
            ("maxReplicaMemoryGb", 4, 12, 9),
        )
    ),
    SERVICE.rule(
        {"minReplicaMemoryGb": 8, "maxReplicaMemoryGb": 356},
        {"minReplicaMemoryGb": 6, "maxReplicaMemoryGb": 357},
        "minReplicaMemoryGb must be at least 8, not 6",
        "minReplicaMemoryGb must be a multiple of 4, not 6",
        "maxReplicaMemoryGb must be at most 356, not 357",
        "maxReplicaMemoryGb must be a multiple of 4, not 357",
    ),
]

PAYMENT = [
    SERVICE.rule(
        {"maxReplicaMemoryGb": 120},
        {"maxReplicaMemoryGb": 124},
        "maxReplicaMemoryGb must be at most 120 while clouddb:paid is false, not 124",
        paid="false",
    ),
    SERVICE.rule(
        {"maxTotalMemoryGb": 360},
        {"maxTotalMemoryGb": 372},
        "maxTotalMemoryGb must be at most 360 while clouddb:paid is false, not 372",
        paid="false",
    ),
]

ONE = {"numReplicas": 1}
BETWEEN_FIELDS = [
    SERVICE.rule({"numReplicas": 2}, ONE, FIRST),
    SERVICE.rule({**ONE, "dataWarehouseId": "w"}, ONE, FIRST),
    SERVICE.rule({**ONE, "tier": "development"}, ONE, FIRST),
    SERVICE.rule({"numReplicas": 2}, ONE, FIRST, organizationTier="SCALE"),
    SERVICE.rule({"numReplicas": 2}, ONE, FIRST, organizationTier="ENTERPRISE"),
    SERVICE.rule(ONE, {"numReplicas": 0}, "numReplicas must be at least 1, not 0", organizationTier="BASIC"),
    SERVICE.rule(
        {"isReadonly": True, "dataWarehouseId": "w"},
        {"isReadonly": True},
        "isReadonly may be true only together with dataWarehouseId, which is not given",
    ),
    SERVICE.rule(
        {"byocId": "b", "minReplicaMemoryGb": 48, "maxReplicaMemoryGb": 232},
        {"byocId": "b"},
        "minReplicaMemoryGb is required when byocId is given",
        "maxReplicaMemoryGb is required when byocId is given",
    ),
    SERVICE.rule(
        {"byocId": "b", "minReplicaMemoryGb": 116, "maxReplicaMemoryGb": 172},
        {"byocId": "b", "minReplicaMemoryGb": 48, "maxReplicaMemoryGb": 120},
        f"maxReplicaMemoryGb {SIZES}, not 120",
    ),
    SERVICE.rule(
        {"minReplicaMemoryGb": 16, "maxReplicaMemoryGb": 16},
        {"minReplicaMemoryGb": 20, "maxReplicaMemoryGb": 16},
        "minReplicaMemoryGb must be at most maxReplicaMemoryGb (16), not 20",
    ),
    SERVICE.rule(
        {"minTotalMemoryGb": 48, "maxTotalMemoryGb": 48},
        {"minTotalMemoryGb": 60, "maxTotalMemoryGb": 48},
        "minTotalMemoryGb must be at most maxTotalMemoryGb (48), not 60",
    ),
    SERVICE.rule(
        {"provider": "azure", "tier": "production"},
        {"provider": "azure", "tier": "development"},
        "tier must not be development on azure, which does not have that tier",
    ),
    *(
        SERVICE.rule(
            {"tier": "production", name: value},
            {"tier": "development", name: value},
            f"{name} is for production services only, not for tier development: {value}",
        )
        for name, value in (("minTotalMemoryGb", 24), ("maxTotalMemoryGb", 24), ("releaseChannel", "fast"))
    ),
]

ENUMS = [
    *SERVICE.one_of("provider", "aws gcp azure"),
    *SERVICE.one_of("region", REGIONS),
    *SERVICE.one_of("tier", TIERS),
    *SERVICE.one_of("releaseChannel", "slow default fast"),
    *SERVICE.one_of("profile", PROFILES),
    *SERVICE.one_of("complianceType", "hipaa pci"),
]

FORMS = [
    SERVICE.rule({"backupId": UUID}, {"backupId": "b-1"}, f"backupId must be a UUID, not 'b-1'{IDS}"),
    *SERVICE.filled(dataWarehouseId="x", encryptionAssumedRoleIdentifier="arn:aws:iam::123456789012:role/disks"),
    *(
        SERVICE.rule(
            {"ipAccessList": [{"source": source}]}, {"ipAccessList": [{"source": "any"}]}, f"{SOURCE}, not 'any'"
        )
        for source in ("203.0.113.7", "203.0.113.0/24", "0.0.0.0/0", "2001:db8::/32")
    ),
    SERVICE.rule(
        {"ipAccessList": [{"source": "10.0.0.1", "description": "office"}]},
        {"ipAccessList": [{"source": "10.0.0.1"}, {"source": "10.0.0.2"}, {"source": "10.0.0.300"}, {}]},
        f"ipAccessList[2].source {CIDR}, not '10.0.0.300'",
        "ipAccessList[3].source is required",
    ),
    SERVICE.rule(
        {"ipAccessList": []},
        {"ipAccessList": [{"source": "10.0.0.1", "label": "x"}, "10.0.0.2"]},
        "ipAccessList[0].label is not supported here; it has source, description",
        "ipAccessList[1] must be an object, not '10.0.0.2'; did you mean {'source': '10.0.0.2'}?",
    ),
    SERVICE.rule(
        {"endpoints": [{"protocol": "mysql", "enabled": True}]},
        {"endpoints": [{"enabled": True}, {"protocol": ""}, {"protocol": "mysql", "enabled": "yes"}]},
        "endpoints[0].protocol is required: write mysql",
        "endpoints[1].protocol must not be empty, not ''",
        "endpoints[2].enabled must be true or false, not 'yes'",
    ),
    SERVICE.rule(
        {"privateEndpointIds": ["vpce-1a2b3c4d"]},
        {"privateEndpointIds": ["vpce-1a2b3c4d", "", 7]},
        "privateEndpointIds[1] must not be empty, not ''",
        "privateEndpointIds[2] must be text, not 7",
    ),
]

TYPES = SERVICE.wrong_types(
    {
        "name": ("Orders", 5, "must be text"),
        "numReplicas": (3.0, 2.5, "must be a whole number"),
        "maxReplicaMemoryGb": (16, "all", "must be a whole number"),
        "minReplicaMemoryGb": (16, True, "must be a whole number"),
        "idleTimeoutMinutes": (5.5, "five", "must be a number"),
        "ipAccessList": ([], 10, "must be a list"),
        "endpoints": ([], 1, "must be a list"),
        "dataWarehouseId": ("w", [], "must be text"),
        **dict.fromkeys(
            (
                "idleScaling",
                "privatePreviewTermsChecked",
                "hasTransparentDataEncryption",
                "allowDuplicateName",
                "allowReplacement",
                "deletionProtection",
            ),
            (True, "true", "must be true or false"),
        ),
    }
)

CASES: list[Row] = [*NAME, *RANGES, *PAYMENT, *BETWEEN_FIELDS, *ENUMS, *FORMS, *TYPES, *SERVICES]
