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

from clouddb_tools.first_use import imported_on_first_use as _imported_on_first_use

if any(_find_spec(each) is None for each in ("starlette", "uvicorn", "markdown_it")):
    raise ModuleNotFoundError("the sandbox needs more packages: pip install 'pulumi-clouddb[sandbox]'")

if _typing.TYPE_CHECKING:
    from clouddb_tools.release import Release

    from .faults import FaultKind
    from .logged_request import LoggedRequest
    from .remote import SandboxControl
    from .server import Sandbox
    from .settings import Clock, Latency, Settings

__all__ = ["Clock", "FaultKind", "Latency", "LoggedRequest", "Release", "Sandbox", "SandboxControl", "Settings"]

_MODULES = {
    "Clock": ".settings",
    "FaultKind": ".faults",
    "Latency": ".settings",
    "LoggedRequest": ".logged_request",
    "Release": "..release",
    "Sandbox": ".server",
    "SandboxControl": ".remote",
    "Settings": ".settings",
}

if not _typing.TYPE_CHECKING:
    __getattr__, __dir__ = _imported_on_first_use(__name__, _MODULES)
