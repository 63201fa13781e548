"""The process that `Sandbox(own_process=True)` starts: serves on the socket and with the settings it is handed."""

from __future__ import annotations

import json
import socket
import sys
import threading

from .server import make_server, settings_from


def main(descriptor: str, settings: str) -> None:
    """Serve until terminated, or until the process that started this one is gone.

    Args:
        descriptor: File descriptor of the listening socket.
        settings: Fields of `Settings` as JSON.
    """
    server, close = make_server(settings_from(json.loads(settings)))

    def leave_with_parent() -> None:
        # The other end of the pipe closes even when the parent is killed.
        sys.stdin.read()
        server.should_exit = True

    threading.Thread(target=leave_with_parent, daemon=True).start()
    server.run([socket.socket(fileno=int(descriptor))])
    close()


if __name__ == "__main__":
    main(*sys.argv[1:])
