"""Roles of the organization: the system roles, of which only the actors can change, and custom roles.

A role's actors include the keys to which it is assigned. Actors that a request adds are only stored. As the vendor's
backend, it adds a permission to some policies, returns the policies of a create in the order of the request, and with
each update reorders them and gives them new ids (the vendor's Terraform provider relies on the order of a create, and
its acceptance tests ignore the rest).
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable

from pulumi_clouddb.things.api_keys.api_key import KeyRole
from pulumi_clouddb.things.roles.api import Roles
from pulumi_clouddb.things.roles.policies import completed

from .responses import bad_request
from .served import Served
from .state import Call, SandboxState
from .store import Document

SYSTEM, CUSTOM = "system", "custom"

TITLES = {
    KeyRole.ADMIN.value: "Admin",
    KeyRole.DEVELOPER.value: "Developer",
    KeyRole.QUERY_ENDPOINTS.value: "Query Endpoints",
    "billing": "Billing",
    "api_reader": "Org API reader",
    "member": "Member",
}
"""The system roles: those that keys and members have by their older names, and the others of the organization."""


class ServedRoles(Served):
    """The roles of the organization."""

    def add(self, state: SandboxState, parent: str, fields: Document) -> Document:
        """Add a role of the organization."""
        owner = f"organization/{state.identity.organizationId}"
        usual = {"type": CUSTOM, "tenantId": owner, "ownerId": owner, "actors": [], "policies": []}
        return super().add(state, parent, {**usual, **fields, "policies": _stored(state, fields.get("policies"))})

    def fields(self, state: SandboxState, call: Call) -> Document:
        """Return the validated fields; a create requires actors."""
        fields = super().fields(state, call)
        if call.operation.method == "POST" and "actors" not in fields:
            raise bad_request("request body.actors: Required")
        return fields

    def update(self, state: SandboxState, call: Call) -> Document:
        """Change a custom role, or the actors of a system role."""
        if (call.body or {}).keys() != {"actors"}:
            self._refuse_system(state, call, "updated")
        role = super().update(state, call)
        policies = _stored(state, role["policies"])
        role = {**role, "policies": policies[::-1] if state.settings.quirks else policies}
        state.store.put(self.kind, role["id"], role)
        return role

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
            {"id": str(uuid.uuid5(uuid.UUID(id_), str(number))), **policy, "roleId": id_, "tenantId": tenant}
            for number, policy in enumerate(document["policies"])
        ]
        keys = [f"apiKey/{key['id']}" for key in state.store.all("keys") if id_ in key.get("assignedRoleIds", ())]
        return {**document, "policies": policies, "actors": list(dict.fromkeys([*document["actors"], *keys]))}


SERVED = ServedRoles(Roles, name="Role")


def _stored(state: SandboxState, policies: Iterable[Document] | None) -> list[Document]:
    """Return policies with new ids, and with the permissions that the backend adds."""
    return [
        {**policy, "id": state.ids.uuid(), "permissions": completed(policy.get("permissions", []))}
        for policy in policies or ()
    ]


def add_system_roles(state: SandboxState) -> None:
    """Add the system roles, which only the clickhouse dialect has."""
    for role, title in TITLES.items() if state.settings.is_clickhouse else ():
        SERVED.add(state, "", {"id": system_role(role), "name": title, "type": SYSTEM})


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
