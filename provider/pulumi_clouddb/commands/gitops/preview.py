"""`clouddb ci preview`: what would change, whether policies allow it, and the plan to apply later."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from pulumi_clouddb.commands.doctor.checks import CHECKS, examine
from pulumi_clouddb.commands.doctor.finding import Level
from pulumi_clouddb.commands.doctor.situation import Situation
from pulumi_clouddb.organizations.measured_usage import VARIABLE

from .exit_codes import ExitCode
from .pictures import Gallery, clear, draw
from .plan_manifest import commit_of, digest_file, manifest_file, read_manifest
from .project import PRIVATE, PolicyPack, Project, Run
from .report import Message, Report
from .usage import Organization, add_usage

ASKED = ("addresses", "credentials", "organization", "limit")
"""The checks of `clouddb doctor` that a preview needs; what settings lack, the preview itself tells."""


def preview(
    project: Project,
    packs: Sequence[PolicyPack] = (),
    plan: Path | None = None,
    *,
    expect_no_changes: bool = False,
    outputs: Iterable[Path] = (),
    gallery: Gallery | None = None,
    usage: bool = True,
) -> tuple[Report, ExitCode]:
    """Preview the program, and save the plan together with what it was made from.

    Args:
        project: The stack to preview.
        packs: Policy packs to run.
        plan: Where to save the plan; what lies there from an earlier run is deleted first.
        expect_no_changes: Whether changes are a failure.
        outputs: Other files that the command writes; they are no part of the program.
        gallery: Where to draw pictures of the dashboards that change.
        usage: Whether to ask for the quotas that the plan would pass, and for what the services cost that it touches;
            with policy packs, for what these may judge.
    """
    report = Report(command="preview", project=project.name, stack=project.stack, commit=commit_of(project.folder))
    manifest = None
    if plan is not None:
        plan.parent.mkdir(parents=True, exist_ok=True)
        for file in (plan, manifest_file(plan)):
            file.unlink(missing_ok=True)
        if project.in_clear:
            report.explanation = (
                "Nothing was previewed, and no plan was saved: Pulumi would copy "
                f"{' and '.join(project.in_clear)} into it in plain text."
            )
            return report, ExitCode.FAILED
    left = clear(project, gallery) if gallery else []
    situation = Situation(os.environ, project.stack, project.settings())
    if errors := _server_errors(situation):
        report.messages = [*errors, *left]
        report.explanation = "The servers cannot be used as they are configured; nothing was previewed."
        return report, ExitCode.FAILED
    if plan is not None:
        # Read before the preview: what moves while it runs has moved since.
        written = list(outputs)
        manifest = read_manifest(project, packs, [plan, manifest_file(plan), *written])
        manifest.reports = [os.path.relpath(file.resolve(), project.folder.resolve()) for file in written]
    organization = Organization(situation.config, report)
    with tempfile.TemporaryDirectory(prefix="clouddb-preview-") as folder:
        # Pictures take from a plan what an alert is made from.
        kept = plan or (Path(folder) / "plan.json" if gallery else None)
        environment = {}
        if usage and packs:
            counted = Path(folder) / "usage.json"
            counted.write_text(organization.usage.model_dump_json(), encoding="utf-8")
            environment = {VARIABLE: str(counted)}
        run = project.preview(packs, kept, environment=environment)
        run.into(report)
        report.messages += left
        if gallery and kept and run.ok:
            draw(project, run, kept, gallery, report)
    if usage and run.ok:
        add_usage(report, organization)
    code = _code(run, report, expect_no_changes)
    if run.ok and plan is not None and manifest is not None:
        manifest.plan = report.plan = digest_file(plan)
        manifest_file(plan).touch(mode=PRIVATE)
        manifest_file(plan).write_text(manifest.model_dump_json(by_alias=True, indent=2) + "\n", encoding="utf-8")
    return report, code


def _code(run: Run, report: Report, expect_no_changes: bool) -> ExitCode:
    if report.blocking:
        report.explanation = "A mandatory policy is violated: no plan was saved, nothing can be applied."
        return ExitCode.POLICY
    if not run.ok:
        report.explanation = "The preview failed; nothing was saved."
        if run.events.refused:
            report.explanation += (
                f" Pulumi stopped there, after {run.events.looked_at} resources ({run.events.refused} invalid): those "
                "that the program declares later were not checked."
            )
        return ExitCode.FAILED
    if expect_no_changes and report.resources:
        report.explanation = "No changes were expected."
        return ExitCode.CHANGES
    return ExitCode.OK


def _server_errors(situation: Situation) -> list[Message]:
    """Return the errors that the servers would answer with; a key that can only read is none.

    Only requests tell whether the servers can be reached, and let these credentials in.
    """
    try:
        found = list(examine(situation, [check for check in CHECKS if check.name in ASKED]))
    finally:
        situation.close()
    return [Message(severity="error", text=each.in_words) for each in found if each.level is Level.ERROR]
