"""Invitations to the team of a self-hosted server; the list of members shows accepted ones."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timezone

from pulumi_clouddb.create.evidence import created_at
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.resource import membership
from pulumi_clouddb.resource.functions import Function, list_all
from pulumi_clouddb.resource.invited import InvitedResource
from pulumi_clouddb.schema.convert import to_wire
from pulumi_clouddb.schema.equality import in_lower_case
from pulumi_clouddb.schema.names import ID, property_name

from .api import StackInvitations
from .stack_invitation import GET_TEAM, LIST_MEMBERS, STACK_INVITATION, StackInvitation, StackMember


class StackInvitationResource(InvitedResource[StackInvitation]):
    """An invitation to the team."""

    type = STACK_INVITATION
    collection = StackInvitations
    unique_by = (property_name(StackInvitation, lambda invitation: invitation.email),)
    functions = (
        list_all(STACK_INVITATION, StackInvitations),
        Function(
            LIST_MEMBERS, lambda api, _: {"members": [to_wire(each) for each in api.of(StackInvitations).members()]}
        ),
        Function(GET_TEAM, lambda api, _: to_wire(api.of(StackInvitations).team())),
    )
    place = "the team's settings"

    def name_of(self, wanted: StackInvitation) -> str:
        """Return the address as servers store it."""
        return str(in_lower_case(wanted.email))

    def members(
        self, session: Session, wanted: StackInvitation, *, max_age: float
    ) -> Sequence[membership.Member] | None:
        """Return the members of the team.

        The server creates a user when a person joins, with an id of MongoDB, which begins with the second of that
        (`/team/setup/:token` in root.ts of the vendor's server), and refuses to invite an address that a user has
        (team.ts). A user belongs to one team, and is deleted when it leaves. If an id has another form, the time is
        unknown. Held by tests/provider/resources/test_invited.py.
        """
        team = session.api.of(StackInvitations)
        members = session.api.if_offered(team.LIST_MEMBERS.self_hosted, team.members)
        return None if members is None else [_seen(each) for each in members]

    def remove_member(self, session: Session, user_id: str) -> None:
        """Remove a member of the team."""
        session.api.of(StackInvitations).remove_member(user_id)


def _seen(member: StackMember) -> membership.Member:
    joined = created_at({ID: member.id})
    stamp = None if joined is None else datetime.fromtimestamp(joined, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return membership.Member(str(member.id), member.email, joined_at=stamp)
