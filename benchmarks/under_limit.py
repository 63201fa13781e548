"""Requests and durations under the published rate limit, compared with the minimum.

Each case has its own sandbox, which enforces the limits that the vendor publishes, and a user's settings: polls every
five seconds. The cases mostly wait, so several run at a time.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice, product
from pathlib import Path
from typing import Any

from clouddb_tools.commands.export.statements import Step
from clouddb_tools.sandbox import Latency, Sandbox
from clouddb_tools.testing import CliStack, stack_config
from clouddb_tools.testing.fake_engine.state import Resource
from pulumi_clouddb.schema.config import MANAGEMENT_LIMIT, SELF_HOSTED_LIMIT
from support.five import dynamic_program, native_program

from . import objects
from .done import writes
from .engine import DYNAMIC, FRONT_ENDS, PARALLEL, Engine
from .figure import Figure
from .limit import DYNAMIC_AT_A_TIME, FLOOR_IS, earliest, ready_at
from .programs import stack_of

PART = "requests"
RUNS_AT_A_TIME = 8
DIALECTS = ("neutral", "clickhouse")
MANAGED, SELF, CLI = "managed", "self-hosted", "pulumi CLI"
LATENCY = Latency(provision=12, start=5, stop=5, delete=5)
SERVICES, KEYS, DASHBOARDS, ALERTS = 20, 50, 100, 25
USERS = {"clouddb:pollIntervalSeconds": "5", "clouddb:pacing": "true"}
"""The defaults of two settings, which a sandbox's configuration changes."""
WITHOUT_LIMIT = {"clouddb:pacing": "false"}


@dataclass(frozen=True)
class Case:
    """One run of some work.

    Attributes:
        play: Does the work, and yields the cost of each piece.
        front_end: `plugin` or `dynamic`.
        dialect: The dialect of the server.
        form: The form of dashboards and alerts, or that the real CLI runs it; empty otherwise.
    """

    play: Callable[[Case], Iterator[Cost]]
    front_end: str
    dialect: str
    form: str = ""

    @property
    def at_a_time(self) -> int:
        """Number of concurrent operations."""
        return DYNAMIC_AT_A_TIME if self.front_end == DYNAMIC else PARALLEL

    @property
    def where(self) -> dict[str, str]:
        """The key of its figures."""
        named = {"front end": self.front_end, "dialect": self.dialect, "form": self.form}
        return {name: value for name, value in named.items() if value}


@dataclass(frozen=True)
class Cost:
    """The cost of some work, and its minimum.

    Attributes:
        name: The work.
        requests: Requests that were sent.
        refused: Number of responses of 429.
        seconds: The duration.
        least: The minimum number of requests.
        note: A description of these requests.
        dictated: The minimum duration under the limit, in seconds.
    """

    name: str
    requests: int
    refused: int
    seconds: float
    least: int
    note: str
    dictated: float


def measured(samples: int) -> Iterator[Figure]:
    """Yield requests, refused ones and seconds of each piece of work."""
    longest_first = [(edited, MANAGED), (services, ""), (edited, SELF), (keys, ""), (changed, MANAGED), (changed, SELF)]
    if CliStack.available():
        longest_first.insert(1, (services_of_cli, CLI))
    cases = [
        Case(play, front_end, dialect, form)
        for (play, form), front_end, dialect in product(longest_first, FRONT_ENDS, DIALECTS)
        if form != CLI or dialect == DIALECTS[0]
    ]
    with ThreadPoolExecutor(RUNS_AT_A_TIME) as pool:
        runs = pool.map(lambda case: list(case.play(case)), [case for case in cases for _ in range(samples)])
        for case in cases:
            for costs in zip(*islice(runs, samples), strict=True):
                yield from figures(costs, case.where)


def figures(costs: Sequence[Cost], where: Mapping[str, str]) -> Iterator[Figure]:
    """Yield the figures of samples of one piece of work."""
    first = costs[0]
    counts, refused = [float(each.requests) for each in costs], [float(each.refused) for each in costs]
    yield Figure(PART, f"{first.name}: requests", "", first.note, counts, [first.least], where)
    if any(refused):
        yield Figure(PART, f"{first.name}: refused", "", "none", refused, [0.0], where)
    if first.dictated:
        spans = [each.seconds for each in costs]
        yield Figure(PART, f"{first.name}: time", "s", FLOOR_IS, spans, [first.dictated], where)


# -- the work ----------------------------------------------------------------------------------------------------------


