"""Roles of the organization."""

from __future__ import annotations

from pulumi_clouddb.create.session import Session
from pulumi_clouddb.resource.functions import get_one, list_all
from pulumi_clouddb.resource.plain import PlainResource
from pulumi_clouddb.schema.names import property_name
from pulumi_clouddb.schema.values import WireDict

from .api import Roles
from .role import ROLE, Role

ACTORS = property_name(Role, lambda role: role.actors)


class RoleResource(PlainResource[Role]):
    """A role of the organization."""

    type = ROLE
    collection = Roles
    functions = (get_one(ROLE, Roles), list_all(ROLE, Roles, by_name=True))
    shared = (ACTORS,)  # keys, members and invitations name the role

    def body_of_create(self, session: Session, wanted: Role) -> WireDict:
        """Return the body of a POST, which requires a list of actors, even if it is empty."""
        return {ACTORS: [], **super().body_of_create(session, wanted)}
