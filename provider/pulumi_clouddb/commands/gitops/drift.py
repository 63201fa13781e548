"""`clouddb ci drift`: what differs between the live objects and the state, and putting it back."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from .apply import TAKE_IN, not_ready
from .events import Progress
from .exit_codes import ExitCode
from .plan_manifest import commit_of
from .project import PolicyPack, Project, Run
from .report import Report, ResourceChange


def drift(
    project: Project,
    packs: Sequence[PolicyPack] = (),
    *,
    repair: bool = False,
    progress: Progress | None = None,
) -> tuple[Report, ExitCode]:
    """Compare the live objects with the state, property by property, and put them back if asked to.

    A repair changes nothing but what has drifted: it is refused while the program holds other changes, and it never
    creates, replaces or deletes a database. The policy packs run over a repair.
    """
    report = Report(command="drift", project=project.name, stack=project.stack, commit=commit_of(project.folder))
    look = project.drift()
    report.drift, report.messages, report.counts = look.events.resources, look.messages, look.events.counts
    if not look.ok:
        report.explanation = "Nothing is known of drift: the live objects could not be compared with the state."
        return report, ExitCode.FAILED
    if not report.drift:
        return report, ExitCode.OK
    if not repair:
        report.explanation = (
            "Live objects are not as the state has them. `clouddb ci drift --repair` puts them back; to keep what is "
            f"live, write it into the program, {TAKE_IN.format(project.stack)} and preview."
        )
        return report, ExitCode.DRIFT
    # With the policies: what one of them remediated is in the state, and no change.
    pending = project.preview(packs)
    if not pending.ok:
        return report, _stopped(pending, report)
    if pending.events.resources:
        names = ", ".join(each.name for each in pending.events.resources)
        report.explanation = (
            f"Nothing was repaired: the program holds changes that were not applied yet ({names}). To go on, "
            f"{TAKE_IN.format(project.stack)} and preview: the plan then puts back the drift beside these changes."
        )
        return report, ExitCode.DRIFT
    with tempfile.TemporaryDirectory(prefix="clouddb-repair-") as folder:
        return report, _repair(project, packs, report, Path(folder) / "plan.json", progress)


def _repair(
    project: Project, packs: Sequence[PolicyPack], report: Report, plan: Path, progress: Progress | None
) -> ExitCode:
    """Plan what puts the drift back, look whether it may be done, and do exactly that."""
    planned = project.preview(packs, plan, refresh=True)
    if not planned.ok:
        return _stopped(planned, report)
    planned.into(report)
    refused = [each.name for each in report.resources if _endangers(each)]
    if refused:
        report.explanation = (
            f"Nothing was repaired: it would create, replace or delete a database ({', '.join(refused)}), and its data "
            f"would not come back. To do that knowingly, {TAKE_IN.format(project.stack)}, preview and apply."
        )
        return ExitCode.DRIFT
    done = project.up(plan, packs, progress, refresh=True)
    done.into(report)
    if not done.ok:
        report.explanation = "The repair failed; what was done before is in the state. Run it again to go on."
        return ExitCode.FAILED
    if unready := done.events.unready:
        report.explanation = not_ready(unready)
        return ExitCode.FAILED
    left = project.drift()
    if not left.ok:
        report.explanation = "The repair ran, and its effect could not be read. Look for drift again."
        report.messages = [*report.messages, *left.messages]
        return ExitCode.FAILED
    if left.events.resources:
        report.explanation = (
            "The repair ran, and live objects differ again: somebody changes them, or the server keeps other values. "
            "Write what it keeps into the program, or end what changes it, and repair again."
        )
        report.drift = left.events.resources
        return ExitCode.DRIFT
    report.explanation = "Repaired: the live objects are as the program says."
    return ExitCode.OK


def _stopped(preview: Run, report: Report) -> ExitCode:
    report.violations, report.messages = preview.events.violations, preview.messages
    if report.blocking:
        report.explanation = "Nothing was repaired: a mandatory policy is violated."
        return ExitCode.POLICY
    report.explanation = "Nothing was repaired: the preview failed."
    return ExitCode.FAILED


def _endangers(change: ResourceChange) -> bool:
    return change.database and change.operation != "update"
