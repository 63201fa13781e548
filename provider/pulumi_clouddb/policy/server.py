"""Serves a pack to the engine.

pulumi-policy brings a server of its own, `PolicyPack`. This one speaks the same protocol and runs the same policies;
beside that it reads each resource once instead of once per policy, which is most of the time that a large pack takes,
and tells rules what the engine says of the stack: its configuration, and which of it is encrypted.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field
from functools import partial
from inspect import isawaitable
from typing import Any

import grpc
import pulumi
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
from pulumi_clouddb.engine.wire.watch import EngineWatch

from .rule import ResourceRulePolicy, StackRulePolicy
from .scope import StackFacts
from .upstream import VERSION as PULUMI_POLICY_VERSION
from .upstream import UnknownValueError, deserialize_properties, unknown_checking_proxy
from .views import Properties
from .wire import (
    LEVEL_OF,
    WIRE_LEVEL,
    described,
    encoded,
    is_readable,
    options_of,
    placed,
    provider_of,
    readable,
    severity_of,
)

THREADS = 4

VERSION = "0.0.1"
"""What pulumi-policy says as well; the engine shows the version of PulumiPolicy.yaml where there is one."""


class NotApplicableError(Exception):
    """A policy says that it does not apply."""

    def __init__(self, reason: str | None) -> None:
        super().__init__(reason)
        self.reason = reason or ""


class Arguments(ResourceValidationArgs):
    """What a resource policy gets, and what rules of this package read beside it.

    Attributes:
        facts: What the engine says of the stack.
        secret_inputs: The top-level inputs that are, or hold, something secret.
        values: The inputs as views read them: once for all rules.
        settings: The settings of one policy, in place of those that it was made with.
    """

    facts: StackFacts
    secret_inputs: frozenset[str]
    values: Properties
    settings: Mapping[str, Any] | None = None

    def get_config(self) -> Mapping[str, Any]:
        """Return the policy's settings: all else is the same for every policy, and read once."""
        return super().get_config() if self.settings is None else self.settings

    def not_applicable(self, reason: str | None = None) -> None:
        """Leave the policy; pulumi-policy raises an error here that it does not export."""
        raise NotApplicableError(reason)


class StackArguments(StackValidationArgs):
    """What a stack policy gets, and beside it what the engine says of the stack."""

    facts: StackFacts

    def not_applicable(self, reason: str | None = None) -> None:
        """Leave the policy, as with resources."""
        raise NotApplicableError(reason)


@dataclass
class Setup:
    """What the engine configures: levels and settings by policy, and the stack."""

    levels: dict[str, EnforcementLevel] = field(default_factory=dict)
    settings: dict[str, dict[str, Any]] = field(default_factory=dict)
    tags: Mapping[str, str] = field(default_factory=dict)
    facts: StackFacts = field(default_factory=StackFacts)


