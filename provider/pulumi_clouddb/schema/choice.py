"""Enums whose values have a description."""

from __future__ import annotations

from enum import Enum


class Choice(str, Enum):
    """A value of an enum with a description.

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
