"""Check of a Service, through both front ends: every limit and rule of the interface, as the user reads it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.services.service import SERVICE
from pulumi_clouddb.testing import UNKNOWN
from support import vendor_service_rules
from support.front_ends import FrontEnds, MakeFrontEnds
from support.refused import quotes_nothing
from support.rules import Case, limits, one_of, params, wrong_types
from support.sessions import ProviderProcess, config_of

USUAL: dict[str, Any] = {"name": "Orders 2"}
UUID = "11111111-2222-4333-8444-555555555555"
URL = "http://127.0.0.1:9"
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
CIDR = "must be an IP address or a range in CIDR notation such as 203.0.113.0/24"

NAME = [
    Case(
        "a name has at most 50 characters",
        {"name": "n" * 50},
        {"name": "n" * 51},
        (f"name must have at most 50 characters but has 51, not '{'n' * 51}'",),
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
    Case("there are no other properties", {}, {"colour": "red"}, ("colour is not supported here",)),
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

CASES = [*NAME, *RANGES, *PAYMENT, *BETWEEN_FIELDS, *ENUMS, *FORMS, *TYPES, *vendor_service_rules.SERVICES]


@pytest.mark.parametrize("case", params(CASES))
def test_what_keeps_the_rule_passes(case: Case, front_ends_of: MakeFrontEnds) -> None:
    """Inputs within a limit come back unchanged and without a failure."""
    inputs = {**USUAL, **case.passes}
    checked = front_ends_of(**case.config).check("Service", inputs)
    assert checked.failures == []
    assert checked.inputs == inputs


@pytest.mark.parametrize("case", params(CASES))
def test_what_breaks_the_rule_fails_on_its_property(case: Case, front_ends_of: MakeFrontEnds) -> None:
    """The failure is on the property's path, and says the limit and the value."""
    checked = front_ends_of(**case.config).check("Service", {**USUAL, **case.fails})
    assert checked.failures == list(case.says)


@pytest.mark.parametrize("case", params(CASES))
def test_what_breaks_the_rule_is_not_quoted_where_it_is_secret(case: Case, tmp_path: Path) -> None:
    """The rule is said, and nothing of the values, be they checked by themselves or against each other."""
    inputs = {**USUAL, **case.fails}
    process = ProviderProcess(config_of(baseUrl=URL, stackUrl=URL, **case.config), tmp_path)
    failures = RESOURCES["Service"].check(process, inputs, {*inputs}).failures
    assert len(failures) == len(case.says)
    assert [failure for failure in failures if not quotes_nothing(failure)] == []


def test_every_property_has_a_case() -> None:
    """A property that is added to the model needs a rule here."""
    # Their rule is about what must not be shown: it is tested below.
    elsewhere = {"encryptionKey"}
    assert {name for case in CASES for name in case.passes} | elsewhere == set(
        SERVICE.inputs.model_json_schema()["properties"]
    )


def test_all_failures_show_together(front_ends: FrontEnds) -> None:
    """One preview shows everything that is wrong: fields first, then the rules between them."""
    inputs = {
        "name": "or-ders",
        "provider": "azure",
        "tier": "development",
        "region": "mars",
        "isReadonly": True,
        "numReplicas": 21,
        "minReplicaMemoryGb": 48,
        "maxReplicaMemoryGb": 16,
        "ipAccessList": [{"source": "10.0.0.300"}],
        "colour": "red",
    }
    assert front_ends.check("Service", inputs).paths == [
        "name",
        "region",
        "ipAccessList[0].source",
        "numReplicas",
        "colour",
        "isReadonly",
        "minReplicaMemoryGb",
        "tier",
    ]


@pytest.mark.parametrize("name", sorted(SERVICE.inputs.model_json_schema()["properties"]))
def test_a_value_that_is_not_known_yet_is_let_through(name: str, front_ends: FrontEnds) -> None:
    """Nothing is said about an unknown value, and it stays unknown."""
    checked = front_ends.check("Service", {**USUAL, name: UNKNOWN})
    assert checked.failures == []
    assert checked.inputs[name] is UNKNOWN


@pytest.mark.parametrize(
    ("unknown", "rest"),
    [
        pytest.param("dataWarehouseId", {"isReadonly": True}, id="isReadonly with an unknown warehouse"),
        pytest.param("dataWarehouseId", {"numReplicas": 1}, id="one replica with an unknown warehouse"),
        pytest.param("byocId", {"minReplicaMemoryGb": 100}, id="memory with an unknown byocId"),
        pytest.param("maxReplicaMemoryGb", {"minReplicaMemoryGb": 356}, id="least memory below an unknown most"),
        pytest.param("provider", {"tier": "development"}, id="development on an unknown cloud"),
        pytest.param("tier", {"releaseChannel": "fast"}, id="release channel with an unknown tier"),
    ],
)
def test_a_rule_waits_for_its_unknown_values(unknown: str, rest: dict[str, Any], front_ends: FrontEnds) -> None:
    """A rule between fields is not applied while one of them is unknown."""
    assert front_ends.check("Service", {**USUAL, unknown: UNKNOWN, **rest}).failures == []


