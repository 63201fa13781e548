"""How a rule is declared: once, with its settings, its test and its remediation; a policy is made of it per profile.

    class Replicas(Settings):
        minimum: int = setting("Replicas that are enough.", default=2, ge=1)

    @rule(SERVICE, "enough-replicas", "…", severity=Severity.HIGH, comply="…", settings=Replicas)
    def enough_replicas(service: Service, context: Context[Replicas]) -> Findings:
        if service.num_replicas is not None and service.num_replicas < context.settings.minimum:
            yield violation(service, "num_replicas", f"give at least {context.settings.minimum}")

A test yields what it finds. Where it meets an unknown value it is left, with what it found so far.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeAlias, TypeVar, cast

from pulumi_policy import (
    EnforcementLevel,
    Policy,
    PolicyComplianceFramework,
    PolicyConfigSchema,
    PolicyResource,
    ReportViolation,
    ResourceValidationArgs,
    ResourceValidationPolicy,
    Severity,
    StackValidationArgs,
    StackValidationPolicy,
)
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.values import whole_numbers
from pulumi_clouddb.schema.view import path_of

from .scope import Production, StackFacts, matches
from .views import if_known, is_of, resource_view

CATALOGUE, CATALOGUE_REVISION = "NIST SP 800-53", "5"
CATALOGUE_PAGE = "https://csrc.nist.gov/pubs/sp/800/53/r5/upd1/final"


def sets(name: str, value: str | bool) -> Fix[Any]:
    """Return the remediation that sets an input, by its wire name, to a value that is the same everywhere."""

    def remediation(_: Any, __: Context[Any]) -> Mapping[str, Any]:
        return {name: value}

    remediation.__doc__ = f"Sets {name} to {value if isinstance(value, str) else json.dumps(value)}."
    return remediation


def setting(description: str, *, default: Any, **limits: Any) -> Any:
    """Declare a setting of a rule: its meaning, its default, and limits that pydantic's `Field` knows."""
    return Field(default=default, description=description, **limits)


class Settings(BaseModel):
    """The settings of a rule; every rule takes `exceptions`."""

    model_config = ConfigDict(extra="forbid", alias_generator=to_camel, validate_by_name=True, frozen=True)

    exceptions: list[str] = setting(
        "Resources that the rule leaves alone, by name or URN; `*` stands for any text.", default=[]
    )


S = TypeVar("S", bound=Settings)


@dataclass(frozen=True)
class Finding:
    """Something that breaks a rule.

    Attributes:
        at: The property path, such as `ipAccessList[0].source`.
        found: What is there, in words: `is 1`.
        wanted: What to do instead, with the limit.
        urn: The resource, for findings in a stack.
    """

    at: str
    found: str
    wanted: str
    urn: str | None = None

    def __str__(self) -> str:
        """Return it as the user reads it."""
        return f"{self.at} {self.found}; {self.wanted}."

    def without_secrets(self, secret: Container[str]) -> Finding:
        """Return it without the value, if it is about one of these top-level inputs."""
        hides = re.split(r"[.\[]", self.at, maxsplit=1)[0] in secret
        return replace(self, found="holds a secret that is not as it should be") if hides else self


Findings: TypeAlias = Iterator[Finding]


def violation(seen: object, name: str, wanted: str) -> Finding:
    """Return the finding that the property `name` of a view is not as it should be."""
    return Finding(path_of(seen, name), f"is {shown(getattr(seen, name))}", wanted)


def shown(value: Any) -> str:
    """Write a value into a message."""
    if value is None or value == "":
        return "not given" if value is None else "empty"
    if isinstance(value, bool):
        return str(value).lower()
    text = repr(str(value) if isinstance(value, str) else whole_numbers(value))
    return text if len(text) <= 80 else f"{text[:77]}..."


@dataclass(frozen=True)
class Context(Generic[S]):
    """What a test may know beside the resource's properties.

    Attributes:
        settings: The rule's settings.
        type: What the resource is.
        args: What pulumi-policy gives: URN, options, provider.
        seen: The view of the resource.
        scope: What counts as production.
        facts: What the engine says of the stack.
        secret_inputs: The top-level inputs that are, or hold, something secret; None where a host does not say.
    """

    settings: S
    type: ResourceType
    args: ResourceValidationArgs
    seen: Any
    scope: Production
    facts: StackFacts
    secret_inputs: frozenset[str] | None

    @property
    def production(self) -> bool:
        """Whether the resource is production; UnknownValueError where that is not known yet."""
        return self.scope.holds(self.args.urn, self.args.stack_tags, self.seen)


