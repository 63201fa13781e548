"""Roles of a service's observability server: names are unique, and nobody can change the predefined ones."""

from __future__ import annotations

from pulumi_clouddb.stack_roles.api import StackRoles

from .responses import bad_request
from .served import Furnished
from .state import Call, SandboxState
from .store import Document

PREDEFINED = {
    "65f5e4a3b9e77c001a567870": {"name": "Admin", "permissions": [{"action": "manage", "subject": "all"}]},
    "65f5e4a3b9e77c001a567871": {"name": "Read Only", "permissions": [{"action": "read", "subject": "all"}]},
}


class ServedStackRoles(Furnished):
    """The roles of a stack."""

    def fields(self, state: SandboxState, call: Call) -> Document:
        """Return what the body sets, or refuse it."""
        body = super().fields(state, call)
        own = self.get(state, call)["id"] if call.operation.method == "PUT" else None
        named = [
            each["id"] for each in state.store.all(self.kind, self.parent(state, call)) if each["name"] == body["name"]
        ]
        if set(named) - {own}:
            raise bad_request("A role with this name already exists")
        return body

    def add(self, state: SandboxState, parent: str, fields: Document) -> Document:
        """Make a role."""
        return super().add(state, parent, {"isPredefined": False, **fields})

    def kept(self, old: Document) -> Document:
        """Return what a replacement leaves as it was."""
        return {**super().kept(old), "isPredefined": old["isPredefined"]}

    def update(self, state: SandboxState, call: Call) -> Document:
        """Replace a role that somebody has made."""
        self._refuse_predefined(state, call, "modified")
        return super().update(state, call)

    def delete(self, state: SandboxState, call: Call) -> None:
        """Delete a role that somebody has made."""
        self._refuse_predefined(state, call, "deleted")
        super().delete(state, call)

    def _refuse_predefined(self, state: SandboxState, call: Call, what: str) -> None:
        if self.get(state, call)["isPredefined"]:
            raise bad_request(f"Predefined roles cannot be {what}")


SERVED = ServedStackRoles(StackRoles, name="Role", permissions=[])


def add_usual(state: SandboxState, stack: str) -> None:
    """Give a stack its predefined roles."""
    SERVED.furnish(state, stack, {id_: {**role, "isPredefined": True} for id_, role in PREDEFINED.items()})
