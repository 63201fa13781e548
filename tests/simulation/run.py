"""Run lives from the command line: many, or one with its log.

make simulate LIVES=20000
make simulate SEED=1234
make simulate SEED=1234 LIVES=1000    a thousand lives from that seed on
make simulate EXHAUSTIVE=1            every order of two creates, another user, a loss and a death
make simulate EXHAUSTIVE=1 AGAIN=1    the same; the stack whose process died also runs `up` again at once
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
MAX_SHOWN = 20


@dataclass
class Summary:
    """The results of many lives."""

    lives: int = 0
    requests: int = 0
    seconds: float = 0.0
    failed: list[Outcome] = field(default_factory=list)
    seen: Counter[str] = field(default_factory=Counter)

    def add(self, other: Summary) -> None:
        """Add the results of other lives."""
        self.lives += other.lives
        self.requests += other.requests
        self.seconds += other.seconds
        self.failed += other.failed
        self.seen += other.seen


def play_batch(seeds: Sequence[int]) -> Summary:
    """Run the lives of some seeds."""
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
    """Run many lives in several processes, and yield the results of each batch."""
    batches = [range(start, min(start + BATCH, first + lives)) for start in range(first, first + lives, BATCH)]
    with ProcessPoolExecutor(workers, initializer=_collect_rarely) as pool:
        yield from pool.map(play_batch, batches)


def _collect_rarely() -> None:
    """Collect garbage less often: every life leaves many cycles, and imported objects are in none."""
    gc.freeze()
    gc.set_threshold(50_000)


def explore_case(case: Case) -> tuple[Case, Report]:
    """Explore one case."""
    return case, explore(case)


def explore_all(workers: int, *, again: bool) -> int:
    """Explore the cases, print the results, and return the number of violations."""
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


def print_life(seed: int) -> int:
    """Print the log of one life, and return the number of its violations."""
    outcome = play(seed, verbose=True)
    print("\n".join(outcome.log_lines))
    print(*(f"VIOLATION  {each}" for each in outcome.violations), sep="\n")
    print(f"seed {seed}: {len(outcome.violations)} violations, {outcome.requests} requests")
    return len(outcome.violations)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the lives of the command line, and return its exit code."""
    parser = argparse.ArgumentParser(prog="make simulate", description="Run lives of stacks with a virtual clock.")
    parser.add_argument("--seed", type=int, help="the first seed; without --lives, print the log of its life")
    parser.add_argument("--lives", type=int, help="number of lives")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="number of processes")
    parser.add_argument("--exhaustive", action="store_true", help="run every interleaving of a few steps instead")
    parser.add_argument("--again", action="store_true", help="also run again at once after each death; takes hours")
    options = parser.parse_args(arguments)
    if options.exhaustive:
        return 1 if explore_all(options.workers, again=options.again) else 0
    if options.seed is not None and options.lives is None:
        return 1 if print_life(options.seed) else 0
    started, total = time.monotonic(), Summary()
    for summary in play_many(options.seed or 0, options.lives or 20_000, options.workers):
        total.add(summary)
        if sys.stderr.isatty():
            print(f"\r{total.lives} lives, {len(total.failed)} with violations", end="", file=sys.stderr)
    for outcome in total.failed[:MAX_SHOWN]:
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
