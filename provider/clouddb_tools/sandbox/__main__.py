"""The process that `Sandbox(own_process=True)` starts; it inherits the socket and receives the settings."""

from __future__ import annotations

import json
import socket
import sys
import threading

from .server import make_server, settings_from


def main(descriptor: str, settings: str) -> None:
    """Serve until terminated, or until the parent process ends.

    Args:
        descriptor: File descriptor of the listening socket.
        settings: Fields of `Settings` as JSON.
    """
    server, close = make_server(settings_from(json.loads(settings)))

    def stop_with_parent() -> None:
        # The pipe closes even when the parent is killed.
        sys.stdin.read()
        server.should_exit = True

    threading.Thread(target=stop_with_parent, daemon=True).start()
    server.run([socket.socket(fileno=int(descriptor))])
    close()


if __name__ == "__main__":
    main(*sys.argv[1:])