def test_unknown_values_hide_nothing_else(front_ends: FrontEnds) -> None:
    """Beside unknown values, at any depth, the known ones are judged as ever."""
    entries = [UNKNOWN, {"source": UNKNOWN}, {"source": "any", "description": UNKNOWN}]
    checked = front_ends.check("Service", {"name": UNKNOWN, "ipAccessList": entries, "numReplicas": 21})
    assert checked.paths == ["ipAccessList[2].source", "numReplicas"]
    assert checked.inputs["ipAccessList"] == entries


@pytest.mark.parametrize(
    ("name", "value", "advice"),
    [
        ("tier", "production", "leave it out"),
        ("minTotalMemoryGb", 24, "use minReplicaMemoryGb"),
        ("maxTotalMemoryGb", 24, "use maxReplicaMemoryGb"),
        ("privateEndpointIds", ["vpce-1"], "create the service first, then set it"),
    ],
)
def test_a_deprecated_property_is_accepted_with_a_warning(
    name: str, value: Any, advice: str, front_ends_of: MakeFrontEnds
) -> None:
    """What is deprecated goes on working; one warning says what to use."""
    host = front_ends_of(organizationTier="SCALE")
    for _ in range(2):
        assert host.check("Service", {**USUAL, name: value}).failures == []
    told = [line for line in host.warnings if line.startswith(f"Service.{name} is deprecated: ")]
    assert len(told) == 1
    assert advice in told[0]


@pytest.mark.parametrize("value", [" ", 987654321, ["s3cr3t-k3y"], {"key": "s3cr3t-k3y"}], ids=repr)
def test_a_secret_is_not_shown_in_its_failure(value: Any, front_ends: FrontEnds) -> None:
    """A failure of a secret property says the rule, never the value."""
    (failure,) = front_ends.check("Service", {**USUAL, "encryptionKey": value}).failures
    assert failure in (
        "encryptionKey must not be empty, not the secret value given",
        "encryptionKey must be text, not the secret value given",
    )


def test_a_secret_is_not_shown_in_failures_of_others(front_ends: FrontEnds) -> None:
    """A good secret appears nowhere among the failures."""
    failures = front_ends.check("Service", {"name": "", "encryptionKey": "s3cr3t-k3y", "colour": "red"}).failures
    assert len(failures) == 2
    assert "s3cr3t-k3y" not in str(failures)


@pytest.mark.parametrize(
    "why",
    [
        pytest.param({"dataWarehouseId": "w"}, id="in a warehouse"),
        pytest.param({"tier": "development"}, id="of the development tier"),
    ],
)
def test_a_single_replica_is_fine(why: dict[str, Any], front_ends: FrontEnds) -> None:
    """The first service of a warehouse needs two replicas; these may have one."""
    assert front_ends.check("Service", {**USUAL, "numReplicas": 1, **why}).failures == []


@pytest.mark.parametrize(("tier", "says"), [("BASIC", []), ("SCALE", [FIRST]), ("ENTERPRISE", [FIRST])])
def test_the_tier_of_the_organization_decides_on_single_replicas(
    tier: str, says: list[str], front_ends_of: MakeFrontEnds
) -> None:
    """Only BASIC organizations have services of a single replica."""
    failures = front_ends_of(organizationTier=tier).check("Service", {**USUAL, "numReplicas": 1}).failures
    assert failures == says


def test_who_pays_gets_the_higher_ceilings(front_ends: FrontEnds) -> None:
    """Without a word in the configuration the organization counts as paying."""
    inputs = {**USUAL, "maxReplicaMemoryGb": 356, "maxTotalMemoryGb": 1068}
    assert front_ends.check("Service", inputs).failures == []


@pytest.mark.parametrize(("region", "neutral", "clickhouse"), [("me-central-1", 0, 1), ("ap-northeast-2", 1, 0)])
def test_the_vocabulary_decides_on_regions(
    region: str, neutral: int, clickhouse: int, front_ends_of: MakeFrontEnds
) -> None:
    """The vendor's own servers have other regions than the interface lists."""
    inputs = {**USUAL, "region": region}
    assert len(front_ends_of().check("Service", inputs).failures) == neutral
    assert len(front_ends_of(vocabulary="clickhouse").check("Service", inputs).failures) == clickhouse


def test_every_broken_limit_of_a_field_shows(front_ends: FrontEnds) -> None:
    """A number that breaks two limits is told both, and so is a name."""
    failures = front_ends.check("Service", {**USUAL, "maxReplicaMemoryGb": 357, "minReplicaMemoryGb": 6}).failures
    assert failures == [
        "minReplicaMemoryGb must be at least 8, not 6",
        "minReplicaMemoryGb must be a multiple of 4, not 6",
        "maxReplicaMemoryGb must be at most 356, not 357",
        "maxReplicaMemoryGb must be a multiple of 4, not 357",
    ]
    name = "new_orders" * 6
    assert front_ends.check("Service", {**USUAL, "name": name}).failures == [
        f"name must hold only letters, digits and spaces, not {name!r}",
        f"name must have at most 50 characters but has 60, not {name!r}",
    ]
