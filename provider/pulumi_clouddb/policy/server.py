"""The server through which the engine runs the policies of a pack.

It replaces `PolicyPack` of pulumi-policy, with the same protocol and policies, because it reads each resource once
instead of once per policy, and passes facts about the stack to the rules: its configuration, and which keys of it are
encrypted.
"""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import partial
from inspect import isawaitable
from pathlib import Path
from typing import Any

import grpc
import pulumi
import pulumi_policy
from google.protobuf import empty_pb2, json_format
from pulumi.runtime.proto import analyzer_pb2, analyzer_pb2_grpc, plugin_pb2
from pulumi_policy import (
    EnforcementLevel,
    Policy,
    ResourceValidationArgs,
    ResourceValidationPolicy,
    StackValidationArgs,
    StackValidationPolicy,
)
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from pulumi_clouddb.engine.wire import server as wire_server
from pulumi_clouddb.engine.wire.codec import json_of, read
from pulumi_clouddb.engine.wire.log import EngineLog
from pulumi_clouddb.engine.wire.secret import has_secret
from pulumi_clouddb.engine.wire.side_channels import send_secrets
from pulumi_clouddb.engine.wire.watch import EngineWatch
from pulumi_clouddb.schema.secrets.redaction import secret_scope

from .rule import ResourceRulePolicy, Rule, StackRulePolicy
from .scope import StackFacts
from .upstream import VERSION as PULUMI_POLICY_VERSION
from .upstream import UnknownValueError, deserialize_properties, unknown_checking_proxy
from .views import Properties
from .wire import (
    LEVEL_OF,
    WIRE_LEVEL,
    encoded,
    is_readable,
    options_of,
    policy_info,
    provider_of,
    readable,
    severity_of,
    stack_resources,
)

THREADS = 4

_OURS = (str(Path(__file__).parents[1]), str(Path(pulumi_policy.__file__).parent))

VERSION = "0.0.1"
"""The version of the pack, as in `PolicyPack`; the engine prefers that of PulumiPolicy.yaml."""


class NotApplicableError(Exception):
    """A policy does not apply to the resource or stack."""

    def __init__(self, reason: str | None) -> None:
        super().__init__(reason)
        self.reason = reason or ""


class FailedPolicyError(Exception):
    """A policy itself failed; the text names it."""


class Arguments(ResourceValidationArgs):
    """The arguments of a resource policy, with more for the rules of this package.

    Attributes:
        facts: Facts about the stack.
        secret_inputs: The top-level inputs that are or contain secrets.
        values: The inputs as plain values, which the views of all rules share.
        settings: The settings of one policy; None for those passed to the constructor.
    """

    facts: StackFacts
    secret_inputs: frozenset[str]
    values: Properties
    settings: Mapping[str, Any] | None = None

    def get_config(self) -> Mapping[str, Any]:
        """Return the settings of the policy."""
        return super().get_config() if self.settings is None else self.settings

    def not_applicable(self, reason: str | None = None) -> None:
        """End the policy, with an error of this package: pulumi-policy does not export its own."""
        raise NotApplicableError(reason)


class StackArguments(StackValidationArgs):
    """The arguments of a stack policy, with facts about the stack."""

    facts: StackFacts

    def not_applicable(self, reason: str | None = None) -> None:
        """End the policy."""
        raise NotApplicableError(reason)


@dataclass
class Setup:
    """The configuration from the engine: levels and settings by policy, and the stack."""

    levels: dict[str, EnforcementLevel] = field(default_factory=dict)
    settings: dict[str, dict[str, Any]] = field(default_factory=dict)
    tags: Mapping[str, str] = field(default_factory=dict)
    facts: StackFacts = field(default_factory=StackFacts)


