"""The programs of the simulation: small, with all kinds of creates, and with repeated names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from clouddb_tools.sandbox.roles import system_role
from support.ids import CALM, LOGS

from .engine import Entry, Program, Wanted

Inputs = dict[str, Any]
Part = Callable[["Scene"], Sequence[Wanted]]

ORIGINAL_REPLICAS = (1, 7, 8)
"""The numbers of replicas that users set. Programs set other values, so that each value shows its origin."""

KAFKA = {
    "type": "kafka",
    "format": "JSONEachRow",
    "brokers": "kafka.example.com:9092",
    "topics": "clicks",
    "authentication": "PLAIN",
}
TILES = ("Errors", "Speed")
RULE = {"threshold": 10, "interval": "5m", "thresholdType": "above", "channel": {"type": "webhook", "webhookId": CALM}}


PIPE_PASSWORD = "canary-of-a-pipe"
"""The password of pipes, which must appear nowhere."""

ADMIN, DEVELOPER, ANALYST = (system_role(name) for name in ("admin", "developer", "query_endpoints"))
"""Roles of members: programs assign the first, and in the changed edition also the third; users assign the second."""


class Scene:
    """The objects that a program refers to, and its variant.

    Attributes:
        edition: 0 for the first edition, 1 for the changed one.
        copies: The number of resources with the same name.
        duplicates: Whether services may have the name of existing ones.
        replaces: Whether a new service may be created although state had another one of its resource.
        settings: Whether services have the settings of the clickhouse dialect.
    """

    def __init__(self) -> None:
        self.service_id = ""
        self.pipe_id = ""
        self.key_id = ""
        self.user_id = ""
        self.organization_id = ""
        self.edition = 0
        self.copies = 1
        self.duplicates = False
        self.replaces = False
        self.settings = False


def tiles(edition: int) -> list[Inputs]:
    """Return the tiles of a dashboard; in the changed edition they are higher."""
    series = {"type": "time", "aggFn": "count", "sourceId": LOGS, "where": "", "groupBy": []}
    return [
        {"name": name, "x": 0, "y": 3 * place, "w": 8, "h": 3 + edition, "series": [series]}
        for place, name in enumerate(TILES)
    ]


def settings(edition: int) -> Inputs:
    """Return the settings of a service; the changed edition is stopped, and has no schedule and no upgrade window."""
    night = {"name": "night", "weekdays": [1], "startHourUtc": 22, "endHourUtc": 6, "numReplicas": 2}
    return {
        "tags": [{"key": "edition", "value": str(edition)}, {"key": "team"}],
        "backupConfiguration": {"backupRetentionPeriodInHours": 48 + 24 * edition},
        "snapshotConfiguration": {"enabled": True, "gap": 30, "timeFrame": 1440} if edition else {"enabled": False},
        "replicaAwareRouting": {"httpEnabled": edition == 1},
        "queryEndpoint": {"roles": ["sql_console_admin" if edition else "sql_console_read_only"]},
        "passwordRotation": str(edition),
        "stopped": edition == 1,
        "settings": {"max_query_size": str(edition + 1), **({} if edition else {"keep_alive_timeout": "30"})},
        "backupBucket": {"bucketProvider": "AZURE", "containerName": f"orders-{edition}"},
        "backupBucketSecret": "canary-of-the-bucket",
        **(
            {}
            if edition
            else {"scalingSchedule": {"entries": [night]}, "upgradeWindow": {"weekday": 3, "startHourUtc": 6}}
        ),
    }


def service(scene: Scene) -> list[Wanted]:
    """Return services with the same name."""
    inputs: Inputs = {
        "name": "orders",
        "provider": "aws",
        "region": "us-east-1",
        "ipAccessList": [{"source": "10.0.0.0/8" if scene.edition == 0 else "10.1.0.0/16", "description": "office"}],
    }
    if scene.settings:
        inputs |= settings(scene.edition)
    if scene.duplicates:
        inputs["allowDuplicateName"] = True
    if scene.replaces:
        inputs["allowReplacement"] = True
    count = scene.copies if scene.duplicates else 1
    return [Wanted(f"service-{number}", "Service", _fixed(inputs)) for number in range(count)]


def key(scene: Scene) -> list[Wanted]:
    """Return keys with the same name."""
    inputs = {"name": "ci", "roles": ["developer" if scene.edition == 0 else "admin"]}
    return [Wanted(f"key-{number}", "ApiKey", _fixed(inputs)) for number in range(scene.copies)]


def adopted_key(scene: Scene) -> list[Wanted]:
    """Return an override of an existing key."""
    roles = ["query_endpoints"] if scene.edition == 0 else ["query_endpoints", "developer"]
    inputs = {"keyId": scene.key_id, "roles": roles}
    return [Wanted("adopted", "ApiKey", _fixed(inputs), overrides=scene.key_id)]


def pipe(scene: Scene) -> list[Wanted]:
    """Return an override of an existing pipe."""
    inputs = {"serviceId": scene.service_id, "pipeId": scene.pipe_id, "replicas": 2 + scene.edition}
    return [Wanted("pipe", "PipeScaling", _fixed(inputs), overrides=scene.pipe_id)]


def dashboards(scene: Scene) -> list[Wanted]:
    """Return a dashboard of a self-hosted server, with alerts without names on one tile."""
    return _watched(scene, {}, named=False)


def managed_dashboards(scene: Scene) -> list[Wanted]:
    """Return a dashboard on the observability server of a service, with alerts of the same name on one tile."""
    return _watched(scene, {"serviceId": scene.service_id}, named=True)


def board(scene: Scene) -> list[Wanted]:
    """Return dashboards with the same name, without alerts."""
    dashboard = {"name": "Orders", "tags": ["shop"], "tiles": tiles(scene.edition)}
    return [Wanted(f"board-{number}", "Dashboard", _fixed(dashboard)) for number in range(scene.copies)]


def role(scene: Scene) -> list[Wanted]:
    """Return roles with the same name."""
    policy = {"allowDeny": "ALLOW", "permissions": ["control-plane:service:view"], "resources": ["instance/*"]}
    inputs = {"name": "Reader", "policies": [policy if scene.edition == 0 else {**policy, "allowDeny": "DENY"}]}
    return [Wanted(f"role-{number}", "Role", _fixed(inputs)) for number in range(scene.copies)]


def stack_role(scene: Scene) -> list[Wanted]:
    """Return a role of a service's observability server, where names are unique."""
    permission = {"action": "read" if scene.edition == 0 else "update", "subject": "dashboard"}
    inputs = {"serviceId": scene.service_id, "name": "Reader", "permissions": [permission]}
    return [Wanted("stack-role", "StackRole", _fixed(inputs))]


