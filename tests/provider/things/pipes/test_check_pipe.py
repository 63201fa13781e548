"""Check cases of pipes: valid and invalid inputs for each rule of the description."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.schema.check.findings import Failure
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
KINESIS = {"format": "JSONEachRow", "streamName": "s", "region": "us-east-1"}
CONFLUENT = {"url": "https://registry", "authentication": "PLAIN"}
GLUE = {"type": "glue", "glueRegion": "us-east-1", "glueRegistryName": "r"}
BY_ROLE = {"authentication": "IAM_ROLE", "schemaRegistry": GLUE}
IDENTITY = {"authentication": "SERVICE_ACCOUNT_WORKLOAD_IDENTITY"}
PUBSUB = {"format": "Avro", "projectId": "p", "topic": "t", "authentication": "SERVICE_ACCOUNT", "seekType": "latest"}
STAGED = {
    "snapshotStagingPath": "gs://staging/",
    "tableMappings": [{"sourceDatasetName": "d", "sourceTable": "t", "targetTable": "t"}],
}
BIGQUERY = {**STAGED, "settings": {"replicationMode": "snapshot"}}
NO_MODE: tuple[tuple[dict[str, Any], str], ...] = (({}, ""), ({"settings": {}}, ".replicationMode"))
SCHEMA = {"credentials": {"protobufSchema": "AAEC"}}
ONLY = "credentials must have protobufSchema only for a source of format Protobuf without schemaRegistry"
KEY = {"credentials": {"serviceAccountKey": "k"}}
TABLES = {"destination": {"database": "d"}}
POSTGRES_LIKE = {name: value for name, value in POSTGRES.items() if name != "database"}
CDC = {"replicationMode": "cdc"}
ROLE = "arn:aws:iam::123456789012:role/r"
NAMED = {"credentials": {"username": "u"}}
REGISTRIES = (
    "source.kafka.schemaRegistry.type `confluent` needs url and authentication, `glue` needs glueRegion and "
    "glueRegistryName, and neither has properties of the other; "
)


def kafka(**more: Any) -> dict[str, Any]:
    """Return a source that reads Kafka."""
    return {"source": {"kafka": {**KAFKA, **more}}}


def kinesis(**more: Any) -> dict[str, Any]:
    """Return a source that reads Kinesis."""
    return {"source": {"kinesis": {**KINESIS, **more}}}


def table(**more: Any) -> dict[str, Any]:
    """Return a destination with a definition of its table."""
    return {"destination": {**USUAL["destination"], "tableDefinition": more}}


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
        (
            "credentials must be those that its source accepts; kafka accepts username, password, connectionString, "
            "accessKeyId, secretKey, certificate, privateKey, schemaRegistry, protobufSchema, not "
            "serviceAccountKey"
        ),
    ),
    rule(
        {"credentials": {"accessKeyId": "u", "secretKey": "p"}},
        {"credentials": {"accessKeyId": "u"}},
        "credentials must be complete; missing: secretKey",
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
    rule(
        {"startPaused": True, "stopped": True},
        {"startPaused": True, "stopped": False},
        "startPaused must not be true for a pipe that is to run: remove it, or stopped",
    ),
    rule(
        {"startPaused": False, "stopped": False},
        {"startPaused": False, "source": {"postgres": POSTGRES}},
        "startPaused is not for databases, not even false",
    ),
    rule(table(ttl="at + INTERVAL 1 DAY"), table(ttl=""), "destination.tableDefinition.ttl must not be empty, not ''"),
    rule(
        table(sortingKey=["toDate(at)", "id"]),
        table(sortingKey=["id, at"]),
        "destination.tableDefinition.sortingKey must have one column or SQL expression without a comma in each entry, "
        "not 'id, at'",
    ),
    rule(
        {"destination": {**USUAL["destination"], "roles": ["clickpipes_reader"]}},
        {"destination": {**USUAL["destination"], "roles": ["reader", "clickpipes"]}},
        "destination.roles must not have a role that is reserved for pipes, not 'clickpipes'",
    ),
    rule(
        kafka(tombstoneMode="delete", exactlyOnce=True),
        kafka(tombstoneMode="delete", exactlyOnce=False),
        "source.kafka.tombstoneMode `delete` needs exactlyOnce",
    ),
    rule(
        {"settings": {"kafka_read_committed": True}},
        {"settings": {"kafka_read_committed": False}, **kinesis()},
        "settings must have no kafka_read_committed, unless the source is Kafka",
    ),
    rule(
        kafka(schemaRegistry=CONFLUENT),
        kafka(schemaRegistry={"url": "https://r"}),
        f"{REGISTRIES}missing: authentication",
    ),
    rule(
        kafka(**BY_ROLE),
        kafka(**{**BY_ROLE, "schemaRegistry": {**CONFLUENT, **GLUE}}),
        f"{REGISTRIES}not url, authentication",
    ),
    rule(
        kafka(schemaRegistry={**CONFLUENT, "type": "confluent"}),
        kafka(schemaRegistry={**CONFLUENT, "url": "http://registry"}),
        "source.kafka.schemaRegistry.url must begin with https://",
    ),
    rule(
        kafka(schemaRegistry={**GLUE, "glueRoleArn": "arn:aws:iam::1:role/r"}),
        kafka(schemaRegistry=GLUE, authentication="PLAIN"),
        "source.kafka.schemaRegistry of type `glue` needs glueRoleArn, unless authentication is IAM_ROLE or IAM_USER",
    ),
    rule(
        {**kafka(schemaRegistry=CONFLUENT), "credentials": {"schemaRegistry": {"username": "u", "password": "p"}}},
        {**kafka(**BY_ROLE), "credentials": {"schemaRegistry": {"username": "u", "password": "p"}}},
        "credentials must have no schemaRegistry for one of type `glue`, which is read with a role",
    ),
    *(
        case
        for stream, registry in ((kafka, CONFLUENT), (kinesis, GLUE))
        for case in (
            rule(
                {**stream(format="Protobuf"), **SCHEMA},
                {**stream(format="Protobuf"), "credentials": {"protobufSchema": "AAE"}},
                "credentials.protobufSchema must be base64 with its padding, on one line",
            ),
            rule(
                stream(format="Protobuf", schemaRegistry=registry, authentication="IAM_ROLE"),
                stream(format="Protobuf"),
                "source of format Protobuf needs schemaRegistry, or protobufSchema in `credentials`",
            ),
            rule({}, {**stream(format="Protobuf", schemaRegistry=registry, authentication="IAM_ROLE"), **SCHEMA}, ONLY),
            rule({}, {**stream(format="JSONEachRow"), **SCHEMA}, ONLY),
        )
    ),
    rule(
        kinesis(format="AvroConfluent", schemaRegistry=GLUE),
        kinesis(format="AvroConfluent"),
        "source.kinesis.format `AvroConfluent` needs schemaRegistry",
    ),
    rule(
        kafka(type="gcmk", **IDENTITY),
        kafka(**IDENTITY),
        "source.kafka.authentication `SERVICE_ACCOUNT_WORKLOAD_IDENTITY` needs type gcmk",
    ),
    rule(
        {"source": {"objectStorage": {**FILES, **IDENTITY, "type": "gcs"}}},
        {"source": {"objectStorage": {**FILES, **IDENTITY}}},
        "source.objectStorage.authentication `SERVICE_ACCOUNT_WORKLOAD_IDENTITY` needs type gcs",
    ),
    rule(
        {"source": {"bigquery": {**BIGQUERY, **IDENTITY, "projectId": "p"}}, **TABLES},
        {"source": {"bigquery": {**BIGQUERY, **IDENTITY}}, **TABLES},
        "source.bigquery.projectId is required with authentication SERVICE_ACCOUNT_WORKLOAD_IDENTITY",
    ),
    *(
        rule(
            {"source": {"bigquery": {**BIGQUERY, "authentication": "SERVICE_ACCOUNT", "projectId": "p"}}, **TABLES},
            {"source": {"bigquery": {**STAGED, **settings}}, **TABLES},
            f"source.bigquery.settings{path} is required{': write snapshot' if path else ''}",
        )
        for settings, path in NO_MODE
    ),
    *(
        rule(
            {"source": {kind: {**source, "authentication": "IAM_ROLE", "iamRole": ROLE}}, **NAMED, **TABLES},
            {"source": {kind: {**source, "authentication": "IAM_ROLE"}}, **NAMED, **TABLES},
            f"source.{kind}.iamRole is required for authentication IAM_ROLE",
        )
        for kind, source in (("postgres", POSTGRES), ("mysql", {**POSTGRES_LIKE, "settings": CDC}))
    ),
    rule(
        {"source": {"postgres": {**POSTGRES, "iamRole": ROLE, "authentication": "basic"}}, **TABLES},
        {"source": {"postgres": POSTGRES}, **NAMED, **TABLES},
        "credentials must be complete; missing: password",
    ),
    rule(
        {"source": {"pubsub": {**PUBSUB, **IDENTITY}}},
        {"source": {"pubsub": {**PUBSUB, **IDENTITY}}, **KEY},
        "credentials must have none of the source with SERVICE_ACCOUNT_WORKLOAD_IDENTITY; not serviceAccountKey",
    ),
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
