"""Turns: the right to send one request within the limit of a key, which all processes of a machine take from one file.

The processes share five tables. Each change is one short transaction, which ends with its process, and a row that
nobody renews is void within seconds, so that no process waits for a dead one.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import weakref
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

ResultT = TypeVar("ResultT")
Execute = Callable[[str, tuple[Any, ...]], sqlite3.Cursor]

FILE = ".turns"

BUSY_SECONDS = 5.0
"""Seconds to wait for the transactions of other processes, which take less than a millisecond each."""

SHORTEST_SECONDS, ANSWER_SECONDS, LOOK_SECONDS = 0.05, 0.2, 1.0
"""Seconds between two attempts of a waiter: the minimum, while another process requests its list, the maximum."""

LATE_SECONDS = 2.0
"""A waiter that is overdue by this many seconds counts as dead or stopped; others overtake it."""

FLIGHT_SECONDS = 5.0
"""Maximum wait for a result that another process requests: that process may be dead."""

ANSWER_KEPT_SECONDS = 30.0
LONGEST_CLOSED_SECONDS = 3630.0
"""Rows that are older, or from the future, are void: the file is broken, or the clock was reset."""

SMALLEST_SHARE, RECOVERY_SECONDS = 0.25, 60.0
"""The minimum of turns in a window, and the seconds after which there is one more; see `Turns.close`."""

SLIP_SECONDS = 1.0
"""A limit that is lifted within this time was reached by this machine: the server's window ends later than ours."""

_NO_ROW_YET = 2**62

_TABLES = """
CREATE TABLE IF NOT EXISTS turns
    (number INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT, at REAL, served INTEGER DEFAULT 0);
CREATE TABLE IF NOT EXISTS waiting
    (number INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT, due REAL, list TEXT, until REAL);
CREATE TABLE IF NOT EXISTS lists (list TEXT PRIMARY KEY, turn INTEGER, at REAL, answer TEXT);
CREATE TABLE IF NOT EXISTS closed (key TEXT PRIMARY KEY, at REAL, until REAL, share REAL);
CREATE TABLE IF NOT EXISTS refused (key TEXT PRIMARY KEY, at REAL, until REAL);
"""


@dataclass
class Waiter:
    """A request that waits for its turn.

    Attributes:
        due: When it began to wait, later for a poll: the earliest goes first.
        list: Digest of the list that it requests, if processes share its result.
        spacing: The minimum of seconds between two turns of this list.
        max_age: How old a shared result may be, in seconds; with 0 it was requested after this request began to wait.
        written: The last turn when this process last wrote something.
        after: Only results of later turns than this one are new enough; follows from the two.
        row: The number of its row.
    """

    due: float
    list: str | None = None
    spacing: float = 0.0
    max_age: float = 0.0
    written: int = 0
    after: int | None = None
    row: int | None = None


@dataclass(frozen=True)
class Wait:
    """The wait is not over.

    Attributes:
        seconds: Seconds until the next check.
        closed: Whether the server has reported that its limit is reached.
        refused: Whether it has refused a request for that reason.
    """

    seconds: float
    closed: bool = False
    refused: bool = False


@dataclass(frozen=True)
class Turn:
    """The wait is over.

    Attributes:
        number: The number of the turn; numbers of this machine increase.
        at: When it was taken.
        list: Digest of the list to request, if processes share its result.
        answer: The result that another process has received for the same list, if nothing has to be sent.
    """

    number: int
    at: float
    list: str | None = None
    answer: str | None = None


