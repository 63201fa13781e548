"""Pending creates: creates that were begun, and whose objects may not be in Pulumi's state yet.

A create is recorded before its request is sent. The record is removed when a later call or the end of the run proves
that the object is in state. Its return to Pulumi does not prove it, since the engine may die before it writes state.
Until then the next `up` finds by the record what an interrupted run has created. Records contain names, ids and
digests, and no secret.
"""

from __future__ import annotations

import json
import secrets
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from pulumi_clouddb.client.errors import ConfigError, ResourceError
from pulumi_clouddb.client.runtime import Runtime
from pulumi_clouddb.schema.values import WireDict, WireValues, digest

from .locks import MachineLocks
from .pending_files import (
    FOLDER_VARIABLE,
    default_folder,
    file_name,
    for_owner,
    is_here,
    read_whole,
    reason,
    state_is_written_late,
    storage_errors,
    usual_folder,
    write_whole,
)

LONGEST_RECORD = 16 * 1024 * 1024
"""Bytes; a larger file is not a record."""

INSTALL = "For a bucket install `pulumi-clouddb[bucket]`; for storage other than S3 also the library that fsspec needs."

MADE = ".made"
MADE_SECONDS = 86_400.0
"""For this long, objects created here are not candidates for adoption."""
MOST_MADE = 10_000
"""Lines; beyond that, old ones are removed."""


class PendingCreate(BaseModel):
    """The record of one pending create, as it is on disk.

    Attributes:
        urn: The resource that is created; the stack's name is part of it.
        what: The object for messages, such as `service 'orders'`.
        place: Digest of its collection and name; see `CreateRequest.place`.
        nonce: Text of this create alone, from which its mark follows.
        known: Ids that were listed before the request.
        digests: Digests of the properties that were sent; empty, under `?NAME`, for those that cannot be compared.
        parts: Of the properties that only a part of each identifies: digests of all texts and numbers within.
        sent_at: When the request was sent, by the server's clock, in seconds since 1970; None if unknown.
        started: The same by this machine's clock; None before the request.
        response_lost: Whether the request was sent and its response was lost; False while unknown.
        looked_at: The time, by the server's clock, of a complete search that did not find the object.
        id: Id of the new object, once the server has returned it.
        doubtful: Ids of the objects that a refusal has named, since nothing proves that one of them is the new one.
        found: The values that an override found before it changed them.
        earlier: Digests of what earlier attempts of an override sent; any of them may have arrived last.
        replaces: Digest of the state of the object that it replaces, if this run has seen one; see `is_replaced`.
    """

    model_config = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)

    urn: str
    what: str = ""
    place: str = ""
    nonce: str
    known: list[str] = []
    digests: dict[str, str] = {}
    parts: dict[str, list[str]] = {}
    sent_at: float | None = None
    started: float | None = None
    response_lost: bool = False
    looked_at: float | None = None
    id: str | None = None
    doubtful: list[str] = []
    found: WireDict | None = None
    earlier: list[dict[str, str]] = []
    replaces: str = ""


def _new_record(urn: str, replaces: str = "") -> PendingCreate:
    return PendingCreate(urn=urn, nonce=secrets.token_hex(16), replaces=replaces)


