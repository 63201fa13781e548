"""Check cases of pipes: valid and invalid inputs for each rule of the description."""

from __future__ import annotations

from typing import Any

from clouddb_tools.testing import UNKNOWN
from pulumi_clouddb.things.pipes.sources import KINDS
from support.rows import THERE, UUID, Row, Usual, Values, refused

from .doubts import DOUBTS

KAFKA = {"type": "msk", "format": "Avro", "brokers": "b:9092", "topics": "t"}
USUAL: dict[str, Any] = {
    "serviceId": UUID,
    "name": "clicks",
    "source": {"kafka": KAFKA},
    "destination": {"database": "default", "table": "clicks", "managedTable": False, "columns": []},
}
PIPE = Usual("Pipe", USUAL)
ONE = f"source must have exactly one of {', '.join(KINDS)}, not "
ONE_EACH = "source.postgres.tableMappings must have one or more mappings, each once"
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
AZURE = {"type": "azureblobstorage", "format": "CSV", "azureContainerName": "c", "path": "clicks/*"}
STRING = {"credentials": {"connectionString": "c"}}
KINESIS = {"format": "JSONEachRow", "streamName": "s", "region": "us-east-1"}
CONFLUENT = {"url": "https://registry", "authentication": "PLAIN"}
GLUE = {"type": "glue", "glueRegion": "us-east-1", "glueRegistryName": "r"}
ROLE = "arn:aws:iam::123456789012:role/r"
WITH_ROLE = {"authentication": "IAM_ROLE", "iamRole": ROLE}
BY_ROLE = {**WITH_ROLE, "schemaRegistry": GLUE}
IDENTITY = {"authentication": "SERVICE_ACCOUNT_WORKLOAD_IDENTITY"}
PUBSUB = {
    "format": "Avro",
    "projectId": "shop-1234",
    "topic": "t",
    "authentication": "SERVICE_ACCOUNT",
    "seekType": "latest",
}
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
NAMED = {"credentials": {"username": "u"}}
REGISTRIES = (
    "source.kafka.schemaRegistry.type `confluent` needs url and authentication, `glue` needs glueRegion and "
    "glueRegistryName, and neither has properties of the other; "
)


def kafka(**more: Any) -> dict[str, Any]:
    """Return a source that reads Kafka."""
    avro = "AvroConfluent" if "schemaRegistry" in more else "Avro"
    return {"source": {"kafka": {**KAFKA, "format": avro, **more}}}


def kinesis(**more: Any) -> dict[str, Any]:
    """Return a source that reads Kinesis."""
    return {"source": {"kinesis": {**KINESIS, **more}}}


def table(**more: Any) -> dict[str, Any]:
    """Return a destination with a definition of its table."""
    return {"destination": {**USUAL["destination"], "tableDefinition": more}}


def tables(postgres: Values) -> Values:
    """Return a pipe of a Postgres database."""
    return {"source": {"postgres": {**POSTGRES, **postgres}}, "credentials": LOGIN, **TABLES}


LOGIN = {"username": "u", "password": "p"}
STREAM = {**KINESIS, "iteratorType": "LATEST"}
REGISTERED = {"serviceId": UUID, **kafka(schemaRegistry=CONFLUENT)}


