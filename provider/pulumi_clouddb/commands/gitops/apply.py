"""`clouddb ci apply`: exactly the approved plan, or nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from pydantic import ValidationError

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
TAKE_IN = "run `pulumi refresh --stack {} --yes`"
"""Takes the live objects into the state, so that the next plan puts back what the program says otherwise."""

BEYOND = "violates plan"
"""The engine's words for a step that the plan does not hold."""


class PlanError(Exception):
    """The plan, or what belongs to it, is not there or not readable."""


def load_manifest(plan: Path) -> PlanManifest:
    """Read what a plan was made from; raise BadPlan where that is not there or not readable."""
    file = manifest_file(plan)
    for needed in (plan, file):
        if not needed.is_file():
            raise PlanError(
                f"{needed} does not exist. `clouddb ci preview --save-plan {plan}` writes it; a preview that fails, or "
                "that a policy blocks, removes the plan of an earlier one."
            )
    try:
        manifest = PlanManifest.model_validate_json(file.read_text(encoding="utf-8"))
    except (ValidationError, UnicodeDecodeError):
        raise PlanError(f"{file} is not what `clouddb ci preview --save-plan` writes") from None
    if manifest.version != MANIFEST_VERSION:
        raise PlanError(f"{file} was written by another version of clouddb (format {manifest.version}): preview again")
    if manifest.plan != digest_file(plan):
        raise PlanError(f"{plan} is not the plan that {file.name} belongs to: it was changed or replaced")
    return manifest


def apply(
    project: Project,
    plan: Path,
    packs: Sequence[PolicyPack] = (),
    *,
    drift_check: bool = True,
    outputs: Iterable[Path] = (),
    progress: Progress | None = None,
) -> tuple[Report, ExitCode]:
    """Apply a plan, after looking that everything is as it was when the plan was made.

    Args:
        project: The stack that the plan is for.
        plan: The file that `preview` saved; its manifest lies beside it.
        packs: Policy packs to run, those of the preview: who could change the files beside a plan could otherwise take
            a pack out.
        drift_check: Whether the live objects are compared with the state first.
        outputs: Other files that the command writes; they are no part of the program.
        progress: Called with each step that is done.
    """
    planned = load_manifest(plan)
    earlier = (project.folder / file for file in planned.reports)
    now = read_manifest(project, packs, [plan, manifest_file(plan), *earlier, *outputs])
    report = Report(command="apply", project=project.name, stack=project.stack, commit=now.commit, plan=planned.plan)
    report.moved = changes_since(planned, now)
    if report.moved:
        report.explanation = f"Something has changed since the plan was made; nothing was applied. {AGAIN}"
        if (left_out := packs_left_out(planned, now)) and len(left_out) == len(report.moved):
            options = " ".join(f"--policy-pack {path}" for path in left_out)
            report.explanation = f"The preview ran under policies; nothing was applied. Apply with {options}."
        return report, ExitCode.MOVED
    if drift_check:
        look = project.drift()
        report.drift, report.messages = look.events.resources, look.messages
        if not look.ok:
            report.explanation = "The live objects could not be compared with the state; nothing was applied."
            return report, ExitCode.FAILED
        if report.drift:
            report.explanation = (
                f"Live objects are not as the state has them; nothing was applied. To go on, "
                f"{TAKE_IN.format(project.stack)} and preview again: the new plan puts back what the program says "
                "otherwise, beside its own changes."
            )
            return report, ExitCode.MOVED
    run = project.up(plan, packs, progress)
    run.into(report)
    if run.ok and (unready := run.events.unready):
        report.explanation = not_ready(unready)
        return report, ExitCode.FAILED
    return report, _code(run.ok, report)


def not_ready(unready: Mapping[str, str]) -> str:
    """Return the explanation of a run that succeeded and left services that are not ready."""
    services = ", ".join(f"{name} ({why})" for name, why in unready.items())
    return f"The plan was applied, and these services are not ready: {services}. Preview and apply again to go on."


def _code(ok: bool, report: Report) -> ExitCode:
    if ok:
        return ExitCode.OK
    if report.blocking:
        report.explanation = "A mandatory policy is violated: the update was stopped there."
        return ExitCode.POLICY
    if any(BEYOND in each.text for each in report.messages):
        stopped = "it was stopped there, and what the plan holds may have been done before"
        report.explanation = f"The program wants what the plan does not hold; {stopped}. {AGAIN}"
        return ExitCode.MOVED
    report.explanation = "Applying the plan failed; what was done before is in the state. Preview again to go on."
    return ExitCode.FAILED