def member(scene: Scene) -> list[Wanted]:
    """Return an override of the roles of a member."""
    inputs = {"userId": scene.user_id, "assignedRoleIds": [ADMIN, ANALYST][: 1 + scene.edition]}
    return [Wanted("member", "Member", _fixed(inputs), overrides=scene.user_id)]


def invitation(scene: Scene) -> list[Wanted]:
    """Return invitations, which cannot be updated."""
    return [
        Wanted(f"invitation-{number}", "Invitation", _fixed({"email": f"grace-{number}@example.com"}))
        for number in range(scene.copies)
    ]


def stream(scene: Scene) -> list[Wanted]:
    """Return pipes with the same name that read a stream; the changed edition stops them."""
    inputs = {
        **_into(scene, {"table": "clicks", "managedTable": True, "columns": [{"name": "id", "type": "String"}]}),
        "source": {"kafka": {**KAFKA, **({"iamRole": "arn:aws:iam::1:role/r"} if scene.edition else {})}},
        "settings": {"streaming_max_insert_wait_ms": 1000 + scene.edition},
        **({"stopped": True, "scaling": {"replicas": 3}} if scene.edition else {}),
    }
    return [Wanted(f"stream-{number}", "Pipe", _fixed(inputs)) for number in range(scene.copies)]


