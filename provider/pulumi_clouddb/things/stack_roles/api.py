"""Roles of the team of a service's observability server."""

from __future__ import annotations

from pulumi_clouddb.client.operation import OBSERVABILITY, of_vendor
from pulumi_clouddb.client.replaced import ReplacedCollection
from pulumi_clouddb.schema.assumptions import INFERRED
from pulumi_clouddb.schema.names import NAME
from pulumi_clouddb.schema.thing import body_of

from .stack_role import StackRole

PATH = OBSERVABILITY + "/roles"
ONE = PATH + "/{stackRoleId}"


class StackRoles(ReplacedCollection[StackRole]):
    """The roles of one service's server, including predefined ones."""

    model = StackRole
    body = body_of(StackRole)
    id_part = "stack_role_id"
    unique_by = (NAME,)
    source = INFERRED

    LIST = of_vendor("list_stack_roles", "GET", PATH, "StackRole", "list the roles of the observability server")
    CREATE = of_vendor("create_stack_role", "POST", PATH, "StackRole", "create the role of the observability server")
    GET = of_vendor("get_stack_role", "GET", ONE, "StackRole", "read the role of the observability server")
    UPDATE = of_vendor("update_stack_role", "PUT", ONE, "StackRole", "update the role of the observability server")
    DELETE = of_vendor("delete_stack_role", "DELETE", ONE, "None", "delete the role of the observability server")

    def can_be_managed(self, record: StackRole) -> bool:
        """Return whether it is not predefined."""
        return not record.is_predefined
