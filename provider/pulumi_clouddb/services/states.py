"""The states that servers report of a service, and what they mean for a wait."""

from __future__ import annotations

from typing import Final


class Status:
    """The states that begin or end something; servers may report others."""

    PROVISIONING: Final = "provisioning"
    STARTING: Final = "starting"
    AWAKING: Final = "awaking"
    PARTIALLY_RUNNING: Final = "partially_running"
    RUNNING: Final = "running"
    IDLE: Final = "idle"
    DEGRADED: Final = "degraded"
    STOPPING: Final = "stopping"
    STOPPED: Final = "stopped"
    FAILED: Final = "failed"
    TERMINATING: Final = "terminating"


PENDING: Final = frozenset({Status.PROVISIONING, Status.STARTING, Status.AWAKING, Status.PARTIALLY_RUNNING})
FAILED: Final = frozenset({Status.FAILED})
STOPPED: Final = frozenset({Status.STOPPED, Status.FAILED})
DELETED: Final = frozenset({"terminated", "softdeleting", "softdeleted"})
GONE: Final = DELETED | {Status.TERMINATING}
STARTED: Final = PENDING | {Status.RUNNING, Status.IDLE, Status.DEGRADED}
STOPS: Final = STOPPED | GONE | {Status.STOPPING}
