"""`make cli-kills`: interrupt the real CLI so often, print a table, and keep the story of each fault."""

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
    """Play, print the table, and return the exit code."""
    parser = argparse.ArgumentParser(prog="make cli-kills", description=__doc__)
    parser.add_argument("--runs", type=int, default=100, help="how many runs")
    parser.add_argument("--seed", type=int, default=1, help="the seed of the first; each run has the next one")
    parser.add_argument("--only", default="", help="skip seeds whose run's name does not match this regular expression")
    parser.add_argument("--at-a-time", type=int, default=3, help="runs side by side")
    parser.add_argument(
        "--stories", type=Path, default=Path(".cache/cli-kills"), help="folder of the stories of faults"
    )
    parser.add_argument("--list", action="store_true", help="name the runs and play none")
    chosen = parser.parse_args()
    wanted = list(plans(chosen.seed, chosen.runs, chosen.only))
    if chosen.list:
        print(*wanted, sep="\n")
        return 0
    if not CliStack.available():
        print("There is no pulumi on PATH.", file=sys.stderr)
        return 2
    chosen.stories.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    counts: list[Count] = []
    with players(chosen.at_a_time) as play_one, ThreadPoolExecutor(chosen.at_a_time) as pool:
        try:
            for done in as_completed([pool.submit(play_one, plan) for plan in wanted]):
                counts.append(done.result())
                _tell(counts, len(wanted), chosen.stories, began)
        except KeyboardInterrupt:  # what has been played is counted
            pool.shutdown(cancel_futures=True)
    print(table(counts))
    seeds = sorted(count.plan.seed for count in counts if count.bad)
    print(f"{len(counts)} runs, {len(seeds)} bad {seeds or ''}, {time.monotonic() - began:.0f} s")
    return 1 if seeds else 0


def _tell(counts: list[Count], runs: int, stories: Path, began: float) -> None:
    """Tell of the run that was played last, if anything was wrong or it is the only one; and now and then, of all."""
    last = counts[-1]
    if last.bad or runs == 1:
        story = stories / f"seed-{last.plan.seed}.txt"
        story.write_text("\n".join([str(last), *last.story, ""]), encoding="utf-8")
        print(f"{last}\n  story: {story}", flush=True)
    if len(counts) % 20 == 0:
        bad = sum(each.bad for each in counts)
        print(f"… {len(counts)}, {bad} bad, {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)


@contextmanager
def players(number: int) -> Iterator[Player]:
    """Give what plays a run, so many at a time, each on a server of its own, which is started when it is needed."""
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
