"""Handing a report over: to the terminal, to files, to the build that runs us."""

from __future__ import annotations

import os
from pathlib import Path

from pulumi_clouddb.commands.doctor.settings import credentials_in_clear
from pulumi_clouddb.commands.doctor.situation import Situation
from pulumi_clouddb.commands.printing import console, echo
from pulumi_clouddb.engine.wire import urns

from .exit_codes import ExitCode
from .markdown import markdown
from .project import CommandFailedError, Project
from .redaction import masked
from .report import Message, Report
from .terminal import show

STANDARD_OUTPUT = Path("-")


def deliver(
    project: Project,
    report: Report,
    code: ExitCode,
    markdown_file: Path | None,
    json_file: Path | None,
) -> None:
    """Mask a report, print it, write it to the files, and add it to the summary of a GitHub job where there is one.

    A file `-` is standard output; what a person reads then goes to standard error.
    """
    report.outcome, report.exit_code = code.outcome, code.value
    report.messages = [*_credentials_in_clear(project), *report.messages]
    try:
        secrets = project.secrets()
    except CommandFailedError as error:
        # Nothing is shown that could not be searched for secrets.
        report = _bare(report, str(error))
        secrets = frozenset()
    report = masked(report, secrets)
    text = markdown(report)
    for file, content in ((markdown_file, text), (json_file, report.model_dump_json(by_alias=True, indent=2) + "\n")):
        if file == STANDARD_OUTPUT:
            echo(content.removesuffix("\n"))
        elif file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content, encoding="utf-8")
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary:
        with Path(summary).open("a", encoding="utf-8") as page:
            page.write(text)
    show(console(stderr=STANDARD_OUTPUT in (markdown_file, json_file)), report)


def _credentials_in_clear(project: Project) -> list[Message]:
    """Return the warnings of `clouddb doctor` about credentials that the configuration holds in plain text."""
    situation = Situation({}, project.stack, in_clear=project.in_clear)
    root = urns.create(project.stack, project.name, "", urns.ROOT_TYPE, f"{project.name}-{project.stack}")
    return [Message(severity="warning", text=each.in_words, urn=root) for each in credentials_in_clear(situation)]


def _bare(report: Report, why: str) -> Report:
    return Report(
        command=report.command,
        project=report.project,
        stack=report.stack,
        outcome=report.outcome,
        exit_code=report.exit_code,
        counts=report.counts,
        explanation=f"{report.explanation} Details are left out, as they could not be searched for secrets: {why}",
    )
