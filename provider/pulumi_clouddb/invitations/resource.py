"""Invitations to the organization.

No list has an accepted invitation, nor an expired one. The members tell which it is: the person who was to join has
joined, or is to be invited again.
"""

from __future__ import annotations

from pulumi_clouddb.create.session import Session
from pulumi_clouddb.members.api import Members
from pulumi_clouddb.resource.functions import list_all
from pulumi_clouddb.resource.plain import PlainResource
from pulumi_clouddb.resource.state import State
from pulumi_clouddb.schema.equality import as_address

from .api import Invitations
from .invitation import INVITATION, Invitation

InvitationState = State[Invitation, Invitation]


class InvitationResource(PlainResource[Invitation]):
    """An invitation."""

    type = INVITATION
    collection = Invitations
    functions = (list_all(INVITATION, Invitations),)

    def name_of(self, wanted: Invitation) -> str:
        """Return the address."""
        return str(wanted.email)

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
            session.api.of(Members).remove(user_id)
        elif user_id:
            session.warn(
                f"{self.what(state.wanted)} was accepted: {user_id} stays a member.\n"
                "Remove the member in the console, or set removeMember before the next one is destroyed."
            )

    def _member(self, session: Session, state: InvitationState) -> str | None:
        address = as_address(state.wanted.email)
        members = session.api.of(Members).listed()
        return next((each.id for each in members if as_address(each.email) == address), None)
