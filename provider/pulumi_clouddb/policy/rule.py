"""The declaration of a rule: its settings, test and remediation. Each profile makes a policy of it.

    class Replicas(Settings):
        minimum: int = setting("Minimum number of replicas.", default=2, ge=1)

    @rule(SERVICE, "enough-replicas", "…", severity=Severity.HIGH, comply="…", settings=Replicas)
    def enough_replicas(service: Service, context: Context[Replicas]) -> Findings:
        if service.num_replicas is not None and service.num_replicas < context.settings.minimum:
            yield violation(service, "num_replicas", f"set at least {context.settings.minimum}")

A test yields findings. It ends at the first unknown value that it reads outside `with if_known:`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Container, Iterator, Mapping
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
    Secret,
    Severity,
    StackValidationArgs,
    StackValidationPolicy,
)
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from pulumi_clouddb.schema.check.wording import limits_in
from pulumi_clouddb.schema.public_names import in_program
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.values import whole_numbers
from pulumi_clouddb.schema.view import is_complete, path_of

from .scope import FACTS, SECRET_INPUTS, Production, StackFacts, matches
from .upstream import has_secret_elements
from .views import if_known, is_of, resource_view

CATALOGUE, CATALOGUE_REVISION = "NIST SP 800-53", "5"
CATALOGUE_PAGE = "https://csrc.nist.gov/pubs/sp/800/53/r5/upd1/final"


def sets(name: str, value: str | bool) -> Fix[Any]:
    """Return the remediation that sets an input, by its wire name, to a constant."""

    def remediation(_: Any, __: Context[Any]) -> Mapping[str, Any]:
        return {name: value}

    remediation.__doc__ = f"Sets {name} to {value if isinstance(value, str) else json.dumps(value)}."
    return remediation


def without_role(role: str) -> Fix[Any]:
    """Return the remediation that removes a role from the input `roles`, unless no other role remains."""

    def remediation(view: Any, _: Context[Any]) -> Mapping[str, Any]:
        others = [each for each in view.roles or () if each != role]
        return {"roles": others} if others and is_complete(view.roles) else {}

    remediation.__doc__ = f"Removes {role} from roles, unless no other role remains."
    return remediation


def setting(description: str, *, default: Any, **limits: Any) -> Any:
    """Declare a setting of a rule, with limits that pydantic's `Field` accepts."""
    return Field(default=default, description=description, **limits)


def limits_of(model: type[BaseModel], attribute: str, *kinds: str) -> dict[str, Any]:
    """Return the limits of a number in a model as arguments of `setting`: all, or those of some kinds such as `ge`."""
    limits = limits_in(model.model_fields[attribute].metadata)
    return {kind: limit for kind, limit in limits.items() if kind in (kinds or ("ge", "le", "multiple_of"))}


class Settings(BaseModel):
    """The settings that every rule has."""

    model_config = ConfigDict(extra="forbid", alias_generator=to_camel, validate_by_name=True, frozen=True)

    exceptions: list[str] = setting(
        "Names or URNs of resources that the rule skips; `*` stands for any text.", default=[]
    )


S = TypeVar("S", bound=Settings)


@dataclass(frozen=True)
class Finding:
    """A violation of a rule.

    Attributes:
        at: The property path, such as `ipAccessList[0].source`.
        found: The predicate of the message: `is 1`.
        wanted: What to do, with the limit.
        urn: The resource, for findings of a stack rule.
    """

    at: str
    found: str
    wanted: str
    urn: str | None = None

    def __str__(self) -> str:
        """Return the message."""
        return f"{self.at} {self.found}; {self.wanted}."

    def without_secrets(self, secret: Container[str]) -> Finding:
        """Return it without the value, if its property is in one of these top-level inputs."""
        is_secret = re.split(r"[.\[]", self.at, maxsplit=1)[0] in secret
        return replace(self, found="has a secret value that violates the rule") if is_secret else self


Findings: TypeAlias = Iterator[Finding]


def violation(seen: object, name: str, wanted: str) -> Finding:
    """Return the finding that the property `name` of a view violates the rule."""
    return Finding(path_of(seen, name), f"is {shown(getattr(seen, name))}", wanted)


