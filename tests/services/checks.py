"""What check says of a service: each limit and rule of the interface, with what keeps it and what breaks it."""

from __future__ import annotations

from typing import Any

from support import vendor_service_rules
from support.rules import CIDR, UUID, Case, limits, one_of, wrong_types

USUAL: dict[str, Any] = {"name": "Orders 2"}
UNPAID = {"paid": "false"}
BASIC = {"organizationTier": "BASIC"}
SIZES = "must be one of 48, 116, 172, 232 when byocId is given"
ONLY_PRODUCTION = "is for production services only, not for tier development"
FIRST = (
    "numReplicas must be at least 2 for the first service of a warehouse, not 1; "
    "give dataWarehouseId, or set clouddb:organizationTier to BASIC"
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
    Case(
        "a name has at most 50 characters",
        {"name": "n" * 50},
        {"name": "n" * 51},
        ("name must have at most 50 characters but has 51",),
    ),
    Case("a name is not empty", {"name": "n"}, {"name": ""}, ("name must have at least 1 character(s), not ''",)),
    Case("a name is there", {}, {"name": None}, ("name is required",)),
    *(
        Case(
            f"a name holds no {what}",
            {"name": "Orders 2 EU"},
            {"name": name},
            (f"name must hold only letters, digits and spaces, not {name!r}",),
        )
        for what, name in {"hyphen": "or-ders", "dot": "or.ders", "underscore": "or_ders", "umlaut": "Öl"}.items()
    ),
]

RANGES = [
    *limits("minTotalMemoryGb", 24, 1068, 12, 1080),
    *limits("maxTotalMemoryGb", 24, 1068, 12, 1080),
    *limits("minReplicaMemoryGb", 8, 356, 4, 360),
    *limits("maxReplicaMemoryGb", 8, 356, 4, 360),
    Case(
        "numReplicas is at least 1",
        {"numReplicas": 1, "dataWarehouseId": "w"},
        {"numReplicas": 0, "dataWarehouseId": "w"},
        ("numReplicas must be at least 1, not 0",),
    ),
    limits("numReplicas", 2, 20, 1, 21)[1],
    Case(
        "idleTimeoutMinutes is at least 5",
        {"idleTimeoutMinutes": 5},
        {"idleTimeoutMinutes": 4.5},
        ("idleTimeoutMinutes must be at least 5, not 4.5",),
    ),
    Case(
        "waitTimeoutMinutes is at least 0",
        {"waitTimeoutMinutes": 0},
        {"waitTimeoutMinutes": -1},
        ("waitTimeoutMinutes must be at least 0, not -1",),
    ),
    *(
        Case(
            f"{name} is a multiple of {step}",
            {name: good},
            {name: bad},
            (f"{name} must be a multiple of {step}, not {bad}",),
        )
        for name, step, good, bad in (
            ("minTotalMemoryGb", 12, 36, 38),
            ("maxTotalMemoryGb", 12, 36, 40),
            ("minReplicaMemoryGb", 4, 12, 14),
            ("maxReplicaMemoryGb", 4, 12, 9),
        )
    ),
]

PAYMENT = [
    Case(
        "an organization that does not pay gets at most 120 GB per replica",
        {"maxReplicaMemoryGb": 120},
        {"maxReplicaMemoryGb": 124},
        ("maxReplicaMemoryGb must be at most 120 while clouddb:paid is false, not 124",),
        UNPAID,
    ),
    Case(
        "an organization that does not pay gets at most 360 GB in all",
        {"maxTotalMemoryGb": 360},
        {"maxTotalMemoryGb": 372},
        ("maxTotalMemoryGb must be at most 360 while clouddb:paid is false, not 372",),
        UNPAID,
    ),
]

