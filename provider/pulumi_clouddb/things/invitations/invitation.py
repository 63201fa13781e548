"""Invitations to the organization: a person who accepts one becomes a member with its roles."""

from __future__ import annotations

from typing import ClassVar

from pulumi_clouddb.schema.base import Answer, Compare, Email, Flag, Text, Uuid, prop
from pulumi_clouddb.schema.check.rules import Rule
from pulumi_clouddb.schema.common import AssignedRole, ids_of, one_form_of_roles, some_roles
from pulumi_clouddb.schema.equality import as_set, in_lower_case
from pulumi_clouddb.schema.invited import Invited
from pulumi_clouddb.schema.organization import MemberRole
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.thing import answered, ours
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE


class Invitation(Invited):
    """An invitation (OpenAPI: `InvitationPostRequest`, `Invitation`)."""

    RULES: ClassVar[tuple[Rule[Invitation], ...]] = (
        one_form_of_roles(lambda invitation: invitation.role, lambda invitation: invitation.assigned_role_ids),
        some_roles(lambda invitation: invitation.role, lambda invitation: invitation.assigned_role_ids),
    )

    email: Email | None = prop(
        "Email address of the person; nobody else can accept the invitation.",
        required=True,
        replaces=True,
        compare=Compare(in_lower_case),
    )
    assigned_role_ids: list[Uuid] | None = prop(
        "Ids of the roles that the member will have, of the system or the organization, in any order.",
        min_length=1,
        replaces=True,
        compare=Compare(as_set),
        answer=Answer("Ids of the roles that the member will have."),
    )
    role: MemberRole | None = prop(
        "Role in an organization without custom roles; otherwise use `assignedRoleIds`.",
        replaces=True,
        answer=Answer(type=MemberRole),
    )
    id: Text | None = answered("Id of the invitation.")
    created_at: Text | None = answered("When it was created (ISO-8601).")
    expire_at: Text | None = answered("When it expires (ISO-8601).")
    assigned_roles: list[AssignedRole] | None = answered(
        "Roles that the member will have, with their names.", copies=("assignedRoleIds", "role")
    )
    accepted: Flag | None = ours(
        "Whether that member has certainly joined by this invitation: after it was made and before it expired, with "
        "its roles, and alone with the address. `removeMember` removes nobody else."
    )

    def received(self) -> None:
        """Set the roles in the form of a request."""
        if self.assigned_roles is not None:
            self.assigned_role_ids = ids_of(self.assigned_roles)


INVITATION = ResourceType(
    Invitation,
    "An invitation to the organization. An accepted invitation stays in state with the id of the member, and no "
    "other is sent. If it expired or was withdrawn, or the member has left, the next `up` after a refresh sends "
    "another.",
    required_outputs=("email",),
    import_id="INVITATION_ID",
    only=CLICKHOUSE,
)