def is_allowed(value: str, allowed: Collection[str]) -> bool:
    """Return whether a setting allows a value. An empty setting allows any: the vendor adds values at any time."""
    return not allowed or value in allowed


def one_of(allowed: Collection[str]) -> str:
    """Return what to do about a value that a setting does not allow, or about a missing one."""
    return f"set one of {', '.join(allowed)}" if allowed else "set one"


def shown(value: Any) -> str:
    """Return a value in the form that messages show."""
    if value is None or value == "":
        return "not set" if value is None else "empty"
    if isinstance(value, bool):
        return str(value).lower()
    text = repr(str(value) if isinstance(value, str) else whole_numbers(value))
    return text if len(text) <= 80 else f"{text[:77]}..."


@dataclass(frozen=True)
class Context(Generic[S]):
    """The arguments of a test besides the view of the resource.

    Attributes:
        settings: The settings of the rule.
        type: The type of the resource.
        args: The arguments from pulumi-policy, with URN, options and provider.
        seen: The view of the resource.
        scope: What counts as production.
        facts: Facts about the stack.
        secret_inputs: The top-level inputs that are or contain secrets; None if the server does not pass them.
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
        """Whether the resource is production; raises UnknownValueError if that depends on an unknown name."""
        return self.scope.holds(self.args.urn, self.args.stack_tags, self.seen)


@dataclass(frozen=True)
class Placed:
    """A resource of a stack.

    Attributes:
        resource: The resource from pulumi-policy; `service(resource)` and similar functions read its outputs.
        production: Whether it is known to be production.
    """

    resource: PolicyResource
    production: bool


@dataclass(frozen=True)
class StackContext(Generic[S]):
    """The argument of a test of a whole stack.

    Attributes:
        settings: The settings of the rule.
        args: The arguments from pulumi-policy, with all resources.
        production: What counts as production.
        facts: Facts about the stack.
    """

    settings: S
    args: StackValidationArgs
    production: Production
    facts: StackFacts

    def all_of(self, type_: ResourceType) -> list[Placed]:
        """Return the resources of a type, without exceptions."""
        return [
            Placed(each, self._is_production(type_, each))
            for each in self.args.resources
            if is_of(type_, each) and not matches(self.settings.exceptions, each.name, each.urn)
        ]

    def _is_production(self, type_: ResourceType, resource: PolicyResource) -> bool:
        with if_known:
            return self.production.holds(resource.urn, self.args.stack_tags, resource_view(type_, resource))
        return False


Test: TypeAlias = Callable[[Any, Context[S]], Findings]
StackTest: TypeAlias = Callable[[StackContext[S]], Findings]
Fix: TypeAlias = Callable[[Any, Context[S]], Mapping[str, Any]]


@dataclass
class Rule(Generic[S]):
    """A rule about single resources or about the stack as a whole; `rule` describes the other attributes.

    Attributes:
        types: The types of resources that it checks; empty for a rule about the stack as a whole.
        test: The function that yields the findings.
        remediation: The function that returns corrected inputs; None if no safe correction exists.
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
        """Set the remediation: a function that returns new values of inputs by wire name."""
        self.remediation = remediation
        return remediation

    def schema(self, thresholds: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
        """Return the JSON schema of each setting by its wire name, with the thresholds of a profile as defaults."""
        specs: dict[str, dict[str, Any]] = self.settings.model_json_schema()["properties"]
        for name, spec in specs.items():
            spec.pop("title", None)
            spec["default"] = thresholds.get(name, spec["default"])
        return specs

    def policy(self, level: EnforcementLevel, thresholds: Mapping[str, Any], production: Production) -> Policy:
        """Return the rule as a policy for pulumi-policy."""
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


class ConfiguredRule(Generic[S]):
    """A rule with the thresholds of a profile, which the configuration of the pack overrides."""

    def __init__(self, rule: Rule[S], thresholds: Mapping[str, Any], production: Production) -> None:
        self.rule, self.production, self._thresholds = rule, production, thresholds
        self._config: Mapping[str, Any] = {}
        self._settings = self.validated({})

    def validated(self, config: Mapping[str, Any]) -> S:
        """Return the settings of a configuration.

        Raises:
            ValidationError: The configuration is invalid.
        """
        return self.rule.settings.model_validate({**self._thresholds, **config})

    def settings(self, config: Mapping[str, Any]) -> S:
        """Return the settings; every call for a run passes the same configuration, which is validated once."""
        if config != self._config:
            self._settings, self._config = self.validated(config), config
        return self._settings


class ResourceRulePolicy(ResourceValidationPolicy):
    """A rule about single resources as a policy of pulumi-policy."""

    def __init__(
        self, rule: Rule[Any], thresholds: Mapping[str, Any], production: Production, about: Mapping[str, Any]
    ) -> None:
        self.configured = ConfiguredRule(rule, thresholds, production)
        self.types = {token: type_ for type_ in rule.types for token in (type_.token, type_.dynamic_token)}
        remediate = self._remediate if rule.remediation else None
        super().__init__(**about, validate=self._validate, remediate=cast(Any, remediate))

    def _validate(self, args: ResourceValidationArgs, report: ReportViolation) -> None:
        context = self._context(args)
        if context is not None:
            secret = {*(context.secret_inputs or ()), *context.type.secrets}
            for finding in self._findings(context):
                report(in_program(str(finding.without_secrets(secret)), args.resource_type), None)

    def _remediate(self, args: ResourceValidationArgs) -> Mapping[str, Any] | None:
        remediation, context = self.configured.rule.remediation, self._context(args)
        values: Mapping[str, Any] = {}
        if remediation and context is not None and next(self._findings(context), None):
            with if_known:
                values = remediation(context.seen, context)
        # Assign to the given properties: they keep secrets secret, and unrelated ones such as `__provider` unchanged.
        for name, value in values.items():
            lost = isinstance(value, list) and has_secret_elements(args.props, name)
            cast(dict[str, Any], args.props)[name] = Secret(value) if lost else value
        return args.props if values else None

    def _context(self, args: ResourceValidationArgs) -> Context[Any] | None:
        """Return the context of a test, or None if the rule does not apply to the resource."""
        type_ = self.types.get(args.resource_type)
        if type_ is None:
            return None
        settings = self.configured.settings(args.get_config())
        if matches(settings.exceptions, args.name, args.urn):
            return None
        view = resource_view(type_, args)
        facts, secret_inputs = FACTS.get() or StackFacts(), SECRET_INPUTS.get()
        return Context(settings, type_, args, view, self.configured.production, facts, secret_inputs)

    def _findings(self, context: Context[Any]) -> Findings:
        with if_known:
            yield from self.configured.rule.test(context.seen, context)


class StackRulePolicy(StackValidationPolicy):
    """A rule about the whole stack as a policy of pulumi-policy."""

    def __init__(
        self, rule: Rule[Any], thresholds: Mapping[str, Any], production: Production, about: Mapping[str, Any]
    ) -> None:
        self.configured = ConfiguredRule(rule, thresholds, production)
        super().__init__(**about, validate=self._validate)

    def _validate(self, args: StackValidationArgs, report: ReportViolation) -> None:
        settings = self.configured.settings(args.get_config())
        context = StackContext(settings, args, self.configured.production, FACTS.get() or StackFacts())
        with if_known:
            for finding in self.configured.rule.test(context):
                report(in_program(str(finding), *(each.resource_type for each in args.resources)), finding.urn)


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
    """Declare a rule about single resources; the decorated function is its test.

    Args:
        types: The types of resources that it checks.
        name: Its name in configuration and messages.
        description: The state that it requires, as a sentence.
        severity: The severity of a violation.
        comply: What to do about a violation, as a sentence.
        tags: Keywords.
        control: The control of NIST SP 800-53 that it supports, such as `AC-6 Least Privilege`.
        level: Its enforcement level if no profile sets one, as for the rules of a team.
        settings: The model of its settings.
    """
    types = types if isinstance(types, tuple) else (types,)
    return lambda test: Rule(name, description, severity, tags, comply, settings, types, test, control, level)


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
    """Declare a rule about the stack as a whole; see `rule` for the arguments."""
    return lambda test: Rule(name, description, severity, tags, comply, settings, (), test, control, level)
