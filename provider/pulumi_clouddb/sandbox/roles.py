"""Roles of the organization: those of the system, which nobody can change, and those that were made.

A key that has a role by its id is among the role's actors. The other way round, actors of a role are only kept.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable

from pulumi_clouddb.keys.api_key import KeyRole
from pulumi_clouddb.roles.api import Roles

from .responses import bad_request
from .served import Served
from .state import Call, SandboxState
from .store import Document

SYSTEM, CUSTOM = "system", "custom"


class ServedRoles(Served):
    """The roles of the organization."""

    def add(self, state: SandboxState, parent: str, fields: Document) -> Document:
        """Make a role of the organization."""
        owner = f"organization/{state.identity.organizationId}"
        usual = {"type": CUSTOM, "tenantId": owner, "ownerId": owner, "actors": [], "policies": []}
        return super().add(state, parent, {**usual, **fields})

    def fields(self, state: SandboxState, call: Call) -> Document:
        """Return what the body sets, or refuse it; a new role names its actors (openapi: `RoleCreateRequest`)."""
        fields = super().fields(state, call)
        if call.operation.method == "POST" and "actors" not in fields:
            raise bad_request("request body.actors: Required")
        return fields

    def update(self, state: SandboxState, call: Call) -> Document:
        """Change a role of the organization."""
        self._refuse_system(state, call, "updated")
        return super().update(state, call)

    def delete(self, state: SandboxState, call: Call) -> None:
        """Delete a role of the organization."""
        self._refuse_system(state, call, "deleted")
        super().delete(state, call)

    def _refuse_system(self, state: SandboxState, call: Call, what: str) -> None:
        if self.get(state, call)["type"] == SYSTEM:
            raise bad_request(f"System roles cannot be {what}")

    def shown(self, state: SandboxState, document: Document) -> Document:
        """Return the role with the ids of its policies and everybody who has it."""
        id_, tenant = document["id"], document["tenantId"]
        policies = [
            {"id": str(uuid.uuid5(uuid.UUID(id_), str(number))), "roleId": id_, "tenantId": tenant, **policy}
            for number, policy in enumerate(document["policies"])
        ]
        keys = [f"apiKey/{key['id']}" for key in state.store.all("keys") if id_ in key.get("assignedRoleIds", ())]
        return {**document, "policies": policies, "actors": list(dict.fromkeys([*document["actors"], *keys]))}


SERVED = ServedRoles(Roles, name="Role")


def furnish(state: SandboxState) -> None:
    """Put in the roles of the system."""
    for role in KeyRole if state.settings.is_clickhouse else ():
        SERVED.add(state, "", {"id": system_role(role.value), "name": role.value, "type": SYSTEM})


def system_role(role: str) -> str:
    """Return the id of a role that every organization has."""
    return str(uuid.uuid5(uuid.NAMESPACE_OID, role))


def assigned(state: SandboxState, ids: Iterable[str]) -> list[Document]:
    """Return what a key, a member or an invitation shows of its roles."""
    found = [(id_, SERVED.find(state, "", id_) or {}) for id_ in map(str.lower, ids)]
    return [
        {"roleId": id_, "roleName": role.get("name", f"Role {id_[:8]}"), "roleType": role.get("type", CUSTOM)}
        for id_, role in found
    ]
