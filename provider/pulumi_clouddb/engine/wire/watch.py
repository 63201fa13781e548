"""Watching the engine: whether the process that started this one still lives.

Go plugins watch the address that the engine hands to what it starts, and end with it. A parent process tells less: that
of the dynamic host is a shell which outlives the engine.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress

GONE = "Pulumi's engine has gone"
"""Why a process ends that has watched it."""

LOOK_SECONDS = 1.0
"""Between two signs of life."""

ATTEMPTS, ATTEMPT_SECONDS = 3, 0.2
"""A connection that ends is not the end of the engine: servers drop those that say nothing for minutes.

So often in a row a new one must be refused. One that only takes too long says that the machine is busy.
"""


class EngineWatch:
    """Holds a connection to the engine open, in a thread of its own, and tells when nobody answers there any more.

    An address where nobody has ever answered is not watched: a test, or a person with a debugger, has started this.

    Args:
        address: Gives the engine's address, `host:port`; empty as long as it is not known.
        gone: Is called once, when the engine has gone.
    """

    def __init__(self, address: Callable[[], str], *, gone: Callable[[], None]) -> None:
        self._address = address
        self._gone = gone

    def start(self) -> None:
        """Start to watch."""
        threading.Thread(target=self._watch, name="clouddb-engine-watch", daemon=True).start()

    def _watch(self) -> None:
        connection = None
        while connection is None:
            with suppress(ConnectionRefusedError):  # nobody has ever answered there
                connection = self._connect()
            if connection is None:
                time.sleep(LOOK_SECONDS)
        refused = 0
        while refused < ATTEMPTS:
            if connection is not None and _open(connection):
                continue
            if connection is not None:
                connection.close()
            time.sleep(ATTEMPT_SECONDS)
            try:
                connection = self._connect()
                refused = 0
            except ConnectionRefusedError:
                connection = None
                refused += 1
        self._gone()

    def _connect(self) -> socket.socket | None:
        """Return a connection, or None where nothing is known: no address yet, or a machine too busy to answer.

        Raises:
            ConnectionRefusedError: Nobody listens there.
        """
        host, _, port = self._address().rpartition(":")
        if not port:
            return None
        try:
            return socket.create_connection((host, int(port)), timeout=LOOK_SECONDS)
        except ConnectionRefusedError:
            raise
        except OSError:
            return None


def _open(connection: socket.socket) -> bool:
    """Wait for a second; return whether the connection is still open."""
    try:
        if not connection.recv(4096):
            return False
        time.sleep(LOOK_SECONDS)  # a greeting; it is not for us
    except TimeoutError:
        return True
    except OSError:
        return False
    return True
