"""The states that servers report of a Postgres service, and what they mean for a wait."""

from __future__ import annotations

from typing import Final


class Status:
    """The states that begin or end something; servers may report others."""

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
"""What no wait ends by itself: a restart may."""
