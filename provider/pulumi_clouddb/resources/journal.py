"""Creations in flight, written down on this machine before the request goes out.

A process that is killed while it creates something leaves its note behind. The next creation of the same object, by
the same program, finds the note, looks at what is new on the server since, and takes the object up instead of making a
twin. Notes hold names and ids, never secrets; each is gone as soon as the object is handed to Pulumi.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FOLDER_VARIABLE = "CLOUDDB_JOURNAL"


@dataclass
class Note:
    """One creation in flight.

    Attributes:
        path: The file it stands in, or None where it could not be written.
        known: Ids of the objects that were there before, until `id` says more.
        id: Id of the new object, once the server has said it.
        found: What an override found before it changed it.
        left_behind: Whether an earlier process left it.
    """

    path: Path | None
    known: list[str] = field(default_factory=list)
    id: str | None = None
    found: dict[str, Any] | None = None
    left_behind: bool = False


class Journal:
    """The notes of one machine, one small file each.

    Args:
        folder: Where they are kept; by default `CLOUDDB_JOURNAL`, else `clouddb/in-flight` in Pulumi's home.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or default_folder()

    def open(self, *key: str) -> Note:
        """Return the note for the creation that `key` names: the one left behind, or a new one, not yet written."""
        name = hashlib.sha256("\0".join(key).encode()).hexdigest()[:32]
        path = self._folder / f"{name}.json"
        try:
            values = json.loads(path.read_text(encoding="utf-8"))
            return Note(path=path, left_behind=True, **values)
        except (OSError, ValueError, TypeError):
            return Note(path=path)

    def write(self, note: Note) -> None:
        """Put `note` on disk, all or nothing; without a disk to write to, life goes on without."""
        if note.path is None:
            return
        text = json.dumps({"known": note.known, "id": note.id, "found": note.found})
        new = note.path.with_suffix(f".{os.getpid()}")
        try:
            try:
                _store(new, text)
            except FileNotFoundError:
                self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
                _store(new, text)
            os.replace(new, note.path)
        except OSError:
            note.path = None

    def close(self, note: Note) -> None:
        """Forget `note`: what it stood for is settled."""
        if note.path is not None:
            with contextlib.suppress(OSError):
                note.path.unlink()


def default_folder() -> Path:
    """Return where notes are kept unless told otherwise."""
    given = os.environ.get(FOLDER_VARIABLE)
    if given:
        return Path(given)
    home = os.environ.get("PULUMI_HOME")
    return (Path(home) if home else Path.home() / ".pulumi") / "clouddb" / "in-flight"


def _store(file: Path, text: str) -> None:
    """Write a file that its owner only can read, down to the disk."""
    with open(file, "w", encoding="utf-8", opener=lambda path, flags: os.open(path, flags, 0o600)) as opened:
        opened.write(text)
        opened.flush()
        os.fsync(opened.fileno())
