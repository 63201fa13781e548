"""What a program marks as secret, told past the engine to the command that masks it in its report.

`clouddb ci` reads state and configuration, and so knows the secrets in them. What a program marks for the first time is
in neither: the front ends see it, and tell it to the command while it listens. Nothing of it is written to a disk.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from socketserver import StreamRequestHandler, ThreadingTCPServer
from typing import Any, Final

from pulumi_clouddb.schema.operation_secrets import hidden

VARIABLE: Final = "CLOUDDB_TOLD_SECRETS"
"""Where the command listens, and the word that it takes secrets with: `PORT WORD`."""

SECONDS = 5
"""A command that takes longer is not waited for."""


class _Listener(ThreadingTCPServer):
    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Telling)
        self.word, self.told = secrets.token_hex(), set[str]()


class _Telling(StreamRequestHandler):
    timeout = SECONDS

    def handle(self) -> None:
        listener: Any = self.server
        with suppress(OSError, ValueError):
            word, texts = json.loads(self.rfile.readline())
            if word == listener.word:
                listener.told.update(texts)
                self.wfile.write(b"\n")


@contextmanager
def listening() -> Iterator[tuple[dict[str, str], set[str]]]:
    """Listen during the block; return the environment of those who tell, and the set of what they have told."""
    with _Listener() as listener:
        thread = threading.Thread(target=listener.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield {VARIABLE: f"{listener.server_address[1]} {listener.word}"}, listener.told
        finally:
            listener.shutdown()
            thread.join()


def tell() -> None:
    """Tell what is secret in the operation under way, if somebody listens.

    If that fails, state and configuration are still searched; it is no reason for the operation to fail.
    """
    port, _, word = os.environ.get(VARIABLE, "").partition(" ")
    if word and (texts := sorted(hidden())):
        with suppress(OSError, ValueError), socket.create_connection(("127.0.0.1", int(port)), SECONDS) as connection:
            connection.sendall(json.dumps([word, texts]).encode() + b"\n")
            connection.recv(1)  # once they are taken
