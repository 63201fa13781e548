"""What a probe finds out about one assumption."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class Holds:
    """The server does what is believed of it."""


@dataclass(frozen=True)
class Differs:
    """The server does something else.

    Attributes:
        how: What it does instead.
    """

    how: str


@dataclass(frozen=True)
class NotProbed:
    """Nobody knows.

    Attributes:
        why: What the probe lacks.
    """

    why: str


Outcome: TypeAlias = "Holds | Differs | NotProbed"


def holds_if(condition: object, otherwise: str) -> Outcome:
    """Return that the assumption holds if a condition is true, and how the server differs otherwise."""
    return Holds() if condition else Differs(otherwise)


def equal(found: object, expected: object, what: str) -> Outcome:
    """Return that the assumption holds if two values are equal."""
    return holds_if(found == expected, f"{what} is {found!r}, not {expected!r}")


def each_holds(*outcomes: Outcome) -> Outcome:
    """Return the first outcome that does not hold, if there is one."""
    return next((each for each in outcomes if not isinstance(each, Holds)), Holds())
