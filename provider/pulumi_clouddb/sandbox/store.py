"""Where everything is kept: JSON documents by kind and id.

All access comes from the event loop of the server, one request at a time, so there is no locking in any store.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager
from typing import Any

Document = dict[str, Any]


class Store(ABC):
    """Documents by kind and id, each with a parent it goes with, listed in the order they were made."""

    @abstractmethod
    def transaction(self) -> AbstractContextManager[Any]:
        """Make everything inside happen together or not at all; nests."""

    @abstractmethod
    def get(self, kind: str, id_: str, parent: str | None = None) -> Document | None:
        """Return a document, or None; with `parent` only if it belongs there."""

    @abstractmethod
    def created_at(self, kind: str, id_: str) -> float:
        """Return when a document was created, in seconds since 1970."""

    @abstractmethod
    def items(self, kind: str, parent: str | None = None) -> list[tuple[str, Document]]:
        """Return id and document of everything of a kind, oldest first."""

    def all(self, kind: str, parent: str | None = None) -> list[Document]:
        """Return the documents of a kind, oldest first."""
        return [document for _, document in self.items(kind, parent)]

    @abstractmethod
    def put(self, kind: str, id_: str, document: Document, parent: str = "") -> None:
        """Add a document, or replace the one of this id; a replaced one keeps its parent and its place."""

    @abstractmethod
    def delete(self, kind: str, id_: str) -> bool:
        """Remove a document; tell whether there was one."""

    @abstractmethod
    def delete_children(self, parent: str) -> None:
        """Remove everything that belongs to `parent`, and what belongs to that."""

    @abstractmethod
    def counts(self) -> dict[str, int]:
        """Return how many documents there are of each kind."""

    @abstractmethod
    def clear(self) -> None:
        """Remove everything."""

    @abstractmethod
    def close(self) -> None:
        """Let go of what holds the documents."""
