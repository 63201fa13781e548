"""Who asks: what the vendor's self-hosted server tells of the team and of the user, beside the operations.

Its clients ask for it to see whether their token is good (routers/external-api/v2/index.ts, team.ts).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .state import SandboxState

NAME, EMAIL = "Sandbox", "admin@example.com"


def _user(state: SandboxState) -> dict[str, Any]:
    return {"_id": state.identity.teamId, "id": state.identity.teamId, "name": "Admin", "email": EMAIL}


def _whoami(state: SandboxState) -> dict[str, Any]:
    return {"version": "v2", "user": {**_user(state), "team": state.identity.teamId}}


def _team(state: SandboxState) -> dict[str, Any]:
    return {"data": {"id": state.identity.teamId, "name": NAME}}


def _members(state: SandboxState) -> dict[str, Any]:
    user = {name: value for name, value in _user(state).items() if name != "_id"}
    return {"data": [{**user, "isCurrentUser": True}]}


ANSWERS: dict[str, Callable[[SandboxState], dict[str, Any]]] = {
    "/api/v2": _whoami,
    "/api/v2/": _whoami,
    "/api/v2/team": _team,
    "/api/v2/team/members": _members,
}
"""What is answered, by path."""
