"""Invitations to the team of a self-hosted observability server: a person joins at the address of one."""

from __future__ import annotations

from pulumi_clouddb.schema.base import Compare, Email, FilledText, Flag, Record, Text, prop
from pulumi_clouddb.schema.equality import in_lower_case
from pulumi_clouddb.schema.invited import Invited
from pulumi_clouddb.schema.resource_type import FunctionType, NoArguments, ResourceType, list_function
from pulumi_clouddb.schema.thing import answered, ours
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE


class StackInvitation(Invited):
    """An invitation (routers/external-api/v2/team.ts of the vendor's server)."""

    email: Email | None = prop(
        "Email address of the person. A team has only one invitation for each address.",
        required=True,
        replaces=True,
        compare=Compare(in_lower_case),
        pattern="^[^@ ]+@[^@ ]+[.][A-Za-z]{2,}$",
    )
    name: FilledText | None = prop("Name of the person.", replaces=True)
    id: Text | None = answered("Id of the invitation.")
    url: Text | None = answered(
        "Address at which the person joins. The server sends no mail: send the address yourself.", secret=True
    )
    created_at: Text | None = answered("When it was created (ISO-8601).")
    accepted: Flag | None = ours(
        "Whether that member has certainly joined by this invitation: after it was made, and alone with the address. "
        "`removeMember` removes nobody else."
    )


STACK_INVITATION = ResourceType(
    StackInvitation,
    "An invitation to the team of a self-hosted observability server. An accepted invitation stays in state with "
    "the id of the member, and no other is created. If it was withdrawn, or the member has left, the next `up` after a "
    "refresh creates another.",
    required_outputs=("email",),
    import_id="INVITATION_ID",
    only=CLICKHOUSE,
)


class StackMember(Record):
    """A member of the team of a self-hosted observability server."""

    id: Text | None = prop("Id of the member.")
    email: Text | None = prop("Email address of the member.")
    name: Text | None = prop("Name of the member.")
    is_current_user: Flag | None = prop("Whether it is the member whose `clouddb:stackToken` is configured.")


class Team(Record):
    """Answer of getTeam: the team of a self-hosted observability server."""

    id: Text | None = prop("Id of the team.")
    name: Text | None = prop("Name of the team.")


GET_TEAM = FunctionType("getTeam", "Reads the team of the self-hosted observability server.", NoArguments, Team)
LIST_MEMBERS = list_function(
    "listStackMembers",
    "Lists the members of the team of the self-hosted observability server.",
    NoArguments,
    "members",
    StackMember,
    "The members of the team.",
)
