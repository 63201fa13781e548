"""Managed Postgres services of the organization."""

from __future__ import annotations

from enum import Enum

from pydantic.alias_generators import to_snake

from pulumi_clouddb.client.collection import TaggedCollection
from pulumi_clouddb.client.errors import InvalidResponseError
from pulumi_clouddb.client.operation import ORGANIZATION, of_vendor
from pulumi_clouddb.schema.convert import parse, to_body
from pulumi_clouddb.schema.names import property_name, property_names
from pulumi_clouddb.schema.values import WireDict, WireValues, whole_numbers

from .configuration import as_texts
from .enums import Status
from .history import ListPostgresLogsArgs, PostgresBackup, PostgresLogEntry
from .postgres_service import PostgresService

PATH = ORGANIZATION + "/postgres"
ONE = PATH + "/{postgresServiceId}"

READ_REPLICA_OF = property_name(PostgresService, lambda service: service.read_replica_of)
RESTORE_FROM = property_name(PostgresService, lambda service: service.restore_from)
PG_CONFIG = property_name(PostgresService, lambda service: service.pg_config)
BOUNCER_CONFIG = property_name(PostgresService, lambda service: service.pg_bouncer_config)
PASSWORD = property_name(PostgresService, lambda service: service.password)

BACKUPS_PER_PAGE = 100

PEM = "-----BEGIN CERTIFICATE-----"
"""The first line of a certificate."""

_RECORD, _WORDS = "PostgresService", "the Postgres service"


class Command(str, Enum):
    """A command to a Postgres service (OpenAPI: `PostgresServiceSetState`)."""

    RESTART = "restart"
    PROMOTE = "promote"


class PostgresServices(TaggedCollection[PostgresService]):
    """The Postgres services of the organization."""

    model = PostgresService
    id_part = "postgres_service_id"
    not_listed = property_names(
        PostgresService,
        lambda service: (service.storage_size, service.username, service.hostname, service.earliest_restore_time),
    )

    LIST = of_vendor("list_postgres_services", "GET", PATH, _RECORD, "list the Postgres services", shared=True)
    CREATE = of_vendor("create_postgres_service", "POST", PATH, _RECORD, f"create {_WORDS}")
    GET = of_vendor("get_postgres_service", "GET", ONE, _RECORD, f"read {_WORDS}")
    UPDATE = of_vendor("update_postgres_service", "PATCH", ONE, _RECORD, f"update {_WORDS}")
    DELETE = of_vendor("delete_postgres_service", "DELETE", ONE, "None", f"delete {_WORDS}")
    COMMAND = of_vendor("command_postgres_service", "PATCH", ONE + "/state", _RECORD, f"restart or promote {_WORDS}")
    CREATE_REPLICA = of_vendor(
        "create_postgres_read_replica", "POST", ONE + "/readReplica", _RECORD, "create the read replica"
    )
    RESTORE = of_vendor("restore_postgres_service", "POST", ONE + "/restoredService", _RECORD, f"restore {_WORDS}")
    SET_PASSWORD = of_vendor(
        "set_postgres_password", "PATCH", ONE + "/password", "PostgresPassword", f"set the password of {_WORDS}"
    )
    GET_CONFIG = of_vendor(
        "get_postgres_config", "GET", ONE + "/config", "PostgresConfig", f"read the configuration of {_WORDS}"
    )
    UPDATE_CONFIG = of_vendor(
        "update_postgres_config", "PATCH", ONE + "/config", "PostgresConfig", f"change the configuration of {_WORDS}"
    )
    REPLACE_CONFIG = of_vendor(
        "replace_postgres_config", "POST", ONE + "/config", "PostgresConfig", f"replace the configuration of {_WORDS}"
    )
    GET_CERTIFICATES = of_vendor(
        "get_postgres_certificates",
        "GET",
        ONE + "/caCertificates",
        "PostgresCertificates",
        f"read the certificates of {_WORDS}",
        media="application/x-pem-file",
    )
    LIST_BACKUPS = of_vendor(
        "list_postgres_backups",
        "GET",
        ONE + "/backups",
        "PostgresBackup",
        f"list the backups of {_WORDS}",
        per_page=BACKUPS_PER_PAGE,
    )
    LIST_LOGS = of_vendor("list_postgres_logs", "GET", ONE + "/logs", "PostgresLogEntry", f"read the log of {_WORDS}")

    def whole(self, object_id: str) -> PostgresService | None:
        """Request a service with the properties that lists leave out; None if the server offers no such operation."""
        return self.api.if_offered(self.GET.managed, lambda: self.get(object_id))

    def posted(self, body: WireValues) -> WireDict:
        """Send the request that creates a service: a new one, a replica of another, or one from its backups."""
        sent = {name: value for name, value in body.items() if name not in (READ_REPLICA_OF, RESTORE_FROM)}
        if primary := body.get(READ_REPLICA_OF):
            return dict(self.call(self.CREATE_REPLICA, primary, sent, once=True))
        if origin := body.get(RESTORE_FROM):
            sent = {**sent, "restoreTarget": origin["time"]}
            return dict(self.call(self.RESTORE, origin["postgresServiceId"], sent, once=True))
        return super().posted(sent)

    def command(self, object_id: str, command: Command) -> PostgresService:
        """Restart a service, or promote a replica."""
        return self.patch(self.COMMAND, object_id, {"command": command.value})

    def set_password(self, object_id: str, password: str) -> None:
        """Set the password of the superuser."""
        self.call(self.SET_PASSWORD, object_id, {PASSWORD: password})

    def configuration(self, object_id: str) -> WireDict:
        """Return the settings of Postgres and of PgBouncer that were set explicitly, as text."""
        answer = self.call(self.GET_CONFIG, object_id)
        return {name: as_texts(answer.get(name) or {}) for name in (PG_CONFIG, BOUNCER_CONFIG)}

    def configure(self, object_id: str, body: WireValues, *, whole: bool) -> str:
        """Change settings, or replace the whole configuration; return the server's message."""
        answer = self.call(self.REPLACE_CONFIG if whole else self.UPDATE_CONFIG, object_id, body)
        return str(answer.get("message") or "")

    def certificates(self, object_id: str) -> str:
        """Return the certificates of the authorities, as PEM.

        Raises:
            InvalidResponseError: The response has none.
        """
        pem = str(self.call(self.GET_CERTIFICATES, object_id))
        if PEM not in pem:
            operation = self.GET_CERTIFICATES.managed
            raise InvalidResponseError(operation, operation.path, "returned no certificate")
        return pem

    def backups(self, object_id: str) -> list[PostgresBackup]:
        """Return the base backups of a service, newest first."""
        return [parse(PostgresBackup, each) for each in self.call(self.LIST_BACKUPS, object_id)]

    def logs(self, args: ListPostgresLogsArgs) -> list[PostgresLogEntry]:
        """Return entries of the log of a service."""
        query: dict[str, str | int] = {to_snake(name): value for name, value in whole_numbers(to_body(args)).items()}
        service = str(query.pop(self.id_part))
        return [parse(PostgresLogEntry, each) for each in self.call(self.LIST_LOGS, service, query=query)]

    def exists(self, record: PostgresService) -> bool:
        """Return whether it is not being deleted."""
        return record.state != Status.DELETING
