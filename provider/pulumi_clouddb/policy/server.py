"""The server through which the engine runs the policies of a pack: pulumi-policy's own, with three things more.

Rules learn of the stack's configuration and of secret inputs; a policy that raises is named, beside what the others
find; and a value that pulumi-policy cannot read counts as unknown.
"""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from copy import copy
from functools import partial
from inspect import isawaitable
from pathlib import Path
from typing import Any

import grpc
import pulumi_policy
from google.protobuf import json_format, struct_pb2
from pulumi.runtime.proto import analyzer_pb2, analyzer_pb2_grpc
from pulumi_policy import EnforcementLevel, Policy
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from pulumi_clouddb.engine.wire import server as wire_server
from pulumi_clouddb.engine.wire.codec import UNKNOWN_TEXT, json_of, read
from pulumi_clouddb.engine.wire.log import EngineLog
from pulumi_clouddb.engine.wire.secret import has_secret
from pulumi_clouddb.engine.wire.side_channels import send_secrets
from pulumi_clouddb.engine.wire.watch import EngineWatch
from pulumi_clouddb.schema.secrets.redaction import secret_scope

from .rule import ResourceRulePolicy, Rule, StackRulePolicy
from .scope import FACTS, SECRET_INPUTS, StackFacts
from .upstream import POLICIES, NotApplicableError, PolicyAnalyzerServicer, UnknownValueError, deserialize_properties

THREADS = 4

_OURS = (str(Path(__file__).parents[1]), str(Path(pulumi_policy.__file__).parent))

VERSION = "0.0.1"
"""The version of the pack, as in `PolicyPack`; the engine prefers that of PulumiPolicy.yaml."""

Failed = tuple[Policy, str]
"""A policy that has raised, and the message."""

_FAILED: ContextVar[list[Failed]] = ContextVar("failed")
"""Those of the request of this thread."""


class Analyzer(PolicyAnalyzerServicer):
    """The service that the engine calls for a pack of policies."""

    def __init__(self, name: str, policies: Sequence[Policy]) -> None:
        super().__init__(name, VERSION, [_caught(each) for each in policies], EnforcementLevel.ADVISORY)
        self.name, self.policies, self.facts = name, list(policies), StackFacts()

    def Configure(self, request: Any, context: Any) -> Any:  # noqa: N802 - the protocol's name
        """Set levels and settings; reject settings that are invalid for their rule."""
        settings = {name: json_format.MessageToDict(each.properties) for name, each in request.policyConfig.items()}
        if errors := config_errors(self.policies, settings):
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, "policy pack configuration: " + "; ".join(errors))
        return super().Configure(request, context)

    def ConfigureStack(self, request: Any, context: Any) -> Any:  # noqa: N802 - the protocol's name
        """Set the facts about the stack."""
        self.facts = StackFacts(dict(request.config), frozenset(request.config_secret_keys))
        return super().ConfigureStack(request, context)

    def Analyze(self, request: Any, context: Any) -> Any:  # noqa: N802 - the protocol's name
        """Check one resource with each resource policy."""
        with self._watched(request) as failed:
            _make_readable(request)
            response = super(Analyzer, self._for(request.type)).Analyze(request, context)
            send_secrets()
        # What a policy that raises would have found is unknown, so the deployment must not go on.
        return _with_failures(self.name, response, failed)

    def AnalyzeStack(self, request: Any, context: Any) -> Any:  # noqa: N802 - the protocol's name
        """Check the stack with each stack policy."""
        with self._watched() as failed:
            _make_readable(*request.resources)
            response = super().AnalyzeStack(request, context)
        return _with_failures(self.name, response, failed)

    def Remediate(self, request: Any, context: Any) -> Any:  # noqa: N802 - the protocol's name
        """Change one resource with each policy of the level `remediate`, one after the other."""
        if not _is_readable(request.properties):
            return analyzer_pb2.RemediateResponse()  # it returns all properties, and these cannot be written again
        with self._watched(request) as failed:
            response = super().Remediate(request, context)
        for policy, message in failed:
            response.remediations.add(**_about(self.name, policy), diagnostic=message)
        return response

    def _for(self, token: str) -> Analyzer:
        """Return the server with the policies for a type alone: it reads the properties again for each of them."""
        own = copy(self)
        caught: list[Policy] = vars(self)[POLICIES]
        vars(own)[POLICIES] = [
            each for each in caught if not isinstance(each, ResourceRulePolicy) or token in each.types
        ]
        return own

    @contextmanager
    def _watched(self, request: Any = None) -> Iterator[list[Failed]]:
        """Tell the rules what pulumi-policy does not, and return the list of the policies that raise."""
        raw = {} if request is None else json_of(request.properties)
        FACTS.set(self.facts)
        SECRET_INPUTS.set(frozenset(name for name, value in raw.items() if has_secret(read(value))))
        failed: list[Failed] = []
        _FAILED.set(failed)
        with secret_scope():
            yield failed


