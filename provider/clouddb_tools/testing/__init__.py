"""Runs whole Pulumi Python programs in tests, with the `pulumi` CLI or with a small fake of its engine.

Names are imported on first use: pytest loads `pytest_plugin` in every run of every project that has this package
installed, and importing grpc there would slow it down.
"""

from __future__ import annotations

import typing as _typing

from clouddb_tools.first_use import imported_on_first_use as _imported_on_first_use

if _typing.TYPE_CHECKING:
    from pulumi_clouddb.engine.wire.secret import Secret
    from pulumi_clouddb.schema.values import UNKNOWN

    from .cli_stack import CliStack
    from .fake_engine import FakeEngineStack
    from .result import Diagnostic, ResourceState, Result, StackError, Step
    from .stack import Stack, stack_config

__all__ = [
    "UNKNOWN",
    "CliStack",
    "Diagnostic",
    "FakeEngineStack",
    "ResourceState",
    "Result",
    "Secret",
    "Stack",
    "StackError",
    "Step",
    "stack_config",
]

_MODULES = {
    "UNKNOWN": "pulumi_clouddb.schema.values",
    "CliStack": ".cli_stack",
    "Diagnostic": ".result",
    "ResourceState": ".result",
    "Result": ".result",
    "Secret": "pulumi_clouddb.engine.wire.secret",
    "Stack": ".stack",
    "StackError": ".result",
    "FakeEngineStack": ".fake_engine",
    "Step": ".result",
    "stack_config": ".stack",
}

if not _typing.TYPE_CHECKING:
    __getattr__, __dir__ = _imported_on_first_use(__name__, _MODULES)
