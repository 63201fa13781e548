"""What the vendor's self-hosted servers tell of themselves, of the team and the user, beside the operations.

Their clients ask for it to see whether a token is good (routers/external-api/v2/index.ts, team.ts and
routers/api/root.ts).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from pulumi_clouddb.client.about import HEALTH, WHO_AM_I
from pulumi_clouddb.client.operation import Operation, ServerKind

from . import responses
from .auth import authenticate, check_organization
from .responses import HTTPError
from .state import SandboxState
from .store import Document

NAME, USER, EMAIL = "Sandbox", "Admin", "admin@example.com"
BEGINNING = "2024-01-01T00:00:00.000Z"

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


def _health(_: SandboxState, __: Asked) -> Document:
    return {"data": "OK", "version": VERSION, "ip": "127.0.0.1"}


ABOUT: Mapping[tuple[str, str], About] = {
    ("GET", f"{WHO_AM_I.path}/"): About(WHO_AM_I, _whoami),
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
    except HTTPError as refusal:
        return responses.failure(kind, refusal, request_id)
    return responses.success(kind, told, request_id) if kind is ServerKind.MANAGEMENT else JSONResponse(told)
