"""What a program tells the dynamic provider about a resource beside its properties.

The dynamic host gets neither the stack nor the URN of a resource, and all values without their secret marks
(pulumi.dynamic.__main__ of pulumi 3.272). So the class that a program uses sends both along, in an input of its own.
It travels through check into state and back; it is never compared, and the resources never see it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

REGISTRATION_KEY: Final = "__registration"
"""The input and output that holds the registration; Pulumi displays no key that begins with two underscores."""
URN: Final = "urn"
SECRET: Final = "secret"  # noqa: S105 (the name of an entry)
ORGANIZATION: Final = "organization"
"""Sent where the backend has organizations: each of them may have a stack of this name."""
NO_ORGANIZATION: Final = "organization"
"""What Pulumi tells programs where the backend has none."""


@dataclass(frozen=True)
class Registration:
    """A resource as its program registered it.

    Attributes:
        urn: Its URN, or None where no class of this package registered it.
        secrets: Wire names of the inputs that are secret or hold a secret, as far as a preview knows.
        organization: The stack's organization, or None where the backend has none.
    """

    urn: str | None = None
    secrets: frozenset[str] = frozenset()
    organization: str | None = None

    @classmethod
    def of(cls, properties: Mapping[str, Any]) -> Registration:
        """Return the registration among the properties that the dynamic host hands over."""
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
