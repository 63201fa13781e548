"""The team of a self-hosted observability server: the invitations that nobody has accepted yet, and the members."""

from __future__ import annotations

from pulumi_clouddb.client.collection import Collection
from pulumi_clouddb.client.errors import NotFoundError
from pulumi_clouddb.client.operation import self_hosted
from pulumi_clouddb.schema.convert import parse
from pulumi_clouddb.schema.names import ID
from pulumi_clouddb.schema.thing import body_of
from pulumi_clouddb.schema.values import WireDict, WireValues

from .stack_invitation import StackInvitation, StackMember, Team

TEAM = "/team"
ONE = TEAM + "/invitation/{stackInvitationId}"

_RECORD = "StackInvitation"


class StackInvitations(Collection[StackInvitation]):
    """The invitations to the team of the self-hosted server."""

    model = StackInvitation
    body = body_of(StackInvitation)
    id_part = "stack_invitation_id"

    LIST = self_hosted(
        "list_stack_invitations", "GET", TEAM + "/invitations", _RECORD, "list the invitations to the team"
    )
    CREATE = self_hosted("create_stack_invitation", "POST", TEAM + "/invitation", "Invited", "invite to the team")
    DELETE = self_hosted("delete_stack_invitation", "DELETE", ONE, "Removed", "withdraw the invitation to the team")
    LIST_MEMBERS = self_hosted(
        "list_stack_members", "GET", TEAM + "/members", "StackMember", "list the members of the team"
    )
    DELETE_MEMBER = self_hosted(
        "delete_stack_member", "DELETE", TEAM + "/member/{userId}", "Removed", "remove the member of the team"
    )
    GET_TEAM = self_hosted("get_team", "GET", TEAM, "Team", "read the team")

    def posted(self, body: WireValues) -> WireDict:
        """Invite a person; if the address has an invitation, the server returns that one."""
        result = super().posted(body)
        return {**result, ID: result.get("invitationId")}

    def members(self) -> list[StackMember]:
        """Request the members of the team."""
        return [parse(StackMember, each) for each in self.call(self.LIST_MEMBERS)]

    def remove_member(self, user_id: str) -> None:
        """Remove a member of the team, if it exists."""
        try:
            self.call(self.DELETE_MEMBER, user_id=user_id)
        except NotFoundError:
            if user_id in [each.id for each in self.members()]:
                raise

    def team(self) -> Team:
        """Request the team."""
        return parse(Team, self.call(self.GET_TEAM))

    def name_of(self, record: StackInvitation) -> str | None:
        """Return the address as servers store it."""
        return record.email
