"""Watch whether the engine still runs.

Like Go plugins, this watches the address of the engine. The parent process is not reliable: that of the dynamic host is
a shell which outlives the engine.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress

GONE = "Pulumi's engine has ended"
"""The reason for the end of this process."""

LOOK_SECONDS = 1.0
"""The time between two checks."""

ATTEMPTS, ATTEMPT_SECONDS = 3, 0.2
"""The engine has ended if this many new connections in a row are refused.

A lost connection does not prove it: servers close idle connections. A timeout only shows that the machine is busy.
"""


class EngineWatch:
    """Keeps a connection to the engine open, in a thread, and reports when the engine has ended.

    An address that has never accepted a connection is not watched: a test or a debugger has started this process.

    Args:
        address: Returns the engine's address, `host:port`; empty while it is unknown.
        gone: Called once, when the engine has ended.
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
            with suppress(ConnectionRefusedError):  # not the address of an engine
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
        """Return a connection, or None if there is no address yet, or the machine is too busy.

        Raises:
            ConnectionRefusedError: No process listens at the address.
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
        time.sleep(LOOK_SECONDS)  # ignore data
    except TimeoutError:
        return True
    except OSError:
        return False
    return True
