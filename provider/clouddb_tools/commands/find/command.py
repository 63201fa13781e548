"""`clouddb find`: where an object lives, and which stack manages it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clouddb_tools.commands.exit_codes import FindExit, end
from clouddb_tools.commands.printing import echo
from clouddb_tools.commands.stack_config import PROJECT_FILES, named, session_of
from pulumi_clouddb.client.errors import CloudDBError, ConfigError, first_line

if TYPE_CHECKING:
    from .report import States


def find(
    what: Annotated[
        str,
        typer.Argument(
            metavar="ID|NAME|LINK",
            help="An id, a part of a name, or the link in a notification or of a page.",
            show_default=False,
        ),
    ],
    kind: Annotated[
        list[str] | None, typer.Option(help="Only objects of this resource, such as Alert; repeatable.")
    ] = None,
    service: Annotated[str | None, typer.Option(help="Of services, only the one with this id.")] = None,
    stack: Annotated[
        str | None,
        typer.Option(
            help="Use the configuration of this stack, and look into no other one.",
            show_default="the environment, CLOUDDB_*, and every stack of the project in --cwd",
            callback=named,
        ),
    ] = None,
    all_stacks: Annotated[
        bool, typer.Option("--all-stacks", help="Look into the stacks of every project of the backend.")
    ] = False,
    state_file: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE",
            help="Look into this state from `pulumi stack export`, not into stacks; - is standard input; repeatable.",
        ),
    ] = None,
    cwd: Annotated[Path, typer.Option("--cwd", exists=True, file_okay=False, help="Folder of the Pulumi project.")] = (
        Path()
    ),
    as_json: Annotated[bool, typer.Option("--json", help="Write what was found as JSON.")] = False,
) -> None:
    """Find an alert, tile, dashboard, service, key or any other object: where it lives, and what manages it.

    Nothing is changed. Without --stack, the configuration is that of the environment.
    """
    from clouddb_tools.commands.export.choice import Choice
    from clouddb_tools.commands.export.command import kinds_of
    from clouddb_tools.commands.export.command_report import Report

    from .query import query_of
    from .report import document, show
    from .search import search
    from .servers import Servers, searched_kinds

    query = query_of(what)
    if not query.text:
        raise typer.BadParameter("it is empty; name an object", param_hint="ID|NAME|LINK")
    if stack and all_stacks:
        raise typer.BadParameter("give --stack or --all-stacks, not both")
    given = kinds_of(kind or [])
    try:
        session = session_of(stack, cwd)
        choice = Choice(searched_kinds(session, given), ids=(f"{service}/*",) if service else ())
        states = _states(cwd, stack, state_file or [], all_stacks=all_stacks)
        servers = Servers(session, choice)
        with Report().progress() as progress:
            result = search(session, servers, query, choice, states.managed, progress)
    except CloudDBError as error:
        echo(f"error: {error}", err=True)
        end(FindExit.NOT_FOUND)
    code = FindExit.FOUND if result.matches else FindExit.NOT_FOUND
    if as_json:
        echo(document(query, result, servers, states, code))
    else:
        show(query, result, servers, states)
    end(code)


def _states(cwd: Path, stack: str | None, files: list[str], *, all_stacks: bool) -> States:
    """Return the resources of the stacks to look into, and why others could not be read."""
    from clouddb_tools.commands.state_file import in_state_file

    from .report import States
    from .stacks import in_state, stacks_of

    states = States()
    for file in files:
        states.add(*in_state_file(file, lambda name, content: (name, in_state(name, content))))
    listed = all_stacks or (not files and any((cwd / name).is_file() for name in PROJECT_FILES))
    try:
        stacks = [stack] if stack else stacks_of(cwd, every_project=all_stacks) if listed else []
    except ConfigError as error:
        states.unread.append(first_line(error))
        return states
    for name in stacks:
        states.read_stack(name, cwd)
    return states
