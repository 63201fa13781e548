"""Invitations to the organization. Accepting one is done by hand: it goes, and a member of its address is made."""

from __future__ import annotations

from datetime import timedelta

from pulumi_clouddb.invitations.api import Invitations
from pulumi_clouddb.schema.organization import MemberRole

from .members import WithRoles
from .settings import to_stamp
from .state import SandboxState
from .store import Document

DAYS = 14
"""How long somebody has time, counted from the begin of the day: the description does not say."""


class ServedInvitations(WithRoles):
    """The invitations that nobody has accepted yet."""

    def add(self, state: SandboxState, parent: str, fields: Document) -> Document:
        """Make an invitation; addresses are kept in small letters (openapi: `Invitation`)."""
        end = state.clock.moment().replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=DAYS)
        usual = {"role": MemberRole.DEVELOPER.value, "expireAt": to_stamp(end)}
        return super().add(state, parent, {**usual, **fields, "email": (fields["email"] or "").lower()})


SERVED = ServedInvitations(Invitations, email="grace@example.com")
