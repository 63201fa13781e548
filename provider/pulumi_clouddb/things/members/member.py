"""The roles of a member of the organization: an override, as only an invitation creates a member."""

from __future__ import annotations

from typing import ClassVar

from pulumi_clouddb.schema.base import Answer, Compare, Text, Uuid, prop, wire_names
from pulumi_clouddb.schema.check.rules import OURS, Rule, rule
from pulumi_clouddb.schema.common import AssignedRole, ids_of, one_form_of_roles, some_roles
from pulumi_clouddb.schema.equality import as_set
from pulumi_clouddb.schema.organization import MemberRole
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.thing import Thing, answered, option, ours
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE


class MemberFields(Thing):
    """The fields that an update of a member accepts (OpenAPI: `MemberPatchRequest`)."""

    ANSWER = "OriginalMember"

    assigned_role_ids: list[Uuid] | None = prop(
        "Ids of all roles of the member, of the system or the organization, in any order.",
        min_length=1,
        compare=Compare(as_set),
        answer=Answer("Ids of the roles of the member."),
    )
    role: MemberRole | None = prop(
        "Role in an organization without custom roles; otherwise use `assignedRoleIds`.",
        answer=Answer(type=MemberRole),
    )


class Member(MemberFields):
    """A member of the organization (OpenAPI: `Member`)."""

    ANSWER = "MemberResponse"
    RULES: ClassVar[tuple[Rule[Member], ...]] = (
        one_form_of_roles(lambda member: member.role, lambda member: member.assigned_role_ids),
        some_roles(lambda member: member.role, lambda member: member.assigned_role_ids),
        rule(
            lambda member: member.assigned_role_ids,
            "should be ids of roles, and not that of the member",
            lambda member: member.user_id in (member.assigned_role_ids or ()),
            given=lambda member: member.user_id,
            warns=True,
            source=OURS,
        ),
    )

    user_id: Uuid | None = option("Id of the member; listMembers has it.", required=True, replaces=True)
    id: Text | None = answered("Id of the member.", api="userId")
    name: Text | None = answered("Name of the member.")
    email: Text | None = answered("Email address of the member.")
    joined_at: Text | None = answered("When the member joined the organization (ISO-8601).")
    assigned_roles: list[AssignedRole] | None = answered(
        "Roles of the member, with their names.", copies=("assignedRoleIds", "role")
    )
    original: MemberFields | None = ours("The original roles of the member.", copies=wire_names(MemberFields))

    def received(self) -> None:
        """Set the roles in the form of a request."""
        if self.assigned_roles is not None:
            self.assigned_role_ids = ids_of(self.assigned_roles)


MEMBER = ResourceType(
    Member,
    "The roles of a member of the organization. Destroying this restores the original roles; the member stays.",
    required_outputs=("original",),
    import_id="USER_ID",
    only=CLICKHOUSE,
)
