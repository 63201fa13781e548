"""The class that state stores, by its module and name: neither may ever change.

It captures nothing but the name of its resource, so that a new version of this package takes over old state as it is.
Programs import this module to name the class; what does the work is loaded where it is done, in the dynamic host.
"""

from __future__ import annotations

import functools
from types import ModuleType

from pulumi import dynamic
from pulumi.dynamic.dynamic import serialize_provider

from pulumi_clouddb.schema.values import WireDict


class ResourceProvider(dynamic.ResourceProvider):
    """Serves one resource to the dynamic host; each method is described in `handlers`.

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
        """Take addresses and credentials."""
        self._handlers.configure(req)

    def check(self, _olds: WireDict, news: WireDict) -> dynamic.CheckResult:
        """Fill in defaults and report every failure."""
        result: dynamic.CheckResult = self._handlers.check(self.resource, _olds, news)
        return result

    def diff(self, _id: str, _olds: WireDict, _news: WireDict) -> dynamic.DiffResult:
        """Compare by meaning."""
        result: dynamic.DiffResult = self._handlers.diff(self.resource, _id, _olds, _news)
        return result

    def create(self, props: WireDict) -> dynamic.CreateResult:
        """Create the object."""
        result: dynamic.CreateResult = self._handlers.create(self.resource, props)
        return result

    def read(self, id_: str, props: WireDict) -> dynamic.ReadResult:
        """Read the object as it is now."""
        result: dynamic.ReadResult = self._handlers.read(self.resource, id_, props)
        return result

    def update(self, _id: str, _olds: WireDict, _news: WireDict) -> dynamic.UpdateResult:
        """Send what changed."""
        result: dynamic.UpdateResult = self._handlers.update(self.resource, _id, _olds, _news)
        return result

    def delete(self, _id: str, _props: WireDict) -> None:
        """Delete the object."""
        self._handlers.delete(self.resource, _id, _props)


@functools.cache
def serialized(resource: str) -> str:
    """Return the provider of a resource as state stores it, made once per process.

    Pulumi's serializer wraps a function of the pickle module anew at each call, so that a program of some 970 dynamic
    resources would end in a RecursionError (pulumi 3.272).
    """
    return str(serialize_provider(ResourceProvider(resource)))