CASES: list[Row] = [
    *PIPE.uuids("serviceId"),
    *PIPE.required("serviceId", "name", "source", "destination"),
    *PIPE.wrong_types({"stopped": (True, "yes", "must be true or false")}),
    PIPE.rule({"name": "n" * 255}, {"name": ""}, "name must not be empty, not ''"),
    PIPE.rule({}, {"source": {}}, f"{ONE}none"),
    PIPE.rule(
        {"source": {"postgres": POSTGRES}},
        {"source": {"kafka": KAFKA, "postgres": POSTGRES}},
        f"{ONE}kafka and postgres",
    ),
    PIPE.rule(
        {"source": {"postgres": POSTGRES}, "destination": {"database": "d"}},
        {"destination": {"database": "d", "table": "t"}},
        "destination needs table, managedTable and columns, unless the source is a database; "
        "missing: managedTable, columns",
    ),
    PIPE.rule(
        {"credentials": {"username": "u", "password": "p"}},
        {"credentials": {"serviceAccountKey": "k"}},
        (
            "credentials must be those that its source accepts; kafka accepts username, password, connectionString, "
            "accessKeyId, secretKey, certificate, privateKey, schemaRegistry, protobufSchema, not "
            "serviceAccountKey"
        ),
    ),
    PIPE.rule(
        {"credentials": {"accessKeyId": "u", "secretKey": "p"}},
        {"credentials": {"accessKeyId": "u"}},
        "credentials must be complete; missing: secretKey",
    ),
    PIPE.rule(
        {"scaling": {"replicas": 40}},
        {"scaling": {"replicas": 2}, "source": {"postgres": POSTGRES}},
        "scaling is not for databases: these scale together, for a whole service, as a PipeCdcScaling",
    ),
    PIPE.rule(
        {"scaling": {"replicas": 40}}, {"scaling": {"replicas": 0}}, "scaling.replicas must be at least 1, not 0"
    ),
    PIPE.rule(
        {"settings": {"object_storage_concurrency": 35}},
        {"settings": {"object_storage_concurrency": 36}},
        "settings.object_storage_concurrency must be at most 35, not 36",
    ),
    PIPE.rule(
        {"source": {"objectStorage": {**AZURE, "authentication": "CONNECTION_STRING"}}, **STRING},
        {"source": {"objectStorage": {**AZURE, "connectionString": "c"}}},
        "source.objectStorage.connectionString must be in `credentials`",
    ),
    PIPE.rule(
        {"source": {"mongodb": MONGODB}},
        {"source": {"mongodb": {**MONGODB, "uri": "mongodb://u:p@h"}}},
        "source.mongodb.uri must not contain a user name and a password: these must be in `credentials`",
    ),
    PIPE.rule(
        {"fieldMappings": [{"sourceField": "a", "destinationField": "b"}]},
        {"fieldMappings": [{"sourceField": "a"}]},
        "fieldMappings[0].destinationField is required",
    ),
    PIPE.rule({"allowReplacement": True}, {"allowReplacement": 1}, "allowReplacement must be true or false, not 1"),
    PIPE.rule(
        {"startPaused": True, "stopped": True},
        {"startPaused": True, "stopped": False},
        "startPaused must not be true for a pipe that is to run: remove it, or stopped",
    ),
    PIPE.rule(
        {"startPaused": False, "stopped": False},
        {"startPaused": False, "source": {"postgres": POSTGRES}},
        "startPaused is not for databases, not even false",
    ),
    PIPE.rule(
        table(ttl="at + INTERVAL 1 DAY"), table(ttl=""), "destination.tableDefinition.ttl must not be empty, not ''"
    ),
    PIPE.rule(
        table(sortingKey=["toDate(at)", "id"]),
        table(sortingKey=["id, at"]),
        "destination.tableDefinition.sortingKey must have one column or SQL expression without a comma in each entry, "
        "not 'id, at'",
    ),
    PIPE.rule(
        {"destination": {**USUAL["destination"], "roles": ["clickpipes_reader"]}},
        {"destination": {**USUAL["destination"], "roles": ["reader", "clickpipes"]}},
        "destination.roles must not have a role that is reserved for pipes, not 'clickpipes'",
    ),
    PIPE.rule(
        kafka(tombstoneMode="delete", exactlyOnce=True),
        kafka(tombstoneMode="delete", exactlyOnce=False),
        "source.kafka.tombstoneMode `delete` needs exactlyOnce",
    ),
    PIPE.rule(
        {"settings": {"kafka_read_committed": True}},
        {"settings": {"kafka_read_committed": False}, **kinesis()},
        "settings must have no kafka_read_committed, unless the source is Kafka",
    ),
    PIPE.rule(
        kafka(schemaRegistry=CONFLUENT),
        kafka(schemaRegistry={"url": "https://r"}),
        f"{REGISTRIES}missing: authentication",
    ),
    PIPE.rule(
        kafka(**BY_ROLE),
        kafka(**{**BY_ROLE, "schemaRegistry": {**CONFLUENT, **GLUE}}),
        f"{REGISTRIES}not url, authentication",
    ),
    PIPE.rule(
        kafka(schemaRegistry={**CONFLUENT, "type": "confluent"}),
        kafka(schemaRegistry={**CONFLUENT, "url": "http://registry"}),
        "source.kafka.schemaRegistry.url must begin with https://",
    ),
    PIPE.rule(
        kafka(schemaRegistry={**GLUE, "glueRoleArn": "arn:aws:iam::1:role/r"}),
        kafka(schemaRegistry=GLUE, authentication="SCRAM-SHA-512"),
        "source.kafka.schemaRegistry of type `glue` needs glueRoleArn, unless authentication is IAM_ROLE or IAM_USER",
    ),
    PIPE.rule(
        {**kafka(schemaRegistry=CONFLUENT), "credentials": {"schemaRegistry": {"username": "u", "password": "p"}}},
        {**kafka(**BY_ROLE), "credentials": {"schemaRegistry": {"username": "u", "password": "p"}}},
        "credentials must have no schemaRegistry for one of type `glue`, which is read with a role",
    ),
    *(
        case
        for stream, registry in ((kafka, CONFLUENT), (kinesis, GLUE))
        for case in (
            PIPE.rule(
                {**stream(format="Protobuf"), **SCHEMA},
                {**stream(format="Protobuf"), "credentials": {"protobufSchema": "AAE"}},
                "credentials.protobufSchema must be base64 with its padding, on one line",
            ),
            PIPE.rule(
                stream(format="Protobuf", schemaRegistry=registry, **WITH_ROLE),
                stream(format="Protobuf"),
                "source of format Protobuf needs schemaRegistry, or protobufSchema in `credentials`",
            ),
            PIPE.rule({}, {**stream(format="Protobuf", schemaRegistry=registry, **WITH_ROLE), **SCHEMA}, ONLY),
            PIPE.rule({}, {**stream(format="JSONEachRow"), **SCHEMA}, ONLY),
        )
    ),
    PIPE.rule(
        kinesis(format="AvroConfluent", schemaRegistry=GLUE),
        kinesis(format="AvroConfluent"),
        "source.kinesis.format `AvroConfluent` needs schemaRegistry",
    ),
    PIPE.rule(
        kafka(type="gcmk", **IDENTITY),
        kafka(**IDENTITY),
        "source.kafka.authentication `SERVICE_ACCOUNT_WORKLOAD_IDENTITY` needs type gcmk",
    ),
    PIPE.rule(
        {"source": {"objectStorage": {**FILES, **IDENTITY, "type": "gcs"}}},
        {"source": {"objectStorage": {**FILES, **IDENTITY}}},
        "source.objectStorage.authentication `SERVICE_ACCOUNT_WORKLOAD_IDENTITY` needs type gcs",
    ),
    PIPE.rule(
        {"source": {"bigquery": {**BIGQUERY, **IDENTITY, "projectId": "shop-1234"}}, **TABLES},
        {"source": {"bigquery": {**BIGQUERY, **IDENTITY}}, **TABLES},
        "source.bigquery.projectId is required with authentication SERVICE_ACCOUNT_WORKLOAD_IDENTITY",
    ),
    *(
        PIPE.rule(
            {
                "source": {"bigquery": {**BIGQUERY, "authentication": "SERVICE_ACCOUNT", "projectId": "shop-1234"}},
                **TABLES,
            },
            {"source": {"bigquery": {**STAGED, **settings}}, **TABLES},
            f"source.bigquery.settings{path} is required{': write snapshot' if path else ''}",
        )
        for settings, path in NO_MODE
    ),
    PIPE.rule(
        {"source": {"bigquery": BIGQUERY}, "credentials": {"serviceAccountKey": "e30="}, **TABLES},
        {
            "source": {
                "bigquery": {
                    "snapshotStagingPath": "gs://staging/",
                    "settings": {"replicationMode": "snapshot", "replicationMethod": "APPENDS"},
                    "tableMappings": [
                        {
                            "sourceDatasetName": "d",
                            "sourceTable": "t",
                            "targetTable": "t",
                            "queryCdc": {"watermarkColumn": "t"},
                        }
                    ],
                }
            },
            "credentials": {"serviceAccountKey": "e30="},
            **TABLES,
        },
        "source.bigquery.settings.replicationMethod is not supported here; it has replicationMode, allowNullable",
        "queryCdc is not supported here; remove it, or take a newer version of this package, if servers have it",
    ),
    *(
        PIPE.rule(
            {"source": {kind: {**source, "authentication": "IAM_ROLE", "iamRole": ROLE}}, **NAMED, **TABLES},
            {"source": {kind: {**source, "authentication": "IAM_ROLE"}}, **NAMED, **TABLES},
            f"source.{kind}.iamRole is required for authentication IAM_ROLE",
        )
        for kind, source in (("postgres", POSTGRES), ("mysql", {**POSTGRES_LIKE, "settings": CDC}))
    ),
    PIPE.rule(
        {"source": {"postgres": {**POSTGRES, "iamRole": ROLE, "authentication": "basic"}}, **TABLES},
        {"source": {"postgres": POSTGRES}, **NAMED, **TABLES},
        "credentials must be complete; missing: password",
    ),
    PIPE.rule(
        {"source": {"pubsub": {**PUBSUB, **IDENTITY}}},
        {"source": {"pubsub": {**PUBSUB, **IDENTITY}}, **KEY},
        "credentials must have none of the source with SERVICE_ACCOUNT_WORKLOAD_IDENTITY; not serviceAccountKey",
    ),
    PIPE.rule({"waitTimeoutMinutes": 0}, {"waitTimeoutMinutes": -1}, "waitTimeoutMinutes must be at least 0, not -1"),
    *DOUBTS,
    *(
        PIPE.warned(
            {"source": {kind: {**source, **WITH_ROLE}}, **more},
            {"source": {kind: {**source, "iamRole": ROLE}}, **more},
            f"source.{kind}.iamRole has no effect without authentication IAM_ROLE",
        )
        for kind, source, more in (
            ("kafka", KAFKA, {}),
            ("kinesis", KINESIS, {}),
            ("postgres", POSTGRES, TABLES),
            ("mysql", {**POSTGRES_LIKE, "settings": CDC}, TABLES),
        )
    ),
    PIPE.warned(
        {"source": {"mysql": {**POSTGRES_LIKE, "settings": CDC}}, **TABLES},
        {"source": {"mysql": {**POSTGRES_LIKE, "settings": CDC, "host": "localhost"}}, **TABLES},
        "source.mysql.host should be an address that is known outside of its machine or cluster",
    ),
    PIPE.warned(
        {"source": {"objectStorage": {**AZURE, "authentication": "CONNECTION_STRING"}}},
        {"source": {"objectStorage": {**AZURE, **WITH_ROLE}}},
        "source.objectStorage.authentication `IAM_ROLE` is for type s3",
    ),
    refused(
        "a database to discover",
        "discoverPipeSchema",
        {"serviceId": UUID, "source": {"kinesis": STREAM}},
        {"source": {}},
        "source must have exactly one of kafka, kinesis, pubsub, objectStorage",
    ),
    refused(
        "a registry without its login",
        "discoverPipeSchema",
        {**REGISTERED, "credentials": {"username": "u", "password": "p", "schemaRegistry": LOGIN}},
        {"credentials": {"username": "u", "password": "p"}},
        "credentials must have schemaRegistry for one of type `confluent`",
    ),
    *(
        PIPE.row(tables(right), tables(wrong), (said,), doubts, **THERE)
        for right, wrong, said, doubts in (
            ({}, {"tableMappings": []}, f"{ONE_EACH}, not an empty list", ()),
            (
                {"tableMappings": [TABLE, {**TABLE, "sourceTable": UNKNOWN, "targetTable": UNKNOWN}]},
                {"tableMappings": [TABLE, {**TABLE, "excludedColumns": None}]},
                f"{ONE_EACH}; duplicate: [1]",
                ("source.postgres.tableMappings should each have a targetTable of their own",),
            ),
            (
                {},
                {"host": "db\n"},
                "source.postgres.host must not be empty, and must not contain blanks, not 'db\\n'; did you mean 'db'?",
                (),
            ),
        )
    ),
    refused(
        "a format that is a number",
        "discoverPipeSchema",
        {"serviceId": UUID, "source": {"kinesis": STREAM}},
        {"source": {"kinesis": {**STREAM, "format": 1}}},
        "source.kinesis.format must be",
    ),
]
