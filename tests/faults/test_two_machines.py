"""Two machines with one stack and shared pending creates: one dies, and the other one continues."""

from __future__ import annotations

import os
import random

import pytest

from support.bucket import bucket

from . import run
from .fault import KILLS, STATE_LOST
from .matrix import cases

RUNS = int(os.environ.get("RUNS", "40"))  # number of cases
SEED = int(os.environ.get("SEED", "0"))

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

DEATHS = {each.name for each in (*KILLS, STATE_LOST)}


@pytest.mark.usefixtures("no_settings_from_outside")
def test_another_machine_continues_a_create() -> None:
    """After a kill at any step of a create, no object is lost or duplicated, and no record remains."""
    with bucket() as shared, run.workers(bucket=shared) as team:
        chance = random.Random(SEED)  # noqa: S311 (chooses cases)
        creates = [each for each in run.each_once() if each.operation == "create"]
        baselines = run.learn(team, chance.sample(creates, min(RUNS // 2, len(creates))))
        deaths = [
            case
            for setup, baseline in baselines.items()
            for case in cases(setup, baseline)
            if case.fault.name in DEATHS
        ]
        chance.shuffle(deaths)
        played = list(run.play(team, run.sample(deaths, RUNS), baselines))
        assert len(played) == RUNS
        bad = [str(each) for each in played if each.result == "failed"]
        assert not bad, "\n\n".join(bad)
        assert shared.texts() == []
