"""The dashboards of a preview, before and after, without a secret of the stack in them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from pulumi_clouddb.render.objects import Item, from_steps, redacted
from pulumi_clouddb.schema.redaction import Redactor

from .project import Project, Run

Dependencies = Mapping[str, Mapping[str, Sequence[str]]]


def dependencies(plan: Path) -> Dependencies:
    """Return what each property is made from, by URN, as a saved plan tells it: the events of a preview do not."""
    plans = json.loads(plan.read_text(encoding="utf-8")).get("resourcePlans") or {}
    goals = {urn: each.get("goal") or {} for urn, each in plans.items()}
    return {urn: goal.get("propertyDependencies") or {} for urn, goal in goals.items()}


def sides(project: Project, run: Run, plan: Path) -> tuple[list[Item], list[Item]]:
    """Return dashboards, alerts and sources before and after what a preview shows.

    Args:
        project: The stack; every secret that its state and configuration hold is replaced.
        run: The preview.
        plan: The plan that it saved.

    Raises:
        CommandFailedError: State or configuration cannot be read.
    """
    redactor = Redactor(project.secrets())
    before, after = from_steps(run.events.sides, dependencies(plan), run.taken)
    return redacted(before, redactor), redacted(after, redactor)
