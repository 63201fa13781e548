"""A resource is complete only with its half of the tests: each missing part is one failed case that names its file."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from faults.subjects import OF_LIVES
from lives.life import Life
from lives.table import LIVES, OF_NO_INPUT, ON_THE_WIRE, WIRE_LIVES
from lives.wire import WireLife
from pulumi_clouddb.client.collection import Collection
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource.base import Resource
from pulumi_clouddb.schema.base import wire_name, wire_names
from simulation import assertions

TESTS = Path(__file__).parents[1]

OF_CASES = {
    "Service": (
        "allowDuplicateName allowReplacement autoscalingMode backupBucket backupBucketSecret "
        "backupConfiguration backupId byocId complianceType dataWarehouseId deletionProtection "
        "enableCoreDumps encryptionAssumedRoleIdentifier encryptionKey hasTransparentDataEncryption "
        "isReadonly maxReplicas maxTotalMemoryGb minReplicas minTotalMemoryGb passwordDoubleSha1Hash "
        "passwordHash passwordRotation privatePreviewTermsChecked profile queryEndpoint scalingSchedule "
        "settings tags tier transparentDataEncryptionKeyId upgradeWindow waitTimeoutMinutes"
    ),
    "Pipe": "allowReplacement waitTimeoutMinutes",
    "PipeScaling": "onDelete",
    "PipeCdcScaling": "waitTimeoutMinutes",
    "ReversePrivateEndpoint": "gcpServiceAttachment mskAuthentication mskClusterArn waitTimeoutMinutes",
    "PostgresService": (
        "allowDuplicateName allowReplacement deletionProtection postgresVersion readReplicaOf restoreFrom "
        "waitTimeoutMinutes"
    ),
    "ApiKey": "assignedRoleIds onDelete rotation",
    "UserDefinedFunction": "archive",
    "Member": "role",
    "Dashboard": "containers filters savedFilterValues savedQuery savedQueryLanguage",
    "Alert": (
        "channels groupBy note numConsecutiveWindows savedSearchId scheduleOffsetMinutes scheduleStartAt "
        "serviceId thresholdMax"
    ),
    "SavedSearch": "select",
    "Source": (
        "disabled displayedTimestampValueExpression eventAttributesExpression filterSettings "
        "highlightedTraceAttributeExpressions implicitColumnExpression knownColumnsListExpression "
        "materializedViews metadataMaterializedViews metricTables orderByExpression "
        "resourceAttributesExpression sampleRateExpression seriesTable serviceNameExpression "
        "serviceVersionExpression sessionSourceId severityTextExpression spanEventsValueExpression "
        "spanLinksValueExpression statusCodeExpression statusMessageExpression tableFilterExpression "
        "traceSourceId useTextIndexForImplicitColumn"
    ),
}
"""Inputs that no life has: options, and those of another form of the resource. Cases of their own play them."""


NOT_SIMULATED = {
    "Webhook": "its name is unique: no second one can be created; things/webhooks has the names that are taken",
}
"""Resources with code of their own for requests that the simulation does not play, and why."""

OWN_REQUESTS = {
    Resource: ("create", "create_once", "read", "send", "update", "delete"),
    Collection: ("list", "get", "find", "create", "posted", "replace", "change", "delete", "remove"),
}
"""The methods whose order of requests decides what a lost response leaves."""


def folder_of(name: str) -> str:
    """Return the folder of tests of a resource's thing."""
    return f"tests/provider/things/{type(RESOURCES[name]).__module__.split('.')[-2]}"


@pytest.fixture(scope="module")
def texts() -> list[str]:
    """The other modules in tests/."""
    return [file.read_text(encoding="utf-8") for file in TESTS.rglob("*.py") if file != Path(__file__)]


@pytest.mark.parametrize("name", RESOURCES)
def test_a_resource_has_a_life(name: str) -> None:
    """The contract of both front ends, the fault matrix, exports and policies play it."""
    assert name in {life.name for life in LIVES.values()}, f"{folder_of(name)}/life.py lacks a life of {name} in LIVES"


def test_lives_are_of_resources() -> None:
    """A resource that was removed or renamed is named, and so is a wire life of another name than its life."""
    assert {life.name for life in LIVES.values()} - {*RESOURCES} == set()
    assert {*ON_THE_WIRE} - {*LIVES} == set()
    assert {*OF_NO_INPUT} - {*RESOURCES} == set()


@pytest.mark.parametrize("name", LIVES)
def test_a_drift_is_a_change_of_what_the_program_sets(name: str) -> None:
    """Otherwise no update would repair it."""
    life = LIVES[name]
    drift = life.drift if isinstance(life.drift, dict) else {}
    same = [each for each, value in drift.items() if each not in life.after or life.after[each] == value]
    assert not same, f"{folder_of(life.name)}/life.py: drift of {name!r} has {', '.join(same)} as `after` leaves it"


@pytest.mark.parametrize("name", RESOURCES)
def test_somebody_else_gives_other_values(name: str) -> None:
    """The fault matrix creates objects of the same name with them."""
    lives = [life for life in LIVES.values() if life.name == name and not life.stays]
    assert all(life.of_others for life in lives), f"{folder_of(name)}/life.py: a life of {name} needs `other`"


def test_subjects_of_the_fault_matrix_have_names_of_their_own() -> None:
    """Two lives of one resource are told apart by `_FORMS` of faults/subjects.py."""
    assert set(Counter(each.name for each in OF_LIVES).values()) == {1}


@pytest.mark.parametrize("name", RESOURCES)
def test_the_simulation_plays_requests_of_a_resource_alone(name: str) -> None:
    """What a resource inherits is simulated with others; code of its own needs a part in simulation/programs.py."""
    handler = type(RESOURCES[name])
    own = {
        f"{each.__name__}.{method}"
        for base, methods in OWN_REQUESTS.items()
        for cls in (handler, handler.collection)
        for each in cls.__mro__
        if issubclass(each, base) and ".things." in each.__module__
        for method in methods
        if method in vars(each)
    }
    missing = own if name not in {*assertions.KINDS, *assertions.OVERRIDES, *NOT_SIMULATED} else set()
    assert not missing, f"simulation/programs.py and KINDS of assertions.py lack {name}: it has {', '.join(missing)}"


@pytest.mark.parametrize("name", {life.name: None for life in LIVES.values()})
def test_a_life_has_every_input(name: str) -> None:
    """A new input is in a life before or after the update, or in a case of its own."""
    lives: list[Life | WireLife] = [life for life in LIVES.values() if life.name == name]
    lives += [life for life in WIRE_LIVES if life.life.name == name]
    lived = {each for life in lives for each in (*life.before, *life.after)}
    left = {*wire_names(RESOURCES[name].type.inputs)} - lived
    assert left == {*OF_CASES.get(name, "").split()}, f"{folder_of(name)}/life.py, or OF_CASES of this module"


@pytest.mark.parametrize("name", OF_CASES)
def test_cases_have_the_other_inputs(name: str, texts: list[str]) -> None:
    """Each is set somewhere in tests/, in the words of a program or of the wire."""
    inputs = RESOURCES[name].type.inputs
    attributes = {wire_name(inputs, attribute): attribute for attribute in inputs.model_fields}
    for each in OF_CASES[name].split():
        assert any(f'"{each}"' in text or f"{attributes[each]}=" in text for text in texts), each
