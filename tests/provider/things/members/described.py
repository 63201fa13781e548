"""Members of the organization."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict

from description.exchange import Exchange
from description.notation import Moment
from things.keys.described import AssignedRole

Role = Literal["admin", "developer"]


class Update(TypedDict, total=False):
    role: Role  # deprecated
    assignedRoleIds: list[str]


class Member(TypedDict, total=False):
    userId: str
    name: str
    email: str
    role: Role  # deprecated
    joinedAt: Moment
    assignedRoles: list[AssignedRole]


EXCHANGES = {
    "list_members": Exchange(response=list[Member]),
    "get_member": Exchange(response=Member),
    "update_member": Exchange(Update, Member),
    "delete_member": Exchange(),
}
