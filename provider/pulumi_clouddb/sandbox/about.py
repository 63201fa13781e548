"""What the vendor's servers tell of themselves, of the organization, the team and the user, beside the operations.

Their clients ask for it to see whether a key or a token is good (openapi: `organizationGetList`; of the self-hosted
server routers/external-api/v2/index.ts, team.ts and routers/api/root.ts).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from pulumi_clouddb.api.about import HEALTH, ORGANIZATIONS, THE_ORGANIZATION, WHO_AM_I
from pulumi_clouddb.api.operation import Operation

from . import responses
from .auth import authenticate, check_organization
from .responses import HTTPError
from .state import SandboxState

NAME, EMAIL = "Sandbox", "admin@example.com"

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
    answer: Callable[[SandboxState], Any]
    to_everybody: bool = False


def _user(state: SandboxState) -> dict[str, Any]:
    return {"_id": state.identity.teamId, "id": state.identity.teamId, "name": "Admin", "email": EMAIL}


def _whoami(state: SandboxState) -> dict[str, Any]:
    return {"version": "v2", "user": {**_user(state), "team": state.identity.teamId}}


def _team(state: SandboxState) -> dict[str, Any]:
    return {"data": {"id": state.identity.teamId, "name": NAME}}


def _members(state: SandboxState) -> dict[str, Any]:
    user = {name: value for name, value in _user(state).items() if name != "_id"}
    return {"data": [{**user, "isCurrentUser": True}]}


def _organization(state: SandboxState) -> dict[str, Any]:
    return {"id": state.identity.organizationId, "name": NAME, "createdAt": "2024-01-01T00:00:00.000Z"}


def _health(_: SandboxState) -> dict[str, Any]:
    return {"data": "OK", "version": VERSION, "ip": "127.0.0.1"}


ABOUT: Mapping[str, About] = {
    ORGANIZATIONS.path: About(ORGANIZATIONS, lambda state: [_organization(state)]),
    THE_ORGANIZATION.path: About(THE_ORGANIZATION, _organization),
    WHO_AM_I.path: About(WHO_AM_I, _whoami),
    f"{WHO_AM_I.path}/": About(WHO_AM_I, _whoami),
    f"{WHO_AM_I.path}/team": About(WHO_AM_I, _team),
    f"{WHO_AM_I.path}/team/members": About(WHO_AM_I, _members),
    HEALTH.path: About(HEALTH, _health, to_everybody=True),
}
"""What is answered, by path."""


def answer(state: SandboxState, about: About, request: Request, address: str, request_id: str) -> Response:
    """Return the answer, or the refusal of whoever may not have it."""
    kind = about.operation.server_kind
    try:
        if not about.to_everybody:
            authenticate(state, about.operation, request.headers.get("authorization", ""), address)
        check_organization(state, request.path_params)
    except HTTPError as refusal:
        return responses.failure(kind, refusal, request_id)
    if about.operation in (ORGANIZATIONS, THE_ORGANIZATION):
        return responses.success(kind, about.answer(state), request_id)
    return JSONResponse(about.answer(state))
