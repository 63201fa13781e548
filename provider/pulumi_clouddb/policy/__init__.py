"""Policies for `pulumi preview` and `pulumi up`, for resources of both front ends.

The `__main__.py` of a policy pack calls `start`. Rules of your own can use `is_service(args)`, `service(args)` and the
same functions of the other resources; `rule` and `stack_rule` declare rules like those of this package.
"""

from __future__ import annotations

from importlib.util import find_spec as _find_spec

if _find_spec("pulumi_policy") is None:
    raise ModuleNotFoundError("policies need more packages: pip install 'pulumi-clouddb[policy]'")

from pulumi_clouddb.schema.view import is_complete, is_given, is_unknown, path_of

from . import resources
from .pack import policies, start, violations
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
    "violations",
]
__all__ += resources.__all__
