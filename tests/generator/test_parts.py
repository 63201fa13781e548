"""A resource is complete only with its tests: each missing part is one failed case that names its file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic.alias_generators import to_snake

from codegen.docs import BEHAVIOUR
from codegen.start import files_of, marks_in
from faults.subjects import OF_LIVES
from lives.life import Life
from lives.table import LIVES, OF_NO_INPUT, ON_THE_WIRE, UNREGISTERED, WIRE_LIVES
from lives.wire import WireLife
from pulumi_clouddb.client.collection import Collection
from pulumi_clouddb.registry import HANDLERS, RESOURCES
from pulumi_clouddb.resource.base import Resource
from pulumi_clouddb.schema.base import wire_name, wire_names
from simulation import assertions

TESTS = Path(__file__).parents[1]

OF_CASES = {
    "Service": (
        "allowDuplicateName allowReplacement autoscalingMode backupBucket backupBucketSecret "
        "backupConfiguration backupEncryptionConfig backupId byocId complianceType dataWarehouseId deletionProtection "
        "enableCoreDumps encryptionAssumedRoleIdentifier encryptionKey hasTransparentDataEncryption "
        "isReadonly maxReplicas maxTotalMemoryGb minReplicas minTotalMemoryGb passwordDoubleSha1Hash "
        "passwordHash passwordRotation privatePreviewTermsChecked profile queryEndpoint replicaAwareRouting "
        "scalingSchedule settings snapshotConfiguration stopped tags tier transparentDataEncryptionKeyId upgradeWindow "
        "waitTimeoutMinutes"
    ),
    "Pipe": "allowReplacement startPaused waitTimeoutMinutes",
    "ByocInfrastructure": (
        "gcpPodCidrRangeNames gcpPscSubnetId gcpSharedVpcHostProjectId privateSubnetIds publicSubnetIds "
        "servicePrincipalClientId tenantId vpcId"
    ),
    "PipeScaling": "onDelete",
    "PipeCdcScaling": "waitTimeoutMinutes",
    "ReversePrivateEndpoint": "gcpServiceAttachment mskAuthentication mskClusterArn waitTimeoutMinutes",
    "PostgresService": (
        "allowDuplicateName allowReplacement deletionProtection postgresVersion readReplicaOf restoreFrom "
        "waitTimeoutMinutes"
    ),
    "ApiKey": "assignedRoleIds onDelete rotation",
    "UserDefinedFunction": "archive sandboxVersion",
    "Member": "role",
    "Dashboard": "containers filters savedFilterValues savedQuery savedQueryLanguage",
    "Alert": (
        "channels groupBy note numConsecutiveWindows savedSearchId scheduleOffsetMinutes scheduleStartAt serviceId "
        "thresholdMax"
    ),
    "SavedSearch": "select",
    "SourceLinks": "traceSourceId",
    "Source": (
        "disabled displayedTimestampValueExpression eventAttributesExpression filterSettings "
        "highlightedTraceAttributeExpressions knownColumnsListExpression "
        "materializedViews metadataMaterializedViews metricTables orderByExpression "
        "resourceAttributesExpression sampleRateExpression seriesTable serviceNameExpression "
        "sessionSourceId severityTextExpression spanEventsValueExpression "
        "spanLinksValueExpression statusCodeExpression statusMessageExpression tableFilterExpression "
        "traceSourceId useTextIndexForImplicitColumn"
    ),
}
"""Inputs that no life has: options, and those of another form of the resource. Separate cases set them."""


_FOLDERS = Counter(handler.partition(".")[0] for handler in HANDLERS.values())
OF_ONE_FOLDER = [name for name, handler in HANDLERS.items() if _FOLDERS[handler.partition(".")[0]] == 1]
"""The resources that can be copied."""

NOT_SIMULATED = {
    "Webhook": "its name is unique: no second one can be created; tests of things/webhooks create duplicates",
}
"""Resources with separate code for requests that the simulation does not send, and the reason."""

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
    """Return the texts of the other modules in tests/."""
    return [file.read_text(encoding="utf-8") for file in TESTS.rglob("*.py") if file != Path(__file__)]


@pytest.mark.parametrize("name", RESOURCES)
def test_resource_has_a_life(name: str) -> None:
    """The contract of both front ends, the fault matrix, exports and policies use it."""
    assert name in {life.name for life in LIVES.values()}, f"{folder_of(name)}/life.py lacks a life of {name} in LIVES"


@pytest.mark.parametrize("name", OF_ONE_FOLDER)
def test_nothing_is_left_of_the_resource_that_was_copied(name: str) -> None:
    """`python -m codegen.start` marks what the new one may not have, until it is replaced and the mark is deleted."""
    left = [*marks_in(files_of(name))]
    assert left == [], "\n".join(left)


def test_lives_are_of_registered_resources() -> None:
    """An unregistered or renamed resource is reported, and so is a wire life with another name than its life."""
    assert not UNREGISTERED, f"provider/pulumi_clouddb/registry.py lacks {', '.join(UNREGISTERED)}"
    assert {*ON_THE_WIRE} - {*LIVES} == set()
    assert {*OF_NO_INPUT} - {*RESOURCES} == set()


def missing_changes(life: Life) -> Iterator[str]:
    """Yield the missing or useless changes by another client."""
    type_ = RESOURCES[life.name].type
    if life.drift is None and (changing := life.updated - {*type_.provider_only, *type_.immutable}):
        yield f"needs a `drift`: another client can change {', '.join(sorted(changing))}"
    elif not life.stays and not life.of_others:
        yield "needs `other`, as `drift` has only the name"
    for name, value in life.drift.items() if isinstance(life.drift, dict) else ():
        if name not in life.after or life.after[name] == value:
            yield f"has {name} in `drift` as `after` leaves it: no update would correct it"


@pytest.mark.parametrize("name", LIVES)
def test_life_has_the_changes_of_another_client(name: str) -> None:
    """The contract corrects the drift, and the fault matrix creates objects of the same name."""
    assert [*missing_changes(LIVES[name])] == [], f"{folder_of(LIVES[name].name)}/life.py: {name!r}"


def test_subjects_of_the_fault_matrix_have_unique_names() -> None:
    """`_FORMS` in faults/subjects.py distinguishes two lives of one resource."""
    assert set(Counter(each.name for each in OF_LIVES).values()) == {1}


@pytest.mark.parametrize("name", RESOURCES)
def test_simulation_covers_requests_of_a_single_resource(name: str) -> None:
    """Inherited code is simulated with other resources; separate code needs a part in simulation/programs.py."""
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
def test_every_input_is_in_a_life_or_a_case(name: str) -> None:
    """A new input is set before or after the update of a life, or is in OF_CASES."""
    lives: list[Life | WireLife] = [life for life in LIVES.values() if life.name == name]
    lives += [life for life in WIRE_LIVES if life.life.name == name]
    lived = {each for life in lives for each in (*life.before, *life.after)}
    left = {*wire_names(RESOURCES[name].type.inputs)} - lived
    assert left == {*OF_CASES.get(name, "").split()}, f"{folder_of(name)}/life.py, or OF_CASES of this module"


@pytest.mark.parametrize("name", OF_CASES)
def test_inputs_of_cases_are_set_in_a_test(name: str, texts: list[str]) -> None:
    """Each one occurs in tests/, by its name in Python or on the wire."""
    inputs = RESOURCES[name].type.inputs
    attributes = {wire_name(inputs, attribute): attribute for attribute in inputs.model_fields}
    for each in OF_CASES[name].split():
        assert any(f'"{each}"' in text or f"{attributes[each]}=" in text for text in texts), each


def test_each_text_about_a_resource_is_on_a_page() -> None:
    """No file of tools/codegen/behaviour has a name that no resource has: no page would show it."""
    assert {file.name for file in BEHAVIOUR.iterdir()} <= {f"{to_snake(name)}.md" for name in RESOURCES}
