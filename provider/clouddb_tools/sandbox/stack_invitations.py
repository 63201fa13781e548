"""The team of the self-hosted server: its invitations and its members.

It follows the vendor's observability server 2.36.0 (routers/external-api/v2/team.ts).
"""

from __future__ import annotations

import re
from typing import Any

from pulumi_clouddb.things.stack_invitations.api import StackInvitations

from .ids import is_object_id
from .responses import HTTPError, MalformedError, bad_request
from .served import Served
from .state import EMAIL, SELF_HOSTED, USER, Call, SandboxState
from .store import Document

ACCEPTED, MEMBER = "accepted", "memberId"
"""Fields of the sandbox: a test sets the first on an invitation, which then becomes the member with this id."""


class ServedInvitations(Served):
    """The invitations, the members and the team."""

    def create(self, state: SandboxState, call: Call) -> Document:
        """Create an invitation, or return the pending one for this address."""
        body = call.body or {}
        given = body.get("email") if isinstance(body, dict) else None
        if not isinstance(given, str) or not re.fullmatch(r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}", given):
            raise MalformedError("Body", "email", "Invalid email" if isinstance(given, str) else "Required")
        email = given.lower()
        if email in [each["email"] for each in self.list_members(state, call)]:
            raise bad_request("User already exists. Please contact HyperDX team for support")
        known = next((each for each in state.store.all(self.kind, SELF_HOSTED) if each["email"] == email), None)
        if known is None:
            named = {"name": body["name"]} if "name" in body else {}
            known = self.add(state, SELF_HOSTED, {"email": email, **named})
        return {"email": email, "invitationId": known["id"], "status": "pending", "url": known["url"]}

    def delete(self, state: SandboxState, call: Call) -> Document:  # type: ignore[override]
        """Withdraw an invitation."""
        return self._removed(state, "id", self._checked_id(call.params["stackInvitationId"]), accepted=False)

    def list_members(self, state: SandboxState, _: Call) -> Any:
        """List the members: the admin, and all accepted invitations."""
        admin = {"id": state.identity.teamId, "name": USER, "email": EMAIL, "isCurrentUser": True}
        joined = [each for each in state.store.all(self.kind, SELF_HOSTED) if each.get(ACCEPTED)]
        others = (
            {
                "id": each[MEMBER],
                "name": each.get("name", each["email"]),
                "email": each["email"],
                "isCurrentUser": False,
            }
            for each in joined
        )
        return [admin, *others]

    def delete_member(self, state: SandboxState, call: Call) -> Document:
        """Remove a member other than the caller."""
        id_ = self._checked_id(call.params["userId"])
        if id_ == state.identity.teamId:
            raise bad_request("You cannot remove yourself from the team")
        return self._removed(state, MEMBER, id_, accepted=True)

    def get_team(self, state: SandboxState, _: Call) -> Document:
        """Read the team."""
        return {"id": state.identity.teamId, "name": "Sandbox"}

    def add(self, state: SandboxState, parent: str, fields: Document) -> Document:
        """Add an invitation; addresses are stored in lower case."""
        url = f"http://localhost:8080/join-team?token={state.ids.source.getrandbits(256):064x}"
        return super().add(state, parent, {"url": url, **fields, "email": fields["email"].lower()})

    def add_by_hand(self, state: SandboxState, fields: Document) -> Document:
        """Add an invitation without validation, except that its address must be text."""
        if not isinstance(fields.get("email", ""), str):
            raise bad_request("email must be text")
        return super().add_by_hand(state, self.changed_by_hand(state, {}, fields))

    def shown(self, state: SandboxState, document: Document) -> Document:
        """Return an invitation without the sandbox's own fields."""
        return {name: value for name, value in document.items() if name not in (ACCEPTED, MEMBER)}

    def changed_by_hand(self, state: SandboxState, document: Document, fields: Document) -> Document:
        """Return an invitation after a change; who accepts it becomes a user with an id of this moment."""
        joins = fields.get(ACCEPTED) and not document.get(ACCEPTED)
        return {**document, **({MEMBER: state.ids.object_id()} if joins else {}), **fields}

    def list(self, state: SandboxState, call: Call) -> Any:
        """List the pending invitations."""
        return [each for each in super().list(state, call) if not each.get(ACCEPTED)]

    def parent(self, state: SandboxState, call: Call) -> str:
        """Return the parent of all objects of the self-hosted server."""
        return SELF_HOSTED

    def _removed(self, state: SandboxState, by: str, id_: str, *, accepted: bool) -> Document:
        documents = [each for each in state.store.all(self.kind, SELF_HOSTED) if bool(each.get(ACCEPTED)) is accepted]
        document = next((each for each in documents if each[by] == id_), None)
        if document is None:
            raise HTTPError(404, "Not Found", plain=True)
        self.remove(state, document["id"])
        return {"success": True}

    def _checked_id(self, id_: str) -> str:
        if not is_object_id(id_.lower()):
            raise MalformedError("Params", "id", "Invalid ObjectId")
        return id_.lower()


SERVED = ServedInvitations(StackInvitations, email="grace@example.com")
