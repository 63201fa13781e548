"""Roles of the organization: the system roles, which cannot change, and custom roles.

A role's actors include the keys to which it is assigned. Actors that a request adds are only stored.
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
        """Add a role of the organization."""
        owner = f"organization/{state.identity.organizationId}"
        usual = {"type": CUSTOM, "tenantId": owner, "ownerId": owner, "actors": [], "policies": []}
        return super().add(state, parent, {**usual, **fields})

    def fields(self, state: SandboxState, call: Call) -> Document:
        """Return the validated fields; a create requires actors (OpenAPI: `RoleCreateRequest`)."""
        fields = super().fields(state, call)
        if call.operation.method == "POST" and "actors" not in fields:
            raise bad_request("request body.actors: Required")
        return fields

    def update(self, state: SandboxState, call: Call) -> Document:
        """Change a custom role."""
        self._refuse_system(state, call, "updated")
        return super().update(state, call)

    def delete(self, state: SandboxState, call: Call) -> None:
        """Delete a custom role."""
        self._refuse_system(state, call, "deleted")
        super().delete(state, call)

    def _refuse_system(self, state: SandboxState, call: Call, what: str) -> None:
        if self.get(state, call)["type"] == SYSTEM:
            raise bad_request(f"System roles cannot be {what}")

    def shown(self, state: SandboxState, document: Document) -> Document:
        """Return the role with the ids of its policies and all its actors."""
        id_, tenant = document["id"], document["tenantId"]
        policies = [
            {"id": str(uuid.uuid5(uuid.UUID(id_), str(number))), "roleId": id_, "tenantId": tenant, **policy}
            for number, policy in enumerate(document["policies"])
        ]
        keys = [f"apiKey/{key['id']}" for key in state.store.all("keys") if id_ in key.get("assignedRoleIds", ())]
        return {**document, "policies": policies, "actors": list(dict.fromkeys([*document["actors"], *keys]))}


SERVED = ServedRoles(Roles, name="Role")


def add_system_roles(state: SandboxState) -> None:
    """Add the system roles, which only the clickhouse dialect has."""
    for role in KeyRole if state.settings.is_clickhouse else ():
        SERVED.add(state, "", {"id": system_role(role.value), "name": role.value, "type": SYSTEM})


def system_role(role: str) -> str:
    """Return the id of a system role."""
    return str(uuid.uuid5(uuid.NAMESPACE_OID, role))


def assigned(state: SandboxState, ids: Iterable[str]) -> list[Document]:
    """Return the roles with these ids as keys, members and invitations show them."""
    roles = [(id_, SERVED.find(state, "", id_) or {}) for id_ in map(str.lower, ids)]
    return [
        {"roleId": id_, "roleName": role.get("name", f"Role {id_[:8]}"), "roleType": role.get("type", CUSTOM)}
        for id_, role in roles
    ]
