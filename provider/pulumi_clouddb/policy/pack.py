"""What a pack folder's `__main__.py` calls."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from pulumi_policy import Policy

from .profiles import PROFILES, Profile
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
    """Serve the pack to the engine; only a policy pack's `__main__.py` calls this, and it does not return.

    Args:
        profile: `baseline`, `production` or `strict`; the environment variable CLOUDDB_POLICY_PROFILE has precedence.
        rules: A team's own rules beside those of the package.
        production: What counts as production, instead of what the profile says.
        name: Name of the pack in messages.

    Raises:
        ValueError: There is no such profile.
    """
    chosen = os.environ.get(PROFILE_VARIABLE) or profile
    serve(name, policies(chosen, rules=rules, production=production))


def policies(
    profile: str = "baseline", *, rules: Sequence[Rule[Any] | Policy] = (), production: Production | None = None
) -> list[Policy]:
    """Return the policies of a profile, for `start` or for a `pulumi_policy.PolicyPack` of your own.

    Args:
        profile: `baseline`, `production` or `strict`.
        rules: A team's own rules beside those of the package.
        production: What counts as production, instead of what the profile says.

    Raises:
        ValueError: There is no such profile.
    """
    if profile not in PROFILES:
        raise ValueError(f"there is no profile {profile!r}; choose one of {', '.join(PROFILES)}")
    found: Profile = PROFILES[profile]
    scope = production or found.production
    own = [each.policy(found.level(each), found.thresholds(each), scope) for each in RULES]
    return own + [each.policy(each.level, {}, scope) if isinstance(each, Rule) else each for each in rules]