class Analyzer(analyzer_pb2_grpc.AnalyzerServicer):
    """The service that the engine calls for a pack of policies."""

    def __init__(self, name: str, policies: Sequence[Policy]) -> None:
        self.name, self.policies, self.setup = name, list(policies), Setup()

    # -- description and configuration -------------------------------------------------------------------------------

    def GetPluginInfo(self, request: Any, context: Any) -> Any:  # noqa: N802 - the protocol's name
        """Return the version of pulumi-policy."""
        return plugin_pb2.PluginInfo(version=PULUMI_POLICY_VERSION)

    def GetAnalyzerInfo(self, request: Any, context: Any) -> Any:  # noqa: N802 - the protocol's name
        """Return the description of the pack and its policies."""
        return analyzer_pb2.AnalyzerInfo(
            name=self.name, version=VERSION, supportsConfig=True, policies=[policy_info(each) for each in self.policies]
        )

    def Configure(self, request: Any, context: Any) -> Any:  # noqa: N802 - the protocol's name
        """Set levels and settings; reject settings that are invalid for their rule."""
        for name, config in request.policyConfig.items():
            self.setup.levels[name] = LEVEL_OF[config.enforcementLevel]
            self.setup.settings[name] = json_format.MessageToDict(config.properties)
        errors = [
            error for each in self.policies for error in _config_errors(each, self.setup.settings.get(each.name, {}))
        ]
        if errors:
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, "policy pack configuration: " + "; ".join(errors))
        return empty_pb2.Empty()

    def ConfigureStack(self, request: Any, context: Any) -> Any:  # noqa: N802 - the protocol's name
        """Set the facts about the stack."""
        self.setup.tags = dict(request.tags)
        self.setup.facts = StackFacts(dict(request.config), frozenset(request.config_secret_keys))
        pulumi.runtime.set_all_config(dict(request.config), list(request.config_secret_keys))
        settings = pulumi.runtime.Settings(
            project=request.project,
            stack=request.stack,
            dry_run=request.dry_run,
            organization=request.organization or "organization",
        )
        pulumi.runtime.configure(settings)
        return analyzer_pb2.AnalyzerStackConfigureResponse()

    # -- checks ------------------------------------------------------------------------------------------------------

    def Analyze(self, request: Any, context: Any) -> Any:  # noqa: N802 - the protocol's name
        """Check one resource with each resource policy."""
        raw = readable(request.properties)
        props = unknown_checking_proxy(deserialize_properties(raw))
        args = self._arguments(request, props, raw)
        response = analyzer_pb2.AnalyzeResponse()
        with secret_scope():
            for policy, level in self._active(ResourceValidationPolicy):
                if isinstance(policy, ResourceRulePolicy) and request.type not in policy.types:
                    continue
                if policy.has_validation():
                    self._validate(policy, level, response, self._for(policy, args))
                else:
                    self._skip(policy, response, "Policy does not implement validate")
            send_secrets()
        return response

    def AnalyzeStack(self, request: Any, context: Any) -> Any:  # noqa: N802 - the protocol's name
        """Check the stack with each stack policy."""
        resources = stack_resources(request.resources)
        response = analyzer_pb2.AnalyzeResponse()
        for policy, level in self._active(StackValidationPolicy):
            args = StackArguments(resources, self.setup.settings.get(policy.name), self.setup.tags)
            args.facts = self.setup.facts
            self._validate(policy, level, response, args)
        return response

    def Remediate(self, request: Any, context: Any) -> Any:  # noqa: N802 - the protocol's name
        """Change one resource with each policy of the level `remediate`, one after the other."""
        raw, response = json_of(request.properties), analyzer_pb2.RemediateResponse()
        if not all(map(is_readable, raw.values())):
            return response  # a remediation returns all properties, and these cannot be encoded again
        props: Any = unknown_checking_proxy(deserialize_properties(raw, True))
        for policy, level in self._active(ResourceValidationPolicy):
            if level is not EnforcementLevel.REMEDIATE:
                continue
            if not policy.has_remediation():
                self._skip(policy, response, "Policy does not implement remediate")
                continue
            try:
                changed = _run(policy, policy.remediate, self._for(policy, self._arguments(request, props, raw)))
                if changed:
                    props = changed
                    response.remediations.append(self._remediation(policy, properties=encoded(changed)))
            except UnknownValueError as error:
                message = self._not_run(policy, "remediation", error)
                response.remediations.append(self._remediation(policy, diagnostic=message))
            except NotApplicableError as error:
                self._skip(policy, response, error.reason)
            except FailedPolicyError as error:
                response.remediations.append(self._remediation(policy, diagnostic=str(error)))
        return response

    def _active(self, kind: type[Any]) -> Iterator[tuple[Any, EnforcementLevel]]:
        for policy in self.policies:
            level = self.setup.levels.get(policy.name, policy.enforcement_level or EnforcementLevel.ADVISORY)
            if isinstance(policy, kind) and level is not EnforcementLevel.DISABLED:
                yield policy, level

    def _validate(self, policy: Any, level: EnforcementLevel, response: Any, args: Any) -> None:
        # A violation that remains after the remediations stops the deployment.
        level = EnforcementLevel.MANDATORY if level is EnforcementLevel.REMEDIATE else level

        def report(message: str, urn: str | None = None) -> None:
            text = f"{policy.description}\n{message}" if message else policy.description
            response.diagnostics.append(self._diagnostic(policy, level, text, urn or ""))

        try:
            _run(policy, policy.validate, args, report)
        except UnknownValueError as error:
            message = self._not_run(policy, "policy", error)
            response.diagnostics.append(self._diagnostic(policy, EnforcementLevel.ADVISORY, message, ""))
        except NotApplicableError as error:
            self._skip(policy, response, error.reason)
        except FailedPolicyError as error:  # what it would have found is unknown, so the deployment must not go on
            response.diagnostics.append(self._diagnostic(policy, EnforcementLevel.MANDATORY, str(error), ""))

    def _skip(self, policy: Policy, response: Any, reason: str) -> None:
        response.not_applicable.append(analyzer_pb2.PolicyNotApplicable(policy_name=policy.name, reason=reason))

    def _arguments(self, request: Any, props: Any, raw: Mapping[str, Any]) -> Arguments:
        options, provider = options_of(request.options), provider_of(request)
        args = Arguments(request.type, props, request.urn, request.name, options, provider, stack_tags=self.setup.tags)
        args.facts, args.values = self.setup.facts, Properties(props)
        args.secret_inputs = frozenset(name for name, value in raw.items() if has_secret(read(value)))
        return args

    def _for(self, policy: Policy, args: Arguments) -> Arguments:
        """Return the arguments with the settings of a policy."""
        own = copy(args)
        own.settings = self.setup.settings.get(policy.name, {})
        return own

    def _diagnostic(self, policy: Policy, level: EnforcementLevel, message: str, urn: str) -> Any:
        return analyzer_pb2.AnalyzeDiagnostic(
            policyName=policy.name,
            policyPackName=self.name,
            policyPackVersion=VERSION,
            description=policy.description,
            message=message,
            enforcementLevel=WIRE_LEVEL[level],
            severity=severity_of(policy),
            urn=urn,
        )

    def _remediation(self, policy: Policy, **content: Any) -> Any:
        return analyzer_pb2.Remediation(
            policyName=policy.name,
            policyPackName=self.name,
            policyPackVersion=VERSION,
            description=policy.description,
            **content,
        )

    def _not_run(self, policy: Policy, what: str, error: UnknownValueError) -> str:
        pack = f"'{self.name}@v{VERSION}'"
        return f"can't run {what} '{policy.name}' from policy pack {pack} during preview: {error.message}"


