"""The provider with a configuration: translates between Pulumi's engine and the resources."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

from google.protobuf import empty_pb2, struct_pb2

from pulumi_clouddb import registry
from pulumi_clouddb.client.errors import CloudDBError, ResourceError
from pulumi_clouddb.create.pending_files import backend
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.engine.wire import urns
from pulumi_clouddb.engine.wire.cancellation import Cancellation
from pulumi_clouddb.engine.wire.formatted import without_formatted
from pulumi_clouddb.engine.wire.log import EngineLog
from pulumi_clouddb.engine.wire.messages import message
from pulumi_clouddb.engine.wire.proto import provider_pb2
from pulumi_clouddb.engine.wire.settings import provider_config, settings_failures
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.resource.base import AnyResource
from pulumi_clouddb.schema.base import names_with, wire_names
from pulumi_clouddb.schema.check.findings import WORDS, Failure
from pulumi_clouddb.schema.config import ProviderConfig, gather, misspelt
from pulumi_clouddb.schema.names import LAST_ERROR
from pulumi_clouddb.schema.secrets.redaction import redact
from pulumi_clouddb.schema.values import UNKNOWN, WireValues, contains_unknown

from . import secret_paths
from .differences import detailed
from .rpc import DIFF_NONE, DIFF_SOME, InitFailedError, check_failures
from .secret_paths import Secrets, decode, encode

DEFAULT = "default"
"""How the engine's names of default providers begin (`default_0_1_0`); these get the configuration of the stack."""


def check_config(request: provider_pb2.CheckRequest) -> provider_pb2.CheckResponse:
    """Return all failures of a configuration, and its inputs without those from the environment.

    Credentials are stored as secrets even if the program has not marked them.
    """
    news, secrets = decode(request.news)
    failures = settings_failures(gather(news.get, os.environ))
    return provider_pb2.CheckResponse(
        inputs=encode(news, secrets | secret_paths.known(names_with(ProviderConfig, "secret"), news)),
        failures=check_failures(failures),
    )


_NO_TEXT = f"{WORDS['string_type']}, not "
OF_YAML = (
    "; in YAML, quote it; a text of the configuration that looks like a number, a boolean or JSON arrives as such: "
    "write fn::toJSON: ${…} in place of ${…}"
)
"""Pulumi's YAML parses all configuration, whatever type is declared (github.com/pulumi/pulumi-yaml/issues/577)."""


_OPTIONS = frozenset(
    {
        *("aliases", "customTimeouts", "deleteBeforeReplace", "deletedWith", "dependsOn", "ignoreChanges"),
        *("import", "parent", "protect", "replaceOnChanges", "retainOnDelete"),
    }
)
"""The options of every resource, which no resource of this package has as a property."""


def _with_way_out(failure: Failure) -> Failure:
    """Return a failure with the way out: of a value that is not text in YAML, and of an option among the properties."""
    if failure.path in _OPTIONS and failure.reason.startswith(WORDS["extra_forbidden"]):
        return replace(failure, reason=f"{WORDS['extra_forbidden']}: it is an option of Pulumi, beside the properties")
    if not failure.reason.startswith(_NO_TEXT):
        return failure
    return replace(failure, reason=f"{failure.reason}{OF_YAML}")


