"""Roles of the team of a service's observability server."""

from __future__ import annotations

from pulumi_clouddb.resource.base import SERVICE_ID
from pulumi_clouddb.resource.functions import get_one, list_all
from pulumi_clouddb.resource.observability import ObservabilityResource
from pulumi_clouddb.schema.assumptions import CLOUD_ONLY, INFERRED, Assumption
from pulumi_clouddb.schema.names import NAME

from .api import StackRoles
from .stack_role import STACK_ROLE, StackRole

STACK_ROLE_NAMES_ARE_UNIQUE = Assumption(
    "A second role of one name is refused by the observability server of a service.", INFERRED, CLOUD_ONLY
)


class StackRoleResource(ObservabilityResource[StackRole]):
    """A role of a managed server."""

    type = STACK_ROLE
    collection = StackRoles
    unique_by = (SERVICE_ID, NAME)
    functions = (get_one(STACK_ROLE, StackRoles), list_all(STACK_ROLE, StackRoles, by_name=True))
