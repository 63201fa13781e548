"""The team of a self-hosted server; the bodies are those of its routes, because its description has none."""

from __future__ import annotations

from typing import Literal

from typing_extensions import Required, TypedDict

from description.exchange import Exchange
from description.notation import Moment


class Create(TypedDict, total=False):
    email: Required[str]
    name: str


class Invited(TypedDict):
    """The response to an invitation."""

    email: str
    invitationId: str
    status: Literal["pending"]
    url: str


class Invitation(TypedDict, total=False):
    id: Required[str]
    createdAt: Required[Moment]
    email: Required[str]
    name: str
    url: Required[str]


class Removed(TypedDict):
    """The response to a removal."""

    success: bool


class Member(TypedDict):
    id: str
    email: str
    name: str
    isCurrentUser: bool


class Team(TypedDict):
    id: str
    name: str


EXCHANGES = {
    "list_stack_invitations": Exchange(response=list[Invitation]),
    "create_stack_invitation": Exchange(Create, Invited),
    "delete_stack_invitation": Exchange(response=Removed),
    "list_stack_members": Exchange(response=list[Member]),
    "delete_stack_member": Exchange(response=Removed),
    "get_team": Exchange(response=Team),
}
