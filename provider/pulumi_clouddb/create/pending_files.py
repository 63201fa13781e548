"""The files of pending creates.

Programs load this module, too: it imports the standard library, and what imports nothing else.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path

from pulumi_clouddb.schema.digest import digest

FOLDER_VARIABLE = "CLOUDDB_JOURNAL"


def default_folder() -> Path:
    """Return the default folder of pending creates."""
    given = os.environ.get(FOLDER_VARIABLE)
    if given:
        return Path(given)
    home = os.environ.get("PULUMI_HOME")
    return (Path(home) if home else Path.home() / ".pulumi") / "clouddb" / "pending-creates"


def backend() -> str:
    """Return the address of Pulumi's backend from the environment: two backends may have stacks of one name."""
    return os.environ.get("PULUMI_BACKEND_URL", "")


def state_is_written_late() -> bool:
    """Return whether the engine writes state only at its end, so that a finished create may not be in state."""
    return os.environ.get("PULUMI_SKIP_CHECKPOINTS", "").lower() in ("1", "true")


def file_name(scope: str, urn: str, account: str) -> str:
    """Return the name of the record for one resource of one stack, under one account."""
    return f"{digest(scope, urn)}-{digest(account)[:8]}.json"


class Registrations:
    """The registrations that the engine has answered to one run of a program.

    An answer alone does not prove that the resource is in state. The engine answers a registration after it has written
    the checkpoint (step_executor.go: OnResourceStepPost, then stepComplete; journal.go: journalMutation waits for
    saveSnapshot). But after a second Ctrl-C OnResourceStepPost (engine/update.go) returns without writing it, and the
    registration is answered all the same.

    The answer to SignalAndWaitForShutdown, with which the SDK ends a program, proves it for every registration that was
    answered before. deploymentExecutor.Execute answers it (resmon.Cancel) if no step has failed and its event loop took
    the end of the program, and not if a Ctrl-C has ended that loop (since pulumi/pulumi#20153; seen with 3.260). The
    first Ctrl-C ends it: it cancels the context on which the loop waits beside the program's events. So where the loop
    took the end of the program, what was answered before was answered before a second Ctrl-C. Of an event and a
    cancellation that are both there, the loop may take either, but the end of the program is not there yet then: the
    SDK sends it when it has the answer to the stack's outputs, which the same loop has just given.

    Args:
        folder: The folder of pending creates.
        scope: The backend of the program's stack.
    """

    def __init__(self, folder: Path | None = None, scope: str | None = None) -> None:
        self._folder = folder or default_folder()
        self._scope = backend() if scope is None else scope
        self._ids: dict[str, str] = {}

    def answered(self, urn: str, object_id: str) -> None:
        """Record that the engine has answered a registration."""
        self._ids[digest(self._scope, urn)] = object_id

    def ended(self) -> None:
        """Remove the records of what was answered: the run has ended in order, so that it is in state."""
        if state_is_written_late():
            return
        for path in self._folder.glob("*.json"):
            object_id = self._ids.get(path.name.partition("-")[0])
            with suppress(OSError, ValueError, AttributeError, RecursionError):
                if object_id and json.loads(path.read_text(encoding="utf-8")).get("id") == object_id:
                    path.unlink()
