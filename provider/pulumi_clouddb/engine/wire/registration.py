"""What the class in a program sends to the dynamic provider besides the properties of a resource.

The dynamic host gets neither the stack nor the URN of a resource, and no marks of secrets (pulumi.dynamic.__main__ of
pulumi 3.272). So the class sends them in an extra input; if the engine's request shows, its URN counts (`host`). Check
passes the input on to state; it is never compared, and the handlers do not get it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

PROVIDER_KEY: Final = "__provider"
"""The input and output with the dynamic provider; `pulumi.dynamic.dynamic.PROVIDER_KEY`, for which `pulumi` is slow."""
REGISTRATION_KEY: Final = "__registration"
"""The input and output with the registration; Pulumi does not display keys that begin with two underscores."""
URN: Final = "urn"
SECRET: Final = "secret"  # noqa: S105 (the name of an entry)
ORGANIZATION: Final = "organization"
"""The organization, if the backend has several: each may have a stack of this name."""
NO_ORGANIZATION: Final = "organization"
"""The name of the organization in programs if the backend has none."""


@dataclass(frozen=True)
class Registration:
    """A resource as its program registered it.

    Attributes:
        urn: Its URN, or None if it was not registered by a class of this package.
        secrets: Wire names of the inputs that are, or contain, a secret, as far as a preview knows.
        organization: The stack's organization, or None if the backend has none.
    """

    urn: str | None = None
    secrets: frozenset[str] = frozenset()
    organization: str | None = None

    @classmethod
    def of(cls, properties: Mapping[str, Any]) -> Registration:
        """Return the registration in the properties from the dynamic host."""
        sent = properties.get(REGISTRATION_KEY)
        if not isinstance(sent, Mapping):
            return cls()
        secret = sent.get(SECRET)
        names = [name for name, is_secret in secret.items() if is_secret is True] if isinstance(secret, Mapping) else []
        urn, organization = sent.get(URN), sent.get(ORGANIZATION)
        return cls(
            urn if isinstance(urn, str) else None,
            frozenset(names),
            organization if isinstance(organization, str) else None,
        )
