"""`make faults`: run the whole matrix, or the cases whose ids match, and print the results."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from . import run
from .table import table


def main() -> int:
    """Run the cases, print the table and every failed case; return the exit code."""
    parser = argparse.ArgumentParser(prog="make faults", description=__doc__)
    parser.add_argument("--only", default="", help="run the cases whose id matches this regular expression")
    parser.add_argument("--all", action="store_true", help="run each case in both dialects and both front ends")
    parser.add_argument("--sample", type=int, help="number of cases; each kind of fault comes before a second one")
    parser.add_argument("--seed", type=int, default=0, help="determines the order and the sample")
    parser.add_argument("--workers", type=int, default=run.WORKERS, help="number of concurrent cases")
    parser.add_argument("--debug", action="store_true", help="run the providers with CLOUDDB_DEBUG=1")
    parser.add_argument("--logs", type=Path, help="write all logs to this file")
    parser.add_argument("--list", action="store_true", help="list the cases without running them")
    options = parser.parse_args()
    started = time.monotonic()
    with run.workers(options.workers, debug=options.debug) as team:
        baselines = run.learn(team, [each for each in run.all_setups() if run.may_match(each, options.only)])
        cases = run.choose(baselines, only=options.only, every=options.all, seed=options.seed)
        if options.sample:
            cases = run.sample(cases, options.sample)
        print(
            f"{len(cases)} cases from {len(baselines)} lives without faults, after {time.monotonic() - started:.0f} s",
            flush=True,
        )
        if options.list:
            print(*sorted(map(str, cases)), sep="\n")
            return 0
        played = [run.Outcome(setup, baseline.log) for setup, baseline in baselines.items()]
        for each in played:
            if each.result == "failed":
                print(f"\n{each}", flush=True)
        for each in run.play(team, cases, baselines):
            played.append(each)
            if each.result == "failed":
                print(f"\n{each}", flush=True)
            if len(played) % 100 == 0:
                failed = sum(one.result == "failed" for one in played)
                print(f"… {len(played)}, {failed} failed, {time.monotonic() - started:.0f} s", file=sys.stderr)
    if options.logs:
        options.logs.write_text("\n\n".join(map(str, played)) + "\n", encoding="utf-8")
    print(table(played))
    failed = sum(each.result == "failed" for each in played)
    refused = sum(each.result == "refused" for each in played)
    print(f"{len(played)} cases, {failed} failed, {refused} rejected with advice that helped", end="")
    print(f", {time.monotonic() - started:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
