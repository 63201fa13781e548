"""Updates in doubt: those that were sent, and whose result may not be in Pulumi's state.

An update is recorded before its first write, since the process may die. Like a create it is forgotten when a later call
shows that its result is in state, which the number of the update there proves. Records contain names and numbers, and
no value.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.schema.values import digest

from .pending import PendingCreates
from .pending_files import read_whole

ENDING = ".update"
LONGEST = 64 * 1024
"""Bytes; a larger file is not a record."""


class PendingUpdate(BaseModel):
    """The record of an update in doubt, as it is on disk.

    Attributes:
        number: The number of the update in the state that it returns.
        names: Wire names of the inputs that it, or one in doubt before it, has sent: those that no response shows, and
            all of an override.
    """

    model_config = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)

    number: int
    names: list[str]


class PendingUpdates:
    """The updates in doubt of this machine, beside its pending creates. Without a disk, this process knows its own.

    Args:
        pending: The pending creates.
    """

    def __init__(self, pending: PendingCreates) -> None:
        self._pending = pending
        self._mutex = threading.Lock()
        self._known: dict[Path, PendingUpdate] | None = None

    def file(self, kind: str, server: str, object_id: str) -> Path:
        """Return the file of an object, which any stack may have updated."""
        return self._pending.folder / f"{digest(kind, server, object_id)}{ENDING}"

    def get(self, path: Path) -> PendingUpdate | None:
        """Return the record of an object; None without one."""
        with self._mutex:
            return self._records().get(path)

    def put(self, path: Path, record: PendingUpdate | None) -> None:
        """Write the record of an object, or remove it."""
        with self._mutex:
            records = self._records()
            if record is None and records.pop(path, None) is not None:
                self._pending.remove(path)
            elif record is not None:
                records[path] = record
                self._pending.write(path, record.model_dump_json())

    def _records(self) -> dict[Path, PendingUpdate]:
        """Return the records: those that were on disk at first, and those of this process."""
        if self._known is None:
            self._known = {}
            with suppress(ResourceError):
                for path in self._pending.files(f"*{ENDING}"):
                    with suppress(ValidationError, OSError):
                        self._known[path] = PendingUpdate.model_validate_json(read_whole(path, LONGEST) or "")
        return self._known
