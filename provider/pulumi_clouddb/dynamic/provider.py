"""The dynamic provider: translates between Pulumi's dynamic host and the resources.

State stores this class by its module and name, and the name of the resource: neither may ever change. It captures
nothing else, so that a new version of this package takes over old state as it is.
"""

from __future__ import annotations

import functools
from typing import Any

import pulumi
from pulumi import dynamic
from pulumi.dynamic.dynamic import serialize_provider
from pulumi.runtime import rpc

from pulumi_clouddb.api.errors import ResourceError
from pulumi_clouddb.models.values import UNKNOWN
from pulumi_clouddb.resources.base import MANAGED, ResourceHandler
from pulumi_clouddb.resources.registry import RESOURCES

from . import host
from .failures import readable

PROVIDER_KEY = "__provider"


class ResourceProvider(dynamic.ResourceProvider):
    """Serves one resource to the dynamic host.

    Args:
        resource: The Pulumi name of the resource, such as `Service`.
    """

    serialize_as_secret_always = False

    def __init__(self, resource: str) -> None:
        super().__init__()
        self.resource = resource

    @readable
    def configure(self, req: dynamic.ConfigureRequest) -> None:
        """Take addresses and credentials from the stack's configuration, else from the environment."""
        host.configure(lambda name: req.config.get(f"clouddb:{name}"))

    @property
    def _handler(self) -> ResourceHandler:
        return RESOURCES[self.resource]

    @readable
    def check(self, _olds: dict[str, Any], news: dict[str, Any]) -> dynamic.CheckResult:
        """Fill in defaults and report every failure at once, each on its property path."""
        checked = self._handler.check(host.session(), _plain(news))
        failures = [dynamic.CheckFailure(item.path, f"{item.path} {item.reason}") for item in checked.failures]
        return dynamic.CheckResult(_unplain(checked.inputs), failures)

    @readable
    def diff(self, _id: str, _olds: dict[str, Any], _news: dict[str, Any]) -> dynamic.DiffResult:
        """Compare by meaning; a change of the stored class counts, so that state moves along with the package."""
        difference = self._handler.diff(_plain(_olds), _plain(_news))
        moved = _olds.get(PROVIDER_KEY) != _news.get(PROVIDER_KEY)
        return dynamic.DiffResult(
            changes=bool(difference.changed) or moved,
            replaces=list(difference.replaces),
            delete_before_replace=difference.delete_first,
        )

    @readable
    def create(self, props: dict[str, Any]) -> dynamic.CreateResult:
        """Create the object; what exists is never lost for a wait that fails."""
        object_id, state = self._handler.create(host.session(), _plain(props))
        return dynamic.CreateResult(object_id, self._outputs(state))

    @readable
    def read(self, id_: str, props: dict[str, Any]) -> dynamic.ReadResult:
        """Read the object as it is now, with the inputs that would leave it so.

        For `get`, the host hands over the inputs only; a missing object is then an error.
        """
        state = _plain(props)
        live = self._handler.read(host.session(), id_, state)
        if live is not None:
            return dynamic.ReadResult(id_, self._outputs(live.state), live.inputs)
        if MANAGED not in state:
            raise ResourceError(f"{self.resource} {id_} does not exist", "Check the id given to get().")
        return dynamic.ReadResult(None, {})

    @readable
    def update(self, _id: str, _olds: dict[str, Any], _news: dict[str, Any]) -> dynamic.UpdateResult:
        """Send what changed."""
        state = self._handler.update(host.session(), _id, _plain(_olds), _plain(_news))
        return dynamic.UpdateResult(self._outputs(state))

    @readable
    def delete(self, _id: str, _props: dict[str, Any]) -> None:
        """Delete the object; one that is gone already is done."""
        self._handler.delete(host.session(), _id, _plain(_props))

    def _outputs(self, state: dict[str, Any]) -> dict[str, Any]:
        """Return what goes into state; secrets that only the server knows go in envelopes."""
        hidden = set(self._handler.type.secrets)
        return {name: rpc.wrap_rpc_secret(value) if name in hidden else value for name, value in state.items()}


@functools.cache
def serialized(resource: str) -> str:
    """Return the provider of a resource as state stores it, made once per process.

    Pulumi's serializer wraps a function of the pickle module anew at each call, so that a program of some 970 dynamic
    resources would end in a RecursionError (pulumi 3.272).
    """
    return str(serialize_provider(ResourceProvider(resource)))


def _plain(value: Any) -> Any:
    """From the host's values to plain ones: its unknowns become `UNKNOWN`, its own key goes."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items() if key != PROVIDER_KEY}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return UNKNOWN if isinstance(value, pulumi.output.Unknown) else value


def _unplain(value: Any) -> Any:
    """From plain values to the host's."""
    if isinstance(value, dict):
        return {key: _unplain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_unplain(item) for item in value]
    return pulumi.output.Unknown() if value is UNKNOWN else value  # type: ignore[no-untyped-call]
