"""Backups and logs of a Postgres service, which functions read."""

from __future__ import annotations

from datetime import timedelta
from typing import ClassVar

from pulumi_clouddb.schema.base import FilledText, Model, Record, Text, Timestamp, Uuid, Whole, prop
from pulumi_clouddb.schema.check.rules import API, Rule, rule
from pulumi_clouddb.schema.choice import OpenChoice
from pulumi_clouddb.schema.resource_type import list_function
from pulumi_clouddb.schema.times import parse_timestamp
from pulumi_clouddb.schema.usual import PastTime

LONGEST = timedelta(days=30)
"""The longest period of a request for logs (the vendor's page *List Postgres server logs*)."""

MOST_ENTRIES = 2000
USUAL_ENTRIES = 50


class PostgresBackup(Record):
    """A base backup of a Postgres service."""

    key: Text | None = prop("Key of the backup. A restore names a time, not a key.")
    last_modified: Text | None = prop("When the backup was finished (ISO-8601).")


class OfPostgresServiceArgs(Model):
    """Arguments of a function about one Postgres service."""

    postgres_service_id: Uuid = prop("Id of the Postgres service.", required=True)


class LogSeverity(OpenChoice):
    """Severity of an entry in the log of Postgres."""

    DEBUG = "DEBUG"
    LOG = "LOG"
    INFO = "INFO"
    NOTICE = "NOTICE"
    WARNING = "WARNING"
    ERROR = "ERROR"
    FATAL = "FATAL"
    PANIC = "PANIC"


class LogOrder(OpenChoice):
    """Order of the entries of a log."""

    ASC = "asc", "oldest first"
    DESC = "desc", "newest first"


class PostgresLogEntry(Record):
    """An entry in the log of a Postgres service."""

    timestamp: Text | None = prop("When it was written (ISO-8601).")
    severity: Text | None = prop("Severity, such as `ERROR`.")
    body: Text | None = prop("Its text; a structured entry is JSON.")


class ListPostgresLogsArgs(OfPostgresServiceArgs):
    """Arguments of listPostgresLogs."""

    RULES: ClassVar[tuple[Rule[ListPostgresLogsArgs], ...]] = (
        rule(
            lambda args: args.to_date,
            f"must be after fromDate, and at most {LONGEST.days} days after it",
            lambda args: not timedelta() < parse_timestamp(args.to_date) - parse_timestamp(args.from_date) <= LONGEST,
            given=lambda args: (args.from_date, args.to_date),
            source=API("GET /v1/organizations/{organizationId}/postgres/{postgresId}/logs query to_date"),
        ),
    )

    from_date: PastTime = prop("Time of the first entries, which are included.", required=True, api="from_date")
    to_date: Timestamp = prop("Time of the last entries, which are included.", required=True, api="to_date")
    body_contains: FilledText | None = prop(
        "Only entries with this text. Letter case is significant.", api="body_contains"
    )
    severity: LogSeverity | None = prop("Only entries of this severity.")
    sort_order: LogOrder | None = prop("Order of the entries.", unset=LogOrder.DESC, api="sort_order")
    limit: Whole | None = prop("Most entries to return.", ge=1, le=MOST_ENTRIES, unset=USUAL_ENTRIES)
    offset: Whole | None = prop(
        "Entries to skip. A response with fewer entries than `limit` is the last one.", ge=0, unset=0
    )


LIST_POSTGRES_BACKUPS = list_function(
    "listPostgresBackups",
    "Lists the base backups of a Postgres service.",
    OfPostgresServiceArgs,
    "backups",
    PostgresBackup,
    "The base backups, newest first.",
)
LIST_POSTGRES_LOGS = list_function(
    "listPostgresLogs",
    "Lists entries in the log of a Postgres service, from one time to another.",
    ListPostgresLogsArgs,
    "entries",
    PostgresLogEntry,
    "The entries.",
)
