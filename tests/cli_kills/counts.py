"""The results of runs in numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from .plan import Plan

BAD = ("lost", "duplicated", "broken", "changed", "leaked", "unreported", "other")
NOTED = ("adopted", "late", "refused", "unmarked", "torn")


@dataclass
class Count:
    """The result of one run.

    Attributes:
        lost: Objects on the server that were neither in state nor in a record when all processes had ended, and
            resources that are not in state, or whose object is gone, after the last command.
        duplicated: Objects that are in no state after the last command.
        broken: Objects whose secret in state does not work.
        changed: Objects of others that were changed or deleted.
        leaked: Secrets in plain text.
        unreported: Objects that another machine could not find, and that `clouddb doctor` does not report.
        other: Other problems.
        adopted: Objects that were not in state after the interruption, and are after the last command.
        late: The command had ended before it could be interrupted.
        refused: Errors that docs/reliability.md allows, with advice that helped.
        unmarked: Objects that another machine could not find, because they have no mark, and that doctor reports.
        torn: The CLI died while it wrote the file beside its state file; see `repair`.
        log: The log of the run.
    """

    plan: Plan
    seconds: float = 0.0
    lost: list[str] = field(default_factory=list)
    duplicated: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    leaked: list[str] = field(default_factory=list)
    unreported: list[str] = field(default_factory=list)
    other: list[str] = field(default_factory=list)
    adopted: list[str] = field(default_factory=list)
    late: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    unmarked: list[str] = field(default_factory=list)
    torn: list[str] = field(default_factory=list)
    log: list[str] = field(default_factory=list)

    @property
    def bad(self) -> bool:
        """Whether the run has problems."""
        return any(getattr(self, name) for name in BAD)

    def __str__(self) -> str:
        """Return the problems and the notes."""
        found = [f"  {name}: {each}" for name in (*BAD, *NOTED) for each in getattr(self, name)]
        return "\n".join([f"{self.plan} ({self.seconds:.1f} s)", *found])


def table(counts: Iterable[Count]) -> str:
    """Return the table: runs by front end, way and dialect, then by each single property of a plan."""
    rows: dict[str, Counter[str]] = {}
    ordered = sorted(counts, key=lambda count: (count.plan.front_end, count.plan.way, count.plan.dialect))
    for count in ordered:
        plan = count.plan
        for name in (f"{plan.front_end}, {plan.way}, {plan.dialect}", *_alone(plan), "all"):
            row = rows.setdefault(name, Counter())
            row.update(runs=1, bad=int(count.bad), **{each: len(getattr(count, each)) for each in (*BAD, *NOTED)})
    columns = ("runs", "bad", *BAD, *NOTED)
    full = [name for name in rows if name.count(",") == 2]
    alone = sorted(name for name in rows if name.count(",") != 2 and name != "all")
    width = max(map(len, rows), default=0) + 2
    lines = ["".ljust(width) + "".join(name.rjust(9) for name in columns)]
    for name in (*full, "", *alone, "", *(["all"] if rows else [])):
        cells = "".join(str(rows[name][column]).rjust(9) for column in columns) if name else ""
        lines.append(name.ljust(width) + cells)
    return "\n".join(lines)


def _alone(plan: Plan) -> Iterable[str]:
    yield f"command: {plan.command}"
    yield f"dialect: {plan.dialect}"
    yield f"disk: {'lost' if plan.disk_lost else 'kept'}"
    yield f"front end: {plan.front_end}"
    yield f"server: {plan.speed}"
    yield f"stage: {plan.stage.replace(',', ' but')}"
    yield f"way: {plan.way}"
