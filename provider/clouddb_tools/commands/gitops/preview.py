"""`clouddb ci preview`: preview the changes, check them against policies, and save the plan."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from clouddb_tools.commands.doctor.checks import CHECKS, examine
from clouddb_tools.commands.doctor.finding import Level
from clouddb_tools.commands.doctor.situation import Situation
from pulumi_clouddb.schema.config import environment_name
from pulumi_clouddb.things.organizations.measured_usage import VARIABLE

from .exit_codes import ExitCode
from .format import number
from .pictures import Gallery, clear, draw
from .plan_manifest import PlanManifest, commit_of, digest_file, manifest_file, read_manifest, relative_path
from .project import PRIVATE, PolicyPack, Project, Run
from .report import Message, Report
from .usage import Organization, add_usage

SERVER_CHECKS = ("addresses", "credentials", "organization", "limit")
"""The checks of `clouddb doctor` before a preview; the preview itself reports faults of the settings."""

NO_PLAN = (
    "The changed secrets of dynamic resources, and the alerts on new tiles, are unknown: Pulumi saves no plan of a "
    "preview that fails."
)


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
    """Preview the program, and save the plan with its manifest.

    Args:
        project: The stack to preview.
        packs: Policy packs to run.
        plan: The file for the plan; an earlier one is deleted first.
        expect_no_changes: Whether changes are a failure.
        outputs: Other files that the command writes, which are not part of the program.
        gallery: Where to draw pictures of the changed dashboards.
        usage: Whether to report quotas that the plan would exceed and the cost of the services that it changes, and
            to pass quotas and costs to the policy packs.
    """
    report = Report(command="preview", project=project.name, stack=project.stack, commit=commit_of(project.folder))
    manifest = None
    if plan is not None:
        _remove_plan(plan)
        if project.plaintext_credentials:
            report.explanation = (
                "Nothing was previewed, and no plan was saved: Pulumi would copy "
                f"{' and '.join(project.plaintext_credentials)} into it in plain text."
            )
            return report, ExitCode.FAILED
    warnings = clear(project, gallery) if gallery else []
    situation = Situation(os.environ, project.stack, project.settings())
    if errors := _server_errors(situation):
        report.messages = [*errors, *warnings]
        report.explanation = "The servers cannot be used as they are configured; nothing was previewed."
        return report, ExitCode.FAILED
    if plan is not None:
        # Read before the preview, so that changes during the preview are detected.
        outputs = list(outputs)
        manifest = read_manifest(project, packs, [plan, manifest_file(plan), *outputs])
        manifest.reports = [relative_path(file.resolve(), project.folder.resolve()) for file in outputs]
    organization = Organization(situation.config, report)
    with tempfile.TemporaryDirectory(prefix="clouddb-preview-") as folder:
        plan_file = plan or Path(folder) / "plan.json"
        environment = {environment_name("validateFirst"): "true"}
        if usage and packs:
            usage_file = Path(folder) / "usage.json"
            usage_file.write_text(organization.usage.model_dump_json(), encoding="utf-8", newline="\n")
            environment[VARIABLE] = str(usage_file)
        run = project.preview(packs, plan_file, environment=environment)
        run.into(report)
        report.messages += warnings
        if gallery:
            draw(project, run, plan_file, gallery, report, situation.config)
    if usage:
        add_usage(report, organization)
    code = _code(run, report, expect_no_changes)
    if plan is not None and manifest is not None and run.ok:
        report.plan = _save(manifest, plan)
    return report, code


def _save(manifest: PlanManifest, plan: Path) -> str:
    """Write the manifest beside its plan, and return the digest of the plan."""
    manifest.plan = digest_file(plan)
    manifest_file(plan).touch(mode=PRIVATE)
    text = manifest.model_dump_json(by_alias=True, indent=2) + "\n"
    manifest_file(plan).write_text(text, encoding="utf-8", newline="\n")
    return manifest.plan


def _remove_plan(plan: Path) -> None:
    """Remove an earlier plan with its manifest, and make the folder for a new one."""
    plan.parent.mkdir(parents=True, exist_ok=True)
    for file in (plan, manifest_file(plan)):
        file.unlink(missing_ok=True)


def _code(run: Run, report: Report, expect_no_changes: bool) -> ExitCode:
    """Return the exit code; the report explains it."""
    if not run.ok and report.resources:
        report.not_known.append(NO_PLAN)
    if report.blocking:
        report.explanation = "A mandatory policy is violated: no plan was saved, so nothing can be applied."
        return ExitCode.POLICY
    if not run.ok:
        report.explanation = "The preview failed; nothing was saved."
        if run.events.refused:
            looked_at = number(run.events.looked_at, "resource", "resources")
            report.explanation += (
                f" Pulumi stopped after {looked_at} ({run.events.refused} invalid); it did not check the resources "
                "that the program declares later."
            )
        return ExitCode.FAILED
    if expect_no_changes and report.resources:
        report.explanation = "No changes were expected."
        return ExitCode.CHANGES
    return ExitCode.OK


def _server_errors(situation: Situation) -> list[Message]:
    """Return the errors of requests to the servers; a preview itself may send none. A read-only key is accepted."""
    try:
        findings = list(examine(situation, [check for check in CHECKS if check.name in SERVER_CHECKS]))
    finally:
        situation.close()
    return [Message(severity="error", text=each.in_words) for each in findings if each.level is Level.ERROR]
