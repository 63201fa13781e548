"""A process that serves the engine ends on SIGTERM, whatever it is doing."""

from __future__ import annotations

import subprocess
import sys

SIGNAL_AT_THE_START_OF_A_WAIT = """
import os, signal, sys, threading
from pulumi_clouddb.engine.wire.server import serve

for place in range(12):
    server, ending = serve(lambda _: None, 1)
    events = iter(range(place, -1, -1))

    def send_signal(*_):
        if next(events, None) == 0:
            signal.raise_signal(signal.SIGTERM)

    later = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGTERM))  # if the wait has fewer steps
    later.start()
    sys.setprofile(send_signal)
    ending.wait()
    sys.setprofile(None)
    later.join()
    server.stop(None).wait()
"""

SIGNAL_IN_ANOTHER_THREAD = """
import signal, threading, time
from pulumi_clouddb.engine.wire.server import serve

def send_signal():
    time.sleep(0.3)
    signal.pthread_kill(threading.get_ident(), signal.SIGTERM)

server, ending = serve(lambda _: None, 1)
other = threading.Thread(target=send_signal)
other.start()
ending.wait()
other.join()
server.stop(None).wait()
"""


def test_signal_in_another_thread_ends_the_server() -> None:
    """The kernel may deliver it to any thread; Python runs the handler in the main thread, but does not wake it."""
    command = [sys.executable, "-c", SIGNAL_IN_ANOTHER_THREAD]
    subprocess.run(command, timeout=60, check=True, capture_output=True)


def test_signal_at_the_start_of_a_wait_ends_the_server() -> None:
    """The handler runs in the main thread, at each of the first steps of its wait."""
    command = [sys.executable, "-c", SIGNAL_AT_THE_START_OF_A_WAIT]
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


def test_leave_skips_the_teardown() -> None:
    """Teardown takes seconds on a busy machine, while the engine waits; output and atexit functions are not lost."""
    done = subprocess.run([sys.executable, "-c", LEAVES], timeout=60, check=True, capture_output=True, text=True)
    assert done.stdout == "written registered\n"
