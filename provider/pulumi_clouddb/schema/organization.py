"""Organizations: tiers with their limits, and roles."""

from __future__ import annotations

from enum import Enum

from .base import Record, Text, prop

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


class AssignedRole(Record):
    """A role of a key, a member or an invitation."""

    role_id: Text | None = prop("Id of the role.")
    role_name: Text | None = prop("Name of the role.")
    role_type: Text | None = prop("Whether it is a role of the `system` or a `custom` one of the organization.")


def ids_of(roles: list[AssignedRole]) -> list[str]:
    """Return the ids of assigned roles, as in requests."""
    return [role.role_id for role in roles if role.role_id is not None]