@dataclass(frozen=True)
class Placed:
    """A resource of a stack.

    Attributes:
        resource: What pulumi-policy knows of it; `service(resource)` and its kin read its outputs.
        production: Whether it is known to be production.
    """

    resource: PolicyResource
    production: bool


@dataclass(frozen=True)
class StackContext(Generic[S]):
    """What a test of a whole stack may know: the settings, the resources without the excepted ones, the facts."""

    settings: S
    args: StackValidationArgs
    production: Production
    facts: StackFacts

    def all_of(self, type_: ResourceType) -> list[Placed]:
        """Return the resources of a type that the rule is about."""
        return [
            Placed(each, self._in_production(each, resource_view(type_, each)))
            for each in self.args.resources
            if is_of(type_, each) and not matches(self.settings.exceptions, each.name, each.urn)
        ]

    def _in_production(self, resource: PolicyResource, seen: Any) -> bool:
        with if_known:
            return self.production.holds(resource.urn, self.args.stack_tags, seen)
        return False


Test: TypeAlias = Callable[[Any, Context[S]], Findings]
StackTest: TypeAlias = Callable[[StackContext[S]], Findings]
Fix: TypeAlias = Callable[[Any, Context[S]], Mapping[str, Any]]


@dataclass
class Rule(Generic[S]):
    """One rule, whatever it is about.

    Attributes:
        name: Its name in configuration and messages.
        description: What holds where it is kept.
        severity: How bad it is where it is broken.
        tags: Words to find it by.
        comply: How to keep it.
        settings: Its settings, with their defaults.
        types: The resources it judges one by one; none for a rule about the stack as a whole.
        test: What yields the findings.
        control: The control of NIST SP 800-53 that it serves, number and title, where there is one.
        level: How strictly it is enforced where no profile says so.
        remediation: The remediation, where the fix is safe.
    """

    name: str
    description: str
    severity: Severity
    tags: tuple[str, ...]
    comply: str
    settings: type[S]
    types: tuple[ResourceType, ...]
    test: Callable[..., Findings]
    control: str = ""
    level: EnforcementLevel = EnforcementLevel.MANDATORY
    remediation: Fix[S] | None = None

    def fix(self, remediation: Fix[S]) -> Fix[S]:
        """Take a function as the remediation: it returns new values of inputs, by wire name."""
        self.remediation = remediation
        return remediation

    def schema(self, thresholds: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
        """Return the JSON schema of each setting by its wire name, with a profile's thresholds as defaults."""
        return {
            name: {**{key: value for key, value in spec.items() if key != "title"}, **_default(thresholds, name)}
            for name, spec in self.settings.model_json_schema()["properties"].items()
        }

    def policy(self, level: EnforcementLevel, thresholds: Mapping[str, Any], production: Production) -> Policy:
        """Return the rule as a policy of pulumi-policy."""
        about: dict[str, Any] = {
            "name": self.name,
            "description": self.description,
            "enforcement_level": level,
            "config_schema": PolicyConfigSchema(self.schema(thresholds)),
            "severity": self.severity,
            "tags": list(self.tags),
            "remediation_steps": self.comply,
        }
        if self.control:
            number, _, title = self.control.partition(" ")
            about["framework"] = PolicyComplianceFramework(CATALOGUE, CATALOGUE_REVISION, number, title)
            about["url"] = CATALOGUE_PAGE
        if not self.types:
            return StackRulePolicy(self, thresholds, production, about)
        return ResourceRulePolicy(self, thresholds, production, about)


def _default(thresholds: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {"default": thresholds[name]} if name in thresholds else {}


class _Configured(Generic[S]):
    """A policy's settings: the profile's thresholds, and over them what is configured."""

    def __init__(self, rule: Rule[S], thresholds: Mapping[str, Any], production: Production) -> None:
        self.rule, self.production, self._thresholds = rule, production, thresholds
        self._seen: Mapping[str, Any] = {}
        self._settings = self.settings_of({})

    def settings_of(self, config: Mapping[str, Any]) -> S:
        """Return the settings of a configuration; raises pydantic's ValidationError for one that does not fit."""
        return self.rule.settings.model_validate({**self._thresholds, **config})

    def settings(self, config: Mapping[str, Any]) -> S:
        """Return the settings; a host gives the same configuration with every call."""
        if config != self._seen:
            self._settings, self._seen = self.settings_of(config), config
        return self._settings


class ResourceRulePolicy(ResourceValidationPolicy):
    """A rule as pulumi-policy runs it on each resource."""

    def __init__(
        self, rule: Rule[Any], thresholds: Mapping[str, Any], production: Production, about: Mapping[str, Any]
    ) -> None:
        self.configured = _Configured(rule, thresholds, production)
        self.types = {token: type_ for type_ in rule.types for token in (type_.token, type_.dynamic_token)}
        repair = self._repair if rule.remediation else None
        super().__init__(**about, validate=self._judge, remediate=cast(Any, repair))

    def _judge(self, args: ResourceValidationArgs, report: ReportViolation) -> None:
        type_ = self.types.get(args.resource_type)
        secret = {*(getattr(args, "secret_inputs", None) or ()), *(type_.secrets if type_ else ())}
        for finding in self._findings(args):
            report(str(finding.without_secrets(secret)), None)

    def _findings(self, args: ResourceValidationArgs) -> Findings:
        found = self._look(args)
        if found:
            with if_known:
                yield from self.configured.rule.test(*found)

    def _repair(self, args: ResourceValidationArgs) -> Mapping[str, Any] | None:
        # Set in place: that keeps secrets secret, and leaves what it does not know, such as `__provider`, as it is.
        remediation = self.configured.rule.remediation
        found = self._look(args)
        values: Mapping[str, Any] = {}
        if remediation and found and next(self._findings(args), None):
            with if_known:
                values = remediation(*found)
        for name, value in values.items():
            cast(dict[str, Any], args.props)[name] = value
        return args.props if values else None

    def _look(self, args: ResourceValidationArgs) -> tuple[Any, Context[Any]] | None:
        type_ = self.types.get(args.resource_type)
        if type_ is None:
            return None
        settings = self.configured.settings(args.get_config())
        if matches(settings.exceptions, args.name, args.urn):
            return None
        seen = resource_view(type_, args)
        facts, secrets = getattr(args, "facts", StackFacts()), getattr(args, "secret_inputs", None)
        return seen, Context(settings, type_, args, seen, self.configured.production, facts, secrets)


class StackRulePolicy(StackValidationPolicy):
    """A rule as pulumi-policy runs it on the whole stack."""

    def __init__(
        self, rule: Rule[Any], thresholds: Mapping[str, Any], production: Production, about: Mapping[str, Any]
    ) -> None:
        self.configured = _Configured(rule, thresholds, production)
        super().__init__(**about, validate=self._judge)

    def _judge(self, args: StackValidationArgs, report: ReportViolation) -> None:
        settings = self.configured.settings(args.get_config())
        facts = getattr(args, "facts", StackFacts())
        with if_known:
            for finding in self.configured.rule.test(StackContext(settings, args, self.configured.production, facts)):
                report(str(finding), finding.urn)


def rule(
    types: ResourceType | tuple[ResourceType, ...],
    name: str,
    description: str,
    *,
    severity: Severity,
    comply: str,
    tags: tuple[str, ...] = (),
    control: str = "",
    level: EnforcementLevel = EnforcementLevel.MANDATORY,
    settings: type[S] = cast(type[Any], Settings),  # noqa: B008 - a class, not a value
) -> Callable[[Test[S]], Rule[S]]:
    """Declare a rule about single resources; the function under it is its test.

    Args:
        types: The resources it judges.
        name: Its name in configuration and messages.
        description: What holds where it is kept, a sentence.
        severity: How bad it is where it is broken.
        comply: How to keep it, a sentence.
        tags: Words to find it by.
        control: The control of NIST SP 800-53 that it serves, such as `AC-6 Least Privilege`.
        level: How strictly it is enforced where no profile says so: for a team's own rules.
        settings: Its settings beside `exceptions`.
    """
    several = types if isinstance(types, tuple) else (types,)
    return lambda test: Rule(name, description, severity, tags, comply, settings, several, test, control, level)


def stack_rule(
    name: str,
    description: str,
    *,
    severity: Severity,
    comply: str,
    tags: tuple[str, ...] = (),
    control: str = "",
    level: EnforcementLevel = EnforcementLevel.MANDATORY,
    settings: type[S] = cast(type[Any], Settings),  # noqa: B008 - a class, not a value
) -> Callable[[StackTest[S]], Rule[S]]:
    """Declare a rule about the stack as a whole; the arguments are those of `rule`."""
    return lambda test: Rule(name, description, severity, tags, comply, settings, (), test, control, level)
