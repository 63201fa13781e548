"""Pending creates: creates that were begun, and that Pulumi's state is not known to hold.

A create is written down before its request goes out, and forgotten when a later call or the end of the run shows that
state holds the object; that it was handed to Pulumi proves nothing, since the engine may die before it writes state.
Until then the record lets the next `up` find what an interrupted run has made. Records hold names, ids and digests,
never a secret.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.client.runtime import Runtime
from pulumi_clouddb.schema.values import WireDict

from .locks import MachineLocks
from .pending_files import FOLDER_VARIABLE, default_folder, file_name, state_is_written_late

LONGEST_RECORD = 16 * 1024 * 1024
"""Bytes; a larger file is no record."""

MADE = ".made"
MADE_SECONDS = 86_400.0
"""For so long an object that this machine has made is nobody's lost one."""
MOST_MADE = 10_000
"""Lines from which on the older half goes."""


class PendingCreate(BaseModel):
    """One pending create, as it stands on disk.

    Attributes:
        urn: The resource that is created; the stack's name is part of it.
        what: The object in words, such as `service 'orders'`.
        place: Digest of its collection and name: it alone distinguishes creates of different places.
        nonce: Random text that only this create knows: it marks what it makes.
        known: Ids that were listed before the request.
        digests: What was sent, by property, as digests.
        sent_at: When the request was sent, by the server's clock, in seconds since 1970; None where that is not known.
        started: The same by this machine's clock; None before the request.
        response_lost: Whether the request was sent, and its response lost; False while that is not known.
        looked_at: When, by the server's clock, the object was looked for in vain, often enough to believe it.
        id: Id of the new object, once the server has said it.
        found: What an override found before it changed it.
        earlier: What earlier attempts of an override sent, as digests: any of them may have been the last to arrive.
    """

    model_config = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)

    urn: str
    what: str = ""
    place: str = ""
    nonce: str
    known: list[str] = []
    digests: dict[str, str] = {}
    sent_at: float | None = None
    started: float | None = None
    response_lost: bool = False
    looked_at: float | None = None
    id: str | None = None
    found: WireDict | None = None
    earlier: list[dict[str, str]] = []

    def digest(self, name: str, meaning: str) -> str:
        """Return the digest of one property, given its meaning in canonical form."""
        return hashlib.sha256(f"{self.nonce}\0{name}\0{meaning}".encode()).hexdigest()[:16]


