"""A few of the runs of `make cli-kills`, and what a seed decides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product

import pytest

from faults.case import DIALECTS

from .__main__ import Player, players
from .plan import FEWEST, FRONT_ENDS, MOST, WAYS, plan_of, plans

pytestmark = pytest.mark.slow

SAMPLE = {
    "two Ctrl-C, dynamic": 230,
    "one Ctrl-C, native": 339,
    "provider killed during a second up, dynamic": 210,
    "everything killed, native": 303,
    "CLI killed, another machine goes on, native": 39,
}
"""Seeds: the ways that differ most. The first one lost objects while an answered registration counted as state."""


@pytest.fixture(scope="session")
def play_one() -> Iterator[Player]:
    """Play a run."""
    with players(1) as player:
        yield player


@pytest.mark.cli
@pytest.mark.first
@pytest.mark.timeout(0)
@pytest.mark.parametrize("seed", SAMPLE.values(), ids=SAMPLE)
def test_an_interrupted_command_loses_and_doubles_nothing(seed: int, play_one: Player) -> None:
    """Every object is in state or has a record; after a calm command, what was asked for is what is there and works."""
    count = play_one(plan_of(seed))
    assert not count.bad, f"{count}; `make cli-kills RUNS=1 SEED={seed}` tells the story"


def test_a_seed_decides_everything() -> None:
    """The same plan for the same seed; and 300 of them have every way of every front end in every dialect."""
    assert list(plans(1, 300)) == [plan_of(seed) for seed in range(1, 301)]
    several = Counter((plan.front_end, plan.way, plan.dialect) for plan in plans(1, 300))
    assert set(several) == set(product(FRONT_ENDS, WAYS, DIALECTS))
    assert min(several.values()) >= 8
    assert all(FEWEST <= plan.resources <= MOST for plan in plans(1, 300))


def test_runs_are_chosen_by_name() -> None:
    """`make cli-kills ONLY=...` skips seeds, so that each run keeps its own."""
    chosen = list(plans(1, 5, "dynamic.*Ctrl-C twice"))
    assert [(plan.front_end, plan.way) for plan in chosen] == [("dynamic", "Ctrl-C twice")] * 5
    assert chosen == [plan_of(plan.seed) for plan in chosen]
