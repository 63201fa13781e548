"""`clouddb render`: pictures of dashboards, from a preview, from state or from the server."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from pulumi_clouddb.client.errors import CloudDBError

from .exit_codes import RenderExit, end
from .printing import echo, usage_error
from .stack_config import named, session_of
from .state_file import in_state_file

if TYPE_CHECKING:
    from clouddb_tools.commands.gitops.project import Project
    from clouddb_tools.render.files import DiffDrawing, Drawing
    from clouddb_tools.render.objects import Item
    from clouddb_tools.render.picture import Picture


@dataclass(frozen=True)
class Place:
    """A source of dashboards: a preview, a state or the server.

    Attributes:
        origin: Its name in messages and pictures.
        items: Its objects.
        before: The objects before the changes of a preview.
        live: Whether it is the server.
    """

    origin: str
    items: list[Item]
    before: list[Item]
    live: bool = False


def render(
    output: Annotated[
        Path,
        typer.Option("--output", "-o", dir_okay=False, help="The file to write: NAME.svg or NAME.html."),
    ],
    stack: Annotated[
        str | None, typer.Option(help="Draw the preview of this stack.", show_default=False, callback=named)
    ] = None,
    state: Annotated[bool, typer.Option("--state", help="With --stack: draw the stack's state instead.")] = False,
    state_file: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE", help="Draw a state from `pulumi stack export`; - is standard input."),
    ] = None,
    live: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ID",
            help="Draw a dashboard of the server: ID, SERVICE_ID/ID, or its name in place of the ID; may be repeated. "
            "The configuration comes from --stack, or else from the environment.",
        ),
    ] = None,
    dashboard: Annotated[
        list[str] | None,
        typer.Option(help="Draw only dashboards with this name or resource name; may be repeated."),
    ] = None,
    diff: Annotated[
        bool,
        typer.Option(
            "--diff",
            help="Draw before and after: state and preview of --stack; two --state-file; --live and the preview of "
            "--stack; or the state (--state, --state-file) and --live.",
        ),
    ] = False,
    cwd: Annotated[Path, typer.Option("--cwd", exists=True, file_okay=False, help="Folder of the Pulumi project.")] = (
        Path()
    ),
) -> None:
    """Draw dashboards with their tiles, queries and alerts, as a picture (SVG) or as a page (HTML).

    Nothing is changed, and no data is queried: shapes are schematic.
    """
    from clouddb_tools.commands.gitops.errors import CommandFailedError, NoProjectError
    from clouddb_tools.render.files import SUFFIXES, write

    if output.suffix not in SUFFIXES:
        raise typer.BadParameter(f"{output} must end in {' or '.join(SUFFIXES)}", param_hint="--output")
    files, ids = state_file or [], live or []
    check_places(stack, state, files, ids, diff)
    try:
        places = places_of(cwd, stack, state, files, ids, diff)
        drawing = (_compared if diff else _drawn)(places, dashboard or [])
    except NoProjectError as error:
        raise usage_error(str(error), "--cwd") from None
    except (CommandFailedError, CloudDBError) as error:
        _fail(str(error))
    try:
        write(output, drawing)
    except OSError as error:
        _fail(f"{output} cannot be written: {error.strerror}\nName another file with --output.")
    echo(f"Wrote {output}.", err=True)


def _fail(message: str) -> NoReturn:
    echo(f"error: {message}", err=True)
    end(RenderExit.FAILED)


def check_places(stack: str | None, state: bool, files: list[str], ids: list[str], diff: bool) -> None:
    """Reject options that name no source, or more sources than a picture shows.

    Raises:
        typer.BadParameter: The options are not usable together.
    """
    if state and files:
        raise typer.BadParameter("give --state or --state-file, not both")
    if state and not stack:
        raise typer.BadParameter("--state is the state of a stack: name it with --stack, or a file with --state-file")
    if not (stack or files or ids):
        raise typer.BadParameter("no source of dashboards: give --stack, --state-file or --live")
    if diff:
        _check_comparison(stack, state, files, ids)
    elif len(files) > 1 or (files and (ids or stack)) or (ids and state):
        raise typer.BadParameter("a picture shows one source; with --diff it shows two")


def _check_comparison(stack: str | None, state: bool, files: list[str], ids: list[str]) -> None:
    if files and not (len(files) == 2) ^ bool(ids):
        raise typer.BadParameter("--diff compares two --state-file, or one with --live")
    if not files and not stack:
        raise typer.BadParameter("--diff compares live dashboards with a stack or a --state-file: specify one of them")
    if state and not ids:
        raise typer.BadParameter("--diff compares the state with live dashboards: specify them with --live")


def places_of(cwd: Path, stack: str | None, state: bool, files: list[str], ids: list[str], diff: bool) -> list[Place]:
    """Return the source of dashboards; for a comparison, the sources before and after."""
    if ids and not diff:
        # The state has the keys of tiles, and the names of resources.
        return [_live(cwd, stack, ids, from_deployment(_project(cwd, stack)) if stack else [])]
    if files:
        read = [_state_file(file) for file in files]
        return [*read, _live(cwd, stack, ids, read[0].items)] if ids else read
    project = _project(cwd, stack or "")
    if state:
        place = _state(project)
        return [place, _live(cwd, stack, ids, place.items)] if ids else [place]
    place = _preview(project)
    if ids:
        return [_live(cwd, stack, ids, place.before), place]
    return [Place(f"state of stack {project.stack}", place.before, []), place] if diff else [place]


def _project(cwd: Path, stack: str) -> Project:
    from clouddb_tools.commands.gitops.project import Project

    return Project(cwd, stack)


def _preview(project: Project) -> Place:
    from clouddb_tools.commands.gitops.errors import CommandFailedError
    from clouddb_tools.commands.gitops.pictures import sides

    echo(f"Previewing stack {project.stack}.", err=True)
    with tempfile.TemporaryDirectory(prefix="clouddb-render-") as folder:
        plan = Path(folder) / "plan.json"
        run = project.preview([], plan)
        if not run.ok:
            errors = "\n".join(each.text for each in run.messages if each.severity == "error")
            raise CommandFailedError(f"the preview of stack {project.stack!r} failed, nothing was drawn: {errors}")
        before, after = sides(project, run, plan, session_of(project.stack, project.folder))
    return Place(f"preview of stack {project.stack}", after, before)


def from_deployment(project: Project) -> list[Item]:
    """Return the objects in the state of a stack."""
    from clouddb_tools.render.objects import from_state

    return from_state(project.deployment())


def _state(project: Project) -> Place:
    from clouddb_tools.render.live import named_sources

    items = from_deployment(project)
    items += named_sources(session_of(project.stack, project.folder), items)
    return Place(f"state of stack {project.stack}", items, [])


def _state_file(file: str) -> Place:
    from clouddb_tools.render.objects import from_state

    return in_state_file(file, lambda name, content: Place(f"state in {name}", from_state(content), []))


def _live(cwd: Path, stack: str | None, ids: list[str], known: Iterable[Item]) -> Place:
    from clouddb_tools.render.live import read_dashboards

    return Place("live", read_dashboards(session_of(stack, cwd), ids, known), [], live=True)


# -- pictures ----------------------------------------------------------------------------------------------------------


def _drawn(places: list[Place], names: list[str]) -> Drawing:
    from clouddb_tools.render.files import Drawing
    from clouddb_tools.render.objects import pictures

    (place,) = places
    found = pictures(place.items, place.before)
    return Drawing(list(_chosen(found, names, place.origin).values()), place.origin)


def _compared(places: list[Place], names: list[str]) -> DiffDrawing:
    from clouddb_tools.render.diff import compare_all
    from clouddb_tools.render.files import DiffDrawing
    from clouddb_tools.render.objects import pictures

    before, after = places
    with_live = before.live or after.live
    old, new = (pictures(each.items, each.before, by_id=with_live) for each in places)
    if with_live:
        wanted = set(old if before.live else new)
        old, new = ({key: picture for key, picture in each.items() if key in wanted} for each in (old, new))
    chosen = _chosen({**old, **new}, names, f"{before.origin} or {after.origin}")
    old, new = ({key: picture for key, picture in each.items() if key in chosen} for each in (old, new))
    return DiffDrawing(compare_all(old, new), (before.origin, after.origin))


def _chosen(found: dict[str, Picture], names: list[str], origin: str) -> dict[str, Picture]:
    """Return the dashboards with these names, or all if there are no names.

    Raises:
        ResourceError: No dashboard has such a name.
    """
    from pulumi_clouddb.client.errors import ResourceError

    if not found:
        raise ResourceError(f"there is no dashboard in {origin}", "Declare one, or choose another source.")
    known = {name for each in found.values() for name in (each.name, each.resource)}
    if missing := [name for name in names if name not in known]:
        dashboards = ", ".join(f"{each.resource} ({each.name!r})" for each in found.values())
        raise ResourceError(f"no dashboard in {origin} is named {missing[0]!r}", f"Choose one of {dashboards}.")
    return {key: each for key, each in found.items() if not names or {each.name, each.resource} & set(names)}
