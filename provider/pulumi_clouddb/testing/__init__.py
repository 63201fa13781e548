"""Runs whole Pulumi Python programs in tests, with the `pulumi` CLI or with a small stand-in for its engine.

Names are imported when they are first used: pytest loads `pytest_plugin` in every run of every project that has this
package installed, and must not pay for grpc there.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .cli_stack import CliStack
    from .result import Diagnostic, ResourceState, Result, StackFailed, Step
    from .secret import Secret, stack_config
    from .stack import Stack
    from .stand_in import StandInStack
    from .unknown import UNKNOWN

__all__ = [
    "UNKNOWN",
    "CliStack",
    "Diagnostic",
    "ResourceState",
    "Result",
    "Secret",
    "Stack",
    "StackFailed",
    "StandInStack",
    "Step",
    "stack_config",
]

_HOME = {
    "UNKNOWN": ".unknown",
    "CliStack": ".cli_stack",
    "Diagnostic": ".result",
    "ResourceState": ".result",
    "Result": ".result",
    "Secret": ".secret",
    "Stack": ".stack",
    "StackFailed": ".result",
    "StandInStack": ".stand_in",
    "Step": ".result",
    "stack_config": ".secret",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME[name], __name__), name)
