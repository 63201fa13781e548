"""Rules for `pulumi preview` and `pulumi up` on pulumi-policy, for both front ends.

A pack folder's `__main__.py` calls `start`. Helpers for rules of your own: `is_service(args)`, `service(args)` and
their kin for the other resources; `rule` and `stack_rule` declare rules as this package does.
"""

from __future__ import annotations

from pulumi_clouddb.schema.view import is_complete, is_given, is_unknown, path_of

from . import resources
from .pack import policies, start
from .profiles import PROFILES, Profile
from .resources import *  # noqa: F403 (generated: a type, a view and a test for each resource)
from .rule import Context, Finding, Findings, Rule, Settings, StackContext, rule, setting, stack_rule, violation
from .scope import Production, StackFacts
from .views import if_known, plain

__all__ = [
    "PROFILES",
    "Context",
    "Finding",
    "Findings",
    "Production",
    "Profile",
    "Rule",
    "Settings",
    "StackContext",
    "StackFacts",
    "if_known",
    "is_complete",
    "is_given",
    "is_unknown",
    "path_of",
    "plain",
    "policies",
    "rule",
    "setting",
    "stack_rule",
    "start",
    "violation",
]
__all__ += resources.__all__
