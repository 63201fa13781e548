"""Pictures of the dashboards that a preview changes: a file for each, and a page with all of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pulumi_clouddb.render.diff import Comparison, compare_all
from pulumi_clouddb.render.files import DiffDrawing, is_marked, write
from pulumi_clouddb.render.objects import pictures

from .dashboards import sides
from .project import CommandFailedError, Project, Run
from .report import DrawnDashboard, Message, Report

PAGE = "index.html"
_PLAIN = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True)
class Gallery:
    """Where pictures go.

    Attributes:
        folder: The folder of the files; it is made.
        url: Address at which the folder will be found; empty where nobody publishes it.
    """

    folder: Path
    url: str = ""


def clear(project: Project, gallery: Gallery) -> list[Message]:
    """Remove the pictures that an earlier preview of this stack has drawn; return a warning if that fails.

    They would be taken for this preview's. Other files, and pictures of other stacks, stay.
    """
    folder, mark = gallery.folder, _mark(project)
    try:
        for file in [*folder.glob("*.svg"), *folder.glob(PAGE)]:
            if file.is_file() and is_marked(file, mark):
                file.unlink()
    except OSError as error:
        words = f"Pictures of an earlier preview in {folder} could not be removed: {error.strerror}. Remove them."
        return [Message(severity="warning", text=words)]
    return []


def draw(project: Project, run: Run, plan: Path, gallery: Gallery, report: Report) -> None:
    """Draw what a preview does to dashboards, and name the files in its report.

    Pictures are no reason for a preview to fail: what prevents them becomes a warning of the report.
    """
    folder = gallery.folder
    try:
        before, after = sides(project, run, plan)
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
        report.messages.append(Message(severity="warning", text=f"No pictures were drawn: {error}"))
    except OSError as error:
        words = f"No pictures were written to {folder}: {error.strerror}. Name another folder with --pictures."
        report.messages.append(Message(severity="warning", text=words))


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
    """Yield a file name for each dashboard, after its resource, each its own on every file system."""
    taken: set[str] = {PAGE}
    for each in comparisons:
        base = _PLAIN.sub("-", each.resource).strip("-.") or "dashboard"
        name, number = f"{base}.svg", 2
        while name.lower() in taken:
            name, number = f"{base}-{number}.svg", number + 1
        taken.add(name.lower())
        yield name
