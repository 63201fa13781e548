"""Measure parts of the benchmark, print each figure with its floor, and store them as JSON: see `--help`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from . import calls, cli, cpu, fleets, growth, kept, policy, report, start, state, under_limit
from .figure import Figure

PARTS: Mapping[str, tuple[Callable[[int], Iterable[Figure]], int]] = {
    under_limit.PART: (under_limit.measured, 1),
    fleets.PART: (fleets.measured, 1),
    start.PART: (start.measured, 5),
    cpu.PART: (cpu.measured, 3),
    calls.PART: (calls.measured, 3),
    growth.PART: (growth.measured, 1),
    state.PART: (state.measured, 1),
    cli.PART: (cli.measured, 1),
    policy.PART: (policy.measured, 3),
}
"""For each part: the function that measures it, and the default number of samples."""


def main() -> None:
    """Measure the requested parts."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--only", action="append", choices=PARTS, help="measure this part; may be given several times")
    parser.add_argument("--samples", type=int, help="samples of each figure; by default each part has its own number")
    parser.add_argument("--json", type=Path, help="write the figures to this file; those of other parts in it stay")
    parser.add_argument("--beside", type=Path, help="print the figures of this file, of another run, beside these")
    given = parser.parse_args()
    beside = kept.read(given.beside)[1] if given.beside else ()
    for name in given.only or PARTS:
        measure, samples = PARTS[name]
        figures = list(report.shown(measure(given.samples or samples), beside))
        if given.json:
            kept.write(given.json, figures)


if __name__ == "__main__":
    main()
