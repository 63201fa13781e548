"""Delivers a report to the terminal, to files and to the CI job."""

from __future__ import annotations

import os
from pathlib import Path

from clouddb_tools.commands.doctor.settings import plaintext_credentials
from clouddb_tools.commands.doctor.situation import Situation
from clouddb_tools.commands.printing import console, echo
from pulumi_clouddb.engine.wire import urns

from .errors import CommandFailedError
from .exit_codes import ExitCode
from .markdown import markdown
from .project import Project
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
    """Mask a report, print it, write it to the files, and append it to the summary of a GitHub job if there is one.

    The file `-` is standard output; the text for the terminal then goes to standard error.

    Raises:
        CommandFailedError: A file cannot be written; the report was printed.
    """
    report.outcome, report.exit_code = code.outcome, code.value
    report.messages = [*_plaintext_credentials(project), *report.messages]
    try:
        report = masked(report, project.secrets())
    except CommandFailedError as error:
        # Without the secrets, nothing that may contain one is shown.
        report = masked(_without_details(report, str(error)), frozenset())
    text = markdown(report)
    try:
        _write(markdown_file, text)
        _write(json_file, report.model_dump_json(by_alias=True, indent=2) + "\n")
        summary = os.environ.get("GITHUB_STEP_SUMMARY")
        _write(Path(summary) if summary else None, text, mode="a")
    finally:  # the only report of what was applied, if no file can be written
        show(console(stderr=STANDARD_OUTPUT in (markdown_file, json_file)), report)


def _write(file: Path | None, content: str, mode: str = "w") -> None:
    if file == STANDARD_OUTPUT:
        echo(content.removesuffix("\n"))
    elif file is not None:
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open(mode, encoding="utf-8", newline="\n") as opened:
                opened.write(content)
        except OSError as error:
            raise CommandFailedError(f"the report {file} cannot be written: {error.strerror}") from None


def _plaintext_credentials(project: Project) -> list[Message]:
    """Return the warnings of `clouddb doctor` about credentials in plain text in the configuration."""
    situation = Situation({}, project.stack, plaintext_credentials=project.plaintext_credentials)
    root = urns.create(project.stack, project.name, "", urns.ROOT_TYPE, f"{project.name}-{project.stack}")
    return [Message(severity="warning", text=each.in_words, urn=root) for each in plaintext_credentials(situation)]


def _without_details(report: Report, why: str) -> Report:
    return Report(
        command=report.command,
        project=report.project,
        stack=report.stack,
        outcome=report.outcome,
        exit_code=report.exit_code,
        counts=report.counts,
        explanation=f"{report.explanation} Details are omitted, as they could not be searched for secrets: {why}",
    )