def services(case: Case) -> Iterator[Cost]:
    """Create services with latency, and destroy them."""
    with tempfile.TemporaryDirectory() as folder, limited(case) as sandbox:
        state: dict[str, Resource] = {}
        with run(case, sandbox, folder, state) as engine:
            yield created(case, sandbox, lambda: engine.up(objects.services(SERVICES)))
        time.sleep(MANAGEMENT_LIMIT.seconds)  # the window of another run
        least, note = (2 * SERVICES, 4), f"{SERVICES} stops, {SERVICES} deletes, 4 polls"
        rounds = -(-SERVICES // case.at_a_time)
        dictated = (
            max(earliest(sum(least), MANAGEMENT_LIMIT), (rounds - 1) * (LATENCY.stop + LATENCY.delete)) + LATENCY.delete
        )
        with run(case, sandbox, folder, state) as engine:
            yield cost(f"destroy {SERVICES} services", sandbox, engine.destroy, least, note, dictated)


def services_of_cli(case: Case) -> Iterator[Cost]:
    """Create services with a program under the real CLI."""
    write = dynamic_program if case.front_end == DYNAMIC else native_program
    with limited(case) as sandbox:
        config = {**stack_config(sandbox), **USERS}
        with stack_of(case.front_end, write(objects.services(SERVICES)), config, {}) as stack:
            yield created(case, sandbox, stack.up)


def keys(case: Case) -> Iterator[Cost]:
    """Create keys."""
    with tempfile.TemporaryDirectory() as folder, limited(case) as sandbox, run(case, sandbox, folder, {}) as engine:
        note, dictated = f"{KEYS} posts, 1 list", earliest(KEYS + 1, MANAGEMENT_LIMIT)
        yield cost(f"create {KEYS} keys", sandbox, lambda: engine.up(objects.keys(KEYS)), (KEYS, 1), note, dictated)


def edited(case: Case) -> Iterator[Cost]:
    """Edit a tile of each dashboard."""

    def steps(where: str, of: Mapping[str, str], _: Any) -> list[Step]:
        return objects.dashboards(DASHBOARDS, where, **of)

    yield from changed_later(
        case, f"edit a tile of each of {DASHBOARDS} dashboards", DASHBOARDS, steps, ("", "level:error")
    )


def changed(case: Case) -> Iterator[Cost]:
    """Change the threshold of each alert."""

    def steps(threshold: int, of: Mapping[str, str], board: Mapping[str, Any]) -> list[Step]:
        return objects.alerts(ALERTS, threshold, board, **of)

    yield from changed_later(case, f"change {ALERTS} alerts", ALERTS, steps, (5, 6))


def changed_later(
    case: Case, name: str, number: int, steps: Callable[..., list[Step]], versions: tuple[Any, Any]
) -> Iterator[Cost]:
    """Create objects without a limit, and change them under the limit; `steps` are those of a program version."""
    limit = SELF_HOSTED_LIMIT if case.form == SELF else MANAGEMENT_LIMIT
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "sandbox.db"
        state: dict[str, Resource] = {}
        with Sandbox(own_process=True, vocabulary=case.dialect, data=data) as sandbox:
            of: dict[str, str] = {}
            if case.form == MANAGED:
                of = {"serviceId": sandbox.add("services", name="watched", provider="aws", region="us-east-1")["id"]}
            board = sandbox.add("dashboards", **of, name="Watched", tiles=objects.tiles())
            with run(case, sandbox, folder, state, WITHOUT_LIMIT) as engine:
                engine.up(steps(versions[0], of, board))
            port = int(sandbox.url.rpartition(":")[2])
        with limited(case, data=data, port=port) as sandbox, run(case, sandbox, folder, state) as engine:
            note, dictated = f"{number} puts, 1 list", earliest(number + 1, limit)
            work = steps(versions[1], of, board)
            yield cost(name, sandbox, lambda: engine.up(work), (number, 1), note, dictated)


def created(case: Case, sandbox: Sandbox, work: Callable[[], object]) -> Cost:
    """Create services."""
    name, note = f"create {SERVICES} services of {LATENCY.provision:g} s", f"{SERVICES} posts, 3 polls"
    dictated = ready_at(1, SERVICES, LATENCY.provision, case.at_a_time)
    return cost(name, sandbox, work, (SERVICES, 3), note, dictated)


# -- sandboxes and runs ------------------------------------------------------------------------------------------------


def limited(case: Case, **settings: Any) -> Sandbox:
    """Return a sandbox that enforces the published limits."""
    return Sandbox(own_process=True, vocabulary=case.dialect, rate_limit=True, latency=LATENCY, **settings)


def run(
    case: Case, sandbox: Sandbox, folder: str, state: dict[str, Resource], config: Mapping[str, str] = USERS
) -> Engine:
    """Return a run of the front end against a sandbox."""
    return Engine(case.front_end, {**sandbox.config, **config}, Path(folder) / case.front_end, state)


def cost(
    name: str, sandbox: Sandbox, work: Callable[[], object], least: tuple[int, int], note: str, dictated: float
) -> Cost:
    """Run some work, which needs at least so many writes and reads, and count its requests."""
    with writes(sandbox, least[0]):
        started = time.monotonic()
        work()
        taken = time.monotonic() - started
    sent = sandbox.logged()
    refused = sum(each.status == 429 for each in sent)
    return Cost(name, len(sent), refused, taken, sum(least), note, dictated)
