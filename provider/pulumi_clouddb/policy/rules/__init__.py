"""The rules of the package, by resource, for shared inputs and for whole stacks."""

from __future__ import annotations

from typing import Any

from pulumi_clouddb.policy.rule import Rule

from . import (
    access,
    alert,
    api_key,
    dashboard,
    inputs,
    pipe_scaling,
    postgres_service,
    query_api_endpoint,
    service,
    service_protection,
    stack,
    together,
    usage,
)

MODULES = (
    access,
    service,
    service_protection,
    postgres_service,
    api_key,
    query_api_endpoint,
    pipe_scaling,
    dashboard,
    alert,
    inputs,
    stack,
    together,
    usage,
)

RULES: tuple[Rule[Any], ...] = tuple(
    value for module in MODULES for value in vars(module).values() if isinstance(value, Rule)
)
"""All rules, in the order of the documentation."""
