"""The methods of the dynamic provider: translate between Pulumi's values and the resources."""

from __future__ import annotations

from collections.abc import Collection

import pulumi
from pulumi import dynamic
from pulumi.runtime import rpc

from pulumi_clouddb.engine.wire.codec import Properties
from pulumi_clouddb.engine.wire.formatted import without_formatted
from pulumi_clouddb.engine.wire.registration import PROVIDER_KEY, REGISTRATION_KEY, Registration
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.schema.names import LAST_ERROR
from pulumi_clouddb.schema.public_names import in_python
from pulumi_clouddb.schema.secrets.redaction import hide, redact
from pulumi_clouddb.schema.values import UNKNOWN, mapped

from . import host
from .messages import user_errors


@user_errors
def configure(req: dynamic.ConfigureRequest) -> None:
    """Read addresses and credentials from the stack's configuration or the environment."""
    host.watch_engine()
    # Pulumi has no public way to list all settings (pulumi 3.272).
    settings = req.config._props
    host.configure({key.removeprefix("clouddb:"): settings[key] for key in settings if key.startswith("clouddb:")})


@user_errors
def check(resource: str, olds: Properties, news: Properties) -> dynamic.CheckResult:
    """Fill in defaults and return all failures; each begins with its property path.

    Failures have no property for the engine: it would print its value, even a secret.
    """
    _hide(resource, olds, news)
    registration = Registration.of(news)
    with host.operation(registration) as session:
        checked = lifecycle.check(session, RESOURCES[resource], _plain(news), registration.secrets, _plain(olds))
    found = without_formatted(_plain(news), list(checked.failures))
    failures = [dynamic.CheckFailure("", in_python(redact(str(each), own_words=True))) for each in found]
    return dynamic.CheckResult(_inputs(resource, checked.inputs, news), failures)


@user_errors
def diff(resource: str, object_id: str, olds: Properties, news: Properties) -> dynamic.DiffResult:
    """Compare state with inputs; a changed provider class is a change, so that state follows the package.

    So is a value that the program newly marks as a secret: otherwise it would stay in plain text in state.
    """
    _hide(resource, olds, news)
    with host.operation(Registration.of(news)) as session:
        stored_urn = Registration.of(olds).urn or ""
        difference = lifecycle.diff(session, RESOURCES[resource], object_id, _plain(olds), _plain(news), stored_urn)
    moved = olds.get(PROVIDER_KEY) != news.get(PROVIDER_KEY)
    marked = Registration.of(news).secrets - Registration.of(olds).secrets - {*RESOURCES[resource].type.secrets}
    return dynamic.DiffResult(
        changes=bool(difference.changed or marked) or moved,
        replaces=list(difference.replaces),
        delete_before_replace=difference.delete_before_replace,
    )


@user_errors
def create(resource: str, props: Properties) -> dynamic.CreateResult:
    """Create the object; if it is not ready in time, it is still stored in state."""
    _hide(resource, props)
    with host.operation(Registration.of(props)) as session:
        object_id, state = lifecycle.create(session, RESOURCES[resource], _plain(props))
    return dynamic.CreateResult(object_id, _outputs(resource, state, props))


@user_errors
def read(resource: str, object_id: str, props: Properties) -> dynamic.ReadResult:
    """Read the object and the inputs that describe it.

    For `get`, the host passes inputs only; a missing object is then an error.
    """
    _hide(resource, props)
    with host.operation(Registration.of(props)) as session:
        object_id, live = lifecycle.read(session, RESOURCES[resource], object_id, _plain(props), {})
    if live is None:
        return dynamic.ReadResult(None, {})
    return dynamic.ReadResult(object_id, _outputs(resource, live.state, props), _inputs(resource, live.inputs, props))


@user_errors
def update(resource: str, object_id: str, olds: Properties, news: Properties) -> dynamic.UpdateResult:
    """Send the changes; if only the class or secret marks have changed, update state without a request."""
    _hide(resource, olds, news)
    handler, old, new = RESOURCES[resource], _plain(olds), _plain(news)
    with host.operation(Registration.of(news)) as session:
        changed = lifecycle.diff(session, handler, object_id, old, new).changed
        state = lifecycle.update(session, handler, object_id, old, new) if changed else old
    return dynamic.UpdateResult(_outputs(resource, state, news))


@user_errors
def delete(resource: str, object_id: str, props: Properties) -> None:
    """Delete the object, if it still exists."""
    _hide(resource, props)
    with host.operation(Registration.of(props)) as session:
        lifecycle.delete(session, RESOURCES[resource], object_id, _plain(props))


def _inputs(resource: str, inputs: Properties, given: Properties) -> Properties:
    """Return inputs for the host; the engine itself marks those that the program marks as secrets."""
    return _marked(inputs, RESOURCES[resource].type.secrets, given)


def _outputs(resource: str, state: Properties, given: Properties) -> Properties:
    """Return state for the host; copies of secret inputs under other names are secret, too."""
    type_ = RESOURCES[resource].type
    redacted = {name: redact(value) if name == LAST_ERROR else value for name, value in state.items()}
    return _marked(redacted, {*type_.secrets, *type_.copies_of(Registration.of(given).secrets)}, given)


def _marked(values: Properties, secret: Collection[str], given: Properties) -> Properties:
    """Return values for the host, with secrets marked and the registration unchanged."""
    known = {name for name in secret if values.get(name, UNKNOWN) is not UNKNOWN}
    host_values = mapped(_unknown, values)
    marked = {name: rpc.wrap_rpc_secret(value) if name in known else value for name, value in host_values.items()}
    return {**marked, **{name: given[name] for name in (REGISTRATION_KEY,) if name in given}}


def _hide(resource: str, *properties: Properties) -> None:
    """Hide the secrets of old and new properties from messages; only the new ones have marks."""
    type_ = RESOURCES[resource].type
    secret = frozenset(type_.secrets).union(*(Registration.of(each).secrets for each in properties))
    for name in secret | type_.copies_of(secret):
        for each in properties:
            hide(each.get(name))


def _plain(properties: Properties) -> Properties:
    """Return plain values: with `UNKNOWN` for the host's unknowns, and without the entries for this front end."""
    own = {name: value for name, value in properties.items() if name not in (PROVIDER_KEY, REGISTRATION_KEY)}
    plain: Properties = mapped(_known, own)
    return plain


def _known(value: object) -> object:
    return UNKNOWN if isinstance(value, pulumi.output.Unknown) else value


def _unknown(value: object) -> object:
    return pulumi.output.Unknown() if value is UNKNOWN else value  # type: ignore[no-untyped-call]