def _config_errors(policy: Policy, config: Mapping[str, Any]) -> list[str]:
    """Return what is invalid in the configuration of a rule of this package."""
    if not isinstance(policy, (ResourceRulePolicy, StackRulePolicy)):
        return []
    try:
        policy.configured.validated(config)
    except ValidationError as error:
        return [_config_error(policy.configured.rule, each) for each in error.errors(include_url=False)]
    return []


def _config_error(rule: Rule[Any], error: ErrorDetails) -> str:
    path = ".".join(map(str, error["loc"]))
    if error["type"] == "extra_forbidden":
        return f"{rule.name} has no setting {path}; use {', '.join(rule.schema({}))}"
    message = error["msg"].removeprefix("Value error, ")
    return f"{rule.name}.{path}: {message[:1].lower()}{message[1:]}"


def _run(policy: Policy, function: Callable[..., Any], *args: Any) -> Any:
    """Return what a function of a policy returns, after waiting for it if it is asynchronous.

    Raises:
        FailedPolicyError: The policy itself failed.
    """

    async def wait() -> Any:
        return await returned

    try:
        returned = function(*args)
        return asyncio.run(wait()) if isawaitable(returned) else returned
    except (UnknownValueError, NotApplicableError):
        raise
    except Exception as error:
        text = f"policy {policy.name!r} failed: {type(error).__name__}: {error}"
        raise FailedPolicyError(f"{text}\nCorrect it{_place_of(error)}.") from error


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