class PendingCreates:
    """The pending creates of this machine, or of all that share a bucket, a small file each.

    Args:
        folder: Their folder; by default `CLOUDDB_JOURNAL`, else `clouddb/pending-creates` in Pulumi's home.
        runtime: Clocks and waits of this process.
        warn: Shows a warning to the person at the terminal.

    Attributes:
        local: The folder of the files of this machine alone: the same one, or the usual one beside a bucket.

    Raises:
        ConfigError: The folder is in a bucket, and a library for that kind is not installed.
    """

    def __init__(self, folder: Path | None, runtime: Runtime, warn: Callable[[str], None]) -> None:
        try:
            self.folder = folder or default_folder()
        except OSError as error:
            raise ConfigError(f"{FOLDER_VARIABLE} cannot be used: {reason(error)}\n{INSTALL}") from None
        self.local = self.folder if is_here(self.folder) else usual_folder()
        self.locks = MachineLocks(self.local, runtime)
        self._runtime = runtime
        self._warn = warn
        self._mutex = threading.Lock()
        self._by_id: dict[str, set[Path]] | None = None
        self._replaced: set[str] = set()
        self._earlier: dict[Path, PendingCreate] = {}
        self._returned: set[Path] = set()

    @contextmanager
    def open(self, scope: str, urn: str, account: str, busy_seconds: float) -> Iterator[Entry]:
        """Lock the pending create of a resource during the block: that of an earlier process, or a new one.

        Args:
            scope: The backend of its stack.
            urn: The resource that is created.
            account: The account in which objects are created.
            busy_seconds: Seconds to wait while another process is busy with the same create.

        Raises:
            ResourceError: Another process is creating the same resource, or the record cannot be read.
        """
        path = self.folder / file_name(scope, urn, account)
        if not self.locks.acquire(str(path), busy_seconds):
            raise ResourceError(
                f"{urn}: another process on this machine is still creating it",
                "Wait until the other `pulumi up` has ended, or end it, then run again.",
            )
        try:
            earlier = self._read(path)
            yield Entry(self, path, earlier or _new_record(urn), previous=earlier is not None)
        finally:
            self.locks.release(str(path))

    def has(self, scope: str, urn: str, account: str) -> bool:
        """Return whether a create of this resource is pending."""
        return self.exists(self.folder / file_name(scope, urn, account))

    def was_left(self, scope: str, urn: str, account: str) -> bool:
        """Return whether an earlier run has left a create of this resource, without a request to a bucket for each."""
        self._index()
        return self.folder / file_name(scope, urn, account) in self._earlier

    def exists(self, path: Path) -> bool:
        """Return whether a file exists; the create itself reports a folder that cannot be read."""
        with suppress(OSError), storage_errors():
            return path.exists()
        return False

    def unfinished(self, object_id: str) -> Path:
        """Return the file that marks an object whose update the next run must finish if this process dies."""
        return self.folder / f"{digest(object_id)}.unfinished"

    def others(self, path: Path) -> list[PendingCreate]:
        """Return the other pending creates on this machine in the account of `path`."""
        account = path.stem.rpartition("-")[2]
        records = (self._try_to_read(each) for each in self.files(f"*-{account}.json") if each != path)
        return [record for record in records if record is not None]

    def records(self) -> Iterator[tuple[Path, PendingCreate | ResourceError]]:
        """Yield every record of the folder with its file, of any stack and account, or why it cannot be read."""
        for path in self.files("*.json"):
            try:
                record: PendingCreate | ResourceError | None = self._read(path)
            except ResourceError as error:
                record = error
            if record is not None:
                yield path, record

    def is_busy(self, path: Path) -> bool:
        """Return whether another process works on a record at this moment."""
        if not self.locks.acquire(str(path), 0.0):
            return True
        self.locks.release(str(path))
        return False

    def made_here(self, seconds: float = MADE_SECONDS) -> set[str]:
        """Return the ids of the objects created here in the last seconds, for any stack: each of them has an owner."""
        path, now = self.local / MADE, self._runtime.time()
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, ValueError):
            return set()
        made = [line.split() for line in lines]
        young = [each for each in made if len(each) == 2 and each[0].isdigit() and now - int(each[0]) < MADE_SECONDS]
        if len(lines) > MOST_MADE and len(young) < len(lines) / 2:
            with suppress(OSError):
                path.unlink()
                self._append(*(f"{at} {object_id}\n" for at, object_id in young))
        return {object_id for at, object_id in young if now - int(at) < seconds}

    def remember_made(self, object_id: str) -> None:
        """Record that this machine has created an object; a lost line leads to a refusal at worst."""
        with suppress(OSError):
            self._append(f"{self._runtime.time():.0f} {object_id}\n")

    def _append(self, *lines: str) -> None:
        """Append lines to a file of many processes: the system writes short lines whole."""
        with open(self.local / MADE, "a", encoding="utf-8", opener=for_owner) as file:
            file.write("".join(lines))

    def finish(self, object_id: str, urn: str, stored_urn: str = "") -> None:
        """Record that this object is in state, as this resource if `urn` is known: its create is no longer pending.

        An object that a refusal has named was imported since.

        Args:
            object_id: The object.
            urn: The URN of the resource in the program.
            stored_urn: Its URN in state, which differs if the program gives an alias.
        """
        for path in tuple(self._index().get(object_id, ())):
            if not self.locks.acquire(str(path), 0.0):
                continue  # its create is under way
            record = self._try_to_read(path)
            if record is not None and _is_in_state(record, object_id, (urn, stored_urn)):
                self.remove(path)
            self.locks.release(str(path))

    def is_replaced(self, urn: str, state: WireValues) -> bool:
        """Return whether this is the state of an object that a pending create replaces.

        The engine keeps the state of an object that it has deleted first until its successor is in state, and compares
        it again in the next run (`PendingReplacement` in pkg/resource/deploy/step_generator.go). The successor can have
        the same id, so that the id in such a state does not prove that the successor is in state.
        """
        self._index()
        return bool(self._replaced) and digest_of_state(urn, state) in self._replaced

    def replacing(self, scope: str, urn: str) -> list[tuple[Path, PendingCreate]]:
        """Return the replacements that earlier runs have left of a resource; one of an override makes no object."""
        self._index()
        name = file_name(scope, urn, "").rpartition("-")[0]
        return [
            (path, record)
            for path, record in self._earlier.copy().items()
            if path.name.startswith(f"{name}-") and record.replaces
            if record.started is not None and record.found is None
        ]

    def returned(self, path: Path, object_id: str) -> None:
        """Record that an object was returned to the engine, which may die before it writes state."""
        with self._mutex:
            if self._by_id is not None:
                self._by_id.setdefault(object_id, set()).add(path)
            if not state_is_written_late():
                self._returned.add(path)

    def run_ended(self) -> None:
        """Remove the records of the creates that returned: the run ended in order, so that they are in state."""
        with self._mutex:
            written = tuple(self._returned)
        for path in written:
            self.remove(path)

    def write(self, path: Path, text: str) -> None:
        """Write a file, whole or not at all; warn if that is impossible."""
        try:
            write_whole(path, text)
        except OSError as error:
            self._warn(
                f"Pending creates and updates cannot be written to {self.folder} ({reason(error)}): the next run may "
                "not find an object of an interrupted create, nor repeat an interrupted update.\n"
                f"Set {FOLDER_VARIABLE} to a folder that can be written to."
            )

    def remove(self, path: Path) -> None:
        """Remove a file."""
        with self._mutex:
            self._returned.discard(path)
            self._earlier.pop(path, None)
            for paths in (self._by_id or {}).values():
                paths.discard(path)
        for file in (path, *([path.with_suffix(".new")] if is_here(path) else [])):
            with suppress(OSError), storage_errors():
                file.unlink()

    def _index(self) -> dict[str, set[Path]]:
        """Return the records by their ids: those that were on disk at first, and those of this process."""
        with self._mutex:
            if self._by_id is not None:
                return self._by_id
            self._by_id = {}
            with suppress(ResourceError):
                for path in self.files("*.json"):
                    record = self._try_to_read(path)
                    if record is None:
                        continue
                    self._earlier[path] = record
                    self._replaced |= {record.replaces} - {""}
                    for object_id in filter(None, (record.id, *record.doubtful)):
                        self._by_id.setdefault(object_id, set()).add(path)
            return self._by_id

    def _try_to_read(self, path: Path) -> PendingCreate | None:
        """Return a record, or None if none can be read; the create of that resource reports it."""
        with suppress(ResourceError):
            return self._read(path)
        return None

    def _read(self, path: Path) -> PendingCreate | None:
        try:
            text = read_whole(path, LONGEST_RECORD)
        except OSError as error:
            raise (_unreadable(path, reason(error)) if is_here(path) else self._unusable(error)) from None
        if text is None:
            return None
        try:
            return PendingCreate.model_validate_json(text)
        except ValidationError:
            raise _unreadable(path, "it is not a record of this provider") from None

    def files(self, pattern: str) -> list[Path]:
        """Return the files of the folder that a pattern matches.

        Raises:
            ResourceError: The folder cannot be read.
        """
        try:
            with storage_errors():
                return sorted(self.folder.glob(pattern))
        except OSError as error:
            raise self._unusable(error) from None

    def _unusable(self, error: OSError) -> ResourceError:
        return ResourceError(
            f"the pending creates in {self.folder} cannot be read: {reason(error)}",
            "Check the folder or bucket, and your rights in it, then run again.",
        )