class Configured:
    """The resources and functions of a provider. Each method handles the RPC of its name.

    Raises:
        ConfigError: A setting is invalid.
    """

    def __init__(self, request: provider_pb2.ConfigureRequest, log: EngineLog, waits: Cancellation) -> None:
        settings, _ = decode(request.args)
        self.session = Session(
            provider_config(settings.get),
            scope=backend(),
            warn=log.warn,
            runtime=waits,
            time_limit=waits.minutes,
            engine_is_connected=lambda: not waits.ended,
            misspelt=misspelt(settings),
            stack=request.id or None,
            provider="" if request.name.startswith(DEFAULT) else request.name,
        )

    def check(self, request: provider_pb2.CheckRequest) -> provider_pb2.CheckResponse:
        """Fill in defaults and return all failures; each begins with its property path."""
        news, secrets = decode(request.news)
        handler = _handler(request)
        olds, _ = decode(request.olds)
        session = self.session.for_resource(request.urn)
        checked = lifecycle.check(session, handler, news, secret_paths.names(secrets), olds)
        return provider_pb2.CheckResponse(
            inputs=secret_paths.checked(handler.type, checked.inputs, secrets),
            failures=check_failures(map(_with_way_out, without_formatted(news, list(checked.failures)))),
        )

    def diff(self, request: provider_pb2.DiffRequest) -> provider_pb2.DiffResponse:
        """Compare state with inputs and return each property that changes.

        A value that the program newly marks as a secret is a change: otherwise it would stay in plain text in state.
        """
        handler = _handler(request)
        (olds, marked), (news, secrets) = decode(request.olds), decode(request.news)
        old_inputs, were_secret = decode(request.old_inputs)
        difference = lifecycle.diff(self.session.for_resource(request.urn), handler, request.id, olds, news)
        leaks = secret_paths.leaks(handler.type, olds, marked, secrets)
        return provider_pb2.DiffResponse(
            changes=DIFF_SOME if difference.changed or leaks else DIFF_NONE,
            diffs=difference.changed,
            replaces=difference.replaces,
            deleteBeforeReplace=difference.delete_before_replace,
            detailedDiff=detailed(handler, difference, olds, old_inputs, news, secrets | were_secret),
            hasDetailedDiff=True,
        )

    def create(self, request: provider_pb2.CreateRequest) -> provider_pb2.CreateResponse:
        """Create the object; if it is not ready in time, it is still stored in state."""
        handler = _handler(request)
        inputs, secrets = decode(request.properties)
        if request.preview:
            previewed = handler.preview_outputs(None, inputs)
            return provider_pb2.CreateResponse(properties=secret_paths.outputs(handler.type, previewed, secrets))
        object_id, state = lifecycle.create(self.session.for_resource(request.urn), handler, inputs)
        outputs, error = _outputs(handler, state, secrets)
        if error:
            raise InitFailedError(object_id, outputs, request.properties, error)
        return provider_pb2.CreateResponse(id=object_id, properties=outputs)

    def read(self, request: provider_pb2.ReadRequest) -> provider_pb2.ReadResponse:
        """Read the object and the inputs that describe it."""
        handler = _handler(request)
        (state, state_secrets), (inputs, input_secrets) = decode(request.properties), decode(request.inputs)
        session = self.session.for_resource(request.urn)
        object_id, live = lifecycle.read(session, handler, request.id, state, inputs)
        if live is None:
            return provider_pb2.ReadResponse()
        secrets = state_secrets | input_secrets
        return provider_pb2.ReadResponse(
            id=object_id,
            properties=_outputs(handler, live.state, secrets)[0],
            inputs=secret_paths.inputs(handler.type, live.inputs, secrets),
        )

    def update(self, request: provider_pb2.UpdateRequest) -> provider_pb2.UpdateResponse:
        """Send the changes; if only secret marks have changed, update state without a request."""
        handler = _handler(request)
        (olds, marked), (news, secrets) = decode(request.olds), decode(request.news)
        if request.preview:
            previewed = lifecycle.preview(handler, request.id, olds, news)
            return provider_pb2.UpdateResponse(properties=secret_paths.outputs(handler.type, previewed, secrets))
        session = self.session.for_resource(request.urn)
        changed = lifecycle.diff(session, handler, request.id, olds, news).changed
        try:
            state = lifecycle.update(session, handler, request.id, olds, news) if changed else olds
        except CloudDBError as failure:
            left = lifecycle.left_in_doubt(session, handler, request.id, olds)
            if left is None:
                raise
            outputs, _ = _outputs(handler, left, secrets | marked)
            raise InitFailedError(request.id, outputs, request.news, message(failure)) from None
        outputs, error = _outputs(handler, state, secrets)
        if error:
            raise InitFailedError(request.id, outputs, request.news, error)
        return provider_pb2.UpdateResponse(properties=outputs)

    def delete(self, request: provider_pb2.DeleteRequest) -> empty_pb2.Empty:
        """Delete the object, if it still exists."""
        state, _ = decode(request.properties)
        lifecycle.delete(self.session.for_resource(request.urn), _handler(request), request.id, state)
        return empty_pb2.Empty()

    def invoke(self, request: provider_pb2.InvokeRequest) -> provider_pb2.InvokeResponse:
        """Call a function such as `clouddb:index:getPipe`; with unknown arguments, its result is unknown."""
        arguments, secrets = decode(request.args)
        function = registry.FUNCTIONS.get(request.tok.rpartition(":")[2])
        if function is None:
            raise ResourceError(f"this provider has no function {request.tok}", "schema.json lists all of them.")
        if contains_unknown(arguments):
            result = dict.fromkeys(wire_names(function.type.result), UNKNOWN)
        else:
            result = function.call(self.session, arguments, secret_paths.names(secrets))
        response = provider_pb2.InvokeResponse()
        getattr(response, "return").CopyFrom(encode(result, secret_paths.secrets_of_result(function.type, result)))
        return response


def _handler(request: Any) -> AnyResource:
    """Return the handler for the resource of a request; with a parent its type is `Parent$Type`."""
    token = (request.type or urns.qualified_type(request.urn)).rpartition("$")[2]
    handler = registry.RESOURCES.get(token.rpartition(":")[2])
    if handler is None or handler.type.token != token:
        raise ResourceError(f"this provider has no resource {token}", "schema.json lists all of them.")
    return handler


def _outputs(handler: AnyResource, state: WireValues, secrets: Secrets) -> tuple[struct_pb2.Struct, str]:
    """Write state to the wire, and return it with the error in it, if any."""
    error = redact(str(state.get(LAST_ERROR) or ""))
    shown = {**state, LAST_ERROR: error} if error else state
    return secret_paths.outputs(handler.type, shown, secrets), error
