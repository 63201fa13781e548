"""The provider class, which state stores by module and name: neither may ever change.

It has only the name of its resource, so that new versions of this package can use old state. Programs import this
module; the dynamic host loads the implementation.
"""

from __future__ import annotations

import functools
from types import ModuleType

from pulumi import dynamic
from pulumi.dynamic.dynamic import serialize_provider

from pulumi_clouddb.schema.values import WireDict


class ResourceProvider(dynamic.ResourceProvider):
    """The provider of one resource for the dynamic host; see `handlers` for each method.

    Args:
        resource: The Pulumi name of the resource, such as `Service`.
    """

    serialize_as_secret_always = False

    def __init__(self, resource: str) -> None:
        super().__init__()
        self.resource = resource

    @property
    def _handlers(self) -> ModuleType:
        from pulumi_clouddb.engine.dynamic import handlers

        return handlers

    def configure(self, req: dynamic.ConfigureRequest) -> None:
        """Read addresses and credentials."""
        self._handlers.configure(req)

    def check(self, _olds: WireDict, news: WireDict) -> dynamic.CheckResult:
        """Fill in defaults and return all failures."""
        result: dynamic.CheckResult = self._handlers.check(self.resource, _olds, news)
        return result

    def diff(self, _id: str, _olds: WireDict, _news: WireDict) -> dynamic.DiffResult:
        """Compare state with inputs."""
        result: dynamic.DiffResult = self._handlers.diff(self.resource, _id, _olds, _news)
        return result

    def create(self, props: WireDict) -> dynamic.CreateResult:
        """Create the object."""
        result: dynamic.CreateResult = self._handlers.create(self.resource, props)
        return result

    def read(self, id_: str, props: WireDict) -> dynamic.ReadResult:
        """Read the object."""
        result: dynamic.ReadResult = self._handlers.read(self.resource, id_, props)
        return result

    def update(self, _id: str, _olds: WireDict, _news: WireDict) -> dynamic.UpdateResult:
        """Send the changes."""
        result: dynamic.UpdateResult = self._handlers.update(self.resource, _id, _olds, _news)
        return result

    def delete(self, _id: str, _props: WireDict) -> None:
        """Delete the object."""
        self._handlers.delete(self.resource, _id, _props)


@functools.cache
def serialized(resource: str) -> str:
    """Return the provider of a resource as state stores it.

    Cached: Pulumi's serializer wraps a function of the pickle module again at each call, so that a program with about
    970 dynamic resources would end in a RecursionError (pulumi 3.272).
    """
    return str(serialize_provider(ResourceProvider(resource)))
