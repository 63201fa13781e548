"""One interface for invitations of both kinds and their acceptance, so that each case runs with both."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.sandbox.state import EMAIL
from pulumi_clouddb.schema.values import WireDict
from things.members.life import CUSTOM, DEVELOPER

ADDRESS = "grace@example.com"


class Place(ABC):
    """An organization or a team that sends invitations."""

    resource: str
    kind: str

    def __init__(self, sandbox: Sandbox) -> None:
        self.sandbox = sandbox

    def inputs(self, address: str = ADDRESS, *, removes: bool = True) -> WireDict:
        """Return the inputs of an invitation."""
        return {"email": address, "removeMember": removes}

    def wait(self, seconds: float = 3600.0) -> None:
        """Advance the server's time: MongoDB's ids contain whole seconds."""
        self.sandbox.advance(seconds)

    def withdraw(self, id_: str) -> None:
        """Delete an invitation in the console."""
        self.sandbox.remove(self.kind, id_)

    @abstractmethod
    def join(self, address: str = ADDRESS) -> str:
        """Add a member without an invitation of the provider, and return the id."""

    @abstractmethod
    def accept(self, id_: str, address: str = ADDRESS) -> str:
        """Accept an invitation, and return the id of the new member."""

    @abstractmethod
    def leave(self, user: str) -> None:
        """Remove a member in the console."""

    @property
    @abstractmethod
    def members(self) -> set[str]:
        """The ids of the members except the owner."""


class Organization(Place):
    """The organization."""

    resource, kind = "Invitation", "invitations"

    def inputs(self, address: str = ADDRESS, *, removes: bool = True) -> WireDict:
        """Return the inputs of an invitation with a role."""
        return {**super().inputs(address, removes=removes), "assignedRoleIds": [CUSTOM]}

    def join(self, address: str = ADDRESS, **fields: Any) -> str:
        """Add a member."""
        member = {"name": "Grace", "email": address, "assignedRoleIds": [CUSTOM], **fields}
        return str(self.sandbox.add("members", **member)["id"])

    def accept(self, id_: str, address: str = ADDRESS) -> str:
        """Replace the invitation with a member."""
        roles = self.sandbox.objects(self.kind)[id_].get("assignedRoleIds", [DEVELOPER])
        self.withdraw(id_)
        return self.join(address, assignedRoleIds=roles)

    def leave(self, user: str) -> None:
        """Remove a member."""
        self.sandbox.remove("members", user)

    @property
    def members(self) -> set[str]:
        """The ids of the members except the owner."""
        return {id_ for id_, each in self.sandbox.objects("members").items() if each["email"] != EMAIL}


class Team(Place):
    """The team of a self-hosted server."""

    resource, kind = "StackInvitation", "stack_invitations"

    def join(self, address: str = ADDRESS) -> str:
        """Add a member by an invitation from the console."""
        return self.accept(str(self.sandbox.add(self.kind, email=address)["id"]))

    def accept(self, id_: str, address: str = ADDRESS) -> str:
        """Accept an invitation; the server knows its address."""
        return str(self.sandbox.change(self.kind, id_, accepted=True)["memberId"])

    def leave(self, user: str) -> None:
        """Remove a member."""
        records = self.sandbox.objects(self.kind)
        self.withdraw(next(id_ for id_, each in records.items() if each.get("memberId") == user))

    @property
    def members(self) -> set[str]:
        """The ids of the members except the owner."""
        return {str(each["memberId"]) for each in self.sandbox.objects(self.kind).values() if "memberId" in each}


PLACES = (Organization, Team)
