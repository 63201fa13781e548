"""The fields of invitations, which a person accepts by becoming a member."""

from __future__ import annotations

from typing import TypeVar

from .base import Compare, Email, Flag, Text, prop
from .equality import in_lower_case
from .thing import Thing, option, ours


class Invited(Thing):
    """An invitation."""

    LAST = ("user_id", "joined_at", "accepted")

    email: Email | None = prop(
        "Email address of the person.", required=True, replaces=True, compare=Compare(in_lower_case)
    )
    remove_member: Flag | None = option(
        "Whether destroying the invitation also removes the member who accepted it. A member who may have joined "
        "without it is kept, with a warning; see `accepted`.",
        unset=False,
    )
    user_id: Text | None = ours("Id of the member with this address, once a refresh has found it.")
    joined_at: Text | None = ours("When that member joined (ISO-8601).")
    accepted: Flag | None = ours("Whether that member has certainly joined by this invitation.")


InvitedT = TypeVar("InvitedT", bound=Invited)
