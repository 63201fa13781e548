"""API keys of the organization, and the mark of their creation."""

from __future__ import annotations

from collections.abc import Iterable

from pulumi_clouddb.client.collection import SHARED_LIST_SECONDS, Collection
from pulumi_clouddb.client.errors import NotFoundError, UnsupportedOperationError
from pulumi_clouddb.client.marks import Mark, derive, hashed
from pulumi_clouddb.client.operation import ORGANIZATION, management
from pulumi_clouddb.schema.base import Record, wire_names
from pulumi_clouddb.schema.convert import parse, to_body
from pulumi_clouddb.schema.names import property_name
from pulumi_clouddb.schema.values import WireDict, WireValues

from .api_key import ApiKey, KeyFields

ACTOR = "apiKey"
"""The word before the id of a key in the actors of a role."""

ROLE_IDS = property_name(KeyFields, lambda key: key.assigned_role_ids)
EXPIRY = property_name(KeyFields, lambda key: key.expire_at)

KEY_ID_LETTERS, KEY_SECRET_LETTERS, SUFFIX_LETTERS = 20, 42, 4
"""The lengths that the vendor's servers use, and the number of letters that they show of an id."""


class KeyMark:
    """Id and secret of a key, made here and sent as hashes, so that a lost response loses neither.

    They are derived from the secret of the configured credentials and the nonce: both are needed, and only the nonce is
    stored on disk.

    Args:
        nonce: The nonce of the pending create.
        credential: The configured `clouddb:keySecret`.
    """

    def __init__(self, nonce: str, credential: str) -> None:
        self.key_id = derive(credential, nonce, "key id", KEY_ID_LETTERS)
        self.key_secret = derive(credential, nonce, "key secret", KEY_SECRET_LETTERS)

    @property
    def suffix(self) -> str:
        """The end of the id, which the server shows."""
        return self.key_id[-SUFFIX_LETTERS:]

    def put_on(self, body: WireValues) -> WireDict:
        """Return the body with the hashes (`hashData` of *Create key*)."""
        hashes = {
            "keyIdHash": hashed(self.key_id),
            "keyIdSuffix": self.suffix,
            "keySecretHash": hashed(self.key_secret),
        }
        return {**body, "hashData": hashes}

    def is_on(self, record: Record) -> bool:
        """Return whether a key shows the end of the id, as 1 in 15 million others does by chance."""
        return record.answer.get("keySuffix") == self.suffix


class Keys(Collection[ApiKey]):
    """The API keys of the organization."""

    model = ApiKey
    id_part = "key_id"
    created_part = "key"

    LIST = management("list_keys", "GET", ORGANIZATION + "/keys", "Key", "list the keys", per_page=250)
    CREATE = management("create_key", "POST", ORGANIZATION + "/keys", "KeyCreated", "create the key")
    GET = management("get_key", "GET", ORGANIZATION + "/keys/{keyId}", "Key", "read the key")
    UPDATE = management("update_key", "PATCH", ORGANIZATION + "/keys/{keyId}", "Key", "update the key", documented=True)
    DELETE = management("delete_key", "DELETE", ORGANIZATION + "/keys/{keyId}", "None", "delete the key")

    def find(self, object_id: str, *, max_age: float = SHARED_LIST_SECONDS) -> ApiKey | None:
        """Return one record; see `Collection.find`.

        If a server offers neither the list nor the single read, an update without fields reads the key: the interface
        documents the update, and all its fields are optional.
        """
        try:
            return super().find(object_id, max_age=max_age)
        except UnsupportedOperationError:
            try:
                return self.update(object_id, KeyFields.model_construct())
            except NotFoundError:
                return None

    def parsed(self, record: WireValues) -> ApiKey:
        """Return the record of a response in this dialect."""
        return parse(self.model, record, self.api.client.config.vocabulary)

    def update(self, key_id: str, key: KeyFields) -> ApiKey:
        """Change the fields that are set; the others stay."""
        return self.parsed(self.call(self.UPDATE, key_id, body_of_key(key)))

    def may_be_lost(self, record: ApiKey) -> bool:
        """Return whether the key may be that of a lost response: nobody has used it."""
        return not record.used_at

    def mark(self, nonce: str) -> Mark | None:
        """Return an id and a secret made here, if the server accepts hashes of them."""
        return KeyMark(nonce, self.credential) if self.takes_marks("Key") else None

    def marked_in(self, record: ApiKey, name: str, window: range) -> Iterable[int]:
        """Return the whole window for a key of that name: the end of its id alone is weak evidence."""
        return window if record.name == name else ()


def body_of_key(key: KeyFields) -> WireDict:
    """Return the body of a key; a key that never expires has null as its expiry."""
    return to_body(key, wire_names(KeyFields))
