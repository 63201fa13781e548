"""Many concurrent stacks with one key and the published rate limit: real processes, on one machine or several."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

import pytest

from clouddb_tools.sandbox import Latency, Sandbox
from pulumi_clouddb.schema.config import MANAGEMENT_LIMIT
from support.warm import WarmInterpreter

from .engine import Outcome, Stack, Wanted
from .front_ends import FRONT_ENDS, Provider

LONGEST_CALL_SECONDS = 200.0
POLL_SECONDS = 5.0
MARGIN = 1.3
"""Maximum total time, as a multiple of the minimum."""


@dataclass(frozen=True)
class Fleet:
    """Stacks that create one service each.

    Attributes:
        stacks: The number of stacks.
        machines: The number of machines; each has its own folder of pending creates.
        seconds: Seconds until a service runs.
        killed_after: Seconds after which one of the processes is killed.
        refused: The maximum share of 429 responses.
    """

    stacks: int
    machines: int = 1
    seconds: float = 12.0
    killed_after: float | None = None
    refused: float = 0.05

    def __str__(self) -> str:
        """Return its description."""
        killed = f", one killed after {self.killed_after:g} s" if self.killed_after is not None else ""
        return f"{self.stacks} stacks, {self.machines} machines{killed}"

    @property
    def minimum(self) -> float:
        """Seconds until the limit allows the last create, with one list for each machine, and its service runs."""
        windows = (self.stacks + self.machines - 1) // MANAGEMENT_LIMIT.requests
        return windows * MANAGEMENT_LIMIT.seconds + self.seconds + POLL_SECONDS


FLEETS = [
    pytest.param(Fleet(3, seconds=1.0), id="sample"),
    *[pytest.param(Fleet(stacks), id=str(Fleet(stacks)), marks=pytest.mark.slow) for stacks in (2, 8, 24, 30)],
    *[
        pytest.param(Fleet(8, killed_after=after), id=str(Fleet(8, killed_after=after)), marks=pytest.mark.slow)
        for after in (0.3, 1.0, 6.0, 11.0)
    ],
    # Machines do not know of each other before the first 429, and these are a large share of so few requests.
    pytest.param(Fleet(8, machines=8, refused=0.3), id=str(Fleet(8, machines=8)), marks=pytest.mark.slow),
]


@pytest.mark.parametrize("fleet", FLEETS)
def test_fleet_shares_the_limit_of_a_key(fleet: Fleet, warm: WarmInterpreter, tmp_path: Path) -> None:
    """Few requests get a 429, no process waits for a dead one, and the total time is close to the minimum."""
    with Sandbox(
        vocabulary="neutral", own_process=True, rate_limit=True, latency=Latency(provision=fleet.seconds)
    ) as sandbox:
        config = {**sandbox.config, "clouddb:pollIntervalSeconds": f"{POLL_SECONDS:g}"}
        folders = [tmp_path / str(index % fleet.machines) for index in range(fleet.stacks)]
        for folder in folders:
            folder.mkdir(exist_ok=True)
        providers = [
            FRONT_ENDS["native"](warm, config, folder, stack=f"stack{index}") for index, folder in enumerate(folders)
        ]
        for provider in providers:
            provider.longest_call = LONGEST_CALL_SECONDS
        doomed = providers.pop() if fleet.killed_after is not None else None
        started = monotonic()
        with ThreadPoolExecutor(fleet.stacks) as pool:
            if doomed is not None:
                pool.submit(_up, doomed, "doomed")
                threading.Timer(fleet.killed_after or 0.0, doomed.stop, kwargs={"gently": False}).start()
            outcomes = list(pool.map(_up, providers, [f"service {index}" for index in range(len(providers))]))
            total = monotonic() - started
        for provider in providers:
            provider.stop()
        statuses = [each.status for each in sandbox.requests]
    assert [each.errors for each in outcomes] == [[]] * len(outcomes)
    assert statuses.count(429) <= fleet.refused * len(statuses), f"{statuses.count(429)} of {len(statuses)} got 429"
    if fleet.machines == 1 and fleet.seconds > POLL_SECONDS:  # a shorter time depends on the load of the machine
        assert total <= MARGIN * fleet.minimum, f"{total:.1f} s, the minimum is {fleet.minimum:.0f} s"


def _up(provider: Provider, name: str) -> Outcome:
    inputs = {"name": name, "provider": "aws", "region": "us-east-1", "idleScaling": True, "idleTimeoutMinutes": 5}
    return Stack().up(provider, [Wanted("Service", inputs)])
