"""Rules for `pulumi preview` and `pulumi up` on pulumi-policy, for both front ends.

A pack folder's `__main__.py` calls `start`. Helpers for rules of your own: `is_service(args)`, `service(args)` and
their kin for the other resources; `rule` and `stack_rule` declare rules as this package does.
"""

from __future__ import annotations

from pulumi_clouddb.models.alert import ALERT
from pulumi_clouddb.models.api_key import API_KEY
from pulumi_clouddb.models.dashboard import DASHBOARD
from pulumi_clouddb.models.pipe_scaling import PIPE_SCALING
from pulumi_clouddb.models.service import SERVICE

from .pack import policies, start
from .profiles import PROFILES, Profile
from .rule import Context, Finding, Findings, Rule, Settings, StackContext, rule, setting, stack_rule, violation
from .scope import Production, StackFacts
from .views import (
    alert,
    api_key,
    dashboard,
    if_known,
    is_alert,
    is_api_key,
    is_complete,
    is_dashboard,
    is_given,
    is_pipe_scaling,
    is_service,
    is_unknown,
    path_of,
    pipe_scaling,
    plain,
    service,
)

__all__ = [
    "ALERT",
    "API_KEY",
    "DASHBOARD",
    "PIPE_SCALING",
    "PROFILES",
    "SERVICE",
    "Context",
    "Finding",
    "Findings",
    "Production",
    "Profile",
    "Rule",
    "Settings",
    "StackContext",
    "StackFacts",
    "alert",
    "api_key",
    "dashboard",
    "if_known",
    "is_alert",
    "is_api_key",
    "is_complete",
    "is_dashboard",
    "is_given",
    "is_pipe_scaling",
    "is_service",
    "is_unknown",
    "path_of",
    "pipe_scaling",
    "plain",
    "policies",
    "rule",
    "service",
    "setting",
    "stack_rule",
    "start",
    "violation",
]
