"""The functions that the `__main__.py` of a policy pack calls."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from pulumi_policy import Policy

from .profiles import PROFILES
from .rule import Rule
from .rules import RULES
from .scope import Production
from .server import serve

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
    return own + [each.policy(each.level, {}, scope) if isinstance(each, Rule) else each for each in rules]
