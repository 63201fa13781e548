"""What the dynamic host asks for: Pulumi's values go in, the resources do the work, Pulumi's values come out."""

from __future__ import annotations

from typing import Any

import pulumi
from pulumi import dynamic
from pulumi.runtime import rpc

from pulumi_clouddb.engine.registration import REGISTRATION_KEY, Registration
from pulumi_clouddb.models.values import UNKNOWN
from pulumi_clouddb.resources import lifecycle
from pulumi_clouddb.resources.registry import RESOURCES

from . import host
from .failures import readable
from .provider import PROVIDER_KEY

Properties = dict[str, Any]


@readable
def configure(req: dynamic.ConfigureRequest) -> None:
    """Take addresses and credentials from the stack's configuration, else from the environment."""
    host.configure(lambda name: req.config.get(f"clouddb:{name}"))


@readable
def check(resource: str, news: Properties) -> dynamic.CheckResult:
    """Fill in defaults and report every failure at once, each on its property path."""
    checked = RESOURCES[resource].check(host.session(), _plain(news))
    failures = [dynamic.CheckFailure(item.path, f"{item.path} {item.reason}") for item in checked.failures]
    return dynamic.CheckResult(_marked(resource, checked.inputs, news), failures)


@readable
def diff(resource: str, object_id: str, olds: Properties, news: Properties) -> dynamic.DiffResult:
    """Compare by meaning; a change of the stored class counts, so that state moves along with the package."""
    with host.operation(Registration.of(news).urn) as session:
        difference = lifecycle.diff(session, RESOURCES[resource], object_id, _plain(olds), _plain(news))
    moved = olds.get(PROVIDER_KEY) != news.get(PROVIDER_KEY)
    return dynamic.DiffResult(
        changes=bool(difference.changed) or moved,
        replaces=list(difference.replaces),
        delete_before_replace=difference.delete_first,
    )


@readable
def create(resource: str, props: Properties) -> dynamic.CreateResult:
    """Create the object; what exists is never lost for a wait that fails."""
    with host.operation(Registration.of(props).urn) as session:
        object_id, state = lifecycle.create(session, RESOURCES[resource], _plain(props))
    return dynamic.CreateResult(object_id, _marked(resource, state, props))


@readable
def read(resource: str, object_id: str, props: Properties) -> dynamic.ReadResult:
    """Read the object as it is now, with the inputs that would leave it so.

    For `get`, the host hands over the inputs only; a missing object is then an error.
    """
    with host.operation(Registration.of(props).urn) as session:
        object_id, live = lifecycle.read(session, RESOURCES[resource], object_id, _plain(props), {})
    if live is None:
        return dynamic.ReadResult(None, {})
    return dynamic.ReadResult(object_id, _marked(resource, live.state, props), _marked(resource, live.inputs, props))


@readable
def update(resource: str, object_id: str, olds: Properties, news: Properties) -> dynamic.UpdateResult:
    """Send what changed; where only the stored class did, state moves along and nothing is sent."""
    handler, old, new = RESOURCES[resource], _plain(olds), _plain(news)
    with host.operation(Registration.of(news).urn) as session:
        changed = lifecycle.diff(session, handler, object_id, old, new).changed
        state = lifecycle.update(session, handler, object_id, old, new) if changed else old
    return dynamic.UpdateResult(_marked(resource, state, news))


@readable
def delete(resource: str, object_id: str, props: Properties) -> None:
    """Delete the object; one that is gone already is done."""
    with host.operation(Registration.of(props).urn) as session:
        lifecycle.delete(session, RESOURCES[resource], object_id, _plain(props))


def _marked(resource: str, values: Properties, given: Properties) -> Properties:
    """Return values for the host: secrets in envelopes, and the registration as it was given.

    Secret are also those that the program has not marked, or cannot know.
    """
    hidden = {name for name in RESOURCES[resource].type.secrets if values.get(name, UNKNOWN) is not UNKNOWN}
    marked = {name: rpc.wrap_rpc_secret(value) if name in hidden else _unplain(value) for name, value in values.items()}
    return {**marked, **{name: given[name] for name in (REGISTRATION_KEY,) if name in given}}


def _plain(properties: Properties) -> Properties:
    """From the host's values to plain ones: its unknowns become `UNKNOWN`, what is not the resource's own goes."""
    return {name: _known(value) for name, value in properties.items() if name not in (PROVIDER_KEY, REGISTRATION_KEY)}


def _known(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _known(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_known(item) for item in value]
    return UNKNOWN if isinstance(value, pulumi.output.Unknown) else value


def _unplain(value: Any) -> Any:
    """From plain values to the host's."""
    if isinstance(value, dict):
        return {key: _unplain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_unplain(item) for item in value]
    return pulumi.output.Unknown() if value is UNKNOWN else value  # type: ignore[no-untyped-call]
