"""The value that a preview does not know yet."""

from __future__ import annotations

from typing import Final


class Unknown:
    """The type of `UNKNOWN`; there is one such value."""

    def __repr__(self) -> str:
        return "UNKNOWN"

    def __copy__(self) -> Unknown:
        return self

    def __deepcopy__(self, _memo: object) -> Unknown:
        return self


UNKNOWN: Final = Unknown()