def _with_failures(pack: str, response: Any, failed: Sequence[Failed]) -> Any:
    for policy, message in failed:
        response.diagnostics.add(**_about(pack, policy), message=message, enforcementLevel=analyzer_pb2.MANDATORY)
    return response


def _about(pack: str, policy: Policy) -> dict[str, str]:
    """Return what a diagnostic and a remediation have of their policy."""
    return {
        "policyName": policy.name,
        "policyPackName": pack,
        "policyPackVersion": VERSION,
        "description": policy.description,
    }


def _make_readable(*resources: Any) -> None:
    """Make each property unknown that pulumi-policy cannot read."""
    for resource in resources:
        for properties in (resource.properties, resource.provider.properties):
            for value in () if _is_readable(properties) else properties.fields.values():
                if not _is_readable(value):
                    value.CopyFrom(struct_pb2.Value(string_value=UNKNOWN_TEXT))


def _is_readable(value: struct_pb2.Struct | struct_pb2.Value) -> bool:
    """Return whether pulumi-policy can read properties, or one value."""
    try:
        deserialize_properties({"": json_format.MessageToDict(value)})
    except (AssertionError, ValueError, json_format.Error):  # such as an unknown signature, or NaN
        return False
    return True


def config_errors(policies: Sequence[Policy], settings: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return what is invalid in the settings of rules of this package, by the names of policies."""
    errors: list[str] = []
    for policy in policies:
        if isinstance(policy, (ResourceRulePolicy, StackRulePolicy)):
            try:
                policy.configured.validated(settings.get(policy.name, {}))
            except ValidationError as error:
                rule = policy.configured.rule
                errors += [_config_error(rule, each) for each in error.errors(include_url=False)]
    return errors


def _config_error(rule: Rule[Any], error: ErrorDetails) -> str:
    path = ".".join(map(str, error["loc"]))
    if error["type"] == "extra_forbidden":
        return f"{rule.name} has no setting {path}; use {', '.join(rule.schema({}))}"
    message = error["msg"].removeprefix("Value error, ")
    return f"{rule.name}.{path}: {message[:1].lower()}{message[1:]}"


def _caught(policy: Policy) -> Policy:
    """Return a policy whose functions record what they raise."""
    own: Any = copy(policy)
    for name in ("validate", "remediate"):
        if function := getattr(policy, name, None):
            setattr(own, name, partial(_run, policy, function))
    caught: Policy = own
    return caught


def _run(policy: Policy, function: Callable[..., Any], *args: Any) -> Any:
    """Return what a function of a policy returns, after waiting for it if it is asynchronous."""

    async def wait() -> Any:
        return await returned

    try:
        returned = function(*args)
        return asyncio.run(wait()) if isawaitable(returned) else returned
    except (UnknownValueError, NotApplicableError):
        raise
    except Exception as error:  # noqa: BLE001 (a policy of a team can raise anything)
        text = f"policy {policy.name!r} failed: {type(error).__name__}: {error}"
        _FAILED.get().append((policy, f"{text}\nCorrect it{_place_of(error)}."))
        return None


def _place_of(error: Exception) -> str:
    """Return the line of a policy at which it failed, in words: the last one in the first file of a team."""
    calls = [each for each in traceback.extract_tb(error.__traceback__) if not each.filename.startswith(_OURS)]
    lines = [each.lineno for each in calls if each.filename == calls[0].filename]
    return f" at line {lines[-1]} of {calls[0].filename}" if calls else " in pulumi-clouddb"


def serve(name: str, policies: Sequence[Policy]) -> None:
    """Serve policies until the engine ends this process, or exits: the process has secret configuration in memory."""
    analyzer, log = Analyzer(name, policies), EngineLog()
    server, ending = wire_server.serve(partial(analyzer_pb2_grpc.add_AnalyzerServicer_to_server, analyzer), THREADS)
    EngineWatch(lambda: log.address, gone=ending.end).start()
    ending.wait()
    server.stop(0)
    wire_server.leave()
