"""Texts for operations, values and reports, shared by Markdown and the terminal."""

from __future__ import annotations

import json
from typing import Any

from pulumi_clouddb.engine.wire.messages import NOT_YET
from pulumi_clouddb.schema.secrets.spellings import MASK

from .exit_codes import ExitCode
from .report import PropertyChange, QuotaPassed, Report, ResourceChange

SYMBOLS = {"create": "+", "update": "~", "replace": "±", "delete": "-", "import": "="}
PLANNED = {"create": "to create", "replace": "to replace", "delete": "to delete", "update": "to update"}
DONE = {"create": "created", "update": "updated", "replace": "replaced", "delete": "deleted"}
DRIFTED = {"update": "changed on the server", "delete": "deleted on the server"}
LONGEST_VALUE = 120


def headline(report: Report) -> str:
    """Return the summary line of a report: the counts, and what blocks the run."""
    name = f"{report.command.capitalize()} of {report.project}/{report.stack}"
    if report.outcome == "moved":
        return f"{name}: blocked"
    if report.outcome == "failed":
        return f"{name}: failed" + (f"; {counted(report)}" if report.command == "apply" and report.resources else "")
    if report.command == "drift" and report.outcome != "policy":
        return f"{name}: {_drift(report)}"
    policies = len({(each.pack, each.policy) for each in report.blocking})
    blocked = f"; blocked by {number(policies, 'policy', 'policies')}" if policies else ""
    return f"{name}: {counted(report)}{blocked}"


def counted(report: Report) -> str:
    """Return the number of resources by operation, as text."""
    labels = PLANNED if report.command == "preview" else DONE
    counts = sorted(((name, count) for name, count in report.counts.items() if name != "same"), key=_rank_in_counts)
    parts = [f"{count} {labels.get(name, name)}" for name, count in counts if count]
    if not parts:
        return "nothing to do"
    same = report.counts.get("same", 0)
    return ", ".join([*parts, f"{same} unchanged"] if same else parts)


def _rank_in_counts(count: tuple[str, int]) -> int:
    return list(PLANNED).index(count[0]) if count[0] in PLANNED else len(PLANNED)


def number(count: int, one: str, several: str) -> str:
    """Return a number with its noun."""
    return f"{count} {one if count == 1 else several}"


def _drift(report: Report) -> str:
    if not report.drift:
        return "none"
    count = len(report.drift)
    objects = number(count, "object", "objects")
    if report.exit_code == ExitCode.OK:
        return f"{objects} repaired"
    return f"{objects} {'differs' if count == 1 else 'differ'}"


def symbol(change: ResourceChange) -> str:
    """Return the symbol of an operation."""
    return SYMBOLS.get(change.operation, "*")


def passed(quota: QuotaPassed) -> str:
    """Return the message for a quota that a plan would exceed."""
    resources = ", ".join(quota.resources)
    if quota.used is None:
        return f"{quota.name}: the limit is {quota.limit}, and this plan requires {quota.planned} for {resources}"
    usage = f"{quota.used} of {quota.limit} are used"
    return f"{quota.name}: {usage}, and this plan creates {quota.planned} more: {resources}"


def cost(change: ResourceChange) -> str:
    """Return the cost of a service as text; empty if it is unknown."""
    return "" if change.cost is None else f"cost in the last 30 days: {change.cost:.15g} credits"


UNSHOWN = "only hidden values differ"


def values(change: PropertyChange) -> tuple[str, str]:
    """Return the old and the new value as short JSON, empty for one that does not exist."""
    return (
        "" if change.kind == "add" else _value(change.old),
        "" if change.kind == "delete" else _value(change.new),
    )


def _value(value: Any) -> str:
    if isinstance(value, str) and value in (MASK, NOT_YET):
        return value
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST_VALUE else f"{text[: LONGEST_VALUE - 1]}…"
