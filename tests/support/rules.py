"""Cases of check: one rule each, an example that passes and one that fails, as the user reads it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import pytest

Values = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """One rule.

    Attributes:
        rule: The rule in words; the name of the test.
        passes: Inputs, beside the usual ones, that keep it.
        fails: Inputs, beside the usual ones, that break it.
        says: The texts of the failures, each of which begins with its property path.
        config: Configuration of the provider.
    """

    rule: str
    passes: Values
    fails: Values
    says: tuple[str, ...]
    config: dict[str, str] = field(default_factory=dict)


def params(cases: Iterable[Case]) -> list[Any]:
    """Turn cases into parameters whose ids are the rules."""
    return [pytest.param(case, id=case.rule) for case in cases]


def limits(name: str, least: float, most: float, below: float, above: float) -> list[Case]:
    """Cases of a range: both ends pass, what is just outside fails with the limit and the value."""
    return [
        Case(
            f"{name} is at least {least}",
            {name: least},
            {name: below},
            (f"{name} must be at least {least}, not {below}",),
        ),
        Case(
            f"{name} is at most {most}", {name: most}, {name: above}, (f"{name} must be at most {most}, not {above}",)
        ),
    ]


def wrong_types(kinds: dict[str, tuple[Any, Any, str]]) -> list[Case]:
    """Cases of types, from property to a good value, a bad one, and what the property must be."""
    return [
        Case(f"{name} {must}", {name: good}, {name: bad}, (f"{name} {must}, not {bad!r}",))
        for name, (good, bad, must) in kinds.items()
    ]


def one_of(name: str, allowed: str) -> list[Case]:
    """Cases of an enum, whose values stand in one text: each passes, any other fails with the list of them."""
    words = allowed.split()
    says = f"{name} must be one of {', '.join(words)}, not 'other'"
    return [Case(f"{name} may be {word}", {name: word}, {name: "other"}, (says,)) for word in words]
