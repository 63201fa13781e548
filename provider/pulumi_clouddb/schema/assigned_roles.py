"""Roles that are assigned to keys, members and invitations."""

from __future__ import annotations

from .base import Record, Text, prop


class AssignedRole(Record):
    """A role of a key, a member or an invitation."""

    role_id: Text | None = prop("Id of the role.")
    role_name: Text | None = prop("Name of the role.")
    role_type: Text | None = prop("Whether it is a role of the `system` or a `custom` one of the organization.")


def ids_of(roles: list[AssignedRole]) -> list[str]:
    """Return the ids of assigned roles, as requests name them."""
    return [role.role_id for role in roles if role.role_id is not None]
