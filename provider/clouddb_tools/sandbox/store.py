"""The store: JSON documents by kind and id, in memory, and optionally in a SQLite file.

Only the server's event loop uses it, one request at a time, so there is no locking.
"""

from __future__ import annotations

import json
import marshal
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

Document = dict[str, Any]

_TABLE = """
CREATE TABLE IF NOT EXISTS objects (
    number INTEGER PRIMARY KEY, kind TEXT NOT NULL, id TEXT NOT NULL, parent TEXT NOT NULL, document JSON NOT NULL,
    UNIQUE (kind, id)
)
"""
_PUT = (
    "INSERT INTO objects (kind, id, parent, document) VALUES (?, ?, ?, ?) "
    "ON CONFLICT (kind, id) DO UPDATE SET document = excluded.document"
)

_ROWS = "SELECT kind, id, parent, document FROM objects ORDER BY number"

_Row = tuple[str, str, str, Document]
"""Kind, id, parent and document."""

_OWNER_ONLY = 0o600
_SIDE_FILES = ("-wal", "-shm", "-journal")


class _Entry(NamedTuple):
    """One document, serialized, so that only `put` can change it."""

    parent: str
    created: float
    content: bytes
    version: int = 0

    @property
    def document(self) -> Document:
        document: Document = marshal.loads(self.content)  # noqa: S302  # only this process wrote it
        return document


Snapshot = Mapping[str, Mapping[str, _Entry]]
"""A snapshot of the store, by kind and id."""


class Store:
    """Documents by kind and id, in the order of creation. A document can belong to a parent.

    Args:
        now: Returns the time in seconds since 1970.
        path: File to write each change to; None for memory only.

    Raises:
        OSError: The file cannot be used, or another sandbox uses it.
    """

    def __init__(self, now: Callable[[], float] = time.time, path: str | None = None) -> None:
        self._now = now
        self._kinds: dict[str, dict[str, _Entry]] = {}
        self._before: dict[str, dict[str, _Entry]] | None = None
        self._file: sqlite3.Connection | None = None
        rows: list[_Row] = []
        if path is not None:
            self._file, rows = _open(path)
        for kind, id_, parent, document in rows:
            # The file does not store creation times, so its documents count as old.
            self._kinds.setdefault(kind, {})[id_] = _Entry(parent, 0.0, marshal.dumps(document))

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit all changes inside, or roll all back on an exception. Transactions nest."""
        if self._before is not None:
            yield
            return
        self._before = {}
        try:
            yield
            if self._file:
                self._file.commit()
        except BaseException:
            self._kinds.update(self._before)
            if self._file:
                self._file.rollback()
            raise
        finally:
            self._before = None

    def get(self, kind: str, id_: str, parent: str | None = None) -> Document | None:
        """Return a document, or None. With `parent`, return it only if it belongs to this parent."""
        entry = self._of(kind).get(id_)
        return entry.document if entry and parent in (None, entry.parent) else None

    def created_at(self, kind: str, id_: str) -> float:
        """Return when a document was created, in seconds since 1970."""
        return self._of(kind)[id_].created

    def version(self, kind: str, id_: str) -> int:
        """Return how often a document was replaced since the sandbox started."""
        return self._of(kind)[id_].version

    def items(self, kind: str, parent: str | None = None) -> list[tuple[str, Document]]:
        """Return the ids and documents of a kind, oldest first."""
        return [(id_, entry.document) for id_, entry in self._of(kind).items() if parent in (None, entry.parent)]

    def all(self, kind: str, parent: str | None = None) -> list[Document]:
        """Return the documents of a kind, oldest first."""
        return [document for _, document in self.items(kind, parent)]

    def put(self, kind: str, id_: str, document: Document, parent: str = "") -> None:
        """Add a document, or replace the one with this id, which keeps its parent and its position."""
        old = self._of(kind).get(id_)
        entry = _Entry(old.parent, old.created, b"", old.version + 1) if old else _Entry(parent, self._now(), b"")
        with self.transaction():
            self._for_change(kind)[id_] = entry._replace(content=marshal.dumps(document))
            if self._file:
                self._file.execute(_PUT, (kind, id_, entry.parent, json.dumps(document)))

    def delete(self, kind: str, id_: str) -> None:
        """Remove a document, if it exists."""
        if id_ not in self._of(kind):
            return
        with self.transaction():
            del self._for_change(kind)[id_]
            if self._file:
                self._file.execute("DELETE FROM objects WHERE kind = ? AND id = ?", (kind, id_))

    def delete_with_children(self, kind: str, id_: str) -> None:
        """Remove a document with all its descendants."""
        self.delete(kind, id_)
        children = [
            (child_kind, child)
            for child_kind, entries in self._kinds.items()
            for child, entry in entries.items()
            if entry.parent == id_
        ]
        for child in children:
            self.delete_with_children(*child)

    def copy(self) -> Snapshot:
        """Return a snapshot, for `replace`."""
        return {kind: dict(entries) for kind, entries in self._kinds.items()}

    def replace(self, snapshot: Snapshot) -> None:
        """Replace all documents with those of a snapshot."""
        with self.transaction():
            self.clear()
            for kind, entries in snapshot.items():
                self._for_change(kind).update(entries)
                if self._file:
                    rows = [(kind, id_, each.parent, json.dumps(each.document)) for id_, each in entries.items()]
                    self._file.executemany(_PUT, rows)

    def counts(self) -> dict[str, int]:
        """Return the number of documents of each kind."""
        return {kind: len(entries) for kind, entries in self._kinds.items() if entries}

    def clear(self) -> None:
        """Remove everything."""
        with self.transaction():
            for kind in self._kinds:
                self._for_change(kind).clear()
            if self._file:
                self._file.execute("DELETE FROM objects")

    def close(self) -> None:
        """Drop the documents in memory, and close the file."""
        self._kinds = {}
        if self._file:
            self._file.close()

    def _of(self, kind: str) -> dict[str, _Entry]:
        return self._kinds.get(kind, {})

    def _for_change(self, kind: str) -> dict[str, _Entry]:
        """Return the documents of a kind for a change; a copy allows the transaction to roll back."""
        entries = self._kinds.setdefault(kind, {})
        if self._before is not None and kind not in self._before:
            self._before[kind] = dict(entries)
        return entries


def _open(path: str) -> tuple[sqlite3.Connection, list[_Row]]:
    """Open the file and read its rows, or create the table.

    Only the owner can read the file, as it contains credentials.
    """
    connection = None
    try:
        # SQLite creates its side files with the same mode.
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, _OWNER_ONLY))
        if not os.path.isfile(path):
            raise OSError("it is not a regular file")  # such as /dev/null, whose mode must not change
        # One thread opens the file, another, the server's, uses it.
        connection = sqlite3.connect(path, timeout=1, check_same_thread=False)
        # Two sandboxes on one file would miss each other's changes.
        connection.execute("PRAGMA locking_mode=EXCLUSIVE")
        # The file has to survive a crash of the process only, not of the machine.
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=OFF")
        connection.execute(_TABLE)
        rows = [(kind, id_, parent, json.loads(text)) for kind, id_, parent, text in connection.execute(_ROWS)]
        for name in (path, *(path + suffix for suffix in _SIDE_FILES)):
            with suppress(FileNotFoundError):
                os.chmod(name, _OWNER_ONLY)
    except (sqlite3.Error, OSError, ValueError) as error:
        if connection:
            connection.close()
        hint = "End the sandbox that uses it, or choose another file."
        raise OSError(f"{path} cannot be used as the sandbox's file: {error}\n{hint}") from error
    return connection, rows
