"""API keys. Only hashes of their credentials are stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pulumi_clouddb.client.operation import Operation
from pulumi_clouddb.schema.thing import body_of
from pulumi_clouddb.schema.times import parse_timestamp
from pulumi_clouddb.things.api_keys.api import Keys
from pulumi_clouddb.things.api_keys.api_key import API_KEY, ApiKey, KeyRole, KeyState

from .auth import CREDENTIALS
from .bodies import HASHED_KEY_BODY
from .ids import digest
from .responses import Listing, bad_request
from .roles import assigned, system_role
from .served import ServedWithState
from .settings import to_stamp
from .state import Call, SandboxState
from .store import Document

ROLE_IDS = "assignedRoleIds"

_NULLABLE = ("expireAt",)
_EMPTY = "-"
"""Prefix of the cursor of an empty page."""


MAX_KEYS = 100
"""The keys of an organization."""

EVERYWHERE = [{"source": "0.0.0.0/0", "description": "Anywhere"}, {"source": "::/0", "description": "Anywhere"}]


class ServedKeys(ServedWithState):
    """The keys of the organization."""

    def has_pages(self, state: SandboxState, operation: Operation) -> bool:
        """Return whether the release has pages of keys."""
        return state.is_newest and super().has_pages(state, operation)

    def page_of(self, state: SandboxState, call: Call, documents: Sequence[Document]) -> Any:
        """Return a page; with quirks, an empty one follows each that has a next one.

        The vendor's description says that pages in the middle can be empty, and that only the cursor null ends a list.
        """
        if call.query.get("cursor", "").startswith(_EMPTY):
            return Listing([], cursors={"limit": 0, "totalCount": None, "nextCursor": call.query["cursor"][1:]})
        page = super().page_of(state, call, documents)
        following = page.cursors["nextCursor"] if isinstance(page, Listing) else None
        if following is None or not state.settings.quirks:
            return page
        return replace(page, cursors={**page.cursors, "nextCursor": f"{_EMPTY}{following}"})

    def create(self, state: SandboxState, call: Call) -> Document:
        """Create a key; only this response contains its id for HTTP Basic and its secret.

        If the client sends hashes of both, the response contains neither.
        """
        model = HASHED_KEY_BODY if state.settings.is_clickhouse else body_of(ApiKey)
        body = self.checked(state, model, call.body, nullable=_NULLABLE, ruled=API_KEY.inputs)
        moment = body.get("expireAt")
        if state.settings.is_clickhouse and moment and to_stamp(parse_timestamp(moment)) <= state.clock.stamp():
            raise bad_request("request body.expireAt: must be in the future")
        if len(state.store.all(self.kind)) >= MAX_KEYS:
            raise bad_request(f"An organization may have at most {MAX_KEYS} keys")
        return self.add_by_hand(state, {"roles": [], **body} if state.settings.is_clickhouse else body)

    def add_by_hand(self, state: SandboxState, fields: Document) -> Document:
        """Add the key that a body describes, with its credentials or new ones; return the response of a create."""
        rest = {name: value for name, value in fields.items() if name not in ("hashData", "keyId", "keySecret")}
        if hashes := fields.get("hashData"):
            return {"key": self.add(state, "", {**rest, **hashes})}
        key_id, secret = fields.get("keyId") or state.ids.text(20), fields.get("keySecret") or state.ids.text(42)
        hashes = {"keyIdHash": digest(key_id), "keyIdSuffix": key_id[-4:], "keySecretHash": digest(secret)}
        return {"key": self.add(state, "", {**rest, **hashes}), "keyId": key_id, "keySecret": secret}

    def add(self, state: SandboxState, parent: str, fields: Document) -> Document:
        """Add a key from the fields of its record and the hashes of its credentials."""
        id_hash, suffix, secret_hash = (fields.pop(name) for name in ("keyIdHash", "keyIdSuffix", "keySecretHash"))
        # Authentication finds a key by this hash, so it must be unique.
        if state.store.get(CREDENTIALS, id_hash):
            raise bad_request("request body.hashData.keyIdHash: a key with this id exists already")
        usual = {
            "name": "Key",
            "state": KeyState.ENABLED.value,
            "roles": [] if ROLE_IDS in fields else [KeyRole.ADMIN.value],
            "keySuffix": suffix,
            "ipAccessList": EVERYWHERE,
            "expireAt": None,
        }
        key = super().add(state, parent, {**usual, **_with_expiry(fields)})
        state.store.put(CREDENTIALS, id_hash, {"key": key["id"], "secretHash": secret_hash}, key["id"])
        return key

    def changed_by_hand(self, state: SandboxState, document: Document, fields: Document) -> Document:
        """Return a key after a change of some fields, without validation."""
        return {**document, **_with_expiry(fields)}

    def fields(self, state: SandboxState, call: Call) -> Document:
        """Return the validated fields of an update. A null or empty `expireAt` clears it."""
        return _with_expiry(self.checked(state, body_of(ApiKey), call.body, nullable=_NULLABLE))

    def update(self, state: SandboxState, call: Call) -> Document:
        """Change a key; `roles` replaces the roles that were assigned by id."""
        document, body = super().update(state, call), call.body or {}
        if "roles" in body and ROLE_IDS not in body and document.pop(ROLE_IDS, None) is not None:
            state.store.put(self.kind, document["id"], document)
        return document

    def shown(self, state: SandboxState, document: Document) -> Document:
        """Return the record, in the clickhouse dialect with the names of the roles."""
        shown = super().shown(state, document)
        ids = document.get(ROLE_IDS)
        ids = [system_role(role) for role in document["roles"]] if ids is None else ids
        if not state.settings.is_clickhouse or not state.settings.shows_state:
            return shown
        roles = assigned(state, ids)
        return {**{name: value for name, value in shown.items() if name != ROLE_IDS}, "assignedRoles": roles}

    def delete(self, state: SandboxState, call: Call) -> None:
        """Delete a key, unless it authenticates this request."""
        document = self.get(state, call)
        if call.key and call.key["id"] == document["id"]:
            raise bad_request("Only a key not used to authenticate the active request can be deleted")
        self.remove(state, document["id"])


SERVED = ServedKeys(Keys, body_of(ApiKey))


def _with_expiry(fields: Document) -> Document:
    """Return the fields with `expireAt` in the format of the record."""
    if "expireAt" not in fields:
        return fields
    value = fields["expireAt"]
    try:
        return {**fields, "expireAt": to_stamp(parse_timestamp(str(value))) if value else None}
    except ValueError:
        raise bad_request(f"expireAt: must be an ISO-8601 date-time, not {value!r}") from None
