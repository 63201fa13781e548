"""A few of the runs of `make cli-kills`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .__main__ import Player, players
from .plan import plan_of

SAMPLE = {
    "two Ctrl-C, dynamic": 230,
    "one Ctrl-C, native": 339,
    "provider killed during a second up, dynamic": 210,
    "everything killed, native": 303,
    "CLI killed, another machine goes on, native": 39,
}
"""Seeds of very different runs. The first one lost objects when the response to a registration counted as state."""


@pytest.fixture(scope="session")
def play_one() -> Iterator[Player]:
    """Return the function that plays a run."""
    with players(1) as player:
        yield player


@pytest.mark.cli
@pytest.mark.first
@pytest.mark.timeout(0)
@pytest.mark.parametrize("seed", SAMPLE.values(), ids=SAMPLE)
def test_interrupted_command_loses_and_duplicates_nothing(seed: int, play_one: Player) -> None:
    """Every object is in state or has a record; after one more command, the server's objects match the program."""
    count = play_one(plan_of(seed))
    assert not count.bad, f"{count}; `make cli-kills RUNS=1 SEED={seed}` writes its log"
