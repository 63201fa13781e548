"""Which texts in a configuration, and in the body of a request, are secret."""

from __future__ import annotations

import base64
import functools
from collections.abc import Iterator

from .base import Model, marks_of, names_marked, wire_name
from .config import ProviderConfig
from .operation_secrets import texts_of
from .public_names import models
from .values import WireValues


def secrets_of_settings(values: WireValues) -> frozenset[str]:
    """Return the secrets in a configuration by wire name, and the credentials of HTTP Basic as they are sent."""
    secrets = {str(values[name]) for name in names_marked(ProviderConfig, "secret") if values.get(name)}
    if values.get("keyId") and values.get("keySecret"):
        basic = f"{values['keyId']}:{values['keySecret']}".encode("utf-8", "surrogatepass")
        secrets.add(base64.b64encode(basic).decode())
    return frozenset(secrets)


def secrets_of_body(body: object) -> Iterator[str]:
    """Return the texts in the body of a request that the models call secret, and those that secrets are hashed to."""
    return _secrets_within(body, _secret_names(models())) if body else iter(())


def _secrets_within(body: object, names: frozenset[str]) -> Iterator[str]:
    if isinstance(body, dict):
        for name, value in body.items():
            yield from texts_of(value) if name in names else _secrets_within(value, names)
    elif isinstance(body, list):
        for value in body:
            yield from _secrets_within(value, names)


_HASHES = frozenset({"hashData", "newPasswordHash", "newDoubleSha1Hash"})
"""What the vendor's API takes in place of a secret."""


@functools.lru_cache(maxsize=1)
def _secret_names(loaded: frozenset[type[Model]]) -> frozenset[str]:
    return _HASHES.union(
        wire_name(model, attribute)
        for model in loaded
        for attribute in model.model_fields
        if marks_of(model, attribute).get("secret")
    )
