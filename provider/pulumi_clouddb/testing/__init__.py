"""Runs whole Pulumi Python programs in tests, with the `pulumi` CLI or with a small fake of its engine.

Names are imported on first use: pytest loads `pytest_plugin` in every run of every project that has this package
installed, and importing grpc there would slow it down.
"""

from __future__ import annotations

import typing as _typing

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

if not _typing.TYPE_CHECKING:  # a checker that sees `__getattr__` accepts every name, misspelt ones too

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(_MODULES[name], __name__), name)

    def __dir__() -> list[str]:
        return __all__
