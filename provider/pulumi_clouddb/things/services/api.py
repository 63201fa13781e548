"""Services of the organization."""

from __future__ import annotations

import json
from enum import Enum
from functools import partial

from pulumi_clouddb.client.collection import TaggedCollection
from pulumi_clouddb.client.errors import InvalidResponseError
from pulumi_clouddb.client.operation import ORGANIZATION, READ_SERVICE, SERVICE, Forms, management, of_vendor
from pulumi_clouddb.schema.convert import parse
from pulumi_clouddb.schema.names import property_name
from pulumi_clouddb.schema.values import WireDict, WireValues

from .enums import GONE
from .service import Backup, PrivateEndpointConfig, Service, Snapshot

PRIVATE_ENDPOINT_IDS = property_name(Service, lambda service: service.private_endpoint_ids)


class Command(str, Enum):
    """A command to a service (`command` of *Update service state*)."""

    START = "start"
    STOP = "stop"
    AWAKE = "awake"


_BACKUPS = (SERVICE + "/backupConfiguration", "BackupConfiguration")
_SNAPSHOTS = (SERVICE + "/snapshotConfiguration", "SnapshotConfiguration")
_ROUTING = (SERVICE + "/replicaAwareRouting", "ReplicaAwareRouting")
_QUERIES = (SERVICE + "/serviceQueryEndpoint", "QueryEndpoint")
_SCHEDULE = (SERVICE + "/scalingSchedule", "ScalingSchedule")
_WINDOW = (SERVICE + "/upgradeWindow", "UpgradeWindow")
_SETTINGS = (SERVICE + "/clickhouseSettings", "ServiceSettings")
_BUCKET = (SERVICE + "/backupBucket", "BackupBucket")
"""Path and record of the settings that have operations of their own."""


