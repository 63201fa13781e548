"""The page docs/policies.md: every rule of the policy pack, generated from the rules."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from pulumi_clouddb.policy.profiles import PROFILES, Profile
from pulumi_clouddb.policy.rule import CATALOGUE, CATALOGUE_PAGE, CATALOGUE_REVISION, Rule
from pulumi_clouddb.policy.rules import RULES

from .docs import table
from .names import NOTICE

INTRODUCTION = """\
For platform teams: what does each rule of the policy pack check, at which level, and with which settings? [Policy
checks](policy-checks.md) describes how to use the pack and write your own rules.

Each rule checks the resources of both front ends, and skips values that a preview does not know. Each rule has
`exceptions`: names or URNs of resources that it skips, in which `*` stands for any text. A remediation runs if the
rule's level is `remediate`; a violation that remains after it, or that has none, stops the deployment like
`mandatory`."""


def policy_page() -> str:
    """Return the text of docs/policies.md."""
    notice = f"<!-- {NOTICE.format('the rules')} -->"
    blocks = [notice, "# Policies", INTRODUCTION, "## Profiles", _profiles(), "## All rules", _overview()]
    for rule in RULES:
        blocks += _section(rule)
    return "\n\n".join(blocks) + "\n"


def _profiles() -> str:
    rows = [[f"`{each.name}`", each.description, _production(each)] for each in PROFILES.values()]
    return table(["Profile", "For whom", "What counts as production"], rows)


def _production(profile: Profile) -> str:
    scope = profile.production
    if "*" in scope.stacks:
        return "everything"
    stacks, names = (", ".join(f"`{each}`" for each in patterns) for patterns in (scope.stacks, scope.names))
    return f"stacks named {stacks}; resources whose `name` is like {names}"


def _overview() -> str:
    rows = [
        [f"[{rule.name}](#{rule.name})", rule.severity.value, *_levels(rule), "yes" if rule.remediation else ""]
        for rule in RULES
    ]
    return table(["Rule", "Severity", *PROFILES, "Remediation"], rows)


def _levels(rule: Rule[Any]) -> list[str]:
    return [profile.level(rule).value for profile in PROFILES.values()]


def _section(rule: Rule[Any]) -> Iterator[str]:
    yield f"### {rule.name}"
    yield rule.description
    yield "\n".join(f"- {line}" for line in _facts(rule))
    own = {name: spec for name, spec in rule.schema({}).items() if name != "exceptions"}
    if own:
        rows = [
            [f"`{name}`", _type(spec), _default(rule, name, spec), spec["description"]] for name, spec in own.items()
        ]
        yield table(["Setting", "Type", "Default", "Meaning"], rows)


def _facts(rule: Rule[Any]) -> Iterator[str]:
    about = ", ".join(type_.name for type_ in rule.types) or "the stack as a whole"
    yield f"Checks: {about}. Severity: {rule.severity.value}. Tags: {', '.join(rule.tags)}."
    levels = [f"{name} {level}" for name, level in zip(PROFILES, _levels(rule), strict=True)]
    yield f"Levels: {', '.join(levels)}."
    yield f"What to do: {rule.comply}"
    if rule.remediation:
        yield f"Remediation: {' '.join((rule.remediation.__doc__ or '').split())}"
    if rule.control:
        yield f"Control: [{CATALOGUE}, revision {CATALOGUE_REVISION}]({CATALOGUE_PAGE}), {rule.control}."


def _type(spec: dict[str, Any]) -> str:
    kind = f"list of {spec['items']['type']}" if spec["type"] == "array" else str(spec["type"])
    words = {"minimum": "at least", "maximum": "at most", "multipleOf": "a multiple of", "pattern": "matching"}
    limits = [f"{word} {_value(spec[key])}" for key, word in words.items() if key in spec]
    return ", ".join([kind, *limits])


def _default(rule: Rule[Any], name: str, spec: dict[str, Any]) -> str:
    profiles = [
        f"{profile.name} {_value(profile.thresholds(rule)[name])}"
        for profile in PROFILES.values()
        if name in profile.thresholds(rule)
    ]
    return "; ".join([_value(spec["default"]), *profiles])


def _value(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_value, value)) or "none"
    return f"`{value}`" if isinstance(value, str) else json.dumps(value)
