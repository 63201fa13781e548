"""A server on loopback that implements the API, for examples, tests, benchmarks and new users.

    with Sandbox() as sandbox:
        ...  # sandbox.config is the stack configuration that points a program here

`clouddb sandbox` runs the same server in a terminal. It stores objects in memory or in a file, validates requests
with the package's models, imitates the latency of services, and simulates faults (`fault`).
"""

from __future__ import annotations

from importlib.util import find_spec as _find_spec

if _find_spec("starlette") is None or _find_spec("uvicorn") is None:
    raise ModuleNotFoundError("the sandbox needs more packages: pip install 'pulumi-clouddb[sandbox]'")

from .faults import FaultKind
from .log import LoggedRequest
from .remote import SandboxControl
from .server import Sandbox
from .settings import Clock, Latency, Settings

__all__ = ["Clock", "FaultKind", "Latency", "LoggedRequest", "Sandbox", "SandboxControl", "Settings"]
