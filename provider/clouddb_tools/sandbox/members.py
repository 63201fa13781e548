"""Members of the organization. Requests assign roles by id; records also show their names."""

from __future__ import annotations

from pulumi_clouddb.schema.organization import MemberRole
from pulumi_clouddb.things.members.api import Members

from .roles import assigned, system_role
from .served import Served
from .state import EMAIL, USER, SandboxState
from .store import Document

ROLE_IDS = "assignedRoleIds"


class WithRoles(Served):
    """A collection whose records show the names of roles."""

    def shown(self, state: SandboxState, document: Document) -> Document:
        """Return the record with the names of its roles in place of their ids."""
        ids = document.get(ROLE_IDS) or [system_role(document["role"] or MemberRole.DEVELOPER.value)]
        return {
            **{name: value for name, value in document.items() if name != ROLE_IDS},
            "assignedRoles": assigned(state, ids),
        }


class ServedMembers(WithRoles):
    """The members of the organization."""

    def add(self, state: SandboxState, parent: str, fields: Document) -> Document:
        """Add a member, as accepting an invitation does."""
        usual = {"role": MemberRole.DEVELOPER.value, "joinedAt": state.clock.stamp()}
        return super().add(state, parent, {**usual, **fields})

    def shown(self, state: SandboxState, document: Document) -> Document:
        """Return the member; on the wire its id is the `userId`."""
        return super().shown(state, {name: value for name, value in document.items() if name != "userId"})


SERVED = ServedMembers(Members, name="Ada", email="ada@example.com")


def add_owner(state: SandboxState) -> None:
    """Add the member who has created the organization and its first key; only the clickhouse dialect has members."""
    if state.settings.is_clickhouse:
        SERVED.add(state, "", {"name": USER, "email": EMAIL, "role": MemberRole.ADMIN.value})