def database(scene: Scene) -> list[Wanted]:
    """Return pipes with the same name that read a database; the changed edition reads another table."""
    tables = [
        {"sourceSchemaName": "public", "sourceTable": name, "targetTable": name}
        for name in ("orders", "users" if scene.edition else "items")
    ]
    postgres = {"host": "db.example.com", "port": 5432 + scene.edition, "database": "shop", "tableMappings": tables}
    inputs = {**_into(scene, {}), "source": {"postgres": postgres}}
    return [Wanted(f"database-{number}", "Pipe", _fixed(inputs)) for number in range(scene.copies)]


def endpoint(scene: Scene) -> list[Wanted]:
    """Return reverse private endpoints with the same description; in the changed edition each has its own DNS name."""

    def inputs(number: int) -> Inputs:
        named = {"customPrivateDnsMappings": [{"privateDnsName": f"db-{number}.example.com"}]}
        return {
            "serviceId": scene.service_id,
            "description": "Kafka",
            "type": "VPC_ENDPOINT_SERVICE",
            "vpcEndpointServiceName": "com.amazonaws.vpce.us-east-1.vpce-svc-1",
            **(named if scene.edition else {}),
        }

    kind = "ReversePrivateEndpoint"
    return [Wanted(f"endpoint-{number}", kind, _fixed(inputs(number))) for number in range(scene.copies)]


def ssh_key(scene: Scene) -> list[Wanted]:
    """Return an SSH key of pipes, whose name is unique; the changed edition validates it."""
    inputs = {"serviceId": scene.service_id, "name": "Bastion", "host": "bastion.example.com", "username": "pipes"}
    validated = {"validateConnection": True} if scene.edition else {}
    return [Wanted("ssh-key", "PipeSshKey", _fixed({**inputs, **validated}))]


def private_endpoint(scene: Scene) -> list[Wanted]:
    """Return private endpoints with different ids; the changed edition replaces each, which keeps its id."""
    inputs = {"description": "Factory" if scene.edition else "Office", "serviceId": scene.service_id}
    return [
        Wanted(
            f"private-endpoint-{number}", "PrivateEndpoint", _fixed({"endpointId": f"vpce-{number}a2b3c4d", **inputs})
        )
        for number in range(scene.copies)
    ]


def postgres(scene: Scene) -> list[Wanted]:
    """Return Postgres services with the same name, the first of them with a read replica."""
    limits = {"max_connections": str(100 + scene.edition), **({} if scene.edition else {"lock_timeout": "1s"})}
    inputs: Inputs = {
        "name": "orders",
        "provider": "aws",
        "region": "us-east-1",
        "size": "m6gd.xlarge" if scene.edition else "m6gd.large",
        "tags": [{"key": "edition", "value": str(scene.edition)}],
        "pgConfig": limits,
        "allowDuplicateName": True,
    }
    kind = "PostgresService"
    services = [Wanted(f"postgres-{number}", kind, _fixed(inputs)) for number in range(scene.copies)]

    def replica(entries: Mapping[str, Entry]) -> Inputs:
        return {"name": "reports", "readReplicaOf": entries["postgres-0"].id, "allowDuplicateName": True}

    return [*services, Wanted("postgres-replica", kind, replica, needs=("postgres-0",))]


def function(scene: Scene) -> list[Wanted]:
    """Return a function that is attached to a service; the changed edition has other code."""
    inputs = {
        "name": "twice",
        "runtime": "python3.11",
        "type": "executable",
        "arguments": [{"name": "x", "type": "UInt8"}],
        "returnType": "UInt8",
        "files": {"main.py": f"edition {scene.edition}"},
    }

    def attached(entries: Mapping[str, Entry]) -> Inputs:
        version = int(entries["function"].outputs["version"])
        return {"functionName": "twice", "serviceId": scene.service_id, "version": version}

    made = Wanted("function", "UserDefinedFunction", _fixed(inputs))
    return [made, Wanted("function-attached", "UdfAttachment", attached, needs=("function",))]


