"""The objects of an organization in the cloud, and those of the observability server of a service there."""

from __future__ import annotations

import base64
import hashlib
from functools import partial

from lives.table import LIVES, OF_NO_INPUT
from pulumi_clouddb.registry import OPERATIONS
from real_server.alerts import LIMIT
from real_server.others import HOOK, WHOLE_HOOK
from real_server.request import Values, without
from real_server.world import LOGS, SEARCH

from .account import Kind
from .subject import Subject, sendable
from .world import FUNCTION, SMALLEST_GB, VIEW, identifier

subject = partial(Subject, kind=Kind.CLOUD)


def _renamed(_: Values) -> Values:
    """Return the body of a PATCH that renames an object."""
    return {"name": "By hand"}


def _put(record: Values) -> Values:
    """Return the body of a PUT that renames an object."""
    return sendable(record, name="By hand")


# -- services --------------------------------------------------------------------------------------------------------

_ORDERS: Values = {
    "name": "Orders",
    "provider": "<place.provider>",
    "region": "<place.region>",
    "numReplicas": "<place.replicas>",
    "minReplicaMemoryGb": SMALLEST_GB,
    "maxReplicaMemoryGb": SMALLEST_GB,
    "idleScaling": True,
    "idleTimeoutMinutes": 5,
    "ipAccessList": [{"source": "10.0.0.0/8", "description": "office"}],
    "endpoints": [{"protocol": "mysql", "enabled": False}],
    "releaseChannel": "default",
    "tags": ["<run.tag>", {"key": "team", "value": "shop"}],
}
_DETAILS: Values = {
    **_ORDERS,
    "name": "Orders and returns",
    "ipAccessList": [{"source": "10.1.0.0/16", "description": "office"}, {"source": "192.0.2.1"}],
    "endpoints": [{"protocol": "mysql", "enabled": True}],
    "tags": ["<run.tag>", {"key": "team", "value": "store"}],
    "enableCoreDumps": False,
}
_SIZE: Values = {**_DETAILS, "minReplicaMemoryGb": 12, "maxReplicaMemoryGb": 12, "idleTimeoutMinutes": 10}
_AWAKE: Values = {**_SIZE, "numReplicas": "<place.more>", "idleScaling": False}
_HORIZONTAL: Values = {
    **without(_AWAKE, "numReplicas"),
    "autoscalingMode": "horizontal",
    "minReplicas": "<place.replicas>",
    "maxReplicas": "<place.more>",
}
_NIGHT: Values = {"name": "night", "weekdays": [1, 2], "startHourUtc": 22, "endHourUtc": 6, "numReplicas": 3}
_SETTINGS: Values = {
    **_AWAKE,
    "backupConfiguration": {"backupPeriodInHours": 12, "backupRetentionPeriodInHours": 48},
    "queryEndpoint": {"roles": ["sql_console_read_only"], "openApiKeys": ["<key.id>"]},
    "scalingSchedule": {"entries": [_NIGHT]},
    "upgradeWindow": {"weekday": 3, "startHourUtc": 12},
    "settings": {"max_query_size": "262144"},
    "stopped": False,
}
_PASSWORD = b"Acceptance-0123456"
SERVICE = subject(
    "service",
    "Service",
    before=_ORDERS,
    updates={
        "basic details": _DETAILS,
        "release channel": {**_DETAILS, "releaseChannel": "slow"},
        "size": _SIZE,
        "replicas and idling": _AWAKE,
        "horizontal scaling": _HORIZONTAL,
        "stop": {**_AWAKE, "stopped": True},
        "start and settings": _SETTINGS,
        "password": {
            **_SETTINGS,
            "passwordHash": base64.b64encode(hashlib.sha256(_PASSWORD).digest()).decode(),
            "passwordDoubleSha1Hash": hashlib.sha1(hashlib.sha1(_PASSWORD).digest()).hexdigest(),  # noqa: S324
        },
    },
    by_hand=_renamed,
    of_vendor=frozenset({"horizontal scaling", "stop", "start and settings", "password"}),
)
BUCKET = subject(
    "service with a bucket for backups",
    "Service",
    before=_ORDERS,
    updates={
        "bucket": {
            **_ORDERS,
            "backupBucket": "<backup_bucket.backupBucket>",
            "backupBucketSecret": "<backup_bucket.backupBucketSecret>",
        }
    },
    by_hand=_renamed,
    of_vendor=frozenset({"bucket"}),
    need="backup_bucket",
)
ATTACHED = subject(
    "service with a private endpoint",
    "Service",
    before=_ORDERS,
    updates={"endpoint": {**_ORDERS, "privateEndpointIds": ["<private_endpoint.endpointId>"]}},
    by_hand=_renamed,
    need="private_endpoint",
)
SNAPSHOTS = subject(
    "service with snapshots",
    "Service",
    before=_ORDERS,
    updates={
        "snapshots": {**_ORDERS, "snapshotConfiguration": {"enabled": True, "gap": 30, "timeFrame": 1440}},
        "no snapshots": {**_ORDERS, "snapshotConfiguration": {"enabled": False}},
    },
    by_hand=_renamed,
    of_vendor=frozenset({"snapshots", "no snapshots"}),
    need="snapshots",
)
ROUTING = subject(
    "service with replica-aware routing",
    "Service",
    before=_ORDERS,
    updates={
        "routing": {**_AWAKE, "replicaAwareRouting": {"httpEnabled": True}},
        "no routing": {**_AWAKE, "replicaAwareRouting": {"httpEnabled": False, "nativeEnabled": False}},
    },
    by_hand=_renamed,
    of_vendor=frozenset({"routing", "no routing"}),
    need="replica_aware_routing",
)
_POSTGRES: Values = {
    "name": "orders",
    "provider": "<postgres_service.provider>",
    "region": "<postgres_service.region>",
    "size": "<postgres_service.size>",
    "haType": "none",
    "tags": ["<run.tag>"],
    "pgConfig": {"max_connections": "100"},
    "pgBouncerConfig": {"default_pool_size": "16"},
}
_RENAMED: Values = {
    **_POSTGRES,
    "name": "orders and returns",
    "tags": ["<run.tag>", {"key": "team", "value": "store"}],
    "pgConfig": {"max_connections": "100", "work_mem": "8MB"},
    "pgBouncerConfig": {"default_pool_size": "32"},
}
_LARGER: Values = {**_RENAMED, "size": "<postgres_service.largerSize>", "haType": "async"}
POSTGRES = subject(
    "Postgres service",
    "PostgresService",
    before=_POSTGRES,
    updates={
        "name, tags and parameters": _RENAMED,
        "size and replica": _LARGER,
        "password": {**_LARGER, "password": "Acceptance-0123456"},
    },
    by_hand=lambda record: {"tags": [*record.get("tags", []), {"key": "by", "value": "hand"}]},
    need="postgres_service",
)

