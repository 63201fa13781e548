"""`make faults`: play the whole matrix, or the cases whose ids match, and print what came of it."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from . import run
from .table import table


def main() -> int:
    """Play, print the table and every failed case; return the exit code."""
    parser = argparse.ArgumentParser(prog="make faults", description=__doc__)
    parser.add_argument("--only", default="", help="play the cases whose id matches this regular expression")
    parser.add_argument("--all", action="store_true", help="play each case in both dialects and both front ends")
    parser.add_argument("--sample", type=int, help="play so many cases, of each kind of trouble before a second one")
    parser.add_argument("--seed", type=int, default=0, help="the order, and what a sample takes")
    parser.add_argument("--workers", type=int, default=run.WORKERS, help="cases at a time")
    parser.add_argument("--debug", action="store_true", help="run the providers with CLOUDDB_DEBUG=1")
    parser.add_argument("--stories", type=Path, help="write every story into this file")
    parser.add_argument("--list", action="store_true", help="name the cases and play none")
    chosen = parser.parse_args()
    started = time.monotonic()
    with run.workers(chosen.workers, debug=chosen.debug) as team:
        ends = run.learn(team, [each for each in run.all_setups() if run.may_match(each, chosen.only)])
        cases = run.choose(ends, only=chosen.only, every=chosen.all, seed=chosen.seed)
        if chosen.sample:
            cases = run.sample(cases, chosen.sample)
        print(f"{len(cases)} cases from {len(ends)} calm lives, after {time.monotonic() - started:.0f} s", flush=True)
        if chosen.list:
            print(*sorted(map(str, cases)), sep="\n")
            return 0
        played = [run.Outcome(setup, end.story) for setup, end in ends.items()]
        for each in played:
            if each.result == "failed":
                print(f"\n{each}", flush=True)
        for each in run.play(team, cases, ends):
            played.append(each)
            if each.result == "failed":
                print(f"\n{each}", flush=True)
            if len(played) % 100 == 0:
                failed = sum(one.result == "failed" for one in played)
                print(f"… {len(played)}, {failed} failed, {time.monotonic() - started:.0f} s", file=sys.stderr)
    if chosen.stories:
        chosen.stories.write_text("\n\n".join(map(str, played)) + "\n", encoding="utf-8")
    print(table(played))
    failed = sum(each.result == "failed" for each in played)
    refused = sum(each.result == "refused" for each in played)
    print(f"{len(played)} cases, {failed} failed, {refused} refused with advice that helped", end="")
    print(f", {time.monotonic() - started:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
