"""Lives of services."""

from __future__ import annotations

from lives.life import Life
from lives.wire import WireLife

SERVICE = Life(
    name="Service",
    kind="services",
    before="""name='orders', provider='aws', region='us-east-1', min_replica_memory_gb=16, max_replica_memory_gb=32,
        num_replicas=2, idle_scaling=True, idle_timeout_minutes=10, release_channel='default',
        private_endpoint_ids=['vpce-1'], endpoints=[clouddb.EndpointSettingArgs(protocol='mysql', enabled=False)],
        ip_access_list=[clouddb.IpAccessEntryArgs(source='10.0.0.0/8', description='office')]""",
    after="""name='orders and returns', provider='aws', region='us-east-1', min_replica_memory_gb=24,
        max_replica_memory_gb=48, num_replicas=3, idle_scaling=False, idle_timeout_minutes=15, release_channel='slow',
        private_endpoint_ids=['vpce-2'], endpoints=[clouddb.EndpointSettingArgs(protocol='mysql', enabled=True)],
        ip_access_list=[clouddb.IpAccessEntryArgs(source='10.1.0.0/16', description='office'),
                        clouddb.IpAccessEntryArgs(source='192.0.2.1')]""",
    updated=frozenset(
        {
            *("name", "minReplicaMemoryGb", "maxReplicaMemoryGb", "numReplicas", "idleScaling", "idleTimeoutMinutes"),
            *("releaseChannel", "privateEndpointIds", "endpoints", "ipAccessList"),
        }
    ),
    drift=lambda sandbox, id_: sandbox.change(
        "services", id_, numReplicas=5, ipAccessList=[{"source": "0.0.0.0/0", "description": "oops"}]
    ),
    drifted=frozenset({"numReplicas", "ipAccessList"}),
    as_wanted=lambda service: (
        service["name"] == "orders and returns"
        and [service[f"{end}ReplicaMemoryGb"] for end in ("min", "max")] == [24, 48]
        and (service["numReplicas"], service["idleScaling"], service["idleTimeoutMinutes"]) == (3, False, 15)
        and service["releaseChannel"] == "slow"
        and service["privateEndpointIds"] == ["vpce-2"]
        and "mysql" in {endpoint["protocol"] for endpoint in service["endpoints"]}
        and {entry["source"] for entry in service["ipAccessList"]} == {"10.1.0.0/16", "192.0.2.1"}
    ),
)


LIVES = {"service": SERVICE}

WIRE_LIVES = [
    WireLife(
        "service",
        SERVICE,
        operations=("create_service", "scale_service", "delete_service", "list_services"),
        before={
            "name": "orders",
            "provider": "aws",
            "region": "us-east-1",
            "minReplicaMemoryGb": 16,
            "maxReplicaMemoryGb": 32,
            "numReplicas": 2,
            "idleScaling": True,
            "releaseChannel": "default",
            "endpoints": [{"protocol": "mysql", "enabled": False}],
            "ipAccessList": [
                {"source": "10.0.0.0/8", "description": "office"},
                {"source": "10.9.0.0/16", "description": "a"},
            ],
        },
        after={
            "name": "orders and returns",
            "provider": "aws",
            "region": "us-east-1",
            "minReplicaMemoryGb": 24,
            "maxReplicaMemoryGb": 32,
            "numReplicas": 3,
            "idleTimeoutMinutes": 20,
            "releaseChannel": "default",
            "endpoints": [{"protocol": "mysql", "enabled": False}],
            "ipAccessList": [
                {"source": "10.0.0.0/8", "description": "office"},
                {"source": "10.8.0.0/16", "description": "a"},
            ],
        },
        details={
            "name": "UPDATE",
            "minReplicaMemoryGb": "UPDATE",
            "numReplicas": "UPDATE",
            "idleScaling": "DELETE",
            "idleTimeoutMinutes": "ADD",
            "ipAccessList[1].source": "UPDATE",
        },
        left_alone=frozenset({"password", "endpoints", "createdAt", "iamRole"}),
        extra=frozenset({"provider", "region", "endpoints", "releaseChannel", "ipAccessList"}),
    )
]

OF_NO_INPUT = frozenset({"id", "engineVersion", "createdAt", "isPrimary", "state", "password", "lastError"})
"""Outputs that tell nothing of an input."""
