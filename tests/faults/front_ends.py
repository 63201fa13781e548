"""Both front ends as warm processes, one for each command of the engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from support.grpc_driver import GrpcDriver, ProviderProcess
from support.host import DynamicHost
from support.plugin import NativePlugin

from .warm import WarmInterpreter

LONGEST_CALL_SECONDS = 45.0
"""Every wait and request of a case ends after some seconds; on a machine three times as busy, after this many."""


class _Warm(GrpcDriver):
    warm: WarmInterpreter
    longest_call = LONGEST_CALL_SECONDS

    def start_process(self, command: Sequence[str], folder: Path, env: Mapping[str, str]) -> ProviderProcess:
        """Fork the provider."""
        return self.warm.start(command, cwd=folder, env=env, on_line=self.lines.append)


class _WarmDynamic(_Warm, DynamicHost):
    """The dynamic host."""


class _WarmNative(_Warm, NativePlugin):
    """The native plugin."""


FRONT_ENDS: dict[str, type[_Warm]] = {"dynamic": _WarmDynamic, "native": _WarmNative}


def start(
    front_end: str, warm: WarmInterpreter, config: Mapping[str, str], folder: Path, env: Mapping[str, str]
) -> GrpcDriver:
    """Start a front end for one command."""
    cls = FRONT_ENDS[front_end]
    bound = type(cls.__name__, (cls,), {"warm": warm})
    driver: GrpcDriver = bound(config, folder, env)
    return driver
