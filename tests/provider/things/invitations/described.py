"""Invitations to the organization."""

from __future__ import annotations

from typing_extensions import TypedDict

from description.exchange import Exchange
from description.notation import Moment, Uuid
from things.keys.described import AssignedRole
from things.members.described import Role


class Create(TypedDict, total=False):
    email: str
    role: Role  # deprecated
    assignedRoleIds: list[str]


class Invitation(TypedDict, total=False):
    id: Uuid
    email: str
    role: Role  # deprecated
    createdAt: Moment
    expireAt: Moment
    assignedRoles: list[AssignedRole]


EXCHANGES = {
    "list_invitations": Exchange(response=list[Invitation]),
    "create_invitation": Exchange(Create, Invitation),
    "get_invitation": Exchange(response=Invitation),
    "delete_invitation": Exchange(),
}
