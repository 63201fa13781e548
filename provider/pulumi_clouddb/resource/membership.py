"""Whether a member has joined by an invitation of ours: a table of named cases; the first that applies decides.

An address is not evidence: its owner may have been a member before, or have joined by somebody else's invitation. No
server reports by which invitation a member has joined, so each case against ours must be ruled out. `invited` gathers
the facts; docs/reliability.md explains them, and their limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pulumi_clouddb.create.verdicts import CANNOT_TELL, NOT_OURS, OURS, Case


@dataclass(frozen=True)
class Member:
    """A member.

    Attributes:
        id: The id.
        email: The address, if the server reports it.
        joined_at: When the member joined (ISO-8601), if the server reports it.
        has_roles: Whether the member has the roles of the invitation.
    """

    id: str
    email: str | None
    joined_at: str | None
    has_roles: bool = True


@dataclass(frozen=True)
class MemberFacts:
    """What is known about a member with the address of an invitation; by default it has joined by that one.

    Attributes:
        was_pending: Whether the invitation existed at the end, so that nobody has accepted it.
        members: How many members have the address.
        was_refuted: Whether a refresh has found that the member had joined otherwise.
        was_found: Whether a refresh has found a member; `is_the_same` states whether it was this membership.
        was_proven: Whether that one had joined by this invitation.
        invited: When the invitation was made, in seconds since 1970; None if unknown.
        expires: When it expires; None if it does not, or if unknown.
        has_expired: Whether it has expired by now.
        joined: When the member joined; None if unknown.
        has_roles: Whether the member has the roles of the invitation.
    """

    was_pending: bool = False
    members: int = 1
    was_refuted: bool = False
    was_found: bool = False
    is_the_same: bool = True
    was_proven: bool = False
    invited: float | None = 0.0
    expires: float | None = None
    has_expired: bool = False
    joined: float | None = 1.0
    has_roles: bool = True


def _before(first: float | None, second: float | None) -> bool:
    return first is not None and second is not None and first < second


MEMBER_CASES: Sequence[Case[MemberFacts]] = (
    Case("the invitation was still pending, so this person joined without it", NOT_OURS, lambda it: it.was_pending),
    Case(
        "several members have the address, and one of them may have joined without it",
        CANNOT_TELL,
        lambda it: it.members > 1,
    ),
    Case("a refresh has found that this person joined without it", NOT_OURS, lambda it: it.was_refuted),
    Case(
        "the member who accepted it has left, and somebody has invited this person again",
        NOT_OURS,
        lambda it: it.was_found and not it.is_the_same,
    ),
    # Later changes of roles are no sign: a colleague, or a Member of this program, may have made them.
    Case("a refresh has found that this person joined by it", OURS, lambda it: it.was_proven),
    Case(
        "the server does not report when this person joined, or was invited",
        CANNOT_TELL,
        lambda it: it.joined is None or it.invited is None,
    ),
    Case("this person joined before it was made", NOT_OURS, lambda it: _before(it.joined, it.invited)),
    Case("this person joined after it had expired", NOT_OURS, lambda it: _before(it.expires, it.joined)),
    # Servers list no expired one, so that another invitation may have been accepted while it was pending.
    Case("it has expired, and nobody knows whether it was accepted before", CANNOT_TELL, lambda it: it.has_expired),
    Case(
        "this person does not have its roles, so another one may have been accepted",
        CANNOT_TELL,
        lambda it: not it.has_roles,
    ),
    Case("this person joined while it could be accepted, with its roles", OURS, lambda _: True),
)
"""Whether the member has joined by this invitation."""
