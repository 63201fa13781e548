"""The store of a sandbox with a file: one SQLite table, which survives a restart."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import (
    JSON,
    Column,
    Connection,
    Integer,
    MetaData,
    String,
    Table,
    UniqueConstraint,
    create_engine,
    delete,
    event,
    func,
    insert,
    select,
    update,
)
from sqlalchemy.exc import DatabaseError
from sqlalchemy.pool import StaticPool

from .store import Document, Store

_metadata = MetaData()
_objects = Table(
    "objects",
    _metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("kind", String, nullable=False),
    Column("id", String, nullable=False),
    Column("parent", String, nullable=False, index=True),
    Column("document", JSON, nullable=False),
    UniqueConstraint("kind", "id"),
)


class SqlStore(Store):
    """Documents in a file.

    Args:
        path: The file.
        now: Returns the time that a document is created at, in seconds since 1970.

    Raises:
        OSError: The file cannot be used.
    """

    def __init__(self, path: str, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self._created: dict[tuple[str, str], float] = {}
        self._engine = create_engine(
            f"sqlite:///{path}",
            poolclass=StaticPool,
            connect_args={"check_same_thread": False},
        )
        event.listen(self._engine, "connect", _prefer_speed)
        self._open: Connection | None = None
        try:
            _metadata.create_all(self._engine)
        except DatabaseError as error:
            raise OSError(f"{path} cannot be used as the sandbox's file: {error.orig}") from error

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Make everything inside happen together or not at all; nests."""
        if self._open is not None:
            yield self._open
            return
        with self._engine.begin() as connection:
            self._open = connection
            try:
                yield connection
            finally:
                self._open = None

    def get(self, kind: str, id_: str, parent: str | None = None) -> Document | None:
        """Return a document, or None; with `parent` only if it belongs there."""
        query = select(_objects.c.document).where(_objects.c.kind == kind, _objects.c.id == id_)
        if parent is not None:
            query = query.where(_objects.c.parent == parent)
        with self.transaction() as connection:
            found: Document | None = connection.execute(query).scalar_one_or_none()
        return found

    def created_at(self, kind: str, id_: str) -> float:
        """Return when a document was created; what was in the file before it was opened is as old as can be."""
        return self._created.get((kind, id_), 0.0)

    def items(self, kind: str, parent: str | None = None) -> list[tuple[str, Document]]:
        """Return id and document of everything of a kind, oldest first."""
        query = select(_objects.c.id, _objects.c.document).where(_objects.c.kind == kind).order_by(_objects.c.number)
        if parent is not None:
            query = query.where(_objects.c.parent == parent)
        with self.transaction() as connection:
            return [(row.id, row.document) for row in connection.execute(query)]

    def put(self, kind: str, id_: str, document: Document, parent: str = "") -> None:
        """Add a document, or replace the one of this id; a replaced one keeps its parent and its place."""
        same = (_objects.c.kind == kind) & (_objects.c.id == id_)
        with self.transaction() as connection:
            if not connection.execute(update(_objects).where(same).values(document=document)).rowcount:
                connection.execute(insert(_objects).values(kind=kind, id=id_, parent=parent, document=document))
                self._created[kind, id_] = self._now()

    def delete(self, kind: str, id_: str) -> bool:
        """Remove a document; tell whether there was one."""
        query = delete(_objects).where(_objects.c.kind == kind, _objects.c.id == id_)
        with self.transaction() as connection:
            return bool(connection.execute(query).rowcount)

    def delete_children(self, parent: str) -> None:
        """Remove everything that belongs to `parent`, and what belongs to that."""
        with self.transaction() as connection:
            children = connection.execute(select(_objects.c.id).where(_objects.c.parent == parent)).scalars().all()
            connection.execute(delete(_objects).where(_objects.c.parent == parent))
            for child in children:
                if child != parent:
                    self.delete_children(child)

    def counts(self) -> dict[str, int]:
        """Return how many documents there are of each kind."""
        query = select(_objects.c.kind, func.count().label("total")).group_by(_objects.c.kind)
        with self.transaction() as connection:
            return {row.kind: row.total for row in connection.execute(query)}

    def clear(self) -> None:
        """Remove everything."""
        with self.transaction() as connection:
            connection.execute(delete(_objects))

    def close(self) -> None:
        """Close the file."""
        self._engine.dispose()


def _prefer_speed(connection: Any, _: Any) -> None:
    # A file only has to survive the end of the process, not of the machine.
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=OFF")
