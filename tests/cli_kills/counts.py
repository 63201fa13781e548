"""What became of the runs, in numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from .plan import Plan

BAD = ("lost", "doubled", "broken", "touched", "leaked", "untold", "other")
NOTED = ("adopted", "late", "told", "unmarked", "torn")


@dataclass
class Count:
    """What became of one run.

    Attributes:
        lost: Objects on the server that were neither in state nor in a record when all processes had ended, and
            resources that state does not have, or has without their object, after the calm command.
        doubled: Objects that no state knows after the calm command.
        touched: Objects of others that are changed or gone.
        leaked: Secrets that are somewhere in plain text.
        untold: Objects that another machine could not find, and that `clouddb doctor` does not name.
        adopted: Objects that state did not have after the interruption, and has after the calm command.
        late: The command had ended before it could be interrupted.
        told: Refusals that docs/reliability.md promises, with advice that helped.
        unmarked: Objects that another machine could not find, because they carry no mark, and that doctor names.
        torn: The CLI died while it wrote the file beside its state file; see `mend`.
    """

    plan: Plan
    seconds: float = 0.0
    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    touched: list[str] = field(default_factory=list)
    leaked: list[str] = field(default_factory=list)
    untold: list[str] = field(default_factory=list)
    other: list[str] = field(default_factory=list)
    adopted: list[str] = field(default_factory=list)
    late: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    unmarked: list[str] = field(default_factory=list)
    torn: list[str] = field(default_factory=list)
    story: list[str] = field(default_factory=list)

    @property
    def bad(self) -> bool:
        """Whether anything was wrong."""
        return any(getattr(self, name) for name in BAD)

    def __str__(self) -> str:
        """Tell what was wrong."""
        found = [f"  {name}: {each}" for name in (*BAD, *NOTED) for each in getattr(self, name)]
        return "\n".join([f"{self.plan} ({self.seconds:.1f} s)", *found])


def table(counts: Iterable[Count]) -> str:
    """Return the table: runs by front end, way and dialect, and by each of them and of the other choices alone."""
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
    yield f"server: {plan.pace}"
    yield f"stage: {plan.stage.replace(',', ' but')}"
    yield f"way: {plan.way}"
