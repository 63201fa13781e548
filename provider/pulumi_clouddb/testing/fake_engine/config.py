"""A stack's configuration, as it is handed to programs and providers."""

from __future__ import annotations

from collections.abc import Mapping

from pulumi_clouddb.pulumi_wire.secret import Secret


class Config:
    """Values by full key; which of them are secret stands apart from the values."""

    def __init__(self, values: Mapping[str, str | Secret]) -> None:
        self._values = dict(values)

    def clear(self) -> dict[str, str]:
        """All values, secrets too."""
        return {key: each.value if isinstance(each, Secret) else each for key, each in self._values.items()}

    def secret_keys(self) -> list[str]:
        """The keys of the secret ones."""
        return [key for key, each in self._values.items() if isinstance(each, Secret)]
