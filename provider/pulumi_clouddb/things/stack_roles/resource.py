"""Roles of the team of a service's observability server."""

from __future__ import annotations

from pulumi_clouddb.resource.functions import get_one, list_all
from pulumi_clouddb.resource.observability import ObservabilityResource

from .api import StackRoles
from .stack_role import STACK_ROLE, StackRole


class StackRoleResource(ObservabilityResource[StackRole]):
    """A role of a managed server."""

    type = STACK_ROLE
    collection = StackRoles
    functions = (get_one(STACK_ROLE, StackRoles), list_all(STACK_ROLE, StackRoles, by_name=True))
