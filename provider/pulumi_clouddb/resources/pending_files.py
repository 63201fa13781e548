"""Where the records of pending creates lie.

Programs load this, too, so that it needs nothing but the standard library.
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from pathlib import Path

FOLDER_VARIABLE = "CLOUDDB_JOURNAL"


def default_folder() -> Path:
    """Return where pending creates are kept unless told otherwise."""
    given = os.environ.get(FOLDER_VARIABLE)
    if given:
        return Path(given)
    home = os.environ.get("PULUMI_HOME")
    return (Path(home) if home else Path.home() / ".pulumi") / "clouddb" / "pending-creates"


def backend() -> str:
    """Return the address of Pulumi's backend as the environment has it: two backends may have stacks of one name."""
    return os.environ.get("PULUMI_BACKEND_URL", "")


def state_is_written_late() -> bool:
    """Tell whether the engine writes state at its end only, so that a finished create may not be in state."""
    return os.environ.get("PULUMI_SKIP_CHECKPOINTS", "").lower() in ("1", "true")


def file_name(scope: str, urn: str, account: str) -> str:
    """Return the name of the record for one resource of one stack, under one account."""
    return f"{_digest(scope, urn)}-{_digest(account)[:8]}.json"


def registered(urn: str, object_id: str) -> None:
    """Forget the pending create of a resource: the engine has told its program that it is in state.

    The engine answers a program's registration after it has written the resource into state, and answers none any more
    once it was interrupted (pulumi: resource/deploy/step_executor.go, resource_monitor.go).
    """
    if state_is_written_late():
        return
    for path in default_folder().glob(f"{_digest(backend(), urn)}-*.json"):
        with suppress(OSError, ValueError, AttributeError, RecursionError):
            if json.loads(path.read_text(encoding="utf-8")).get("id") == object_id:
                path.unlink()


def _digest(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:24]
