"""Invitations: accepting one replaces it with a member, so reading it looks for the member, too."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from pulumi_clouddb.client.collection import SHARED_LIST_SECONDS
from pulumi_clouddb.client.errors import ListNotFoundError
from pulumi_clouddb.create.evidence import CREATED_AT, created_at
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.create.verdicts import Case, Verdict, decide
from pulumi_clouddb.schema.equality import in_lower_case
from pulumi_clouddb.schema.invited import InvitedT
from pulumi_clouddb.schema.names import ID
from pulumi_clouddb.schema.values import WireValues

from .base import DiffResult
from .membership import MEMBER_CASES, Member, MemberFacts
from .plain import PlainResource
from .state import State


class InvitedResource(PlainResource[InvitedT]):
    """An invitation."""

    place: ClassVar[str]
    """The place to remove a member, for messages."""

    def diff(self, old: WireValues, new: WireValues) -> DiffResult:
        """Compare; what is taken out replaces nothing: roles have two forms, and a server returns both."""
        result = super().diff(old, new)
        return replace(result, replaces=tuple(name for name in result.replaces if name in new))

    @abstractmethod
    def members(self, session: Session, wanted: InvitedT, *, max_age: float) -> Sequence[Member] | None:
        """Return the members; None if the server does not offer a list of them.

        Args:
            session: The session of the resource.
            wanted: The invitation.
            max_age: How old a shared list may be, in seconds.

        Raises:
            ListNotFoundError: The list proves nothing about any member.
        """

    @abstractmethod
    def remove_member(self, session: Session, user_id: str) -> None:
        """Remove a member, if there still is one."""

    def outputs_changed_by(self, old: State[InvitedT], changed: tuple[str, ...]) -> tuple[str, ...]:
        """Return no names: only options of this provider change in place."""
        return ()

    def read(self, session: Session, object_id: str, state: State[InvitedT]) -> State[InvitedT] | None:
        """Read the invitation, or the member who may have accepted it.

        A member with the address of a pending invitation has joined without it; only now this is certain.
        """
        found = super().read(session, object_id, state)
        if found is not None and not state.wanted.remove_member:
            return found
        try:
            members = self.members(session, state.wanted, max_age=SHARED_LIST_SECONDS)
        except ListNotFoundError:
            members = None
        if members is None:
            keep = "the members, one of whom may have accepted an invitation"
            return found or self.keep_unread(session, state, keep)
        same = _of_address(members, state)
        if same:
            case = self._decide(session, object_id, state, same, was_pending=found is not None)
            seen = {"user_id": same[0].id, "joined_at": same[0].joined_at, "accepted": case.verdict is Verdict.OURS}
            shown = found or state
            return State(shown.wanted, shown.actual.model_copy(update=seen))
        if found is not None:
            return found
        nameless = [each.id for each in members if not each.email and not self._was_there(object_id, state, each)]
        if not nameless:
            return None
        session.warn(
            f"{self.what(state.wanted)} is gone, and the server does not report the address of {', '.join(nameless)}, "
            "who may have accepted it. Nobody is invited again."
        )
        return state

    def delete(self, session: Session, object_id: str, state: State[InvitedT]) -> None:
        """Delete the invitation; remove the member if `remove_member` is set and it has certainly been accepted.

        Everything is looked up before the deletion. If its response is lost, the server responds to the second request
        with 404, as if the invitation had been accepted; and if a later lookup failed, the next run would find
        the same.
        """
        wanted, actual = state.wanted, state.actual
        objects = self.objects(session, wanted)
        was_pending = bool(wanted.remove_member) and objects.find(object_id, max_age=0.0) is not None
        members: Sequence[Member] = ()
        if wanted.remove_member or actual.user_id:
            members = _of_address(self.members(session, wanted, max_age=0.0) or (), state)
        was_pending |= objects.remove(object_id)
        if not members:
            return
        who = " and ".join(each.id for each in members)
        if not wanted.remove_member:
            stays = f"{self.what(wanted)} was accepted: {who} stays a member.", "before the next one is destroyed"
            session.warn(f"{stays[0]}\nRemove the member in {self.place}, or set removeMember {stays[1]}.")
            return
        case = self._decide(session, object_id, state, members, was_pending=was_pending)
        if case.verdict is Verdict.OURS:
            self.remove_member(session, members[0].id)
            return
        session.warn(
            f"{self.what(wanted)}: {who} stays a member: {case.name}.\n"
            f"Remove the member in {self.place} if nobody else needs the membership."
        )

    def _decide(
        self, session: Session, object_id: str, state: State[InvitedT], members: Sequence[Member], *, was_pending: bool
    ) -> Case[MemberFacts]:
        actual = state.actual
        expires = created_at({CREATED_AT: getattr(actual, "expire_at", None)})
        now = self.objects(session, state.wanted).server_time() or session.runtime.time()
        member = members[0]
        return decide(
            MEMBER_CASES,
            MemberFacts(
                was_pending=was_pending,
                members=len(members),
                was_refuted=actual.accepted is False,
                was_found=bool(actual.user_id),
                is_the_same=(actual.user_id, actual.joined_at or member.joined_at) == (member.id, member.joined_at),
                was_proven=bool(actual.accepted),
                invited=_invited(object_id, state),
                expires=expires,
                has_expired=expires is not None and expires < now,
                joined=_joined(member),
                has_roles=member.has_roles,
            ),
        )

    def _was_there(self, object_id: str, state: State[InvitedT], member: Member) -> bool:
        joined, invited = _joined(member), _invited(object_id, state)
        return joined is not None and invited is not None and joined < invited


def _invited(object_id: str, state: State[InvitedT]) -> float | None:
    """Return when an invitation was made; not every response to a create has the time."""
    return created_at({CREATED_AT: getattr(state.actual, "created_at", None), ID: object_id})


def _joined(member: Member) -> float | None:
    return created_at({CREATED_AT: member.joined_at})


def _of_address(members: Sequence[Member], state: State[InvitedT]) -> list[Member]:
    address = in_lower_case(state.wanted.email)
    return [each for each in members if in_lower_case(each.email) == address]
