"""Enums whose values say what choosing them means."""

from __future__ import annotations

from enum import Enum


class Choice(str, Enum):
    """A value of an enum that says what choosing it means.

    Attributes:
        meaning: What it means, in words for a description.
    """

    _value_: str
    meaning: str

    def __new__(cls, value: str, meaning: str = "") -> Choice:
        """Return the member of a value and its meaning; one that exists is found by the value alone."""
        member = str.__new__(cls, value)
        member._value_, member.meaning = value, meaning
        return member