class Analyzer(analyzer_pb2_grpc.AnalyzerServicer):
    """A pack of policies as the engine calls it."""

    def __init__(self, name: str, policies: Sequence[Policy]) -> None:
        self.name, self.policies, self.setup = name, list(policies), Setup()

    # -- what the pack is, and how it is set up ----------------------------------------------------------------------

    def GetPluginInfo(self, request: Any, context: Any) -> Any:  # noqa: N802, ARG002 - the protocol's name
        """Say which version of pulumi-policy the policies are written for."""
        return plugin_pb2.PluginInfo(version=PULUMI_POLICY_VERSION)

    def GetAnalyzerInfo(self, request: Any, context: Any) -> Any:  # noqa: N802, ARG002 - the protocol's name
        """Describe the pack and its policies; the version is that of PulumiPolicy.yaml."""
        return analyzer_pb2.AnalyzerInfo(
            name=self.name, version=VERSION, supportsConfig=True, policies=[described(each) for each in self.policies]
        )

    def Configure(self, request: Any, context: Any) -> Any:  # noqa: N802 - the protocol's name
        """Take levels and settings; settings that a rule does not have are refused."""
        for name, config in request.policyConfig.items():
            self.setup.levels[name] = LEVEL_OF[config.enforcementLevel]
            self.setup.settings[name] = json_format.MessageToDict(config.properties)
        wrong = [words for each in self.policies for words in _misfits(each, self.setup.settings.get(each.name, {}))]
        if wrong:
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, "policy pack configuration: " + "; ".join(wrong))
        return empty_pb2.Empty()

    def ConfigureStack(self, request: Any, context: Any) -> Any:  # noqa: N802, ARG002 - the protocol's name
        """Take what the engine says of the stack."""
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

    # -- judging -----------------------------------------------------------------------------------------------------

    def Analyze(self, request: Any, context: Any) -> Any:  # noqa: N802, ARG002 - the protocol's name
        """Let each resource policy judge one resource."""
        raw = readable(request.properties)
        props = unknown_checking_proxy(deserialize_properties(raw))
        args = self._arguments(request, props, raw)
        response = analyzer_pb2.AnalyzeResponse()
        for policy, level in self._active(ResourceValidationPolicy):
            if isinstance(policy, ResourceRulePolicy) and request.type not in policy.types:
                continue
            if policy.has_validation():
                self._judge(policy, level, response, self._for(policy, args))
            else:
                self._skip(policy, response, "Policy does not implement validate")
        return response

    def AnalyzeStack(self, request: Any, context: Any) -> Any:  # noqa: N802, ARG002 - the protocol's name
        """Let each stack policy judge the resources together."""
        resources = placed(request.resources)
        response = analyzer_pb2.AnalyzeResponse()
        for policy, level in self._active(StackValidationPolicy):
            args = StackArguments(resources, self.setup.settings.get(policy.name), self.setup.tags)
            args.facts = self.setup.facts
            self._judge(policy, level, response, args)
        return response

    def Remediate(self, request: Any, context: Any) -> Any:  # noqa: N802, ARG002 - the protocol's name
        """Let each policy of the level `remediate` change one resource, one after the other."""
        raw, response = json_of(request.properties), analyzer_pb2.RemediateResponse()
        if not all(map(is_readable, raw.values())):
            return response  # the engine takes the answer for all properties, and these cannot be given back
        props: Any = unknown_checking_proxy(deserialize_properties(raw, True))
        for policy, level in self._active(ResourceValidationPolicy):
            if level is not EnforcementLevel.REMEDIATE:
                continue
            if not policy.has_remediation():
                self._skip(policy, response, "Policy does not implement remediate")
                continue
            args = self._for(policy, self._arguments(request, props, raw))
            with _heeding(policy, response) as unknown:
                changed = _result(policy.remediate(args))
                if changed:
                    props = changed
                    response.remediations.append(self._remediation(policy, properties=encoded(changed)))
            for error in unknown:
                said = self._not_run(policy, "remediation", error)
                response.remediations.append(self._remediation(policy, diagnostic=said))
        return response

    def _active(self, kind: type[Any]) -> Iterator[tuple[Any, EnforcementLevel]]:
        for policy in self.policies:
            level = self.setup.levels.get(policy.name, policy.enforcement_level or EnforcementLevel.ADVISORY)
            if isinstance(policy, kind) and level is not EnforcementLevel.DISABLED:
                yield policy, level

    def _judge(self, policy: Any, level: EnforcementLevel, response: Any, args: Any) -> None:
        # A violation that remains after a remediation, or has none, stops the deployment.
        level = EnforcementLevel.MANDATORY if level is EnforcementLevel.REMEDIATE else level

        def report(message: str, urn: str | None = None) -> None:
            text = f"{policy.description}\n{message}" if message else policy.description
            response.diagnostics.append(self._diagnostic(policy, level, text, urn or ""))

        with _heeding(policy, response) as unknown:
            _result(policy.validate(args, report))
        for error in unknown:
            said = self._not_run(policy, "policy", error)
            response.diagnostics.append(self._diagnostic(policy, EnforcementLevel.ADVISORY, said, ""))

    def _skip(self, policy: Policy, response: Any, reason: str) -> None:
        response.not_applicable.append(analyzer_pb2.PolicyNotApplicable(policy_name=policy.name, reason=reason))

    def _arguments(self, request: Any, props: Any, raw: Mapping[str, Any]) -> Arguments:
        options, provider = options_of(request.options), provider_of(request)
        args = Arguments(request.type, props, request.urn, request.name, options, provider, stack_tags=self.setup.tags)
        args.facts, args.values = self.setup.facts, Properties(props)
        args.secret_inputs = frozenset(name for name, value in raw.items() if has_secret(read(value)))
        return args

    def _for(self, policy: Policy, args: Arguments) -> Arguments:
        """Return the arguments with one policy's settings."""
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


def _misfits(policy: Policy, config: Mapping[str, Any]) -> list[str]:
    """Return, in words, what of a configuration the policy's rule does not take."""
    if not isinstance(policy, (ResourceRulePolicy, StackRulePolicy)):
        return []
    try:
        policy.configured.settings_of(config)
    except ValidationError as error:
        return [_misfit(policy, each) for each in error.errors(include_url=False)]
    return []


def _misfit(policy: ResourceRulePolicy | StackRulePolicy, error: ErrorDetails) -> str:
    path = ".".join(map(str, error["loc"]))
    if error["type"] == "extra_forbidden":
        names = ", ".join(policy.configured.rule.schema({}))
        return f"{policy.name} has no setting {path}, but {names}"
    words = error["msg"].removeprefix("Value error, ")
    return f"{policy.name}.{path}: {words[:1].lower()}{words[1:]}"


def _result(answer: Any) -> Any:
    """Return what a policy answered, waiting for it where it is asynchronous."""

    async def wait() -> Any:
        return await answer

    return asyncio.run(wait()) if isawaitable(answer) else answer


@contextmanager
def _heeding(policy: Policy, response: Any) -> Iterator[list[UnknownValueError]]:
    """Take down that a policy does not apply, or met a value that is not known."""
    unknown: list[UnknownValueError] = []
    try:
        yield unknown
    except UnknownValueError as error:
        unknown.append(error)
    except NotApplicableError as error:
        response.not_applicable.append(analyzer_pb2.PolicyNotApplicable(policy_name=policy.name, reason=error.reason))


def serve(name: str, policies: Sequence[Policy]) -> None:
    """Serve policies until the engine ends this process, or has gone: the stack's configuration is in its memory."""
    analyzer, log = Analyzer(name, policies), EngineLog()
    server, ended = wire_server.serve(partial(analyzer_pb2_grpc.add_AnalyzerServicer_to_server, analyzer), THREADS)
    EngineWatch(lambda: log.address, gone=partial(ended.put, None)).start()
    ended.get()
    server.stop(0)
