"""`clouddb export`: write a program that declares existing objects, and the file that imports them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clouddb_tools.commands.exit_codes import ExportExit, end
from clouddb_tools.commands.stack_config import OfStack, session_of
from pulumi_clouddb.client.errors import CloudDBError

from .language import Language

if TYPE_CHECKING:
    from .choice import Choice
    from .terraform import Managed

Many = list[str] | None


def export(
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the project.", show_default=False)],
    language: Annotated[
        Language, typer.Option(help="python needs only this package; the others need the native plugin.")
    ] = Language.PYTHON,
    kind: Annotated[Many, typer.Option(help="Only objects of this resource, such as Dashboard; repeatable.")] = None,
    name: Annotated[Many, typer.Option(help="Only objects with this name, a glob; repeatable.")] = None,
    tag: Annotated[Many, typer.Option(help="Only objects with this tag, KEY or KEY=VALUE; repeatable.")] = None,
    id_: Annotated[
        Many, typer.Option("--id", help="Only objects with this id, ID or SERVICE_ID/ID, a glob; repeatable.")
    ] = None,
    from_terraform: Annotated[
        Path | None,
        typer.Option(
            exists=True, dir_okay=False, help="Only objects in this Terraform state file, or in hyperdx-import.tf."
        ),
    ] = None,
    stack: OfStack = None,
    init: Annotated[
        str | None,
        typer.Option(help="Create this stack of the project, and configure it with encrypted secrets."),
    ] = None,
    protect: Annotated[
        bool, typer.Option("--protect/--no-protect", help="Protect the exported services from deletion.")
    ] = True,
    force: Annotated[bool, typer.Option("--force", help="Overwrite files in the folder.")] = False,
) -> None:
    """Write a program that declares existing objects, and a file that imports them with one command.

    Objects are read, never changed. Without options that choose objects, all are exported that the stack does not
    manage.
    """
    from clouddb_tools.commands.find.stacks import in_stack

    from .command_report import Report
    from .export import NothingError, check_folder, write
    from .export import export as run
    from .project import project_name
    from .terraform import compared, exported_of, system_roles

    kinds = kinds_of(kind or [])
    report = Report()
    try:
        check_folder(output, force=force)
        managed, choice = _choice(kinds, name, tag, id_, from_terraform)
        session = session_of(stack)
        choice = replace(choice, managed=tuple(in_stack(stack, Path()) if stack else ()))
        with report.progress() as progress:
            done = run(session, choice, language, project_name(output.resolve().name), progress, protect=protect)
        leaving, remaining = compared(managed, done.ids, system_roles(session, managed))
    except CloudDBError as error:
        report.notes(error.notes if isinstance(error, NothingError) else ())
        report.error(f"{error}\nNothing was written.")
        end(ExportExit.FAILED)
    try:
        written = write(output, language, done.project, force=force)
    except CloudDBError as error:
        report.error(str(error))
        end(ExportExit.FAILED)
    report.found(done, remaining)
    gone = exported_of(managed, done.ids)
    report.lost(gone)
    kept = {done.setting_of(each.kind, each.object_id, each.secret): each for each in gone if each.secret}
    report.wrote(output, written)
    secrets = {**done.secrets, **{key: each.value for key, each in kept.items()}}
    created = (
        init if init is not None and report.create_stack(output, init, language, session.config, secrets) else None
    )
    report.kept(kept, created)
    report.next_steps(output, language, session.config, done, created, protect=protect)
    report.terraform_steps(leaving)
    if init != created:
        end(ExportExit.NO_STACK)


def _choice(
    kinds: frozenset[str], names: Many, tags: Many, ids: Many, state: Path | None
) -> tuple[list[Managed], Choice]:
    """Return the objects in the Terraform state, if one is given, and the user's choice."""
    from .choice import Choice
    from .terraform import choice_of, read_state, shared_of

    managed = read_state(state) if state else []
    objects = choice_of(managed) if state else None
    chosen = tuple(names or ()), frozenset(tags or ()), tuple(ids or ())
    return managed, Choice(kinds, *chosen, objects, shared_of(managed))


def kinds_of(given: list[str]) -> frozenset[str]:
    """Return the Pulumi names of resources, which users may write in any case.

    Raises:
        BadParameter: A name is unknown.
    """
    from pulumi_clouddb.registry import RESOURCES

    names = {name.lower(): name for name in RESOURCES}
    unknown = [kind for kind in given if kind.lower() not in names]
    if unknown:
        raise typer.BadParameter(
            f"{', '.join(map(repr, unknown))}: the resources are {', '.join(RESOURCES)}", param_hint="--kind"
        )
    return frozenset(names[kind.lower()] for kind in given)
