"""Examples of pipes."""

from __future__ import annotations

from clouddb_tools.commands.export.statements import Ref, Setting, Step

from .example import SERVICE_ID, Example, Examples

_CLICKS = Step(
    "clicks",
    "Pipe",
    {
        "serviceId": SERVICE_ID,
        "name": "clicks",
        "source": {
            "kafka": {
                "type": "kafka",
                "format": "JSONEachRow",
                "brokers": "kafka.example.com:9092",
                "topics": "clicks",
                "authentication": "PLAIN",
            }
        },
        "credentials": {"username": "clouddb", "password": Setting("password")},
        "destination": {
            "database": "default",
            "table": "clicks",
            "managedTable": True,
            "tableDefinition": {"engine": {"type": "MergeTree"}, "sortingKey": ["time"]},
            "columns": [{"name": "time", "type": "DateTime"}, {"name": "page", "type": "String"}],
        },
        "scaling": {"replicas": 2},
    },
)

_FILES = Step(
    "visits",
    "Pipe",
    {
        "serviceId": SERVICE_ID,
        "name": "visits",
        "source": {
            "objectStorage": {
                "type": "s3",
                "format": "JSONEachRow",
                "url": "https://acme-visits.s3.eu-central-1.amazonaws.com/*.json",
                "isContinuous": True,
                "authentication": "IAM_ROLE",
                "iamRole": "arn:aws:iam::123456789012:role/visits",
            }
        },
        "destination": _CLICKS.properties["destination"],
    },
)

_ORDERS = Step(
    "orders",
    "Pipe",
    {
        "serviceId": SERVICE_ID,
        "name": "orders",
        "source": {
            "postgres": {
                "host": "postgres.example.com",
                "port": 5432,
                "database": "shop",
                "settings": {"replicationMode": "cdc"},
                "tableMappings": [{"sourceSchemaName": "public", "sourceTable": "orders", "targetTable": "orders"}],
            }
        },
        "credentials": {"username": "clouddb", "password": Setting("password")},
        "destination": {"database": "default"},
    },
)

_CONTEXT = Step("context", "getPipeServiceContext", {"serviceId": SERVICE_ID})

_EVENTS = Step(
    "events",
    "Pipe",
    {
        "serviceId": SERVICE_ID,
        "name": "events",
        "source": {
            "pubsub": {
                "format": "JSONEachRow",
                "projectId": "shop-1234",
                "topic": "events",
                "authentication": "SERVICE_ACCOUNT_WORKLOAD_IDENTITY",
                "seekType": "earliest",
            }
        },
        "destination": _CLICKS.properties["destination"],
    },
)

EXAMPLES: Examples = {
    "getPipeServiceContext": (
        Example(
            "Read the account to which a source grants access",
            [Step("context", "getPipeServiceContext", {"serviceId": SERVICE_ID})],
            {"identity": Ref("context.gcpWorkloadIdentity")},
        ),
    ),
    "Pipe": (
        Example(
            "Read a topic with the identity of the service",
            [_CONTEXT, _EVENTS],
            {"account": Ref("context.gcpWorkloadIdentity")},
        ),
        Example("Read a stream", [_CLICKS], {"pipeId": Ref("clicks.id")}),
        Example("Load the files of a bucket, such as one of S3", [_FILES], {"pipeId": Ref("visits.id")}),
        Example("Follow the changes of a database", [_ORDERS], {"pipeId": Ref("orders.id")}),
    ),
}
