"""Backups of a service, which servers make by themselves: functions find them, and a new service starts from one."""

from __future__ import annotations

from pulumi_clouddb.schema.base import Model, Number, Record, Text, Uuid, prop
from pulumi_clouddb.schema.resource_type import FunctionType

from .parts import BackupBucket


class Backup(Record):
    """A backup of a service (openapi: `Backup`)."""

    id: Text | None = prop("Id of the backup; `backupId` of a new service takes it.")
    status: Text | None = prop("Status: `done`, `error` or `in_progress`. A service starts from one that is done.")
    service_id: Text | None = prop("Id of the service that it was made of.")
    started_at: Text | None = prop("When it was started (ISO-8601).")
    finished_at: Text | None = prop("When it was finished (ISO-8601); absent before.")
    size_in_bytes: Number | None = prop("Size in bytes.")
    duration_in_seconds: Number | None = prop("Seconds that it took, or has taken so far.")
    type: Text | None = prop("Type: `full` or `incremental`.")
    backup_name: Text | None = prop("Name in a bucket of your own.")
    bucket: BackupBucket | None = prop("The bucket of your own that has it.")


class GetBackupArgs(Model):
    """Arguments of getBackup."""

    service_id: Uuid = prop("Id of the service.", required=True)
    backup_id: Uuid = prop("Id of the backup.", required=True)


class ListBackupsArgs(Model):
    """Arguments of listBackups."""

    service_id: Uuid = prop("Id of the service.", required=True)


class BackupList(Record):
    """Answer of listBackups."""

    backups: list[Backup] = prop("The backups, the latest first.", required=True)


GET_BACKUP = FunctionType("getBackup", "Reads one backup of a service by its id.", GetBackupArgs, Backup)
LIST_BACKUPS = FunctionType(
    "listBackups", "Lists the backups of a service, the latest first.", ListBackupsArgs, BackupList
)
