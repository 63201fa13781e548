"""Pictures of the dashboards that a preview changes: one file for each, and a page with all of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from clouddb_tools.render.diff import Comparison, compare_all
from clouddb_tools.render.files import DiffDrawing, has_comment, write
from clouddb_tools.render.live import named_sources
from clouddb_tools.render.objects import Item, from_steps, pictures, redacted
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.schema.config import ProviderConfig
from pulumi_clouddb.schema.secrets.redaction import Redactor

from .errors import CommandFailedError
from .project import Project, Run, goals
from .redaction import names_of
from .report import DrawnDashboard, Message, Report
from .usage import RETRY_SECONDS

PAGE = "index.html"
_PLAIN = re.compile(r"[^A-Za-z0-9._-]+")
_DEVICE = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\.|$)", re.IGNORECASE)
"""Names that Windows refuses, also with a suffix."""


@dataclass(frozen=True)
class Gallery:
    """The folder for pictures.

    Attributes:
        folder: The folder, created if needed.
        url: The URL at which it is published; empty if it is not.
    """

    folder: Path
    url: str = ""


def sides(project: Project, run: Run, plan: Path, session: Session) -> tuple[list[Item], list[Item]]:
    """Return the dashboards, alerts and sources before and after a preview, with all secrets replaced.

    Args:
        project: The stack.
        run: The preview.
        plan: The saved plan of the preview.
        session: The servers, which have the names of data sources that the stack does not create.

    Raises:
        CommandFailedError: State or configuration cannot be read.
    """
    names = names_of(project.name, project.stack, run.events.resources)
    redactor = Redactor(project.secrets(), names)
    before, after = from_steps(run.events.sides, _dependencies(plan), run.taken)
    named = named_sources(session, [*before, *after])
    return redacted([*before, *named], redactor), redacted([*after, *named], redactor)


def _dependencies(plan: Path) -> Mapping[str, Mapping[str, Sequence[str]]]:
    """Return the dependencies of each property by URN, from a plan."""
    return {urn: goal.get("propertyDependencies") or {} for urn, goal in goals(plan).items()}


def clear(project: Project, gallery: Gallery) -> list[Message]:
    """Remove the pictures of an earlier preview of this stack; return a warning if that fails.

    Other files, and pictures of other stacks, stay.
    """
    folder, mark = gallery.folder, _mark(project)
    try:
        for file in [*folder.glob("*.svg"), *folder.glob(PAGE)]:
            if file.is_file() and has_comment(file, mark):
                file.unlink()
    except OSError as error:
        text = f"Pictures of an earlier preview in {folder} could not be removed: {error.strerror}. Remove them."
        return [Message(severity="warning", text=text)]
    return []


def draw(project: Project, run: Run, plan: Path, gallery: Gallery, report: Report, config: ProviderConfig) -> None:
    """Draw the dashboards that a preview changes, and list the files in its report.

    A failure to draw becomes a warning in the report; the preview does not fail.
    """
    folder = gallery.folder

    def warn(text: str, _: str = "") -> None:
        report.messages.append(Message(severity="warning", text=text))

    seconds = min(config.retry_seconds, RETRY_SECONDS)
    session = Session(config.model_copy(update={"retry_timeout_seconds": seconds}), scope="", warn=warn)
    try:
        before, after = sides(project, run, plan, session)
        found = compare_all(pictures(before), pictures(after, before))
        changed = [each for each in found if each.changes]
        origins = (f"state of stack {project.stack}", f"preview of stack {project.stack}")
        folder.mkdir(parents=True, exist_ok=True)
        for comparison, name in zip(changed, _names(changed), strict=True):
            write(folder / name, DiffDrawing([comparison], origins), _mark(project))
            report.pictures.append(_drawn(comparison, gallery, name))
        if changed:
            write(folder / PAGE, DiffDrawing(changed, origins), _mark(project))
    except CommandFailedError as error:
        warn(f"No pictures were drawn: {error}")
    except OSError as error:
        warn(f"No pictures were written to {folder}: {error.strerror}. Choose another folder with --pictures.")


def _mark(project: Project) -> str:
    return f"Drawn by clouddb ci preview of stack {project.stack} of project {project.name}, which removes it."


def _drawn(comparison: Comparison, gallery: Gallery, name: str) -> DrawnDashboard:
    return DrawnDashboard(
        resource=comparison.resource,
        name=comparison.name,
        summary=comparison.headline,
        file=str(gallery.folder / name),
        url=f"{gallery.url.rstrip('/')}/{name}" if gallery.url else "",
    )


def _names(comparisons: Iterable[Comparison]) -> Iterator[str]:
    """Yield a file name for each dashboard, after its resource, which is unique and valid on every file system."""
    taken: set[str] = {PAGE}
    for each in comparisons:
        base = _PLAIN.sub("-", each.resource).strip("-.") or "dashboard"
        if _DEVICE.match(base):
            base = f"dashboard-{base}"
        name, number = f"{base}.svg", 2
        while name.lower() in taken:
            name, number = f"{base}-{number}.svg", number + 1
        taken.add(name.lower())
        yield name