# -- keys, roles and people ------------------------------------------------------------------------------------------

_CI: Values = {"name": "ci", "roles": ["developer"], "expireAt": "2030-01-01T00:00:00Z"}
KEY = subject(
    "key",
    "ApiKey",
    before=_CI,
    updates={"": {**LIVES["created key"].after, "expireAt": "2031-01-01T00:00:00Z"}},
    by_hand=_renamed,
)
KEY_BY_ROLE = subject(
    "key with roles by id",
    "ApiKey",
    before={"name": "ci", "assignedRoleIds": ["<role.id>"]},
    updates={"": {"name": "ci", "assignedRoleIds": ["<other_role.id>"]}},
    by_hand=_renamed,
)
ADOPTED = subject(
    "adopted key",
    "ApiKey",
    before={"keyId": "<key.id>", "name": "adopted"},
    updates={"": {"keyId": "<key.id>", "name": "renamed", "roles": ["query_endpoints"]}},
    by_hand=_renamed,
    remains=True,
)
ROLE = subject(
    "role",
    "Role",
    before={"name": "Reader", "policies": [VIEW]},
    updates={
        "": {
            "name": "Reader of tables",
            "policies": [{**VIEW, "tags": {"grants": ["GRANT SELECT ON shop.*"]}}],
            "actors": ["apiKey/<key.id>"],
        }
    },
    by_hand=_renamed,
)
MEMBER = subject(
    "member",
    "Member",
    before={"userId": "<member>", "assignedRoleIds": ["<role.id>"]},
    updates={"": {"userId": "<member>", "assignedRoleIds": ["<role.id>", "<other_role.id>"]}},
    by_hand=None,
    need="member",
    remains=True,
)
INVITATION = subject(
    "invitation",
    "Invitation",
    before={"email": "<invite>", "assignedRoleIds": ["<role.id>"]},
    updates={"": {"email": "<invite>", "assignedRoleIds": ["<role.id>"], "removeMember": True}},
    by_hand=None,
    need="invite",
)
SETTINGS = subject(
    "organization settings",
    "OrganizationSettings",
    before={"name": "<organization.name>"},
    updates={"": {"name": "Renamed", "enableCoreDumps": False}},
    by_hand=_renamed,
    need="organization_settings",
    remains=True,
)

