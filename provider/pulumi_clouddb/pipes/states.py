"""The states that servers report of a pipe, and what they mean for a wait."""

from __future__ import annotations

from typing import Final


class Status:
    """The states that begin or end something; servers may report others."""

    PROVISIONING: Final = "Provisioning"
    RUNNING: Final = "Running"
    STOPPING: Final = "Stopping"
    STOPPED: Final = "Stopped"
    PAUSED: Final = "Paused"
    FAILED: Final = "Failed"
    COMPLETED: Final = "Completed"


FAILED: Final = frozenset({Status.FAILED, "InternalError"})
STOPPED: Final = frozenset({Status.STOPPED, Status.PAUSED, Status.STOPPING, "Pausing"})
RUNNING: Final = frozenset({Status.RUNNING, "Degraded", "Snapshot", "Resync", Status.COMPLETED})
PENDING: Final = frozenset({Status.PROVISIONING, "Setup", "Modifying"})
STILL: Final = frozenset({Status.STOPPED, Status.PAUSED, Status.COMPLETED}) | FAILED
"""What a pipe comes to that is stopped."""