def digest_of_state(urn: str, state: WireValues) -> str:
    """Return a digest of the state of a resource."""
    return digest(f"{urn}\n{json.dumps(state, sort_keys=True, default=str)}")


def _is_in_state(record: PendingCreate, object_id: str, urns: tuple[str, str]) -> bool:
    """Return whether the object that is in state under a URN, or under an unknown one, settles a pending create."""
    if record.urn in urns:
        return object_id in (record.id, *record.doubtful)
    return not urns[0] and object_id == record.id


def _unreadable(path: Path, why: str) -> ResourceError:
    return ResourceError(
        f"the record of an interrupted create, {path}, cannot be read: {why}",
        "Check the server for the object of that create, and import or delete it. Then delete the file and run again.",
    )


@dataclass
class Entry:
    """A pending create that this process works on.

    Attributes:
        path: The file of the record.
        record: What the file contains, once it is written.
        previous: Whether it is from an earlier attempt.
        unique_name: The name that no other create of this process may use meanwhile.
    """

    _store: PendingCreates
    path: Path
    record: PendingCreate
    previous: bool
    unique_name: str = ""

    def write(self) -> None:
        """Write the record to disk."""
        self._store.write(self.path, self.record.model_dump_json())

    def forget(self) -> None:
        """Remove the record: nothing was created, or it no longer exists."""
        self._store.remove(self.path)
        self.previous = False
        self.record = _new_record(self.record.urn, self.record.replaces)