class Services(TaggedCollection[Service]):
    """The services of the organization."""

    model = Service
    id_part = "service_id"
    created_part = "service"

    LIST = management("list_services", "GET", ORGANIZATION + "/services", "Service", "list the services", shared=True)
    CREATE = management(
        "create_service", "POST", ORGANIZATION + "/services", "ServiceCreated", "create the service", documented=True
    )
    GET = READ_SERVICE
    UPDATE = management("update_service", "PATCH", SERVICE, "Service", "update the service")
    SCALE = management("scale_service", "PATCH", SERVICE + "/replicaScaling", "Service", "scale the service")
    SCALE_TOTAL = management(
        "scale_service_total", "PATCH", SERVICE + "/scaling", "Service", "scale the service as a whole"
    )
    COMMAND = management("command_service", "PATCH", SERVICE + "/state", "Service", "change the state of the service")
    RESET_PASSWORD = management(
        "reset_password", "PATCH", SERVICE + "/password", "Password", "reset the password of the service"
    )
    GET_BACKUP_CONFIGURATION = of_vendor(
        "get_backup_configuration", "GET", *_BACKUPS, "read the backup configuration of the service"
    )
    CONFIGURE_BACKUPS = of_vendor("configure_backups", "PATCH", *_BACKUPS, "configure the backups of the service")
    GET_SNAPSHOT_CONFIGURATION = of_vendor(
        "get_snapshot_configuration", "GET", *_SNAPSHOTS, "read the snapshot configuration of the service"
    )
    CONFIGURE_SNAPSHOTS = of_vendor(
        "configure_snapshots", "PATCH", *_SNAPSHOTS, "configure the snapshots of the service"
    )
    GET_REPLICA_AWARE_ROUTING = of_vendor(
        "get_replica_aware_routing", "GET", *_ROUTING, "read the replica-aware routing of the service"
    )
    UPDATE_REPLICA_AWARE_ROUTING = of_vendor(
        "update_replica_aware_routing", "PATCH", *_ROUTING, "update the replica-aware routing of the service"
    )
    GET_QUERY_ENDPOINT = of_vendor("get_query_endpoint", "GET", *_QUERIES, "read the query endpoint of the service")
    SET_QUERY_ENDPOINT = of_vendor("set_query_endpoint", "POST", *_QUERIES, "set the query endpoint of the service")
    DELETE_QUERY_ENDPOINT = of_vendor(
        "delete_query_endpoint", "DELETE", _QUERIES[0], "None", "delete the query endpoint of the service"
    )
    GET_SCALING_SCHEDULE = of_vendor(
        "get_scaling_schedule", "GET", *_SCHEDULE, "read the scaling schedule of the service"
    )
    SET_SCALING_SCHEDULE = of_vendor(
        "set_scaling_schedule", "POST", *_SCHEDULE, "set the scaling schedule of the service"
    )
    DELETE_SCALING_SCHEDULE = of_vendor(
        "delete_scaling_schedule", "DELETE", _SCHEDULE[0], "None", "delete the scaling schedule of the service"
    )
    GET_UPGRADE_WINDOW = of_vendor("get_upgrade_window", "GET", *_WINDOW, "read the upgrade window of the service")
    SET_UPGRADE_WINDOW = of_vendor("set_upgrade_window", "PUT", *_WINDOW, "set the upgrade window of the service")
    DELETE_UPGRADE_WINDOW = of_vendor(
        "delete_upgrade_window", "DELETE", _WINDOW[0], "None", "delete the upgrade window of the service"
    )
    GET_SETTINGS = of_vendor("get_settings", "GET", *_SETTINGS, "read the settings of the service")
    GET_SETTINGS_SCHEMA = of_vendor(
        "get_settings_schema", "GET", _SETTINGS[0] + "/schema", "SettingsSchema", "read which settings the service has"
    )
    UPDATE_SETTINGS = of_vendor(
        "update_settings", "PATCH", _SETTINGS[0], "SettingsChanged", "update the settings of the service"
    )
    DELETE_SETTING = of_vendor(
        "delete_setting", "DELETE", _SETTINGS[0] + "/{settingName}", "None", "reset the setting of the service"
    )
    GET_BACKUP_BUCKET = of_vendor("get_backup_bucket", "GET", *_BUCKET, "read the backup bucket of the service")
    CREATE_BACKUP_BUCKET = of_vendor(
        "create_backup_bucket", "POST", *_BUCKET, "create the backup bucket of the service"
    )
    UPDATE_BACKUP_BUCKET = of_vendor(
        "update_backup_bucket", "PATCH", *_BUCKET, "update the backup bucket of the service"
    )
    DELETE_BACKUP_BUCKET = of_vendor(
        "delete_backup_bucket", "DELETE", _BUCKET[0], "None", "delete the backup bucket of the service"
    )
    GET_PRIVATE_ENDPOINT_CONFIG = of_vendor(
        "get_private_endpoint_config",
        "GET",
        SERVICE + "/privateEndpointConfig",
        "PrivateEndpointConfig",
        "read how private endpoints reach the service",
    )
    LIST_BACKUPS = of_vendor("list_backups", "GET", SERVICE + "/backups", "Backup", "list the backups of the service")
    GET_BACKUP = of_vendor("get_backup", "GET", SERVICE + "/backups/{backupId}", "Backup", "read the backup")
    LIST_SNAPSHOTS = of_vendor(
        "list_snapshots", "GET", SERVICE + "/snapshots", "Snapshot", "list the snapshots of the service"
    )
    GET_SNAPSHOT = of_vendor(
        "get_snapshot", "GET", SERVICE + "/snapshots/{snapshotId}", "Snapshot", "read the snapshot"
    )
    DELETE = management("delete_service", "DELETE", SERVICE, "None", "delete the service")

    def command(self, service_id: str, command: Command) -> Service:
        """Start, stop or wake a service."""
        return self.patch(self.COMMAND, service_id, {"command": command.value})

    def private_endpoint_config(self, service_id: str) -> PrivateEndpointConfig:
        """Return how private endpoints reach a service."""
        return parse(PrivateEndpointConfig, self.call(self.GET_PRIVATE_ENDPOINT_CONFIG, service_id))

    def backups(self, service_id: str) -> list[Backup]:
        """Return the backups of a service, the latest first."""
        return [parse(Backup, each) for each in self.call(self.LIST_BACKUPS, service_id)]

    def backup(self, service_id: str, backup_id: str) -> Backup:
        """Return one backup of a service.

        Raises:
            NotFoundError: The service has no such backup.
        """
        return parse(Backup, self.call(self.GET_BACKUP, service_id, backup_id=backup_id))

    def snapshots(self, service_id: str) -> list[Snapshot]:
        """Return the snapshots of a service, the latest first."""
        return [parse(Snapshot, each) for each in self.call(self.LIST_SNAPSHOTS, service_id)]

    def snapshot(self, service_id: str, snapshot_id: str) -> Snapshot:
        """Return one snapshot of a service.

        Raises:
            NotFoundError: The service has no such snapshot.
        """
        return parse(Snapshot, self.call(self.GET_SNAPSHOT, service_id, snapshot_id=snapshot_id))

    @property
    def keep_settings(self) -> bool:
        """Whether these servers have the settings with operations of their own."""
        return self.GET_BACKUP_CONFIGURATION.managed.only in (None, self.api.client.config.vocabulary)

    def settings(self, service_id: str) -> dict[str, str]:
        """Return the settings of the engine that were set explicitly, as text: newer servers return numbers.

        Raises:
            InvalidResponseError: The response has no settings.
        """
        listed = _by_name(self.GET_SETTINGS, self.call(self.GET_SETTINGS, service_id))
        return {name: str(each["value"]) for name, each in listed.items() if each.get("value") is not None}

    def change_settings(self, service_id: str, settings: WireValues) -> WireDict:
        """Change settings of the engine, and return the response. Older servers take them as JSON in a text.

        Raises:
            ApiError: The server refused.
        """
        update = self.UPDATE_SETTINGS
        send = partial(self.call, update, service_id)
        return self.api.in_either_form(
            update.managed,
            newer=lambda: send({"settings": settings}),
            older=lambda: send({"settings": json.dumps(settings)}),
        )

    def settings_schema(self, service_id: str) -> dict[str, WireDict] | None:
        """Return the settings that the engine has, by name; None if the server does not offer that.

        Raises:
            InvalidResponseError: The response has no settings.
        """
        schema = self.GET_SETTINGS_SCHEMA
        answer = self.api.if_offered(schema.managed, lambda: self.call(schema, service_id))
        return None if answer is None else _by_name(schema, answer)

    def parsed(self, record: WireValues) -> Service:
        """Return the record in a response of this dialect."""
        return parse(self.model, record, self.api.client.config.vocabulary)

    def exists(self, record: Service) -> bool:
        """Return whether a service exists and is not being deleted."""
        return record.state not in GONE


def _by_name(forms: Forms, answer: WireValues) -> dict[str, WireDict]:
    """Return the settings of a response by name."""
    settings = answer.get("settings") or []
    if not isinstance(settings, list) or not all(isinstance(each, dict) and "name" in each for each in settings):
        raise InvalidResponseError(forms.managed, forms.managed.path, "returned settings without their names")
    return {str(each["name"]): each for each in settings}
