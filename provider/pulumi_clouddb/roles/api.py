"""Roles of the organization."""

from __future__ import annotations

from functools import partial

from pulumi_clouddb.client.collection import Collection
from pulumi_clouddb.client.operation import ORGANIZATION, management
from pulumi_clouddb.schema.thing import body_of
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

from .role import Role

PATH = ORGANIZATION + "/roles"
ONE = PATH + "/{roleId}"

_operation = partial(management, only=CLICKHOUSE)


class Roles(Collection[Role]):
    """The roles of the organization, including those of the system."""

    model = Role
    body = body_of(Role)
    id_part = "role_id"

    LIST = _operation("list_roles", "GET", PATH, "Role", "list the roles")
    CREATE = _operation("create_role", "POST", PATH, "Role", "create the role")
    GET = _operation("get_role", "GET", ONE, "Role", "read the role")
    UPDATE = _operation("update_role", "PATCH", ONE, "Role", "update the role")
    DELETE = _operation("delete_role", "DELETE", ONE, "None", "delete the role")

    def can_be_managed(self, record: Role) -> bool:
        """Return whether it is not a role of the system, which nobody can change."""
        return record.type != "system"
