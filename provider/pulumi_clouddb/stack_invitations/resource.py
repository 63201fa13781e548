"""Invitations to the team of a self-hosted server; the list of members shows accepted ones."""

from __future__ import annotations

from collections.abc import Iterable

from pulumi_clouddb.create.session import Session
from pulumi_clouddb.resource import invited
from pulumi_clouddb.resource.functions import Function, list_all
from pulumi_clouddb.resource.state import State
from pulumi_clouddb.schema.convert import to_wire
from pulumi_clouddb.schema.equality import in_lower_case
from pulumi_clouddb.schema.names import property_name

from .api import StackInvitations
from .stack_invitation import GET_TEAM, LIST_MEMBERS, STACK_INVITATION, StackInvitation

InvitationState = State[StackInvitation]


class StackInvitationResource(invited.InvitationResource[StackInvitation]):
    """An invitation to the team."""

    type = STACK_INVITATION
    collection = StackInvitations
    naming = (property_name(StackInvitation, lambda invitation: invitation.email),)
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

    def outputs_changed_by(self, old: InvitationState, changed: tuple[str, ...]) -> Iterable[str]:  # noqa: ARG002
        """Return no names: only options of this provider change in place."""
        return ()

    def members(self, session: Session) -> Iterable[invited.Joined]:
        """Return the members of the team."""
        return session.api.of(StackInvitations).members()

    def remove_member(self, session: Session, user_id: str) -> None:
        """Remove a member of the team."""
        session.api.of(StackInvitations).remove_member(user_id)
