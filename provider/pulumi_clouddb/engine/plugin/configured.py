"""The provider under one configuration: translates between Pulumi's engine and the resources."""

from __future__ import annotations

import os
from typing import Any

from google.protobuf import empty_pb2, struct_pb2
from pulumi.runtime.proto import provider_pb2

from pulumi_clouddb import registry
from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.create.pending_files import backend
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.engine.wire import urns
from pulumi_clouddb.engine.wire.cancellation import Cancellation
from pulumi_clouddb.engine.wire.log import EngineLog
from pulumi_clouddb.engine.wire.settings import provider_config, settings_failures
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.resource.base import AnyResource
from pulumi_clouddb.schema.base import names_marked
from pulumi_clouddb.schema.config import ProviderConfig, gather, misspelt
from pulumi_clouddb.schema.redaction import redact
from pulumi_clouddb.schema.values import WireValues, contains_unknown

from . import marks
from .answers import DIFF_NONE, DIFF_SOME, InitFailedError, told
from .differences import detailed
from .functions import secret_places, unknown_answer
from .marks import Secrets, decode, encode


def check_config(request: provider_pb2.CheckRequest) -> provider_pb2.CheckResponse:
    """Report everything that is wrong with a configuration; what the environment adds stays out of state.

    Credentials go into state as secrets, also where a program has not marked them.
    """
    news, secrets = decode(request.news)
    failures = settings_failures(gather(news.get, os.environ))
    return provider_pb2.CheckResponse(
        inputs=encode(news, secrets | marks.known(names_marked(ProviderConfig, "secret"), news)),
        failures=told(failures),
    )


class Configured:
    """The resources and functions of a provider; each method answers the call of its name.

    Args:
        request: The configuration, as the engine gives it.
        log: The way to the engine's log.
        waits: What ends the waits of the operations.

    Attributes:
        session: The session under the configuration.

    Raises:
        ConfigError: A setting is not usable.
    """

    def __init__(self, request: provider_pb2.ConfigureRequest, log: EngineLog, waits: Cancellation) -> None:
        given, _ = decode(request.args)
        self.session = Session(
            provider_config(given.get),
            scope=backend(),
            warn=log.warn,
            runtime=waits,
            time_limit=waits.minutes,
            engine_is_connected=lambda: not waits.ended,
            misspelt=misspelt(given),
            stack=request.id or None,
        )

    def check(self, request: provider_pb2.CheckRequest) -> provider_pb2.CheckResponse:
        """Fill in defaults and report every failure at once; each begins with its property path."""
        news, secrets = decode(request.news)
        handler = _handler(request)
        olds, _ = decode(request.olds)
        session = self.session.for_resource(request.urn)
        checked = lifecycle.check(session, handler, news, marks.names(secrets), olds)
        return provider_pb2.CheckResponse(
            inputs=marks.checked(handler.type, checked.inputs, secrets),
            failures=told(checked.failures),
        )

    def diff(self, request: provider_pb2.DiffRequest) -> provider_pb2.DiffResponse:
        """Compare by meaning, and name each property that changes.

        A value that the program marks as a secret from now on counts: the engine would leave it in plain text in state.
        """
        handler = _handler(request)
        (olds, marked), (news, secrets) = decode(request.olds), decode(request.news)
        old_inputs, were_secret = decode(request.old_inputs)
        difference = lifecycle.diff(self.session.for_resource(request.urn), handler, request.id, olds, news)
        leaks = marks.leaks(handler.type, olds, marked, secrets)
        return provider_pb2.DiffResponse(
            changes=DIFF_SOME if difference.changed or leaks else DIFF_NONE,
            diffs=difference.changed,
            replaces=difference.replaces,
            deleteBeforeReplace=difference.delete_before_replace,
            detailedDiff=detailed(handler, difference, olds, old_inputs, news, secrets | were_secret),
            hasDetailedDiff=True,
        )

    def create(self, request: provider_pb2.CreateRequest) -> provider_pb2.CreateResponse:
        """Create the object; what exists is never lost for a wait that fails."""
        handler = _handler(request)
        inputs, secrets = decode(request.properties)
        if request.preview:
            previewed = handler.preview_outputs(None, inputs)
            return provider_pb2.CreateResponse(properties=marks.outputs(handler.type, previewed, secrets))
        object_id, state = lifecycle.create(self.session.for_resource(request.urn), handler, inputs)
        outputs, error = _outputs(handler, state, secrets)
        if error:
            raise InitFailedError(object_id, outputs, request.properties, error)
        return provider_pb2.CreateResponse(id=object_id, properties=outputs)

    def read(self, request: provider_pb2.ReadRequest) -> provider_pb2.ReadResponse:
        """Read the object as it is now, with the inputs that would leave it so."""
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
            inputs=marks.inputs(handler.type, live.inputs, secrets),
        )

    def update(self, request: provider_pb2.UpdateRequest) -> provider_pb2.UpdateResponse:
        """Send what changed; where only what is secret did, state moves along and nothing is sent."""
        handler = _handler(request)
        (olds, _), (news, secrets) = decode(request.olds), decode(request.news)
        if request.preview:
            previewed = lifecycle.preview(handler, request.id, olds, news)
            return provider_pb2.UpdateResponse(properties=marks.outputs(handler.type, previewed, secrets))
        session = self.session.for_resource(request.urn)
        changed = lifecycle.diff(session, handler, request.id, olds, news).changed
        state = lifecycle.update(session, handler, request.id, olds, news) if changed else olds
        outputs, error = _outputs(handler, state, secrets)
        if error:
            raise InitFailedError(request.id, outputs, request.news, error)
        return provider_pb2.UpdateResponse(properties=outputs)

    def delete(self, request: provider_pb2.DeleteRequest) -> empty_pb2.Empty:
        """Delete the object; one that is gone already is done."""
        state, _ = decode(request.properties)
        lifecycle.delete(self.session.for_resource(request.urn), _handler(request), request.id, state)
        return empty_pb2.Empty()

    def invoke(self, request: provider_pb2.InvokeRequest) -> provider_pb2.InvokeResponse:
        """Answer a function such as `clouddb:index:getPipe`; with unknown arguments, nothing is known."""
        arguments, secrets = decode(request.args)
        function = registry.FUNCTIONS.get(request.tok.rpartition(":")[2])
        if function is None:
            raise ResourceError(f"this provider has no function {request.tok}", "Look at schema.json for those it has.")
        if contains_unknown(arguments):
            answer = unknown_answer(function.type)
        else:
            answer = function.call(self.session, arguments, marks.names(secrets))
        response = provider_pb2.InvokeResponse()
        getattr(response, "return").CopyFrom(encode(answer, secret_places(function.type, answer)))
        return response


def _handler(request: Any) -> AnyResource:
    """Return what handles the resource of a request; below a parent its type is written `Parent$Type`."""
    token = (request.type or urns.qualified_type(request.urn)).rpartition("$")[2]
    handler = registry.RESOURCES.get(token.rpartition(":")[2])
    if handler is None or handler.type.token != token:
        raise ResourceError(f"this provider has no resource {token}", "Look at schema.json for those it has.")
    return handler


def _outputs(handler: AnyResource, state: WireValues, secrets: Secrets) -> tuple[struct_pb2.Struct, str]:
    """Write state to the wire; return with it the error that it tells of, if any."""
    problem = handler.type.problem
    error = redact(str(state.get(problem) or ""))
    shown = {**state, problem: error} if error else state
    return marks.outputs(handler.type, shown, secrets), error