class Turns:
    """The turns of one key.

    Args:
        key: Digest of the server's address and the credentials.
        requests: Turns in one window.
        seconds: Seconds of the window.
        clock: A clock that all processes share and nobody sets. It is read within transactions: they are in its order.
        folder: The folder of the file that the processes share; None for a process by itself.
    """

    def __init__(
        self, key: str, requests: int, seconds: float, clock: Callable[[], float], folder: Path | None
    ) -> None:
        self._key = key
        self._requests = requests
        self._seconds = seconds
        self._clock = clock
        self._file = None if folder is None else folder / FILE
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    def look(self, waiter: Waiter) -> Turn | Wait:
        """Take a turn, or the result of another process, if it is this waiter's time."""

        def take(execute: Execute) -> Turn | Wait:
            now = self._clock()
            self._remove_void(execute, now)
            if waiter.after is None:
                young = "SELECT min(number) FROM turns WHERE at > ?"
                (first,) = execute(young, (now - waiter.max_age,)).fetchone()
                waiter.after = _last(execute) if first is None else max(first - 1, waiter.written)
            found = self._shared(execute, waiter, now)
            if found is None and (found := self._wait(execute, waiter, now)):
                self._enqueue(execute, waiter, now + found.seconds + LATE_SECONDS)
                return found
            self._leave(execute, waiter)
            if found is not None:
                return found
            execute("INSERT INTO turns (key, at) VALUES (?, ?)", (self._key, now))
            turn = Turn(_last(execute), now, waiter.list)
            if turn.list is not None:
                execute("INSERT OR REPLACE INTO lists VALUES (?, ?, ?, NULL)", (turn.list, turn.number, now))
            return turn

        return self._transaction(take)

    def last(self) -> int:
        """Return the number of the last turn that any process has taken."""
        return self._transaction(_last)

    def leave(self, waiter: Waiter) -> None:
        """Record that a request was abandoned before its turn."""
        self._transaction(lambda execute: self._leave(execute, waiter))

    def answered(self, turn: Turn, answer: str | None, *, served: bool = True) -> None:
        """Record that a request has ended, and whether it was within the server's limit.

        The result of a list is stored for the processes that wait for it; with None, another one requests it.
        """
        row = (turn.list, turn.number)

        def store(execute: Execute) -> None:
            execute("UPDATE turns SET served = ? WHERE number = ?", (served, turn.number))
            if turn.list is not None and answer is None:
                execute("DELETE FROM lists WHERE list = ? AND turn = ?", row)
            elif turn.list is not None:
                execute("UPDATE lists SET answer = ? WHERE list = ? AND turn = ?", (answer, *row))

        self._transaction(store)

    def close(self, seconds: float, *, refused: bool = True) -> None:
        """Grant no turns for some seconds, because the server's limit is reached.

        A limit that is lifted within `SLIP_SECONDS` does not show other users: requests do not arrive as far apart as
        they were sent, and the first one of a window may be counted in the window before. Otherwise others use the key,
        and this machine takes a share of a window: as many turns as were not refused this time, and one more after each
        `RECOVERY_SECONDS`; if its only one is refused, one in two windows.
        """

        def close(execute: Execute) -> None:
            now = self._clock()
            until, share = self._closed(execute, now)
            first = until <= now  # of those that were sent together
            slipped = refused and seconds <= SLIP_SECONDS
            if share > 1 and not slipped:
                served = len(self._taken(execute, now - self._seconds)) if first else share
                share = max(min(share, served) - refused, 1.0)
            elif first and refused and not slipped:
                share = max(share / 2, SMALLEST_SHARE)
            until = max(until, now + seconds)
            execute("INSERT OR REPLACE INTO closed VALUES (?, ?, ?, ?)", (self._key, now, until, share))
            if refused:
                execute("INSERT OR REPLACE INTO refused VALUES (?, ?, ?)", (self._key, now, until))

        self._transaction(close)

    # -- within a transaction --------------------------------------------------------------------------------------

    def _shared(self, execute: Execute, waiter: Waiter, now: float) -> Turn | Wait | None:
        """Return the result of another process, or a wait for it, or None if this waiter has to request the list."""
        found = execute("SELECT turn, at, answer FROM lists WHERE list = ?", (waiter.list,)).fetchone()
        if found is None:
            return None
        turn, at, answer = found
        if turn > waiter.after and answer is not None:
            return Turn(turn, at, waiter.list, answer)
        if turn > waiter.after and now - at < FLIGHT_SECONDS:
            return Wait(ANSWER_SECONDS)
        spaced = at + waiter.spacing - now
        return Wait(min(spaced, LOOK_SECONDS)) if spaced > 0 else None

    def _wait(self, execute: Execute, waiter: Waiter, now: float) -> Wait | None:
        """Return the wait until the turn of this waiter, or None if it is its turn."""
        until, share = self._closed(execute, now)
        if until > now:
            refused = "SELECT 1 FROM refused WHERE key = ? AND at <= ? AND until > ?"
            return Wait(until - now, closed=True, refused=bool(execute(refused, (self._key, now, now)).fetchone()))
        mine = (self._key, waiter.due, waiter.row or _NO_ROW_YET)
        found = execute("SELECT DISTINCT list, number FROM waiting WHERE key = ? AND (due, number) < (?, ?)", mine)
        ahead = {number if each is None else each for each, number in found}  # those of one list need one turn
        window = self._seconds / min(share, 1.0)
        taken = self._taken(execute, now - window)
        missing = len(taken) + len(ahead) + 1 - max(int(share), 1)
        if missing <= 0 and waiter.list not in ahead:
            return Wait(SHORTEST_SECONDS) if self._begins(execute, now) else None
        free_at = taken[min(missing, len(taken)) - 1] + window if taken and missing > 0 else now
        return Wait(min(max(free_at - now, SHORTEST_SECONDS), LOOK_SECONDS))

    def _begins(self, execute: Execute, now: float) -> bool:
        """Return whether half as many requests are under way as were served in this window.

        Machines that start at the same moment do not know of each other: each sends one request, then half as many at a
        time as were served, so that most have only one under way when the server first refuses one.
        """
        window = "SELECT coalesce(sum(served), 0), coalesce(sum(NOT served AND at > ?), 0) FROM turns "
        row = (now - FLIGHT_SECONDS, self._key, now - self._seconds)
        served, under_way = execute(window + "WHERE key = ? AND at > ?", row).fetchone()
        return bool(under_way >= max(served // 2, 1))

    def _closed(self, execute: Execute, now: float) -> tuple[float, float]:
        """Return until when no turn is granted, and this machine's share of the turns of a window."""
        found = execute("SELECT at, until, share FROM closed WHERE key = ?", (self._key,)).fetchone()
        if found is None or not found[0] <= now or not found[1] <= found[0] + LONGEST_CLOSED_SECONDS:
            return now, self._requests
        _, until, share = found
        return until, min(share + max(0.0, now - until) / RECOVERY_SECONDS, self._requests)

    def _taken(self, execute: Execute, since: float) -> list[float]:
        """Return the times of the turns since then, in order."""
        found = execute("SELECT at FROM turns WHERE key = ? AND at > ? ORDER BY at", (self._key, since))
        return [at for (at,) in found]

    def _remove_void(self, execute: Execute, now: float) -> None:
        windows, longest = self._seconds / SMALLEST_SHARE, LONGEST_CLOSED_SECONDS + LATE_SECONDS
        execute("DELETE FROM turns WHERE at > ? OR at <= ? AND key = ?", (now, now - windows, self._key))
        execute("DELETE FROM waiting WHERE until NOT BETWEEN ? AND ?", (now, now + longest))
        execute("DELETE FROM lists WHERE at NOT BETWEEN ? AND ?", (now - ANSWER_KEPT_SECONDS, now))

    def _enqueue(self, execute: Execute, waiter: Waiter, until: float) -> None:
        row = (waiter.row, self._key, waiter.due, waiter.list, until)
        waiter.row = execute("INSERT OR REPLACE INTO waiting VALUES (?, ?, ?, ?, ?)", row).lastrowid

    def _leave(self, execute: Execute, waiter: Waiter) -> None:
        execute("DELETE FROM waiting WHERE number = ?", (waiter.row,))
        waiter.row = None

    # -- the file --------------------------------------------------------------------------------------------------

    def _transaction(self, change: Callable[[Execute], ResultT]) -> ResultT:
        """Carry out a change as a whole or not at all, one process at a time, and return its result.

        A broken file is replaced. If no file can be used, this process continues by itself.
        """
        with self._lock:
            try:
                return self._changed(change)
            except (sqlite3.Error, TypeError, ValueError) as error:
                # An OperationalError: it cannot be opened or written, or a process has stopped in its transaction.
                self._begin_anew(None if isinstance(error, sqlite3.OperationalError) else self._file)
            try:
                return self._changed(change)
            except sqlite3.Error:
                self._begin_anew(None)
            return self._changed(change)

    def _changed(self, change: Callable[[Execute], ResultT]) -> ResultT:
        connection = self._connection = self._connection or self._connect()
        with connection:
            connection.execute("BEGIN IMMEDIATE")
            return change(connection.execute)

    def _connect(self) -> sqlite3.Connection:
        if self._file is not None:
            with suppress(OSError):  # then it cannot be opened either
                self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                os.close(os.open(self._file, os.O_RDWR | os.O_CREAT, 0o600))
        connection = sqlite3.connect(
            self._file or ":memory:", timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        weakref.finalize(self, connection.close)
        connection.execute("PRAGMA synchronous = OFF")  # after a power cut there is nothing to be kept
        connection.executescript(_TABLES)
        return connection

    def _begin_anew(self, file: Path | None) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None
        self._file = file
        if file is not None:
            with suppress(OSError):
                file.unlink()


def _last(execute: Execute) -> int:
    found = execute("SELECT seq FROM sqlite_sequence WHERE name = 'turns'", ()).fetchone()
    return int(found[0]) if found else 0
