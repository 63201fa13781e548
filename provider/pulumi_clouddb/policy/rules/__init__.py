"""The rules of the package, by resource, and one each for what they share and for whole stacks."""

from __future__ import annotations

from typing import Any

from pulumi_clouddb.policy.rule import Rule

from . import access, alert, api_key, dashboard, inputs, pipe_scaling, service, service_protection, stack, usage

RULES: tuple[Rule[Any], ...] = tuple(
    value
    for module in (access, service, service_protection, api_key, pipe_scaling, dashboard, alert, inputs, stack, usage)
    for value in vars(module).values()
    if isinstance(value, Rule)
)
"""All rules, in the order of the documentation."""
