"""Snapshots of a running sandbox: all its objects under a name, to go back to."""

from __future__ import annotations

import re

from pulumi_clouddb.models.nearest import did_you_mean

from .responses import HTTPError, bad_request
from .store import Kept, Store


class Snapshots:
    """Snapshots by name. They are kept in memory and outlive a reset, not the sandbox."""

    def __init__(self) -> None:
        self._kept: dict[str, Kept] = {}

    def names(self) -> list[str]:
        """Return the names, the oldest first."""
        return list(self._kept)

    def save(self, name: str, store: Store) -> None:
        """Keep all objects under a name; an older snapshot of it is replaced.

        Raises:
            HTTPError: The name cannot be used.
        """
        if not re.fullmatch(r"[A-Za-z0-9._-]{1,64}", name):
            raise bad_request("a snapshot's name must have 1 to 64 letters, digits, dots, dashes and underscores")
        self._kept.pop(name, None)
        self._kept[name] = store.copy()

    def restore(self, name: str, store: Store) -> None:
        """Make all objects those of a snapshot.

        Raises:
            HTTPError: There is none of this name.
        """
        store.replace(self._of(name))

    def forget(self, name: str) -> None:
        """Drop a snapshot.

        Raises:
            HTTPError: There is none of this name.
        """
        self._of(name)
        del self._kept[name]

    def _of(self, name: str) -> Kept:
        if name in self._kept:
            return self._kept[name]
        meant = did_you_mean(name, self._kept) or f"; there are {', '.join(self._kept) or 'none'}"
        raise HTTPError(404, f"no snapshot is called {name!r}{meant}")