class PendingCreates:
    """The pending creates of this machine, a small file each.

    Args:
        folder: Where they are kept; by default `CLOUDDB_JOURNAL`, else `clouddb/pending-creates` in Pulumi's home.
        runtime: Clocks and waits of this process.
        warn: Shows a warning to the person at the terminal.
    """

    def __init__(self, folder: Path | None, runtime: Runtime, warn: Callable[[str], None]) -> None:
        self.folder = folder or default_folder()
        self.locks = MachineLocks(self.folder, runtime)
        self._runtime = runtime
        self._warn = warn
        self._mutex = threading.Lock()
        self._by_id: dict[str, set[Path]] | None = None
        self._returned: set[Path] = set()

    def open(self, scope: str, urn: str, account: str, busy_seconds: float) -> Entry:
        """Return the pending create of a resource, locked: the one an earlier process left, or a new one, not written.

        Args:
            scope: Where its stack lies.
            urn: The resource that is created.
            account: Whose objects are created.
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
            previous = self._read(path)
        except BaseException:
            self.locks.release(str(path))
            raise
        return Entry(self, path, previous or PendingCreate(urn=urn, nonce=secrets.token_hex(16)), previous is not None)

    def has(self, scope: str, urn: str, account: str) -> bool:
        """Tell whether a create of this resource is pending."""
        return (self.folder / file_name(scope, urn, account)).exists()

    def others(self, path: Path) -> list[PendingCreate]:
        """Return all pending creates on this machine in the account of `path`, but that of `path` itself."""
        account = path.stem.rpartition("-")[2]
        records = (self._try_to_read(each) for each in self.folder.glob(f"*-{account}.json") if each != path)
        return [record for record in records if record is not None]

    def stored(self) -> Iterator[tuple[Path, PendingCreate | ResourceError]]:
        """Yield every record of the folder with its file, of any stack and account, or why it cannot be read."""
        for path in sorted(self.folder.glob("*.json")):
            try:
                record = self._read(path)
            except ResourceError as error:
                yield path, error
                continue
            if record is not None:
                yield path, record

    def is_busy(self, path: Path) -> bool:
        """Tell whether another process works on a record at this moment."""
        if not self.locks.acquire(str(path), 0.0):
            return True
        self.locks.release(str(path))
        return False

    def made_here(self) -> set[str]:
        """Return the ids of what this machine has made in the last day, for any stack: each of them has an owner."""
        path, now = self.folder / MADE, self._runtime.time()
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
        return {object_id for _, object_id in young}

    def remember_made(self, object_id: str) -> None:
        """Take note that this machine has made an object; losing that line costs nothing but a refusal."""
        with suppress(OSError):
            self._append(f"{self._runtime.time():.0f} {object_id}\n")

    def _append(self, *lines: str) -> None:
        """Append lines that many processes append to: a short write at the end of a file is not torn apart."""
        with (self.folder / MADE).open("a", encoding="utf-8") as file:
            file.write("".join(lines))

    def holds(self, object_id: str, urn: str, stored_urn: str = "") -> None:
        """Take note that state holds this object, as this resource if `urn` is known: its create is not pending.

        Args:
            object_id: The object.
            urn: The resource, as the program has it.
            stored_urn: The same, as state has it: under another name, if the program gives an alias.
        """
        for path in tuple(self._index().get(object_id, ())):
            if self.locks.acquire(str(path), 0.0):  # else it is being made at this moment
                self._forget(path, object_id, (urn, stored_urn) if urn else ())
                self.locks.release(str(path))

    def returned(self, path: Path, object_id: str) -> None:
        """Take note that an object was handed to the engine, which may or may not live to write it into state."""
        with self._mutex:
            if self._by_id is not None:
                self._by_id.setdefault(object_id, set()).add(path)
            if not state_is_written_late():
                self._returned.add(path)

    def run_ended(self) -> None:
        """Forget the creates that returned: the run has ended in order, so that the engine has written them."""
        with self._mutex:
            written = tuple(self._returned)
        for path in written:
            self.remove(path)

    def write(self, path: Path, record: PendingCreate) -> bool:
        """Put a record on disk, all or nothing; return False, after a warning, where that cannot be done."""
        new = path.with_suffix(".new")
        try:
            try:
                _store(new, record.model_dump_json())
            except FileNotFoundError:
                self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
                _store(new, record.model_dump_json())
            os.replace(new, path)
        except OSError as error:
            self._warn(
                f"Pending creates cannot be written to {self.folder} ({error.strerror}): what a run that is "
                f"interrupted leaves behind may not be found again.\nSet {FOLDER_VARIABLE} to a folder that can be "
                "written to."
            )
            return False
        return True

    def remove(self, path: Path) -> None:
        """Remove a record."""
        with self._mutex:
            self._returned.discard(path)
            for paths in (self._by_id or {}).values():
                paths.discard(path)
        for file in (path, path.with_suffix(".new")):
            with suppress(OSError):
                file.unlink()

    def _forget(self, path: Path, object_id: str, urns: tuple[str, ...]) -> None:
        """Remove a record, unless it is about another object, or about another resource than any of `urns`."""
        record = self._try_to_read(path)
        if record is not None and record.id == object_id and (not urns or record.urn in urns):
            self.remove(path)

    def _index(self) -> dict[str, set[Path]]:
        """Return the records by the ids in them: those that lay here at first, and those of this process."""
        with self._mutex:
            if self._by_id is not None:
                return self._by_id
            self._by_id = {}
            for path in self.folder.glob("*.json"):
                record = self._try_to_read(path)
                if record is not None and record.id:
                    self._by_id.setdefault(record.id, set()).add(path)
            return self._by_id

    def _try_to_read(self, path: Path) -> PendingCreate | None:
        """Return a record, or None where there is none that can be read; its own create will say so."""
        with suppress(ResourceError):
            return self._read(path)
        return None

    def _read(self, path: Path) -> PendingCreate | None:
        try:
            with path.open("rb") as file:
                return PendingCreate.model_validate_json(file.read(LONGEST_RECORD))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValidationError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is no record of this provider"
            raise ResourceError(
                f"the record of a create that was interrupted, {path}, cannot be read: {reason}",
                "Look on the server for what that create may have made, and import or delete it. "
                "Then delete the file and run again.",
            ) from None


class Entry:
    """One pending create that this process works on; use it as a context manager, which unlocks it.

    Attributes:
        path: The file of the record.
        record: What stands there, or will.
        previous: Whether an earlier attempt left it.
        making: The name that nobody else in this process may create while this goes on.
    """

    def __init__(self, store: PendingCreates, path: Path, record: PendingCreate, previous: bool) -> None:
        self._store = store
        self.path = path
        self.record = record
        self.previous = previous
        self.making: str | None = None
        self._kept = previous

    def __enter__(self) -> Entry:
        """Return the entry."""
        return self

    def __exit__(self, *_: object) -> None:
        """Unlock the entry; its record stays until it is forgotten."""
        self._store.locks.release(str(self.path))

    def write(self) -> None:
        """Put the record on disk."""
        self._kept = self._store.write(self.path, self.record)

    def forget(self) -> None:
        """Remove the record: nothing was made, or what was made is gone."""
        self._store.remove(self.path)
        self.previous, self._kept = False, False
        self.record = PendingCreate(urn=self.record.urn, nonce=secrets.token_hex(16))

    def returned(self, object_id: str) -> None:
        """Take note that the object goes to the engine."""
        if self._kept:
            self._store.returned(self.path, object_id)


def _store(file: Path, text: str) -> None:
    """Write a file that its owner only can read, down to the disk."""
    with open(file, "w", encoding="utf-8", opener=lambda path, flags: os.open(path, flags, 0o600)) as opened:
        opened.write(text)
        opened.flush()
        os.fsync(opened.fileno())
