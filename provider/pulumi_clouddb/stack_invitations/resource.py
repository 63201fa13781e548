"""Invitations to the team of a self-hosted server: accepted ones are in no list, and the members tell of them."""

from __future__ import annotations

from collections.abc import Iterable

from pulumi_clouddb.create.session import Session
from pulumi_clouddb.resource.functions import Function, list_all
from pulumi_clouddb.resource.plain import PlainResource
from pulumi_clouddb.resource.state import State
from pulumi_clouddb.schema.convert import to_wire
from pulumi_clouddb.schema.equality import as_address
from pulumi_clouddb.schema.names import property_name

from .api import StackInvitations
from .stack_invitation import GET_TEAM, LIST_MEMBERS, STACK_INVITATION, StackInvitation

InvitationState = State[StackInvitation, StackInvitation]


class StackInvitationResource(PlainResource[StackInvitation]):
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

    def name_of(self, wanted: StackInvitation) -> str:
        """Return the address, as servers keep it."""
        return str(as_address(wanted.email))

    def outputs_changed_by(self, old: InvitationState, changed: tuple[str, ...]) -> Iterable[str]:  # noqa: ARG002
        """Return nothing: what changes in place steers the provider alone."""
        return ()

    def read(self, session: Session, object_id: str, state: InvitationState) -> InvitationState | None:
        """Find the invitation, or the member that accepting it has made."""
        found = super().read(session, object_id, state)
        user_id = None if found else self._member(session, state)
        return State(state.wanted, state.actual.model_copy(update={"user_id": user_id})) if user_id else found

    def delete(self, session: Session, object_id: str, state: InvitationState) -> None:
        """Withdraw the invitation; if it was accepted, leave the member, or remove it where the program says so."""
        super().delete(session, object_id, state)
        user_id = self._member(session, state) if state.actual.user_id or state.wanted.remove_member else None
        if user_id and state.wanted.remove_member:
            session.api.of(StackInvitations).remove_member(user_id)
        elif user_id:
            session.warn(
                f"{self.what(state.wanted)} was accepted: {user_id} stays a member.\n"
                "Remove the member in the team's settings, or set removeMember before the next one is destroyed."
            )

    def _member(self, session: Session, state: InvitationState) -> str | None:
        address = as_address(state.wanted.email)
        members = session.api.of(StackInvitations).members()
        return next((each.id for each in members if as_address(each.email) == address), None)
