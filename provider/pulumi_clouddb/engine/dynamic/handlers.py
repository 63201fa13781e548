"""What the dynamic host asks for: Pulumi's values go in, the resources do the work, Pulumi's values come out."""

from __future__ import annotations

from collections.abc import Collection

import pulumi
from pulumi import dynamic
from pulumi.dynamic.dynamic import PROVIDER_KEY
from pulumi.runtime import rpc

from pulumi_clouddb.engine.wire.codec import Properties
from pulumi_clouddb.engine.wire.registration import REGISTRATION_KEY, Registration
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.schema.operation_secrets import hide
from pulumi_clouddb.schema.redaction import redact
from pulumi_clouddb.schema.values import UNKNOWN, mapped

from . import host
from .errors import user_errors
from .python_names import in_python


@user_errors
def configure(req: dynamic.ConfigureRequest) -> None:
    """Take addresses and credentials from the stack's configuration, else from the environment."""
    host.watch_engine()
    # Pulumi has no public way to ask for the names of all settings (pulumi 3.272).
    given = req.config._props
    host.configure({name.removeprefix("clouddb:"): given[name] for name in given if name.startswith("clouddb:")})


@user_errors
def check(resource: str, olds: Properties, news: Properties) -> dynamic.CheckResult:
    """Fill in defaults and report every failure at once; each begins with its property path.

    No failure names a property to the engine, which would print what the program gave, secret or not.
    """
    _hide(resource, olds, news)
    registration = Registration.of(news)
    with host.operation(registration) as session:
        checked = lifecycle.check(session, RESOURCES[resource], _plain(news), registration.secrets, _plain(olds))
    failures = [dynamic.CheckFailure("", in_python(redact(str(each)))) for each in checked.failures]
    return dynamic.CheckResult(_inputs(resource, checked.inputs, news), failures)


@user_errors
def diff(resource: str, object_id: str, olds: Properties, news: Properties) -> dynamic.DiffResult:
    """Compare by meaning; a change of the stored class counts, so that state moves along with the package.

    So does a value that the program marks as a secret from now on: the engine would leave it in state in plain text.
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
    """Create the object; what exists is never lost for a wait that fails."""
    _hide(resource, props)
    with host.operation(Registration.of(props)) as session:
        object_id, state = lifecycle.create(session, RESOURCES[resource], _plain(props))
    return dynamic.CreateResult(object_id, _outputs(resource, state, props))


@user_errors
def read(resource: str, object_id: str, props: Properties) -> dynamic.ReadResult:
    """Read the object as it is now, with the inputs that would leave it so.

    For `get`, the host hands over the inputs only; a missing object is then an error.
    """
    _hide(resource, props)
    with host.operation(Registration.of(props)) as session:
        object_id, live = lifecycle.read(session, RESOURCES[resource], object_id, _plain(props), {})
    if live is None:
        return dynamic.ReadResult(None, {})
    return dynamic.ReadResult(object_id, _outputs(resource, live.state, props), _inputs(resource, live.inputs, props))


@user_errors
def update(resource: str, object_id: str, olds: Properties, news: Properties) -> dynamic.UpdateResult:
    """Send what changed; where only the stored class did, or what is secret, state moves along and nothing is sent."""
    _hide(resource, olds, news)
    handler, old, new = RESOURCES[resource], _plain(olds), _plain(news)
    with host.operation(Registration.of(news)) as session:
        changed = lifecycle.diff(session, handler, object_id, old, new).changed
        state = lifecycle.update(session, handler, object_id, old, new) if changed else old
    return dynamic.UpdateResult(_outputs(resource, state, news))


@user_errors
def delete(resource: str, object_id: str, props: Properties) -> None:
    """Delete the object; one that is gone already is done."""
    _hide(resource, props)
    with host.operation(Registration.of(props)) as session:
        lifecycle.delete(session, RESOURCES[resource], object_id, _plain(props))


def _inputs(resource: str, inputs: Properties, given: Properties) -> Properties:
    """Return inputs for the host; those that the program marks as secrets, the engine marks again by itself."""
    return _marked(inputs, RESOURCES[resource].type.secrets, given)


def _outputs(resource: str, state: Properties, given: Properties) -> Properties:
    """Return state for the host; what repeats a secret input under another name is a secret, too."""
    type_ = RESOURCES[resource].type
    told = {name: redact(value) if name == type_.problem else value for name, value in state.items()}
    return _marked(told, {*type_.secrets, *type_.copies_of(Registration.of(given).secrets)}, given)


def _marked(values: Properties, secret: Collection[str], given: Properties) -> Properties:
    """Return values for the host: secrets in envelopes, and the registration as it was given."""
    hidden = {name for name in secret if values.get(name, UNKNOWN) is not UNKNOWN}
    theirs = mapped(_unknown, values)
    marked = {name: rpc.wrap_rpc_secret(value) if name in hidden else value for name, value in theirs.items()}
    return {**marked, **{name: given[name] for name in (REGISTRATION_KEY,) if name in given}}


def _hide(resource: str, *properties: Properties) -> None:
    """Let no message show what is secret in properties of the host, old or new; their marks are in the newer ones."""
    type_ = RESOURCES[resource].type
    secret = frozenset(type_.secrets).union(*(Registration.of(each).secrets for each in properties))
    for name in secret | type_.copies_of(secret):
        for each in properties:
            hide(each.get(name))


def _plain(properties: Properties) -> Properties:
    """From the host's values to plain ones: its unknowns become `UNKNOWN`, what is not the resource's own goes."""
    own = {name: value for name, value in properties.items() if name not in (PROVIDER_KEY, REGISTRATION_KEY)}
    plain: Properties = mapped(_known, own)
    return plain


def _known(value: object) -> object:
    return UNKNOWN if isinstance(value, pulumi.output.Unknown) else value


def _unknown(value: object) -> object:
    return pulumi.output.Unknown() if value is UNKNOWN else value  # type: ignore[no-untyped-call]
