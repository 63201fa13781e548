"""A resource is complete only with its half of the tests: each missing part is one failed case that names its file.

The other tests go through these tables, and leave out a resource that a table lacks.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from clouddb_tools.sandbox import Sandbox
from faults.console import DIFFERENT
from lives.table import LIVES, OF_NO_INPUT, WIRE_LIVES
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource.overrides import OverrideResource
from pulumi_clouddb.schema.base import wire_name, wire_names
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE
from resources.test_needed_settings import CASES
from support.estate import Estate, kinds_in

TESTS = Path(__file__).parents[1]

PER_RESOURCE = {
    "LIVES in life.py of its folder": {life.name for life in LIVES.values()},
    "OF_NO_INPUT in life.py of its folder": set(OF_NO_INPUT),
    "WIRE_LIVES in life.py of its folder": {each.life.name for each in WIRE_LIVES},
    "CASES of resources/test_needed_settings.py": {name for name, _, _ in CASES.values()},
}
"""The resources that each table in tests/ has."""

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


@pytest.fixture(scope="module")
def exported_kinds() -> set[str]:
    """The resources in the sandbox that exports are tested with."""
    with Sandbox(vocabulary=CLICKHOUSE) as sandbox:
        Estate(sandbox, CLICKHOUSE)
        return kinds_in(sandbox)


@pytest.fixture(scope="module")
def texts() -> list[str]:
    """The other modules in tests/."""
    return [file.read_text(encoding="utf-8") for file in TESTS.rglob("*.py") if file != Path(__file__)]


@pytest.mark.parametrize("name", RESOURCES)
def test_a_resource_is_in_every_table(name: str, exported_kinds: set[str]) -> None:
    """CONTRIBUTING.md describes the tables."""
    missing = [table for table, names in PER_RESOURCE.items() if name not in names]
    handler = RESOURCES[name]
    if not isinstance(handler, OverrideResource) and handler.collection.plural() not in DIFFERENT:
        missing.append("DIFFERENT of faults/console.py")
    if name not in exported_kinds:
        missing.append("Estate of support/estate.py")
    assert not missing, f"{name} is missing in tests/: {', '.join(missing)}"


@pytest.mark.parametrize("table", PER_RESOURCE)
def test_a_table_has_no_other_resources(table: str) -> None:
    """A resource that was removed or renamed is named."""
    assert PER_RESOURCE[table] - set(RESOURCES) == set()


@pytest.mark.parametrize("name", RESOURCES)
def test_a_life_has_every_input(name: str) -> None:
    """A new input is in a life before or after the update, in the words of a program or of the wire, or in a case."""
    inputs = RESOURCES[name].type.inputs
    programs = [f"{life.before},{life.after}" for life in LIVES.values() if life.name == name]
    lived = {each for life in WIRE_LIVES if life.life.name == name for each in (*life.before, *life.after)}
    lived |= {
        wire_name(inputs, attribute)
        for attribute in inputs.model_fields
        if any(re.search(rf"\b{attribute}=", program) for program in programs)
    }
    assert {*wire_names(inputs)} - lived == {*OF_CASES.get(name, "").split()}


@pytest.mark.parametrize("name", OF_CASES)
def test_cases_have_the_other_inputs(name: str, texts: list[str]) -> None:
    """Each is set somewhere in tests/, in the words of a program or of the wire."""
    inputs = RESOURCES[name].type.inputs
    attributes = {wire_name(inputs, attribute): attribute for attribute in inputs.model_fields}
    for each in OF_CASES[name].split():
        assert any(f'"{each}"' in text or f"{attributes[each]}=" in text for text in texts), each
