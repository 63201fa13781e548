"""Locks that all processes of this machine share. The operating system releases a dead process's locks."""

from __future__ import annotations

import functools
import hashlib
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pulumi_clouddb.client.runtime import Runtime

POLL_SECONDS = 0.05
"""Seconds between two attempts to acquire a lock."""

SPAN = 2**31
"""Bytes of the lock file that can be locked, one for each name. The file stays empty."""


class MachineLocks:
    """Locks by name: between the threads of this process, and with all processes that use the same folder.

    Each name stands for one byte of one file, which the operating system locks (POSIX record locks, Windows byte
    locks). So no file per name is left behind.

    Args:
        folder: The folder of the lock file.
        runtime: Its clocks and waits.
    """

    def __init__(self, folder: Path, runtime: Runtime) -> None:
        self._file = _lock_file(folder.absolute() / ".locks")
        self._runtime = runtime

    @contextmanager
    def hold(self, name: str) -> Iterator[None]:
        """Hold the lock `name` during the block; wait for it without limit."""
        self.acquire(name, None)
        try:
            yield
        finally:
            self.release(name)

    def acquire(self, name: str, seconds: float | None) -> bool:
        """Acquire the lock `name`; return False if it is held for longer than `seconds`."""
        started = self._runtime.monotonic()
        while not self._file.lock(_offset(name)):
            if seconds is not None and self._runtime.monotonic() - started >= seconds:
                return False
            self._runtime.sleep(POLL_SECONDS)
        return True

    def release(self, name: str) -> None:
        """Release the lock `name`."""
        self._file.unlock(_offset(name))


class _LockFile:
    """The lock file of this process: opened once, since closing it would release all its locks (POSIX)."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._mutex = threading.Lock()
        self._held: set[int] = set()
        self._file: int | None = None

    def lock(self, offset: int) -> bool:
        """Lock a byte, or return False if another thread or process has locked it."""
        with self._mutex:
            if offset in self._held:
                return False
            with suppress(OSError):  # a file system without locks: only threads of this process wait for each other
                if self._file is None:
                    self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                    self._file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
                try:
                    _lock(self._file, offset)
                except (BlockingIOError, PermissionError):  # EAGAIN or EACCES: another process has locked the byte
                    return False
            self._held.add(offset)
            return True

    def unlock(self, offset: int) -> None:
        """Unlock a byte."""
        with self._mutex:
            self._held.discard(offset)
            if self._file is not None:
                with suppress(OSError):
                    _unlock(self._file, offset)


_lock_file = functools.cache(_LockFile)


def _offset(name: str) -> int:
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big") % SPAN


if sys.platform == "win32":
    import msvcrt

    def _lock(file: int, offset: int) -> None:
        os.lseek(file, offset, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)

    def _unlock(file: int, offset: int) -> None:
        os.lseek(file, offset, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _lock(file: int, offset: int) -> None:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, offset)

    def _unlock(file: int, offset: int) -> None:
        fcntl.lockf(file, fcntl.LOCK_UN, 1, offset)
