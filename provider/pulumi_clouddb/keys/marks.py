"""The mark of a key: its id and its secret, which this provider makes."""

from __future__ import annotations

from pulumi_clouddb.client.marks import derive, hashed
from pulumi_clouddb.schema.base import Record
from pulumi_clouddb.schema.values import WireDict, WireValues

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