# -- pipes, endpoints and functions ----------------------------------------------------------------------------------

_OF_A_SERVICE: Values = {"serviceId": "<service.id>"}


def _pipe(kind: str, name: str, given: str, changes: dict[str, Values]) -> Subject:
    before: Values = {
        **_OF_A_SERVICE,
        "*": f"<{given}>",
        "name": name,
    }
    updates, inputs = {}, before
    for what, change in changes.items():
        updates[what] = inputs = {**inputs, **change}
    # No record has the credentials, and without them nothing proves whose pipe it is.
    return subject(
        f"pipe from {kind}", "Pipe", before=before, updates=updates, by_hand=_renamed, need=given, adopted=False
    )


STREAM = _pipe(
    "a broker",
    "clicks",
    "kafka",
    {
        "name and columns": {
            "name": "clicks of the shop",
            "fieldMappings": [{"sourceField": "id", "destinationField": "id"}],
        },
        "scaling": {"scaling": {"replicas": 2}},
        "settings": {"settings": {"streaming_max_insert_wait_ms": 1000}},
        "state": {"stopped": True},
    },
)
FILES = _pipe("a bucket", "files", "object_storage", {"name": {"name": "files of the shop"}})
CHANGES = _pipe("a database", "orders", "postgres", {"name": {"name": "orders of the shop"}})
_SCALED: Values = {**_OF_A_SERVICE, "pipeId": "<stream.id>"}
SCALING = subject(
    "scaling of a pipe from a broker",
    "PipeScaling",
    before={**_SCALED, "replicas": 2},
    updates={"": {**_SCALED, "replicas": 1, "replicaCpuMillicores": 250, "replicaMemoryGb": 1}},
    by_hand=lambda _: {"replicas": 3},
    need="kafka",
    remains=True,
    change=OPERATIONS["scale_pipe"],
)
_CONCURRENT: Values = {**_OF_A_SERVICE, "pipeId": "<files.id>"}
CONCURRENCY = subject(
    "scaling of a pipe from a bucket",
    "PipeScaling",
    before={**_CONCURRENT, "concurrency": 1},
    updates={"": {**_CONCURRENT, "concurrency": 2}},
    by_hand=lambda _: {"concurrency": 3},
    need="object_storage",
    remains=True,
    change=OPERATIONS["scale_pipe"],
)
CDC = subject(
    "scaling of pipes from databases",
    "PipeCdcScaling",
    before={"serviceId": "<database.serviceId>", "replicaCpuMillicores": 1000, "replicaMemoryGb": 4},
    updates={"": {"serviceId": "<database.serviceId>", "replicaCpuMillicores": 2000, "replicaMemoryGb": 8}},
    by_hand=lambda _: {"replicaCpuMillicores": 1000, "replicaMemoryGb": 4},
    need="postgres",
    remains=True,
)
REVERSE = subject(
    "reverse private endpoint",
    "ReversePrivateEndpoint",
    before={**_OF_A_SERVICE, "*": "<reverse_private_endpoint>"},
    updates={
        "": {
            **_OF_A_SERVICE,
            "*": "<reverse_private_endpoint>",
            "customPrivateDnsMappings": [{"privateDnsName": "*.acceptance.example.com"}],
        }
    },
    by_hand=lambda _: {"customPrivateDnsMappings": []},
    need="reverse_private_endpoint",
    adopted=False,  # it has no name, and an equal one is no proof
)
SSH_KEY = subject(
    "SSH key of pipes",
    "PipeSshKey",
    before={**_OF_A_SERVICE, "name": "Bastion", "host": "bastion.invalid", "username": "pipes", "port": 2222},
    updates={},  # nobody can install the public key during a run, so that a validation fails
    by_hand=None,
)
_ENDPOINT: Values = {"*": "<private_endpoint>", "cloudProvider": "<place.provider>", "region": "<place.region>"}
PRIVATE = subject(
    "private endpoint",
    "PrivateEndpoint",
    before=_ENDPOINT,
    updates={"": {**_ENDPOINT, **_OF_A_SERVICE}},
    by_hand=None,
    need="private_endpoint",
    adopted=False,  # an address is no proof
)
BYOC = subject(
    "BYOC infrastructure",
    "ByocInfrastructure",
    before={"*": "<byoc>", "displayName": "Ours", "tags": {"team": "shop"}, "enablePublicLoadBalancer": True},
    updates={
        "name and tags": {
            "*": "<byoc>",
            "displayName": "Shop",
            "tags": {"team": "store", "stage": "live"},
            "enablePublicLoadBalancer": True,
        },
        "private links and load balancers": {
            "*": "<byoc>",
            "displayName": "Shop",
            "tags": {"team": "store"},
            "enablePrivateLink": True,
            "enablePrivateLoadBalancer": True,
            "enablePublicLoadBalancer": False,
        },
    },
    by_hand=lambda _: {"displayName": "By hand"},
    need="byoc",
    adopted=False,  # no record has the account and the network
)
UDF = subject(
    "user-defined function",
    "UserDefinedFunction",
    before={**FUNCTION, "name": "twice", "files": LIVES["user-defined function"].before["files"]},
    updates={"": LIVES["user-defined function"].after},
    by_hand=None,
    named=identifier,
    adopted=False,  # no record has the code
)
_ATTACHED: Values = {"functionName": "<function.name>", **_OF_A_SERVICE}
ATTACHMENT = subject(
    "attachment of a function",
    "UdfAttachment",
    before={**_ATTACHED, "version": 1},
    updates={"": {**_ATTACHED, "version": 2}},
    by_hand=lambda _: {"version": 1},
    adopted=False,  # no record says who attached a function
)

