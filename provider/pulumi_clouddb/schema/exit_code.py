"""Exit codes of commands that say what they mean, in one place for commands, help, reports and pages."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing_extensions import Self


class MeaningfulCode(IntEnum):
    """Base of a command's exit codes; `meaning` says each in words."""

    meaning: str

    def __new__(cls, value: int, meaning: str) -> Self:
        """Attach the meaning to the number."""
        code = int.__new__(cls, value)
        code._value_ = value
        code.meaning = meaning
        return code

    @property
    def outcome(self) -> str:
        """The word for it in reports: the name in small letters, such as `failed`."""
        return self.name.lower()

    @classmethod
    def help(cls) -> str:
        """Return the list of all codes for `--help`, a line each."""
        return "Exit codes:\n\n" + "\n\n".join(f"{code.value}  {code.meaning}" for code in cls)
