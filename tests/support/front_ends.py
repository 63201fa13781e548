"""Both front ends as processes that many tests share, and reconfigure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from pulumi_clouddb.engine.plugin.configured import OF_YAML
from pulumi_clouddb.engine.wire.codec import Properties
from pulumi_clouddb.schema.public_names import in_python

from .grpc_driver import Checked, GrpcDriver
from .host import DynamicHost
from .plugin import NativePlugin

Result = TypeVar("Result")


class FrontEnds:
    """The dynamic host and the native plugin; use it as a context manager.

    Args:
        config: Stack configuration such as `{"clouddb:paid": "false"}`, for both.
        folder: Their working directory.
    """

    def __init__(self, config: Mapping[str, str], folder: Path) -> None:
        self.config = dict(config)
        self._workers = ThreadPoolExecutor(2)
        homes = [folder / "dynamic", folder / "native"]
        for home in homes:
            home.mkdir()
        starting = self._workers.submit(DynamicHost, config, homes[0])
        self.native = NativePlugin(config, homes[1])
        self.dynamic = starting.result()

    def __enter__(self) -> FrontEnds:
        """Return the running front ends."""
        return self

    def __exit__(self, *_: object) -> None:
        """End both processes."""
        self.dynamic.stop()
        self.native.stop()
        self._workers.shutdown()

    def configure(self, config: Mapping[str, str]) -> None:
        """Switch to another configuration."""
        if config != self.config:
            self.config = dict(config)
            self.dynamic.configure(config)
            self.native.configure(config)

    def only_native(self, config: Mapping[str, str]) -> NativePlugin:
        """Return the plugin alone, with its own configuration."""
        self.config = {}
        self.native.configure(config)
        return self.native

    def both(self, act: Callable[[GrpcDriver], Result]) -> tuple[Result, Result]:
        """Run a function with both concurrently; it can configure them. Return the results: dynamic, native."""
        self.config = {}
        dynamic = self._workers.submit(act, self.dynamic)
        native = self._workers.submit(act, self.native)
        return dynamic.result(), native.result()

    def check(self, resource: str, news: Properties, olds: Properties | None = None) -> Checked:
        """Check inputs with both; the results must be equal, apart from Python's spelling of names."""
        dynamic = self.dynamic.check(resource, news, olds)
        native = self.native.check(resource, news, olds)
        native = replace(native, failures=without_yaml(native.failures))
        assert dynamic == replace(native, failures=list(map(in_python, native.failures)))
        return native

    @property
    def warnings(self) -> list[str]:
        """The warnings since the last configuration; those of both must be equal."""
        assert self.dynamic.warnings == list(map(in_python, self.native.warnings))
        return self.native.warnings


def without_yaml(failures: list[str]) -> list[str]:
    """Return failures of the plugin without its hint for YAML, which Python programs do not get."""
    return [each.removesuffix(OF_YAML) for each in failures]


MakeFrontEnds = Callable[..., FrontEnds]
"""The fixture `front_ends_of`: configures both front ends by keyword arguments, and returns them."""
