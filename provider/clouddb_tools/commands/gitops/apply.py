"""`clouddb ci apply`: apply exactly the approved plan, or nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from pydantic import ValidationError

from pulumi_clouddb.schema.public_names import in_program

from .events import Progress
from .exit_codes import ExitCode
from .plan_manifest import (
    MANIFEST_VERSION,
    PlanManifest,
    changes_since,
    digest_file,
    manifest_file,
    packs_left_out,
    read_manifest,
)
from .project import PolicyPack, Project
from .report import Report

AGAIN = "Preview again, and have the new plan approved."
REFRESH = "run `pulumi refresh --stack {} --yes`"
"""Updates the state from the live objects, so that the next plan restores the values of the program."""

NOT_PLANNED = "violates plan"
"""The engine's message for a step that is not in the plan."""


class PlanError(Exception):
    """The plan or its manifest is missing or unreadable."""


def load_manifest(plan: Path, stack: str) -> PlanManifest:
    """Return the manifest of a plan of a stack.

    Raises:
        PlanError: The plan or its manifest is missing or unreadable, they do not belong together, or they belong to
            another stack.
    """
    file = manifest_file(plan)
    for needed in (plan, file):
        if not needed.is_file():
            raise PlanError(
                f"{needed} does not exist. `clouddb ci preview --save-plan {plan}` writes it; a preview that fails or "
                "is blocked by a policy removes an earlier plan."
            )
    try:
        manifest = PlanManifest.model_validate_json(file.read_text(encoding="utf-8"))
    except (ValidationError, UnicodeDecodeError):
        raise PlanError(f"{file} is not a manifest from `clouddb ci preview --save-plan`") from None
    if manifest.version != MANIFEST_VERSION:
        raise PlanError(f"{file} was written by another version of clouddb (format {manifest.version}): preview again")
    if manifest.plan != digest_file(plan):
        raise PlanError(f"{plan} does not belong to {file.name}: it was changed or replaced")
    if manifest.stack != stack:
        raise PlanError(f"{plan} is a plan of stack {manifest.stack!r}, not of {stack!r}: preview that stack")
    return manifest


def apply(
    project: Project,
    plan: Path,
    planned: PlanManifest,
    packs: Sequence[PolicyPack] = (),
    *,
    drift_check: bool = True,
    outputs: Iterable[Path] = (),
    progress: Progress | None = None,
) -> tuple[Report, ExitCode]:
    """Apply a plan, after checking that nothing has changed since the plan was made.

    Args:
        project: The stack of the plan.
        plan: The file that `preview` saved.
        planned: Its manifest.
        packs: The policy packs of the preview; not read from the manifest, as a user who can write that file could
            remove a pack.
        drift_check: Whether to compare the live objects with the state first.
        outputs: Other files that the command writes, which are not part of the program.
        progress: Called after each step.
    """
    earlier = (project.folder / file for file in planned.reports)
    now = read_manifest(project, packs, [plan, manifest_file(plan), *earlier, *outputs])
    report = Report(command="apply", project=project.name, stack=project.stack, commit=now.commit, plan=planned.plan)
    report.moved = changes_since(planned, now)
    if report.moved:
        report.explanation = f"Something has changed since the plan was made; nothing was applied. {AGAIN}"
        if (missing := packs_left_out(planned, now)) and len(missing) == len(report.moved):
            options = " ".join(f"--policy-pack {path}" for path in missing)
            report.explanation = f"The preview ran with policy packs; nothing was applied. Apply with {options}."
        return report, ExitCode.MOVED
    if drift_check:
        refresh = project.drift()
        report.drift, report.messages = refresh.events.resources, refresh.messages
        if not refresh.ok:
            report.explanation = "The live objects could not be compared with the state; nothing was applied."
            return report, ExitCode.FAILED
        if report.drift:
            refresh_first = f"{REFRESH.format(project.stack)} and preview again: the new plan"
            report.explanation = (
                f"Live objects differ from the state; nothing was applied. To continue, {refresh_first} restores the "
                "values of the program, in addition to its other changes."
            )
            if report.lost:
                report.explanation = (
                    f"{lost(report)} Nothing was applied. {restoring(report)} To continue without the data, "
                    f"{refresh_first} creates empty databases, in addition to its other changes."
                )
            return report, ExitCode.MOVED
    run = project.up(plan, packs, progress)
    run.into(report)
    if run.ok and (unready := run.events.unready):
        report.explanation = not_ready(unready)
        return report, ExitCode.FAILED
    return report, _code(run.ok, report)


def lost(report: Report) -> str:
    """Return the sentence about databases that were deleted on the server."""
    names = ", ".join(each.name for each in report.lost)
    if len(report.lost) == 1:
        return f"The database {names} was deleted on the server, and its data is lost."
    return f"The databases {names} were deleted on the server, and their data is lost."


def restoring(report: Report) -> str:
    """Return the sentence that says how the data of these databases comes back, with the names of the program."""
    advice = "Ask the vendor's support for a backup, and restore it with `backupId` (PostgresService: `restoreFrom`)."
    return in_program(advice, *(each.type for each in report.lost))


def not_ready(unready: Mapping[str, str]) -> str:
    """Return the explanation for a successful run after which some services are not ready."""
    services = ", ".join(f"{name} ({why})" for name, why in unready.items())
    return f"The plan was applied, but these services are not ready: {services}. Preview and apply again to continue."


def _code(ok: bool, report: Report) -> ExitCode:
    if ok:
        return ExitCode.OK
    if report.blocking:
        report.explanation = "A mandatory policy is violated: the update was stopped."
        return ExitCode.POLICY
    if any(NOT_PLANNED in each.text for each in report.messages):
        stopped = "the update was stopped, and earlier steps of the plan may be done"
        report.explanation = f"The program requires a step that is not in the plan; {stopped}. {AGAIN}"
        return ExitCode.MOVED
    report.explanation = "Applying the plan failed; completed steps are in the state. Preview again to continue."
    return ExitCode.FAILED
