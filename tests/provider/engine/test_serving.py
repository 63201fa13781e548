"""A process that serves the engine ends when it is asked to, whatever it is doing."""

from __future__ import annotations

import subprocess
import sys

ASKED_WHILE_IT_BEGINS_TO_WAIT = """
import os, signal, sys, threading
from pulumi_clouddb.engine.wire.server import serve

for place in range(12):
    server, ending = serve(lambda _: None, 1)
    events = iter(range(place, -1, -1))

    def ask(*_):
        if next(events, None) == 0:
            signal.raise_signal(signal.SIGTERM)

    later = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGTERM))  # where the wait has fewer steps than that
    later.start()
    sys.setprofile(ask)
    ending.wait()
    sys.setprofile(None)
    later.join()
    server.stop(None).wait()
"""

ASKED_THROUGH_ANOTHER_THREAD = """
import signal, threading, time
from pulumi_clouddb.engine.wire.server import serve

def ask():
    time.sleep(0.3)
    signal.pthread_kill(threading.get_ident(), signal.SIGTERM)

server, ending = serve(lambda _: None, 1)
other = threading.Thread(target=ask)
other.start()
ending.wait()
other.join()
server.stop(None).wait()
"""


def test_it_ends_where_another_thread_gets_the_signal() -> None:
    """The kernel may hand it to any thread. Python runs the handler in the main thread, which it does not wake."""
    command = [sys.executable, "-c", ASKED_THROUGH_ANOTHER_THREAD]
    subprocess.run(command, timeout=60, check=True, capture_output=True)


def test_it_ends_where_the_signal_meets_the_beginning_of_its_wait() -> None:
    """The handler runs within whatever the main thread does, at each of the first steps of its wait."""
    command = [sys.executable, "-c", ASKED_WHILE_IT_BEGINS_TO_WAIT]
    subprocess.run(command, timeout=60, check=True, capture_output=True)


LEAVES = """
import atexit, sys
from pulumi_clouddb.engine.wire.server import leave

class Kept:
    def __del__(self):
        print("taken down")

kept = Kept()
atexit.register(lambda: print("registered"))
print("written", end=" ")
leave()
print("later")
"""


def test_it_leaves_without_taking_itself_down() -> None:
    """That takes seconds on a busy machine, in which the engine waits; what was printed and registered is not lost."""
    done = subprocess.run([sys.executable, "-c", LEAVES], timeout=60, check=True, capture_output=True, text=True)
    assert done.stdout == "written registered\n"
