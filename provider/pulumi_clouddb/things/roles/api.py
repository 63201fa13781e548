"""Roles of the organization."""

from __future__ import annotations

from collections.abc import Iterator

from pulumi_clouddb.client.collection import Collection
from pulumi_clouddb.client.operation import ORGANIZATION, of_vendor
from pulumi_clouddb.schema.check.claims import Needs, needs
from pulumi_clouddb.schema.common import SYSTEM
from pulumi_clouddb.schema.names import property_name
from pulumi_clouddb.schema.thing import body_of

from .role import Role

ACTORS = property_name(Role, lambda role: role.actors)

PATH = ORGANIZATION + "/roles"
ONE = PATH + "/{roleId}"


class Roles(Collection[Role]):
    """The roles of the organization, including those of the system."""

    model = Role
    body = body_of(Role)
    id_part = "role_id"

    LIST = of_vendor("list_roles", "GET", PATH, "Role", "list the roles")
    CREATE = of_vendor("create_role", "POST", PATH, "Role", "create the role")
    GET = of_vendor("get_role", "GET", ONE, "Role", "read the role")
    UPDATE = of_vendor("update_role", "PATCH", ONE, "Role", "update the role")
    DELETE = of_vendor("delete_role", "DELETE", ONE, "None", "delete the role")

    def can_be_managed(self, record: Role) -> bool:
        """Return whether it is not a role of the system, which nobody can change."""
        return record.type != SYSTEM


def needs_as_actor(actor: str, role_ids: object) -> Iterator[Needs]:
    """Yield what a key or a member with these roles needs of them; `actor` is its form in a role."""
    for role_id in role_ids if isinstance(role_ids, list) else ():
        yield from needs(
            Role.__name__,
            "",
            role_id,
            ACTORS,
            actor,
            relation="has the role of",
            consequence="each update of one reverts the other",
            advice=f"Add it there, or leave {ACTORS} out",
        )
