"""What the vendor's self-hosted servers tell of themselves, of the team and the user, beside the operations.

Their clients ask for it to see whether a token is good (routers/external-api/v2/index.ts, team.ts and
routers/api/root.ts).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from pulumi_clouddb.client.about import HEALTH, WHO_AM_I
from pulumi_clouddb.client.operation import Operation, ServerKind

from . import responses
from .auth import authenticate, check_organization
from .ids import is_object_id
from .responses import HTTPError, bad_request
from .state import SandboxState
from .store import Document

NAME, USER, EMAIL = "Sandbox", "Admin", "admin@example.com"
BEGINNING = "2024-01-01T00:00:00.000Z"
INVITATIONS = "invitations"

VERSION = "2.36.0"
"""The release of the vendor's observability server whose behaviour this one imitates."""


@dataclass(frozen=True)
class About:
    """What is answered on one path.

    Attributes:
        operation: Which server has it.
        answer: Returns the whole body, or the result that the envelope of the management API holds.
        to_everybody: Whether no credentials are asked for.
    """

    operation: Operation
    answer: Callable[[SandboxState, Asked], Any]
    to_everybody: bool = False


@dataclass(frozen=True)
class Asked:
    """What a request has beside its path.

    Attributes:
        params: The variable parts of the path.
        body: Returns the body, or refuses it.
    """

    params: Mapping[str, str]
    body: Callable[[], Any]


def _whoami(state: SandboxState, _: Asked) -> Document:
    own = {"_id": state.identity.teamId, "accessKey": state.identity.stackToken, "team": state.identity.teamId}
    times = {"createdAt": BEGINNING, "updatedAt": BEGINNING, "__v": 0}
    return {"version": "v2", "user": {"name": USER, "email": EMAIL, **own, **times}}


def _team(state: SandboxState, _: Asked) -> Document:
    return {"data": {"id": state.identity.teamId, "name": NAME}}


def _members(state: SandboxState, _: Asked) -> Document:
    return {"data": [{"id": state.identity.teamId, "name": USER, "email": EMAIL, "isCurrentUser": True}]}


def _remove_member(state: SandboxState, asked: Asked) -> Document:
    """Refuse to remove the only member."""
    if _id_in(asked) == state.identity.teamId:
        raise bad_request("You cannot remove yourself from the team")
    raise HTTPError(404, "Not Found", plain=True)


def _invite(state: SandboxState, asked: Asked) -> Document:
    """Invite somebody; whoever was invited already keeps that invitation."""
    body = asked.body() or {}
    given = body.get("email") if isinstance(body, dict) else None
    if not isinstance(given, str) or not re.fullmatch(r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}", given):
        raise _MalformedError("Body", "email", "Invalid email" if isinstance(given, str) else "Required")
    email = given.lower()
    if email == EMAIL:
        raise bad_request("User already exists. Please contact HyperDX team for support")
    known = next((each for each in state.store.all(INVITATIONS) if each["email"] == email), None)
    if known is None:
        url = f"http://localhost:8080/join-team?token={state.ids.source.getrandbits(256):064x}"
        known = {"id": state.ids.object_id(), "createdAt": state.clock.stamp(), "email": email, "url": url}
        known |= {"name": body["name"]} if "name" in body else {}
        state.store.put(INVITATIONS, known["id"], known)
    return {"data": {"email": email, "invitationId": known["id"], "status": "pending", "url": known["url"]}}


def _invitations(state: SandboxState, _: Asked) -> Document:
    return {"data": list(state.store.all(INVITATIONS))}


def _withdraw(state: SandboxState, asked: Asked) -> Document:
    id_ = _id_in(asked)
    if state.store.get(INVITATIONS, id_) is None:
        raise HTTPError(404, "Not Found", plain=True)
    state.store.delete(INVITATIONS, id_)
    return {"data": {"success": True}}


def _id_in(asked: Asked) -> str:
    id_ = asked.params["id"].lower()
    if not is_object_id(id_):
        raise _MalformedError("Params", "id", "Invalid ObjectId")
    return id_


class _MalformedError(HTTPError):
    """A part of a request of a team that is malformed: these routes answer a list of what is wrong."""

    def __init__(self, part: str, path: str, message: str) -> None:
        super().__init__(400, message)
        issue = {"message": message, "path": [path]}
        self.body = [{"type": part, "errors": {"issues": [issue], "name": "ZodError"}}]


def _health(_: SandboxState, __: Asked) -> Document:
    return {"data": "OK", "version": VERSION, "ip": "127.0.0.1"}


_TEAM = f"{WHO_AM_I.path}/team"

ABOUT: Mapping[tuple[str, str], About] = {
    ("GET", f"{WHO_AM_I.path}/"): About(WHO_AM_I, _whoami),
    ("GET", _TEAM): About(WHO_AM_I, _team),
    ("GET", f"{_TEAM}/members"): About(WHO_AM_I, _members),
    ("DELETE", f"{_TEAM}/member/{{id}}"): About(WHO_AM_I, _remove_member),
    ("GET", f"{_TEAM}/invitations"): About(WHO_AM_I, _invitations),
    ("POST", f"{_TEAM}/invitation"): About(WHO_AM_I, _invite),
    ("DELETE", f"{_TEAM}/invitation/{{id}}"): About(WHO_AM_I, _withdraw),
    ("GET", HEALTH.path): About(HEALTH, _health, to_everybody=True),
}
"""What is answered, by method and path."""


def answer(
    state: SandboxState, about: About, request: Request, asked: Asked, address: str, request_id: str
) -> Response:
    """Return the answer, or the refusal of whoever may not have it."""
    kind = about.operation.server_kind
    try:
        if not about.to_everybody:
            authenticate(state, about.operation, request.headers.get("authorization", ""), address)
        check_organization(state, request.path_params)
        told = about.answer(state, asked)
    except _MalformedError as refusal:
        return JSONResponse(refusal.body, refusal.status)
    except HTTPError as refusal:
        return responses.failure(kind, refusal, request_id)
    return responses.success(kind, told, request_id) if kind is ServerKind.MANAGEMENT else JSONResponse(told)
