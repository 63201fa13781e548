"""The operations on API keys."""

from __future__ import annotations

from typing import Any

from pulumi_clouddb.models.api_key import ApiKeyArgs, KeyBody, KeyRole, KeyState
from pulumi_clouddb.models.base import parse_timestamp

from .auth import CREDENTIALS, KEYS
from .bodies import checked
from .errors import bad_request, not_found
from .key_bodies import HASHED_KEY_BODY, HashData, digest
from .settings import to_stamp
from .state import Call, SandboxState
from .store import Document

MOST_KEYS = 100
"""Keys that an organization may have, as published."""

EVERYWHERE = [{"source": "0.0.0.0/0", "description": "Anywhere"}, {"source": "::/0", "description": "Anywhere"}]


def list_all(state: SandboxState, call: Call) -> list[Document]:
    """List the keys."""
    return state.listed(call, KEYS)


def get(state: SandboxState, call: Call) -> Document:
    """Read one key."""
    document = state.store.get(KEYS, call.params["keyId"].lower())
    if document is None:
        raise not_found("Key")
    return document


def create(state: SandboxState, call: Call) -> dict[str, Any]:
    """Create a key; its id for HTTP Basic and its secret are answered here and nowhere else.

    A client that sends their hashes knows both already; the answer then holds neither.
    """
    model = HASHED_KEY_BODY if state.settings.is_clickhouse else KeyBody
    body = checked(model, call.body, nullable=("expireAt",), ruled=ApiKeyArgs, context=state.context)
    if len(state.store.all(KEYS)) >= MOST_KEYS:
        raise bad_request(f"An organization may have at most {MOST_KEYS} keys")
    return make(state, body)


def make(state: SandboxState, body: dict[str, Any]) -> dict[str, Any]:
    """Make the key that a checked body describes, and return what a create answers."""
    if "hashData" in body:
        fields = {name: value for name, value in body.items() if name != "hashData"}
        return {"key": _put(state, body["hashData"], fields)}
    return add(state, state.ids.text(20), state.ids.text(42), body)


def add(state: SandboxState, key_id: str, secret: str, body: dict[str, Any]) -> dict[str, Any]:
    """Make a key that works with these credentials, and return what a create answers."""
    hashes: HashData = {"keyIdHash": digest(key_id), "keyIdSuffix": key_id[-4:], "keySecretHash": digest(secret)}
    return {"key": _put(state, hashes, body), "keyId": key_id, "keySecret": secret}


def _put(state: SandboxState, hashes: HashData, body: dict[str, Any]) -> Document:
    # Two keys of one id could not be told apart.
    if state.store.get(CREDENTIALS, hashes["keyIdHash"]):
        raise bad_request("request body.hashData.keyIdHash: a key with this id exists already")
    document: Document = {
        "id": state.ids.uuid(),
        "name": "Key",
        "state": KeyState.ENABLED.value,
        "roles": [KeyRole.ADMIN.value],
        "keySuffix": hashes["keyIdSuffix"],
        "createdAt": state.clock.stamp(),
        "ipAccessList": EVERYWHERE,
        **body,
        "expireAt": _moment(body.get("expireAt")),
    }
    state.store.put(KEYS, document["id"], document)
    credential = {"key": document["id"], "secretHash": hashes["keySecretHash"]}
    state.store.put(CREDENTIALS, hashes["keyIdHash"], credential, document["id"])
    return document


def update(state: SandboxState, call: Call) -> Document:
    """Change a key; null or empty `expireAt` clears it, what is left out stays, the IP list is replaced as a whole."""
    document = get(state, call)
    body = checked(KeyBody, call.body, nullable=("expireAt",))
    changed = {**document, **body}
    if "expireAt" in body:
        changed["expireAt"] = _moment(body["expireAt"])
    state.store.put(KEYS, changed["id"], changed)
    return changed


def delete(state: SandboxState, call: Call) -> None:
    """Delete a key, but not the one that asks."""
    document = get(state, call)
    if call.key and call.key["id"] == document["id"]:
        raise bad_request("Only a key not used to authenticate the active request can be deleted")
    remove(state, document["id"])


def remove(state: SandboxState, id_: str) -> bool:
    """Remove a key with its credentials; tell whether there was one."""
    state.store.delete_children(id_)
    return state.store.delete(KEYS, id_)


def _moment(value: str | None) -> str | None:
    return to_stamp(parse_timestamp(value)) if value else None
