"""Two machines that take turns with one stack and share their pending creates: one dies, the other one goes on."""

from __future__ import annotations

import os
import random

import pytest

from support.bucket import bucket

from . import run
from .matrix import cases
from .troubles import KILLS, STATE_LOST

RUNS = int(os.environ.get("RUNS", "40"))
SEED = int(os.environ.get("SEED", "0"))

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

DEATHS = {each.name for each in (*KILLS, STATE_LOST)}


@pytest.mark.usefixtures("no_settings_from_outside")
def test_another_machine_goes_on_with_a_create() -> None:
    """Killed at any step of a create: nothing is lost, nothing made twice, and no record stays; RUNS chooses more."""
    with bucket() as shared, run.workers(bucket=shared) as team:
        chance = random.Random(SEED)  # noqa: S311 (chooses cases)
        creates = [each for each in run.each_once() if each.operation == "create"]
        ends = run.learn(team, chance.sample(creates, min(RUNS // 2, len(creates))))
        deaths = [case for setup, end in ends.items() for case in cases(setup, end) if case.trouble.name in DEATHS]
        chance.shuffle(deaths)
        played = list(run.play(team, run.sample(deaths, RUNS), ends))
        assert len(played) == RUNS
        bad = [str(each) for each in played if each.result == "failed"]
        assert not bad, "\n\n".join(bad)
        assert shared.texts() == []