SAVED_QUERY = subject(
    "saved query",
    "SavedQuery",
    before={**LIVES["saved query"].before, **_OF_A_SERVICE},
    updates={"": {**LIVES["saved query"].after, **_OF_A_SERVICE}},
    by_hand=lambda _: {"name": "By hand", "sql": "SELECT 1", "database": "shop"},
    adopted=False,  # no record shows its age
)

_ENDPOINT_OF_QUERY: Values = {**_OF_A_SERVICE, "apiKeyIds": ["<key.id>"]}
QUERY_API_ENDPOINT = subject(
    "query API endpoint",
    "QueryApiEndpoint",
    before={**LIVES["query API endpoint"].before, **_ENDPOINT_OF_QUERY},
    updates={"": {**LIVES["query API endpoint"].after, **_ENDPOINT_OF_QUERY}},
    by_hand=lambda record: {
        **{name: each for name, each in sendable(record).items() if name not in OF_NO_INPUT["QueryApiEndpoint"]},
        "name": "By hand",
        "sql": "SELECT 1",
    },
    adopted=False,  # no record shows its age
)

# -- the observability server of a service ---------------------------------------------------------------------------

_SERIES: Values = {"type": "time", "sourceId": "<logs.id>", "aggFn": "count", "where": "", "groupBy": []}
_TILE: Values = {"name": "Errors", "x": 0, "y": 0, "w": 8, "h": 3, "series": [_SERIES]}
_SECOND: Values = {**_TILE, "name": "Speed", "x": 8, "w": 4}
DASHBOARD = subject(
    "managed dashboard",
    "Dashboard",
    before={**_OF_A_SERVICE, "name": "Orders", "tags": ["shop"], "tiles": [_TILE, _SECOND]},
    updates={
        "": {
            **_OF_A_SERVICE,
            "name": "Orders and returns",
            "tags": ["shop", "returns"],
            "tiles": [{**_SECOND, "h": 4}, {**_TILE, "y": 5}],
        }
    },
    by_hand=_put,
    adopted=False,  # servers return tiles of another form, which do not prove what was sent
)
_ON_A_TILE: Values = {
    **_OF_A_SERVICE,
    **LIMIT,
    "source": "tile",
    "dashboardId": "<board.id>",
    "tileId": "<board.tiles.0.id>",
    "name": "Too many",
}
ALERT = subject(
    "managed alert",
    "Alert",
    before=_ON_A_TILE,
    updates={
        "": {
            **_ON_A_TILE,
            "tileId": "<board.tiles.1.id>",
            "threshold": 20.5,
            "interval": "1h",
            "thresholdType": "below",
            "message": "Look.",
        }
    },
    by_hand=lambda record: sendable(record, threshold=1),
)
SAVED_SEARCH = subject(
    "managed saved search",
    "SavedSearch",
    before={**_OF_A_SERVICE, **SEARCH},
    updates={"": {**_OF_A_SERVICE, **SEARCH, "name": "Slow", "where": "Duration > 5", "whereLanguage": "sql"}},
    by_hand=_put,
)
_FILTERS: Values = {
    "databaseName": "shop",
    "tableName": "values",
    "columns": [{"name": "ServiceName", "label": "Service"}],
}
SOURCE = subject(
    "managed source",
    "Source",
    before={**_OF_A_SERVICE, **LOGS},
    updates={"": {**_OF_A_SERVICE, **LOGS, "name": "Shop logs", "bodyExpression": "Body", "filterSettings": _FILTERS}},
    by_hand=_put,
)
HOOK_OF_A_SERVICE = subject(
    "managed webhook",
    "Webhook",
    before={**_OF_A_SERVICE, **HOOK},
    updates={"": {**_OF_A_SERVICE, **WHOLE_HOOK, "name": "Mail"}},
    by_hand=lambda record: sendable(record, name="By hand", url="https://events.example.com/by-hand"),
)
_LIFE = LIVES["stack role"]
STACK_ROLE = subject(
    "managed role",
    "StackRole",
    before={**_LIFE.before, **_OF_A_SERVICE},
    updates={"": {**_LIFE.after, **_OF_A_SERVICE}},
    by_hand=_put,
)

SUBJECTS: tuple[Subject, ...] = (
    KEY,
    KEY_BY_ROLE,
    ADOPTED,
    ROLE,
    INVITATION,
    MEMBER,
    SETTINGS,
    DASHBOARD,
    ALERT,
    SAVED_SEARCH,
    SOURCE,
    HOOK_OF_A_SERVICE,
    STACK_ROLE,
    SAVED_QUERY,
    QUERY_API_ENDPOINT,
    STREAM,
    FILES,
    CHANGES,
    SCALING,
    CONCURRENCY,
    CDC,
    SSH_KEY,
    REVERSE,
    PRIVATE,
    UDF,
    ATTACHMENT,
    BYOC,
    SERVICE,
    BUCKET,
    SNAPSHOTS,
    ROUTING,
    ATTACHED,
    POSTGRES,
)
"""Those that cost most are last: a run that ends early has proved the others."""
