"""Services of the organization."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from functools import partial

from pulumi_clouddb.client.collection import Collection
from pulumi_clouddb.client.errors import InvalidResponseError
from pulumi_clouddb.client.marks import Mark, TagMark, tagged_second
from pulumi_clouddb.client.operation import ORGANIZATION, SERVICE, Forms, management
from pulumi_clouddb.schema.convert import parse
from pulumi_clouddb.schema.values import WireDict, WireValues
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

from .backups import Backup
from .marks import OwnPassword
from .service import PrivateEndpointConfig, Service
from .states import GONE, PENDING, Status


class Command(str, Enum):
    """What a service can be told to do (`command` of *Update service state*)."""

    START = "start"
    STOP = "stop"
    AWAKE = "awake"


_BACKUPS = (SERVICE + "/backupConfiguration", "BackupConfiguration")
_QUERIES = (SERVICE + "/serviceQueryEndpoint", "QueryEndpoint")
_SCHEDULE = (SERVICE + "/scalingSchedule", "ScalingSchedule")
_WINDOW = (SERVICE + "/upgradeWindow", "UpgradeWindow")
_SETTINGS = (SERVICE + "/clickhouseSettings", "ServiceSettings")
_BUCKET = (SERVICE + "/backupBucket", "BackupBucket")
"""Path and record of the settings that have operations of their own."""

_setting = partial(management, only=CLICKHOUSE)


class Services(Collection[Service]):
    """The services of the organization."""

    model = Service
    id_part = "service_id"
    created_part = "service"

    LIST = management("list_services", "GET", ORGANIZATION + "/services", "Service", "list the services", shared=True)
    CREATE = management(
        "create_service", "POST", ORGANIZATION + "/services", "ServiceCreated", "create the service", documented=True
    )
    GET = management("get_service", "GET", SERVICE, "Service", "read the service")
    UPDATE = management("update_service", "PATCH", SERVICE, "Service", "update the service")
    SCALE = management("scale_service", "PATCH", SERVICE + "/replicaScaling", "Service", "scale the service")
    SCALE_TOTAL = management(
        "scale_service_total", "PATCH", SERVICE + "/scaling", "Service", "scale the service as a whole"
    )
    COMMAND = management("command_service", "PATCH", SERVICE + "/state", "Service", "change the state of the service")
    RESET_PASSWORD = management(
        "reset_password", "PATCH", SERVICE + "/password", "Password", "reset the password of the service"
    )
    GET_BACKUP_CONFIGURATION = management(
        "get_backup_configuration", "GET", *_BACKUPS, "read the backup configuration of the service", only=CLICKHOUSE
    )
    CONFIGURE_BACKUPS = management(
        "configure_backups", "PATCH", *_BACKUPS, "configure the backups of the service", only=CLICKHOUSE
    )
    GET_QUERY_ENDPOINT = management(
        "get_query_endpoint", "GET", *_QUERIES, "read the query endpoint of the service", only=CLICKHOUSE
    )
    SET_QUERY_ENDPOINT = management(
        "set_query_endpoint", "POST", *_QUERIES, "set the query endpoint of the service", only=CLICKHOUSE
    )
    DELETE_QUERY_ENDPOINT = management(
        "delete_query_endpoint",
        "DELETE",
        _QUERIES[0],
        "None",
        "delete the query endpoint of the service",
        only=CLICKHOUSE,
    )
    GET_SCALING_SCHEDULE = management(
        "get_scaling_schedule", "GET", *_SCHEDULE, "read the scaling schedule of the service", only=CLICKHOUSE
    )
    SET_SCALING_SCHEDULE = management(
        "set_scaling_schedule", "POST", *_SCHEDULE, "set the scaling schedule of the service", only=CLICKHOUSE
    )
    DELETE_SCALING_SCHEDULE = management(
        "delete_scaling_schedule",
        "DELETE",
        _SCHEDULE[0],
        "None",
        "delete the scaling schedule of the service",
        only=CLICKHOUSE,
    )
    GET_UPGRADE_WINDOW = _setting("get_upgrade_window", "GET", *_WINDOW, "read the upgrade window of the service")
    SET_UPGRADE_WINDOW = _setting("set_upgrade_window", "PUT", *_WINDOW, "set the upgrade window of the service")
    DELETE_UPGRADE_WINDOW = _setting(
        "delete_upgrade_window", "DELETE", _WINDOW[0], "None", "delete the upgrade window of the service"
    )
    GET_SETTINGS = _setting("get_settings", "GET", *_SETTINGS, "read the settings of the service")
    GET_SETTINGS_SCHEMA = _setting(
        "get_settings_schema", "GET", _SETTINGS[0] + "/schema", "SettingsSchema", "read which settings the service has"
    )
    UPDATE_SETTINGS = _setting(
        "update_settings", "PATCH", _SETTINGS[0], "SettingsChanged", "update the settings of the service"
    )
    DELETE_SETTING = _setting(
        "delete_setting", "DELETE", _SETTINGS[0] + "/{settingName}", "None", "reset the setting of the service"
    )
    GET_BACKUP_BUCKET = _setting("get_backup_bucket", "GET", *_BUCKET, "read the backup bucket of the service")
    CREATE_BACKUP_BUCKET = _setting("create_backup_bucket", "POST", *_BUCKET, "create the backup bucket of the service")
    UPDATE_BACKUP_BUCKET = _setting(
        "update_backup_bucket", "PATCH", *_BUCKET, "update the backup bucket of the service"
    )
    DELETE_BACKUP_BUCKET = _setting(
        "delete_backup_bucket", "DELETE", _BUCKET[0], "None", "delete the backup bucket of the service"
    )
    GET_PRIVATE_ENDPOINT_CONFIG = management(
        "get_private_endpoint_config",
        "GET",
        SERVICE + "/privateEndpointConfig",
        "PrivateEndpointConfig",
        "read how private endpoints reach the service",
        only=CLICKHOUSE,
    )
    LIST_BACKUPS = management(
        "list_backups", "GET", SERVICE + "/backups", "Backup", "list the backups of the service", only=CLICKHOUSE
    )
    GET_BACKUP = management(
        "get_backup", "GET", SERVICE + "/backups/{backupId}", "Backup", "read the backup", only=CLICKHOUSE
    )
    DELETE = management("delete_service", "DELETE", SERVICE, "None", "delete the service")

    def update(self, service_id: str, body: WireValues) -> Service:
        """Update basic details; lists go as what to add and what to remove."""
        return self.parsed(self.call(self.UPDATE, service_id, body))

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

    def scale(self, service_id: str, body: WireValues) -> Service:
        """Change the number and the memory of replicas."""
        return self.parsed(self.call(self.SCALE, service_id, body))

    def scale_total(self, service_id: str, body: WireValues) -> Service:
        """Change the memory of three workers together."""
        return self.parsed(self.call(self.SCALE_TOTAL, service_id, body))

    def command(self, service_id: str, command: Command) -> Service:
        """Start, stop or wake a service."""
        try:
            return self.parsed(self.call(self.COMMAND, service_id, {"command": command.value}))
        finally:
            self.outdate()

    @property
    def keep_settings(self) -> bool:
        """Whether these servers keep backups and query endpoints, which have operations of their own."""
        return self.GET_BACKUP_CONFIGURATION.managed.only in (None, self.api.client.config.vocabulary)

    def own_password(self, service_id: str, *reason: str) -> OwnPassword | None:
        """Return a password that is made here and sent as hashes, if the dialect has that."""
        return OwnPassword(service_id, self.credential, *reason) if self.takes_marks("Password") else None

    def set_password(self, service_id: str, hashes: WireValues) -> None:
        """Give a service the password of these hashes."""
        self.call(self.RESET_PASSWORD, service_id, hashes)

    def reset_password(self, service_id: str, own: OwnPassword | None) -> str | None:
        """Give a service another password; return it, or None where the response holds none."""
        result = self.call(self.RESET_PASSWORD, service_id, own.body if own else {})
        password = own.password if own else result.get("password")
        return password if isinstance(password, str) and password else None

    def backup_configuration(self, service_id: str) -> WireDict:
        """Ask when backups are made."""
        return dict(self.call(self.GET_BACKUP_CONFIGURATION, service_id))

    def configure_backups(self, service_id: str, body: WireValues) -> None:
        """Change when backups are made; null is the server's default."""
        self.call(self.CONFIGURE_BACKUPS, service_id, body)

    def query_endpoint(self, service_id: str) -> WireDict:
        """Ask who may send queries over HTTP.

        Raises:
            NotFoundError: Nobody may.
        """
        return dict(self.call(self.GET_QUERY_ENDPOINT, service_id))

    def set_query_endpoint(self, service_id: str, body: WireValues) -> None:
        """Let queries in over HTTP; the body takes the place of what was set before."""
        self.call(self.SET_QUERY_ENDPOINT, service_id, body)

    def delete_query_endpoint(self, service_id: str) -> None:
        """Let no more queries in over HTTP.

        Raises:
            NotFoundError: There was no endpoint.
        """
        self.call(self.DELETE_QUERY_ENDPOINT, service_id)

    def scaling_schedule(self, service_id: str) -> WireDict:
        """Ask for the scaling over the week.

        Raises:
            NotFoundError: There is no schedule.
        """
        return dict(self.call(self.GET_SCALING_SCHEDULE, service_id))

    def set_scaling_schedule(self, service_id: str, body: WireValues) -> None:
        """Set the scaling over the week; the body takes the place of what was set before."""
        self.call(self.SET_SCALING_SCHEDULE, service_id, body)

    def delete_scaling_schedule(self, service_id: str) -> None:
        """Scale by no schedule.

        Raises:
            NotFoundError: There was no schedule.
        """
        self.call(self.DELETE_SCALING_SCHEDULE, service_id)

    def upgrade_window(self, service_id: str) -> WireDict:
        """Ask when the service may be upgraded.

        Raises:
            NotFoundError: There is no window.
        """
        return dict(self.call(self.GET_UPGRADE_WINDOW, service_id))

    def set_upgrade_window(self, service_id: str, body: WireValues) -> None:
        """Set when the service may be upgraded."""
        self.call(self.SET_UPGRADE_WINDOW, service_id, body)

    def delete_upgrade_window(self, service_id: str) -> None:
        """Let the server choose when to upgrade.

        Raises:
            NotFoundError: There was no window.
        """
        self.call(self.DELETE_UPGRADE_WINDOW, service_id)

    def settings(self, service_id: str) -> dict[str, str]:
        """Return the settings of the engine that somebody has set; newer servers answer numbers as such.

        Raises:
            InvalidResponseError: What is answered are no settings.
        """
        listed = _named(self.GET_SETTINGS, self.call(self.GET_SETTINGS, service_id))
        return {name: str(each["value"]) for name, each in listed.items() if each.get("value") is not None}

    def settings_schema(self, service_id: str) -> dict[str, WireDict] | None:
        """Return what can be set of the engine by name, None if the server offers no such list.

        Raises:
            InvalidResponseError: What is answered are no settings.
        """
        found = self.api.if_offered(
            self.GET_SETTINGS_SCHEMA.managed, lambda: self.call(self.GET_SETTINGS_SCHEMA, service_id)
        )
        return None if found is None else _named(self.GET_SETTINGS_SCHEMA, found)

    def update_settings(self, service_id: str, values: WireValues) -> WireDict:
        """Set settings of the engine; return what the server says of them."""
        return dict(self.call(self.UPDATE_SETTINGS, service_id, {"settings": values}))

    def delete_setting(self, service_id: str, name: str) -> None:
        """Give a setting of the engine its default."""
        self.call(self.DELETE_SETTING, service_id, setting_name=name)

    def backup_bucket(self, service_id: str) -> WireDict:
        """Ask for the bucket that backups are copied to.

        Raises:
            NotFoundError: There is none.
        """
        return dict(self.call(self.GET_BACKUP_BUCKET, service_id))

    def create_backup_bucket(self, service_id: str, body: WireValues) -> None:
        """Let backups be copied to a bucket."""
        self.call(self.CREATE_BACKUP_BUCKET, service_id, body)

    def update_backup_bucket(self, service_id: str, body: WireValues) -> None:
        """Change the bucket that backups are copied to."""
        self.call(self.UPDATE_BACKUP_BUCKET, service_id, body)

    def delete_backup_bucket(self, service_id: str) -> None:
        """Let backups no longer be copied.

        Raises:
            NotFoundError: There was no bucket.
        """
        self.call(self.DELETE_BACKUP_BUCKET, service_id)

    def parsed(self, record: WireValues) -> Service:
        """Return a record of what the server has answered, in this dialect."""
        return parse(self.model, record, self.api.client.config.vocabulary)

    def exists(self, record: Service) -> bool:
        """Return whether a service is there: one that is going does not count."""
        return record.state not in GONE

    def idles(self, record: Service) -> bool:
        """Return whether a service has gone idle, so that it can be woken."""
        return record.state == Status.IDLE

    def runs(self, record: Service) -> bool:
        """Return whether a service runs."""
        return record.state == Status.RUNNING

    def starts(self, record: Service) -> bool:
        """Return whether a service is about to run."""
        return record.state in PENDING

    def mark(self, nonce: str) -> Mark | None:
        """Return a tag, where services have tags."""
        return TagMark(nonce) if self.takes_marks("Service") else None

    def marked_in(self, record: Service, name: str, window: range) -> Iterable[int]:  # noqa: ARG002
        """Return the second in the tag: the service may have got another name since."""
        second = tagged_second(record)
        return () if second is None or second not in window else (second,)


def _named(forms: Forms, answer: WireValues) -> dict[str, WireDict]:
    """Return the settings of an answer by name."""
    settings = answer.get("settings") or []
    if not isinstance(settings, list) or not all(isinstance(each, dict) and "name" in each for each in settings):
        raise InvalidResponseError(forms.managed, forms.managed.path, "answered settings without their names")
    return {str(each["name"]): each for each in settings}
