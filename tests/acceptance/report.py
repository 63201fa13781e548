"""The report of a run, in Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .lives import Played


def lines(lives: Sequence[Played]) -> Iterator[str]:
    """Yield the lines of the report."""
    faulty = [each for each in lives if not each.passed]
    for each in faulty:
        for step, problems in each.problems.items():
            yield from (f"- {each.front_end}: {each.subject.name}: {step.value}: {problem}" for problem in problems)
    yield f"{len(lives)} lives, {len(faulty)} with problems"
