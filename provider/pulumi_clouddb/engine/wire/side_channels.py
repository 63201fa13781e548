"""What front ends and programs report to `clouddb ci` without the engine.

Secrets: the command masks the secrets of state and configuration in its report. It does not see a value that a program
marks for the first time, so the front ends send it these, over a socket: no secret is written to a disk.

Tile keys: a tile that is not created yet has no id, and in a preview all unknown values look the same. The command
shows which tile an alert watches. The keys must not go to the engine, since inputs must not differ between a preview
and the update of a saved plan. So the classes of this package write them into a file that the command names.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingTCPServer
from typing import Any, Final

from pulumi_clouddb.schema.secrets.redaction import hidden

SECRETS_VARIABLE: Final = "CLOUDDB_TOLD_SECRETS"
"""Where the command listens, and the password for it: `PORT PASSWORD`."""

KEYS_VARIABLE: Final = "CLOUDDB_TAKEN_KEYS"
"""The file for the keys."""

TIMEOUT_SECONDS: Final = 5

TileKeys = Mapping[str, Mapping[str, str]]
"""By URN, the keys of the properties whose values come from a map such as `tileIds`."""


class _SecretsServer(ThreadingTCPServer):
    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _SecretsHandler)
        self.password, self.received = secrets.token_hex(), set[str]()


class _SecretsHandler(StreamRequestHandler):
    timeout = TIMEOUT_SECONDS

    def handle(self) -> None:
        server: Any = self.server
        with suppress(OSError, ValueError):
            password, texts = json.loads(self.rfile.readline())
            if password == server.password:
                server.received.update(texts)
                self.wfile.write(b"\n")


@contextmanager
def receive_secrets() -> Iterator[tuple[dict[str, str], set[str]]]:
    """Return the environment for processes that report secrets during the block, and the set that receives them."""
    with _SecretsServer() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield {SECRETS_VARIABLE: f"{server.server_address[1]} {server.password}"}, server.received
        finally:
            server.shutdown()
            thread.join()


def send_secrets() -> None:
    """Send the secrets of the current operation to the command, if one listens.

    A failure does not fail the operation: the command still searches state and configuration.
    """
    port, _, password = os.environ.get(SECRETS_VARIABLE, "").partition(" ")
    if password and (texts := sorted(hidden())):
        with (
            suppress(OSError, ValueError),
            socket.create_connection(("127.0.0.1", int(port)), TIMEOUT_SECONDS) as connection,
        ):
            connection.sendall(json.dumps([password, texts]).encode() + b"\n")
            connection.recv(1)  # confirms that they were received


def write_tile_keys(urn: str, keys: Mapping[str, str]) -> None:
    """Append the keys of a resource's properties to the file, if the command wants them.

    A file that cannot be written does not fail the program.
    """
    file = os.environ.get(KEYS_VARIABLE)
    if file and keys:
        with suppress(OSError), Path(file).open("a", encoding="utf-8") as lines:
            lines.write(json.dumps([urn, keys]) + "\n")


def read_tile_keys(file: Path) -> TileKeys:
    """Return the keys that a program has written; none if it has no such properties, or is in another language."""
    if not file.exists():
        return {}
    return dict(json.loads(line) for line in file.read_text(encoding="utf-8").splitlines())
