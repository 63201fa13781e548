"""`make cli-kills`: interrupt the real CLI many times, print a table, and write the log of each run with a problem."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack, contextmanager
from pathlib import Path
from queue import SimpleQueue

from clouddb_tools.testing import CliStack
from faults.case import DIALECTS
from faults.running import RunningSandbox

from .counts import Count, table
from .plan import Plan, plans
from .play import play

Player = Callable[[Plan], Count]


def main() -> int:
    """Play the runs, print the table, and return the exit code."""
    parser = argparse.ArgumentParser(prog="make cli-kills", description=__doc__)
    parser.add_argument("--runs", type=int, default=100, help="number of runs")
    parser.add_argument("--seed", type=int, default=1, help="the seed of the first run; it increases by one")
    parser.add_argument("--only", default="", help="only runs whose description matches this regular expression")
    parser.add_argument("--at-a-time", type=int, default=3, help="number of concurrent runs")
    parser.add_argument(
        "--logs", type=Path, default=Path(".cache/cli-kills"), help="folder for the logs of runs with problems"
    )
    parser.add_argument("--list", action="store_true", help="list the runs without playing them")
    options = parser.parse_args()
    wanted = list(plans(options.seed, options.runs, options.only))
    if options.list:
        print(*wanted, sep="\n")
        return 0
    if not CliStack.available():
        print("There is no pulumi on PATH.", file=sys.stderr)
        return 2
    options.logs.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    counts: list[Count] = []
    with players(options.at_a_time) as play_one, ThreadPoolExecutor(options.at_a_time) as pool:
        try:
            for done in as_completed([pool.submit(play_one, plan) for plan in wanted]):
                counts.append(done.result())
                _report(counts, len(wanted), options.logs, began)
        except KeyboardInterrupt:  # finished runs are counted
            pool.shutdown(cancel_futures=True)
    print(table(counts))
    seeds = sorted(count.plan.seed for count in counts if count.bad)
    print(f"{len(counts)} runs, {len(seeds)} with problems {seeds or ''}, {time.monotonic() - began:.0f} s")
    return 1 if seeds else 0


def _report(counts: list[Count], runs: int, folder: Path, began: float) -> None:
    """Print and write the last run if it has problems or is the only one; print a summary every 20 runs."""
    last = counts[-1]
    if last.bad or runs == 1:
        file = folder / f"seed-{last.plan.seed}.txt"
        file.write_text("\n".join([str(last), *last.log, ""]), encoding="utf-8")
        print(f"{last}\n  log: {file}", flush=True)
    if len(counts) % 20 == 0:
        bad = sum(each.bad for each in counts)
        print(f"… {len(counts)}, {bad} with problems, {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)


@contextmanager
def players(number: int) -> Iterator[Player]:
    """Yield a function that plays a run, for a number of concurrent runs, each on its own server, started on demand."""
    with ExitStack() as stack:
        root = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="cli-kills-")))
        idle: dict[str, SimpleQueue[RunningSandbox | None]] = {dialect: SimpleQueue() for dialect in DIALECTS}
        for each in idle.values():
            for _ in range(number):
                each.put(None)

        def play_one(plan: Plan) -> Count:
            running = idle[plan.dialect].get()
            try:
                running = running or stack.enter_context(RunningSandbox(plan.dialect))
                folder = root / running.sandbox.url.rpartition(":")[2]
                folder.mkdir(exist_ok=True)
                return play(plan, running, folder / str(plan.seed), folder / "template")
            finally:
                idle[plan.dialect].put(running)

        yield play_one


if __name__ == "__main__":
    sys.exit(main())
