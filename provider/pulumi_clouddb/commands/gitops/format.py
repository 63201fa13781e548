"""How operations, values and whole reports are put in words, for Markdown and the terminal alike."""

from __future__ import annotations

import json
from typing import Any

from pulumi_clouddb.engine.wire.messages import NOT_YET
from pulumi_clouddb.schema.spellings import MASK

from .exit_codes import ExitCode
from .report import PropertyChange, QuotaPassed, Report, ResourceChange

SYMBOLS = {"create": "+", "update": "~", "replace": "±", "delete": "-", "import": "=", "read": ">"}
PLANNED = {"create": "to create", "update": "to update", "replace": "to replace", "delete": "to delete"}
DONE = {"create": "created", "update": "updated", "replace": "replaced", "delete": "deleted"}
DRIFTED = {"update": "changed on the server", "delete": "gone from the server"}
LONGEST_VALUE = 120


def headline(report: Report) -> str:
    """Return the report in one line."""
    subject = {"preview": "Preview", "apply": "Apply", "drift": "Drift"}[report.command]
    name = f"{subject} of {report.project}/{report.stack}"
    if report.outcome in ("failed", "policy", "moved"):
        return f"{name}: {'blocked' if report.outcome != 'failed' else 'failed'}"
    if report.command == "drift":
        return f"{name}: {_drift_words(report)}"
    return f"{name}: {counted(report)}"


def counted(report: Report) -> str:
    """Return how many resources have which operation, in words."""
    words = PLANNED if report.command == "preview" else DONE
    parts = [f"{count} {words.get(name, name)}" for name, count in report.counts.items() if name != "same" and count]
    if not parts:
        return "nothing to do"
    same = report.counts.get("same", 0)
    return ", ".join([*parts, f"{same} unchanged"] if same else parts)


def _drift_words(report: Report) -> str:
    if not report.drift:
        return "none"
    count = len(report.drift)
    objects = "1 object" if count == 1 else f"{count} objects"
    if report.exit_code == ExitCode.OK:
        return f"{objects} repaired"
    return f"{objects} {'differs' if count == 1 else 'differ'}"


def symbol(change: ResourceChange) -> str:
    """Return the sign of an operation."""
    return SYMBOLS.get(change.operation, "*")


def passed(quota: QuotaPassed) -> str:
    """Return in words that a plan would pass a quota."""
    what = ", ".join(quota.resources)
    if quota.used is None:
        return f"{quota.name}: the limit is {quota.limit}, and this plan wants {quota.planned} for {what}"
    return f"{quota.name}: {quota.used} of {quota.limit} are used, and this plan creates {quota.planned} more: {what}"


def cost(change: ResourceChange) -> str:
    """Return in words what a service has cost; nothing where that was not asked."""
    return "" if change.cost is None else f"it has cost {change.cost:g} credits in the last 30 days"


UNSHOWN = "only values that are not shown differ"


def values(change: PropertyChange) -> tuple[str, str]:
    """Return both values as short JSON, empty for the one that is not there."""
    return (
        "" if change.kind == "add" else _value(change.old),
        "" if change.kind == "delete" else _value(change.new),
    )


def _value(value: Any) -> str:
    if isinstance(value, str) and value in (MASK, NOT_YET):
        return value
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST_VALUE else f"{text[: LONGEST_VALUE - 1]}…"
