"""Invitations to the organization. To accept one, a test removes the invitation and adds a member."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from pulumi_clouddb.schema.organization import MemberRole
from pulumi_clouddb.things.invitations.api import Invitations

from .members import WithRoles
from .settings import to_stamp
from .state import Call, SandboxState
from .store import Document

DAYS = 14
"""Days until an invitation expires, from the start of the day. The vendor does not document the number."""


class ServedInvitations(WithRoles):
    """The pending invitations of the organization."""

    def add(self, state: SandboxState, parent: str, fields: Document) -> Document:
        """Add an invitation; addresses are stored in lower case (OpenAPI: `Invitation`)."""
        end = state.clock.moment().replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=DAYS)
        usual = {"role": MemberRole.DEVELOPER.value, "expireAt": to_stamp(end)}
        return super().add(state, parent, {**usual, **fields, "email": (fields["email"] or "").lower()})

    def visible(self, state: SandboxState, call: Call) -> Sequence[Document]:
        """Return the invitations that have not expired: no list contains the others."""
        return [each for each in super().visible(state, call) if not _has_expired(state, each)]

    def get(self, state: SandboxState, call: Call) -> Document:
        """Read one that has not expired."""
        document = super().get(state, call)
        if _has_expired(state, document):
            raise self.missing()
        return document


def _has_expired(state: SandboxState, document: Document) -> bool:
    end = document["expireAt"]  # a test can set any value
    return isinstance(end, str) and end <= state.clock.stamp()


SERVED = ServedInvitations(Invitations, email="grace@example.com")
