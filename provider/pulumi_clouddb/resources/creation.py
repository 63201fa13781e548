"""Creating exactly one object, whatever happens to the answer.

Before the request, one shared list says what exists. If the answer is lost, the list is looked at again: exactly one
new object that matches is ours. The journal carries the same knowledge over the death of this process.
"""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pulumi_clouddb.api.errors import ApiError, MalformedAnswer, MaybeDone, ResourceError
from pulumi_clouddb.api.reads import Collection, Records

from .journal import Note

if TYPE_CHECKING:
    from .session import Session

LOOKS_AFTER_A_LOST_ANSWER = 4
"""Lists may lag behind: so many looks, one poll interval apart."""

_parent = os.getppid()


@dataclass(frozen=True)
class Making:
    """What is being created.

    Attributes:
        collection: Where it will be listed.
        what: The object in words, such as `service 'orders'`.
        name: Its name; together with the collection and the program it names the creation in the journal.
        post: Sends the request and returns the `result`.
        record_of: Finds the object's record in the `result`.
        counts: Whether a listed record counts as existing.
        unique: Whether a second object of the same name is refused.
        shared_look: Whether one look, up to a minute old, will do for many creations. Not where a wrong match would
            be grave: a database taken over, a key deleted.
    """

    collection: Collection
    what: str
    name: str | None
    post: Callable[[], Any]
    record_of: Callable[[Any], Any] = lambda result: result
    counts: Callable[[dict[str, Any]], bool] = lambda record: True  # noqa: ARG005
    unique: bool = False
    shared_look: bool = False


@dataclass(frozen=True)
class Made:
    """What came of it.

    Attributes:
        record: The object as the server answers it.
        result: The whole `result` of the answer, with one-time secrets; None when the answer was lost.
        note: The journal's note.
    """

    record: dict[str, Any]
    result: dict[str, Any] | None
    note: Note

    @property
    def id(self) -> str:
        """The id of the object."""
        return str(self.record["id"])


class Creations:
    """The creations of one session: what this process made, and what it is making."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._lock = threading.Lock()
        self._own: set[str] = set()
        self._under_way: Counter[tuple[str, ...]] = Counter()

    @contextmanager
    def making(self, making: Making) -> Iterator[Made]:
        """Create the object, or take up the one that an interrupted run made, and hold its note until it is settled.

        The note is forgotten when the block ends well. It stays when the block raises, and where Pulumi is no longer
        there to take the object: when the main thread, or the parent process, has ended.

        Raises:
            ApiError: The server refused, or was not reached.
            ResourceError: The answer was lost and the object cannot be told; or its name is taken.
        """
        key = self._key(making)
        with self._lock:
            rank = self._under_way[key]
            self._under_way[key] += 1
        try:
            made = self._make(making, self._session.journal.open(*key, str(rank)), alone=rank == 0)
            yield made
            if threading.main_thread().is_alive() and os.getppid() == _parent:
                self._session.journal.close(made.note)
        finally:
            with self._lock:
                self._under_way[key] -= 1

    def _make(self, making: Making, note: Note, *, alone: bool) -> Made:
        session = self._session
        if note.left_behind:
            found = self._new_match(making, note)
            if found is not None:
                session.warn(f"Took up {making.what} (id {found['id']}), which an interrupted run had created.")
                return self._made(making, found, None, note)
        existing = self._look(making)
        if existing is None:
            session.warn(
                f"This server does not list what exists, so nothing was looked for before creating {making.what}; "
                "if the answer is lost, look for a twin by hand."
            )
        if making.unique:
            _refuse_twin(making, [record for record in existing or () if making.counts(record)], alone=alone)
        with self._lock:
            note.known, note.id = [*self._own, *(str(record["id"]) for record in existing or ())], None
        session.journal.write(note)
        return self._post(making, note, listed=existing is not None)

    def _look(self, making: Making) -> Records | None:
        if making.shared_look:
            return self._session.records(making.collection, before_own=True)
        return self._session.records(making.collection, max_age=self._session.config.poll_interval_seconds)

    def _post(self, making: Making, note: Note, *, listed: bool) -> Made:
        session = self._session
        try:
            result = making.post()
            record = making.record_of(result)
            if not isinstance(record, dict) or not isinstance(record.get("id"), str) or not record["id"]:
                operation = making.collection.operation
                raise MalformedAnswer(operation, operation.path, f"answered to creating {making.what}, without its id")
        except MaybeDone as error:
            session.reads.drop(making.collection)
            if not listed:
                raise _look_by_hand(making, error) from None
            found = self._look_again(making, note)
            if found is None:
                raise _not_found_again(making, error) from None
            return self._made(making, found, None, note)
        except ApiError:
            session.journal.close(note)
            raise
        session.reads.created(making.collection)
        return self._made(making, record, result, note)

    def _made(self, making: Making, record: dict[str, Any], result: dict[str, Any] | None, note: Note) -> Made:
        with self._lock:
            self._own.add(str(record["id"]))
        note.id, note.known = str(record["id"]), []  # the id alone tells the object from now on
        if not making.shared_look:  # the others are handed to Pulumi at once, and are found by name until then
            self._session.journal.write(note)
        return Made(record, result, note)

    def _look_again(self, making: Making, note: Note) -> dict[str, Any] | None:
        session = self._session
        for look in range(LOOKS_AFTER_A_LOST_ANSWER):
            if look:
                session.sleep(session.config.poll_interval_seconds)
            found = self._new_match(making, note)
            if found is not None:
                return found
        return None

    def _new_match(self, making: Making, note: Note) -> dict[str, Any] | None:
        records = self._session.records(making.collection, max_age=0.0)
        if records is None:
            return None
        if note.id is not None:
            return next((record for record in records if record["id"] == note.id and making.counts(record)), None)
        with self._lock:
            not_new = {*self._own, *note.known}
        matches = [
            record
            for record in records
            if record.get("name") == making.name and record["id"] not in not_new and making.counts(record)
        ]
        if len(matches) > 1:
            raise ResourceError(
                f"the answer to creating {making.what} was lost, and {len(matches)} new ones of that name exist: "
                + ", ".join(str(record["id"]) for record in matches),
                "Delete those that nobody uses, then run again.",
            )
        return matches[0] if matches else None

    def _key(self, making: Making) -> tuple[str, ...]:
        config, collection = self._session.config, making.collection
        hosted = collection.operation.name.startswith("self_hosted")
        return (
            self._session.scope,
            str(config.stack_url if hosted else config.base_url),
            str(config.organization_id),
            str(collection.service_id),
            collection.operation.name,
            str(making.name),
        )


def _refuse_twin(making: Making, existing: Records, *, alone: bool) -> None:
    twin = next((record for record in existing if record.get("name") == making.name), None)
    if twin is None and alone:
        return
    where = f"exists already, with the id {twin['id']}" if twin else "is being created by this program already"
    raise ResourceError(
        f"{making.what} {where}; a second one of the same name is not created",
        "Choose another name, or set allowDuplicateName if you want both. "
        "If an interrupted run left it behind and nobody uses it, delete it and run again.",
    )


def _look_by_hand(making: Making, error: ApiError) -> ResourceError:
    return ResourceError(
        f"the answer to creating {making.what} was lost ({error.words}), and this server offers no list to find it in",
        "Look for it by hand and delete it if it is there, then run again.",
    )


def _not_found_again(making: Making, error: ApiError) -> ResourceError:
    status = f"{error.status} " if error.status else ""
    return ResourceError(
        f"could not create {making.what}: {status}{error.words}; the list shows no new one",
        "Run again: it is looked for once more before another is created.",
    )
