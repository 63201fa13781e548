"""Tiers and limits of organizations, and roles of members.

The command line imports this module, so it must not import pydantic.
"""

from __future__ import annotations

from .choice import ClosedChoice, OpenChoice

UNPAID_REPLICA_GB, UNPAID_TOTAL_GB = 120, 360
"""Ceilings of a service's memory for organizations that do not pay."""


class OrganizationTier(ClosedChoice, because="it is a setting of this provider"):
    """Tier of the organization."""

    BASIC = "BASIC"
    SCALE = "SCALE"
    ENTERPRISE = "ENTERPRISE"


BASIC = OrganizationTier.BASIC.value
"""The tier whose services may have a single replica."""


class MemberRole(OpenChoice):
    """The role of a member of an organization without custom roles."""

    ADMIN = "admin"
    DEVELOPER = "developer"
