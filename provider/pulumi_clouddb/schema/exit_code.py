"""Exit codes with a meaning, for commands, their help, reports and docs."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing_extensions import Self


class MeaningfulCode(IntEnum):
    """Base of the exit codes of a command; `meaning` describes each."""

    meaning: str

    def __new__(cls, value: int, meaning: str) -> Self:
        """Attach the meaning to the number."""
        code = int.__new__(cls, value)
        code._value_ = value
        code.meaning = meaning
        return code

    @property
    def outcome(self) -> str:
        """The name in reports, such as `failed`."""
        return self.name.lower()

    @classmethod
    def help(cls) -> str:
        """Return the list of all codes for `--help`."""
        return "Exit codes:\n\n" + "\n\n".join(f"{code.value}  {code.meaning}" for code in cls)
