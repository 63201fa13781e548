"""Invitations: accepting one replaces it with a member, so reading it looks for the member, too."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any, ClassVar, Protocol

from pulumi_clouddb.create.session import Session
from pulumi_clouddb.schema.equality import in_lower_case
from pulumi_clouddb.schema.thing import ThingT

from .plain import PlainResource
from .state import State


class Joined(Protocol):
    """A member."""

    id: str | None
    email: str | None


class InvitationResource(PlainResource[ThingT]):
    """An invitation; its thing has `email`, the option `remove_member` and the output `user_id`."""

    place: ClassVar[str]
    """The place to remove a member, for messages."""

    @abstractmethod
    def members(self, session: Session) -> Iterable[Joined]:
        """Return the members."""

    @abstractmethod
    def remove_member(self, session: Session, user_id: str) -> None:
        """Remove a member, if there still is one."""

    def read(self, session: Session, object_id: str, state: State[ThingT]) -> State[ThingT] | None:
        """Read the invitation, or the member who has accepted it."""
        found = super().read(session, object_id, state)
        user_id = None if found else self._member(session, state)
        return State(state.wanted, state.actual.model_copy(update={"user_id": user_id})) if user_id else found

    def delete(self, session: Session, object_id: str, state: State[ThingT]) -> None:
        """Delete the invitation; if it was accepted, remove the member if `remove_member` is set, else warn."""
        super().delete(session, object_id, state)
        wanted: Any = state.wanted
        actual: Any = state.actual
        user_id = self._member(session, state) if actual.user_id or wanted.remove_member else None
        if user_id and wanted.remove_member:
            self.remove_member(session, user_id)
        elif user_id:
            session.warn(
                f"{self.what(state.wanted)} was accepted: {user_id} stays a member.\n"
                f"Remove the member in {self.place}, or set removeMember before the next one is destroyed."
            )

    def _member(self, session: Session, state: State[ThingT]) -> str | None:
        wanted: Any = state.wanted
        address = in_lower_case(wanted.email)
        return next((each.id for each in self.members(session) if in_lower_case(each.email) == address), None)
