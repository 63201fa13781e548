"""What the request that creates a key may hold beyond the interface: hashes in place of credentials to be told."""

from __future__ import annotations

import base64
import hashlib
from typing import TypedDict

from pydantic import create_model

from pulumi_clouddb.models.api_key import KeyBody
from pulumi_clouddb.models.base import Model, Text, prop

_SHA256 = r"^[A-Za-z0-9+/]{43}=$"


class HashData(TypedDict):
    """Hashes of a key's credentials; nothing else of them is kept."""

    keyIdHash: str
    keyIdSuffix: str
    keySecretHash: str


class HashDataBody(Model):
    """Hashes of credentials that the client made up (openapi: `ApiKeyHashData`)."""

    key_id_hash: Text = prop("Base64 of the SHA-256 of the key id.", required=True, pattern=_SHA256)
    key_id_suffix: Text = prop("Last four characters of the key id.", required=True, min_length=4, max_length=4)
    key_secret_hash: Text = prop(
        "Base64 of the SHA-256 of the key secret.", required=True, secret=True, pattern=_SHA256
    )


HASHED_KEY_BODY: type[Model] = create_model(
    "HashedKeyBody",
    __base__=KeyBody,
    hash_data=(HashDataBody | None, prop("Hashes of the key id and the key secret.")),
)
"""Body of the create in the clickhouse dialect."""


def digest(text: str) -> str:
    """Return the hash of a credential as the vendor's servers are sent it: base64 of its SHA-256."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
