"""A server on loopback that implements the API, for examples, tests, benchmarks and new users.

    with Sandbox() as sandbox:
        ...  # sandbox.config is the stack configuration that points a program here

`clouddb sandbox` runs the same server in a terminal. It stores objects in memory or in a file, validates requests
with the package's models, imitates the latency of services, and simulates faults (`fault`).

Names are imported on first use: the commands that control a running sandbox need its client only.
"""

from __future__ import annotations

import typing as _typing
from importlib.util import find_spec as _find_spec

if _find_spec("starlette") is None or _find_spec("uvicorn") is None:
    raise ModuleNotFoundError("the sandbox needs more packages: pip install 'pulumi-clouddb[sandbox]'")

if _typing.TYPE_CHECKING:
    from .faults import FaultKind
    from .logged_request import LoggedRequest
    from .remote import SandboxControl
    from .server import Sandbox
    from .settings import Clock, Latency, Settings

__all__ = ["Clock", "FaultKind", "Latency", "LoggedRequest", "Sandbox", "SandboxControl", "Settings"]

_MODULES = {
    "Clock": ".settings",
    "FaultKind": ".faults",
    "Latency": ".settings",
    "LoggedRequest": ".logged_request",
    "Sandbox": ".server",
    "SandboxControl": ".remote",
    "Settings": ".settings",
}

if not _typing.TYPE_CHECKING:  # a checker that sees `__getattr__` accepts every name, misspelt ones too

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(_MODULES[name], __name__), name)

    def __dir__() -> list[str]:
        return __all__
