"""What lives in the dynamic host's process: one session for the one configuration."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any

from pulumi_clouddb.api.errors import ConfigError
from pulumi_clouddb.engine.log import EngineLog
from pulumi_clouddb.engine.settings import provider_config
from pulumi_clouddb.resources.session import Session

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
            _session = Session(config, scope=os.environ.get("PULUMI_PROJECT", ""), warn=EngineLog().warn)


def session() -> Session:
    """Return the session of this process.

    Raises:
        ConfigError: `configure` was not called.
    """
    if _session is None:
        raise ConfigError("the provider was used before it was configured")
    return _session
