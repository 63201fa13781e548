"""The managed database service: its rules, the options and outputs of this provider, and its functions."""

from __future__ import annotations

from typing import ClassVar

from pulumi_clouddb.schema.base import Model, Number, Record, Text, Uuid, Whole, names_in, names_with, prop, wire_names
from pulumi_clouddb.schema.check.rules import Rule
from pulumi_clouddb.schema.names import property_names
from pulumi_clouddb.schema.provisioned import Database
from pulumi_clouddb.schema.resource_type import FunctionType, ResourceType, list_function
from pulumi_clouddb.schema.thing import body_of, inputs_of, ours

from .enums import ServerProfile, ServerRegion
from .fields import DETAILS, REPLICA, TOTAL, ServiceFields
from .parts import REPLICA_COUNT, BackupBucket
from .rules import DOUBTED, MEANT, RULES, SETTING_RULES


class Service(Database, ServiceFields):
    """A managed database service (*Create service*)."""

    ANSWER = "ServiceResponse"
    RULES: ClassVar[tuple[Rule[Service], ...]] = (
        *RULES,
        *SETTING_RULES,
        *MEANT,
        *DOUBTED,
    )
    READY = "the service runs, or is gone"
    UNREADY = "Why the service is not ready; absent once it is."

    password: Text | None = ours(
        "Password of the initial account. The server returns it only when it is created or rotated.",
        secret=True,
        api="password",
    )


class VendorService(Service):
    """A service within the limits of the vendor's own servers, which accept any character in a name."""

    name: Text | None = prop("Name of the service.", required=True, min_length=1, max_length=50, groups=(DETAILS,))
    num_replicas: Whole | None = prop("Number of replicas.", **REPLICA_COUNT, groups=(REPLICA, TOTAL))
    region: ServerRegion | None = prop("Region of that cloud.", replaces=True)  # type: ignore[assignment]
    profile: ServerProfile | None = prop("Instance profile.", replaces=True)  # type: ignore[assignment]


BASIC_DETAILS = names_in(Service, DETAILS)
REPLICA_SCALING = names_in(Service, REPLICA)
TOTAL_SCALING = names_in(Service, TOTAL)
"""The properties that each update of a service takes, by wire name."""

TOTAL_MEMORY = tuple(name for name in TOTAL_SCALING if name not in REPLICA_SCALING)
"""The properties that only the deprecated update of the totals takes."""

LATER = names_with(Service, "later") + property_names(Service, lambda args: (args.private_endpoint_ids,))
"""The properties that are sent once the service runs: no create takes them, or they are deprecated there.

`privateEndpointIds` of a create is deprecated (OpenAPI: `ServicePostRequest`): an update attaches endpoints.
"""

AT_ONCE = tuple(name for name in wire_names(body_of(Service)) if name not in LATER)
"""The properties that a create sends."""

SERVICE = ResourceType(
    Service,
    "A managed database service. It is created, waited for, changed in place where the API allows it, "
    "and stopped before it is deleted.",
    wider=inputs_of(VendorService),
    required_outputs=("name",),
    import_id="SERVICE_ID",
)


class ServiceCreated(Record):
    """The `result` of *Create service*."""

    service: Service = prop("The new service.", required=True)
    password: Text | None = prop("Password of the initial account.", secret=True)


class OfServiceArgs(Model):
    """Arguments of a function about one service."""

    service_id: Uuid = prop("Id of the service.", required=True)


class PrivateEndpointConfig(Record):
    """How private endpoints reach a service (OpenAPI: `PrivateEndpointConfig`)."""

    endpoint_service_id: Text | None = prop(
        "Target of an endpoint in your network: the service name of AWS, the target service of GCP, or the "
        "private link service of Azure."
    )
    private_dns_hostname: Text | None = prop("Host name of the service in your network.")


class Backup(Record):
    """A backup of a service (OpenAPI: `Backup`)."""

    id: Text | None = prop("Id of the backup, for `backupId` of a new service.")
    status: Text | None = prop(
        "Status: `done`, `error` or `in_progress`. A service can start only from a backup that is `done`."
    )
    service_id: Text | None = prop("Id of the service that was backed up.")
    started_at: Text | None = prop("When it was started (ISO-8601).")
    finished_at: Text | None = prop("When it was finished (ISO-8601); absent until then.")
    size_in_bytes: Number | None = prop("Size in bytes.")
    duration_in_seconds: Number | None = prop("Duration in seconds, so far if it is not finished.")
    type: Text | None = prop("Type: `full` or `incremental`.")
    backup_name: Text | None = prop("Name in a bucket of your own.")
    bucket: BackupBucket | None = prop("The bucket of your own that has it.")


class GetBackupArgs(OfServiceArgs):
    """Arguments of getBackup."""

    backup_id: Uuid = prop("Id of the backup.", required=True)


class Snapshot(Backup):
    """A snapshot of a service, made between two backups (*Get service snapshot*)."""

    id: Text | None = prop("Id of the snapshot.")
    status: Text | None = prop(
        "Status: `done`, `error`, `in_progress`, or `throttled`: then the server tries it again."
    )
    service_id: Text | None = prop("Id of the service of which it was made.")
    type: Text | None = prop("Type: `full`.")


class GetSnapshotArgs(OfServiceArgs):
    """Arguments of getSnapshot."""

    snapshot_id: Uuid = prop("Id of the snapshot.", required=True)


GET_PRIVATE_ENDPOINT_CONFIG = FunctionType(
    "getPrivateEndpointConfig", "Reads how private endpoints reach a service.", OfServiceArgs, PrivateEndpointConfig
)
GET_BACKUP = FunctionType("getBackup", "Reads one backup of a service by its id.", GetBackupArgs, Backup)
LIST_BACKUPS = list_function(
    "listBackups",
    "Lists the backups of a service, the latest first.",
    OfServiceArgs,
    "backups",
    Backup,
    "The backups, the latest first.",
)
GET_SNAPSHOT = FunctionType("getSnapshot", "Reads one snapshot of a service by its id.", GetSnapshotArgs, Snapshot)
LIST_SNAPSHOTS = list_function(
    "listSnapshots",
    "Lists the snapshots of a service, the latest first.",
    OfServiceArgs,
    "snapshots",
    Snapshot,
    "The snapshots, the latest first.",
)
