"""Invitations to the organization; lists omit expired ones, so that the person is invited again."""

from __future__ import annotations

from collections.abc import Sequence

from pulumi_clouddb.create.session import Session
from pulumi_clouddb.resource import membership
from pulumi_clouddb.resource.functions import list_all
from pulumi_clouddb.resource.invited import InvitedResource
from pulumi_clouddb.schema.common import in_one_form
from pulumi_clouddb.schema.equality import in_lower_case
from pulumi_clouddb.schema.values import WireDict
from pulumi_clouddb.things.members.api import Members

from .api import Invitations
from .invitation import INVITATION, Invitation


class InvitationResource(InvitedResource[Invitation]):
    """An invitation."""

    type = INVITATION
    collection = Invitations
    functions = (list_all(INVITATION, Invitations),)
    place = "the console"

    def name_of(self, wanted: Invitation) -> str:
        """Return the address."""
        return str(wanted.email)

    def reported(self, record: Invitation) -> WireDict:
        """Return the properties of an imported invitation, with the roles in one form."""
        return in_one_form(super().reported(record))

    def members(self, session: Session, wanted: Invitation, *, max_age: float) -> Sequence[membership.Member] | None:
        """Return the members of the organization."""
        records = session.api.of(Members).records(max_age=max_age)
        return (
            None
            if records is None
            else [
                membership.Member(
                    str(each.id), each.email, each.joined_at, _has_roles(wanted, each.assigned_role_ids, each.role)
                )
                for each in records.values()
            ]
        )

    def remove_member(self, session: Session, user_id: str) -> None:
        """Remove a member of the organization."""
        session.api.of(Members).remove(user_id)


def _has_roles(wanted: Invitation, ids: list[str] | None, role: str | None) -> bool:
    """Return whether a member has at least the roles of an invitation; `role` is older, and may not change later."""
    if wanted.assigned_role_ids is not None:
        return {*map(in_lower_case, wanted.assigned_role_ids)} <= {*map(in_lower_case, ids or ())}
    return wanted.role is None or wanted.role == role
