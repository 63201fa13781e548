"""What an account gives in tests: every entry of the file of needs, as a sandbox accepts it."""

from __future__ import annotations

from acceptance.needs import Needs
from clouddb_tools.sandbox import Sandbox
from clouddb_tools.sandbox.roles import system_role

_KAFKA = {
    "type": "kafka",
    "format": "JSONEachRow",
    "brokers": "kafka.example.com:9092",
    "topics": "clicks",
    "authentication": "PLAIN",
}
_FILES = {"type": "s3", "format": "JSONEachRow", "url": "https://files.example.com/*.json", "isContinuous": True}
_TABLE = {"sourceSchemaName": "public", "sourceTable": "orders", "targetTable": "orders"}
NEEDS = Needs(
    kafka={"source": {"kafka": _KAFKA}, "credentials": {"username": "u", "password": "of-the-broker"}},
    object_storage={"source": {"objectStorage": _FILES}},
    postgres={
        "source": {
            "postgres": {"host": "db.example.com", "port": 5432, "database": "shop", "tableMappings": [_TABLE]},
        },
        "credentials": {"username": "u", "password": "of-the-database"},
    },
    backup_bucket={
        "backupBucket": {"bucketProvider": "AZURE", "containerName": "orders"},
        "backupBucketSecret": "of-the-bucket",
    },
    private_endpoint={"endpointId": "vpce-acceptance", "description": "Office"},
    reverse_private_endpoint={
        "description": "Kafka",
        "type": "VPC_ENDPOINT_SERVICE",
        "vpcEndpointServiceName": "com.amazonaws.vpce.us-east-1.vpce-svc-1",
    },
    byoc={
        "regionId": "us-east-1",
        "accountId": "123456789012",
        "availabilityZoneSuffixes": ["a", "b"],
        "vpcCidrRange": "10.0.0.0/16",
    },
    postgres_service={"provider": "aws", "region": "us-east-1", "size": "m6gd.large", "largerSize": "m6gd.xlarge"},
    invite="grace@example.com",
    snapshots=True,
    replica_aware_routing=True,
    newer_stack=True,
    organization_settings=True,
)


def with_member(sandbox: Sandbox) -> Needs:
    """Return all needs, with a member that the sandbox then has."""
    member = sandbox.add("members", name="Bob", email="bob@example.com", assignedRoleIds=[system_role("developer")])
    return NEEDS.model_copy(update={"member": member["id"]})
