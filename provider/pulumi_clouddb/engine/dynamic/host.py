"""What lives in the dynamic host's process: one session for the one configuration, which ends with the engine.

The host is not told whether it ends in order or after a second Ctrl-C, when the engine no longer writes state. So it is
the program that learns that state holds what was created: see `pending_files.Registrations`.
"""

from __future__ import annotations

import functools
import os
import signal
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from pulumi_clouddb.client.errors import ConfigError
from pulumi_clouddb.create.pending_files import backend
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.engine.wire.cancellation import GRACE_SECONDS, Cancellation
from pulumi_clouddb.engine.wire.log import EngineLog
from pulumi_clouddb.engine.wire.messages import NOT_CONFIGURED
from pulumi_clouddb.engine.wire.registration import Registration
from pulumi_clouddb.engine.wire.settings import provider_config
from pulumi_clouddb.engine.wire.stack_identity import stack_identity
from pulumi_clouddb.engine.wire.watch import GONE, EngineWatch
from pulumi_clouddb.schema.config import misspelt

from .python_names import in_python

_lock = threading.Lock()
_session: Session | None = None
_log = EngineLog()
_waits = Cancellation(_log.status)


@functools.cache
def watch_engine() -> None:
    """Let this process end with its engine, also if nothing else is possible in it: it has been given credentials."""
    EngineWatch(lambda: _log.address, gone=_engine_gone).start()


def configure(settings: Mapping[str, object]) -> None:
    """Make the session of this process, once: every dynamic resource of a stack shares one host and one configuration.

    Raises:
        ConfigError: A value is not usable.
    """
    global _session  # noqa: PLW0603 (the host unpickles a provider per resource type; this is what they share)
    config = provider_config(settings.get)
    with _lock:
        if _session is None or _session.config != config:
            _session = Session(
                config,
                scope=backend(),
                warn=lambda message: _log.warn(in_python(message)),
                runtime=_waits,
                engine_is_connected=_served,
                misspelt=misspelt(settings),
            )


def session() -> Session:
    """Return the session of this process.

    Raises:
        ConfigError: `configure` was not called.
    """
    if _session is None:
        raise ConfigError(NOT_CONFIGURED)
    return _session


@contextmanager
def operation(registration: Registration) -> Iterator[Session]:
    """Return the session for an operation on a resource, which goes on during the block."""
    urn = registration.urn or ""
    with _waits.operation(urn=urn):
        yield session().for_resource(urn, stack_identity(registration.organization))


def _served() -> bool:
    """Return whether the engine still hears what this process answers: the host's server ends with its main thread."""
    return threading.main_thread().is_alive() and not _waits.ended


def _engine_gone() -> None:
    """End what waits, then the process: nobody else would."""
    _waits.end(GONE)
    os.kill(os.getpid(), signal.SIGINT)
    # What a shell has started in the background ignores that signal (tests/engine/test_engine_watch.py).
    time.sleep(GRACE_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)
