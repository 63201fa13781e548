"""Examples of services."""

from __future__ import annotations

from clouddb_tools.commands.export.statements import Ref, Step

from .example import BACKUP_ID, SERVICE_ID, SNAPSHOT_ID, WAREHOUSE_ID, Example, Examples

_SERVICE = Step(
    "orders",
    "Service",
    {
        "name": "orders",
        "provider": "aws",
        "region": "eu-central-1",
        "minReplicaMemoryGb": 8,
        "maxReplicaMemoryGb": 32,
        "numReplicas": 3,
        "idleScaling": True,
        "idleTimeoutMinutes": 15,
        "ipAccessList": [{"source": "203.0.113.0/24", "description": "office"}],
    },
)

EXAMPLES: Examples = {
    "Service": (
        Example("A service that sleeps when idle", [_SERVICE], {"endpoints": Ref("orders.endpoints")}),
        Example(
            "Smaller at night, with settings and backups of its own",
            [
                Step(
                    "orders",
                    "Service",
                    {
                        "name": "orders",
                        "provider": "aws",
                        "region": "eu-central-1",
                        "minReplicaMemoryGb": 16,
                        "maxReplicaMemoryGb": 64,
                        "numReplicas": 3,
                        "scalingSchedule": {
                            "entries": [
                                {
                                    "name": "night",
                                    "weekdays": [0, 1, 2, 3, 4, 5, 6],
                                    "startHourUtc": 20,
                                    "endHourUtc": 6,
                                    "minReplicaMemoryGb": 8,
                                    "maxReplicaMemoryGb": 16,
                                    "numReplicas": 2,
                                }
                            ],
                        },
                        "upgradeWindow": {"weekday": 0, "startHourUtc": 0},
                        "settings": {"max_query_size": "262144"},
                        "backupBucket": {
                            "bucketProvider": "AWS",
                            "bucketPath": "s3://acme-backups/orders",
                            "iamRoleArn": "arn:aws:iam::123456789012:role/backups",
                        },
                    },
                ),
            ],
        ),
        Example(
            "A service that is stopped while nobody needs it, with snapshots between its backups",
            [
                Step(
                    "archive",
                    "Service",
                    {
                        "name": "archive",
                        "provider": "aws",
                        "region": "eu-central-1",
                        "snapshotConfiguration": {"enabled": True, "gap": 60, "timeFrame": 2880},
                        "stopped": True,
                    },
                ),
            ],
        ),
        Example(
            "A service whose clients choose their replica by a tag",
            [
                Step(
                    "sessions",
                    "Service",
                    {
                        "name": "sessions",
                        "provider": "aws",
                        "region": "eu-central-1",
                        "numReplicas": 3,
                        "replicaAwareRouting": {"httpEnabled": True, "nativeEnabled": False},
                    },
                ),
            ],
        ),
        Example(
            "A read-only service in an existing warehouse",
            [
                Step(
                    "reports",
                    "Service",
                    {
                        "name": "orders reports",
                        "provider": "aws",
                        "region": "eu-central-1",
                        "dataWarehouseId": WAREHOUSE_ID,
                        "isReadonly": True,
                        "numReplicas": 1,
                        "deletionProtection": True,
                    },
                ),
            ],
        ),
    ),
    "getService": (
        Example(
            "Read a service",
            [Step("service", "getService", {"serviceId": SERVICE_ID})],
            {"engineVersion": Ref("service.engineVersion")},
        ),
    ),
    "listServices": (
        Example(
            "Find services by name",
            [Step("found", "listServices", {"name": "orders"})],
            {"services": Ref("found.services")},
        ),
    ),
    "getBackup": (
        Example(
            "Read a backup",
            [Step("backup", "getBackup", {"serviceId": SERVICE_ID, "backupId": BACKUP_ID})],
            {"finishedAt": Ref("backup.finishedAt")},
        ),
    ),
    "listBackups": (
        Example(
            "List the backups of a service",
            [Step("found", "listBackups", {"serviceId": SERVICE_ID})],
            {"backups": Ref("found.backups")},
        ),
    ),
    "getSnapshot": (
        Example(
            "Read a snapshot",
            [Step("snapshot", "getSnapshot", {"serviceId": SERVICE_ID, "snapshotId": SNAPSHOT_ID})],
            {"finishedAt": Ref("snapshot.finishedAt")},
        ),
    ),
    "listSnapshots": (
        Example(
            "List the snapshots of a service",
            [Step("found", "listSnapshots", {"serviceId": SERVICE_ID})],
            {"snapshots": Ref("found.snapshots")},
        ),
    ),
    "getPrivateEndpointConfig": (
        Example(
            "Connect a network to a service",
            [Step("config", "getPrivateEndpointConfig", {"serviceId": SERVICE_ID})],
            {"endpointServiceId": Ref("config.endpointServiceId")},
        ),
    ),
}
