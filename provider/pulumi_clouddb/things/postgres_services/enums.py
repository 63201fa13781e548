"""The values of enumerated fields of a Postgres service, and its states."""

from __future__ import annotations

from typing import Final

from pulumi_clouddb.schema.choice import OpenChoice


class PostgresProvider(OpenChoice):
    """Cloud that runs the Postgres service."""

    AWS = "aws"


class PostgresVersion(OpenChoice):
    """Major version of Postgres."""

    V18 = "18"
    V17 = "17"


class PostgresHaType(OpenChoice):
    """How a Postgres service is replicated."""

    NONE = "none", "no standby"
    ASYNC = "async", "asynchronously, to one standby"
    SYNC = "sync", "synchronously, to two standbys"


class PostgresSize(OpenChoice):
    """Machine type of a Postgres service."""

    C6GD_LARGE = "c6gd.large"
    C6GD_XLARGE = "c6gd.xlarge"
    C6GD_2XLARGE = "c6gd.2xlarge"
    C6GD_4XLARGE = "c6gd.4xlarge"
    C6GD_8XLARGE = "c6gd.8xlarge"
    C6GD_16XLARGE = "c6gd.16xlarge"
    I7I_LARGE = "i7i.large"
    I7I_XLARGE = "i7i.xlarge"
    I7I_2XLARGE = "i7i.2xlarge"
    I7I_4XLARGE = "i7i.4xlarge"
    I7I_8XLARGE = "i7i.8xlarge"
    I7I_12XLARGE = "i7i.12xlarge"
    I7I_16XLARGE = "i7i.16xlarge"
    I7I_24XLARGE = "i7i.24xlarge"
    I7IE_LARGE = "i7ie.large"
    I7IE_XLARGE = "i7ie.xlarge"
    I7IE_2XLARGE = "i7ie.2xlarge"
    I7IE_3XLARGE = "i7ie.3xlarge"
    I7IE_6XLARGE = "i7ie.6xlarge"
    I7IE_12XLARGE = "i7ie.12xlarge"
    I7IE_18XLARGE = "i7ie.18xlarge"
    I7IE_24XLARGE = "i7ie.24xlarge"
    I8G_LARGE = "i8g.large"
    I8G_XLARGE = "i8g.xlarge"
    I8G_2XLARGE = "i8g.2xlarge"
    I8G_4XLARGE = "i8g.4xlarge"
    I8G_8XLARGE = "i8g.8xlarge"
    I8G_16XLARGE = "i8g.16xlarge"
    I8G_24XLARGE = "i8g.24xlarge"
    I8GE_LARGE = "i8ge.large"
    I8GE_XLARGE = "i8ge.xlarge"
    I8GE_2XLARGE = "i8ge.2xlarge"
    I8GE_3XLARGE = "i8ge.3xlarge"
    I8GE_6XLARGE = "i8ge.6xlarge"
    I8GE_12XLARGE = "i8ge.12xlarge"
    I8GE_18XLARGE = "i8ge.18xlarge"
    I8GE_24XLARGE = "i8ge.24xlarge"
    M6GD_LARGE = "m6gd.large"
    M6GD_XLARGE = "m6gd.xlarge"
    M6GD_2XLARGE = "m6gd.2xlarge"
    M6GD_4XLARGE = "m6gd.4xlarge"
    M6GD_8XLARGE = "m6gd.8xlarge"
    M6GD_16XLARGE = "m6gd.16xlarge"
    M6ID_LARGE = "m6id.large"
    M6ID_XLARGE = "m6id.xlarge"
    M6ID_2XLARGE = "m6id.2xlarge"
    M6ID_4XLARGE = "m6id.4xlarge"
    M6ID_8XLARGE = "m6id.8xlarge"
    M6ID_16XLARGE = "m6id.16xlarge"
    M8GD_LARGE = "m8gd.large"
    M8GD_XLARGE = "m8gd.xlarge"
    M8GD_2XLARGE = "m8gd.2xlarge"
    M8GD_4XLARGE = "m8gd.4xlarge"
    M8GD_8XLARGE = "m8gd.8xlarge"
    M8GD_16XLARGE = "m8gd.16xlarge"
    R6GD_MEDIUM = "r6gd.medium"
    R6GD_LARGE = "r6gd.large"
    R6GD_XLARGE = "r6gd.xlarge"
    R6GD_2XLARGE = "r6gd.2xlarge"
    R6GD_4XLARGE = "r6gd.4xlarge"
    R6GD_8XLARGE = "r6gd.8xlarge"
    R6GD_12XLARGE = "r6gd.12xlarge"
    R6GD_16XLARGE = "r6gd.16xlarge"
    R6ID_LARGE = "r6id.large"
    R6ID_XLARGE = "r6id.xlarge"
    R6ID_2XLARGE = "r6id.2xlarge"
    R6ID_4XLARGE = "r6id.4xlarge"
    R6ID_8XLARGE = "r6id.8xlarge"
    R6ID_12XLARGE = "r6id.12xlarge"
    R6ID_16XLARGE = "r6id.16xlarge"
    R6ID_24XLARGE = "r6id.24xlarge"
    R6ID_32XLARGE = "r6id.32xlarge"
    R8GD_MEDIUM = "r8gd.medium"
    R8GD_LARGE = "r8gd.large"
    R8GD_XLARGE = "r8gd.xlarge"
    R8GD_2XLARGE = "r8gd.2xlarge"
    R8GD_4XLARGE = "r8gd.4xlarge"
    R8GD_8XLARGE = "r8gd.8xlarge"
    R8GD_12XLARGE = "r8gd.12xlarge"
    R8GD_16XLARGE = "r8gd.16xlarge"
    R8GD_24XLARGE = "r8gd.24xlarge"
    R8GD_48XLARGE = "r8gd.48xlarge"


class Status:
    """The states that matter for a wait; servers may report others."""

    CREATING: Final = "creating"
    RESTARTING: Final = "restarting"
    REPLAYING_WAL: Final = "replaying_wal"
    RESTORING_BACKUP: Final = "restoring_backup"
    FINALIZING_RESTORE: Final = "finalizing_restore"
    RUNNING: Final = "running"
    UNAVAILABLE: Final = "unavailable"
    STOPPED: Final = "stopped"
    DELETING: Final = "deleting"


PENDING: Final = frozenset(
    {
        *(Status.CREATING, Status.RESTARTING, Status.REPLAYING_WAL),
        *(Status.RESTORING_BACKUP, Status.FINALIZING_RESTORE),
    }
)
FAILED: Final = frozenset({Status.UNAVAILABLE, Status.STOPPED})
"""The states that only a restart ends, if anything does."""
