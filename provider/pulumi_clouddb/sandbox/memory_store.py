"""The store of a sandbox without a file: dictionaries, so that a request costs what its handler costs."""

from __future__ import annotations

import marshal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from .store import Document, Store


class _Entry(NamedTuple):
    """One document: frozen, so that nobody changes it but by `put`."""

    parent: str
    created: float
    content: bytes

    @property
    def document(self) -> Document:
        document: Document = marshal.loads(self.content)  # noqa: S302  # nobody but this process wrote it
        return document


class MemoryStore(Store):
    """Documents in dictionaries, by kind and id.

    Args:
        now: Returns the time that a document is created at, in seconds since 1970.
    """

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self._kinds: dict[str, dict[str, _Entry]] = {}
        self._before: dict[str, dict[str, _Entry]] | None = None

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Make everything inside happen together or not at all; nests."""
        if self._before is not None:
            yield
            return
        self._before = {}
        try:
            yield
        except BaseException:
            self._kinds.update(self._before)
            raise
        finally:
            self._before = None

    def get(self, kind: str, id_: str, parent: str | None = None) -> Document | None:
        """Return a document, or None; with `parent` only if it belongs there."""
        entry = self._of(kind).get(id_)
        return entry.document if entry and parent in (None, entry.parent) else None

    def created_at(self, kind: str, id_: str) -> float:
        """Return when a document was created."""
        return self._of(kind)[id_].created

    def items(self, kind: str, parent: str | None = None) -> list[tuple[str, Document]]:
        """Return id and document of everything of a kind, oldest first."""
        return [(id_, entry.document) for id_, entry in self._of(kind).items() if parent in (None, entry.parent)]

    def put(self, kind: str, id_: str, document: Document, parent: str = "") -> None:
        """Add a document, or replace the one of this id; a replaced one keeps its parent and its place."""
        old = self._of(kind).get(id_)
        entry = _Entry(old.parent, old.created, b"") if old else _Entry(parent, self._now(), b"")
        self._to_change(kind)[id_] = entry._replace(content=marshal.dumps(document))

    def delete(self, kind: str, id_: str) -> bool:
        """Remove a document; tell whether there was one."""
        return id_ in self._of(kind) and bool(self._to_change(kind).pop(id_))

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

    def counts(self) -> dict[str, int]:
        """Return how many documents there are of each kind."""
        return {kind: len(entries) for kind, entries in self._kinds.items() if entries}

    def clear(self) -> None:
        """Remove everything."""
        for kind in self._kinds:
            self._to_change(kind).clear()

    def close(self) -> None:
        """Forget everything."""
        self._kinds = {}

    def _of(self, kind: str) -> dict[str, _Entry]:
        return self._kinds.get(kind, {})

    def _to_change(self, kind: str) -> dict[str, _Entry]:
        """Return the documents of a kind, after keeping them as they are for a transaction that fails."""
        entries = self._kinds.setdefault(kind, {})
        if self._before is not None and kind not in self._before:
            self._before[kind] = dict(entries)
        return entries
