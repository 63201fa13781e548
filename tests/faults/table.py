"""The table of results by fault and operation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from .case import COMMANDS
from .run import Outcome


def table(played: Sequence[Outcome]) -> str:
    """Return counts by fault and operation: `played`, or `played/failed` if some failed."""
    operations = [*COMMANDS, "all"]
    counts: Counter[tuple[str, str, str]] = Counter()
    for each in played:
        for operation in (each.setup.operation, "all"):
            for fault in (each.fault, "all"):
                counts[fault, operation, each.result] += 1
    names = [*sorted({each.fault for each in played}), "all"]
    width = max(map(len, names)) + 2
    lines = ["fault".ljust(width) + "".join(operation.rjust(14) for operation in operations)]
    for name in names:
        cells = []
        for operation in operations:
            ok, failed, refused = (counts[name, operation, result] for result in ("ok", "failed", "refused"))
            cell = str(ok + failed + refused) + (f"/{failed} failed" if failed else "")
            cells.append(cell.rjust(14))
        lines.append(name.ljust(width) + "".join(cells))
    return "\n".join(lines)
