"""Roles of a service's observability server: predefined ones cannot change."""

from __future__ import annotations

from pulumi_clouddb.things.stack_roles.api import StackRoles

from .responses import bad_request
from .served import ServedWithPredefined
from .state import Call, SandboxState
from .store import Document

PREDEFINED = {
    "65f5e4a3b9e77c001a567870": {"name": "Admin", "permissions": [{"action": "manage", "subject": "all"}]},
    "65f5e4a3b9e77c001a567871": {"name": "Read Only", "permissions": [{"action": "read", "subject": "all"}]},
}


class ServedStackRoles(ServedWithPredefined):
    """The roles of an observability server."""

    def add(self, state: SandboxState, parent: str, fields: Document) -> Document:
        """Add a role."""
        return super().add(state, parent, {"isPredefined": False, **fields})

    def kept(self, old: Document) -> Document:
        """Return the fields that a replacement keeps."""
        return {**super().kept(old), "isPredefined": old["isPredefined"]}

    def update(self, state: SandboxState, call: Call) -> Document:
        """Replace a role, unless it is predefined."""
        self._refuse_predefined(state, call, "modified")
        return super().update(state, call)

    def delete(self, state: SandboxState, call: Call) -> None:
        """Delete a role, unless it is predefined."""
        self._refuse_predefined(state, call, "deleted")
        super().delete(state, call)

    def _refuse_predefined(self, state: SandboxState, call: Call, what: str) -> None:
        if self.get(state, call)["isPredefined"]:
            raise bad_request(f"Predefined roles cannot be {what}")


SERVED = ServedStackRoles(StackRoles, name="Role", permissions=[])


def add_predefined(state: SandboxState, stack: str) -> None:
    """Add the predefined roles of an observability server."""
    SERVED.add_predefined(state, stack, {id_: {**role, "isPredefined": True} for id_, role in PREDEFINED.items()})
