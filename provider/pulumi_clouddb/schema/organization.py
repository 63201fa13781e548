"""Tiers and limits of organizations, and roles of members.

The command line imports this module, so it must not import pydantic.
"""

from __future__ import annotations

from enum import Enum

UNPAID_REPLICA_GB, UNPAID_TOTAL_GB = 120, 360
"""Ceilings of a service's memory for organizations that do not pay."""


class OrganizationTier(str, Enum):
    """Tier of the organization."""

    BASIC = "BASIC"
    SCALE = "SCALE"
    ENTERPRISE = "ENTERPRISE"


BASIC = OrganizationTier.BASIC.value
"""The tier whose services may have a single replica."""


class MemberRole(str, Enum):
    """The role of a person in an organization without roles of its own."""

    ADMIN = "admin"
    DEVELOPER = "developer"
