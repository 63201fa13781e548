"""Play lives from the command line: many of them, or one with its story.

make simulate LIVES=20000
make simulate SEED=1234
make simulate SEED=1234 LIVES=1000    a thousand lives from that seed on
make simulate EXHAUSTIVE=1            every order of two creators, a neighbour, a loss and a death
make simulate EXHAUSTIVE=1 AGAIN=1    the same, and where somebody died, the stack is brought up again at once
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field

from .exhaustive import CASES, Case, Report, explore
from .lives import Outcome, play

BATCH = 50
MOST_SHOWN = 20


@dataclass
class Summary:
    """What many lives have shown."""

    lives: int = 0
    requests: int = 0
    seconds: float = 0.0
    failed: list[Outcome] = field(default_factory=list)
    seen: Counter[str] = field(default_factory=Counter)

    def add(self, other: Summary) -> None:
        """Add other lives to these."""
        self.lives += other.lives
        self.requests += other.requests
        self.seconds += other.seconds
        self.failed += other.failed
        self.seen += other.seen


def play_batch(seeds: Sequence[int]) -> Summary:
    """Play the lives of some seeds."""
    summary, started = Summary(), time.process_time()
    for seed in seeds:
        outcome = play(seed)
        summary.lives += 1
        summary.requests += outcome.requests
        summary.seen += outcome.seen
        if outcome.violations:
            summary.failed.append(outcome)
    summary.seconds = time.process_time() - started
    return summary


def play_many(first: int, lives: int, workers: int) -> Iterator[Summary]:
    """Play many lives on several processors, and return what each batch has shown."""
    batches = [range(start, min(start + BATCH, first + lives)) for start in range(first, first + lives, BATCH)]
    with ProcessPoolExecutor(workers, initializer=_collect_rarely) as pool:
        yield from pool.map(play_batch, batches)


def _collect_rarely() -> None:
    """Spend less on the search for cycles: every life leaves many, and none of what was imported is in one."""
    gc.freeze()
    gc.set_threshold(50_000)


def explore_case(case: Case) -> tuple[Case, Report]:
    """Explore one case."""
    return case, explore(case)


def explore_all(workers: int, *, again: bool) -> int:
    """Explore the cases, print what that has shown, and return how many things are wrong."""
    states = lives = wrong = 0
    cases = [case for case in CASES if again or not case.again]
    with ProcessPoolExecutor(workers, initializer=_collect_rarely) as pool:
        for case, report in pool.map(explore_case, cases):
            print(f"{report.states:8} states {report.lives:8} lives {len(report.violations):4} violations  {case.name}")
            for choices, violation in report.violations[:2]:
                print(f"    {violation}  {choices}")
            states, lives, wrong = states + report.states, lives + report.lives, wrong + len(report.violations)
    print(f"{states} states, {lives} lives, {wrong} violations")
    return wrong


def tell(seed: int) -> int:
    """Print the story of one life, and return how many things are wrong with it."""
    outcome = play(seed, verbose=True)
    print("\n".join(outcome.story))
    print(*(f"VIOLATION  {each}" for each in outcome.violations), sep="\n")
    print(f"seed {seed}: {len(outcome.violations)} violations, {outcome.requests} requests")
    return len(outcome.violations)


def main(arguments: Sequence[str] | None = None) -> int:
    """Play what the command line asks for, and return its exit code."""
    parser = argparse.ArgumentParser(prog="make simulate", description="Play lives of stacks under a virtual clock.")
    parser.add_argument("--seed", type=int, help="the first seed; alone, its life is told")
    parser.add_argument("--lives", type=int, help="how many lives")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes to play them in")
    parser.add_argument("--exhaustive", action="store_true", help="every interleaving of a few steps instead")
    parser.add_argument("--again", action="store_true", help="with a new run at once after each death, too: for hours")
    given = parser.parse_args(arguments)
    if given.exhaustive:
        return 1 if explore_all(given.workers, again=given.again) else 0
    if given.seed is not None and given.lives is None:
        return 1 if tell(given.seed) else 0
    started, total = time.monotonic(), Summary()
    for summary in play_many(given.seed or 0, given.lives or 20_000, given.workers):
        total.add(summary)
        if sys.stderr.isatty():
            print(f"\r{total.lives} lives, {len(total.failed)} with violations", end="", file=sys.stderr)
    for outcome in total.failed[:MOST_SHOWN]:
        print(f"seed {outcome.seed}: {outcome.violations[0]}")
    for name, count in sorted(total.seen.items()):
        print(f"  {count:8} {name}")
    print(
        f"{total.lives} lives, {total.requests} requests, {len(total.failed)} lives with violations, "
        f"{time.monotonic() - started:.0f} s, {total.seconds / total.lives * 1000:.1f} ms of processor time per life"
    )
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main())
