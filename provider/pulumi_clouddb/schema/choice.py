"""Enums whose values have a description, and whether their lists are open or closed."""

from __future__ import annotations

from enum import Enum
from typing import ClassVar

from .values import WireValues


class Choice(str, Enum):
    """A value of an enum with a description. Enums of properties are open or closed; see the two classes below.

    Attributes:
        meaning: The text for descriptions.
    """

    _value_: str
    meaning: str

    def __new__(cls, value: str, meaning: str = "") -> Choice:
        """Create a member; an existing one is found by its value alone."""
        member = str.__new__(cls, value)
        member._value_, member.meaning = value, meaning
        return member


class OpenChoice(Choice):
    """A known value of a list that the vendor may lengthen at any time.

    In the dialect `clickhouse` check only warns of other values, also of those that differ from a known one in letter
    case alone: no list of ours can prove that a server rejects a value. In the neutral dialect the list is that of the
    interface, and complete.
    """

    def fits(self, inputs: WireValues) -> bool:
        """Return whether a message may suggest this value beside the other inputs."""
        return True


class ClosedChoice(Choice):
    """A value of a list that is complete in both dialects: this package acts on the value.

    With a value that it does not know, it would send or compare the wrong properties.

    Attributes:
        because: What this package decides by the value.
    """

    because: ClassVar[str]

    def __init_subclass__(cls, *, because: str) -> None:
        """Declare a closed list."""
        super().__init_subclass__()
        cls.because = because
