"""What lives in the dynamic host's process: one session for the one configuration, and the way to the engine's log."""

from __future__ import annotations

import os
import re
import sys
import threading
from collections.abc import Callable
from typing import Any

import grpc
from pulumi.runtime.proto import engine_pb2, engine_pb2_grpc

from pulumi_clouddb.api.errors import ConfigError
from pulumi_clouddb.resources.session import Session

from .settings import provider_config

_lock = threading.Lock()
_session: Session | None = None


def configure(stack_config: Callable[[str], Any]) -> None:
    """Make the session of this process, once: every dynamic resource of a stack shares one host and one configuration.

    Raises:
        ConfigError: A value is not usable.
    """
    global _session  # noqa: PLW0603 (the host unpickles a provider per resource type; this is what they share)
    config = provider_config(stack_config)
    with _lock:
        if _session is None or _session.config != config:
            _session = Session(config, scope=os.environ.get("PULUMI_PROJECT", ""), warn=warn)


def session() -> Session:
    """Return the session of this process.

    Raises:
        ConfigError: `configure` was not called.
    """
    if _session is None:
        raise ConfigError("the provider was used before it was configured")
    return _session


def warn(message: str) -> None:
    """Show a warning: through the engine that started this process, else on standard error."""
    address = _engine_address()
    if address:
        try:
            with grpc.insecure_channel(address) as channel:
                request = engine_pb2.LogRequest(severity=engine_pb2.WARNING, message=message)
                engine_pb2_grpc.EngineStub(channel).Log(request, timeout=5)
        except grpc.RpcError:
            pass
        else:
            return
    print(f"warning: {message}", file=sys.stderr, flush=True)


def _engine_address() -> str | None:
    """Return the engine's address: the last argument that the engine starts the host with."""
    last = sys.argv[-1] if len(sys.argv) > 1 else ""
    return last if re.fullmatch(r"127\.0\.0\.1:\d{2,5}", last) else None