BETWEEN_FIELDS = [
    Case(
        "isReadonly is true only with dataWarehouseId",
        {"isReadonly": True, "dataWarehouseId": "w"},
        {"isReadonly": True},
        ("isReadonly may be true only together with dataWarehouseId, which is not given",),
    ),
    Case(
        "byocId needs both replica memories",
        {"byocId": "b", "minReplicaMemoryGb": 48, "maxReplicaMemoryGb": 232},
        {"byocId": "b"},
        (f"minReplicaMemoryGb {SIZES}, and is not given", f"maxReplicaMemoryGb {SIZES}, and is not given"),
    ),
    Case(
        "byocId takes four sizes only",
        {"byocId": "b", "minReplicaMemoryGb": 116, "maxReplicaMemoryGb": 172},
        {"byocId": "b", "minReplicaMemoryGb": 48, "maxReplicaMemoryGb": 120},
        (f"maxReplicaMemoryGb {SIZES}, not 120",),
    ),
    Case(
        "the least memory of a replica is at most the most",
        {"minReplicaMemoryGb": 16, "maxReplicaMemoryGb": 16},
        {"minReplicaMemoryGb": 20, "maxReplicaMemoryGb": 16},
        ("minReplicaMemoryGb must be at most maxReplicaMemoryGb (16), not 20",),
    ),
    Case(
        "the least memory in all is at most the most",
        {"minTotalMemoryGb": 48, "maxTotalMemoryGb": 48},
        {"minTotalMemoryGb": 60, "maxTotalMemoryGb": 48},
        ("minTotalMemoryGb must be at most maxTotalMemoryGb (48), not 60",),
    ),
    Case(
        "azure has no development tier",
        {"provider": "azure", "tier": "production"},
        {"provider": "azure", "tier": "development"},
        ("tier must not be development on azure, which does not have that tier",),
    ),
    Case("the first service of a warehouse has 2 replicas", {"numReplicas": 2}, {"numReplicas": 1}, (FIRST,)),
    *(
        Case(
            f"{name} is for production services",
            {"tier": "production", name: value},
            {"tier": "development", name: value},
            (f"{name} {ONLY_PRODUCTION}: {value}",),
        )
        for name, value in (("minTotalMemoryGb", 24), ("maxTotalMemoryGb", 24), ("releaseChannel", "fast"))
    ),
]

ENUMS = [
    *one_of("provider", "aws gcp azure"),
    *one_of("region", REGIONS),
    *one_of("tier", TIERS),
    *one_of("releaseChannel", "slow default fast"),
    *one_of("profile", PROFILES),
    *one_of("complianceType", "hipaa pci"),
]

FORMS = [
    Case("backupId is a UUID", {"backupId": UUID}, {"backupId": "b-1"}, ("backupId must be a UUID, not 'b-1'",)),
    *(
        Case(f"{name} is not empty", {name: "x"}, {name: " "}, (f"{name} must not be empty, not ' '",))
        for name in ("dataWarehouseId", "encryptionAssumedRoleIdentifier")
    ),
    *(
        Case(
            f"an entry may be {source}",
            {"ipAccessList": [{"source": source}]},
            {"ipAccessList": [{"source": "any"}]},
            (f"ipAccessList[0].source {CIDR}, not 'any'",),
        )
        for source in ("203.0.113.7", "203.0.113.0/24", "0.0.0.0/0", "2001:db8::/32")
    ),
    Case(
        "a failure is on the entry of the list that it is about",
        {"ipAccessList": [{"source": "10.0.0.1", "description": "office"}]},
        {"ipAccessList": [{"source": "10.0.0.1"}, {"source": "10.0.0.2"}, {"source": "10.0.0.300"}, {}]},
        (f"ipAccessList[2].source {CIDR}, not '10.0.0.300'", "ipAccessList[3].source is required"),
    ),
    Case(
        "an entry has no other properties",
        {"ipAccessList": []},
        {"ipAccessList": [{"source": "10.0.0.1", "label": "x"}, "10.0.0.2"]},
        (
            "ipAccessList[0].label is not supported here",
            "ipAccessList[1] must be an object, not '10.0.0.2'; did you mean {'source': '10.0.0.2'}?",
        ),
    ),
    Case(
        "an endpoint names its protocol",
        {"endpoints": [{"protocol": "mysql", "enabled": True}]},
        {"endpoints": [{"enabled": True}, {"protocol": ""}, {"protocol": "mysql", "enabled": "yes"}]},
        (
            "endpoints[0].protocol is required",
            "endpoints[1].protocol must not be empty, not ''",
            "endpoints[2].enabled must be true or false, not 'yes'",
        ),
    ),
    Case(
        "private endpoints have ids",
        {"privateEndpointIds": ["vpce-1"]},
        {"privateEndpointIds": ["vpce-1", "", 7]},
        ("privateEndpointIds[1] must not be empty, not ''", "privateEndpointIds[2] must be text, not 7"),
    ),
]

TYPES = wrong_types(
    {
        "name": ("Orders", 5, "must be text"),
        "numReplicas": (3.0, 2.5, "must be a whole number"),
        "maxReplicaMemoryGb": (16, "16", "must be a whole number"),
        "minReplicaMemoryGb": (16, True, "must be a whole number"),
        "idleTimeoutMinutes": (5.5, "5", "must be a number"),
        "ipAccessList": ([], "10.0.0.1", "must be a list"),
        "endpoints": ([], {}, "must be a list"),
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

CASES: list[Case] = [*NAME, *RANGES, *PAYMENT, *BETWEEN_FIELDS, *ENUMS, *FORMS, *TYPES, *vendor_service_rules.SERVICES]
