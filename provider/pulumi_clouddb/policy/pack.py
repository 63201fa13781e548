"""The functions that the `__main__.py` of a policy pack calls."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from pulumi.runtime.proto import analyzer_pb2
from pulumi_policy import Policy

from pulumi_clouddb.engine.wire import urns
from pulumi_clouddb.engine.wire.codec import to_struct
from pulumi_clouddb.schema.resource_type import ResourceType

from .profiles import PROFILES
from .rule import Rule
from .rules import RULES
from .scope import Production
from .server import Analyzer, config_errors, serve

PROFILE_VARIABLE = "CLOUDDB_POLICY_PROFILE"


def start(
    profile: str = "baseline",
    *,
    rules: Sequence[Rule[Any] | Policy] = (),
    production: Production | None = None,
    name: str = "clouddb",
) -> None:
    """Serve the pack to the engine until the run ends; only the `__main__.py` of a policy pack calls this.

    Args:
        profile: `baseline`, `production` or `strict`; the environment variable CLOUDDB_POLICY_PROFILE overrides it.
        rules: Rules of your own, in addition to those of this package.
        production: What counts as production; by default, the profile decides.
        name: The name of the pack in messages.

    Raises:
        ValueError: The profile does not exist.
    """
    serve(name, policies(os.environ.get(PROFILE_VARIABLE) or profile, rules=rules, production=production))


def policies(
    profile: str = "baseline", *, rules: Sequence[Rule[Any] | Policy] = (), production: Production | None = None
) -> list[Policy]:
    """Return the policies of a profile, for a `pulumi_policy.PolicyPack` of your own.

    Args:
        profile: `baseline`, `production` or `strict`.
        rules: Rules of your own, in addition to those of this package.
        production: What counts as production; by default, the profile decides.

    Raises:
        ValueError: The profile does not exist.
    """
    if profile not in PROFILES:
        raise ValueError(f"there is no profile {profile!r}; choose one of {', '.join(PROFILES)}")
    chosen = PROFILES[profile]
    scope = production or chosen.production
    own = [each.policy(chosen.level(each), chosen.thresholds(each), scope) for each in RULES]
    return own + _policies_of(rules, scope)


def violations(
    rules: Sequence[Rule[Any] | Policy],
    type_: ResourceType,
    inputs: Mapping[str, Any],
    *,
    name: str = "it",
    settings: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
) -> list[str]:
    """Return what rules report about one resource in a preview, for tests of your own rules.

    Args:
        rules: The rules, and policies of pulumi-policy.
        type_: The type of the resource, such as `DASHBOARD` of this package.
        inputs: The inputs by the names of the API; `UNKNOWN` of clouddb_tools.testing stands for an unknown value.
        name: The name of the resource in the program.
        settings: The settings of rules by the name of the rule, as in the configuration of the pack.

    Returns:
        `rule: message` for each violation, and for each rule that fails itself.

    Raises:
        ValueError: A rule of this package has no such setting, or not with this value.
    """
    chosen = _policies_of(rules, Production())
    if errors := config_errors(chosen, settings):
        raise ValueError("; ".join(errors))
    analyzer = Analyzer("test", chosen)
    config = {
        rule: analyzer_pb2.PolicyConfig(properties=to_struct(dict(values), secrets=False))
        for rule, values in settings.items()
    }
    analyzer.Configure(analyzer_pb2.ConfigureAnalyzerRequest(policyConfig=config), None)
    urn = urns.create("test", "test", "", type_.token, name)
    properties = to_struct(dict(inputs), secrets=True)
    request = analyzer_pb2.AnalyzeRequest(type=type_.token, urn=urn, name=name, properties=properties)
    found = analyzer.Analyze(request, None).diagnostics
    return [f"{each.policyName}: {each.message.removeprefix(each.description).strip()}" for each in found]


def _policies_of(rules: Sequence[Rule[Any] | Policy], scope: Production) -> list[Policy]:
    return [each.policy(each.level, {}, scope) if isinstance(each, Rule) else each for each in rules]
