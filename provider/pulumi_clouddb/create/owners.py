"""Which databases this machine has seen in state, and as which resource: a small file for each.

After `--replace` and a taint, the engine only checks and creates: no call shows that state has an object of the
resource (`create.run`). On other machines the mark of the object can show it (`evidence.object_in_state`).
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from pulumi_clouddb.schema.values import digest

from .pending_files import write_whole


class Owners:
    """The objects in state that nothing replaces by accident.

    Args:
        folder: The folder of their files, on this machine.
        scope: The backend of the stacks.
    """

    def __init__(self, folder: Path, scope: str) -> None:
        self._folder, self._scope = folder, scope
        self._known: dict[str, str] = {}

    def remember(self, urn: str, object_id: str) -> None:
        """Record that an object is in state as a resource; without a file, other evidence remains."""
        owner = digest(self._scope, urn)
        if not urn or self._read(object_id) == owner:
            return
        self._known[object_id] = owner
        with suppress(OSError):
            self.write(self._path(object_id), owner)

    def forget(self, object_id: str) -> None:
        """Record that an object no longer is in state."""
        self._known.pop(object_id, None)
        with suppress(OSError):
            self._path(object_id).unlink()

    def is_owner(self, urn: str, object_id: str) -> bool | None:
        """Return whether an object is in state as this resource, or as another; None if it was never seen there."""
        owner = self._read(object_id)
        return owner == digest(self._scope, urn) if owner else None

    def write(self, path: Path, text: str) -> None:
        """Write a file, whole or not at all.

        Raises:
            OSError: It cannot be written.
        """
        write_whole(path, text)

    def _read(self, object_id: str) -> str:
        if object_id not in self._known:
            with suppress(OSError, ValueError):
                self._known[object_id] = self._path(object_id).read_text(encoding="utf-8")
        return self._known.get(object_id, "")

    def _path(self, object_id: str) -> Path:
        return self._folder / f"{digest(object_id)}.held"
