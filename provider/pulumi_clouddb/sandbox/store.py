"""Where everything is kept: JSON documents by kind and id, in memory, and in a SQLite file where one is named.

All access comes from the event loop of the server, one request at a time, so there is no locking.
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

_OWNER_ONLY = 0o600
_SIDE_FILES = ("-wal", "-shm", "-journal")


class _Entry(NamedTuple):
    """One document: frozen, so that nobody changes it but by `put`."""

    parent: str
    created: float
    content: bytes

    @property
    def document(self) -> Document:
        document: Document = marshal.loads(self.content)  # noqa: S302  # nobody but this process wrote it
        return document


Kept = Mapping[str, Mapping[str, _Entry]]
"""A copy of everything, by kind and id; nobody changes it."""


class Store:
    """Documents by kind and id, each with a parent it goes with, listed in the order they were made.

    Args:
        now: Returns the time that a document is created at, in seconds since 1970.
        path: File that survives a restart, and is written with every change; None for memory alone.

    Raises:
        OSError: The file cannot be used, or another sandbox uses it.
    """

    def __init__(self, now: Callable[[], float] = time.time, path: str | None = None) -> None:
        self._now = now
        self._kinds: dict[str, dict[str, _Entry]] = {}
        self._before: dict[str, dict[str, _Entry]] | None = None
        self._file = None if path is None else _opened(path)
        if self._file:
            rows = self._file.execute("SELECT kind, id, parent, document FROM objects ORDER BY number")
            for kind, id_, parent, text in rows:
                # What was in the file before it was opened is as old as can be.
                self._kinds.setdefault(kind, {})[id_] = _Entry(parent, 0.0, marshal.dumps(json.loads(text)))

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Make everything inside happen together or not at all; nests."""
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
        """Return a document, or None; with `parent` only if it belongs there."""
        entry = self._of(kind).get(id_)
        return entry.document if entry and parent in (None, entry.parent) else None

    def created_at(self, kind: str, id_: str) -> float:
        """Return when a document was created, in seconds since 1970."""
        return self._of(kind)[id_].created

    def items(self, kind: str, parent: str | None = None) -> list[tuple[str, Document]]:
        """Return id and document of everything of a kind, oldest first."""
        return [(id_, entry.document) for id_, entry in self._of(kind).items() if parent in (None, entry.parent)]

    def all(self, kind: str, parent: str | None = None) -> list[Document]:
        """Return the documents of a kind, oldest first."""
        return [document for _, document in self.items(kind, parent)]

    def put(self, kind: str, id_: str, document: Document, parent: str = "") -> None:
        """Add a document, or replace the one of this id; a replaced one keeps its parent and its place."""
        old = self._of(kind).get(id_)
        entry = _Entry(old.parent, old.created, b"") if old else _Entry(parent, self._now(), b"")
        with self.transaction():
            self._to_change(kind)[id_] = entry._replace(content=marshal.dumps(document))
            if self._file:
                self._file.execute(_PUT, (kind, id_, entry.parent, json.dumps(document)))

    def delete(self, kind: str, id_: str) -> bool:
        """Remove a document; tell whether there was one."""
        if id_ not in self._of(kind):
            return False
        with self.transaction():
            del self._to_change(kind)[id_]
            if self._file:
                self._file.execute("DELETE FROM objects WHERE kind = ? AND id = ?", (kind, id_))
        return True

    def delete_children(self, parent: str) -> None:
        """Remove everything that belongs to `parent`, and what belongs to that."""
        children = [
            (kind, id_)
            for kind, entries in self._kinds.items()
            for id_, entry in entries.items()
            if entry.parent == parent
        ]
        for kind, id_ in children:
            self.delete(kind, id_)
        for _, id_ in children:
            if id_ != parent:
                self.delete_children(id_)

    def copy(self) -> Kept:
        """Return everything as it is, for `replace`."""
        return {kind: dict(entries) for kind, entries in self._kinds.items()}

    def replace(self, kept: Kept) -> None:
        """Make everything as it was when a copy was taken."""
        with self.transaction():
            self.clear()
            for kind, entries in kept.items():
                self._to_change(kind).update(entries)
                if self._file:
                    rows = [(kind, id_, each.parent, json.dumps(each.document)) for id_, each in entries.items()]
                    self._file.executemany(_PUT, rows)

    def counts(self) -> dict[str, int]:
        """Return how many documents there are of each kind."""
        return {kind: len(entries) for kind, entries in self._kinds.items() if entries}

    def clear(self) -> None:
        """Remove everything."""
        with self.transaction():
            for kind in self._kinds:
                self._to_change(kind).clear()
            if self._file:
                self._file.execute("DELETE FROM objects")

    def close(self) -> None:
        """Forget everything that is not in the file, and close it."""
        self._kinds = {}
        if self._file:
            self._file.close()

    def _of(self, kind: str) -> dict[str, _Entry]:
        return self._kinds.get(kind, {})

    def _to_change(self, kind: str) -> dict[str, _Entry]:
        """Return the documents of a kind, after keeping them as they are for a transaction that fails."""
        entries = self._kinds.setdefault(kind, {})
        if self._before is not None and kind not in self._before:
            self._before[kind] = dict(entries)
        return entries


def _opened(path: str) -> sqlite3.Connection:
    """Return the file, open, with a table in it; only its owner can read it, as there are credentials in it."""
    connection = None
    try:
        # SQLite gives its side files the mode of the file.
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, _OWNER_ONLY))
        # Opened by who starts the server, used by its thread alone.
        connection = sqlite3.connect(path, timeout=1, check_same_thread=False)
        # Two sandboxes on one file would each miss what the other writes.
        connection.execute("PRAGMA locking_mode=EXCLUSIVE")
        # A file only has to survive the end of the process, not of the machine.
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=OFF")
        connection.execute(_TABLE)
        for name in (path, *(path + suffix for suffix in _SIDE_FILES)):
            with suppress(FileNotFoundError):
                os.chmod(name, _OWNER_ONLY)
    except (sqlite3.Error, OSError) as error:
        if connection:
            connection.close()
        hint = "End the sandbox that uses it, or choose another file."
        raise OSError(f"{path} cannot be used as the sandbox's file: {error}\n{hint}") from error
    return connection
