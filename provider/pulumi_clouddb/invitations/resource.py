"""Invitations to the organization; lists omit expired ones, so that the person is invited again."""

from __future__ import annotations

from collections.abc import Iterable

from pulumi_clouddb.create.session import Session
from pulumi_clouddb.members.api import Members
from pulumi_clouddb.resource import invited
from pulumi_clouddb.resource.functions import list_all

from .api import Invitations
from .invitation import INVITATION, Invitation


class InvitationResource(invited.InvitationResource[Invitation]):
    """An invitation."""

    type = INVITATION
    collection = Invitations
    functions = (list_all(INVITATION, Invitations),)
    place = "the console"

    def name_of(self, wanted: Invitation) -> str:
        """Return the address."""
        return str(wanted.email)

    def members(self, session: Session) -> Iterable[invited.Joined]:
        """Return the members of the organization."""
        return session.api.of(Members).listed()

    def remove_member(self, session: Session, user_id: str) -> None:
        """Remove a member of the organization."""
        session.api.of(Members).remove(user_id)
