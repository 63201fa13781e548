"""A sample of the lives that `make simulate` plays, the seeds that found something, and bugs put back."""

from __future__ import annotations

import pytest

from .exhaustive import CASES, explore, play_choices
from .lives import play
from .mutants import found_by
from .seeds import FINDS, KEPT, WAYS

LIVES = 240
CHUNK = 60
FIRST = 160
SLOW = [pytest.param(first, marks=pytest.mark.slow) for first in range(FIRST + CHUNK, FIRST + LIVES, CHUNK)]


@pytest.mark.parametrize("first", [FIRST, *SLOW])
def test_sample_of_lives(first: int) -> None:
    """Whatever is lost, late or killed: what is asked for is in state and on the server, and nothing else changes."""
    wrong = {seed: violations for seed in range(first, first + CHUNK) if (violations := play(seed).violations)}
    assert wrong == {}


@pytest.mark.parametrize("seed", KEPT)
def test_kept_seed(seed: int) -> None:
    """A life that has found a bug once does not find it again."""
    assert play(seed).violations == []


@pytest.mark.parametrize(("name", "choices"), WAYS.values(), ids=WAYS)
def test_kept_way(name: str, choices: tuple[int, ...]) -> None:
    """An order of things that has found a bug once does not find it again."""
    case = next(case for case in CASES if case.name == name)
    assert play_choices(case, choices)[1] == []


SPINS = "the answer of another process counts however old it is"
"""With this bug, processes ask each other in a circle for a long time."""


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.slow] * (name == SPINS)) for name in FINDS])
def test_bug_put_back_is_found(name: str) -> None:
    """The simulation sees each critical bug that the core once had."""
    assert found_by(name, FINDS[name])


def test_same_seed_same_life() -> None:
    """A seed tells the same story each time, so that what it found can be looked at."""
    assert play(FIRST, verbose=True).story == play(FIRST, verbose=True).story


@pytest.mark.slow
def test_every_interleaving() -> None:
    """Two creates of one name in one program, a neighbour, a loss and a death: no order of them does harm."""
    report = explore(CASES[0])
    assert report.violations == []
    assert report.states > 100