def infrastructure(scene: Scene) -> list[Wanted]:
    """Return infrastructures with different names."""
    return [
        Wanted(
            f"infrastructure-{number}",
            "ByocInfrastructure",
            _fixed({"regionId": "us-east-1", "accountId": "1", "displayName": f"Ours {number}{'!' * scene.edition}"}),
        )
        for number in range(scene.copies)
    ]


def stack_invitation(scene: Scene) -> list[Wanted]:
    """Return invitations to the team of a self-hosted server, which cannot be updated."""
    return [
        Wanted(f"team-{number}", "StackInvitation", _fixed({"email": f"grace-{number}@example.com"}))
        for number in range(scene.copies)
    ]


def cdc_scaling(scene: Scene) -> list[Wanted]:
    """Return an override of the scaling that the database pipes of a service share."""
    cores = 4 + scene.edition
    inputs = {"serviceId": scene.service_id, "replicaCpuMillicores": 1000 * cores, "replicaMemoryGb": 4 * cores}
    return [Wanted("cdc-scaling", "PipeCdcScaling", _fixed(inputs), overrides=scene.service_id)]


def organization(scene: Scene) -> list[Wanted]:
    """Return an override of the settings of the organization."""
    inputs = {"name": f"Ours {scene.edition}"}
    return [Wanted("organization", "OrganizationSettings", _fixed(inputs), overrides=scene.organization_id)]


def _into(scene: Scene, destination: Inputs) -> Inputs:
    return {
        "serviceId": scene.service_id,
        "name": "clicks",
        "credentials": {"username": "u", "password": PIPE_PASSWORD},
        "destination": {"database": "default", **destination},
    }


PARTS: Mapping[str, Part] = {
    "service": service,
    "key": key,
    "adopted key": adopted_key,
    "pipe": pipe,
    "board": board,
    "dashboards": dashboards,
    "managed dashboards": managed_dashboards,
}
"""Parts of programs."""

PLATFORM: Mapping[str, Part] = {
    "role": role,
    "stack role": stack_role,
    "member": member,
    "invitation": invitation,
    "stream": stream,
    "database": database,
    "endpoint": endpoint,
    "SSH key": ssh_key,
    "postgres": postgres,
    "organization": organization,
    "private endpoint": private_endpoint,
    "scaling of databases": cdc_scaling,
    "function": function,
    "infrastructure": infrastructure,
    "stack invitation": stack_invitation,
}
"""Parts of programs that only the vendor's servers support."""

OF_A_SERVICE = {
    *("pipe", "managed dashboards", "stack role", "stream", "database", "endpoint", "private endpoint"),
    *("scaling of databases", "function", "SSH key"),
}
"""Parts that need a service."""

MARKED = {"service", "key", "postgres"}
"""Parts whose objects have a mark in the clickhouse dialect."""

ALONE = (
    *("adopted key", "pipe", "member", "organization", "scaling of databases"),
    *("endpoint", "private endpoint", "stack role", "function", "infrastructure", "stack invitation"),
    "SSH key",
)
"""Parts that only one stack can have: two would change the same object, or need the same unique name."""


def program(scene: Scene, parts: Sequence[str]) -> Program:
    """Return the program with these parts."""
    return [wanted for part in parts for wanted in {**PARTS, **PLATFORM}[part](scene)]


def _watched(scene: Scene, where: Inputs, *, named: bool) -> list[Wanted]:
    board = f"board{len(where)}"
    dashboard = {**where, "name": "Orders", "tags": ["shop"], "tiles": tiles(scene.edition)}
    rule = {**where, **RULE, "threshold": 10 + scene.edition}
    if named:
        rule["name"] = "Too many"

    def alert(entries: Mapping[str, Entry]) -> Inputs:
        outputs = entries[board].outputs
        return {**rule, "dashboardId": entries[board].id, "tileId": outputs["tileIds"]["Errors"]}

    alerts = [Wanted(f"{board}-alert-{number}", "Alert", alert, needs=(board,)) for number in range(scene.copies)]
    return [Wanted(board, "Dashboard", _fixed(dashboard)), *alerts]


def _fixed(inputs: Inputs) -> Callable[[Mapping[str, Entry]], Inputs]:
    return lambda entries: dict(inputs)
