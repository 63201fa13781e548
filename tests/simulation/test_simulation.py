"""A sample of the lives of `make simulate`, the seeds that found bugs, and reintroduced bugs."""

from __future__ import annotations

import pytest

from .exhaustive import CASES, explore, play_choices
from .lives import play
from .mutants import found_by
from .seeds import FOUND_BY, KEPT, KEPT_CHOICES

LIVES = 240
CHUNK = 15
FIRST = 160
SLOW = [pytest.param(first, marks=pytest.mark.slow) for first in range(FIRST + CHUNK, FIRST + LIVES, CHUNK)]


@pytest.mark.parametrize("first", [FIRST, *SLOW])
def test_random_lives_have_no_violations(first: int) -> None:
    """After lost and late requests and deaths, state and server match the program, and other objects are unchanged."""
    failed = {seed: violations for seed in range(first, first + CHUNK) if (violations := play(seed).violations)}
    assert failed == {}


@pytest.mark.parametrize("seed", KEPT)
def test_kept_seeds_have_no_violations(seed: int) -> None:
    """A life that found a bug does not find it again."""
    assert play(seed).violations == []


@pytest.mark.parametrize(("name", "choices"), KEPT_CHOICES.values(), ids=KEPT_CHOICES)
def test_kept_choices_have_no_violations(name: str, choices: tuple[int, ...]) -> None:
    """An order of events that found a bug does not find it again."""
    case = next(case for case in CASES if case.name == name)
    assert play_choices(case, choices)[1] == []


SPINS = "a list of another process is used, however old"
"""With this bug, processes use each other's old lists in turn for a long time."""


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.slow] * (name == SPINS)) for name in FOUND_BY])
def test_reintroduced_bugs_are_found(name: str) -> None:
    """The simulation finds each critical bug that the core once had."""
    assert found_by(name, FOUND_BY[name])


def test_seeds_are_reproducible() -> None:
    """A seed gives the same log each time."""
    assert play(FIRST, verbose=True).log_lines == play(FIRST, verbose=True).log_lines


@pytest.mark.slow
def test_interleavings_have_no_violations() -> None:
    """Two creates of one name in a program, another user, a loss and a death: no order causes a violation."""
    report = explore(CASES[0])
    assert report.violations == []
    assert report.states > 100
