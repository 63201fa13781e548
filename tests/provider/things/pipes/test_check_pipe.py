"""Check cases of pipes: valid and invalid inputs for each rule of the description."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.schema.check import Failure
from pulumi_clouddb.schema.values import UNKNOWN
from pulumi_clouddb.things.pipes.pipe import KINDS
from support.refused import quotes_nothing
from support.rules import UUID, Case, required, rule, uuids, wrong_types
from support.sessions import ProviderProcess, config_of

KAFKA = {"type": "msk", "format": "Avro", "brokers": "b", "topics": "t"}
USUAL: dict[str, Any] = {
    "serviceId": UUID,
    "name": "clicks",
    "source": {"kafka": KAFKA},
    "destination": {"database": "default", "table": "clicks", "managedTable": False, "columns": []},
}
"""Valid inputs; each case changes one of them."""
ONE = f"source must have exactly one of {', '.join(KINDS)}, not "
TABLE = {"sourceSchemaName": "s", "sourceTable": "t", "targetTable": "t"}
COLLECTION = {"sourceDatabaseName": "d", "sourceCollection": "c", "targetTable": "t"}
POSTGRES = {"host": "h", "port": 1, "database": "d", "tableMappings": [TABLE]}
MONGODB = {
    "uri": "mongodb://h",
    "readPreference": "primary",
    "settings": {"replicationMode": "cdc"},
    "tableMappings": [COLLECTION],
}
FILES = {"type": "s3", "format": "CSV"}

CASES: list[Case] = [
    *uuids("serviceId"),
    *required(USUAL, "serviceId", "name", "source", "destination"),
    *wrong_types({"stopped": (True, "yes", "must be true or false")}),
    rule({"name": "n" * 255}, {"name": ""}, "name must not be empty, not ''"),
    rule({}, {"source": {}}, f"{ONE}none"),
    rule(
        {"source": {"postgres": POSTGRES}},
        {"source": {"kafka": KAFKA, "postgres": POSTGRES}},
        f"{ONE}kafka and postgres",
    ),
    rule(
        {"source": {"postgres": POSTGRES}, "destination": {"database": "d"}},
        {"destination": {"database": "d", "table": "t"}},
        "destination needs table, managedTable and columns, unless the source is a database; "
        "missing: managedTable, columns",
    ),
    rule(
        {"credentials": {"username": "u", "password": "p"}},
        {"credentials": {"serviceAccountKey": "k"}},
        "credentials must be those that its source accepts",
    ),
    rule(
        {"credentials": {"accessKeyId": "u", "secretKey": "p"}},
        {"credentials": {"accessKeyId": "u"}},
        "credentials must be complete",
    ),
    rule(
        {"scaling": {"replicas": 40}},
        {"scaling": {"replicas": 2}, "source": {"postgres": POSTGRES}},
        "scaling is not for databases: these scale together, for a whole service",
    ),
    rule({"scaling": {"replicas": 40}}, {"scaling": {"replicas": 0}}, "scaling.replicas must be at least 1, not 0"),
    rule(
        {"settings": {"object_storage_concurrency": 35}},
        {"settings": {"object_storage_concurrency": 36}},
        "settings.object_storage_concurrency must be at most 35, not 36",
    ),
    rule(
        {"source": {"objectStorage": FILES}, "credentials": {"connectionString": "c"}},
        {"source": {"objectStorage": {**FILES, "connectionString": "c"}}},
        "source.objectStorage.connectionString must be in `credentials`",
    ),
    rule(
        {"source": {"mongodb": MONGODB}},
        {"source": {"mongodb": {**MONGODB, "uri": "mongodb://u:p@h"}}},
        "source.mongodb.uri must not contain a user name and a password: these must be in `credentials`",
    ),
    rule(
        {"fieldMappings": [{"sourceField": "a", "destinationField": "b"}]},
        {"fieldMappings": [{"sourceField": "a"}]},
        "fieldMappings[0].destinationField is required",
    ),
    rule({"allowReplacement": True}, {"allowReplacement": 1}, "allowReplacement must be true or false, not 1"),
    rule({"waitTimeoutMinutes": 0}, {"waitTimeoutMinutes": -1}, "waitTimeoutMinutes must be at least 0, not -1"),
]


def _check(
    folder: Path, inputs: dict[str, Any], secret: tuple[str, ...] = (), vocabulary: str = "clickhouse"
) -> list[Failure]:
    config = config_of(baseUrl="http://127.0.0.1:9", vocabulary=vocabulary)
    return RESOURCES["Pipe"].check(ProviderProcess(config, folder), inputs, secret).failures


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.failures[0])
def test_check_accepts_and_rejects(case: Case, tmp_path: Path) -> None:
    """Each failure names its path, and quotes no credential."""
    assert _check(tmp_path, {**USUAL, **case.passes}) == []
    inputs = {**USUAL, **case.fails}
    assert tuple(map(str, _check(tmp_path, inputs))) == case.failures
    assert [each for each in _check(tmp_path, inputs, (*inputs,)) if not quotes_nothing(each)] == []


@pytest.mark.parametrize("name", USUAL)
def test_unknown_values_are_accepted(name: str, tmp_path: Path) -> None:
    """This includes values within the source."""
    assert _check(tmp_path, {**USUAL, name: UNKNOWN}) == []
    assert _check(tmp_path, {**USUAL, "source": {"kafka": {**KAFKA, "topics": UNKNOWN}}}) == []
    partly = {"source": {"kafka": UNKNOWN}, "credentials": {"password": UNKNOWN, "username": "u"}}
    assert _check(tmp_path, {**USUAL, **partly}) == []


def test_neutral_dialect_has_no_pipes(tmp_path: Path) -> None:
    """The failure of the preview names the setting for servers with pipes."""
    message = "is a resource of the vendor's servers only: set clouddb:vocabulary=clickhouse"
    assert list(map(str, _check(tmp_path, USUAL, vocabulary="neutral"))) == [message]
