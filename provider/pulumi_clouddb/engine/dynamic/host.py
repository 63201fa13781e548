"""The process of the dynamic host: one session for one configuration; it ends with the engine.

The host does not know whether it ends normally or after a second Ctrl-C, when the engine no longer writes state. So the
program records which new objects are in state: see `sdk._run_end.Registrations`.
"""

from __future__ import annotations

import functools
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from pulumi.runtime.proto import provider_pb2

from pulumi_clouddb.client.errors import ConfigError
from pulumi_clouddb.create.pending_files import backend
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.engine.wire.cancellation import GRACE_SECONDS, Cancellation
from pulumi_clouddb.engine.wire.log import EngineLog
from pulumi_clouddb.engine.wire.messages import NOT_CONFIGURED
from pulumi_clouddb.engine.wire.registration import Registration
from pulumi_clouddb.engine.wire.settings import provider_config
from pulumi_clouddb.engine.wire.watch import GONE, EngineWatch
from pulumi_clouddb.schema.config import is_loopback, misspelt
from pulumi_clouddb.schema.public_names import in_python

PULUMI_CLOUD = ("http", "https")
FILE_BACKEND = "file"
REQUESTS = (
    *(provider_pb2.CheckRequest, provider_pb2.DiffRequest, provider_pb2.CreateRequest),
    *(provider_pb2.ReadRequest, provider_pb2.UpdateRequest, provider_pb2.DeleteRequest),
)

_lock = threading.Lock()
_session: Session | None = None
_log = EngineLog()
_waits = Cancellation(_log.status)


@functools.cache
def watch_engine() -> None:
    """End this process with its engine. It has credentials in memory, even if its configuration is invalid."""
    EngineWatch(lambda: _log.address, gone=_engine_gone).start()


def configure(settings: Mapping[str, object]) -> None:
    """Create the session of this process, once: all dynamic resources of a stack share a host and a configuration.

    Raises:
        ConfigError: A setting is invalid.
    """
    global _session  # noqa: PLW0603 (the host unpickles a provider per resource type; they share the session)
    config = provider_config(settings.get)
    with _lock:
        if _session is None or _session.config != config:
            _session = Session(
                config,
                scope=backend(),
                warn=lambda message, urn: _log.warn(in_python(message), urn),
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
    """Return the session for an operation on a resource, which lasts for the block."""
    urn = _requested_urn() or registration.urn or ""
    with _waits.operation(urn=urn):
        yield session().for_resource(urn, stack_identity(registration.organization))


def _requested_urn() -> str:
    """Return the URN in the engine's request; empty if this is no thread of the host.

    State may have an older one: the engine deletes what a replacement has left under the URN after an alias, a move or
    a rename. The host hands over the id and the properties of a request alone (`pulumi.dynamic.__main__` of 3.272).
    """
    frame = sys._getframe()
    while frame.f_back:
        frame = frame.f_back
        request = frame.f_locals.get("request")
        if isinstance(request, REQUESTS):
            return request.urn
    return ""


@functools.cache
def stack_identity(organization: str | None) -> str | None:
    """Return the identity of the stack's state, the same on all machines; None if it is unknown.

    The name of a stack is not sufficient: two people may each have a stack `dev` of a project, in different backends.
    The engine gives the plugin the id of its provider resource, which is random and stored in state. This host gets no
    such id, so it uses the backend, with the organization if there is one.
    """
    address = backend()
    parts = urlsplit(address)
    if not address or is_loopback(parts.hostname or ""):
        return None
    if parts.scheme == FILE_BACKEND:
        return _of_files(Path(url2pathname(parts.netloc + parts.path)).expanduser())
    if parts.scheme in PULUMI_CLOUD:
        return f"{parts.hostname}/{organization}" if organization else None
    return address.replace(f"{parts.netloc.rpartition('@')[0]}@", "")


def _of_files(folder: Path) -> str | None:
    """Return the identity of a backend in a folder, whose path may differ between machines.

    Pulumi writes this file once, when it first uses the folder (pkg/backend/diy/meta.go, ensurePulumiMeta). Fractions
    of seconds are dropped, since archives do not store them.
    """
    try:
        return f"{FILE_BACKEND} {int((folder / '.pulumi' / 'meta.yaml').stat().st_mtime)}"
    except OSError:
        return None


def _served() -> bool:
    """Return whether the engine still receives responses: the host's server ends with its main thread."""
    return threading.main_thread().is_alive() and not _waits.ended


def _engine_gone() -> None:
    """End all waits, then the process."""
    _waits.end(GONE)
    if sys.platform == "win32":  # os.kill would end the process before its waits
        signal.raise_signal(signal.SIGINT)
    else:
        os.kill(os.getpid(), signal.SIGINT)
    # A background process of a shell ignores SIGINT (tests/provider/engine/test_engine_watch.py).
    time.sleep(GRACE_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)
