"""What the provider and the sandbox assume of servers about Postgres services."""

from __future__ import annotations

from pulumi_clouddb.schema.assumptions import AUTUMN, CLOUD_ONLY, Assumption, described

from .history import MOST_ENTRIES

POSTGRES_LISTS_OMIT_ADDRESSES = described("The list of Postgres services lacks size of storage, host and user.")
POSTGRES_REPORTS_ITS_EARLIEST_RESTORE = Assumption(
    "A running Postgres service that is read alone has `earliestRestoreTime`, which lists lack.",
    "the text of the vendor's page *List of Postgres service backups*; the rest is inferred",
    CLOUD_ONLY,
)
POSTGRES_CONFIGURATION_IS_CHANGED_IN_PARTS = described(
    "An update of the configuration keeps other settings, and a replacement drops them."
)
POSTGRES_BACKUPS_HAVE_A_KEY = Assumption(
    "Base backups are read at `/postgres/{id}/backups`, newest first, each with key and time.",
    f"{AUTUMN}; the last part of the path is inferred",
    CLOUD_ONLY,
)
POSTGRES_LOGS_HAVE_A_LIMIT = Assumption(
    f"A request for logs returns at most `limit` entries, and one for more than {MOST_ENTRIES} is refused.",
    AUTUMN,
    CLOUD_ONLY,
)
POSTGRES_PASSWORD_IS_ONLY_IN_THE_CREATE = described(
    "Only the response to the create of a Postgres service has its password."
)
NEW_POSTGRES_SERVICE_HAS_NO_REPLICA = Assumption(
    "A new Postgres service refuses a replica until it has a backup.",
    "postgres.go of the vendor's Terraform provider",
    CLOUD_ONLY,
)
POSTGRES_UPDATE_REMOVES_OMITTED_TAGS = Assumption(
    "An update of a Postgres service without tags removes all.",
    "postgres_service.md of the vendor's Terraform provider",
    CLOUD_ONLY,
)
