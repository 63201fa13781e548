"""A process that serves the engine ends when it is asked to, whatever it is doing."""

from __future__ import annotations

import subprocess
import sys

ASKED_WHILE_IT_BEGINS_TO_WAIT = """
import os, signal, sys, threading
from pulumi_clouddb.engine.wire.server import serve

for place in range(12):
    server, ended = serve(lambda _: None, 1)
    events = iter(range(place, -1, -1))

    def ask(*_):
        if next(events, None) == 0:
            signal.raise_signal(signal.SIGTERM)

    later = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGTERM))  # where the wait has fewer steps than that
    later.start()
    sys.setprofile(ask)
    ended.get()
    sys.setprofile(None)
    later.join()
    server.stop(None).wait()
"""


def test_it_ends_where_the_signal_meets_the_beginning_of_its_wait() -> None:
    """The handler runs within whatever the main thread does, at each of the first steps of its wait."""
    command = [sys.executable, "-c", ASKED_WHILE_IT_BEGINS_TO_WAIT]
    subprocess.run(command, timeout=60, check=True, capture_output=True)
