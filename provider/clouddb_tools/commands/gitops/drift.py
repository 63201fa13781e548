"""`clouddb ci drift`: detect differences between the live objects and the state, and repair them."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from .apply import REFRESH, lost, not_ready, restoring
from .events import Progress
from .exit_codes import ExitCode
from .plan_manifest import commit_of
from .project import PolicyPack, Project, Run
from .report import Report


def drift(
    project: Project,
    packs: Sequence[PolicyPack] = (),
    *,
    repair: bool = False,
    progress: Progress | None = None,
) -> tuple[Report, ExitCode]:
    """Compare the live objects with the state, property by property, and repair drift on request.

    A repair changes only drifted objects: it fails while the program has other changes, and it never creates, replaces
    or deletes a database. The policy packs check a repair.
    """
    report = Report(command="drift", project=project.name, stack=project.stack, commit=commit_of(project.folder))
    run = project.drift()
    report.drift, report.messages, report.counts = run.events.resources, run.messages, run.events.counts
    if not run.ok:
        report.explanation = "Drift is unknown: the live objects could not be compared with the state."
        return report, ExitCode.FAILED
    if not report.drift:
        return report, ExitCode.OK
    if report.lost:
        report.explanation = (
            f"{lost(report)} `--repair` creates no database, so nothing was repaired. {restoring(report)} "
            f"To continue without the data, {REFRESH.format(project.stack)}, preview and apply: the plan then creates "
            "empty databases, and repairs the drift of other objects."
        )
        return report, ExitCode.DRIFT
    if not repair:
        report.explanation = (
            "Live objects differ from the state. `clouddb ci drift --repair` restores them; to keep the live values, "
            f"add them to the program, {REFRESH.format(project.stack)} and preview."
        )
        return report, ExitCode.DRIFT
    # With the policies: the state contains their remediations, which are not changes.
    pending = project.preview(packs)
    if not pending.ok:
        return report, _stopped(pending, report)
    if pending.events.resources:
        names = ", ".join(each.name for each in pending.events.resources)
        report.explanation = (
            f"Nothing was repaired: the program has changes that were not applied yet ({names}). To continue, "
            f"{REFRESH.format(project.stack)} and preview: the plan then repairs the drift together with these changes."
        )
        return report, ExitCode.DRIFT
    with tempfile.TemporaryDirectory(prefix="clouddb-repair-") as folder:
        return report, _repair(project, packs, report, Path(folder) / "plan.json", progress)


def _repair(
    project: Project, packs: Sequence[PolicyPack], report: Report, plan: Path, progress: Progress | None
) -> ExitCode:
    """Plan the repair, check that it endangers no database, and apply exactly that plan."""
    planned = project.preview(packs, plan, refresh=True)
    if not planned.ok:
        return _stopped(planned, report)
    planned.into(report)
    databases = [each.name for each in report.resources if each.database and each.operation != "update"]
    if databases:
        report.explanation = (
            f"Nothing was repaired: a repair would create, replace or delete a database ({', '.join(databases)}) "
            f"without its data. To do this deliberately, {REFRESH.format(project.stack)}, preview and apply."
        )
        return ExitCode.DRIFT
    done = project.up(plan, packs, progress, refresh=True)
    done.into(report)
    if not done.ok:
        report.explanation = "The repair failed; completed steps are in the state. Run it again to continue."
        return ExitCode.FAILED
    if unready := done.events.unready:
        report.explanation = not_ready(unready)
        return ExitCode.FAILED
    remaining = project.drift()
    if not remaining.ok:
        report.explanation = "The repair ran, but its result could not be read. Run `clouddb ci drift` again."
        report.messages = [*report.messages, *remaining.messages]
        return ExitCode.FAILED
    if remaining.events.resources:
        report.explanation = (
            "The repair ran, but live objects differ again: somebody changes them, or the server stores other values. "
            "Add the server's values to the program, or stop the changes, and repair again."
        )
        report.drift = remaining.events.resources
        return ExitCode.DRIFT
    report.explanation = "Repaired: the live objects match the program."
    return ExitCode.OK


def _stopped(preview: Run, report: Report) -> ExitCode:
    report.violations, report.messages = preview.events.violations, preview.messages
    if report.blocking:
        report.explanation = "Nothing was repaired: a mandatory policy is violated."
        return ExitCode.POLICY
    report.explanation = "Nothing was repaired: the preview failed."
    return ExitCode.FAILED
