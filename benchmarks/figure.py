"""A figure with its floor, and alternating samples of both."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

Sample = TypeVar("Sample")


@dataclass(frozen=True)
class Figure:
    """A measurement, and the minimum cost of the same work.

    Attributes:
        part: The part of the benchmark, as `ONLY` names it.
        name: The measured operation.
        unit: Of values and floors, such as `ms`; empty for a count.
        floor_is: A description of the floor.
        values: One for each sample.
        floors: As many, measured alternately with the values, or a single one that follows from a rule.
        where: Other properties that distinguish figures of the same name, such as the front end.
    """

    part: str
    name: str
    unit: str
    floor_is: str
    values: list[float]
    floors: list[float]
    where: Mapping[str, str] = field(default_factory=dict)

    @property
    def value(self) -> float:
        """The median."""
        return statistics.median(self.values)

    @property
    def floor(self) -> float:
        """The median of the floor."""
        return statistics.median(self.floors)

    @property
    def ratio(self) -> float | None:
        """The ratio to the floor; None if the floor is zero."""
        return self.value / self.floor if self.floor else None

    @property
    def key(self) -> tuple[str, ...]:
        """The key that identifies the figure, also in other runs."""
        return (self.part, self.name, *(f"{name}={value}" for name, value in sorted(self.where.items())))


def in_turns(samples: int, **measures: Callable[[], Sample]) -> dict[str, list[Sample]]:
    """Return alternating samples of each measure, so that a load on the machine affects all of them."""
    taken: dict[str, list[Sample]] = {name: [] for name in measures}
    for _ in range(samples):
        for name, measure in measures.items():
            taken[name].append(measure())
    return taken


def seconds(action: Callable[[], object]) -> float:
    """Return the duration of an action."""
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def each_ms(action: Callable[[], object], times: int) -> float:
    """Return the median time of one of many calls, in milliseconds, after a warm-up."""
    for _ in range(min(times, 20)):
        action()
    return statistics.median(seconds(action) for _ in range(times)) * 1000
