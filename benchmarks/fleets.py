"""Many concurrent stacks with one key: refused requests and durations.

Each stack has its own front-end process, as with Pulumi; a thread replaces its engine. All processes are ready before
the first one begins, so the figures show the shared limit and not the start of many processes.
"""

from __future__ import annotations

import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from clouddb_tools.sandbox import Latency, Sandbox

from . import objects
from .done import writes
from .engine import DYNAMIC, FRONT_ENDS, PARALLEL, Engine
from .figure import Figure
from .limit import DYNAMIC_AT_A_TIME, FLOOR_IS, ready_at
from .under_limit import USERS

PART = "fleets"
LATENCY = Latency(provision=12)
STARTS_AT_A_TIME = 4
FLEETS_AT_A_TIME = 3
"""Number of concurrent fleets, each with its own sandbox; they mostly wait."""


@dataclass(frozen=True)
class Fleet:
    """Stacks that create services at the same time.

    Attributes:
        stacks: The number of stacks.
        services: The number of services that each of them creates.
        machines: Whether each stack runs on its own machine, without shared files.
    """

    stacks: int
    services: int
    machines: bool = False

    def __str__(self) -> str:
        each = "1 service" if self.services == 1 else f"{self.services} services"
        return f"{self.stacks} {'machines' if self.machines else 'stacks'} of {each}"


FLEETS = (Fleet(2, 10), Fleet(8, 3), Fleet(24, 1), Fleet(30, 1), Fleet(8, 3, machines=True))


@dataclass(frozen=True)
class Outcome:
    """The costs of a fleet.

    Attributes:
        sent: Requests.
        refused: Those of them that were answered 429.
        seconds: The duration of each stack from the common start.
    """

    sent: int
    refused: int
    seconds: list[float]


def measured(samples: int) -> Iterator[Figure]:
    """Yield refused requests and durations for each fleet and front end."""
    cases = [(fleet, front_end) for fleet in FLEETS for front_end in FRONT_ENDS]
    with ThreadPoolExecutor(FLEETS_AT_A_TIME) as pool:
        outcomes = pool.map(lambda case: played(*case), [case for case in cases for _ in range(samples)])
        for case in cases:
            yield from figures(*case, list(islice(outcomes, samples)))


def figures(fleet: Fleet, front_end: str, outcomes: list[Outcome]) -> list[Figure]:
    """Return the figures of samples of one fleet."""
    where = {"front end": front_end}
    machines = fleet.stacks if fleet.machines else 1
    least = machines + fleet.stacks * fleet.services
    at_a_time = DYNAMIC_AT_A_TIME if front_end == DYNAMIC else PARALLEL
    dictated = ready_at(fleet.stacks, fleet.services, LATENCY.provision, at_a_time, machines)
    refused = [100 * each.refused / each.sent for each in outcomes]
    uneven = [max(each.seconds) / statistics.median(each.seconds) for each in outcomes]
    return [
        Figure(PART, f"{fleet}: time", "s", FLOOR_IS, [max(each.seconds) for each in outcomes], [dictated], where),
        Figure(PART, f"{fleet}: answered 429", "%", "none", refused, [0.0], where),
        Figure(
            PART,
            f"{fleet}: requests",
            "",
            "lists before, posts",
            [float(each.sent) for each in outcomes],
            [least],
            where,
        ),
        Figure(PART, f"{fleet}: slowest / median", "", "all alike", uneven, [1.0], where),
    ]


def played(fleet: Fleet, front_end: str) -> Outcome:
    """Let a fleet create its services, and evaluate the server's log."""
    with (
        Sandbox(vocabulary="neutral", own_process=True, rate_limit=True, latency=LATENCY) as sandbox,
        ready(fleet, front_end, sandbox) as runs,
    ):
        begin = threading.Barrier(len(runs))

        def seconds(number: int) -> float:
            begin.wait()
            started = time.monotonic()
            runs[number].up(objects.services(fleet.services, f"stack {number} service"))
            return time.monotonic() - started

        with writes(sandbox, fleet.stacks * fleet.services), ThreadPoolExecutor(len(runs)) as pool:
            spans = list(pool.map(seconds, range(len(runs))))
        sent = sandbox.logged()
        return Outcome(len(sent), sum(each.status == 429 for each in sent), spans)


@contextmanager
def ready(fleet: Fleet, front_end: str, sandbox: Sandbox) -> Iterator[list[Engine]]:
    """Start and warm up the process of each stack."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as started, ThreadPoolExecutor(STARTS_AT_A_TIME) as pool:

        def start(number: int) -> Engine:
            machine = Path(folder) / (f"machine-{number}" if fleet.machines else "machine")
            home = machine / "home"
            home.mkdir(parents=True, exist_ok=True)
            env = {"HOME": str(home), "PULUMI_HOME": str(home / ".pulumi"), "CLOUDDB_JOURNAL": ""}
            work = machine / f"stack-{number}"
            engine = Engine(front_end, {**sandbox.config, **USERS}, work, stack=f"stack-{number}", env=env)
            engine.warm_up(objects.services(1)[0])
            return engine

        runs = list(pool.map(start, range(fleet.stacks)))
        for each in runs:
            started.enter_context(each)
        yield runs
