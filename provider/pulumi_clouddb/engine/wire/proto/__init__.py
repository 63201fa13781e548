"""Pulumi's own stubs of the engine's protocol, loaded without the rest of `pulumi`.

`import pulumi.runtime.proto` runs `pulumi/__init__.py` first: the automation API, mocks and more, as much processor
time as gRPC itself (3.268), in each process of the plugin. The stubs import only each other, by relative imports, so
this package has their folder as its `__path__`. Their messages are one class for each descriptor of protobuf's pool,
so those of `pulumi.runtime.proto` are the same: tests/provider/engine/test_loaded.py.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pulumi.runtime.proto import (
        engine_pb2,
        engine_pb2_grpc,
        plugin_pb2,
        provider_pb2,
        provider_pb2_grpc,
        status_pb2,
    )

__all__ = ["engine_pb2", "engine_pb2_grpc", "plugin_pb2", "provider_pb2", "provider_pb2_grpc", "status_pb2"]

_pulumi = find_spec("pulumi")
if _pulumi is None or _pulumi.origin is None:
    raise ModuleNotFoundError("No module named 'pulumi'", name="pulumi")
__path__ = [str(Path(_pulumi.origin).parent / "runtime" / "proto")]
